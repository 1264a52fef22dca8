"""The first game of a search: printed row by row with little effort, within the first seconds.

The board and the types are guessed: the narrowest boards on which the picture is possible, and the
assignments of types that seem to cover the picture best. Most pictures are printed by the first
guess. Where it has a dead end, other guesses are better than any effort: each is tried until its
first dead end, and those that came farthest are printed again. Then formulas print the rows at
their dead ends (:class:`RowRescue`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from typing import Final, NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import make_plan_from_drops, play_through
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.from_below import Answer, Question, ask, make_row_question
from tetrisprinter.planners.rows import EASY_COLORS, estimate_photo_seconds
from tetrisprinter.planners.rows.row_print import plan_rows
from tetrisprinter.planners.run import Progress, Run, TimeUpError, Work, WorkSpentError, ignore
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Task, choose_board, default_column, list_narrow_widths
from tetrisprinter.printing.types import Assignments, TypeColors, rank_assignments
from tetrisprinter.support.options import Limit
from tetrisprinter.support.signals import Stop

_Types = tuple[tuple[PieceType, Color], ...]

_BOARDS: Final = 5
"""How many boards are listed, from the narrowest upwards."""

FIRST_EFFORT: Final = 0.1
"""The effort of the first print. It takes about 1.4 times as many drops as with an effort of 1."""

_SECOND_EFFORT: Final = 0.3
_LIMIT_AGAIN: Final = 0.75
"""The other effort of prints that leave dead ends, and their work limit, as a share of that of the
others. Of seven emoji two are printed only with this effort, and two only with ``FIRST_EFFORT``."""

_ASSIGNMENTS: Final = 48
_QUICK_WORK: Final = 5.0
"""How many assignments of types are drawn for quick guesses, and the work of those beside the first
one after which no more are begun. Most dead ends lie in the same few rows of a picture and cost 0.1
to 0.3 units: of 40 assignments for a rose of 48 rows the 20th prints it, for a whale the 10th, the
16th and the 26th, for a sun the 14th."""

_AT_ONCE: Final = 4
"""How many guesses are tried before the next ones are chosen by their dead ends."""

_FARTHEST: Final = 3
"""How many of the prints that came farthest are printed again with both efforts. If none of them
has half of the rows, the types are poor or the lowest rows need more effort: two of them and the
usual guess get it."""

_LEAST_WORK: Final = 0.3
_WORK_FACTOR: Final = 4.0
"""The work limit of a print with open types: this, or a multiple of the estimated work."""

_BEHIND: Final = 1.1
_BEHIND_FROM: Final = 0.25
"""A print row by row ends if it has taken this multiple of the drops of another one, after at least
this share of the rows. With the limit of a row (``Trial.row_limit``), whale, cat-face and panda
take 3 units less until their best game, a portrait of 48x48 squares 9 of 67, for as many drops."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The boards and types that a search may choose from."""

    task: Task  # types "auto" are open
    any_board: bool  # whether board and column are open
    seed: int = 0

    def list_boards(self) -> list[Board]:
        """Return the boards to try, the narrowest first."""
        task = self.task
        if not self.any_board:
            return [task.board]
        widths = list_narrow_widths(task.picture, _BOARDS, any_count=task.has_dont_care_squares)
        height = choose_board(task.picture)[1]
        return [Board(width, height) for width in widths]

    def make_task(self, board: Board, types: _Types | None = None) -> Task:
        """Return the task on a board, with types unless they are None."""
        task = self.task
        if board != task.board:
            column = default_column(task.picture.width, board.width)
            task = replace(task, board=board, column=column)
        return task if types is None else replace(task, types=TypeColors.of(types))

    def rank_types(self) -> Assignments:
        """Return the source of assignments of types, the most promising first."""
        return rank_assignments(self.task.picture, self.task.background, self.seed)


def estimate_rows_work(picture: Picture, width: int) -> float:
    """Estimate the work of a print row by row with an effort of 1."""
    return max(0.0012 * width * picture.height, 0.6 * estimate_photo_seconds(picture, EASY_COLORS))


@dataclass(frozen=True, slots=True)
class Trial:
    """A print row by row that may be tried."""

    task: Task  # with board and types
    effort: float
    work_limit: float
    choices: Choices
    is_quick: bool = False  # whether the print ends at its first dead end
    row_limit: float = inf  # the work limit of a row, or of some rows that are printed together
    pace: tuple[int, ...] = ()  # the print ends if it falls behind these drops, one number a row


