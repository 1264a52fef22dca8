"""What the tables claim to be impossible, as data.

A claim says that none of some packing problems has a packing. It can be written in
words, and as plain data from which anybody can make the same problems again: that is
what ties a formula and its proof to a sentence about the game.

Two kinds are needed. :class:`EmitterClaim` says that a number of rows is not enough
above some emitter pieces; :class:`PlatformClaim` that no platform stands on a T in some
column. :mod:`tetrisprinter.packings.proofs.minimality` says which of them the tables need.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.packings.finders.cnf import PackingFormula, encode
from tetrisprinter.packings.problem import PackingProblem, emitter_problem

Positions = tuple[int, ...]

_WIDEST: Final = 1000
_TALLEST: Final = 100
_MOST_CLAUSES: Final = 25_000_000
"""Of a formula, as estimated: it takes up to about six gigabytes to make."""


@dataclass(frozen=True, slots=True)
class EmitterClaim:
    """A number of rows, packed gap-free, is not enough above any of some sets of emitter pieces.

    Attributes
    ----------
    width, rows : int
        Size of the matrix.
    positions : tuple of tuple of int
        The sets, each by the leftmost columns of its emitter pieces.
    squares_hold : bool
        Whether a piece may hang on the emitted squares. The tables don't count on them,
        because J, T and L leave them in different columns. If they do count here, then
        all three columns below every emitter piece hold, which claims more.
    any_order : bool
        Whether the emitter pieces may be dropped at any time, not only before all others
        as in the tables. That claims more, too.
    """

    width: int
    rows: int
    positions: tuple[Positions, ...]
    squares_hold: bool = False
    any_order: bool = False

    @property
    def name(self) -> str:
        """A name for files."""
        emitted = "+".join(map(str, sorted({len(p) for p in self.positions})))
        name = f"width{self.width}-emitted{emitted}-rows{self.rows}"
        if len(self.positions) == 1:
            name += "-at" + "_".join(map(str, self.positions[0]))
        return name + "-held" * self.squares_hold + "-anytime" * self.any_order

    @property
    def words(self) -> str:
        """The claim as a sentence."""
        where = f"for none of {len(self.positions)} sets of columns"
        if len(self.positions) == 1:
            where = f"for the columns {', '.join(map(str, self.positions[0])) or '(none)'} not"
        when = "at any time" if self.any_order else "before all others"
        held = "may" if self.squares_hold else "may not"
        return (
            f"{self.rows} rows of width {self.width} cannot be packed above emitter pieces "
            f"(three cells of row 0 each, leftmost columns as listed), {where}, where emitter "
            f"pieces are dropped {when} and pieces {held} hang on the squares below them"
        )

    def problems(self) -> tuple[PackingProblem, ...]:
        """The problems of which none has a packing."""
        made = []
        for positions in self.positions:
            problem = emitter_problem(self.width, self.rows, positions)
            if self.squares_hold:
                below = frozenset(x + i for x in positions for i in range(3))
                problem = replace(problem, squares=below)
            made.append(problem)
        return tuple(made)

    def formula(self) -> PackingFormula:
        """The formula that has no model if the claim holds."""
        return encode(self.problems(), presets_first=not self.any_order)

    def data(self) -> dict[str, Any]:
        """The claim as plain data; :func:`parse_claim` reads it."""
        return {
            "kind": "emitters",
            "width": self.width,
            "rows": self.rows,
            "squares_hold": self.squares_hold,
            "any_order": self.any_order,
            "positions": [list(positions) for positions in self.positions],
        }


@dataclass(frozen=True, slots=True)
class PlatformClaim:
    """No platform stands on a T in some columns.

    A platform fills four rows. It begins with a T lying flat, nub up, and its last piece
    falls through the two outermost columns at either edge. Any tetromino is considered
    there, in any orientation and at any height. Pieces may hang on squares below all three
    columns of the T.

    Attributes
    ----------
    width : int
        Columns of the matrix.
    columns : tuple of int
        Leftmost columns of the T.
    """

    width: int
    columns: tuple[int, ...]

    @property
    def name(self) -> str:
        """A name for files."""
        return f"width{self.width}-platforms"

    @property
    def words(self) -> str:
        """The claim as a sentence."""
        return (
            f"no platform of {PLATFORM_ROWS} rows of width {self.width} stands on a flat T whose "
            f"leftmost column is {', '.join(map(str, self.columns))}, if its last piece lies in "
            "the two outermost columns at either edge, whichever piece that is, and pieces may "
            "hang on squares below the T and on no others"
        )

    def problems(self) -> tuple[PackingProblem, ...]:
        """The problems of which none has a packing."""
        tee = list_orientations(PieceType.T)[2]
        edges = ({0, 1}, {self.width - 2, self.width - 1})
        return tuple(
            PackingProblem(
                self.width,
                PLATFORM_ROWS,
                (tee.at(column, 0),),
                squares=frozenset({column, column + 1, column + 2}),
                last=last,
            )
            for column in self.columns
            for orientation in ORIENTATIONS
            for x in range(self.width - orientation.width + 1)
            for y in range(PLATFORM_ROWS - orientation.height + 1)
            if any({x, x + orientation.width - 1} <= edge for edge in edges)
            and not {*tee.at(column, 0)} & {*(last := Placement(orientation, x, y)).cells}
        )

    def formula(self) -> PackingFormula:
        """The formula that has no model if the claim holds."""
        return encode(self.problems())

    def data(self) -> dict[str, Any]:
        """The claim as plain data; :func:`parse_claim` reads it."""
        return {"kind": "platforms", "width": self.width, "columns": list(self.columns)}


Claim = EmitterClaim | PlatformClaim


def estimate_fewest_clauses(claim: Claim) -> int:
    """Bound the number of clauses of a claim's formula from below, without making it."""
    rows = claim.rows if isinstance(claim, EmitterClaim) else PLATFORM_ROWS
    clauses = rows * (1 + comb(claim.width, 2))  # completion
    if isinstance(claim, EmitterClaim):
        clauses += 1 + len(claim.positions) * claim.width * rows  # choice
    return clauses


