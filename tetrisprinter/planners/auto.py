"""The planner *auto*: one scale from a plan that is there at once to the shortest.

The effort says how far to climb. Each step begins with the best plan of the one below and
costs about as much as all before it together, so the result is never worse with more effort,
and little is lost by having begun further down:

1. at once: the plan in real time, then the planner *rows*;
2. the planner *shortest* with its usual effort; with every further step with twice as much.

The last steps are for whoever has the time: a limit of seconds ends the climb, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor
from typing import Final

from tetrisprinter.errors import JobError, Obstacle
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.run import Run, TimeUpError
from tetrisprinter.planners.shortest import SHORTEST
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task

__all__ = ["AUTO", "LAST_STEP", "AutoPlanner", "effort_of", "last_step"]

LAST_STEP: Final = 10
"""Nobody climbs higher: the effort of *shortest* would be 256 times the usual."""
_SMALL: Final = 480
"""On so many squares of the board the shortest plan is looked for if nothing else is found."""


def last_step(effort: float) -> int:
    """Return how far an effort climbs.

    >>> last_step(0.1), last_step(2.5), last_step(float("inf"))
    (1, 2, 10)
    """
    return LAST_STEP if effort >= LAST_STEP else max(1, floor(effort))


def effort_of(step: int) -> float:
    """Return the effort of *shortest* in a step, from the second on."""
    return float(2 ** (step - 2))


@dataclass(frozen=True, slots=True)
class AutoPlanner:
    """The planner ``auto``; the result names who made it."""

    name: str = "auto"
    summary: str = "is rows at once and, with more effort, shortest"
    resumes: bool = True

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask rows."""
        return ROWS.refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Climb as far as the effort says, the time allows, and there is something to gain."""
        best = self._at_once(task, run)
        for step in range(2, last_step(run.limit.effort) + 1):
            if best.stopped or best.proof is Proof.ALL_GAMES:
                break
            if run.is_over:
                best = replace(best, stopped=True)
                break
            best = self._shorter(task, run, best, effort_of(step))
        return best

    def _at_once(self, task: Task, run: Run) -> PrintResult:
        """Print row by row; what cannot be, is left to *shortest* if that is no long job."""
        usual = replace(run, limit=replace(run.limit, effort=1.0))
        try:
            return ROWS.plan(task, usual)
        except TimeUpError:
            raise
        except JobError:
            small = task.board.width * task.picture.height <= _SMALL or run.limit.effort >= 2
            if run.begun is not None or not small or run.is_over:
                raise
        run.fell_back("printed by the planner shortest", task.name)
        run.note(f"{task.name}: not to be printed row by row; the shortest plan is looked for")
        return SHORTEST.plan(task, replace(usual, candidates=()))

    def _shorter(self, task: Task, run: Run, best: PrintResult, effort: float) -> PrintResult:
        """Look for a shorter plan; what was found before is not lost if that fails."""
        more = replace(
            run, limit=replace(run.limit, effort=effort), candidates=(best.plan,), begun=None
        )
        try:
            found = SHORTEST.plan(task, more)
        except KeyboardInterrupt:
            return replace(best, stopped=True)
        if found.drops < best.drops:
            return found
        return replace(found, plan=best.plan, game=best.game, planner=best.planner)


AUTO = AutoPlanner()
