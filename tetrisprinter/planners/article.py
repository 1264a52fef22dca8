"""The article's planners: each pass comes from the tables or is searched while printing.

A sprite of up to 17 columns, 32 rows and three colours stands at column 2 of a board of 21 x 42. J,
T and L get its colours; its rows are printed from the bottom up. A row with a square that does not
stand on a square of the row below needs a *platform*: four rows that are full except for one
piece. The row is printed on the platform, and that piece then clears the platform.

An *emitter* is a piece that leaves its lowest cells in the printed row, row 0, and fills
(*presets*) cells of the matrix above with its other cells. Single squares are left by pieces
nub down. Each pass takes squares from the left, as many as fit: their emitter pieces must lie
side by side. Each piece covers three columns, so choosing the pieces in the order of their first
columns needs the fewest passes. Every pass has a piece over the column that most of the remaining
pieces cover, because a piece that blocks another piece of that column covers the column, too.

The search also leaves three equal squares in a row by one piece lying nub up, which presets
only one cell of the matrix. Squares that lie in the row already help: a column on top of such a
square always supports pieces. The smallest height at which pieces can fill the matrix is tried,
then four rows more; if both fail, the pass is made of table entries instead. Up to six rows
the column automata answer, so the pass has the least possible height and no search fails; only
taller matrices are searched.

Why 42 rows are enough. Before the last of 32 rows is printed, 31 lie there (rows 0 to
30). A platform is built in rows 31 to 34; its lowest row completes and vanishes before
it carries anything, so its top is row 33 and the new row is printed as row 34. The
matrix starts at row 35 and is at most 7 rows tall, hence rows 35 to 41. Everything a
piece covers on its way lies above its resting place and below row 42. Without a platform
three rows more are free. :func:`count_available_rows` limits the search to the same height.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import Hint, InputError, Obstacle, Setting
from tetrisprinter.game.field import CLASSIC_BOARD, Board, can_make_pieces
from tetrisprinter.game.pieces import Cell, Orientation, PieceType, Placement, list_orientations
from tetrisprinter.game.plan import CLASSIC_TYPES, Pass, Plan
from tetrisprinter.packings.finders import Automaton, Backtracker
from tetrisprinter.packings.problem import PLATFORM_ROWS, Packing, PackingProblem
from tetrisprinter.packings.tables import EMITTERS, look_up_emitters, look_up_platform
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.run import RowCallback, Run
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import CLASSIC_WIDTH, Task, default_column
from tetrisprinter.printing.types import list_plan_colors
from tetrisprinter.support.options import Limit

__all__ = ["SEARCH", "TABLE", "ArticlePlanner", "count_available_rows"]

_RANDOM_STARTS: Final = 20
"""Random starts of a search for a packing."""

LARGEST_SPRITE: Final = Board(CLASSIC_WIDTH, 32)

_Row = Mapping[int, PieceType]
"""The squares of a row: by column, the type to leave there."""

_EMITTER_OF: Final[dict[PieceType, Orientation]] = {o.piece: o for o in EMITTERS}
NUB_UP: Final[dict[PieceType, Orientation]] = {
    piece: next(o for o in list_orientations(piece) if o.row_widths == (3, 1))
    for piece in (PieceType.J, PieceType.L, PieceType.T)
}


@dataclass(frozen=True, slots=True)
class ArticlePlanner:
    """The planners ``table`` and ``article``; only the latter searches matrices."""

    name: str = "table"
    summary: str = "takes its packings from the tables"
    searches: bool = False  # whether it searches matrices
    resumes: bool = False
    can_start_from_board: bool = False

    def find_refusal(self, task: Task) -> Obstacle | None:
        """Return why the article's planners cannot plan a task; None if no reason is known."""
        if not task.is_classic or task.column != default_column(
            task.picture.width, task.board.width
        ):
            return Obstacle(
                f"the planner {self.name} supports only the board {CLASSIC_BOARD} and the types "
                "J, T and L",
                (Hint("{} supports any board", Setting.OTHER_PLANNER),),
            )
        picture = task.picture
        if not LARGEST_SPRITE.has_room_for(picture.width, picture.height):
            return Obstacle(
                f"is too large: {picture.width}x{picture.height} squares; {self.name} prints "
                f"at most {LARGEST_SPRITE}",
                (
                    Hint(f"{{}} {LARGEST_SPRITE} scales it", Setting.FIT),
                    Hint("{} prints it as it is", Setting.OTHER_PLANNER),
                ),
            )
        return find_obstacle(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Plan a sprite; check the time limit after each row."""
        began = time.monotonic()
        plan = self.print_rows(task.picture, run)
        return PrintResult.of(task, plan, self.name, time.monotonic() - began)

    def print_rows(self, picture: Picture, run: Run) -> Plan:
        """Plan a sprite row by row."""
        colors = picture.colors()
        column = default_column(picture.width, CLASSIC_BOARD.width)
        type_of = dict(zip(colors, CLASSIC_TYPES, strict=False))
        plan_colors = list_plan_colors(
            CLASSIC_BOARD, dict(zip(CLASSIC_TYPES, colors, strict=False))
        )
        plan, all_passes = Plan((), plan_colors), list[Pass]()
        report_row = RowCallback(run, picture)
        row_below: _Row = {}
        for y, row_colors in enumerate(picture.rows):
            row: _Row = {
                column + x: type_of[color]
                for x, color in enumerate(row_colors)
                if color is not None
            }
            is_supported = y == 0 or row.keys() <= row_below.keys()
            platform = None if is_supported else look_up_platform(min(row_below))
            most_rows = count_available_rows(y, platform is not None)
            passes = list(_print_row(row, most_rows, run.limit if self.searches else None))
            if platform is not None:
                tee = Placement.find(platform.problem.presets[0])
                assert tee is not None
                passes.insert(0, Pass(PLATFORM_ROWS, (tee, *platform.pieces[:-1])))
                passes.append(Pass(PLATFORM_ROWS, platform.pieces[-1:]))
            row_below = row
            all_passes += passes
            plan = Plan(tuple(all_passes), plan_colors)
            report_row(plan)
        return plan


TABLE: Final = ArticlePlanner()
SEARCH: Final = ArticlePlanner("article", "searches its packings as the article does", True)


def count_available_rows(y: int, platform: bool) -> int:
    """Return how many rows a matrix over picture row ``y`` can have on the board.

    >>> count_available_rows(31, platform=True)
    7
    """
    return CLASSIC_BOARD.height - (y + 1) - (PLATFORM_ROWS - 1 if platform else 0)


def _print_row(row: _Row, most_rows: int, limit: Limit | None) -> Iterator[Pass]:
    """Yield passes of up to ``most_rows`` rows that print a row; from tables without a limit."""
    missing = dict(row)
    printed: frozenset[int] = frozenset()
    while missing:
        packing = None
        if limit is not None:
            emitters = _choose_emitters(missing)
            packing = _search_packing(emitters, printed, most_rows, limit)
        if packing is None:
            emitters = _choose_side_by_side(missing)
            packing = look_up_emitters([emitter.x for emitter in emitters])
        yield _make_pass(packing, emitters)
        new_columns = frozenset(_list_columns(emitters, 0))
        printed |= new_columns
        for column in new_columns:
            del missing[column]


def _choose_side_by_side(row: _Row, occupied: frozenset[int] = frozenset()) -> list[Placement]:
    """Choose emitter pieces side by side from the left, outside the columns in ``occupied``."""
    chosen: list[Placement] = []
    first_free = 0
    pieces = (
        (column - EMITTERS[_EMITTER_OF[piece]], column, piece) for column, piece in row.items()
    )
    for x, _, piece in sorted(pieces):
        if x >= first_free and occupied.isdisjoint(range(x, x + 3)):
            chosen.append(Placement(_EMITTER_OF[piece], x, 0))
            first_free = x + 3
    return chosen


def _choose_emitters(missing: _Row) -> list[Placement]:
    """Choose pieces nub up for three equal squares, then pieces nub down where there is room."""
    emitters: list[Placement] = []
    x = 0
    while x < CLASSIC_BOARD.width - 2:
        piece = missing.get(x)
        if piece is not None and missing.get(x + 1) == missing.get(x + 2) == piece:
            emitters.append(Placement(NUB_UP[piece], x, 0))
            x += 3
        else:
            x += 1
    covered = set(_list_columns(emitters, 0))
    singles = {column: piece for column, piece in missing.items() if column not in covered}
    return emitters + _choose_side_by_side(singles, frozenset(_list_columns(emitters, 1)))


def _list_columns(emitters: Iterable[Placement], y: int) -> Iterator[int]:
    """Yield the columns that emitters fill in row ``y``: 0 is the printed row, 1 the one above."""
    return (x for emitter in emitters for x, cell_y in emitter.cells if cell_y == y)


def _search_packing(
    emitters: Sequence[Placement], printed: frozenset[int], most_rows: int, limit: Limit
) -> Packing | None:
    """Return a packing above the emitters and squares of a row; None if there is none in reach."""
    width, presets = CLASSIC_BOARD.width, sum(len(_list_presets(emitter)) for emitter in emitters)
    least_rows = next(rows for rows in range(1, 5) if can_make_pieces(width * rows - presets))
    for rows in (least_rows, least_rows + 4):  # pieces cannot fill the heights between
        packing = _pack_matrix(emitters, printed, rows, limit) if rows <= most_rows else None
        if packing is not None:
            return packing
    return None


def _list_presets(emitter: Placement) -> tuple[Cell, ...]:
    """Return the cells of an emitter inside the matrix, one row above the printed row."""
    return tuple((x, y - 1) for x, y in emitter.cells if y)


def _pack_matrix(
    emitters: Sequence[Placement], printed: frozenset[int], rows: int, limit: Limit
) -> Packing | None:
    """Return a packing of ``rows`` rows above emitters and printed columns; None if not found."""
    printed |= frozenset(_list_columns(emitters, 0))
    presets = tuple(map(_list_presets, emitters))
    try:
        problem = PackingProblem(CLASSIC_BOARD.width, rows, presets, printed)
    except InputError:  # the presets complete a row
        return None
    finder = Automaton(Backtracker(retries=_RANDOM_STARTS))
    result = finder.find(problem, Limit(workers=limit.workers, seed=limit.seed))
    return result if isinstance(result, Packing) else None


def _make_pass(packing: Packing, emitters: Sequence[Placement]) -> Pass:
    """Return the pass of the emitters and of a packing, which is raised by one row."""
    raised = (Placement(p.orientation, p.x, p.y + 1) for p in packing.pieces)
    return Pass(packing.problem.rows + 1, (*emitters, *raised))