def estimate_most_clauses(claim: Claim) -> int:
    """Estimate the number of clauses of a claim's formula generously, without making it."""
    if isinstance(claim, EmitterClaim):
        rows, problems = claim.rows, len(claim.positions)
    else:  # the last piece has 21 places at either edge
        rows, problems = PLATFORM_ROWS, 42 * len(claim.columns)
    cells = claim.width * rows
    # Pairs of overlapping placements, their levels; completion; choice.
    return cells * (2150 + 120 * rows) + rows * comb(claim.width, 2) + 4 * problems * cells


def check_size(claim: Claim) -> None:
    """Refuse a claim that is none, or whose formula would be too large to be made."""
    if isinstance(claim, EmitterClaim):
        rows, sets = claim.rows, claim.positions
    else:
        rows, sets = PLATFORM_ROWS, tuple((column,) for column in claim.columns)
    if not (1 <= claim.width <= _WIDEST and 1 <= rows <= _TALLEST):
        raise InputError(
            f"a claim is about 1 to {_WIDEST} columns and 1 to {_TALLEST} rows, not about "
            f"{claim.width} columns and {rows} rows"
        )
    if not sets:
        raise InputError("a claim is about one set of columns at least")
    if not all(0 <= x <= claim.width - 3 for positions in sets for x in positions):
        raise InputError(f"a claim's columns lie between 0 and {claim.width - 3}")
    if estimate_most_clauses(claim) > _MOST_CLAUSES:
        raise InputError(
            f"the formula of {claim.name} would have up to {estimate_most_clauses(claim)} clauses; "
            f"up to {_MOST_CLAUSES} are accepted"
        )


def parse_claim(data: object) -> Claim:
    """Read a claim from the data it was written as."""
    claim: Claim
    match data:
        case {"kind": "platforms", "width": int(width), "columns": [*columns]} if all(
            isinstance(column, int) for column in columns
        ):
            claim = PlatformClaim(width, tuple(columns))
        case {
            "kind": "emitters",
            "width": int(width),
            "rows": int(rows),
            "squares_hold": bool(squares_hold),
            "any_order": bool(any_order),
            "positions": [*positions],
        } if all(isinstance(p, list) and all(isinstance(x, int) for x in p) for p in positions):
            claim = EmitterClaim(width, rows, tuple(map(tuple, positions)), squares_hold, any_order)
        case _:
            raise InputError("not a claim that this version knows")
    if claim.data() != data:
        raise InputError("the claim has entries that this version does not know")
    check_size(claim)
    return claim
