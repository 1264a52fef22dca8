"""The planner *auto*: one scale from a plan that is there at once to the shortest.

The effort says how far to climb. Each step begins with the best plan of the one below and,
from the third on, costs about as much as all before it together, so the result is never worse
with more effort, and little is lost by having begun further down:

1. at once: the planner *rows* on the boards and in the types that were left open, some of each
   (:mod:`~tetrisprinter.planners.portfolio`), else as they are named; on narrow boards also with
   several games side by side, and a game that clears one row or none;
2. *rows* with several games side by side, then the planner *shortest* with its usual effort;
   with every further step with twice as much.

The last steps are for whoever has the time: a limit of seconds ends the climb, too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from tetrisprinter.errors import JobError, Obstacle
from tetrisprinter.game.board import Board
from tetrisprinter.planners.budgets import COMMON, seconds_of_photo
from tetrisprinter.planners.dealt import DEALT
from tetrisprinter.planners.effort import climbed
from tetrisprinter.planners.games.uses import is_narrow
from tetrisprinter.planners.portfolio import CHOICE, ChoiceBudgets, choose
from tetrisprinter.planners.rows import ROWS, RowsPlanner
from tetrisprinter.planners.run import Run, TimeUpError, nobody
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.boards import choose_board
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.printing.types import TypeColors

if TYPE_CHECKING:
    from tetrisprinter.planners.shortest import ShortestPlanner

__all__ = ["AUTO", "AutoPlanner"]


def _shortest_planner() -> ShortestPlanner:
    """Return the planner *shortest*, whose solvers take a while to load."""
    from tetrisprinter.planners.shortest import SHORTEST

    return SHORTEST


@dataclass(frozen=True, slots=True)
class AutoPlanner:
    """The planner ``auto``; the result names who made it.

    Attributes
    ----------
    rows : RowsPlanner
        Who prints row by row.
    choice : ChoiceBudgets
        What choosing a board and types may use.
    """

    rows: RowsPlanner = ROWS
    choice: ChoiceBudgets = CHOICE
    name: str = "auto"
    summary: str = "is rows at once and, with more effort, shortest"
    resumes: bool = True
    starts: bool = True

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask rows, or dealt where pieces come."""
        if task.pieces is not None:
            return DEALT.refuses(task)
        return self.rows.refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Climb as far as the effort says, the time allows, and there is something to gain."""
        if task.pieces is not None:
            return DEALT.plan(task, run)
        if task.start:
            from tetrisprinter.planners.onward import at_once_from, shortest_from

            higher = climbed(run.limit.effort)
            return shortest_from(task, run) if higher else at_once_from(task, run)
        if run.candidates:  # somebody has been here, and the climb goes on
            best = PrintResult.of(task, min(run.candidates, key=len), self.rows.name)
        else:
            chosen = self._chosen(task, run)
            run = replace(run, any_board=False)
            best = chosen or self._at_once(task, run)
            task = best.task
        steps = best.steps
        higher = climbed(run.limit.effort)
        if higher and best.planner == self.rows.name and not best.stopped:
            best = replace(self._abreast(_in_its_types(best), run, best), task=task)
        for step in higher:
            if best.stopped or best.proof is Proof.ALL_GAMES:
                break
            if run.is_over:
                best = replace(best, stopped=True)
                break
            best = self._shorter(task, run, best, step.effort)
        return replace(best, steps=steps)  # the board and the types stay those that were chosen

    def _chosen(self, task: Task, run: Run) -> PrintResult | None:
        """Print on the board and in the types that take the fewest drops of some; None if none do.

        What was begun is gone on with as it is.
        """
        if run.begun is not None or run.candidates:
            return None
        began = time.monotonic()
        until = run.deadline
        if until < inf:  # half of the time, or a quarter if the print needs the rest
            left = until - began
            until = began + max(left / 4, min(left / 2, left - 2 * seconds_of_photo(task.picture)))
        choice = choose(task, replace(run, deadline=until), self.choice)
        if choice is None:
            return None
        steps = () if choice.step is None else (choice.step,)
        if choice.plan is None:
            usual = replace(run, limit=replace(run.limit, effort=1.0))
            if seconds_of_photo(task.picture) < run.deadline - time.monotonic():
                usual = replace(usual, candidates=())  # no time is spent on another plan before
            found = self._of_large(choice.task, usual)
            if found is None:
                return None
            result = found
        else:
            run.keep(choice.plan)
            result = PrintResult.of(choice.task, choice.plan, self.rows.name)
            result = replace(result, made_by=choice.made_by)
            if is_narrow(choice.task.board.width) and result.proof is not Proof.ALL_GAMES:
                on_board = replace(task, board=result.task.board, column=result.task.column)
                usual = replace(run, limit=replace(run.limit, effort=1.0), any_board=False)
                result = _shortest_planner().at_once(on_board, usual, result.drops) or result
        made_by = (Stage.CHOSEN, *result.made_by)
        seconds = time.monotonic() - began
        # What is claimed of it is about all the types that were left open.
        task = replace(result.task, types=task.types)
        return replace(result, task=task, seconds=seconds, made_by=made_by, steps=steps)

    def _of_large(self, task: Task, run: Run) -> PrintResult | None:
        """Print what was chosen; where that fails, on the usual board, with more free columns."""
        tasks = [task]
        if run.any_board:
            usual = Board(*choose_board(task.picture))
            column = usual_column(task.picture.width, usual.width)
            tasks.append(replace(task, board=usual, column=column))
        for number, one in enumerate(dict.fromkeys(tasks)):
            try:
                return self.rows.plan(one, replace(run, any_board=run.any_board and not number))
            except TimeUpError:
                raise
            except JobError as error:
                run.fell_back("printed on a wider board", str(error))
        return None

    def _at_once(self, task: Task, run: Run) -> PrintResult:
        """Print row by row; what cannot be, is left to *shortest* if that is no long job."""
        usual = replace(run, limit=replace(run.limit, effort=1.0))
        try:
            best = self.rows.plan(task, usual)
            if best.stopped or run.begun is not None or not is_narrow(task.board.width):
                return best
            more = _shortest_planner().at_once(task, usual, best.drops)
            return best if more is None else replace(more, seconds=best.seconds)
        except TimeUpError:
            raise
        except JobError:
            small = (
                task.board.width * task.picture.height <= COMMON.solvable or run.limit.effort >= 2
            )
            if run.begun is not None or not small or run.is_over:
                raise
        run.fell_back("printed by the planner shortest", task.name)
        run.note(f"{task.name}: not to be printed row by row; the shortest plan is looked for")
        return _shortest_planner().plan(task, replace(usual, candidates=()))

    def _abreast(self, task: Task, run: Run, best: PrintResult) -> PrintResult:
        """Print row by row once more, with more games side by side."""
        again = replace(
            run,
            limit=replace(run.limit, effort=COMMON.abreast),
            candidates=(best.plan,),
            begun=None,
            journal=None,  # the whole plan that there is must not be lost for a few rows
            keep=nobody,
            fallbacks={},  # only those of the plan that counts
        )
        try:
            found = self.rows.plan(task, again)
        except KeyboardInterrupt:
            return replace(best, stopped=True)
        except JobError:  # there is a plan, and the time may be up
            return best
        if found.drops >= best.drops:
            return replace(best, stopped=found.stopped)
        run.fallbacks.clear()
        run.fallbacks.update(again.fallbacks)
        return found

    def _shorter(self, task: Task, run: Run, best: PrintResult, effort: float) -> PrintResult:
        """Look for a shorter plan; what was found before is not lost if that fails."""
        more = replace(
            run, limit=replace(run.limit, effort=effort), candidates=(best.plan,), begun=None
        )
        try:
            found = _shortest_planner().plan(task, more)
        except KeyboardInterrupt:
            return replace(best, stopped=True)
        stages = (*best.made_by, *(stage for stage in found.made_by if stage != Stage.KNOWN))
        if found.drops < best.drops:
            return replace(found, made_by=stages) if Stage.KNOWN in found.made_by else found
        return replace(
            found, plan=best.plan, game=best.game, planner=best.planner, made_by=best.made_by
        )


def _in_its_types(result: PrintResult) -> Task:
    """Return the task of a result with its plan's types, of which the search goes on."""
    return replace(result.task, types=TypeColors.of(result.plan.colors))


AUTO = AutoPlanner()
