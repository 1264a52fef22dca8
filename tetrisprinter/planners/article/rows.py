"""What the article's two planners share: everything but how a row is printed.

A sprite of up to 17 columns, 32 rows and three colours stands at column 2 of a board of
21 x 42. Its colours are given to J, T and L; its rows are printed from the bottom. A row
whose squares do not all stand on a square of the row below gets a *platform*: four full
rows less one piece, on which the row is printed and which that piece takes away again.

Why 42 rows are enough. Before the last of 32 rows is printed, 31 lie there (rows 0 to
30). A platform is built in rows 31 to 34; its lowest row completes and vanishes before
it carries anything, so its top is row 33 and the new row is printed as row 34. The
matrix starts at row 35 and is at most 7 rows tall, hence rows 35 to 41. Everything a
piece covers on its way lies above its resting place and below row 42. Without a platform
three rows more are free. The real-time planner is bound to the same ceiling by
:func:`rows_available`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import CLASSIC_TYPES, Pass, Plan
from tetrisprinter.packings.problem import PLATFORM_ROWS, Packing
from tetrisprinter.packings.tables import EMITTERS, platform_pattern
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import CLASSIC_PICTURE, CLASSIC_WIDTH, default_column

__all__ = ["MAX_HEIGHT", "Row", "RowPrinter", "emitter_pass", "plan_classic", "rows_available"]

MAX_HEIGHT: Final = 32
BOARD_HEIGHT: Final = 42
UNUSED_COLOR: Final = "000000"

Row = Mapping[int, PieceType]
"""The squares of a row: the type to leave in each column."""

RowPrinter = Callable[[Row, int], Iterable[Pass]]
"""Turns a row and the number of matrix rows that fit above it into passes."""

_EMITTER_OF: Final[dict[PieceType, Orientation]] = {o.piece: o for o in EMITTERS}


def plan_classic(picture: Picture, print_row: RowPrinter) -> Plan:
    """Plan a sprite row by row.

    Parameters
    ----------
    picture : Picture
        Trimmed; at most 17 x 32 and three colours.
    print_row : callable
        How one row is printed.

    Raises
    ------
    InputError
        If the picture is too large, has more than three colours or an empty row.
    """
    colors = _check(picture)
    column = default_column(picture.width, CLASSIC_WIDTH)
    type_of = dict(zip(colors, CLASSIC_TYPES, strict=False))
    passes: list[Pass] = []
    below: Row = {}
    for y, colored in enumerate(picture.rows):
        row: Row = {column + x: type_of[c] for x, c in enumerate(colored) if c is not None}
        platform = None if y == 0 or row.keys() <= below.keys() else platform_pattern(min(below))
        if platform is not None:
            tee = Placement.of(platform.problem.presets[0])
            assert tee is not None
            passes.append(Pass(PLATFORM_ROWS, (tee, *platform.pieces[:-1])))
        passes.extend(print_row(row, rows_available(y, platform is not None)))
        if platform is not None:
            passes.append(Pass(PLATFORM_ROWS, platform.pieces[-1:]))
        below = row
    padded = (*colors, *[UNUSED_COLOR] * (len(CLASSIC_TYPES) - len(colors)))
    return Plan(tuple(passes), tuple(zip(CLASSIC_TYPES, padded, strict=True)))


def rows_available(y: int, platform: bool) -> int:
    """Return how many rows a matrix over picture row ``y`` can have on the board.

    >>> rows_available(31, platform=True)
    7
    """
    return BOARD_HEIGHT - (y + 1) - (PLATFORM_ROWS - 1 if platform else 0)


def emitter_pass(packing: Packing, emitters: Sequence[Placement]) -> Pass:
    """Draw a packing above the row it prints, with the emitters as whole pieces."""
    raised = (Placement(p.orientation, p.x, p.y + 1) for p in packing.pieces)
    return Pass(packing.problem.rows + 1, (*emitters, *raised))


def nub_down(column: int, piece: PieceType) -> Placement:
    """Return the emitter piece that leaves one square of a type in a column."""
    orientation = _EMITTER_OF[piece]
    return Placement(orientation, column - EMITTERS[orientation], 0)


def _check(picture: Picture) -> tuple[str, ...]:
    if picture.width > CLASSIC_PICTURE or picture.height > MAX_HEIGHT:
        raise InputError(
            f"{picture.name}: the figure is {picture.width}x{picture.height} pixels; this "
            f"planner prints up to {CLASSIC_PICTURE}x{MAX_HEIGHT} on this board (--board auto "
            "chooses one for the picture, --fit scales it, --planner shortest uses all columns)"
        )
    colors = picture.colors()
    if len(colors) > len(CLASSIC_TYPES):
        raise InputError(
            f"{picture.name}: has {len(colors)} colours ({', '.join(colors[:4])}"
            f"{', ...' if len(colors) > 4 else ''}); this planner prints up to "
            f"{len(CLASSIC_TYPES)} with the classic types (--types auto takes seven, --colors "
            "reduces them)"
        )
    for y, row in reversed(list(enumerate(picture.rows))):
        if all(color is None for color in row):
            raise InputError(
                f"{picture.name}: row {picture.image_row(y)} from the top (counted from 0) is "
                "transparent but has squares above it; every row below a square holds a "
                "square, so this cannot be printed"
            )
    return colors
