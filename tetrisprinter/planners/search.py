"""The one search of the package: a first game at once, then shorter ones until the work is spent.

The first game is printed row by row (:mod:`~tetrisprinter.planners.first_game`). Then the picture
is asked from below (:mod:`~tetrisprinter.planners.from_below`): as a whole if it is small, else in
bands, and at last in windows. Pictures with a piece queue, and games that begin with squares on the
board, have planners of their own, which run as one step.

Work is counted, not timed, so the answer is the same on every machine and for any number of
workers. The effort sets the end of the search, and when the first print in bands is finished row by
row.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from math import inf
from typing import Any, Final, TypeVar

from tetrisprinter.errors import InternalError, JobError, Setting, TetrisPrinterError
from tetrisprinter.game.field import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.pictures.convert import Step
from tetrisprinter.planners.first_game import (
    FIRST_EFFORT,
    Choices,
    RowRescue,
    Trial,
    TrialResult,
    estimate_rows_work,
    list_first_rounds,
    print_rows,
)
from tetrisprinter.planners.from_below import (
    WINDOW_GROUPS,
    Answer,
    BandPrint,
    BandResult,
    BandSettings,
    Found,
    Question,
    Steps,
    WholeBoard,
    WholeRound,
    WindowGroup,
    ask,
    join_halves,
    print_alone,
    search_whole,
    search_windows,
    split_print,
)
from tetrisprinter.planners.proved import (
    count_parts,
    find_any_game,
    raise_bound_within,
)
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.rows.from_board import find_clearing
from tetrisprinter.planners.rows.row_print import plan_rows
from tetrisprinter.planners.run import LOG, Progress, Run, Stage, TimeUpError, Work
from tetrisprinter.planners.solver_processes import SolverProcesses, can_start_solvers
from tetrisprinter.printing.result import DropBound, PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, list_plan_colors
from tetrisprinter.support.options import Limit

T = TypeVar("T")

_WHOLE_BOARDS: Final = 3
"""How many boards are asked for whole games."""

_FIRST_PRINTS: Final = BandSettings(2, (1,), 10_000)
"""The settings of the first prints of a large picture. With two rows instead of three, owl, smiley
and a portrait take 104 units instead of 162, and 1 % more drops."""

_SMALL_PRINTS: Final = BandSettings(3, (1,), 10_000)
"""The settings of the print in bands of a small picture."""

_OTHER_PRINTS: Final = (
    BandSettings(3, (1, 2), 20_000),
    BandSettings(4, (1, 2), 20_000),
    BandSettings(2, (1, 2), 20_000),
    BandSettings(3, (1, 2, 3), 40_000),
    BandSettings(5, (1, 2), 60_000),
    BandSettings(6, (1, 2, 3), 100_000),
    BandSettings(8, (2, 4), 200_000),
)
"""The settings of later prints, in the order of the search."""

_LANES: Final = 2
"""How many prints in bands run side by side. If two solvers share the numbers of one question
instead, a print takes nearly twice the work (the rainbow 95 units for 54) in the same time, because
what one solver learns from small numbers does not help the other."""

_FIRST_BANDS: Final = 1.9
_FORESEEN: Final = 0.15
"""The first print in bands may use this multiple of the work, unless after some share of the rows
it is likely to need more: then the other rows are printed one by one on top."""

_LAST_BANDS: Final = 0.9
"""How much longer the last band and the windows take, as a share of all other bands, for the
progress only: 0.4 to 0.5 of their work in the owl, a whale and a photo, and each unit of it takes
longer. So the time left is known within a factor of 2 from half of the rows on."""

_FIRST_SHARE: Final = 4.0
"""The least work of an effort of 1, as a multiple of the first game's."""

_SPLIT: Final = (28, 24)
"""The least width of the board and height of the picture for prints in two halves side by side,
each with half of the work. Of ten pictures with twelve rows in each half, seven of at least this
width take 4,406 drops instead of 4,413, but three of 18 to 22 columns 771 instead of 689."""

_PAUSE: Final = 4.0
"""After this much work a half waits for the other one, and the progress is reported."""

_LARGE: Final = 500
"""The least board width times picture height of a large picture, of which one print in bands takes
half of the work of an effort of 1."""

_CONFLICTS: Final = 2_000
_GROWTH: Final = 4
"""The limit of conflicts for windows at first, and its growth and that of whole games."""

_FIRST_ROUND: Final = WholeRound(2, 3_000, 3)
_LATER_ROUNDS: Final = (WholeRound(2, 12_000, 2), WholeRound(3, 5_000, 2))
"""How whole games are asked for at first, and then side by side."""

_SMALL_WINDOWS: Final = 2
"""How many groups of windows are reopened in games in bands that are not the best."""

_FREE_ROWS: Final = (0, 1, 2, 4)
"""How many rows at the top of the board stay empty, so that the player can steer each piece. Each
number is tried until he can."""

_PROOF: Final = 0.3
"""The work of the first proof; longer ones follow."""

_PROOF_SHARE: Final = 0.25
"""How long proofs take at an effort of 1, compared with the search: a person should not wait for
them much longer than for the game."""


_PROOF_GROWTH: Final = 4
"""Each proof may take this multiple of the work of the one before. With 2 the mushroom needs 76
units for a proof of 25."""

_TRIALS: Final = 0.1
"""The work of the trials of boards and types, as a share of the work of an effort of 1. With 0.15
ten of eleven pictures take as many drops and 1.3 to 3 units more."""

_HARDER: Final = (1.0, 4.0)
"""The efforts of the last prints row by row of a picture whose bands cannot end. With 0.1, 1 and 4
smiley takes 2,200, 1,988 and 1,529 drops, an emoji of 48x48 squares 2,277, 2,062 and 1,719."""