class TrialResult(NamedTuple):
    """A print row by row."""

    task: Task  # with board and types
    work: float
    plan: Plan | None = None
    pace: tuple[int, ...] = ()  # the drops after each row

    @property
    def drops(self) -> float:
        """The number of drops, infinite without a plan."""
        return inf if self.plan is None else len(self.plan)

    @property
    def rows(self) -> int:
        """The number of rows that were printed."""
        return len(self.pace)

    @property
    def types(self) -> _Types:
        """The colour of each type that has one."""
        return () if self.plan is None else tuple(sorted(self.plan.color_of.items()))


_RESCUES: Final = ((0, 1, 0), (0, 1, 1), (0, 2, 1), (1, 1, 1))
"""How a formula prints a row at a dead end: how many clean prints it goes back, how many rows are
printed, and how many more rows may clear in each slot. At 20 dead ends of ten emoji of 48 rows the
first way prints 13, for 0.2 to 0.5 units of work, and the first three ways 16."""

_TOP_ROWS: Final = 3
_TOP_RESCUES: Final = ((0, _TOP_ROWS, 0), (0, _TOP_ROWS, 3), (1, _TOP_ROWS, 3))
"""The same for a dead end in this many rows at the top, where the count of squares must come out
even. The second way prints three rows of an emoji with four choices of types and board, for 3.2
units of work; with one more row in a slot there is no answer after 5 units."""

_FARTHEST_BACK: Final = 2
"""How many rows below a dead end may be printed anew."""


@dataclass(slots=True)
class RowRescue:
    """Prints the rows at which a print row by row is at a dead end, by a formula.

    It is a ``Rescue`` of :mod:`~tetrisprinter.planners.rows.row_print`.
    """

    task: Task  # with board and types
    work: Work  # counts the work of the questions
    ask: Callable[[Question, float], Answer] = ask  # answers a question with some work
    asked: set[tuple[int, int, int]] = field(default_factory=set)  # what no question repeats

    def __call__(
        self, prints: Sequence[tuple[int, Plan]], row: int
    ) -> tuple[int, tuple[Pass, ...]] | None:
        """Print the row from the last clean print or one before it."""
        task, rows = self.task, self.task.picture.height
        for back, count, more in _TOP_RESCUES if row >= rows - _TOP_ROWS else _RESCUES:
            if back >= len(prints):
                continue
            (first, begun), end = prints[back], min(row + count, rows)
            if first < row - _FARTHEST_BACK or (first, end, more) in self.asked:
                continue
            self.asked.add((first, end, more))
            field_rows = play_through(begun).field.used_rows
            row_below = field_rows[-1] if first else b""
            floor = frozenset(x for x, square in enumerate(row_below) if square)
            question = make_row_question(task, floor, first, end, more)
            answer = self.ask(question, self.work.most - self.work.spent)
            self.work.add(answer.work)
            if answer.game is not None:
                size = task.board.width, task.board.height
                added = make_plan_from_drops(answer.drops, begun.colors, *size, start=field_rows)
                return back, added.passes
        return None


def print_rows(
    trial: Trial,
    stop: Stop | None = None,
    report: Callable[[Progress], None] = ignore,
    ask: Callable[[Question, float], Answer] | None = None,
) -> TrialResult:
    """Print a task row by row; ``report`` is called with each row that is done.

    The share of the rows is that of this game. How much of a whole search is done is not known.
    With ``ask``, which answers questions, formulas print rows at dead ends.

    Raises
    ------
    TimeUpError
        If the search was stopped.
    """
    choices, stop = trial.choices, stop or Stop()
    height, pace, drops = trial.task.picture.height, list[int](), 0
    work = Work(most=min(trial.work_limit, trial.row_limit), stop=stop)

    def count_drops(plan: Plan) -> None:
        nonlocal drops
        drops = len(plan)

    def report_row(row: Progress) -> None:
        report(replace(row, fraction=0.0, game_fraction=row.fraction))
        rows = round(row.fraction * height)
        pace.extend([drops] * (rows - len(pace)))
        if (
            _BEHIND_FROM * height <= rows < len(trial.pace)
            and drops > _BEHIND * trial.pace[rows - 1]
        ):
            raise WorkSpentError("another print has printed these rows with fewer drops")
        work.most = min(trial.work_limit, work.spent + trial.row_limit)

    run = Run(
        Limit(seed=choices.seed, effort=trial.effort), report=report_row, keep=count_drops,
        stop=stop, work=work, any_board=choices.any_board,
    )  # fmt: skip
    try:
        rescue = None if trial.is_quick or ask is None else RowRescue(trial.task, work, ask)
        has_fallbacks = not trial.is_quick and rescue is None
        plan = plan_rows(trial.task, run, rescue, has_fallbacks).plan
    except TimeUpError:
        raise
    except JobError:
        plan = None
    return TrialResult(trial.task, work.spent, plan, tuple(pace))


