"""Solve many windows that have the same rows with one formula and one solver.

The windows of a picture with the same numbers of clearing rows differ only in the colours of their
squares. A :class:`PatternSolver` holds the formula of a window whose squares may have any colours.
What a window shows is given to the solver as assumptions, so the formula is written once, and what
the solver learns about one window helps with the next. Writing a formula takes 50 to 300
milliseconds, an answer about 5.

A certificate does not rest on these formulas: :mod:`~tetrisprinter.bounds.certificate_writer`
proves the formula of each window that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final

from tetrisprinter.bounds.stacks import Window, WindowContents, make_window_contents
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.printing.target import Target, make_type_mask
from tetrisprinter.sat.cnf import PULSE
from tetrisprinter.sat.solve import solve_interruptibly

_SOLVER: Final = "glucose4"
"""Glucose by Audemard and Simon; CaDiCaL is slow with hundreds of assumptions."""

_ALL_TYPES: Final = make_type_mask(PieceType)

CLAUSES_PER_UNIT: Final = 450_000
_PROPAGATIONS: Final = 5_000_000
"""One work unit, about a second: to write this number of clauses, or as many propagations."""


def make_pattern(target: Target, window: Window) -> WindowContents:
    """Return the contents of a window if each of its squares may hold any type or stay empty."""
    rows = ((_ALL_TYPES,) * target.width,) * target.rows
    blank = Target(target.width, target.height, rows, frozenset())
    return make_window_contents(blank, window, target.width * target.rows)


def estimate_clauses(pattern: WindowContents) -> int:
    """Estimate the number of clauses of a pattern's formula."""
    lines = pattern.window.lines
    return pattern.target.width * len(pattern.window.rows) * 140 * (1 + lines + lines * lines // 2)


class SquareKinds:
    """The kinds of a target's squares: squares of a kind have the same colour.

    Attributes
    ----------
    numbers : dict of Cell to int
        The kind of each square that may hold a type, from 0.
    types : list of int
        The bit set of the types that may show each kind.
    is_open : bool
        Whether the types are open; each type then shows at most one kind.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.numbers: dict[Cell, int] = {}
        self.types: list[int] = []
        self.is_open = target.shades is not None
        found: dict[int, int] = {}
        for y, row in enumerate(target.allowed):
            for x, mask in enumerate(row):
                if mask:
                    color = target.shades[y][x] if target.shades else mask
                    kind = self.numbers[x, y] = found.setdefault(color, len(found))
                    if kind == len(self.types):
                        self.types.append(0)
                    self.types[kind] |= mask


class PatternSolver:
    """The formula of a pattern in a solver, which answers questions about windows."""

    def __init__(
        self, pattern: WindowContents, kinds: SquareKinds, pulse: Callable[[], None] = lambda: None
    ) -> None:
        from pysat.solvers import Solver

        formula = WindowFormula(pattern, pulse)
        cnf, rows = formula.cnf, pattern.window.rows
        self._kinds = kinds
        self._width = pattern.target.width
        # By square of the picture, in rows from 0: the literals "a piece covers the square", "the
        # square has this kind" and "this type covers the square"
        self._covered: dict[Cell, int] = {}
        self._has_kind: dict[Cell, list[int]] = {}
        self._holds: dict[Cell, dict[PieceType, int]] = {}
        # "A piece may cover both squares"
        self._joined: dict[tuple[Cell, Cell], int] = {}
        self._shows = {p: [cnf.add_variable() for _ in kinds.types] for p in PieceType}
        if kinds.is_open:
            for literals in self._shows.values():
                cnf.add_at_most_one(literals)
        for (x, v), covered in formula.covered.items():
            if rows[v] == CLEARING:
                continue
            square = x, rows[v]
            self._covered[square] = covered
            self._has_kind[square] = [cnf.add_variable() for _ in kinds.types]
            self._holds[square] = {p: cnf.add_variable() for p in PieceType}
            for piece, holds in self._holds[square].items():
                for kind, shows in zip(self._has_kind[square], self._shows[piece], strict=True):
                    cnf.add_clause(-holds, -kind, shows)
        for part, literal in formula.parts:
            squares = [(x, rows[v]) for x, v in part.cells if rows[v] != CLEARING]
            for square in squares:
                cnf.add_clause(-literal, self._holds[square][part.orientation.piece])
            for pair in pairwise(squares):
                if pair not in self._joined:
                    self._joined[pair] = cnf.add_variable()
                cnf.add_clause(-literal, self._joined[pair])
        self.clauses = len(cnf.clauses)
        self._solver: Any = Solver(_SOLVER)
        for first in range(0, self.clauses, PULSE):
            self._solver.append_formula(cnf.clauses[first : first + PULSE])
            pulse()

    def can_fit(self, first: int, conflicts: int) -> bool | None:
        """Return whether a game fits the window from picture row ``first`` on.

        Return None if ``conflicts`` conflicts do not decide it.
        """
        return solve_interruptibly(self._solver, list(self._assume(first)), conflicts)

    def _assume(self, first: int) -> Iterator[int]:
        """Yield the literals that describe the squares of a window."""
        kinds, target = self._kinds, self._kinds.target
        for (x, y), covered in self._covered.items():
            kind = kinds.numbers.get((x, y + first))
            if kind is None:
                yield -covered
                continue
            if (x, y + first) in target.required:
                yield covered
            yield self._has_kind[x, y][kind]
        for piece, literals in self._shows.items():
            for types, literal in zip(kinds.types, literals, strict=True):
                if not types >> piece & 1:
                    yield -literal
        for ((x0, y0), (x1, y1)), literal in self._joined.items():
            low, high = (kinds.numbers.get((x, y + first)) for x, y in ((x0, y0), (x1, y1)))
            if kinds.is_open and None not in (low, high) and low != high:
                yield -literal

    @property
    def work(self) -> float:
        """The work units so far."""
        propagations = int(self._solver.accum_stats()["propagations"])
        return self.clauses / CLAUSES_PER_UNIT + propagations / _PROPAGATIONS

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()
