"""From a task to a game that another program can show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.formats import FORMATS, find_format, game_text
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


_LOWERED_ROWS = (1, 2, 4)
"""How many rows of the board to leave to the other game for moving pieces, in turn."""


class ExportPlanner(NamedTuple):
    """Who plans, and on a board how many rows lower than it is."""

    make: Callable[[Task], PrintResult]
    lower: int = 0


@dataclass(frozen=True, slots=True)
class Export:
    """How a plan becomes a game of another program."""

    # Writes a plan, given also the name for messages; a JobError says why it cannot
    write: Callable[[Plan, str], str]
    # Whether a drop can be made there, where that is not always so: then drops are made in another
    # order, and rows are left for moving pieces
    steerable: Steerable | None = None
    # Whether the first piece of a game may be of some type, given the field in the end
    first: Callable[[Playfield, PieceType], bool] | None = None

    @classmethod
    def for_path(cls, path: str | Path) -> Export:
        """Return the usual way to write what a file's name asks for."""

        def write(plan: Plan, name: str) -> str:
            return game_text(plan, path, name)

        if find_format(path) is not FORMATS["art"]:
            return cls(write)
        from tetrisprinter.formats.art_game import can_steer, spawn_piece

        return cls(write, can_steer, spawn_piece)

    def can_express(self, plan: Plan, name: str) -> bool:
        """Return whether a plan can be written, perhaps in another order."""
        try:
            self.text(plan, name)
        except JobError:
            return False
        return True

    def text(self, plan: Plan, name: str) -> tuple[Plan, str]:
        """Return the plan as it is written, perhaps in another order, and the text."""
        try:
            return plan, self.write(plan, name)
        except JobError:
            if self.steerable is None:
                raise
            other = reorder_plan(plan, self.steerable, self.first)
            if other is None or other == plan:
                raise
            LOG.info("%s: the drops were put in another order", name)
            return other, self.write(other, name)


def export_game(
    task: Task,
    path: str | Path,
    make: Callable[[Task], PrintResult],
    name: str = "",
    export: Export | None = None,
    others: Sequence[ExportPlanner] | None = None,
) -> tuple[PrintResult, str]:
    """Plan a task so that the format which a file's name asks for can express the game.

    A game in which pieces are steered needs rows to move them in. If a plan cannot be played there
    in any order of its drops that was tried, the task is planned again as if the board were one,
    two and four rows lower.
    """
    export = export or Export.for_path(path)
    usual = [ExportPlanner(make, rows) for rows in _LOWERED_ROWS]
    makers = [ExportPlanner(make), *(usual if others is None else others)]
    if export.steerable is None:
        del makers[1:]
    refused: JobError | None = None
    for maker in makers:
        asked = task.board
        if refused is not None and asked.height - maker.lower < task.picture.height:
            continue
        lower = Board(asked.width, asked.height - maker.lower)
        try:
            result = maker.make(replace(task, board=lower))
            if result.task.board == lower:
                result = replace(result, task=replace(result.task, board=asked))
            board = result.task.board
            plan = replace(result.plan, width=board.width, height=board.height)
            plan, text = export.text(plan, name or task.name)
        except JobError as error:
            if error.obstacle is not None:
                raise  # no planner's plan would do
            # Why the first plan was refused says more than that there is none on less.
            refused = refused or error
            continue
        if plan == result.plan:
            return result, text
        return replace(result, plan=plan, game=play_through(plan)), text
    assert refused is not None
    raise refused
