"""The article's second planner: packings searched while printing.

Three equal squares in a row are left by one piece lying nub up, which presets a single
cell of the matrix; single squares by pieces nub down, as in the tables. Squares that lie
in the row already help: a column that stands on one holds pieces for good. The smallest
height with the right remainder is tried, then four rows more; if neither succeeds, the
pass is made of table entries instead. Up to six rows the column automata answer, so the
height of a pass is the least there is, and nothing is tried in vain; only what is taller
is searched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tetrisprinter.errors import Obstacle
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.game.counting import makes_pieces
from tetrisprinter.game.pieces import Orientation, PieceType, Placement, orientations_of
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.packings.finders.fastest import Fastest
from tetrisprinter.packings.problem import Packing, PackingProblem
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.article.rows import Row, emitter_pass, plan_classic, refuses_task
from tetrisprinter.planners.article.table import side_by_side, table_pass
from tetrisprinter.planners.budgets import COMMON
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

__all__ = ["SEARCH", "SearchPlanner", "plan_realtime"]

NUB_UP: dict[PieceType, Orientation] = {
    piece: next(o for o in orientations_of(piece) if o.row_widths == (3, 1))
    for piece in (PieceType.J, PieceType.L, PieceType.T)
}


@dataclass(frozen=True, slots=True)
class SearchPlanner:
    """The article's half of the planner ``realtime``."""

    name: str = "realtime"
    summary: str = "searches its packings"
    resumes: bool = False
    starts: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Return why a task is none for the article."""
        return refuses_task(task, self.name)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Plan a sprite."""
        began = time.monotonic()
        keep = run.each_row(task.picture)
        limit = run.limit
        plan = plan_realtime(task.picture, seed=limit.seed, workers=limit.workers, keep=keep)
        return PrintResult.of(task, plan, self.name, time.monotonic() - began)


SEARCH = SearchPlanner()


def plan_realtime(
    picture: Picture,
    *,
    seed: int = 0,
    workers: int = 1,
    keep: Callable[[Plan], None] = lambda _: None,
) -> Plan:
    """Plan a sprite, searching each packing.

    Parameters
    ----------
    picture : Picture
        As for ``plan_classic``, which also names the errors.
    seed : int
        Same seed, same plan, whatever the number of workers.
    workers : int
        Threads of the search.
    keep : callable
        Called with the plan so far after each row.
    """

    def print_row(row: Row, rows_available: int) -> Iterator[Pass]:
        return _by_search(row, rows_available, seed, workers)

    return plan_classic(picture, print_row, keep)


def _by_search(row: Row, rows_available: int, seed: int, workers: int) -> Iterator[Pass]:
    left = dict(row)
    squares: frozenset[int] = frozenset()
    while left:
        emitters = _choose(left)
        packing = _search(emitters, squares, rows_available, seed, workers)
        if packing is not None:
            yield emitter_pass(packing, emitters)
        else:
            chosen = side_by_side(left)
            emitters = [emitter for _, emitter in chosen]
            yield table_pass(chosen)
        printed = frozenset(_columns(emitters, 0))
        squares |= printed
        for column in printed:
            del left[column]


def _choose(left: Row) -> list[Placement]:
    """Take pieces nub up from the left, then pieces nub down where they still fit."""
    emitters: list[Placement] = []
    x = 0
    while x < CLASSIC_BOARD.width - 2:
        piece = left.get(x)
        if piece is not None and left.get(x + 1) == left.get(x + 2) == piece:
            emitters.append(Placement(NUB_UP[piece], x, 0))
            x += 3
        else:
            x += 1
    covered = set(_columns(emitters, 0))
    singles = {column: piece for column, piece in left.items() if column not in covered}
    taken = frozenset(_columns(emitters, 1))
    emitters.extend(emitter for _, emitter in side_by_side(singles, taken))
    return emitters


def _columns(emitters: Iterable[Placement], y: int) -> Iterator[int]:
    """Yield the columns that emitters fill in the row printed (0) or the one above (1)."""
    return (x for emitter in emitters for x, cell_y in emitter.cells if cell_y == y)


def _search(
    emitters: Sequence[Placement],
    squares: frozenset[int],
    rows_available: int,
    seed: int,
    workers: int,
) -> Packing | None:
    presets = tuple(tuple((x, 0) for x, y in e.cells if y == 1) for e in emitters)
    squares |= frozenset(_columns(emitters, 0))
    least = next(
        h for h in range(1, 5) if makes_pieces(CLASSIC_BOARD.width * h - sum(map(len, presets)))
    )
    for rows in (least, least + 4):
        if rows > rows_available:
            break
        problem = PackingProblem(CLASSIC_BOARD.width, rows, presets, squares)
        finder = Fastest(Backtracker(retries=COMMON.starts))
        result = finder.find(problem, Limit(workers=workers, seed=seed))
        if isinstance(result, Packing):
            return result
    return None
