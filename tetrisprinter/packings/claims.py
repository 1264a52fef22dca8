"""Claims of impossibility as data, and the claims that prove the tables minimal.

A claim says that no packing problem of a list has a packing. It is written as a sentence and as
plain data. The data determine the problems, so anyone can build the formula again and compare the
problems with the sentence about the game. There are two kinds. An :class:`EmitterClaim` says that a
number of rows is not enough above some emitter pieces; a :class:`PlatformClaim` says that no
platform stands on a T in some columns.

All claims are about gap-free matrices: no piece comes to rest over a hole. A matrix is minimal for
its emitter pieces if no smaller height works. Divisibility excludes most heights: each emitter
piece presets three cells, and the other cells must be a multiple of four, so at width 21 only every
fourth height can work. The heights that are left need a certificate, and so do the columns where
no platform stands on a T.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.packings.model import PackingModel
from tetrisprinter.packings.problem import Packing, PackingProblem, make_emitter_problem
from tetrisprinter.packings.tables import TABLE_WIDTH, read_positions

Positions = tuple[int, ...]

_MAX_WIDTH: Final = 1000  # columns of a claim's matrix
_MAX_ROWS: Final = 100  # rows of a claim's matrix
_MAX_CLAUSES: Final = 25_000_000
"""The largest accepted estimate of a formula's clauses, which take up to six gigabytes."""


@dataclass(frozen=True, slots=True)
class EmitterClaim:
    """The claim that a number of rows, packed gap-free, is not enough above some emitter pieces.

    Attributes
    ----------
    width, rows : int
        Size of the matrix.
    positions : tuple of tuple of int
        The sets of emitter pieces, each as the leftmost columns of its pieces.
    squares_hold : bool
        Whether the emitted squares may support a piece. In the tables they never do, because J, T
        and L leave them in different columns. True is the stronger claim: squares in all three
        columns below every emitter piece may support pieces.
    any_order : bool
        Whether the emitter pieces may be dropped at any time, not only before all others as in the
        tables. True is the stronger claim.
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
    def sentence(self) -> str:
        """The claim as a sentence."""
        columns = f"for none of {len(self.positions)} sets of columns"
        if len(self.positions) == 1:
            columns = f"for the columns {', '.join(map(str, self.positions[0])) or '(none)'} not"
        drop_time = "at any time" if self.any_order else "before all others"
        may_hang = "may" if self.squares_hold else "may not"
        return (
            f"{self.rows} rows of width {self.width} cannot be packed above emitter pieces "
            f"(three cells of row 0 each, leftmost columns as listed), {columns}, where emitter "
            f"pieces are dropped {drop_time} and pieces {may_hang} hang on the squares below them"
        )

    def list_problems(self) -> tuple[PackingProblem, ...]:
        """Return the problems that the claim says have no packing."""
        problems = []
        for positions in self.positions:
            problem = make_emitter_problem(self.width, self.rows, positions)
            if self.squares_hold:
                below = frozenset(x + i for x in positions for i in range(3))
                problem = replace(problem, squares=below)
            problems.append(problem)
        return tuple(problems)

    def make_model(self) -> PackingModel:
        """Return the model that has no solution if the claim holds."""
        return PackingModel(self.list_problems(), presets_first=not self.any_order)

    def to_data(self) -> dict[str, Any]:
        """Return the claim as plain data for :func:`parse_claim`."""
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
    """The claim that no platform stands on a T in some columns.

    A platform fills four rows. It begins with a flat T, nub up, and its last piece falls through
    the two outermost columns at either edge. This piece may be any tetromino in any orientation and
    at any height. Squares below all three columns of the T may support pieces.

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
    def sentence(self) -> str:
        """The claim as a sentence."""
        return (
            f"no platform of {PLATFORM_ROWS} rows of width {self.width} stands on a flat T whose "
            f"leftmost column is {', '.join(map(str, self.columns))}, if its last piece lies in "
            "the two outermost columns at either edge, whichever piece that is, and pieces may "
            "hang on squares below the T and on no others"
        )

    def list_problems(self) -> tuple[PackingProblem, ...]:
        """Return the problems that the claim says have no packing."""
        tee = list_orientations(PieceType.T)[2]
        edges = ({0, 1}, {self.width - 2, self.width - 1})
        return tuple(
            PackingProblem(
                self.width,
                PLATFORM_ROWS,
                (tee.place(column, 0),),
                squares=frozenset({column, column + 1, column + 2}),
                last=last,
            )
            for column in self.columns
            for orientation in ORIENTATIONS
            for x in range(self.width - orientation.width + 1)
            for y in range(PLATFORM_ROWS - orientation.height + 1)
            if any({x, x + orientation.width - 1} <= edge for edge in edges)
            and not {*tee.place(column, 0)} & {*(last := Placement(orientation, x, y)).cells}
        )

    def make_model(self) -> PackingModel:
        """Return the model that has no solution if the claim holds."""
        return PackingModel(self.list_problems())

    def to_data(self) -> dict[str, Any]:
        """Return the claim as plain data for :func:`parse_claim`."""
        return {"kind": "platforms", "width": self.width, "columns": list(self.columns)}


Claim = EmitterClaim | PlatformClaim


def get_clause_lower_bound(claim: Claim) -> int:
    """Return a lower bound on the clauses of a claim's formula, without building the formula."""
    rows = claim.rows if isinstance(claim, EmitterClaim) else PLATFORM_ROWS
    clauses = rows * (1 + comb(claim.width, 2))  # completion
    if isinstance(claim, EmitterClaim):
        clauses += 1 + len(claim.positions) * claim.width * rows  # choice
    return clauses


