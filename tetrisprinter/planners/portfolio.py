"""The board and the types that take the fewest drops, among some of both.

A cleared row costs a quarter of the board's width in drops, so a narrow board is cheap; which
type shows which colour decides how many rows have to be cleared. Neither is known before a
picture is printed. So it is printed row by row on several boards and in several assignments of
colours, the one that promises most first, and a print ends as soon as it has fallen behind the
best one at the same height. Of a large picture only some rows are printed that way: they decide
for all of it.

How many are tried is a matter of work, which is counted and not timed: so the answer is the same
on every machine, for any number of workers.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import sqrt

from tetrisprinter.errors import Thing
from tetrisprinter.game.board import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.budgets import EASY, seconds_of_photo
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.run import Progress, Run
from tetrisprinter.planners.sample import Print, Sample, states_kept
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.boards import choose_board, narrow_widths
from tetrisprinter.printing.sharing import assignments
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.printing.types import TypeColors

__all__ = ["CHOICE", "ChoiceBudgets", "Chosen", "choose"]

_Types = tuple[tuple[PieceType, Color], ...]


@dataclass(frozen=True, slots=True)
class ChoiceBudgets:
    """What the choice of a board and of types may use, in the order in which it is spent.

    Work is counted in about seconds of a processor.

    Attributes
    ----------
    work : float
        What is searched at an effort of 1: twice the effort is eight times as much, so that more
        boards and types are tried before anything is tried longer.
    most : float
        An effort above this brings nothing more.
    square, second : float
        About how much work a square of the board's rows is, and what is estimated to take a
        second.
    sample : float
        Of a large picture some rows are printed: so much of the work of all goes into the choice.
    samples, rows : int
        About so many samples are to be printed for that, each in strips of so many rows.
    boards, first : int
        Boards that are tried, from the narrowest possible on; those that are tried first, and
        most.
    random, parents : int
        Once so many prints were tried, assignments are made by little changes of the best ones.
    abreast : int
        Prints that are made side by side, whoever works: each has those before it to beat. So many
        of the best are printed once more, with several games side by side, which win most often;
        then with passes chosen in another way.
    patience, least : float
        How many times as much work as the best one a print may take, for those that take few
        drops are found fast; and the work that each may take.
    slack : float
        How many drops a print may be behind at first, for a column of the board.
    more : float
        All that are printed once more have so much of the work of all tries.
    longer : float
        Each of these may take so many times as much work as before, and be so many times as far
        behind: several games win late.
    """

    work: float = 2.2
    most: float = 4.0

    square: float = 0.0012
    second: float = 0.6
    sample: float = 0.4
    samples: int = 6
    rows: int = 5

    boards: int = 5
    first: int = 2
    random: int = 8
    parents: int = 3
    abreast: int = 2
    patience: float = 2.0
    least: float = 0.1
    slack: float = 0.5
    more: float = 0.5
    longer: float = 3.0


CHOICE = ChoiceBudgets()


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen.

    Attributes
    ----------
    task : Task
        With the board and the types.
    plan : Plan or None
        The plan, unless only a sample of the rows was printed.
    made_by : tuple of str
        The stages that made it.
    step : Step
        The choice in words.
    """

    task: Task
    plan: Plan | None
    made_by: tuple[str, ...]
    step: Step | None


