"""Racing over boards and types: print the picture in many ways, each until it falls behind.

A cleared row costs a quarter of the board's width in drops, so a narrow board is cheap; which
type shows which colour decides how many rows have to be cleared. Neither is known before a
picture is printed. So it is printed row by row on several boards and in several assignments of
types, the most promising first, and a print ends as soon as it is behind the best one at the same
height. Of a large picture only some rows are printed that way, then all rows with the best types.

The effort changes only the number of tries, not their order, so more effort is never worse.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, takewhile
from math import inf, sqrt
from operator import call

from tetrisprinter.errors import JobError, Setting
from tetrisprinter.game.board import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.budgets import EASY_COLORS, estimate_photo_seconds
from tetrisprinter.planners.context import Context, Request, Slice
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.rows.budgets import BUDGETS as ROWS_BUDGETS
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.planners.sample import Sample, SamplePrint
from tetrisprinter.printing.boards import choose_board, list_narrow_widths
from tetrisprinter.printing.sharing import rank_assignments
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors

_Types = tuple[tuple[PieceType, Color], ...]


@dataclass(frozen=True, slots=True)
class RaceBudgets:
    """The limits of the race. Work is about CPU seconds."""

    # For the first plan: its effort; the work of a try with open types, as a multiple of the
    # estimated print; the minimum and the maximum of this work. Large pictures whose estimate
    # exceeds the maximum have no first plan
    first_effort: float = 0.1
    first_factor: float = 4.0
    first_least_work: float = 0.3
    first_most_work: float = 6.0
    # All tries together may take this multiple of (the estimated print + ``first_least_work``); the
    # second value is for a picture that may turn out to be large: its samples try other types
    first_total_factor: float = 6.0
    first_total_factor_hard: float = 4.0
    least_try: float = 0.01  # the least work that is counted for a try while there is no plan
    # A picture whose print takes more work than this is large: some of its rows are printed on many
    # boards and with many types, then all rows with the best ones
    large_work: float = 2.2
    # Work per square of the board in the picture's rows, and per second of the estimated print
    square_work: float = 0.0012
    second_work: float = 0.6

    # The sample of a large picture: the share of its rows, the most rows, the fewest rows of a
    # strip, and the least work of all sample prints, as a share of a full print
    sample_share: float = 0.25
    most_sample_rows: int = 16
    strip_rows: int = 5
    sample_work: float = 0.3
    # The effort of sample prints. The best one is printed again with effort 1, which may take this
    # multiple of its work. Noise takes more work and gains little, so it gets less effort
    sample_effort: float = 0.15
    careful_factor: float = 5.0
    # The efforts of later full prints, as multiples of that of the first full print
    later_efforts: tuple[float, ...] = (2.0, 4.0, 8.0)
    noisy_effort: float = 0.6
    spare_columns: int = 3  # columns beside a picture that leave room for a platform

    # The number of boards that are tried, from the narrowest upwards; how many are tried first
    most_boards: int = 5
    first_boards: int = 2
    # The number of random assignments of types for the first plan, and at first in the race. Later
    # ones vary those of the ``parents`` or more best prints, except one in ``random_period``
    random_types: int = 8
    random_period: int = 8
    parents: int = 3
    batch: int = 2  # prints that run against the same best print, for any number of workers
    # The work limit of a print as a multiple of the best print's work, because short prints are
    # found fast; and the minimum of this limit
    work_factor: float = 2.0
    least_work: float = 0.1
    # Drops per board column that a print may be behind at first; the second value is for samples,
    # whose rows differ a lot
    slack: float = 0.5
    sample_slack: float = 2.0
    # A repeated print may take this multiple of its first work and fall this many times as far
    # behind. A beam of several games often wins only near the end
    longer_factor: float = 3.0


RACE = RaceBudgets()


def estimate_print(request: Request) -> float:
    """Estimate the work of one print row by row."""
    task = request.task
    width = list_narrow_widths(task.picture, 1)[0] if request.any_board else task.board.width
    return max(
        RACE.square_work * width * task.picture.height,
        RACE.second_work * estimate_photo_seconds(task.picture, EASY_COLORS),
    )


def seems_large(request: Request) -> bool:
    """Return whether one print is likely to take more work than the search of a small picture."""
    return estimate_print(request) > RACE.large_work


@dataclass(slots=True)
class Race:
    """The race between prints of a picture on different boards and with different types."""

    context: Context  # the state that all operators share
    sample: Sample = field(init=False)  # the rows that are printed
    # Prints that reached their end, the best first
    prints: list[SamplePrint] = field(default_factory=list)
    boards: set[int] = field(default_factory=set)  # widths of the boards that were tried
    count: int = 0  # how many prints were tried
    # Whether the samples of a large picture were printed, so that all rows are printed next
    is_sampled: bool = False
    _first_limit: float = inf  # the work limit of a print while there is no print to beat
    _has_used_up_work: bool = False  # whether a print used up its work before it was complete
    _repeated: set[tuple[Task, int, bool]] = field(default_factory=set)  # prints repeated so far
    _tried_full_prints: set[tuple[Task, float]] = field(default_factory=set)  # tried so far
    _first_full_print: tuple[Task, float] | None = None  # the first full print that succeeded

    def __post_init__(self) -> None:
        self._choose_sample(seems_large(self.context.request))

    def _choose_sample(self, is_large: bool) -> None:
        """Choose the rows to print: all rows, or a sample of a large picture."""
        height = self.context.request.task.picture.height
        work = estimate_print(self.context.request)
        rows = self._count_sample_rows() if is_large else height
        self.is_sampled = is_large and not self.has_choice
        self.sample = Sample.of(height, rows, RACE.strip_rows)
        if self.has_choice:
            self._first_limit = min(
                max(RACE.large_work, work), RACE.work_factor * work * rows / height
            )

    def _count_sample_rows(self) -> int:
        """Return how many rows of a large picture are printed in the race."""
        height = self.context.request.task.picture.height
        return min(
            height,
            RACE.most_sample_rows,
            max(2 * RACE.strip_rows, round(RACE.sample_share * height)),
        )

    @property
    def has_choice(self) -> bool:
        """Whether the request leaves board or types open."""
        request = self.context.request
        return request.any_board or request.task.types == "auto"

    @property
    def is_large(self) -> bool:
        """Whether one print takes so much work that a sample of the rows comes first."""
        return not self.sample.is_whole

    @property
    def _may_be_large(self) -> bool:
        """Whether a picture that counts as small may turn out to be large, because of its colours.

        If some colours only have I or O, the print of a photo takes several times the estimate;
        the print of a drawing does not.
        """
        picture = self.context.request.task.picture
        if self.is_large or 2 * self._count_sample_rows() > picture.height:
            return False
        return estimate_photo_seconds(picture) > RACE.large_work

    @property
    def needs_first_plan(self) -> bool:
        """Whether a print with little effort comes first; the largest pictures skip this print."""
        estimate = estimate_print(self.context.request)
        return not self.is_large or estimate <= RACE.first_most_work

    @property
    def has_finished(self) -> bool:
        """Whether a print with the usual effort is complete."""
        return any(one.work < inf for one in self.prints)

    @property
    def has_full_print(self) -> bool:
        """Whether a large picture was printed after its samples."""
        return self._first_full_print is not None

    @property
    def needs_full_print(self) -> bool:
        """Whether the race is over, but all rows were not yet printed with the usual effort."""
        return self.is_sampled and not (self.sample.is_whole and self.has_finished)

    # -- operators --------------------------------------------------------------------

    def make_first_plan(self) -> Iterator[Slice]:
        """Print all rows with a tenth of the effort, on the narrowest board where a print succeeds.

        If the usual types fail, others are tried before the usual types get all their work: with
        six colours, a row in the wrong types can take the work of 20 prints.
        """
        height = self.context.request.task.picture.height
        all_rows = Sample.of(height, height, height)
        spent = 0.0
        estimate = estimate_print(self.context.request)
        work_limit = max(
            RACE.first_least_work, min(RACE.first_most_work, RACE.first_factor * estimate)
        )
        # The samples of a large picture try other types.
        total_limit = (
            RACE.first_total_factor_hard if self._may_be_large else RACE.first_total_factor
        )
        total_limit *= estimate + RACE.first_least_work
        tries = islice(
            self._list_first_tasks(work_limit), RACE.first_boards if self.is_large else None
        )
        for task, effort, try_limit in tries:
            if spent > total_limit:
                return  # the race tries more types, each for less work
            segment = all_rows.make_segment(
                task, self.context.make_print_run(effort), try_limit, effort
            )
            result = (
                SamplePrint(task) if segment is None else all_rows.print_strips(segment, None, 0.0)
            )
            if result.is_late:
                return
            spent += result.work
            self.boards.add(task.board.width)
            if result.plan is not None:
                self._insert_print(replace(result, work=inf, segment=None))
            yield Slice(result.work, result.plan, result.made_by)
            if result.plan is not None:
                return

    def _list_first_tasks(self, work_limit: float) -> Iterator[tuple[Task, float, float]]:
        """Yield the tasks to try for the first plan, each with its effort and its work limit.

        If the types are open, a try has the given work limit; otherwise it has none.
        """
        request = self.context.request
        boards = self._list_boards()
        if request.any_board:
            boards.append(Board(*choose_board(request.task.picture)))
        boards = list(dict.fromkeys(boards))
        usual_types = self._choose_first_types()
        work_limit = inf if usual_types is None else work_limit
        yield from (
            (self._make_task(board, usual_types), RACE.first_effort, work_limit) for board in boards
        )
        if usual_types is not None:
            assignments = rank_assignments(
                request.task.picture, request.task.background, request.limit.seed
            )
            assignments.next()
            for _ in range(RACE.random_types):
                if (types := assignments.next()) is not None:
                    yield self._make_task(boards[0], types), RACE.first_effort, work_limit / 2
        yield from (
            (self._make_task(board, usual_types), 1.0, max(RACE.large_work, 2 * work_limit))
            for board in boards
        )

    def race_boards_and_types(self) -> Iterator[Slice]:
        """Print on one board after another and with different types; a large picture in samples."""
        tasks = self._list_tasks()
        full_print_work = estimate_print(self.context.request)
        sample_work = max(RACE.large_work, RACE.sample_work * full_print_work)
        spent = 0.0
        while batch := list(islice(tasks, RACE.batch)):
            slice_ = self._run_in_parallel([partial(self._print_task, task) for task in batch])
            if (
                self.context.best is None
            ):  # otherwise thousands of failing prints would count as no work
                slice_ = replace(slice_, work=max(slice_.work, RACE.least_try * len(batch)))
            spent += slice_.work
            if self._has_used_up_work and not self.has_finished and self._may_be_large:
                self._choose_sample(is_large=True)
                tasks, spent = self._list_tasks(), 0.0
            yield slice_
            if not self.is_large or self.is_sampled or spent < sample_work:
                continue
            if self.prints or self.count > 2 * RACE.first_boards:
                self.is_sampled = True
                yield self._repeat_sample()
        self.is_sampled = True

    def _repeat_sample(self) -> Slice:
        """Print the best sample again with full effort, unless some rows needed a fallback."""
        best = self._best
        if best is None:
            return Slice(0.0)
        repeated, work = replace(best, effort=RACE.noisy_effort), 0.0
        if not best.is_noisy:
            careful_print = self._print_task(best.task, 1.0)
            work = careful_print.work
            if careful_print.plan is not None:
                repeated = careful_print
        self.prints.remove(best)
        self._insert_print(repeated)
        return Slice(work)

    def repeat_best(self) -> Iterator[Slice]:
        """Repeat the best prints, each time with another way to choose passes."""
        while True:
            # Two threads must not share a search, so each print occurs once in a batch.
            repetitions: dict[Task, partial[SamplePrint]] = {}
            for games, by_pairs in ((ROWS_BUDGETS.most_games, True), (1, False)):
                for sample_print in self.prints[: RACE.batch + self.count // 20]:
                    key = sample_print.task, games, by_pairs
                    if (
                        sample_print.work < inf
                        and key not in self._repeated
                        and sample_print.task not in repetitions
                    ):
                        repetitions[sample_print.task] = partial(
                            self._repeat_print, sample_print, games, by_pairs
                        )
                        self._repeated.add(key)
                    if len(repetitions) == RACE.batch:
                        break
                if repetitions:
                    break
            if not repetitions:
                return
            yield self._run_in_parallel(list(repetitions.values()))

    def print_other_types(self) -> Iterator[Slice]:
        """Print all rows with little effort in other types, even if that takes more drops."""
        task = self.context.request.task
        if task.types != "auto" or self.is_large:
            return
        assignments = rank_assignments(
            task.picture, task.background, self.context.request.limit.seed
        )
        best_types = [_sort_types(one.task) for one in self.prints[:1]]
        while (types := assignments.next(best_types)) is not None:
            boards = dict.fromkeys(one.task.board for one in self.prints)
            for board in islice(boards, RACE.first_boards):
                result = self._print_quickly(self._make_task(board, types))
                if result.plan is not None:
                    self.context.keep_plan(result.plan)
                yield Slice(max(RACE.least_try, result.work), result.plan, result.made_by)

    def _print_quickly(self, task: Task) -> SamplePrint:
        """Print all rows with little effort."""
        segment = self.sample.make_segment(
            task, self.context.make_print_run(), RACE.large_work, RACE.first_effort
        )
        return (
            SamplePrint(task) if segment is None else self.sample.print_strips(segment, None, 0.0)
        )

    def print_all_rows(self) -> Iterator[Slice]:
        """Print all rows of a large picture on the boards and types that were best in samples."""
        context, request = self.context, self.context.request
        for task, effort in self._list_full_prints():
            if (task, effort) in self._tried_full_prints:
                continue
            self._tried_full_prints.add((task, effort))
            run = replace(
                context.make_print_run(effort),
                report=context.report, note=context.note, journal=request.journal,
                processes=request.processes, dask=request.dask, any_board=request.any_board,
            )  # fmt: skip
            try:
                result = ROWS.plan(task, run)
            except TimeUpError:
                return
            except JobError as error:
                run.log_fallback("printed on another board", str(error))
                yield Slice(run.work.spent)
                continue
            self._first_full_print = self._first_full_print or (task, effort)
            yield Slice(run.work.spent, result.plan, result.made_by)

    # -- helpers -----------------------------------------------------------------

    def _list_boards(self) -> list[Board]:
        """Return the boards to try, the narrowest first."""
        request = self.context.request
        task = request.task
        if not request.any_board:
            return [task.board]
        widths = list_narrow_widths(
            task.picture, RACE.most_boards, any_count=task.has_dont_care_squares
        )
        height = choose_board(task.picture)[1]
        return [Board(width, height) for width in widths]

    def _choose_first_types(self) -> _Types | None:
        """Return the usual types of the picture; None if the request fixes the types."""
        task = self.context.request.task
        if task.types != "auto":
            return None
        return rank_assignments(
            task.picture, task.background, self.context.request.limit.seed
        ).next()

    def _list_tasks(self) -> Iterator[Task]:
        """Yield the tasks to race: first the usual types, then others on the best boards."""
        task = self.context.request.task
        boards = self._list_boards()
        if task.types != "auto":
            yield from (self._make_task(board, None) for board in boards)
            return
        assignments = rank_assignments(
            task.picture, task.background, self.context.request.limit.seed
        )
        usual_types = types = assignments.next()
        if types is None:
            return
        yield from (self._make_task(board, usual_types) for board in boards[: RACE.first_boards])
        later_boards = boards[RACE.first_boards :]
        types_drawn = 0
        while True:
            types_drawn += 1
            parents = [_sort_types(one.task) for one in self.prints[: self._parent_count]]
            by_chance = self.count < RACE.random_types or types_drawn % RACE.random_period == 0
            types = assignments.next(() if by_chance else parents)
            if types is None:
                break
            best_boards = list(dict.fromkeys(one.task.board for one in self.prints)) or boards
            yield from (self._make_task(board, types) for board in best_boards[: RACE.first_boards])
            if later_boards and self.prints:
                yield self._make_task(later_boards.pop(0), _sort_types(self.prints[0].task))
        yield from (self._make_task(board, usual_types) for board in later_boards)

    @property
    def _parent_count(self) -> int:
        """The number of best prints to vary, which grows during the race."""
        return max(RACE.parents, round(0.7 * sqrt(self.count)))

    def _make_task(self, board: Board, types: _Types | None) -> Task:
        task = self.context.request.make_task_on(board)
        return task if types is None else replace(task, types=TypeColors.of(types))

    def _print_task(self, task: Task, effort: float | None = None) -> SamplePrint:
        """Print the sample of a task; stop when the print falls behind the best print."""
        best, work_limit = self._best, self._first_limit
        if best is not None:
            work_limit = min(work_limit, max(RACE.least_work, RACE.work_factor * best.work))
        if effort is None:
            effort = RACE.sample_effort if self.is_large else 1.0
        elif best is not None:
            work_limit = RACE.careful_factor * best.work
        segment = self.sample.make_segment(task, self.context.make_print_run(), work_limit, effort)
        if segment is None:
            return SamplePrint(task)
        slack = RACE.sample_slack if self.is_large else RACE.slack
        result = self.sample.print_strips(segment, best, slack * task.board.width)
        return replace(result, effort=effort)

    def _repeat_print(self, sample_print: SamplePrint, games: int, by_pairs: bool) -> SamplePrint:
        """Repeat a print with a beam for ``games`` games and another way to choose passes."""
        segment = sample_print.segment or self.sample.make_segment(
            sample_print.task, self.context.make_print_run()
        )
        assert segment is not None
        width = sample_print.task.board.width
        print_run = self.sample.make_print_run(
            self.context.make_print_run(), RACE.longer_factor * sample_print.work
        )
        varied = segment.vary(print_run, by_pairs, ROWS_BUDGETS.choose_beam_width(width, games))
        slack = RACE.longer_factor * RACE.slack * width
        return self.sample.print_strips(varied, self._best, slack)

    @property
    def _best(self) -> SamplePrint | None:
        """The print to beat. The quick first plan does not count, because it had less effort."""
        return next((one for one in self.prints if one.work < inf), None)

    def _run_in_parallel(self, tries: Sequence[partial[SamplePrint]]) -> Slice:
        """Run several prints in parallel; return their work and the best plan if it is new."""
        workers = min(len(tries), self.context.request.limit.workers)
        if workers > 1:
            with ThreadPoolExecutor(workers) as pool:
                results = list(pool.map(call, tries))
        else:
            results = [run_try() for run_try in tries]
        work = sum(result.work for result in results)
        old_best = self._best
        for result in results:
            self.count += 1
            self._has_used_up_work |= result.has_run_out
            self.boards.add(result.task.board.width)
            if result.plan is not None:
                self._insert_print(result)
        if self._best is None:
            self._first_limit *= RACE.work_factor
        # The caches of searches take memory; only those of the best prints may be used again.
        for number in range(RACE.batch, len(self.prints)):
            self.prints[number] = replace(self.prints[number], segment=None)
        best = self._best
        if best is None or best is old_best or not self.sample.is_whole:
            return Slice(work)
        return Slice(work, best.plan, best.made_by)

    def describe_choice(self, task: Task) -> Step | None:
        """Describe the chosen board or types and how many were tried; None without a choice."""
        if self.context.request.any_board:
            tried = f"the best of {len(self.boards)}" if len(self.boards) > 1 else "the narrowest"
            return Step(f"board: {task.board.width} columns, {tried}", Setting.BOARD)
        if task.types == "auto" and self.count > 1:
            return Step(f"types: the best of {self.count} ways to share them", Setting.TYPES)
        return None

    def _insert_print(self, sample_print: SamplePrint) -> None:
        bisect.insort(self.prints, sample_print, key=lambda one: one.drops)
        if sample_print.plan is not None and self.sample.is_whole:
            self.context.keep_plan(sample_print.plan)

    def _list_full_prints(self) -> Iterator[tuple[Task, float]]:
        """Yield the tasks and efforts for full prints of a large picture, the best first.

        After the first full print come prints with more effort, also of the two best samples.
        """
        yield from takewhile(
            lambda _: self._first_full_print is None, self._list_first_full_prints()
        )
        if self._first_full_print is None:
            return
        task, effort = self._first_full_print
        for factor in RACE.later_efforts:
            yield task, factor * effort
            for sample_print in self.prints[:2]:
                yield sample_print.task, factor / 2 * max(effort, sample_print.effort)

    def _list_first_full_prints(self) -> Iterator[tuple[Task, float]]:
        """Yield the tasks and efforts to try until the picture is printed."""
        prints = self.prints or [
            SamplePrint(self._make_task(self._list_boards()[0], self._choose_first_types()))
        ]
        for least_effort in (RACE.noisy_effort, 1.0, 2.5):
            for sample_print in prints:
                effort = max(least_effort, sample_print.effort)
                if sample_print.is_noisy:
                    # A platform for a row that no passes print needs free columns.
                    yield (
                        self._make_task(
                            self._choose_spacious_board(), _sort_types(sample_print.task)
                        ),
                        effort,
                    )
                yield sample_print.task, effort
            yield (
                self._make_task(self._choose_spacious_board(), self._choose_first_types()),
                max(least_effort, 1.0),
            )

    def _choose_spacious_board(self) -> Board:
        """Return a board of odd width with free columns for a platform, or the fixed board."""
        if not self.context.request.any_board:
            return self.context.request.task.board
        picture = self.context.request.task.picture
        width = picture.width + RACE.spare_columns
        return Board(width + 1 - width % 2, choose_board(picture)[1])


def _sort_types(task: Task) -> _Types:
    types = task.type_colors
    return () if types is None else tuple(sorted(types.items()))
