"""With the pieces that come: queues, bags of seven, hold.

:data:`DEALT` is all there is to call. Behind it, from the bottom: ``beam`` (the search over
pieces in their order), ``aims`` (what it aims at), ``policy`` (a player who sees only some
pieces ahead) and ``known`` (whole games).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from tetrisprinter.errors import JobError, Obstacle, Remedy, Thing
from tetrisprinter.planners.run import Progress, Run
from tetrisprinter.printing.obstacles import obstacle
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["DEALT", "DealtPlanner"]

_WIDEST = 15
"""Columns that the numbers of the compiled search have room for."""
_HIGHEST = 40
"""Rows of the board, likewise."""


@dataclass(frozen=True, slots=True)
class DealtPlanner:
    """The planner ``dealt``."""

    name: str = "dealt"
    summary: str = "takes the pieces as they come, where --pieces says how"
    resumes: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Return what forbids the picture to everybody, or what this search has no room for."""
        if task.pieces is None:
            return Obstacle(
                "says not which pieces come, and the planner dealt takes them as they come",
                (Remedy("{} takes the pieces it likes", Thing.OTHER_PLANNER),),
            )
        if task.background is not None:
            return Obstacle("has a background, with which the planner dealt cannot deal yet")
        if task.board.width > _WIDEST or task.board.height > _HIGHEST:
            return Obstacle(
                f"is to be printed on {task.board}, but the planner dealt takes boards of at most "
                f"{_WIDEST}x{_HIGHEST}",
                (Remedy("{} 10x20 is usual", Thing.BOARD),),
            )
        return obstacle(replace(task, pieces=None))

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Find a game that the pieces make."""
        from tetrisprinter.game.dealing import Queue
        from tetrisprinter.game.from_drops import plan_of_drops
        from tetrisprinter.planners.dealt.aims import aim_of, types_of
        from tetrisprinter.planners.dealt.known import known_game, unknown_game

        assert task.pieces is not None
        began = time.monotonic()
        types = types_of(task)
        known = task.pieces.preview is None
        found = (known_game if known else unknown_game)(
            aim_of(task, types),
            task.pieces,
            lambda: run.is_over,
            lambda done, drops: run.tell(Progress("dealt pieces", done, drops)),
            effort=run.limit.effort,
            seed=run.limit.seed,
        )
        if found is None:
            run.check_time(task.name)
            raise JobError(
                f"{task.name}: no game from {task.pieces} was found", Remedy("{} may", Thing.EFFORT)
            )
        for _ in range(found.given_up):
            run.fell_back("gave up what was begun", task.name)
        plan = plan_of_drops(
            ((move.orientation, move.x) for move in found.moves),
            tuple(types.items()),
            task.board.width,
            task.board.height,
        )
        came = Queue(task.pieces.first(len(plan) + 2), task.pieces.hold)
        plan = replace(plan, queue=came.used(plan.played()))
        result = PrintResult.of(task, plan, self.name, time.monotonic() - began)
        return replace(result, stopped=found.stopped)


DEALT = DealtPlanner()
