"""Exports: turn a task into a game that another program can show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.formats import FORMATS, find_format, format_game
from tetrisprinter.game.board import Board
from tetrisprinter.game.reorder import Steerable, reorder_plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.planners.run import LOG
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.pieces import PieceType
    from tetrisprinter.game.plan import Plan


_FREE_ROW_COUNTS = (1, 2, 4)
"""The numbers of rows to leave free for moving pieces, tried in this order."""


class ExportPlanner(NamedTuple):
    """A planner to try for an export, and the number of rows that it leaves free."""

    make: Callable[[Task], PrintResult]
    lower: int = 0  # the number of rows to leave free at the top of the board


@dataclass(frozen=True, slots=True)
class Export:
    """The text form of plans for another program, and what that program can play."""

    # Returns the text of a plan; the second argument is the plan's name in messages. Raises a
    # JobError if the program cannot play the plan
    write: Callable[[Plan, str], str]
    # Tests whether the program can steer a piece to its place; None: it always can. If there is a
    # test, drops may be reordered, and rows are left free for moving pieces
    steerable: Steerable | None = None
    # Tests, on the final field, whether a piece of this type may come first; None: any type may
    first: Callable[[Playfield, PieceType], bool] | None = None

    @classmethod
    def find_export(cls, path: str | Path) -> Export:
        """Return the export that writes a file of this name."""

        def write(plan: Plan, name: str) -> str:
            return format_game(plan, path, name)

        if find_format(path) is not FORMATS["art"]:
            return cls(write)
        from tetrisprinter.formats.art_game import can_spawn, can_steer

        return cls(write, can_steer, can_spawn)

    def can_express(self, plan: Plan, name: str) -> bool:
        """Return whether a plan can be written, perhaps with reordered drops."""
        try:
            self.format_plan(plan, name)
        except JobError:
            return False
        return True

    def format_plan(self, plan: Plan, name: str) -> tuple[Plan, str]:
        """Return the plan, perhaps with reordered drops, and its text."""
        try:
            return plan, self.write(plan, name)
        except JobError:
            if self.steerable is None:
                raise
            reordered = reorder_plan(plan, self.steerable, self.first)
            if reordered is None or reordered == plan:
                raise
            LOG.info("%s: drops reordered", name)
            return reordered, self.write(reordered, name)


def export_game(
    task: Task,
    path: str | Path,
    make: Callable[[Task], PrintResult],
    name: str = "",
    export: Export | None = None,
    fallbacks: Sequence[ExportPlanner] | None = None,
) -> tuple[PrintResult, str]:
    """Plan a task; return the result and the text of its file.

    The extension of ``path`` names the format. Programs that steer pieces need free rows at the
    top. If no order of the drops can be played, the planners of ``fallbacks`` are tried: by default
    ``make`` on a board 1, 2 and 4 rows lower.
    """
    export = export or Export.find_export(path)
    default_fallbacks = [ExportPlanner(make, rows) for rows in _FREE_ROW_COUNTS]
    planners = [ExportPlanner(make), *(default_fallbacks if fallbacks is None else fallbacks)]
    if export.steerable is None:
        del planners[1:]
    first_error: JobError | None = None
    for planner in planners:
        full_board = task.board
        if first_error is not None and full_board.height - planner.lower < task.picture.height:
            continue
        lower_board = Board(full_board.width, full_board.height - planner.lower)
        try:
            result = planner.make(replace(task, board=lower_board))
            if result.task.board == lower_board:
                result = replace(result, task=replace(result.task, board=full_board))
            board = result.task.board
            plan = replace(result.plan, width=board.width, height=board.height)
            plan, text = export.format_plan(plan, name or task.name)
        except JobError as error:
            if error.obstacle is not None:
                raise  # no planner can help
            # The first refusal explains more than a failure on a lower board.
            first_error = first_error or error
            continue
        if plan == result.plan:
            return result, text
        return replace(result, plan=plan, game=play_through(plan)), text
    assert first_error is not None
    raise first_error
