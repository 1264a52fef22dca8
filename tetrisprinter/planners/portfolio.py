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
from math import inf, sqrt

from tetrisprinter.errors import JobError, Thing
from tetrisprinter.game.board import CLASSIC_BOARD, Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.budgets import EASY, seconds_of_photo
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.segment import Pace, Segment
from tetrisprinter.planners.rows.target import RowTarget, row_target
from tetrisprinter.planners.run import Progress, Run, TimeUpError, Work
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.boards import choose_board, narrow_widths
from tetrisprinter.printing.obstacles import obstacle
from tetrisprinter.printing.sharing import assignments
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.printing.types import TypeColors, plan_colors
from tetrisprinter.support.limits import Limit

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
        All of that has so much of the work of all tries.
    longer, slack_again : float
        The patience and the slack of these: several games win late.
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
    slack_again: float = 2.0


CHOICE = ChoiceBudgets()


@dataclass(frozen=True, slots=True)
class _Print:
    """A picture printed on a board in some types.

    Attributes
    ----------
    task : Task
        With that board and those types.
    plan : Plan or None
        None if it fell behind, or could not be printed that way.
    pace : tuple of int
        Drops until so many rows were there.
    made_by : tuple of str
        The stages that made it.
    work : float
        What was searched.
    segment : Segment or None
        The search, with what it remembers.
    """

    task: Task
    plan: Plan | None = None
    pace: tuple[int, ...] = ()
    made_by: tuple[str, ...] = ()
    work: float = 0.0
    segment: Segment | None = None

    @property
    def drops(self) -> float:
        """How many pieces are dropped."""
        return float("inf") if self.plan is None else len(self.plan)


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