def estimate_clause_upper_bound(claim: Claim) -> int:
    """Return a generous estimate of the number of clauses of a claim's formula."""
    if isinstance(claim, EmitterClaim):
        rows, problems = claim.rows, len(claim.positions)
    else:  # the last piece has 21 places at either edge
        rows, problems = PLATFORM_ROWS, 42 * len(claim.columns)
    cells = claim.width * rows
    # The terms count pairs of overlapping placements and levels; completion; choice.
    return cells * (2150 + 120 * rows) + rows * comb(claim.width, 2) + 4 * problems * cells


def check_size(claim: Claim) -> None:
    """Refuse a claim with invalid sizes or columns, or with a formula that would be too large."""
    if isinstance(claim, EmitterClaim):
        rows, column_sets = claim.rows, claim.positions
    else:
        rows, column_sets = PLATFORM_ROWS, tuple((column,) for column in claim.columns)
    if not (1 <= claim.width <= _MAX_WIDTH and 1 <= rows <= _MAX_ROWS):
        raise InputError(
            f"invalid claim about {claim.width} columns and {rows} rows; expected 1 to "
            f"{_MAX_WIDTH} columns and 1 to {_MAX_ROWS} rows"
        )
    if not column_sets:
        raise InputError("invalid claim about no columns; expected at least one set of columns")
    if not all(0 <= x <= claim.width - 3 for positions in column_sets for x in positions):
        raise InputError(f"invalid columns of a claim; expected 0 to {claim.width - 3}")
    if estimate_clause_upper_bound(claim) > _MAX_CLAUSES:
        raise InputError(
            f"the formula of {claim.name} is too large: up to {estimate_clause_upper_bound(claim)} "
            f"clauses; expected at most {_MAX_CLAUSES}"
        )


def parse_claim(data: object) -> Claim:
    """Read a claim from its plain data; raise an InputError if the data are not a claim."""
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
            raise InputError("unknown kind of claim; expected emitters or platforms")
    if claim.to_data() != data:
        raise InputError("the claim has unknown entries")
    check_size(claim)
    return claim


def list_emitter_claims(packings: Iterable[Packing]) -> tuple[EmitterClaim, ...]:
    """Return the claims that together say that packings are minimal.

    There is one claim for each number of emitters and each smaller height that divisibility allows,
    in the strong form: squares below the emitter pieces may support pieces, and emitter pieces may
    be dropped at any time.
    """
    positions_by_size: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    for packing in packings:
        width, positions = packing.problem.width, read_positions(packing)
        for rows in range(1, packing.problem.rows):
            if make_emitter_problem(width, rows, positions).is_divisible:
                positions_by_size.setdefault((width, len(positions), rows), []).append(positions)
    return tuple(
        EmitterClaim(width, rows, tuple(sorted(positions)), squares_hold=True, any_order=True)
        for (width, _, rows), positions in sorted(positions_by_size.items())
    )


def make_platform_claim(platforms: Iterable[Packing]) -> PlatformClaim | None:
    """Return the claim that no other platforms exist; None if each column has a platform."""
    columns_with_platform = {read_positions(platform)[0] for platform in platforms}
    missing_columns = sorted(set(range(TABLE_WIDTH - 2)) - columns_with_platform)
    return PlatformClaim(TABLE_WIDTH, tuple(missing_columns)) if missing_columns else None


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """The numbers of statements that together say that tables are minimal."""

    patterns: int  # entries of the tables
    platforms: int
    certified: int  # smaller heights of patterns that need a certificate
    divisible: int  # smaller heights of patterns that divisibility excludes
    columns: int  # columns without a platform, all of which need a certificate


def count_statements(emitters: Sequence[Packing], platforms: Sequence[Packing]) -> StatementCounts:
    """Count the statements that together say that tables are minimal."""
    certified = sum(len(claim.positions) for claim in list_emitter_claims(emitters))
    platform_claim = make_platform_claim(platforms)
    return StatementCounts(
        len(emitters),
        len(platforms),
        certified,
        sum(packing.problem.rows - 1 for packing in emitters) - certified,
        len(platform_claim.columns) if platform_claim else 0,
    )


def list_missing_proofs(
    claims: Iterable[Claim], emitters: Iterable[Packing], platforms: Iterable[Packing]
) -> list[str]:
    """Return the statements that tables need but claims lack, and the reverse, as sentences.

    Claims about emitters count only in the strong form of :func:`list_emitter_claims`.
    """
    needed = _split_claims(list_emitter_claims(emitters))
    platform_claim = make_platform_claim(platforms)
    needed |= _split_claims([platform_claim] if platform_claim else [])
    proved = _split_claims(claims)
    return [
        *(f"not proved: {sentence}" for key, sentence in needed.items() if key not in proved),
        *(f"not needed: {sentence}" for key, sentence in proved.items() if key not in needed),
    ]


def _split_claims(claims: Iterable[Claim]) -> dict[object, str]:
    """Split claims into single statements; map a key of each statement to its sentence."""
    statements: dict[object, str] = {}
    for claim in claims:
        if isinstance(claim, EmitterClaim):
            for positions in claim.positions:
                key = (claim.width, claim.rows, positions, claim.squares_hold, claim.any_order)
                form = "strong" if claim.squares_hold and claim.any_order else "weak"
                statements[key] = (
                    f"{claim.rows} rows of width {claim.width} are not enough for emitters at "
                    f"{positions} ({form} form)"
                )
        else:
            for column in claim.columns:
                sentence = f"width {claim.width} has no platform with its T at column {column}"
                statements[claim.width, column] = sentence
    return statements
