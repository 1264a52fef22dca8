"""The fewest lines that any game for a picture clears: a bound for pictures of any size.

A window of a few picture rows says how many rows clear in each of its slots. Its formula
(:mod:`~tetrisprinter.bounds.stacks`) states what every game satisfies there: each required
square is covered once by a type that shows its colour, cleared rows are full, pieces drop in some
order and are supported. Pieces may reach out of the window above and below, and nothing is assumed
about the rows there. A window whose formula has no model is a nogood: no game has these numbers.

Each cleared row lies in one slot, so a game is a sequence of numbers, one for each slot, that
contains no nogood. The least sum of such a sequence is a shortest path (:class:`StackGraph`), and
no game clears fewer rows. That is the whole argument; it needs no optimal windows, and windows may
overlap. ``docs/bounds.md`` proves it.

The search solves windows of the current shortest stack, the cheapest first, until none is a nogood.
Most nogoods have one or two slots and follow by unit propagation.

Covers without order (Knuth's exact cover, by CP-SAT) were tried first. They need windows of ten
rows, take 6 to 46 seconds each and prove 10 cleared rows for ``examples/owl.png`` on 33 columns.
Windows of two to four rows with order prove 23 in five seconds.

Many windows that have the same rows are solved with one formula and one solver. The windows of a
picture with the same numbers of clearing rows differ only in the colours of their squares. A
:class:`PatternSolver` holds the formula of a window whose squares may have any colours. What a
window shows is given to the solver as assumptions, so the formula is written once, and what the
solver learns about one window helps with the next. Writing a formula takes 50 to 300 milliseconds,
an answer about 5.

A certificate does not rest on these formulas: :mod:`~tetrisprinter.bounds.certificate_writer`
proves the formula of each window that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from tetrisprinter.bounds import stacks
from tetrisprinter.bounds.stacks import Nogood, StackWindow, WindowContents, WindowFormula
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.printing.task import Target, make_type_mask
from tetrisprinter.sat.solve import OutOfTimeError, open_solver, solve_interruptibly

SOLVER: Final = "glucose4"
"""Glucose by Audemard and Simon, which accepts a limit of conflicts; CaDiCaL is slow with hundreds
of assumptions."""

_ALL_TYPES: Final = make_type_mask(PieceType)

CLAUSES_PER_UNIT: Final = 450_000
PROPAGATIONS_PER_UNIT: Final = 5_000_000
CONFLICTS_PER_UNIT: Final = 10_000
"""One work unit, about a second: to write this number of clauses, or as many propagations or
conflicts. The cost of conflicts varies widely in large formulas."""


SquareKinds = tuple[dict[Cell, int], list[int]]
"""The kind of each square that may hold a type, and for each kind the types that may show it.

Squares of a kind have the same colour. Kinds are numbered from 0; types are bit sets.
"""


def find_square_kinds(target: Target) -> SquareKinds:
    """Return the kinds of a target's squares."""
    kinds: dict[Cell, int] = {}
    types: list[int] = []
    found: dict[int, int] = {}
    for y, row in enumerate(target.allowed):
        for x, mask in enumerate(row):
            if mask:
                color = target.shades[y][x] if target.shades else mask
                kind = kinds[x, y] = found.setdefault(color, len(found))
                if kind == len(types):
                    types.append(0)
                types[kind] |= mask
    return kinds, types