def choose(task: Task, run: Run) -> Chosen | None:
    """Choose a board, if it may be chosen, and types, if they are open.

    Parameters
    ----------
    task : Task
        What is to be printed.
    run : Run
        Whether another board may be chosen; seed, effort, workers and clock.

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
        CHOICE.square * narrow.width * height,
        CHOICE.second * seconds_of_photo(task.picture, EASY),
    )
    budget = CHOICE.work * min(run.limit.effort, CHOICE.most) ** 3
    rows = height
    if whole > budget:
        budget = max(budget, CHOICE.sample * whole)
        rows = round(height * budget / whole / CHOICE.samples / _of_states(narrow.width))
    race = _Race(task, run, budget, min(height, max(CHOICE.rows, rows)))
    found = race.chosen()
    many = race.rows * race.strips > CHOICE.rows
    if found is None and many and not run.is_over:  # it takes longer than most
        race = _Race(task, run, budget, max(CHOICE.rows, height // 2 if race.is_whole else 0))
        found = race.chosen()
    return found or race.usual()


def _of_states(width: int) -> float:
    """Return the part of its states that is kept of a sample: as many as on the classic board."""
    return min(1.0, CLASSIC_BOARD.width / width)


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
    budget : float
        How much is searched.
    rows : int
        How many rows are printed: all of them, or some, in strips spread over the picture.
    """

    def __init__(self, task: Task, run: Run, budget: float, rows: int) -> None:
        self.task, self.run, self.budget = task, run, budget
        self.is_whole = rows == task.picture.height
        self.strips = 1 if self.is_whole else max(1, rows // CHOICE.rows)
        self.rows = rows // self.strips  # of each
        self.wider = min(run.limit.effort, CHOICE.most) ** 2  # so many times as much of everything
        self.spent = 0.0
        # The work that a print may take as long as there is none; samples share it.
        self.most = budget if self.is_whole else budget / CHOICE.first
        self.prints: list[_Print] = []  # those with a plan, the best first
        self.boards: set[int] = set()
        self.count = 0
        self.stopped = False

    @property
    def best(self) -> _Print | None:
        """The print with the fewest drops so far."""
        return self.prints[0] if self.prints else None

    @property
    def _goes_on(self) -> bool:
        """Whether work is left, or only the usual types were tried and others may do better."""
        return self.spent < self.budget or bool(self.prints and self.count <= CHOICE.first)

    def chosen(self) -> Chosen | None:
        """Return the print with the fewest drops; None if there is none."""
        tasks = self._tasks()
        with ThreadPoolExecutor(max(1, min(CHOICE.abreast, self.run.limit.workers))) as pool:
            try:
                while self._goes_on and not self.stopped:
                    batch = list(islice(tasks, CHOICE.abreast))
                    if not batch:
                        break
                    self._take(list(pool.map(self._printed, batch)))
                if self.is_whole:
                    self._once_more(pool)
            except KeyboardInterrupt:
                if not self.prints:
                    raise
                self.stopped = True
        self.run.work.add(self.spent)
        if self.best is None:
            return None
        best = self.best
        if self.is_whole:
            return Chosen(best.task, best.plan, best.made_by, self._words(best.task))
        task = best.task
        if self.run.any_board and Stage.IN_PARTS in best.made_by:
            # There are rows that no pass prints, and a platform for one that no passes print
            # either needs free columns.
            task = self._on(_board(task, choose_board(task.picture)[0]), _types(task))
        return Chosen(task, None, best.made_by, self._words(task))

    def usual(self) -> Chosen | None:
        """Return the narrowest board and the usual types; None if these can print nothing."""
        for task in islice(self._tasks(), CHOICE.first):
            if self._segment(task) is not None:
                said = None
                if self.run.any_board:
                    said = Step(f"{task.board.width} columns: the narrowest board", Thing.BOARD)
                return Chosen(task, None, (), said)
        return None

    def _once_more(self, pool: ThreadPoolExecutor) -> None:
        """Print the best ones once more, with passes chosen in other ways."""
        again = self.prints[: round(CHOICE.abreast * self.wider)]
        most = self.spent + CHOICE.more * self.budget
        for together, beam_width in ((True, BUDGETS.games), (False, 1)):
            look = partial(self._again, together=together, beam_width=beam_width)
            for first in range(0, len(again), CHOICE.abreast):
                if self.spent < most and not self.stopped:
                    self._take(list(pool.map(look, again[first : first + CHOICE.abreast])))

    def _take(self, found: Sequence[_Print]) -> None:
        """Note what came of some prints."""
        for one in found:
            self.spent += one.work
            self.count += 1
            self.boards.add(one.task.board.width)
            if one.plan is not None:
                bisect.insort(self.prints, one, key=lambda one: one.drops)
        if not self.prints:
            self.most *= CHOICE.patience
        if self.prints:
            # What a search remembers takes room; that of the best prints may be of use.
            for number in range(CHOICE.abreast, len(self.prints)):
                self.prints[number] = replace(self.prints[number], segment=None)
            news = f"{self.count} boards and types looked at: {self.prints[0].drops:g} drops"
            self.run.tell(Progress(news, min(1.0, self.spent / self.budget) / 2))

    def _tasks(self) -> Iterator[Task]:
        """Yield what is printed: the usual types on all boards, then others on the best ones."""
        task = self.task
        boards = [task.board]
        if self.run.any_board:
            unseen = task.may_be_unseen
            widths = narrow_widths(task.picture, CHOICE.boards, any_count=unseen)
            boards = [_board(task, width) for width in widths]
        if task.types != "auto":
            yield from (self._on(board, None) for board in boards)
            return
        ways = assignments(task.picture, task.background, self.run.limit.seed)
        types = ways.next()
        if types is None:
            return
        usual = types
        yield from (self._on(board, usual) for board in boards[: CHOICE.first])
        later, many = boards[CHOICE.first :], round(CHOICE.parents * sqrt(self.wider))
        while True:
            parents = [_types(one.task) for one in self.prints[:many]]
            types = ways.next(parents if self.count >= CHOICE.random * self.wider else ())
            if types is None:
                break
            best = list(dict.fromkeys(one.task.board for one in self.prints))
            yield from (self._on(board, types) for board in (best or boards)[: CHOICE.first])
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

    def _printed(self, task: Task) -> _Print:
        """Print a picture, as long as it does not fall behind the best print."""
        segment = self._segment(task)
        if segment is None:
            return _Print(task)
        most = self.most
        if self.best is not None:
            most = min(self.budget, max(CHOICE.least, CHOICE.patience * self.best.work))
        segment.run.work.most = most
        return self._finished(segment, CHOICE.slack)

    def _segment(self, task: Task) -> Segment | None:
        """Return the search for a print; None if it cannot begin or end."""
        types = task.type_colors
        if types is None or obstacle(task) is not None:
            return None
        target = row_target(task, types)
        lows = self._lows(target)
        if len(lows) < self.strips or not target.can_end(0, 0):
            return None
        return Segment(task, types, target, self._alone(target.width), [], lows[0], first=lows[0])

    def _lows(self, target: RowTarget) -> list[int]:
        """Return the rows with which the strips begin; fewer if the rest does not come out even."""
        lows: list[int] = []
        for number in range(self.strips):
            middle = round((number + 0.5) * target.rows / self.strips - 0.5 * self.rows)
            free = range(lows[-1] + 1 if lows else 0, target.rows - self.rows + 1)
            near = sorted(free, key=lambda y: abs(y - middle))
            lows += [y for y in near if target.can_end(y, 0)][:1]
        return lows

    def _again(self, one: _Print, together: bool = True, beam_width: int = 1) -> _Print:
        """Print once more what was printed, with passes chosen in another way."""
        before = one.segment or self._segment(one.task)
        assert before is not None
        alone = self._alone(one.task.board.width, CHOICE.longer * one.work)
        return self._finished(before.alternative(alone, together, beam_width), CHOICE.slack_again)

    def _alone(self, width: int, most: float = inf) -> Run:
        """Return the run of one print, which keeps its rows to itself."""
        effort = 1.0 if self.is_whole else _of_states(width)
        limit = Limit(seed=self.run.limit.seed, effort=effort)
        return Run(limit, deadline=self.run.deadline, work=Work(most=most))

    def _finished(self, segment: Segment, slack: float) -> _Print:
        """Print a segment, or strips of it, as long as it is not too far behind."""
        task, target = segment.task, segment.target
        colors = plan_colors(task.board, segment.types)
        plan = Plan((), colors, task.board.width, task.board.height)
        work = segment.run.work
        pace = [0]
        made_by: list[str] = []
        for number, low in enumerate(self._lows(target)):
            strip = segment if number == 0 else segment.from_row(low)
            if self.best is not None:
                first = low - number * self.rows
                strip.pace = Pace(self.best.pace, slack * task.board.width, first, pace[-1])
            until = None if self.is_whole else low + self.rows
            try:
                made = strip.printed(replace(plan, passes=()), target.clean(low), until)
            except TimeUpError:
                self.stopped = True
                return _Print(task, work=work.spent)
            except JobError:
                return _Print(task, work=work.spent)
            plan = replace(plan, passes=plan.passes + made.passes)
            pace += [pace[-1] + drops for drops in _drops(strip, low, self.rows)]
            made_by += strip.stages()
        stages = tuple(dict.fromkeys(made_by))
        return _Print(task, plan, tuple(pace), stages, work.spent, segment)

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


def _drops(segment: Segment, first: int, rows: int) -> list[int]:
    """Return the drops until one row was there, two rows and so on."""
    drops = []
    for row in range(first + 1, first + rows + 1):
        drops.append(min(at for there, at in segment.reached.items() if there >= row))
    drops[-1] = max(segment.reached.values())
    return drops