_BATCH: Final = 4
"""How many trials run side by side against the same best plan, for any number of workers."""

_TRIAL_FACTOR: Final = 2.0
"""The work limit of a trial, as a multiple of the first game's work."""

_ROW_SHARE: Final = 0.2
"""The work limit of each row of a trial, as a share of the limit of the trial. Of 110 trials of
eleven pictures 22 failed, which took 38 of 98 units: 21 of them exceed this limit, and 5 of the
others."""

_SLACK: Final = 2
"""A band print ends when it has cleared this many rows more than the best one at the same row."""

_HOPELESS: Final = 3.0
"""While there is no playable plan, the search may use this multiple of its work."""

_LEAST_WORK: Final = 1.0
"""The least work limit of a question; loading a band takes a third of it."""

_WHOLE_CELLS: Final = 1700
"""The most cells of a stack for questions about whole games: board width times the picture's rows
and their slots of three rows. A picture of 20x20 has as many."""

_WORK: Final = (8.0, 0.035, 42.0)
"""The work of an effort of 1: at least the first number, plus the second for each square of the
board in the picture's rows, at most the third. While whole games and bands followed each other,
25 units instead of 18 saved 42 of 586 drops of eight sprites, 33 of which are saved with 18 now."""

_SETTLED: Final[Mapping[str, tuple[float, float]]] = {
    Stage.WHOLE: (1.0, 0.0), Stage.BANDS: (1.05, 1.0), Stage.WINDOWS: (1.05, 1.0),
}  # fmt: skip
"""No question begins after the first number times the work until the last game of a stage, plus the
second. Of five sprites with a whole game after 2 to 6 units only the penguin has a shorter one in
the next 15 (81 drops for 96), by a question of 13 units. After their first print in bands ten of
twelve larger pictures have no shorter game in the next 2 to 8 units; the flag and the cactus have
one after 0.3 and 3 units."""

_FINISH: Final = 1.5
"""The work to keep for the remaining rows when the time is nearly up, as a multiple of the first
game's."""

_MOST_BOUND_EFFORT: Final = 4.0
"""A bound that is counted beside the search gets at most a tenth of the work of this effort."""

_LOW_END: Final = 0.2
"""The work to keep for a band that ends low, as a share of the work of an effort of 1."""


def estimate_default_work(task: Task, run: Run) -> float:
    """Return the work of an effort of 1."""
    width = _make_choices(task, run).list_boards()[0].width
    least, for_square, most = _WORK
    work = min(most, least + for_square * width * task.picture.height)
    return max(work, 2 * estimate_rows_work(task.picture, width))


def _make_choices(task: Task, run: Run) -> Choices:
    """Return the boards and types that the search may choose from."""
    return Choices(task, run.any_board, run.limit.seed)


def improve(task: Task, run: Run) -> Iterator[PrintResult]:
    """Yield better and better plans until none can be shorter or the work is spent.

    Parameters
    ----------
    task : Task
        The picture, its board, and the types that show its colours; types "auto" are open.
    run : Run
        The limits; the effort is a multiple of the usual work. Known plans that do not print the
        task are ignored.

    Yields
    ------
    PrintResult
        Each plan is verified, and shorter, better proved or newly playable; ``work`` is that of the
        search so far. The last one is yielded once more at the end, with whether the search was
        stopped.

    Raises
    ------
    JobError
        If no plan was found; :class:`TimeUpError` if the time was up before there was one.
    KeyboardInterrupt
        If the search was stopped from outside before there was a plan.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> from tetrisprinter.printing.task import Task
    >>> task = Task.of(Picture.parse("rgr\\nrrr"), "9x14", "auto")
    >>> drops = [found.drops for found in improve(task, Run())]
    >>> drops == sorted(drops, reverse=True)
    True
    """
    search = _Search(task, run)
    try:
        yield from search.run_all()
    finally:
        search.solvers.close()


@dataclass(slots=True)
class _Lane:
    """A print in bands that runs beside others."""

    print_: BandPrint
    questions: Sequence[Question] = field(init=False)  # none when the print has ended
    longest: float = 0.0  # the work of the longest answer of each round
    _steps: Steps = field(init=False)

    def __post_init__(self) -> None:
        self._steps = self.print_.print_bands()
        self.questions = next(self._steps, ())

    @property
    def foreseen(self) -> float:
        """The work that one question for each further band is likely to take."""
        return _foresee_rest(self.longest, self.print_)

    def receive(self, answers: list[Answer]) -> None:
        """Continue with the answers to the questions."""
        self.longest += max((answer.work for answer in answers), default=0.0)
        try:
            self.questions = self._steps.send(answers)
        except StopIteration:
            self.questions = ()


def _foresee_rest(work: float, print_: BandPrint) -> float:
    """Return the work that the bands that are left are likely to take, from that of the others."""
    return work * (1 / print_.share - 1) if print_.share else inf


