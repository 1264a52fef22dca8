"""Print a range of rows, each completed before the next one.

A segment ends with a clean row: nothing lies above it. If the search for the next pass fails, the
passes since the last clean row are dropped. The rows from there to the failed row are printed
from a clean state to a clean state (:mod:`~tetrisprinter.planners.rows.clean`). Every such fallback
is logged and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.game.divisibility import find_unit
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clean import print_clean
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.platform import print_on_platform
from tetrisprinter.planners.rows.slices import Slices, T, run_to_end
from tetrisprinter.planners.rows.steps import PassChooser, StuckError
from tetrisprinter.planners.rows.target import RowState, RowStep, RowTarget
from tetrisprinter.planners.run import ROW_HINT, Run
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task

__all__ = ["BehindError", "LeadingPrint", "NoContinuationError", "Segment", "SegmentResult"]


class NoContinuationError(JobError):
    """No pass was found over the squares that were carried at the start of the print."""


class BehindError(JobError):
    """The print is too far behind another print of the same rows."""


class SegmentResult(NamedTuple):
    """A plan, and the state that it leaves."""

    plan: Plan  # including the passes before the segment
    made_by: tuple[str, ...] = ()  # the stages that made it
    reached: Mapping[int, int] = {}  # by number of printed rows, the drops until then

    @property
    def drops(self) -> int:
        """The number of drops."""
        return len(self.plan)


@dataclass(frozen=True, slots=True)
class LeadingPrint:
    """The best print so far, as its number of drops up to each row."""

    # Drops after no row, after one row, and so on; the last entry is the total
    drops: tuple[int, ...]
    # Drops that a print may be behind on the lowest row; this shrinks to 0 at the top
    slack: float
    first: int = 0  # the row with which the print begins
    before: int = 0  # the drops that the argument of :meth:`check` leaves out

    def check(self, rows: int, drops: int, squares_left: int) -> None:
        """Raise :class:`BehindError` if a print is too far behind this print or cannot beat it."""
        drops += self.before
        last = len(self.drops) - 1
        row = min(last, rows - self.first)
        slack = self.slack * (1 - row / last)
        if drops > self.drops[row] + slack or drops + squares_left / 4 >= self.drops[-1]:
            raise BehindError("another print is ahead")


@dataclass(frozen=True, slots=True)
class Segment:
    """A range of rows to print, and the search that prints them."""

    task: Task  # the whole picture
    types: Mapping[PieceType, Color]  # which type has which colour
    target: RowTarget  # the end of the game, up to the segment's last row
    run: Run  # clock, seed, effort, and progress callbacks
    steps: PassChooser  # chooses the passes, and keeps its cache from one print to the next
    first: int = 0  # the segment's first row; the rows below are already printed

    @classmethod
    def of(
        cls,
        task: Task,
        types: Mapping[PieceType, Color],
        target: RowTarget,
        run: Run,
        first: int = 0,
        beam_width: int | None = None,
    ) -> Segment:
        """Return a segment whose search follows ``beam_width`` games (default: by the effort)."""
        width, effort = task.board.width, run.limit.effort
        beam = BUDGETS.choose_states(width, effort)
        context = PassContext.of(target, task.board.height, beam, run.work, BUDGETS.dead_end_factor)
        steps = PassChooser(context, beam_width or BUDGETS.choose_beam_width(width, effort))
        return cls(task, types, target, run, steps, first)

    def vary(self, run: Run, by_pairs: bool, beam_width: int = 1) -> Segment:
        """Return a copy of the segment that chooses passes alone, or by pairs."""
        return replace(self, run=run, steps=self.steps.vary(run.work, by_pairs, beam_width))

    def print_rows(
        self,
        plan: Plan,
        state: RowState,
        end_row: int | None = None,
        leading_print: LeadingPrint | None = None,
    ) -> SegmentResult:
        """Print the rows below ``end_row``, or all; fail if they fall behind ``leading_print``."""
        return _SegmentPrint(self, plan, list(plan.passes)).print_segment(
            state, end_row, leading_print
        )


@dataclass(slots=True)
class _SegmentPrint:
    """A print of a segment."""

    segment: Segment
    plan: Plan  # board and colours
    passes: list[Pass]  # all passes so far
    # The fallbacks that found passes, by the index of the first pass
    fallbacks: dict[int, str] = field(default_factory=dict)
    # By number of printed rows, the drops until then
    reached: dict[int, int] = field(default_factory=dict)
    # The clean states to which the print can go back, each with the number of passes before it
    clean: list[tuple[int, RowState]] = field(default_factory=list)
    work_at_row: float = field(init=False)  # the work that was done when the last row was finished

    def __post_init__(self) -> None:
        self.work_at_row = self.segment.run.work.spent

    def print_segment(
        self, state: RowState, end_row: int | None, leading_print: LeadingPrint | None
    ) -> SegmentResult:
        """Print the rows of a segment below ``end_row``, or all; see :meth:`Segment.print_rows`."""
        segment, task = self.segment, self.segment.task
        farthest = state.rows
        report_row = segment.run.make_row_callback(task.picture, farthest, segment.first)
        alone_until = 0
        rows = segment.target.rows
        while state.rows < (end_row or rows) or (state.carried and end_row is None):
            segment.run.check_time(task.name)
            if not state.carried:
                self.clean.append((len(self.passes), state))
            if state.rows < alone_until and not state.carried:
                state = self._print_alone(state)
            else:
                try:
                    step = self._run_within_limit(segment.steps.find_next(state), state)
                    state = self._play_passes(step)
                except StuckError:
                    state_after = None
                    if task.start and not self.clean and state.rows < rows:
                        # there is no clean state to go back to
                        state_after = self._print_on_platform(state)
                    if state_after is None:
                        alone_until, state = state.rows + 1, self._go_back(state)
                        continue
                    state = state_after
            self.reached[state.rows] = drops = sum(len(pass_.pieces) for pass_ in self.passes)
            if leading_print is not None:
                leading_print.check(
                    state.rows, drops, self._count_missing(state) if end_row is None else 0
                )
            if state.rows > farthest and not (state.rows == rows and state.carried):
                farthest = state.rows
                self.work_at_row = segment.run.work.spent
                report_row(replace(self.plan, passes=tuple(self.passes)), farthest)
        made_by = Stage.ROWS, segment.steps.stage, *sorted(set(self.fallbacks.values()))
        return SegmentResult(replace(self.plan, passes=tuple(self.passes)), made_by, self.reached)

    def _count_missing(self, state: RowState) -> int:
        """Return how many squares of the picture are still missing."""
        return self.segment.target.count_squares_from(state.rows) - len(state.carried)

    def _describe_place(self, row: int) -> str:
        """Return the name of the picture and the row, counted from the top, for messages."""
        picture = self.segment.task.picture
        row = min(row, self.segment.target.rows - 1, picture.height - 1)
        return f"{self.segment.task.name}: row {picture.image_row(row)} from the top"

    def _go_back(self, state: RowState) -> RowState:
        """Drop the passes since the last clean state and return that state."""
        if not self.clean:
            raise NoContinuationError(
                f"{self._describe_place(state.rows)} cannot be printed over the carried squares"
            )
        pass_count, clean = self.clean.pop()
        if state.carried:
            self.segment.run.log_fallback("passes taken back", self._describe_place(state.rows))
        del self.passes[pass_count:]
        self.fallbacks = {
            number: fallback for number, fallback in self.fallbacks.items() if number < pass_count
        }
        return clean

    def _play_passes(self, step: RowStep) -> RowState:
        """Play the passes of a step and return the new state."""
        if step.fallback:
            self.fallbacks[len(self.passes)] = step.fallback
        self.passes += step.list_drops()
        return step.after

    def _run_within_limit(self, search: Slices[T], state: RowState) -> T:
        """Return the result of a search for a pass; raise an error at the work limit of a row."""
        segment = self.segment
        width, run = segment.target.width, segment.run
        work_end = self.work_at_row + BUDGETS.compute_row_work_limit(
            width, run.limit.effort, not run.any_board
        )

        def check() -> None:
            run.check_time(segment.task.name)
            if run.work.spent > work_end:
                raise self._make_row_error(state)

        return run_to_end(search, check)

    def _make_row_error(self, state: RowState) -> JobError:
        """Return the error for a row that cannot be printed."""
        return JobError(
            f"{self._describe_place(state.rows)}: no way was found to print it on a board of "
            f"{self.segment.task.board}",
            ROW_HINT,
        )

    def _print_alone(self, state: RowState) -> RowState:
        """Print one row, or several if that fails, from a clean state to a clean state."""
        segment, context = self.segment, self.segment.steps.context
        most_rows = 1  # on an odd width every row can be printed alone
        if find_unit(context.width) > 1:
            most_rows = min(BUDGETS.rows_together, segment.target.rows - state.rows)
        work = segment.run.work
        for beam in (context.beam, context.beam * BUDGETS.dead_end_factor):
            for rows in range(1, most_rows + 1):
                search = print_clean(segment.target, context.height, state, rows, beam, work)
                step = self._run_within_limit(search, state)
                if step is not None:
                    segment.run.log_fallback(step.fallback, self._describe_place(state.rows))
                    return self._play_passes(step)
        state_after = self._print_on_platform(state)
        if state_after is None:
            raise self._make_row_error(state)
        return state_after

    def _print_on_platform(self, state: RowState) -> RowState | None:
        """Print a row on a platform; return the state, or None. Later steps never go back."""
        step = self._run_within_limit(print_on_platform(self.segment.steps.context, state), state)
        if step is None:
            return None
        self.segment.run.log_fallback(step.fallback, self._describe_place(state.rows))
        self.clean.clear()
        return self._play_passes(step)
