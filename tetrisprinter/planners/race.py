"""Racing over boards and types: print the picture in many ways, each until it falls behind.

A cleared row costs a quarter of the board's width in drops, so a narrow board is cheap; which
type shows which colour decides how many rows have to be cleared. Neither is known before a
picture is printed. So it is printed row by row on several boards and in several assignments of
types, the most promising first, and a print ends as soon as it is behind the best one at the same
height. Of a large picture only some rows are printed that way, then the whole in the best way.

What is tried does not depend on the effort, only how much of it: so more effort is never worse.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import inf, sqrt

from tetrisprinter.errors import JobError, Setting
from tetrisprinter.game.board import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.budgets import EASY, seconds_of_photo
from tetrisprinter.planners.context import Context, Request, Slice
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.rows.budgets import BUDGETS as ROWS_BUDGETS
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.planners.sample import Print, Sample, states_kept
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.boards import choose_board, list_narrow_widths
from tetrisprinter.printing.sharing import rank_assignments
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors

__all__ = ["RACE", "Race", "RaceBudgets", "estimate_print"]

_Types = tuple[tuple[PieceType, Color], ...]


@dataclass(frozen=True, slots=True)
class RaceBudgets:
    """What the race may use. Work is counted in about seconds of a processor.

    Attributes
    ----------
    first : float
        The effort of the first plan.
    work : float
        About what choosing a board and types is worth: a picture whose print takes more is
        sampled.
    square, second : float
        About how much work a square of the board's rows is, and what is estimated to take a
        second.
    sample : float
        Of a large picture some rows are printed: this part of the work of all rows.
    samples, rows : int
        About how many samples are printed for that, each in strips of this many rows.
    boards, leaders : int
        Boards that are tried, from the narrowest possible one on; those that are tried first.
    random, again_random, parents : int
        Once this many prints were tried, assignments are small changes of the best ones, except
        one in so many, which is drawn.
    abreast : int
        Prints that are made side by side, for any number of workers: each has those before it to
        beat.
    patience, least : float
        How many times the work of the best print another may take, because short prints are found
        fast; and the work that each may take.
    slack : float
        How many drops a print may be behind at first, for a column of the board.
    longer : float
        A print that is made once more may take this many times its work, and be this many times
        as far behind: several games win late.
    """

    first: float = 0.1
    work: float = 2.2
    square: float = 0.0012
    second: float = 0.6
    sample: float = 0.4
    samples: int = 6
    rows: int = 5

    boards: int = 5
    leaders: int = 2
    random: int = 8
    again_random: int = 8
    parents: int = 3
    abreast: int = 2
    patience: float = 2.0
    least: float = 0.1
    slack: float = 0.5
    longer: float = 3.0


RACE = RaceBudgets()


def estimate_print(request: Request, budgets: RaceBudgets = RACE) -> float:
    """Estimate the work of one print row by row."""
    task = request.task
    width = list_narrow_widths(task.picture, 1)[0] if request.any_board else task.board.width
    return max(
        budgets.square * width * task.picture.height,
        budgets.second * seconds_of_photo(task.picture, EASY),
    )


@dataclass(slots=True)
class Race:
    """Prints of a picture in several ways.

    Attributes
    ----------
    context : Context
        What all operators share.
    budgets : RaceBudgets
        What it may use.
    sample : Sample
        Which rows are printed.
    prints : list of Print
        Those that came to their end, the best first.
    boards : set of int
        Widths of the boards that were tried.
    count : int
        How many prints were tried.
    is_sampled : bool
        Whether the samples of a large picture were printed, so that the whole is next.
    """

    context: Context
    budgets: RaceBudgets = RACE
    sample: Sample = field(init=False)
    prints: list[Print] = field(default_factory=list)
    boards: set[int] = field(default_factory=set)
    count: int = 0
    is_sampled: bool = False
    _most: float = field(init=False)
    _again: set[tuple[Task, int, bool]] = field(default_factory=set)
    _whole: set[tuple[Task, float]] = field(default_factory=set)

    def __post_init__(self) -> None:
        height = self.context.request.task.picture.height
        whole, budgets = estimate_print(self.context.request, self.budgets), self.budgets
        rows = height
        if whole > budgets.work:
            work = max(budgets.work, budgets.sample * whole)
            kept = states_kept(self._boards()[0].width)
            rows = round(height * work / whole / budgets.samples / kept)
            rows = min(height, max(budgets.rows, rows))
        self._take_sample(rows, max(budgets.work, budgets.sample * whole))

    def _take_sample(self, rows: int, most: float) -> None:
        height = self.context.request.task.picture.height
        self.sample = Sample.of(height, rows, self.budgets.rows)
        # The work that a print may take as long as there is none; samples share it.
        self._most = most / self.budgets.leaders if self.has_choice else inf
        if self.sample.is_whole and self.has_choice:
            whole = estimate_print(self.context.request, self.budgets)
            self._most = min(most, self.budgets.patience * whole)

    @property
    def has_choice(self) -> bool:
        """Whether board or types are open."""
        request = self.context.request
        return request.any_board or request.task.types == "auto"

    @property
    def has_finished(self) -> bool:
        """Whether a print with the usual effort came to its end."""
        return any(one.work < inf for one in self.prints)

    @property
    def needs_whole_print(self) -> bool:
        """Whether the race is over and the picture was not printed with the usual effort."""
        return self.is_sampled and not (self.sample.is_whole and self.has_finished)

    # -- operators --------------------------------------------------------------------

    def first_plan(self) -> Iterator[Slice]:
        """Print all rows with a tenth of the effort, on the narrowest board where that works."""
        boards = self._boards()
        if self.context.request.any_board:
            task = self.context.request.task
            boards.append(Board(*choose_board(task.picture)))
        types = self._first_types()
        height = self.context.request.task.picture.height
        whole = Sample.of(height, height, height)
        for effort in (self.budgets.first, 1.0):
            for board in dict.fromkeys(boards):
                task = self._on(board, types)
                run = self.context.run(effort)
                segment = whole.segment(task, run, effort=effort)
                made = Print(task) if segment is None else whole.printed(segment, None, 0.0)
                if made.is_late:
                    return
                self.boards.add(board.width)
                if made.plan is not None and self.sample.is_whole:
                    self._insert(replace(made, work=inf, segment=None))
                yield Slice(made.work, made.plan, made.made_by, 0, f"{board} board")
                if made.plan is not None:
                    return

    def look(self) -> Iterator[Slice]:
        """Print in one way after the other."""
        tasks = self._tasks()
        spent, slice_ = 0.0, Slice(0.0)
        while batch := list(islice(tasks, self.budgets.abreast)):
            slice_ = self._side_by_side([partial(self._printed, task) for task in batch])
            spent += slice_.work
            if not self.sample.is_whole and (
                spent > 2 * self._most and (self.prints or self.count > self.budgets.leaders)
            ):
                break
            yield slice_
        self.is_sampled = True
        if not self.sample.is_whole:
            yield slice_

    def once_more(self) -> Iterator[Slice]:
        """Print the best ones once more, with passes chosen in other ways."""
        while True:
            # A print and its search are in one thread only, so each print is there once.
            ways: dict[Task, partial[Print]] = {}
            for games, together in ((ROWS_BUDGETS.games, True), (1, False)):
                for one in self.prints[: self.budgets.abreast + self.count // 20]:
                    key = one.task, games, together
                    if one.work < inf and key not in self._again and one.task not in ways:
                        ways[one.task] = partial(self._otherwise, one, games, together)
                        self._again.add(key)
                    if len(ways) == self.budgets.abreast:
                        break
                if ways:
                    break
            if not ways:
                return
            yield self._side_by_side(list(ways.values()))

    def whole_print(self) -> Iterator[Slice]:
        """Print all rows of a large picture in the ways that were best for a sample of them."""
        context = self.context
        for effort in (1.0, 2.5):
            for task in self._whole_tasks():
                if (task, effort) in self._whole:
                    continue
                self._whole.add((task, effort))
                request = context.request
                run = replace(
                    context.run(effort),
                    tell=context.tell, note=context.note, journal=request.journal,
                    processes=request.processes, dask=request.dask, any_board=request.any_board,
                )  # fmt: skip
                try:
                    result = ROWS.plan(task, run)
                except TimeUpError:
                    return
                except JobError as error:
                    run.fell_back("printed on another board", str(error))
                    yield Slice(run.work.spent)
                    continue
                yield Slice(run.work.spent, result.plan, result.made_by)

    # -- what they do -----------------------------------------------------------------

    def _boards(self) -> list[Board]:
        request = self.context.request
        task = request.task
        if not request.any_board:
            return [task.board]
        widths = list_narrow_widths(
            task.picture, self.budgets.boards, any_count=task.has_dont_care_squares
        )
        height = choose_board(task.picture)[1]
        return [Board(width, height) for width in widths]

    def _first_types(self) -> _Types | None:
        task = self.context.request.task
        if task.types != "auto":
            return None
        return rank_assignments(
            task.picture, task.background, self.context.request.limit.seed
        ).next()

    def _tasks(self) -> Iterator[Task]:
        """Yield what is printed: the usual types on all boards, then others on the best ones."""
        task, budgets = self.context.request.task, self.budgets
        boards = self._boards()
        if task.types != "auto":
            yield from (self._on(board, None) for board in boards)
            return
        ways = rank_assignments(task.picture, task.background, self.context.request.limit.seed)
        usual = types = ways.next()
        if types is None:
            return
        yield from (self._on(board, usual) for board in boards[: budgets.leaders])
        later = boards[budgets.leaders :]
        drawn = 0
        while True:
            drawn += 1
            parents = [_types(one.task) for one in self.prints[: self._parents]]
            by_chance = self.count < budgets.random or drawn % budgets.again_random == 0
            types = ways.next(() if by_chance else parents)
            if types is None:
                break
            best = list(dict.fromkeys(one.task.board for one in self.prints)) or boards
            yield from (self._on(board, types) for board in best[: budgets.leaders])
            if later and self.prints:
                yield self._on(later.pop(0), _types(self.prints[0].task))
        yield from (self._on(board, usual) for board in later)

    @property
    def _parents(self) -> int:
        """How many prints are changed a little: more of them as the race goes on."""
        return max(self.budgets.parents, round(0.7 * sqrt(self.count)))

    def _on(self, board: Board, types: _Types | None) -> Task:
        task = self.context.request.on(board)
        return task if types is None else replace(task, types=TypeColors.of(types))

    def _printed(self, task: Task) -> Print:
        """Print a picture, as long as it does not fall behind the best print."""
        best, most = self._best, self._most
        if best is not None:
            most = min(most, max(self.budgets.least, self.budgets.patience * best.work))
        segment = self.sample.segment(task, self.context.run(), most)
        if segment is None:
            return Print(task)
        return self.sample.printed(segment, best, self.budgets.slack * task.board.width)

    def _otherwise(self, one: Print, games: int, together: bool) -> Print:
        """Print once more what was printed, with passes chosen in another way."""
        before = one.segment or self.sample.segment(one.task, self.context.run())
        assert before is not None
        width = one.task.board.width
        alone = self.sample.alone(width, self.context.run(), self.budgets.longer * one.work)
        other = before.alternative(alone, together, ROWS_BUDGETS.beam_width(width, games))
        slack = self.budgets.longer * self.budgets.slack * width
        return self.sample.printed(other, self._best, slack)

    @property
    def _best(self) -> Print | None:
        """The best print that others have to beat: the first plan is none, as it had less work."""
        return next((one for one in self.prints if one.work < inf), None)

    def _side_by_side(self, looks: Sequence[partial[Print]]) -> Slice:
        """Make some prints, and say what came of them."""
        workers = min(len(looks), self.context.request.limit.workers)
        if workers > 1:
            with ThreadPoolExecutor(workers) as pool:
                found = list(pool.map(_call, looks))
        else:
            found = [look() for look in looks]
        work = sum(one.work for one in found)
        before = self._best
        for one in found:
            self.count += 1
            self.boards.add(one.task.board.width)
            if one.plan is not None:
                self._insert(one)
        if self._best is None:
            self._most *= self.budgets.patience
        # What a search remembers takes room; that of the best prints may be of use.
        for number in range(self.budgets.abreast, len(self.prints)):
            self.prints[number] = replace(self.prints[number], segment=None)
        best = self._best
        if best is None or best is before or not self.sample.is_whole:
            return Slice(work)
        return Slice(work, best.plan, best.made_by)

    def step(self, task: Task) -> Step | None:
        """Say which board or types were chosen, and of how many."""
        if self.context.request.any_board:
            tried = f"the best of {len(self.boards)}" if len(self.boards) > 1 else "the narrowest"
            return Step(f"board: {task.board.width} columns, {tried}", Setting.BOARD)
        if task.types == "auto" and self.count > 1:
            return Step(f"types: the best of {self.count} ways to share them", Setting.TYPES)
        return None

    def _insert(self, one: Print) -> None:
        bisect.insort(self.prints, one, key=lambda one: one.drops)

    def _whole_tasks(self) -> Iterator[Task]:
        """Yield in which ways a large picture is printed, the best first."""
        any_board = self.context.request.any_board
        picture = self.context.request.task.picture
        for one in self.prints or [Print(self._on(self._boards()[0], self._first_types()))]:
            if any_board and Stage.IN_PARTS in one.made_by:
                # There are rows that no pass prints, and a platform for one that no passes print
                # either needs free columns.
                yield self._on(Board(*choose_board(picture)), _types(one.task))
            yield one.task
        if any_board:
            yield self._on(Board(*choose_board(picture)), self._first_types())


def _call(look: partial[Print]) -> Print:
    return look()


def _types(task: Task) -> _Types:
    types = task.type_colors
    return () if types is None else tuple(sorted(types.items()))
