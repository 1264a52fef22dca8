"""The article's first planner: every pass is an entry of the emitter tables.

Each pass takes squares from the left, as many as fit: their emitter pieces must lie side
by side. Since all of these cover three columns, going from the left by the first column
each would cover prints a row in the least possible number of passes. (Were a fullest
column left out by a pass, the piece in its way would cover that column too.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tetrisprinter.errors import Obstacle
from tetrisprinter.game.pieces import Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.packings.tables import emitter_pattern
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.article.rows import (
    Row,
    emitter_pass,
    nub_down,
    plan_classic,
    refuses_task,
)
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["TABLE", "TablePlanner", "plan_table", "side_by_side", "table_pass"]


@dataclass(frozen=True, slots=True)
class TablePlanner:
    """The planner ``table``."""

    name: str = "table"
    summary: str = "takes its packings from the tables"
    resumes: bool = False
    starts: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Return why a task is none for the article's tables."""
        return refuses_task(task, self.name)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Plan a sprite; whether the time is up is looked at after each row."""
        began = time.monotonic()
        plan = plan_table(task.picture, run.each_row(task.picture))
        return PrintResult.of(task, plan, self.name, time.monotonic() - began)


TABLE = TablePlanner()


def plan_table(picture: Picture, keep: Callable[[Plan], None] = lambda _: None) -> Plan:
    """Plan a sprite with the emitter tables alone; as ``plan_classic``."""
    return plan_classic(picture, _by_tables, keep)


def _by_tables(row: Row, rows_available: int) -> Iterator[Pass]:
    left = dict(row)
    while left:
        emitters = side_by_side(left)
        yield table_pass(emitters)
        for column, _ in emitters:
            del left[column]


def side_by_side(row: Row, taken: frozenset[int] = frozenset()) -> list[tuple[int, Placement]]:
    """Choose emitters from the left: pairs of the square's column and the piece.

    Parameters
    ----------
    row : mapping
        The squares to choose from.
    taken : frozenset of int
        Columns in which no emitter may lie.
    """
    chosen: list[tuple[int, Placement]] = []
    free = 0
    pieces = ((column, nub_down(column, piece)) for column, piece in row.items())
    for column, emitter in sorted(pieces, key=lambda pair: (pair[1].x, pair[0])):
        if emitter.x >= free and taken.isdisjoint(range(emitter.x, emitter.x + 3)):
            chosen.append((column, emitter))
            free = emitter.x + 3
    return chosen


def table_pass(emitters: list[tuple[int, Placement]]) -> Pass:
    """Return the pass of the tables that leaves these emitters' squares."""
    pieces = [emitter for _, emitter in emitters]
    return emitter_pass(emitter_pattern([e.x for e in pieces]), pieces)
