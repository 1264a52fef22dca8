"""Print a tall picture as segments in several processes, and join them.

A segment begins over a clean row and ends with one, so it does not matter how the rows below
it were printed, nor when. Where a picture is cut depends only on the picture and the board, so
the plan is the same whether one process prints the segments one after the other or many
processes do on several machines. Each cut costs up to three lines, because the last row of a
segment carries no squares for the next row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from tetrisprinter.errors import JobError
from tetrisprinter.game.divisibility import find_unit
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.segment import Segment, SegmentResult
from tetrisprinter.planners.rows.target import RowState, RowTarget, make_row_target
from tetrisprinter.planners.run import Progress, Run, TimeUpError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task
from tetrisprinter.support.executors import HERE, JobStoppedError, Machines, run_units
from tetrisprinter.support.limits import Limit


def find_cuts(target: RowTarget) -> list[int]:
    """Return the first row of each segment except the lowest segment.

    The number of squares of a segment must be one that games on this width can leave; where no row
    allows that, there is no cut.
    """
    segment_count = target.rows // BUDGETS.segment_rows
    unit = find_unit(target.width)
    squares = [0]
    for y in range(target.rows):
        squares.append(squares[-1] + len(target.required[y]))
    cuts: list[int] = []
    for number in range(1, segment_count):
        middle = round(number * target.rows / segment_count)
        candidates = sorted(
            range(middle - BUDGETS.segment_rows // 4, middle + BUDGETS.segment_rows // 4),
            key=lambda y: abs(y - middle),
        )
        below = squares[cuts[-1] if cuts else 0]
        fitting = [
            y
            for y in candidates
            if (squares[y] - below) % unit == 0 and squares[y] > squares[y - 1]
        ]
        if fitting:
            cuts.append(min(fitting, key=lambda y: abs(y - middle)))
    return cuts


@dataclass(frozen=True, slots=True)
class _Unit:
    """A segment with everything that another process needs to print it."""

    task: Task
    types: tuple[tuple[PieceType, Color], ...]
    first: int  # its first row
    last: int  # the row after its last one
    limit: Limit
    journal: RowsJournal | None
    start: RowState | None = None  # the state before it; None if the state is clean


@dataclass(frozen=True, slots=True)
class _SegmentOutcome:
    """The passes of a segment, or the reason why there are none."""

    passes: tuple[Pass, ...]
    fallbacks: tuple[tuple[str, int], ...]
    problem: str = ""  # why there are no passes
    is_late: bool = False  # whether the time was up
    made_by: tuple[str, ...] = ()
    work: float = 0.0


def print_segments(
    task: Task, types: Mapping[PieceType, Color], run: Run, plan: Plan, state: RowState
) -> SegmentResult | None:
    """Print the remaining segments; None if there is only one segment, or if one fails."""
    target = make_row_target(task, types)
    ends = [y for y in (*find_cuts(target), target.rows) if y > state.rows]
    if len(ends) < 2:
        return None
    if run.journal is not None and not run.journal.resumes:
        run.journal.clear()
    if run.journal is not None and plan.passes:
        run.journal.make_writer()(plan, state.rows)
    units = _list_units(task, types, run, state, ends)
    done: dict[int, _SegmentOutcome] = {}

    def report(stage_end: str = "", rows: int = 0) -> None:
        """Report the progress: the current stage, and the finished rows of the local segment."""
        rows += sum(units[n].last - units[n].first for n in done)
        drops = sum(len(pass_.pieces) for result in done.values() for pass_ in result.passes)
        stage = f"{len(done)} of {len(units)} segments, {drops} drops{stage_end}"
        run.report(Progress(stage, rows / (target.rows - state.rows)))

    def take_result(number: int, outcome: _SegmentOutcome) -> None:
        if outcome.is_late:
            raise TimeUpError.of(task.name)
        done[number] = outcome
        report()

    def print_here(unit: _Unit) -> _SegmentOutcome:
        """Print a segment in this process while other processes print the others."""

        def report_news(progress: Progress) -> None:
            rows = round(progress.fraction * task.picture.height)
            report(f"; row {rows} of {task.picture.height}", rows - unit.first)

        return _print_segment(unit, replace(run, report=report_news))

    machines = Machines(run.processes, run.dask, stop=run.stop)
    if machines != HERE:
        try:
            run_units(
                _print_segment,
                units,
                machines=machines,
                on_result=take_result,
                local_function=print_here,
            )
        except (JobStoppedError, TimeUpError) as error:
            raise TimeUpError.of(task.name) from error
        except JobError as error:  # the workers or the cluster are lost
            run.log_fallback("segments printed by one process", str(error))
    for number, unit in enumerate(units):
        if number not in done:
            take_result(number, _print_segment(unit, run))
    results = _reprint_with_neighbour(run, units, [done[number] for number in range(len(units))])
    return _join_segments(task, run, plan, results)


def _list_units(
    task: Task, types: Mapping[PieceType, Color], run: Run, state: RowState, ends: Sequence[int]
) -> list[_Unit]:
    """Return the segments that end at the given rows; the first begins with the present state."""
    seconds_left = None if run.stop.deadline == inf else max(0.01, run.stop.seconds_left)
    limit = Limit(seconds_left, 1, run.limit.seed, run.limit.effort)
    units = [
        _Unit(task, tuple(types.items()), first, last, limit, run.journal)
        for first, last in zip((state.rows, *ends), ends, strict=False)
    ]
    return [replace(units[0], start=state), *units[1:]]


def _reprint_with_neighbour(
    run: Run, units: list[_Unit], results: list[_SegmentOutcome]
) -> list[_SegmentOutcome]:
    """Print each failed segment again, together with its neighbour."""
    while len(results) > 2 and not run.any_board:
        number = next((n for n, result in enumerate(results) if result.problem), None)
        if number is None:
            break
        run.log_fallback("segment printed with its neighbour", results[number].problem)
        lower = min(number, len(units) - 2)
        merged = replace(units[lower], last=units[lower + 1].last, journal=None)
        units[lower : lower + 2] = [merged]
        outcome = _print_segment(merged, run)
        spent = sum(result.work for result in results[lower : lower + 2])
        results[lower : lower + 2] = [replace(outcome, work=outcome.work + spent)]
    return results


def _join_segments(
    task: Task, run: Run, plan: Plan, results: Sequence[_SegmentOutcome]
) -> SegmentResult | None:
    """Return the plan of all segments; None if a segment failed."""
    for result in results:
        run.work.add(result.work)
        for fallback, count in result.fallbacks:
            run.fallbacks[fallback] = run.fallbacks.get(fallback, 0) + count
    if any(result.is_late for result in results):
        raise TimeUpError.of(task.name)
    for result in results:
        if result.problem and run.any_board:  # another board may be easier
            raise JobError(result.problem)
        if result.problem:
            run.log_fallback("printed in one segment", result.problem)
            return None
    passes = [pass_ for result in results for pass_ in result.passes]
    full_plan = replace(plan, passes=(*plan.passes, *passes))
    run.keep(full_plan)
    stages = sorted({stage for result in results for stage in result.made_by} - {Stage.ROWS})
    return SegmentResult(full_plan, (Stage.ROWS, Stage.SEGMENTS, *stages))


def _print_segment(unit: _Unit, caller: Run | None = None) -> _SegmentOutcome:
    """Print a segment; continue from its rows in the journal, if there are any."""
    task, types = unit.task, dict(unit.types)
    target = make_row_target(task, types).cut_above(unit.last)
    run = Run(unit.limit, journal=unit.journal)
    if caller is not None:
        run = replace(run, report=caller.report, stop=caller.stop)
    clean = target.make_clean_state(unit.first)
    state = unit.start or clean
    passes: tuple[Pass, ...] = ()
    header = Plan((), tuple(types.items()), task.board.width, task.board.height)
    if unit.journal is not None:
        passes, state = _read_journal(unit, target, state)
    segment = Segment.of(task, types, target, run, unit.first)
    try:
        result = segment.print_rows(replace(header, passes=passes), state)
    except TimeUpError:
        return _SegmentOutcome((), (), is_late=True)
    except JobError as error:
        return _SegmentOutcome((), tuple(run.fallbacks.items()), str(error), work=run.work.spent)
    fallbacks = tuple(run.fallbacks.items())
    return _SegmentOutcome(
        result.plan.passes, fallbacks, made_by=result.made_by, work=run.work.spent
    )


def _read_journal(
    unit: _Unit, target: RowTarget, state: RowState
) -> tuple[tuple[Pass, ...], RowState]:
    """Return the passes in the journal and the state after them; no passes if they do not fit."""
    assert unit.journal is not None
    passes, rows, _ = unit.journal.read(unit.first)
    board = unit.task.board
    filled = [*(target.required[y] for y in range(unit.first)), state.carried]
    below = [[int(x in columns) for x in range(board.width)] for columns in filled]
    field = Playfield.from_rows(board.width, board.height, below)
    for pass_ in passes:
        for piece in pass_.pieces:
            field.drop(piece.orientation, piece.x)
    after = target.read_state(field.rows, unit.first)
    if not passes or after is None or after.rows != rows:
        return (), state
    return tuple(passes), after
