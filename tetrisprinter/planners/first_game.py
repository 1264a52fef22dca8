"""The first game of a search: printed row by row with little effort, within the first seconds.

The board and the types are guessed: the narrowest boards on which the picture is possible, and the
assignments of types that seem to cover the picture best. Most pictures are printed by the first
guess. Where it has a dead end, other guesses are better than any effort: each is tried until its
first dead end, and those that came farthest are printed again. Then formulas print the rows at
their dead ends (:class:`RowRescue`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
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

_ASSIGNMENTS: Final = 8
"""How many assignments of types are tried quickly."""

_FARTHEST: Final = 3
"""How many of the prints that came farthest are printed again with both efforts. If none of them
has half of the rows, the types are poor or the lowest rows need more effort: two of them and the
usual guess get it."""

_AT_ONCE: Final = 2
"""How many prints run side by side after the first one has failed."""

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
    ask: Callable[[Question], Answer] = ask
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
            answer = self.ask(make_row_question(task, floor, first, end, more))
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
    ask: Callable[[Question], Answer] | None = None,
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
    """Yield rounds of trials for a first game, and receive their results, until one has a game.

    After the narrowest board comes a wide one, on which prints rarely fail: of five narrow boards
    none takes a photo in seven colours with the usual types. With ``gives_up`` trials are left out
    that take long and rarely succeed.
    """
    picture, boards = choices.task.picture, choices.list_boards()
    is_open = choices.task.types == "auto"
    limit = max(_LEAST_WORK, _WORK_FACTOR * estimate_rows_work(picture, boards[0].width))
    if choices.any_board:
        boards = list(dict.fromkeys([boards[0], Board(*choose_board(picture)), *boards]))
    types: list[_Types | None] = []
    if is_open:
        types += islice(iter(choices.rank_types().next, None), _ASSIGNMENTS)
    usual, *others = types or [None]  # None: the types of the task, or no assignment was found
    usual_tasks = [choices.make_task(board, usual) for board in boards]
    first_board = [choices.make_task(boards[0], other) for other in others]
    guesses = [*usual_tasks[:2], *first_board[:1], *usual_tasks[2:3], *first_board[1:]]
    quick = [(task, FIRST_EFFORT) for task in guesses]
    results = yield from _run_in_rounds(quick, limit, choices, is_quick=True)
    farthest = sorted(results, key=lambda result: -result.rows)
    if farthest and 2 * farthest[0].rows >= picture.height:
        again = [
            (result.task, effort)
            for result in farthest[:_FARTHEST]
            for effort in (_SECOND_EFFORT, FIRST_EFFORT)
        ]
    else:
        tasks = [result.task for result in farthest]
        likely = dict.fromkeys([*tasks[:1], usual_tasks[0], *tasks[1:_AT_ONCE]])
        again = [(task, _SECOND_EFFORT) for task in likely]
    yield from _run_in_rounds(again, _LIMIT_AGAIN * limit, choices)
    if not (is_open and gives_up):
        last = [(task, 1.0) for task in usual_tasks]
        yield from _run_in_rounds(last, 4 * limit if is_open else inf, choices)


def _run_in_rounds(
    tasks: Sequence[tuple[Task, float]], limit: float, choices: Choices, is_quick: bool = False
) -> Generator[Sequence[Trial], Sequence[TrialResult], list[TrialResult]]:
    """Yield trials of the possible tasks, each with an effort, and return their results.

    Some run at once. If they are quick, the first one is yielded alone: it is the usual guess.
    """
    trials = [
        Trial(task, effort, limit, choices, is_quick)
        for task, effort in tasks
        if task.type_colors is not None and find_obstacle(task) is None
    ]
    results, at_once = list[TrialResult](), 1 if is_quick else _AT_ONCE
    while trials:
        results += yield trials[:at_once]
        del trials[:at_once]
        at_once = _AT_ONCE
    return results