@dataclass(slots=True)
class _Search:
    """The state of a search."""

    task: Task
    run: Run
    choices: Choices = field(init=False)
    solvers: SolverProcesses = field(init=False)
    can_ask: bool = field(init=False)  # whether there are solvers to ask
    default_work: float = field(init=False)
    best: PrintResult | None = None  # the shortest playable plan, or the shortest one
    is_playable: bool = False  # whether the player can steer every piece of the best plan
    is_shown: bool = True  # whether the best plan was yielded
    spent: float = 0.0
    first_work: float = 0.0  # the work of the first game
    stage_end: float = inf  # the work at which the present stage ends
    fraction: float = 0.0  # the share of the work that is done, as reported last
    best_rows: TrialResult | None = None  # the shortest print row by row: its choices promise most
    stage: str = Stage.FIRST
    problem: JobError | None = None
    fallbacks: dict[str, int] = field(default_factory=dict)
    # The bound by parts of a large picture, which is counted beside the first single question
    bound: DropBound | None = None
    has_bands: bool = False  # whether a print in bands was complete
    can_end_bands: bool = True  # whether there is work for all bands of the first print in bands
    bands_end: float = inf  # the work at which the first print in bands is likely to end
    starts: list[Found] = field(default_factory=list)  # games in bands whose windows are closed
    refuted: set[Hashable] = field(default_factory=set)  # windows that have no shorter game
    boards: set[Board] = field(default_factory=set)  # boards that were tried

    def __post_init__(self) -> None:
        self.choices = _make_choices(self.task, self.run)
        self.solvers = SolverProcesses(self.run.limit.workers, self.run.stop)
        self.can_ask = can_start_solvers()
        self.default_work = estimate_default_work(self.task, self.run)

    # -- the stages ------------------------------------------------------------------------------

    def run_all(self) -> Iterator[PrintResult]:
        """Run the stages in their order; see :func:`improve`."""
        task = self.task
        for plan in self.run.known:
            self._take_plan(plan, Stage.KNOWN)
        yield from self._show_best()
        is_free = task.pieces is None and not task.start and self.run.unfinished is None
        if is_free:
            stages = self._run_stages()
        elif task.pieces is None and self.run.unfinished is None:
            stages = self._run_over_board()
        else:
            stages = self._run_other_planner()
        try:
            for _ in stages:
                yield from self._show_best()
        except TimeUpError:
            pass
        finally:
            stages.close()
        if self.best is None and is_free and not (self.run.stop.is_set or self._gives_up):
            self._search_all_games()
        yield from self._show_best()
        if self.best is None:
            raise self._make_error()
        self._raise_bound(self.best)
        assert self.best is not None
        yield replace(
            self.best, work=self.spent, stopped=self.run.stop.is_set, steps=self._describe_choices()
        )

    def _run_stages(self) -> Generator[None, None, None]:
        """Find a first game, then ask from below; yield after each step."""
        if self.can_ask:
            self.solvers.start()
        yield from self._find_first_game()
        if self._is_over or self._gives_up:
            return
        self.stage = Stage.TYPES
        if not self.can_ask:
            yield from self._print_again(1.0, self.run.limit.effort * self.default_work)
            return
        tasks = self._whole_tasks
        if tasks:
            self.boards.update(task.board for task in tasks)
            yield from self._search_small(tasks)
            yield from self._prove()
        else:
            yield from self._search_large()

    def _search_small(self, tasks: Sequence[Task]) -> Generator[None, None, None]:
        """Ask for a whole game, and print in bands; then reopen windows and ask other boards.

        If a player has to steer the pieces, more and more rows stay empty until he can.
        """
        levels = _FREE_ROWS if self.run.can_play else _FREE_ROWS[:1]
        boards = [[WholeBoard(task, free_rows) for task in tasks] for free_rows in levels]
        for level in boards:
            yield from self._ask_for_whole(level[:2], [_FIRST_ROUND])
            if not self._is_made_by(Stage.WHOLE):
                yield from self._ask_and_print(level)
            if self.is_playable and any(map(self._is_made_by, (Stage.WHOLE, Stage.BANDS))):
                boards = [level]
                break
        factor = 1
        while not self._is_over:
            rounds = [r._replace(conflicts=r.conflicts * factor) for r in _LATER_ROUNDS]
            for level in boards:
                yield from self._ask_for_whole(level, rounds)
            if not self._count_open(boards):
                return
            if self._count_open(level[:1] for level in boards):  # else no window is shorter
                yield from self._reopen_windows(
                    factor * _CONFLICTS, free_rows=boards[-1][0].free_rows
                )
            factor *= _GROWTH
            if factor == _GROWTH**2:
                self.stage_end = self.spent + self._work_left / 2
                self.stage = Stage.BANDS
                yield from self._print_bands(self._list_band_prints(), _LANES)
                self.stage_end = inf

    def _count_open(self, levels: Iterable[Sequence[WholeBoard]]) -> int:
        """Return how many numbers of drops below the best one are not refuted on some boards."""
        fewest = self._get_fewest()
        return sum(len(board.list_open_numbers(fewest)) for level in levels for board in level)

    def _ask_and_print(self, boards: Sequence[WholeBoard]) -> Generator[None, None, None]:
        """Ask for harder whole games and for other boards, and print in bands, side by side.

        The print in bands is forgotten as soon as there is a whole game, which is usually shorter.
        """
        self.stage = Stage.BANDS
        if self._is_over:
            return
        first = boards[0]
        rounds = [(first, _LATER_ROUNDS[1]), *((board, _FIRST_ROUND) for board in boards[2:])]
        asked = [(*pair, pair[0].make_question(pair[1], self._get_fewest())) for pair in rounds]
        settings = replace(_SMALL_PRINTS, free_rows=first.free_rows)
        # The second print is for a dead end of the first
        prints = dict.fromkeys((first.task, self._fix_types(first.task)))
        work = self._limit_question(Stage.WHOLE)
        most = self._limit_question(Stage.BANDS)  # a first print should not end half-way
        jobs: list[partial[Any]] = [
            partial(ask, question, work) for *_, question in asked if question is not None
        ]
        jobs.append(partial(print_alone, [BandPrint(task, settings) for task in prints], most))
        *numbers, last = [self.solvers.begin(job) for job in jobs]
        answers = [self.solvers.wait(number) for number in numbers]
        bands: BandResult | None = None
        if any(answer.drops for answer in answers):
            self.solvers.drop([last])
        else:
            bands = self.solvers.wait(last)
        self.spent += sum(answer.work for answer in answers)
        self.stage = Stage.WHOLE
        left = iter(answers)
        for board, round_, question in asked:
            found = None if question is None else board.receive(round_, next(left))
            if found is not None:
                self._take(found)
        self._report(Progress(self.stage))
        if bands is not None:
            self.stage, print_ = Stage.BANDS, bands.print_
            self.spent += bands.work
            if print_.is_complete:
                self._take_bands(print_)
            else:
                yield from self._finish(print_)
        yield

    def _ask_for_whole(
        self, boards: Sequence[WholeBoard], rounds: Sequence[WholeRound]
    ) -> Generator[None, None, None]:
        """Ask for whole games on some boards."""
        self.stage = Stage.WHOLE
        asked = [(board, round_) for board in boards for round_ in rounds]
        yield from self._drive_all([search_whole(asked, self._take, self._get_fewest)])
        yield

    def _search_large(self) -> Generator[None, None, None]:
        """Try boards and types by rows, print in bands, then reopen windows."""
        self.stage = Stage.TYPES
        work = _TRIALS * min(1.0, self.run.limit.effort) * self.default_work
        yield from self._print_again(FIRST_EFFORT, self.spent + work)
        most = 1 if self._seems_large else _LANES
        prints = self._list_band_prints()

        def list_first_prints() -> Iterator[BandPrint]:
            while not self.has_bands and (print_ := next(prints, None)) is not None:
                yield print_

        self.stage = Stage.BANDS
        if self._is_split:
            whole = next(prints)
            yield from self._print_halves(whole)
            prints = chain([whole], prints)
        yield from self._print_bands(list_first_prints(), most)
        if self.best is None or not self.has_bands:
            self.stage = Stage.TYPES
            yield from self._print_harder()
            yield from self._print_again(FIRST_EFFORT, self.spent + self._work_left / 2)
            return
        yield from self._reopen_windows(_CONFLICTS, WINDOW_GROUPS[:_SMALL_WINDOWS])
        if self._work_left > 2 * self.best.work:
            self.stage, self.stage_end = Stage.BANDS, self.spent + self._work_left / 2
            yield from self._print_bands(prints, most)
            self.stage_end = inf
        conflicts, before = _CONFLICTS, -1.0
        while not self._is_over and self.spent > before:  # else no window is left
            before = self.spent
            yield from self._reopen_windows(conflicts)
            conflicts *= _GROWTH
        self.stage = Stage.BANDS
        yield from self._print_bands(prints, most)

    def _reopen_windows(
        self,
        conflicts: int,
        last_groups: Sequence[WindowGroup] = WINDOW_GROUPS,
        free_rows: int = 0,
    ) -> Generator[None, None, None]:
        """Reopen small windows of the games in bands, then all of the best; open types stay open.

        A longer game in bands may become the shortest (the fish: 79 and 88 drops become 79 and 61),
        and small windows are enough to see it.
        """
        self.stage = Stage.WINDOWS
        starts, make_task = list(self.starts), self.choices.make_task
        self.starts.clear()
        passes = [WINDOW_GROUPS[:_SMALL_WINDOWS]] if starts else []
        for groups in (*passes, last_groups):
            best = self.best
            if best is None:
                return
            drops = tuple((d.landing.orientation, d.landing.x) for d in best.game.drops)
            games = {drops: best.task} | {found.drops: found.task for found in starts}
            starts.clear()
            yield from self._drive_all(
                search_windows(
                    Found(make_task(task.board), drops), self._take, conflicts, self.refuted,
                    free_rows, groups,
                )
                for drops, task in games.items()
            )  # fmt: skip

    def _prove(self) -> Generator[None, None, None]:
        """Prove a bound with the work that is left, after the questions about whole games ended."""
        yield  # show what the questions found before more work is counted
        work = _PROOF
        self.stage = Stage.PROOF
        self.stage_end = self.spent * (1 + _PROOF_SHARE * self.run.limit.effort)
        while (
            self.best is not None and self.best.proof is not Proof.ALL_GAMES and not self._is_over
        ):
            self._report(Progress(self.stage))
            proof_work = min(work, self._work_left)
            jobs: list[partial[Any]] = [partial(raise_bound_within, self.best, proof_work)]
            if self._needs_bound and work > _PROOF:  # small pictures are proved by then
                jobs.append(self._make_bound_job())
            proved, *bounds = self.solvers.ask_all(jobs)
            self.bound = bounds[0] if bounds else self.bound
            self.is_shown = self.is_shown and proved == self.best
            self.best = replace(proved, stopped=False)
            self.spent += proof_work
            work *= _PROOF_GROWTH
            yield

    def _find_first_game(self) -> Generator[None, None, None]:
        """Print row by row until a print succeeds."""
        self._report(Progress(self.stage))
        rounds = list_first_rounds(self.choices, self.run.gives_up)
        results: list[TrialResult] | None = None
        while self.best is None:
            try:
                trials = next(rounds) if results is None else rounds.send(results)
            except StopIteration:
                return
            results = self._print_first(trials, begins_here=results is None)
            for result in results:
                self.spent += result.work
                self.first_work = result.work
                self.boards.add(result.task.board)
                if result.plan is not None:
                    self._take_rows(result, Stage.FIRST)
                    self.default_work = max(self.default_work, _FIRST_SHARE * self.first_work)
                    self._report(Progress(self.stage))
            yield

    def _print_again(self, effort: float, most_work: float) -> Generator[None, None, None]:
        """Print row by row on other boards and in other types, until some work is spent.

        Prints with little effort rank boards and types well enough for the bands. Of the types, one
        half is drawn by chance, the other varies those of the best plan.
        """
        choices = self.choices
        boards, assignments = choices.list_boards(), choices.rank_types()
        assignments.next()  # the usual types made the first game
        are_types_open = choices.task.types == "auto"
        trials, number = 1, 0
        while trials and self.spent < most_work and not self._is_shortest:
            batch = []
            for _ in range(_BATCH):
                number += 1
                best = self.best_rows
                board = boards[number // 2 % len(boards)] if best is None else best.task.board
                if number % 3 == 0:
                    board = boards[number // 3 % len(boards)]
                types = None
                if are_types_open:
                    known = () if best is None else (best.types,)
                    types = assignments.next(known if number % 2 else ())
                if types is not None or number // 3 < len(boards):
                    task = choices.make_task(board, types)
                    if are_types_open and types is None:
                        task = self._fix_types(task)
                    limit = max(1.0, _TRIAL_FACTOR * self.first_work)
                    pace = () if best is None else best.pace
                    row_limit = _ROW_SHARE * limit
                    batch.append(
                        Trial(task, effort, limit, choices, row_limit=row_limit, pace=pace)
                    )
                    self.boards.add(board)
            trials = len(batch)
            self._try(batch)
            self._report(Progress(self.stage))
            yield

    def _print_harder(self) -> Generator[None, None, None]:
        """Print row by row with more effort, on the board and in the types that were best."""
        task = self._rows_task
        if task is None or self._is_over:
            return
        choices = self.choices
        self._try([Trial(task, effort, self._work_left, choices) for effort in _HARDER])
        yield

    @property
    def _rows_task(self) -> Task | None:
        """The task of the shortest print row by row, with its board and types; None without one."""
        best, choices = self.best_rows, self.choices
        if best is None:
            return None
        types = best.types if choices.task.types == "auto" else None
        return choices.make_task(best.task.board, types)

    def _try(self, trials: Sequence[Trial]) -> None:
        """Print row by row in some ways, side by side; count the work and take the plans."""
        for result in self._print_side_by_side(trials):
            self.spent += result.work
            self._take_rows(result, self.stage)

    def _print_first(self, trials: Sequence[Trial], begins_here: bool) -> list[TrialResult]:
        """Print row by row in some ways, side by side, and return the results up to the first plan.

        The first trial runs in this process if it ``begins_here``, so that its rows are reported.
        Formulas print rows at dead ends.
        """
        solvers, here = self.solvers, int(begins_here) if self.can_ask else len(trials)
        numbers = [solvers.begin(partial(print_rows, trial, ask=ask)) for trial in trials[here:]]

        def report(progress: Progress) -> None:
            solvers.work_beside()
            self._report(progress)

        results = list[TrialResult]()
        for result in chain(
            (print_rows(trial, self.run.stop, report) for trial in trials[:here]),
            map(solvers.wait, numbers),
        ):
            results.append(result)
            if result.plan is not None:
                break
        solvers.drop(numbers)
        return results

    def _print_side_by_side(self, trials: Sequence[Trial]) -> list[TrialResult]:
        """Print row by row in processes, or in this one if there are none (in the browser)."""
        if self.can_ask:
            return self.solvers.ask_all([partial(print_rows, trial) for trial in trials])
        return [print_rows(trial, self.run.stop) for trial in trials]

    def _run_other_planner(self) -> Generator[None, None, None]:
        """Run the planner for a piece queue, or the one that continues rows or existing squares."""
        from tetrisprinter.planners.dealt import DEALT

        task, limit = self.task, self.run.limit
        is_endless = limit.effort == inf and task.pieces is None  # with a time limit
        if task.start or is_endless:
            # Over squares, other ways to clear the board save more than a wider beam
            limit = replace(limit, effort=1.0)
        run = Run(
            limit, report=self._report, note=self.run.note, unfinished=self.run.unfinished,
            unfinished_name=self.run.unfinished_name, stop=self.run.stop, fallbacks=self.fallbacks,
        )  # fmt: skip
        try:
            result = (ROWS if task.pieces is None else DEALT).plan(task, run)
        except TimeUpError:
            raise
        except JobError as error:
            self.problem = error
            return
        self.spent += run.work.spent
        if self.best is None or result.drops < self.best.drops:
            self.best, self.is_shown = result, False
            self.is_playable = self._can_play(result.plan)
        yield

    def _run_over_board(self) -> Generator[None, None, None]:
        """Print over the squares on the board; then clear the board first and search as usual.

        Row by row, the lowest rows that are right already stay. If few of them are, the board is
        better cleared: a slideshow of five sprites takes 723 drops instead of 978.
        """
        yield from self._run_other_planner()
        if self._is_over:
            return
        task, limit, stop = self.task, Limit(seed=self.run.limit.seed), self.run.stop
        run = Run(limit, stop=stop, work=Work(most=self._end, stop=stop))
        passes = find_clearing(task, run)
        self.spent += run.work.spent
        if passes is None or self.run.stop.is_set:
            return
        before = self.spent
        empty_run = replace(self.run, known=(), report=self._report_over_board)
        try:
            for found in improve(replace(task, start=()), empty_run):
                self.spent = before + found.work
                plan = replace(found.plan, passes=(*passes, *found.plan.passes), start=task.start)
                self._take_plan(plan, found.made_by[0])
                yield
        except (JobError, KeyboardInterrupt):
            if self.best is None:
                raise

    def _report_over_board(self, progress: Progress) -> None:
        """Report the progress of the search for a picture that is printed on a cleared board."""
        self.fraction = progress.fraction
        self._report(Progress(progress.stage))

    @property
    def _gives_up(self) -> bool:
        """Whether there is no game, and a simpler version of the picture is tried instead."""
        return self.best is None and self.run.gives_up and not self._whole_tasks

    def _search_all_games(self) -> None:
        """Search for any game; on a low board the formula and the row planner do not know all."""
        if not self.can_ask:
            return
        self.stage = Stage.WHOLE_GAMES
        self._report(Progress(self.stage))
        work = self.run.limit.effort * self.default_work
        (result,) = self.solvers.ask_all([partial(find_any_game, self.task, work)])
        self.spent += work
        if result is not None:
            self.best, self.is_shown = replace(result, made_by=(self.stage,)), False

    @property
    def _whole_tasks(self) -> list[Task]:
        """The boards on which the whole picture fits into one formula, the best first.

        Boards two columns wider than the picture were best for all eight sprites.
        """
        choices = self.choices
        picture = self.task.picture
        boards = sorted(
            choices.list_boards(), key=lambda board: abs(board.width - picture.width - 2)
        )
        boards = [board for board in boards if self._count_whole_cells(board) <= _WHOLE_CELLS]
        return [choices.make_task(board) for board in boards[:_WHOLE_BOARDS]]

    def _count_whole_cells(self, board: Board) -> int:
        """Return the cells of a whole game: the picture rows, and three rows in each slot."""
        return board.width * (4 * self.task.picture.height + 3)

    def _print_bands(self, prints: Iterable[BandPrint], most: int) -> Generator[None, None, None]:
        """Print the picture in bands, with one choice of board and types after another."""
        left, lanes, pace = iter(prints), list[_Lane](), dict[int, int]()
        while True:
            while len(lanes) < most and (print_ := next(left, None)) is not None:
                lanes.append(_Lane(print_))
                self.boards.add(print_.task.board)
            if not lanes or self._is_shortest:
                return
            has_rows = any(lane.print_.done.rows for lane in lanes)
            if self._is_over or (has_rows and self._must_finish):
                farthest = max(lanes, key=lambda lane: (lane.print_.done.rows, -lane.print_.cost))
                yield from self._finish(farthest.print_)
                return
            questions = [question for lane in lanes for question in lane.questions]
            answers = iter(self._ask(questions, self._work_left))
            for lane in list(lanes):
                print_ = lane.print_
                lane.receive(list(islice(answers, len(lane.questions))))
                if print_.is_complete:
                    self._take_bands(print_)
                rows, cost = print_.done.rows, print_.cost
                is_behind = cost > pace.get(rows, cost) + _SLACK * print_.task.board.width
                pace[rows] = min(cost, pace.get(rows, cost))
                if is_behind or not lane.questions:
                    lanes.remove(lane)
                    if not print_.is_complete and not is_behind:
                        yield from self._finish(print_)  # a dead end: the rest row by row
            if self._seems_large and not self.has_bands:
                self._foresee(lanes)
            yield

    def _print_halves(self, whole: BandPrint) -> Generator[None, None, None]:
        """Print the lower and the upper half of the picture side by side, then join them.

        After a dead end, or if there is not enough work for both, the lower half is printed further
        band by band, and the upper one is forgotten.
        """
        halves = split_print(whole)
        if halves is None:
            yield from self._print_bands(iter([whole]), 1)
            return
        most = _FIRST_BANDS * self.run.limit.effort * self.default_work
        # With a time limit each band is kept, so that the rest can be printed on top in time
        pause = _PAUSE if self.run.stop.deadline == inf else 0.0
        results = [BandResult(half, 0.0, is_paused=True) for half in halves]
        while not (self._is_over or (results[0].print_.done.rows and self._must_finish)):
            left = [
                number
                for number, (print_, _, is_paused) in enumerate(results)
                if is_paused and not print_.has_one_left
            ]
            begun = [results[number] for number in left if results[number].work]
            foreseen = sum(_foresee_rest(half.work, half.print_) for half in begun)
            if not left or self.spent + foreseen > most:
                break
            work = self._work_left / len(left)
            jobs = [
                partial(print_alone, [results[number].print_], work, pause, leaves_last=True)
                for number in left
            ]
            for number, result in zip(left, self.solvers.ask_all(jobs), strict=True):
                before = results[number].work
                results[number] = result._replace(work=before + result.work)
                self.spent += result.work
            if all(half.print_.share >= _FORESEEN for half in results):
                rest = sum(_foresee_rest(half.work, half.print_) for half in results)
                self._foresee_end(sum(half.work for half in results), rest)
            self._report(Progress(self.stage))
            yield
        prints = [half.print_ for half in results]
        if all(half.has_one_left for half in prints):  # the last bands take longest: share them
            yield from self._drive_all([half.print_bands() for half in prints])
        print_ = join_halves(*prints)
        if print_.is_complete:
            self._take(print_.found)
            yield
            yield from self._drive(print_.reopen(halves[1].first), inf)
            self._take_bands(print_)
            yield
        else:
            yield from self._print_bands(iter([print_]), 1)

    def _foresee_end(self, work: float, rest: float) -> None:
        """Foresee the end of a print in bands from the work so far and that of the rest."""
        self.bands_end = self.spent + rest + _LAST_BANDS * (work + rest)

    def _foresee(self, lanes: Sequence[_Lane]) -> None:
        """Foresee whether the first print in bands can end."""
        work = self.run.limit.effort * self.default_work
        for lane in lanes:
            if lane.print_.share >= _FORESEEN:
                self._foresee_end(lane.longest, lane.foreseen)
                self.can_end_bands = self.spent + lane.foreseen <= _FIRST_BANDS * work

    def _list_band_prints(self) -> Iterator[BandPrint]:
        """Yield prints in bands: tasks with board and types, and settings."""
        choices = self.choices
        is_open = choices.task.types == "auto"
        assignments = choices.rank_types()
        usual_types = assignments.next() if is_open else None
        base = self._rows_task or self._fix_types(self._shared_task)
        boards = (board for board in choices.list_boards() if board != base.board)
        usual = choices.make_task(base.board, usual_types)
        yield from (BandPrint(task, _FIRST_PRINTS) for task in dict.fromkeys((base, usual)))
        others = (replace(choices.make_task(board), types=base.types) for board in boards)
        yield from (BandPrint(task, _FIRST_PRINTS) for task in islice(others, 1))
        for settings in _OTHER_PRINTS:
            yield BandPrint(self._fix_types(self._shared_task), settings)
            types = assignments.next() if is_open else None
            if types is not None:
                yield BandPrint(choices.make_task(base.board, types), settings)
            yield from (BandPrint(task, settings) for task in islice(others, 1))

    @property
    def _seems_large(self) -> bool:
        """Whether one print in bands takes most of the work of an effort of 1."""
        task = self.task
        width = self.choices.list_boards()[0].width
        return width * task.picture.height >= _LARGE

    @property
    def _is_split(self) -> bool:
        """Whether a first print in bands is made in two halves."""
        width, rows = _SPLIT
        return self.choices.list_boards()[0].width >= width and self.task.picture.height >= rows

    def _fix_types(self, task: Task) -> Task:
        """Return a task with the usual types if its types are open."""
        if task.type_colors is not None:
            return task
        choices = self.choices
        return choices.make_task(task.board, choices.rank_types().next())

    @property
    def _shared_task(self) -> Task:
        """The task of the best plan, with its types; or the first one."""
        if self.best is None:
            choices = self.choices
            return choices.make_task(choices.list_boards()[0])
        task = self.best.task
        if task.type_colors is None:
            task = replace(task, types=TypeColors.of(self.best.plan.color_of))
        return task

    # -- questions -------------------------------------------------------------------------------

    def _drive(
        self, steps: Generator[Sequence[Question], list[Answer], T], most_work: float
    ) -> Generator[None, None, T | None]:
        """Answer the questions of some steps until the search has spent ``most_work``.

        Returns the result of the steps, or None if they did not end.
        """
        try:
            questions = next(steps)
            while self.spent < most_work and not self._is_shortest:
                questions = steps.send(self._ask(questions, most_work - self.spent))
                yield
            steps.close()
            return None
        except StopIteration as end:
            result: T = end.value
            return result

    def _drive_all(self, all_steps: Iterable[Steps]) -> Generator[None, None, None]:
        """Answer the questions of several steps side by side, until the work is spent."""
        left = {steps: next(steps, ()) for steps in all_steps}
        while any(left.values()) and not self._is_over:
            asked = [question for questions in left.values() for question in questions]
            answers = iter(self._ask(asked, self._limit_question(self.stage)))
            for steps, questions in list(left.items()):
                try:
                    left[steps] = steps.send(list(islice(answers, len(questions))))
                except StopIteration:
                    del left[steps]
            yield

    def _ask_one(self, question: Question, work: float) -> Answer:
        """Answer a question with some work, which the caller counts."""
        answers: list[Answer] = self.solvers.ask_all([partial(ask, question, work)])
        return answers[0]

    def _ask(self, questions: Sequence[Question], work: float) -> list[Answer]:
        """Answer questions side by side with some work; count it, and report the progress."""
        jobs: list[partial[Any]] = [
            partial(ask, question, max(_LEAST_WORK, work)) for question in questions
        ]
        if len(questions) == 1 and self._seems_large and self.best is not None and not self.bound:
            *answers, self.bound = self.solvers.ask_all([*jobs, self._make_bound_job()])
        else:
            answers = self.solvers.ask_all(jobs)
        self.spent += sum(answer.work for answer in answers)
        self._report(Progress(self.stage))
        return answers

    def _take(self, found: Found) -> None:
        """Make a found game the best one, if it is shorter."""
        task = found.task
        colors = list_plan_colors(task.board, task.color_types(found.types))
        plan = make_plan_from_drops(found.drops, colors, task.board.width, task.board.height)
        self._take_plan(plan, self.stage)

    def _take_bands(self, print_: BandPrint) -> None:
        """Take a complete print in bands; its windows are reopened later."""
        self._take(print_.found)
        self.starts.append(print_.found)
        self.has_bands = True

    def _take_rows(self, print_: TrialResult, stage: str) -> None:
        """Take a print row by row, and remember it if it is the shortest one."""
        if print_.plan is not None:
            if self.best_rows is None or print_.drops < self.best_rows.drops:
                self.best_rows = print_
            self._take_plan(print_.plan, stage)

    def _take_plan(self, plan: Plan, stage: str) -> None:
        """Play a plan and make it the best one, if it is shorter or the first that is playable."""
        is_shorter = self.best is None or len(plan) < self.best.drops
        if self.is_playable and not is_shorter:
            return  # steering every piece takes long, so the length is compared first
        is_playable = self._can_play(plan)
        if not (is_playable or (is_shorter and not self.is_playable)):
            return
        task = self.choices.make_task(plan.board)
        try:
            result = PrintResult.of(task, plan, stage)
        except TetrisPrinterError as error:
            if isinstance(error, InternalError) and stage != Stage.KNOWN:
                raise
            LOG.info("%s: %s", stage, error)
            return
        if self.best is not None and self.best.task.board == task.board:
            result = result.raise_bound(self.best.drop_bound)
        self.best = replace(result, made_by=(stage,), work=self.spent)
        self.is_playable, self.is_shown = is_playable, False

    def _can_play(self, plan: Plan) -> bool:
        """Return whether the player can steer every piece of a plan."""
        return self.run.can_play is None or self.run.can_play(plan)

    def _get_fewest(self) -> float:
        """Return the number of drops to beat."""
        return inf if self.best is None or not self.is_playable else self.best.drops

    # -- the end ---------------------------------------------------------------------------------

    @property
    def _is_over(self) -> bool:
        """Whether the best plan is the shortest, the work is spent, or a stop is requested."""
        return self.run.stop.is_set or self._is_shortest or self._work_left <= 0

    @property
    def _work_left(self) -> float:
        """The work until the end of the stage."""
        return min(self._end, self.stage_end) - self.spent

    def _limit_question(self, stage: str) -> float:
        """Return the work of a question; one that began may end after the search is settled."""
        return max(_LEAST_WORK, min(self._find_latest_end(stage), self.stage_end) - self.spent)

    @property
    def _end(self) -> float:
        """The work at which the search ends."""
        end = self._find_latest_end(self.stage)
        settled = None if self.best is None else _SETTLED.get(self.best.made_by[0])
        if self.best is not None and settled and self.is_playable and self.stage != Stage.PROOF:
            factor, least = settled
            end = min(end, self.run.limit.effort * (factor * self.best.work + least))
        return end

    @property
    def _likely_end(self) -> float:
        """The work at which the search is likely to end, for the progress."""
        if self.stage == Stage.PROOF:
            return min(self._end, self.stage_end)
        if self.stage == Stage.BANDS and not self.has_bands:
            usual = self.run.limit.effort * self.default_work
            return min(
                self._end, max(self.bands_end if self.bands_end < inf else usual, self.spent)
            )
        return self._end

    def _find_latest_end(self, stage: str) -> float:
        """Return the work at which a stage asks its last question; more without a playable plan."""
        work = self.run.limit.effort * self.default_work
        if not self.is_playable:
            work *= _HOPELESS
        if stage == Stage.BANDS and not self.has_bands and self.can_end_bands:
            work *= _FIRST_BANDS  # the first print in bands should not end half-way
        return work

    @property
    def _is_shortest(self) -> bool:
        """Whether no game of the task is shorter; on an open board it has no cleared line."""
        best = self.best
        return best is not None and self.is_playable and best.is_shortest(self.run.any_board)

    @property
    def _must_finish(self) -> bool:
        """Whether the time or the work that is left is just enough to print the remaining rows."""
        reserve = _FINISH * self.first_work + self._end_work
        return min(self._work_left, self.run.stop.seconds_left) < reserve

    @property
    def _end_work(self) -> float:
        """The work to keep for a band that ends low."""
        return _LOW_END * min(1.0, self.run.limit.effort) * self.default_work

    def _finish(self, print_: BandPrint) -> Generator[None, None, None]:
        """Print the rows that are left row by row, on top of the bands that stand.

        One more band ends low, because the row planner begins over at most one row that is begun.
        """
        if not print_.done.rows or self.has_bands or print_.task.type_colors is None:
            return
        is_low = yield from self._drive(print_.end_low(), self.spent + self._end_work)
        if not is_low:
            return
        if print_.is_complete:
            self._take_bands(print_)
            return
        task, board = print_.task, print_.task.board
        assert task.type_colors is not None  # as above
        colors = list_plan_colors(board, task.type_colors)
        plan = make_plan_from_drops(print_.done.drops, colors, board.width, board.height)
        run = Run(Limit(seed=self.run.limit.seed), stop=self.run.stop, unfinished=plan)
        try:
            plan = plan_rows(task, run, RowRescue(task, run.work, self._ask_one)).plan
        except TimeUpError:
            raise
        except JobError:
            return
        self.spent += run.work.spent
        self._take_plan(plan, self.stage)

    def _is_made_by(self, stage: str) -> bool:
        """Whether the best plan was found in a stage."""
        return self.best is not None and self.best.made_by == (stage,)

    def _raise_bound(self, best: PrintResult) -> None:
        """Raise the bound of the best plan by counting parts, with a tenth of the work."""
        if best.proof is Proof.ALL_GAMES or self.run.stop.is_set or self.task.pieces:
            return
        if self._needs_bound:
            self.bound = self._make_bound_job()(stop=lambda: self.run.stop.is_set)
        assert self.bound is not None
        self.best = best.raise_bound(self.bound)

    @property
    def _needs_bound(self) -> bool:
        """Whether the parts of the best plan's board were not counted yet."""
        assert self.best is not None
        return self.bound is None or self.bound.board != self.best.task.board

    def _make_bound_job(self) -> partial[DropBound]:
        """Return the job that counts the parts of the best plan's board with a tenth of the work.

        With a time limit the effort is infinite.
        """
        assert self.best is not None
        effort = min(_MOST_BOUND_EFFORT, self.run.limit.effort)
        return partial(count_parts, self.best.task, effort * self.default_work / 10)

    def _make_error(self) -> BaseException:
        """Return the error to raise if there is no plan."""
        name = self.task.name
        if self.run.stop.is_requested:
            return KeyboardInterrupt()
        if self.run.stop.is_set:
            return TimeUpError.of(name)
        return self.problem or JobError(f"{name}: no plan was found")

    # -- reports ---------------------------------------------------------------------------------

    def _show_best(self) -> Iterator[PrintResult]:
        """Yield the best plan if it is new."""
        if not self.is_shown and self.best is not None:
            self.is_shown = True
            self.best = replace(
                self.best, work=self.spent, steps=self._describe_choices(),
                fallbacks=tuple(sorted(self.fallbacks.items())),
            )  # fmt: skip
            yield self.best

    def _describe_choices(self) -> tuple[Step, ...]:
        """Describe the chosen board and how many were tried, in no or one step."""
        if self.best is None or not self.run.any_board:
            return ()
        tried = f"the best of {len(self.boards)}" if len(self.boards) > 1 else "the narrowest"
        return (Step(f"board: {self.best.task.board.width} columns, {tried}", Setting.BOARD),)

    def _report(self, progress: Progress) -> None:
        """Report progress, with the fewest drops so far and the share of the work that is done."""
        best = self.best
        if self._end < inf:
            self.fraction = min(1.0, max(self.fraction, self.spent / self._likely_end))
        if best is not None:
            progress = replace(
                progress, fraction=self.fraction, drops=best.drops, bound=best.drop_bound
            )
        self.run.report(progress)
