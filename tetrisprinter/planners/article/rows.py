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
from dataclasses import replace
from typing import Final

from tetrisprinter.errors import Obstacle, Remedy, Thing
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import CLASSIC_TYPES, Pass, Plan
from tetrisprinter.packings.problem import PLATFORM_ROWS, Packing
from tetrisprinter.packings.tables import EMITTERS, platform_pattern
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import CLASSIC_WIDTH, Task, usual_column
from tetrisprinter.printing.types import plan_colors

__all__ = [
    "MAX_HEIGHT",
    "Row",
    "RowPrinter",
    "emitter_pass",
    "plan_classic",
    "refuses",
    "refuses_task",
    "rows_available",
]

MAX_HEIGHT: Final = 32

Row = Mapping[int, PieceType]
"""The squares of a row: the type to leave in each column."""

RowPrinter = Callable[[Row, int], Iterable[Pass]]
"""Turns a row and the number of matrix rows that fit above it into passes."""

_EMITTER_OF: Final[dict[PieceType, Orientation]] = {o.piece: o for o in EMITTERS}


def plan_classic(
    picture: Picture, print_row: RowPrinter, keep: Callable[[Plan], None] = lambda _: None
) -> Plan:
    """Plan a sprite row by row.

    Parameters
    ----------
    picture : Picture
        Trimmed; at most 17 x 32 and three colours.
    print_row : callable
        How one row is printed.
    keep : callable
        Called with the plan so far after each row.

    Raises
    ------
    InputError
        If the picture is too large, has more than three colours or an empty row.
    """
    obstacle = refuses(picture)
    if obstacle is not None:
        raise obstacle.error(picture.name)
    colors = picture.colors()
    column = usual_column(picture.width, CLASSIC_BOARD.width)
    type_of = dict(zip(colors, CLASSIC_TYPES, strict=False))
    plan = Plan((), plan_colors(CLASSIC_BOARD, dict(zip(CLASSIC_TYPES, colors, strict=False))))
    below: Row = {}
    for y, colored in enumerate(picture.rows):
        passes: list[Pass] = []
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
        plan = replace(plan, passes=(*plan.passes, *passes))
        keep(plan)
    return plan


def rows_available(y: int, platform: bool) -> int:
    """Return how many rows a matrix over picture row ``y`` can have on the board.

    >>> rows_available(31, platform=True)
    7
    """
    return CLASSIC_BOARD.height - (y + 1) - (PLATFORM_ROWS - 1 if platform else 0)


def emitter_pass(packing: Packing, emitters: Sequence[Placement]) -> Pass:
    """Draw a packing above the row it prints, with the emitters as whole pieces."""
    raised = (Placement(p.orientation, p.x, p.y + 1) for p in packing.pieces)
    return Pass(packing.problem.rows + 1, (*emitters, *raised))


def nub_down(column: int, piece: PieceType) -> Placement:
    """Return the emitter piece that leaves one square of a type in a column."""
    orientation = _EMITTER_OF[piece]
    return Placement(orientation, column - EMITTERS[orientation], 0)


def refuses(picture: Picture) -> Obstacle | None:
    """Return why a picture is no sprite that this way prints."""
    if picture.width > CLASSIC_WIDTH or picture.height > MAX_HEIGHT:
        return Obstacle(
            f"the figure is {picture.width}x{picture.height} pixels; this planner prints up to "
            f"{CLASSIC_WIDTH}x{MAX_HEIGHT} on this board",
            (
                Remedy("{} has room for it", Thing.AUTO_BOARD),
                Remedy("{} scales it", Thing.FIT),
                Remedy("{} uses all columns", Thing.SHORTEST),
            ),
        )
    colors = picture.colors()
    if len(colors) > len(CLASSIC_TYPES):
        return Obstacle(
            f"has {len(colors)} colours ({', '.join(colors[:4])}"
            f"{', ...' if len(colors) > 4 else ''}); this planner prints up to "
            f"{len(CLASSIC_TYPES)} with the classic types",
            (
                Remedy("{} take seven", Thing.AUTO_TYPES),
                Remedy("{} 3 would do too", Thing.COLORS),
            ),
        )
    for y, row in reversed(list(enumerate(picture.rows))):
        if all(color is None for color in row):
            return Obstacle(
                f"row {picture.image_row(y)} from the top (counted from 0) is transparent but has "
                "squares above it; every row below a square holds a square, so this cannot be "
                "printed",
                (Remedy("{} fills a pixel of it", Thing.REPAIR),),
                cells=tuple((x, y) for x in range(picture.width)),
            )
    return None


def refuses_task(task: Task, planner: str) -> Obstacle | None:
    """Return why a task is none for the planners of the article."""
    if not task.is_classic or task.column != usual_column(task.picture.width, task.board.width):
        return Obstacle(
            f"{planner} only knows the board of {CLASSIC_BOARD} and the colours of J, T and L",
            (Remedy("{} prints on any", Thing.OTHER_PLANNER),),
        )
    return refuses(task.picture)