def list_first_rounds(
    choices: Choices, gives_up: bool = False
) -> Generator[Sequence[Trial], Sequence[TrialResult], None]:
    """Yield rounds of trials, and receive the results up to the first game of a round.

    After the narrowest board comes a wide one, on which prints rarely fail: of five narrow boards
    none takes a photo in seven colours with the usual types. With ``gives_up`` trials are left out
    that take long and rarely succeed.
    """
    picture, boards = choices.task.picture, choices.list_boards()
    is_open, rows = choices.task.types == "auto", choices.task.picture.height
    limit = max(_LEAST_WORK, _WORK_FACTOR * estimate_rows_work(picture, boards[0].width))
    if choices.any_board:
        boards = list(dict.fromkeys([boards[0], Board(*choose_board(picture)), *boards]))
    usual: _Types | None = None  # the types of the task, if it has some
    others: Iterator[Task] = iter(())
    if is_open:
        types = islice(iter(choices.rank_types().next, None), 1 + _ASSIGNMENTS)
        usual = next(types, None)
        others = (choices.make_task(boards[0], more) for more in types)
    usual_tasks = [choices.make_task(board, usual) for board in boards]
    guesses = [*usual_tasks[:2], *islice(others, 1), *usual_tasks[2:3]]
    results = yield from _guess_quickly(guesses, others, limit, choices)
    farthest = sorted(results, key=lambda result: -result.rows)
    if farthest and 2 * farthest[0].rows >= rows:
        again = []
        for result in farthest[:_FARTHEST]:
            efforts = [_SECOND_EFFORT, FIRST_EFFORT]
            if result.rows >= rows - _TOP_ROWS:
                efforts.reverse()  # the same effort leads to the top again, and for less work
            again += [(result.task, effort) for effort in efforts]
    else:
        tasks = [result.task for result in farthest]
        likely = dict.fromkeys([*tasks[:1], usual_tasks[0], *tasks[1:2]])
        again = [(task, _SECOND_EFFORT) for task in likely]
    yield _list_trials(again, _LIMIT_AGAIN * limit, choices)
    if not (is_open and gives_up):
        last = [(task, 1.0) for task in usual_tasks]
        yield _list_trials(last, 4 * limit if is_open else inf, choices)


def _guess_quickly(
    guesses: Sequence[Task], others: Iterator[Task], limit: float, choices: Choices
) -> Generator[Sequence[Trial], Sequence[TrialResult], list[TrialResult]]:
    """Yield rounds of guesses that end at their first dead end, and return all results."""
    rows, results = choices.task.picture.height, list[TrialResult]()
    while guesses:
        quick = [(task, FIRST_EFFORT) for task in guesses]
        results += yield _list_trials(quick, limit, choices, is_quick=True)
        # Dead ends between the lower half and the top are those that formulas resolve best
        half_done = sum(rows / 2 <= result.rows < rows - _TOP_ROWS for result in results)
        if half_done >= _FARTHEST or sum(other.work for other in results[1:]) > _QUICK_WORK:
            break
        # Types that are the same in the lowest rows lead to the same dead end
        dead = [(result.rows, _list_low_types(result.task, result.rows)) for result in results]
        alive = (
            task
            for task in others
            if all(_list_low_types(task, row) != types for row, types in dead)
            and find_obstacle(task) is None
        )
        guesses = list(islice(alive, _AT_ONCE))
    return results


def _list_low_types(task: Task, row: int) -> tuple[Board, frozenset[tuple[PieceType, Color]]]:
    """Return the board, and the types that a print up to a row and the one above it depends on."""
    colors = {color for pixels in task.picture.rows[: row + 2] for color in pixels}
    types = () if task.type_colors is None else task.type_colors.items()
    return task.board, frozenset(pair for pair in types if pair[1] in colors)


def _list_trials(
    tasks: Sequence[tuple[Task, float]], limit: float, choices: Choices, is_quick: bool = False
) -> list[Trial]:
    """Return trials of the possible tasks, each with an effort."""
    return [
        Trial(task, effort, limit, choices, is_quick)
        for task, effort in tasks
        if task.type_colors is not None and find_obstacle(task) is None
    ]