class PatternSolver:
    """The formula of a pattern in a solver, which answers questions about windows."""

    def __init__(
        self,
        pattern: WindowContents,
        target: Target,
        kinds: SquareKinds,
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        formula = WindowFormula(pattern, pulse)
        cnf, rows = formula.cnf, pattern.rows
        self._target = target
        self._kinds, self._types = kinds
        # By square of the picture, in rows from 0: the literals "a piece covers the square", "the
        # square has this kind" and "this type covers the square"
        self._covered: dict[Cell, int] = {}
        self._has_kind: dict[Cell, list[int]] = {}
        self._holds: dict[Cell, dict[PieceType, int]] = {}
        # "A piece may cover both squares"
        self._joined: dict[tuple[Cell, Cell], int] = {}
        self._shows = {p: [cnf.add_variable() for _ in self._types] for p in PieceType}
        if target.shades is not None:  # the types are open; each shows at most one kind
            for literals in self._shows.values():
                cnf.add_at_most_one(literals)
        for (x, v), covered in formula.covered.items():
            if rows[v] == stacks.CLEARING:
                continue
            square = x, rows[v]
            self._covered[square] = covered
            self._has_kind[square] = [cnf.add_variable() for _ in self._types]
            self._holds[square] = {p: cnf.add_variable() for p in PieceType}
            for piece, holds in self._holds[square].items():
                for kind, shows in zip(self._has_kind[square], self._shows[piece], strict=True):
                    cnf.add_clause(-holds, -kind, shows)
        for part, literal in formula.parts:
            squares = [(x, rows[v]) for x, v in part.cells if rows[v] != stacks.CLEARING]
            for square in squares:
                cnf.add_clause(-literal, self._holds[square][part.orientation.piece])
            for pair in pairwise(squares):
                if pair not in self._joined:
                    self._joined[pair] = cnf.add_variable()
                cnf.add_clause(-literal, self._joined[pair])
        self.clauses = len(cnf.clauses)
        self._solver: Any = open_solver(SOLVER, ())
        cnf.load_into(self._solver, pulse)

    def can_fit(self, first: int, conflicts: int) -> bool | None:
        """Return whether a game fits the window from picture row ``first`` on.

        Return None if ``conflicts`` conflicts do not decide it.
        """
        return solve_interruptibly(self._solver, list(self._assume(first)), conflicts)

    def _assume(self, first: int) -> Iterator[int]:
        """Yield the literals that describe the squares of a window."""
        kinds, target = self._kinds, self._target
        for (x, y), covered in self._covered.items():
            kind = kinds.get((x, y + first))
            if kind is None:
                yield -covered
                continue
            if (x, y + first) in target.required:
                yield covered
            yield self._has_kind[x, y][kind]
        for piece, literals in self._shows.items():
            for types, literal in zip(self._types, literals, strict=True):
                if not types >> piece & 1:
                    yield -literal
        for ((x0, y0), (x1, y1)), literal in self._joined.items():
            low, high = kinds.get((x0, y0 + first)), kinds.get((x1, y1 + first))
            if target.shades is not None and None not in (low, high) and low != high:
                yield -literal

    @property
    def work(self) -> float:
        """The work units so far."""
        propagations = int(self._solver.accum_stats()["propagations"])
        return self.clauses / CLAUSES_PER_UNIT + propagations / PROPAGATIONS_PER_UNIT

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()


_SLOTS: Final = 6
"""The most slots of a window."""

_CONFLICTS: Final = (100, 1_000, 10_000)
"""The limits of conflicts of a window, from round to round."""

_ANSWER: Final = 0.01
"""The approximate work units of an answer, without writing a formula."""

_LARGEST: Final = 1_000_000
"""The most clauses of a formula."""

_CACHED: Final = 3_000_000
"""The most clauses of all solvers that are kept."""


_Slots = tuple[int, tuple[int, ...]]
"""Neighbouring slots: the lowest one, and how many rows clear in each."""


class StackGraph:
    """The stacks that contain no nogood, as the paths of a graph, slot by slot.

    A node is a slot and the nogoods that may still be completed from there on. A count that no such
    nogood asks for leads to the node without begun nogoods; the least such count is enough.
    """

    def __init__(self, slots: int) -> None:
        self._nogoods: list[list[_Slots]] = [[] for _ in range(slots)]  # by lowest slot
        # For each slot: by begun nogoods, the fewest lines below, and the last step of that path
        start: frozenset[_Slots] = frozenset()
        self._nodes: list[dict[frozenset[_Slots], tuple[int, frozenset[_Slots], int]]] = [
            {start: (0, start, 0)},
            *({} for _ in range(slots)),
        ]
        self._extend(0)

    def add(self, slot: int, counts: tuple[int, ...]) -> None:
        """Exclude the stacks with these numbers of clearing rows from a slot on."""
        self._nogoods[slot].append((slot, counts))
        self._extend(slot)

    def _extend(self, first: int) -> None:
        """Find the shortest paths again from a slot on."""
        for slot in range(first, len(self._nogoods)):
            nodes: dict[frozenset[_Slots], tuple[int, frozenset[_Slots], int]] = {}
            for begun, (lines, *_) in self._nodes[slot].items():
                # For each nogood that is possible here, the count with which it goes on
                possible = [(one, one[1][slot - one[0]]) for one in (*begun, *self._nogoods[slot])]
                excluded = {
                    count for (low, counts), count in possible if slot - low == len(counts) - 1
                }
                asked = {count for _, count in possible}
                free = next(count for count in range(len(asked) + 1) if count not in asked)
                for count in sorted({*(asked - excluded), free}):
                    if count > free:
                        break
                    after = frozenset(one for one, expected in possible if expected == count)
                    if after not in nodes or lines + count < nodes[after][0]:
                        nodes[after] = lines + count, begun, count
            least_free = nodes[frozenset()][0]
            self._nodes[slot + 1] = {
                begun: node for begun, node in nodes.items() if not begun or node[0] < least_free
            }

    def find_shortest(self) -> tuple[int, ...]:
        """Return a stack with the fewest cleared rows that contains no nogood."""
        begun = min(self._nodes[-1], key=lambda one: self._nodes[-1][one][0])
        counts: list[int] = []
        for nodes in reversed(self._nodes[1:]):
            _, begun, count = nodes[begun]
            counts.append(count)
        return tuple(reversed(counts))


class FewestLines:
    """A search for the fewest lines that a game clears, window by window."""

    def __init__(self, target: Target, nogoods: Iterable[Nogood] = ()) -> None:
        self.target = target
        self.spare = target.count_spare()
        self.nogoods: list[Nogood] = []
        self.work = 0.0  # work units so far
        self._slots = target.rows + 1
        self._graph = StackGraph(self._slots)
        self._kinds = find_square_kinds(target)
        rows_with_squares = {y for _, y in target.required}
        self._squares = [y in rows_with_squares for y in range(target.rows)]
        self._patterns: dict[tuple[tuple[int, ...], bool, bool], tuple[WindowContents, int]] = {}
        self._solvers: dict[WindowContents, PatternSolver] = {}
        # By lowest slot and counts: in how many rounds the window was not decided
        self._undecided: dict[_Slots, int] = {}
        self.fits: set[_Slots] = set()  # the windows that some game fits, as far as solved
        for nogood in nogoods:  # a window without slots, such as ``ALL_STACKS``, is no path
            if nogood.window.counts and not nogood.without and nogood.spare >= self.spare:
                self._graph.add(nogood.window.slots.start, nogood.window.counts)
        self.stack = self._graph.find_shortest()

    @property
    def count(self) -> int:
        """The bound so far: no game clears fewer rows."""
        return sum(self.stack)

    def search(self, stop: Callable[[], bool] = lambda: False) -> Generator[float]:
        """Solve windows of the shortest stack, the cheapest first; yield the work of each.

        The search ends when nothing is left to try, or on ``stop``.
        """

        def check_stop() -> None:
            if stop():
                raise OutOfTimeError

        try:
            while (choice := self._choose_window()) is not None:
                check_stop()
                before = self.work
                self._solve_window(*choice, check_stop)
                yield self.work - before
        except OutOfTimeError:
            return
        finally:
            for solver in self._solvers.values():
                solver.close()
            self._solvers.clear()

    def _choose_window(self) -> _Slots | None:
        """Return the lowest slot and the counts of the cheapest window that is not decided."""
        best: tuple[float, int, int] | None = None
        for slot in range(self._slots):
            for size in range(1, min(_SLOTS, self._slots - slot) + 1):
                counts = self.stack[slot : slot + size]
                key = slot, counts
                rounds = self._undecided.get(key, 0)
                if key in self.fits or rounds == len(_CONFLICTS):
                    continue
                if not any(self._squares[max(0, slot - 1) : slot + size]):
                    continue
                pattern, clauses = self._get_pattern(slot, counts)
                if clauses > _LARGEST:
                    continue
                cost = _ANSWER + (_CONFLICTS[rounds] / CONFLICTS_PER_UNIT if rounds else 0)
                if pattern not in self._solvers:
                    cost += clauses / CLAUSES_PER_UNIT
                if best is None or (cost, slot, size) < best:
                    best = cost, slot, size
        if best is None:
            return None
        _, slot, size = best
        return slot, self.stack[slot : slot + size]

    def make_window(self, slot: int, counts: tuple[int, ...]) -> StackWindow:
        """Return the window with these numbers of clearing rows from a slot on."""
        return StackWindow(max(0, slot - 1), counts, slot == 0, slot + len(counts) == self._slots)

    def _get_pattern(self, slot: int, counts: tuple[int, ...]) -> tuple[WindowContents, int]:
        """Return the pattern of a window, and about the number of its clauses.

        In the pattern each square may hold any type or stay empty.
        """
        window = self.make_window(slot, counts)
        key = counts, window.floor, window.top
        if key not in self._patterns:
            width, height, rows = self.target.width, self.target.height, self.target.rows
            blank = Target(width, height, ((_ALL_TYPES,) * width,) * rows, frozenset())
            pattern = stacks.make_window_contents(blank, window, width * rows)
            lines = pattern.lines
            clauses_of_cell = 140 * (1 + lines + lines * lines // 2)
            clauses = width * len(pattern.rows) * clauses_of_cell
            self._patterns[key] = pattern, clauses
        return self._patterns[key]

    def _solve_window(self, slot: int, counts: tuple[int, ...], pulse: Callable[[], None]) -> None:
        """Find out whether a game fits a window; if none does, exclude its stacks."""
        pattern, _ = self._get_pattern(slot, counts)
        solver = self._solvers.pop(pattern, None)
        work_before = solver.work if solver else 0.0
        solver = solver or PatternSolver(pattern, self.target, self._kinds, pulse)
        self._solvers[pattern] = solver  # the last one used is the last one dropped
        while sum(one.clauses for one in self._solvers.values()) > _CACHED:
            if len(self._solvers) == 1:
                break
            self._solvers.pop(next(iter(self._solvers))).close()
        rounds = self._undecided.get((slot, counts), 0)
        window = self.make_window(slot, counts)
        answer = solver.can_fit(window.first, _CONFLICTS[rounds])
        self.work += solver.work - work_before
        if answer is None:
            self._undecided[slot, counts] = rounds + 1
        elif answer:
            self.fits.add((slot, counts))
        else:
            self.nogoods.append(Nogood(window, (), self.spare))
            self._graph.add(slot, counts)
            self.stack = self._graph.find_shortest()
