"""Print a picture, or strips of it, until it falls behind another print.

Of a large picture only strips are printed, spread over all of it. Their drops are a good enough
estimate of the drops of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.rows.segment import LeadingPrint, Segment
from tetrisprinter.planners.rows.target import RowTarget, make_row_target
from tetrisprinter.planners.run import Run, TimeUpError, Work, WorkSpentError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors
from tetrisprinter.support.limits import Limit


@dataclass(frozen=True, slots=True)
class SamplePrint:
    """The print of a sample on a board with some types."""

    task: Task  # with that board and those types
    plan: Plan | None = None  # None if it fell behind, or could not be printed with these types
    pace: tuple[int, ...] = ()  # for 0, 1, 2, ... printed rows, the drops until then
    made_by: tuple[str, ...] = ()  # the stages that made it
    work: float = 0.0  # work units of the search
    segment: Segment | None = None  # the search, with its caches
    is_late: bool = False  # whether the time was up
    effort: float = 1.0  # the effort of the search
    has_run_out: bool = False  # whether it used up its work before it was complete

    @property
    def drops(self) -> float:
        """The number of drops."""
        return inf if self.plan is None else len(self.plan)

    @property
    def is_noisy(self) -> bool:
        """Whether some rows needed a fallback."""
        return not {Stage.IN_PARTS, Stage.CLEARED}.isdisjoint(self.made_by)


@dataclass(frozen=True, slots=True)
class Sample:
    """The rows of a picture that are printed: all of them, or some in strips."""

    strips: int  # number of strips
    rows: int  # rows of each strip
    is_whole: bool  # whether these are all rows

    @classmethod
    def of(cls, height: int, rows: int, strip_rows: int) -> Sample:
        """Return a sample of ``rows`` rows in all, in strips of at least ``strip_rows`` rows."""
        strips = 1 if rows == height else max(1, rows // strip_rows)
        return cls(strips, rows // strips, rows == height)

    def list_first_rows(self, target: RowTarget) -> list[int]:
        """Return the first row of each strip, without strips whose square count is impossible."""
        first_rows: list[int] = []
        for number in range(self.strips):
            middle = round((number + 0.5) * target.rows / self.strips - 0.5 * self.rows)
            allowed = range(first_rows[-1] + 1 if first_rows else 0, target.rows - self.rows + 1)
            nearest_first = sorted(allowed, key=lambda y: abs(y - middle))
            first_rows += [y for y in nearest_first if target.can_end(y, 0)][:1]
        return first_rows

    def make_segment(
        self, task: Task, run: Run, work_limit: float = inf, effort: float = 1.0
    ) -> Segment | None:
        """Return the segment of a print; None if types or square counts make it impossible."""
        types = task.type_colors
        if types is None or find_obstacle(task) is not None:
            return None
        target = make_row_target(task, types)
        first_rows = self.list_first_rows(target)
        if len(first_rows) < self.strips or not target.can_end(0, 0):
            return None
        print_run = self.make_print_run(run, work_limit, effort)
        return Segment.of(task, types, target, print_run, first_rows[0], 1)

    def make_print_run(self, run: Run, work_limit: float = inf, effort: float = 1.0) -> Run:
        """Return the run of one print, with its own work limit."""
        limit = Limit(seed=run.limit.seed, effort=effort)
        return Run(limit, stop=run.stop, work=Work(most=work_limit), any_board=run.any_board)

    def print_strips(self, segment: Segment, best: SamplePrint | None, slack: float) -> SamplePrint:
        """Print all strips; give up when they fall too far behind ``best``."""
        task, target, work = segment.task, segment.target, segment.run.work
        colors = list_plan_colors(task.board, segment.types)
        plan = Plan((), colors, task.board.width, task.board.height)
        pace = [0]
        stages: list[str] = []
        for number, first_row in enumerate(self.list_first_rows(target)):
            end_row = None if self.is_whole else first_row + self.rows
            leading_print = None
            if best is not None:
                leading_print = LeadingPrint(
                    best.pace, slack, first_row - number * self.rows, pace[-1]
                )
            strip = replace(segment, first=first_row)
            try:
                result = strip.print_rows(
                    replace(plan, passes=()),
                    target.make_clean_state(first_row),
                    end_row,
                    leading_print,
                )
            except TimeUpError:
                return SamplePrint(task, work=work.spent, is_late=True)
            except JobError as error:
                has_run_out = isinstance(error, WorkSpentError)
                return SamplePrint(task, work=work.spent, has_run_out=has_run_out)
            plan = replace(plan, passes=plan.passes + result.plan.passes)
            pace += [
                pace[-1] + drops for drops in _count_drops(result.reached, first_row, self.rows)
            ]
            stages += result.made_by
        unique_stages = tuple(dict.fromkeys(stages))
        return SamplePrint(task, plan, tuple(pace), unique_stages, work.spent, segment)


def _count_drops(reached: Mapping[int, int], first: int, rows: int) -> list[int]:
    """Return the number of drops after one row, after two rows, and so on."""
    drops = []
    for row in range(first + 1, first + rows + 1):
        drops.append(min(count for printed, count in reached.items() if printed >= row))
    drops[-1] = max(reached.values())
    return drops