def choose(task: Task, run: Run, budgets: ChoiceBudgets = CHOICE) -> Chosen | None:
    """Choose a board, if it may be chosen, and types, if they are open.

    Parameters
    ----------
    task : Task
        What is to be printed.
    run : Run
        Whether another board may be chosen; seed, effort, workers and clock.
    budgets : ChoiceBudgets, optional
        What it may use.

    Returns
    -------
    Chosen or None
        Where nothing was printed in these ways, the narrowest board and the usual types. None if
        there is nothing to choose, or no game prints it so.
    """
    if not run.any_board and task.types != "auto":
        return None
    narrow = task.board
    if run.any_board:
        narrow = _board(task, narrow_widths(task.picture, 1)[0])
    height = task.picture.height
    whole = max(
        budgets.square * narrow.width * height,
        budgets.second * seconds_of_photo(task.picture, EASY),
    )
    work = budgets.work * min(run.limit.effort, budgets.most) ** 3
    rows = height
    if whole > work:
        work = max(work, budgets.sample * whole)
        rows = round(height * work / whole / budgets.samples / states_kept(narrow.width))
        rows = min(height, max(budgets.rows, rows))
    race = _Race(task, run, budgets, work, whole, Sample.of(height, rows, budgets.rows))
    found = race.chosen()
    if found is None and rows > budgets.rows and not run.is_over:  # it takes longer than most
        rows = max(budgets.rows, height // 2 if race.sample.is_whole else 0)
        race = _Race(task, run, budgets, work, whole, Sample.of(height, rows, budgets.rows))
        found = race.chosen()
    return found or race.usual()


def _board(task: Task, width: int) -> Board:
    return Board(width, choose_board(task.picture)[1])


class _Race:
    """Prints of a picture in several ways, one after the other, until the work is done.

    Parameters
    ----------
    task : Task
        What is printed.
    run : Run
        Whether another board may be chosen; seed, workers and clock.
    budgets : ChoiceBudgets
        What it may use.
    work, whole : float
        How much is searched; how much a print of the whole picture takes, about.
    sample : Sample
        Which rows are printed.
    """

    def __init__(
        self,
        task: Task,
        run: Run,
        budgets: ChoiceBudgets,
        work: float,
        whole: float,
        sample: Sample,
    ) -> None:
        self.task, self.run, self.budgets = task, run, budgets
        self.work, self.sample = work, sample
        self.wider = min(run.limit.effort, budgets.most) ** 2  # so many times as much of everything
        self.spent = 0.0
        # The work that a print may take as long as there is none, twice as much for those that come
        # later; samples share it.
        self.most = min(work, budgets.patience * whole) if sample.is_whole else work / budgets.first
        self.prints: list[Print] = []  # those with a plan, the best first
        self.boards: set[int] = set()
        self.count = 0
        self.stopped = False

    @property
    def best(self) -> Print | None:
        """The print with the fewest drops so far."""
        return self.prints[0] if self.prints else None

    @property
    def _goes_on(self) -> bool:
        """Whether work is left, or only the usual types were tried and others may do better."""
        return self.spent < self.work or bool(self.prints and self.count <= self.budgets.first)

    def chosen(self) -> Chosen | None:
        """Return the print with the fewest drops; None if there is none."""
        tasks = self._tasks()
        with ThreadPoolExecutor(max(1, min(self.budgets.abreast, self.run.limit.workers))) as pool:
            try:
                while self._goes_on and not self.stopped:
                    batch = list(islice(tasks, self.budgets.abreast))
                    if not batch:
                        break
                    self._take(list(pool.map(self._printed, batch)))
                if self.sample.is_whole:
                    self._once_more(pool)
            except KeyboardInterrupt:
                if not self.prints:
                    raise
                self.stopped = True
        self.run.work.add(self.spent)
        if self.best is None:
            return None
        best = self.best
        if self.sample.is_whole:
            return Chosen(best.task, best.plan, best.made_by, self._words(best.task))
        task = best.task
        if self.run.any_board and Stage.IN_PARTS in best.made_by:
            # There are rows that no pass prints, and a platform for one that no passes print
            # either needs free columns.
            task = self._on(_board(task, choose_board(task.picture)[0]), _types(task))
        return Chosen(task, None, best.made_by, self._words(task))

    def usual(self) -> Chosen | None:
        """Return the narrowest board and the usual types; None if these can print nothing."""
        for task in islice(self._tasks(), self.budgets.first):
            if self.sample.segment(task, self.run) is not None:
                said = None
                if self.run.any_board:
                    said = Step(f"{task.board.width} columns: the narrowest board", Thing.BOARD)
                return Chosen(task, None, (), said)
        return None

    def _once_more(self, pool: ThreadPoolExecutor) -> None:
        """Print the best ones once more, with passes chosen in other ways."""
        again = self.prints[: round(self.budgets.abreast * self.wider)]
        most = self.spent + self.budgets.more * self.work
        for games, together in ((BUDGETS.games, True), (1, False)):
            look = partial(self._again, games=games, together=together)
            for first in range(0, len(again), self.budgets.abreast):
                if self.spent < most and not self.stopped:
                    self._take(list(pool.map(look, again[first : first + self.budgets.abreast])))

    def _take(self, found: Sequence[Print]) -> None:
        """Note what came of some prints."""
        for one in found:
            self.spent += one.work
            self.count += 1
            self.boards.add(one.task.board.width)
            self.stopped |= one.is_late
            if one.plan is not None:
                bisect.insort(self.prints, one, key=lambda one: one.drops)
        if not self.prints:
            self.most *= self.budgets.patience
        if self.prints:
            # What a search remembers takes room; that of the best prints may be of use.
            for number in range(self.budgets.abreast, len(self.prints)):
                self.prints[number] = replace(self.prints[number], segment=None)
            news = f"{self.count} boards and types looked at: {self.prints[0].drops:g} drops"
            self.run.tell(Progress(news, min(1.0, self.spent / self.work) / 2))

    def _tasks(self) -> Iterator[Task]:
        """Yield what is printed: the usual types on all boards, then others on the best ones."""
        task = self.task
        boards = [task.board]
        if self.run.any_board:
            unseen = task.may_be_unseen
            widths = narrow_widths(task.picture, self.budgets.boards, any_count=unseen)
            boards = [_board(task, width) for width in widths]
        if task.types != "auto":
            yield from (self._on(board, None) for board in boards)
            return
        ways = assignments(task.picture, task.background, self.run.limit.seed)
        types = ways.next()
        if types is None:
            return
        usual = types
        yield from (self._on(board, usual) for board in boards[: self.budgets.first])
        later, many = boards[self.budgets.first :], round(self.budgets.parents * sqrt(self.wider))
        while True:
            parents = [_types(one.task) for one in self.prints[:many]]
            types = ways.next(parents if self.count >= self.budgets.random * self.wider else ())
            if types is None:
                break
            best = list(dict.fromkeys(one.task.board for one in self.prints))
            yield from (self._on(board, types) for board in (best or boards)[: self.budgets.first])
            if later and self.prints:
                yield self._on(later.pop(0), _types(self.prints[0].task))
        yield from (self._on(board, usual) for board in later)

    def _on(self, board: Board, types: _Types | None) -> Task:
        """Return the task on a board in some types."""
        task = self.task
        column = (
            usual_column(task.picture.width, board.width) if self.run.any_board else task.column
        )
        chosen = task.types if types is None else TypeColors.of(types)
        return replace(task, board=board, column=column, types=chosen)

    def _printed(self, task: Task) -> Print:
        """Print a picture, as long as it does not fall behind the best print."""
        most = self.most
        if self.best is not None:
            most = min(self.work, max(self.budgets.least, self.budgets.patience * self.best.work))
        segment = self.sample.segment(task, self.run, most)
        if segment is None:
            return Print(task)
        return self.sample.printed(segment, self.best, self.budgets.slack * task.board.width)

    def _again(self, one: Print, games: int, together: bool) -> Print:
        """Print once more what was printed, with passes chosen in another way."""
        before = one.segment or self.sample.segment(one.task, self.run)
        assert before is not None
        width = one.task.board.width
        alone = self.sample.alone(width, self.run, self.budgets.longer * one.work)
        other = before.alternative(alone, together, BUDGETS.beam_width(width, games))
        slack = self.budgets.longer * self.budgets.slack * width
        return self.sample.printed(other, self.best, slack)

    def _words(self, task: Task) -> Step | None:
        """Say what was chosen and why."""
        if not self.run.any_board:
            ways = f"{self.count} ways to share them" if self.count > 1 else "1 way to share them"
            return Step(f"types: fewest drops of {ways} looked at", Thing.TYPES)
        boards = f"{len(self.boards)} boards" if len(self.boards) > 1 else "1 board"
        return Step(f"{task.board.width} columns: fewest drops of {boards} looked at", Thing.BOARD)


def _types(task: Task) -> _Types:
    types = task.type_colors
    return () if types is None else tuple(sorted(types.items()))
