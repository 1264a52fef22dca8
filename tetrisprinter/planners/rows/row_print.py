"""Print a picture row by row, carry surplus squares, and look one row ahead.

Pieces have four squares, so a row printed alone must wait for a number of lines that leaves no
remainder. Here a pass may leave squares of any type in the row above the one it prints; the next
pass begins with that row, fills and clears it. The carried squares determine how many lines the
next row takes: three if they are left to chance, two or one if they are chosen well. So a pass and
the next pass are chosen together.

If the search for the next pass fails, the passes since the last clean row, above which nothing
lies, are dropped. The rows from there to the failed row are printed from a clean state to a clean
state. Three ways are tried; each prints some rows that the way before it cannot print:

1. the ordinary search for passes (:mod:`~tetrisprinter.planners.rows.chooser`), whose last pass
   leaves nothing above, for one row or, on an even width, a few together: there a row alone often
   has a number of squares that no game leaves;
2. pass by pass, each leaving as many squares of the row as it can
   (:mod:`~tetrisprinter.planners.rows.chooser`);
3. the same on a platform.

A caller with a solver may pass a *rescue*, a function that prints such rows by a formula. It is
asked first, because the three ways take up to ten times its work.

Every such fallback is logged and counted.

An unfinished print can be continued. Its file may be anything: the plan of another picture, for
another board, in other colours, or one that was edited. Only complete lowest rows of the picture
are continued; any other plan raises an error that says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

from tetrisprinter.errors import Hint, InputError, JobError, Setting
from tetrisprinter.game.field import CLASSIC_BOARD, Playfield, TopOutError, find_unit
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.chooser import (
    MOST_GAMES,
    MOST_PASSES,
    PassChooser,
    print_on_platform,
)
from tetrisprinter.planners.rows.passes import BEAM, PassFinder, choose_states
from tetrisprinter.planners.rows.target import RowState, RowStep, RowTarget, make_row_target
from tetrisprinter.planners.run import (
    ROW_HINT,
    RowCallback,
    Run,
    Stage,
    TimeUpError,
    Work,
    WorkSpentError,
)
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import (
    TypeColors,
    find_color_obstacle,
    list_plan_colors,
    share_types,
)

DEAD_END_FACTOR: Final = 6
"""The factor for the states kept if the usual number finds nothing, and for the fields that are
expanded then to clear an old picture."""

_ROWS_TOGETHER: Final = 4
"""The most rows that are printed together from a clean state."""

_ROW_WORK, _LAST_ROW_WORK = 1.5, 18.0
"""A print ends after this work on the classic board without another finished row. The second value
applies if no other board may be used."""

_LEAST_EFFORT: Final = 0.25
"""A smaller effort does not lower these limits further."""


def compute_row_work_limit(width: int, effort: float, is_last: bool = False) -> float:
    """Return the work limit for finishing one more row; a last attempt gets more.

    The limit grows with the number of states. A first plan or a sample gives up sooner.
    """
    states = choose_states(width, max(_LEAST_EFFORT, effort)) * max(width, CLASSIC_BOARD.width)
    work = _LAST_ROW_WORK if is_last else _ROW_WORK
    return work * states / (BEAM * CLASSIC_BOARD.width)


def _choose_beam_width(width: int, effort: float) -> int:
    """Return the number of games to continue; more on narrow boards, where each is cheap."""
    return max(1, min(MOST_GAMES, round(effort * CLASSIC_BOARD.width / width)))


def print_clean(
    target: RowTarget, state: RowState, beam: int, rows: int = 1, work: Work | None = None
) -> RowStep | None:
    """Print the next rows from a clean state and leave a clean state; None if that fails."""
    end = state.rows + rows
    target = RowTarget(target.allowed[:end], target.required[:end], target.height)
    if not target.can_end(state.rows, 0):
        return None
    # A search keeps more states before a dead end, unless its beam is wide already.
    patience = max(1, DEAD_END_FACTOR * choose_states(target.width) // beam)
    finder = PassFinder(target.width, beam, work, patience)
    step = _search_rows(target, finder, state)
    if step is None and rows == 1:
        step = print_on_platform(target, finder, state)
    return step


def _search_rows(target: RowTarget, finder: PassFinder, state: RowState) -> RowStep | None:
    """Print all rows of a target by the ordinary search; return None if it fails."""
    chooser = PassChooser(target, finder, _choose_beam_width(target.width, MOST_GAMES))
    steps: list[RowStep] = []
    fallback = Stage.ALONE if state.rows + 1 == target.rows else Stage.TOGETHER
    while state.rows < target.rows or state.carried:
        if sum(len(step.passes) for step in steps) == MOST_PASSES:
            return None
        step = chooser.find_next(state)
        if step is None:
            return None
        steps.append(step)
        state = step.after
    if any(step.fallback == Stage.IN_PARTS for step in steps):
        fallback = Stage.IN_PARTS
    return RowStep(tuple(pass_ for step in steps for pass_ in step.passes), state, fallback)


T = TypeVar("T")


Rescue = Callable[[Sequence[tuple[int, Plan]], int], tuple[int, tuple[Pass, ...]] | None]
"""Prints a row at a dead end. It gets the numbers of printed rows and the plans of the clean states
so far, the last one first, and the number of the row. It returns how many states it goes back, and
the passes from there. If it is asked for the same row again, it finds another way; None if it knows
no more."""


@dataclass(slots=True)
class RowPrint:
    """One print of all rows of a picture."""

    task: Task
    target: RowTarget  # the end of the game
    run: Run  # clock, seed, effort, and progress callbacks
    chooser: PassChooser  # chooses the passes
    begun: Plan  # the passes before this print, with the board and the colours
    rescue: Rescue | None = None
    has_fallbacks: bool = True  # otherwise the print ends at its first dead end
    passes: list[Pass] = field(init=False)  # all passes so far
    # The fallbacks that found passes, by the index of the first pass
    fallbacks: dict[int, str] = field(default_factory=dict)
    # The clean states to which the print can go back, each with the number of passes before it
    clean: list[tuple[int, RowState]] = field(default_factory=list)
    work_at_row: float = field(init=False)  # the work that was done when the last row was finished
    # The stages that made the plan; before the print what lay on the board
    made_by: tuple[str, ...] = (Stage.FROM_BOARD,)

    def __post_init__(self) -> None:
        self.passes = list(self.begun.passes)
        self.work_at_row = self.run.work.spent

    @property
    def plan(self) -> Plan:
        """The plan with all passes so far."""
        return self.begun.with_passes(self.passes)

    def print_rows(self, state: RowState) -> None:
        """Print all rows above the state to which the passes lead."""
        task, rows = self.task, self.target.rows
        farthest = state.rows
        report_row = RowCallback(self.run, task.picture, farthest)
        alone_until = 0
        while state.rows < rows or state.carried:
            self.run.check_time(task.name)
            if not state.carried:
                self.clean.append((len(self.passes), state))
            if state.rows < alone_until and not state.carried:
                state = self._print_alone(state)
            else:
                step = self._find_next(state)
                state_after = None if step is None else self._play_passes(step)
                if state_after is None and task.start and not self.clean and state.rows < rows:
                    # there is no clean state to go back to
                    state_after = self._print_on_platform(state)
                if state_after is None:
                    alone_until, state = state.rows + 1, self._go_back(state)
                    continue
                state = state_after
            if state.rows > farthest and not (state.rows == rows and state.carried):
                farthest = state.rows
                self.work_at_row = self.run.work.spent
                report_row(self.plan, farthest)
        board_stage = (Stage.FROM_BOARD,) if task.start else ()
        fallbacks = sorted(set(self.fallbacks.values()))
        self.made_by = (Stage.ROWS, *board_stage, self.chooser.stage, *fallbacks)

    def _find_next(self, state: RowState) -> RowStep | None:
        """Return the next pass, or None; with a rescue also at the work limit of a row."""
        try:
            return self._run_within_limit(partial(self.chooser.find_next, state), state)
        except (TimeUpError, WorkSpentError):
            raise
        except JobError:
            if self.rescue is None or not self.clean:
                raise
            return None

    def _describe_place(self, row: int) -> str:
        """Return the name of the picture and the row, counted from the top, for messages."""
        picture = self.task.picture
        row = min(row, self.target.rows - 1, picture.height - 1)
        return f"{self.task.name}: row {picture.image_row(row)} from the top"

    def _go_back(self, state: RowState) -> RowState:
        """Drop the passes since the last clean state and return that state."""
        if not self.clean:
            raise JobError(
                f"{self._describe_place(state.rows)} cannot be printed over the carried squares"
            )
        pass_count, clean = self.clean.pop()
        if state.carried:
            self.run.log_fallback("passes taken back", self._describe_place(state.rows))
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

    def _run_within_limit(self, search: Callable[[], T], state: RowState) -> T:
        """Return the result of a search for a pass; raise an error at the work limit of a row."""
        run = self.run
        row_limit = compute_row_work_limit(
            self.target.width, run.limit.effort, is_last=not run.any_board
        )
        whole_limit = run.work.most
        run.work.most = min(whole_limit, self.work_at_row + row_limit)
        try:
            return search()
        except WorkSpentError:
            if run.work.spent > whole_limit:
                raise
            raise self._make_row_error(state) from None
        except TimeUpError:
            raise TimeUpError.of(self.task.name) from None
        finally:
            run.work.most = whole_limit

    def _make_row_error(self, state: RowState) -> JobError:
        """Return the error for a row that cannot be printed."""
        return JobError(
            f"{self._describe_place(state.rows)}: no way was found to print it on a board of "
            f"{self.task.board}",
            ROW_HINT,
        )

    def _print_alone(self, state: RowState) -> RowState:
        """Print one row, or several if that fails, from a clean state to a clean state.

        With a rescue, squares may be carried then.
        """
        state_after = self._rescue_row(state)
        if state_after is not None:
            return state_after
        if not self.has_fallbacks:
            raise self._make_row_error(state)
        most_rows = 1  # on an odd width every row can be printed alone
        if find_unit(self.target.width) > 1:
            most_rows = min(_ROWS_TOGETHER, self.target.rows - state.rows)
        usual_beam = self.chooser.finder.beam
        for beam in (usual_beam, usual_beam * DEAD_END_FACTOR):
            for rows in range(1, most_rows + 1):
                search = partial(print_clean, self.target, state, beam, rows, self.run.work)
                step = self._run_within_limit(search, state)
                if step is not None:
                    self.run.log_fallback(step.fallback, self._describe_place(state.rows))
                    return self._play_passes(step)
        state_after = self._print_on_platform(state)
        if state_after is None:
            raise self._make_row_error(state)
        return state_after

    def _rescue_row(self, state: RowState) -> RowState | None:
        """Print the next row by a formula; return the state after it, or None."""
        if self.rescue is None:
            return None
        prints = [
            (clean.rows, self.begun.with_passes(self.passes[:pass_count]))
            for pass_count, clean in reversed(self.clean)
        ]
        found = self.rescue(prints, state.rows)
        if found is None:
            return None
        back, passes = found
        if back:
            del self.clean[-back:]
        del self.passes[self.clean[-1][0] :]
        self.fallbacks = {n: name for n, name in self.fallbacks.items() if n < len(self.passes)}
        self.fallbacks[len(self.passes)] = Stage.RESCUE
        self.passes += passes
        self.run.log_fallback(Stage.RESCUE, self._describe_place(state.rows))
        return self.target.read_state(play_through(self.plan).field.rows)

    def _print_on_platform(self, state: RowState) -> RowState | None:
        """Print a row on a platform; return the state, or None. Later steps never go back."""
        search = partial(print_on_platform, self.target, self.chooser.finder, state)
        step = self._run_within_limit(search, state)
        if step is None:
            return None
        self.run.log_fallback(step.fallback, self._describe_place(state.rows))
        self.clean.clear()
        return self._play_passes(step)


def make_chooser(target: RowTarget, run: Run, beam_width: int = 0) -> PassChooser:
    """Return a chooser of passes that follows ``beam_width`` games (0: by the effort)."""
    width, effort = target.width, run.limit.effort
    beam = choose_states(width, effort)
    finder = PassFinder(width, beam, run.work, DEAD_END_FACTOR)
    return PassChooser(target, finder, beam_width or _choose_beam_width(width, effort))


def plan_rows(
    task: Task, run: Run, rescue: Rescue | None = None, has_fallbacks: bool = True
) -> RowPrint:
    """Plan a picture row by row; :func:`share_types` assigns types that are left open.

    The plan so far is reported after each row; squares that the next row clears may lie above. An
    unfinished plan is continued or, if that is impossible, the print starts over. The effort
    multiplies the number of states that are kept.
    """
    types: Mapping[PieceType, Color] | None = task.type_colors
    if types is None and run.unfinished is not None:
        types = run.unfinished.color_of
    elif types is None:  # the background gets types, too, if there are enough
        types = share_types(task.picture, task.background)
    obstacle = find_color_obstacle(task.picture, TypeColors.of(types), task.background)
    if obstacle is not None:
        raise obstacle.error(task.name)
    target = make_row_target(task, types)
    plan = Plan((), list_plan_colors(task.board, types), task.board.width, task.board.height)
    state: RowState | None = target.make_clean_state(0)
    if run.unfinished is not None:
        _check_unfinished_plan(run.unfinished, task, types, run.unfinished_name)
        plan = plan.with_passes(run.unfinished.passes)
        state = target.read_state(play_unfinished_plan(plan, run.unfinished_name).rows)
    if state is None:
        _check_same_background(run.unfinished, task, run.unfinished_name)
        raise run.make_foreign_plan_error(task.name)
    row_print = RowPrint(task, target, run, make_chooser(target, run), plan, rescue, has_fallbacks)
    try:
        row_print.print_rows(state)
    except (TimeUpError, WorkSpentError):
        raise
    except JobError:
        # A second attempt from the start would fail at the same place.
        if run.unfinished is None or row_print.clean:
            raise
        run.note(f"{run.unfinished_name}: cannot be continued; starting {task.name} over")
        return plan_rows(task, replace(run, unfinished=None), rescue, has_fallbacks)
    return row_print


def _check_unfinished_plan(
    unfinished: Plan, task: Task, types: Mapping[PieceType, Color], name: str
) -> None:
    """Raise an error if an unfinished plan was made for another task."""
    picture = task.picture
    if unfinished.board != task.board:
        raise InputError(
            f"{name}: the plan has a board of {unfinished.board}, {picture.name} one of "
            f"{task.board}; only a plan for the same board can be continued"
        )
    for color in picture.colors():
        # A background without a type may stay empty
        needs_type = color != task.background or color in types.values()
        if needs_type and color not in unfinished.color_of.values():
            _check_same_background(unfinished, task, name)
            raise InputError(
                f"{name}: no piece type has the colour {color} of {picture.name}; only a plan with "
                "the same colours can be continued"
            )
    for piece, color in types.items():
        if unfinished.color_of.get(piece) != color:
            _check_same_background(unfinished, task, name)
            raise InputError(
                f"{name}: the colour of {piece.name} differs: "
                f"{unfinished.color_of.get(piece, 'none')} in the plan, {color} in "
                f"{picture.name}; only a plan with the same colours can be continued"
            )


def _check_same_background(unfinished: Plan | None, task: Task, name: str) -> None:
    """Raise an error that names the background of a plan, if the task has another one."""
    if unfinished is None or unfinished.background == task.background:
        return
    earlier = f"with the background {unfinished.background}"
    if unfinished.background is None:
        earlier = "without a background"
    raise InputError(
        f"{name}: the plan was made {earlier}, {task.name} has now {task.background or 'none'}",
        Hint(f"{{}} {unfinished.background or 'transparent'} continues it", Setting.BACKGROUND),
    )


def play_unfinished_plan(unfinished: Plan, name: str) -> Playfield:
    """Return the field after an unfinished plan was played."""
    try:
        return play_through(unfinished).field
    except TopOutError as error:
        raise InputError(f"{name}: the plan cannot be played: {error}") from error
