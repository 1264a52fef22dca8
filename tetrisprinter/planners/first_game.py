"""The first game of a search: printed row by row with little effort, within the first seconds.

The board and the types are guessed: the narrowest boards on which the picture is possible, and the
assignments of types that seem to cover the picture best. The first print that succeeds is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Final, NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color, Picture
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
"""The effort of the next prints. Of six emoji of about 48x48 squares in six or seven colours it
prints four in the usual types on some narrow board, an effort of 0.1 two, and other types one."""

_ASSIGNMENTS: Final = 8
"""How many further assignments of types are tried if the usual one fails."""

_FIRST_ASSIGNMENTS: Final = 2
"""How many of them are tried before more effort. With two the rocket of 20x32 squares has a first
game of 382 drops after 4 units, with none one of 643 after 6."""

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
    def types(self) -> _Types:
        """The colour of each type that has one."""
        return () if self.plan is None else tuple(sorted(self.plan.color_of.items()))


def print_rows(
    trial: Trial, stop: Stop | None = None, report: Callable[[Progress], None] = ignore
) -> TrialResult:
    """Print a task row by row; ``report`` is called with each row that is done.

    The share of the rows is that of this game. How much of a whole search is done is not known.

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
        plan = plan_rows(trial.task, run).plan
    except TimeUpError:
        raise
    except JobError:
        plan = None
    return TrialResult(trial.task, work.spent, plan, tuple(pace))


def list_first_trials(choices: Choices, gives_up: bool = False) -> Iterator[Trial]:
    """Yield the trials for a first game, the most promising first.

    After the narrowest board comes a wide one, on which prints rarely fail: of five narrow boards
    none takes a photo in seven colours with the usual types. With ``gives_up`` trials are left out
    that take long and rarely succeed.
    """
    picture, boards = choices.task.picture, choices.list_boards()
    work_limit = max(_LEAST_WORK, _WORK_FACTOR * estimate_rows_work(picture, boards[0].width))
    narrow_boards = boards
    if choices.any_board:
        boards = list(dict.fromkeys([boards[0], Board(*choose_board(picture)), *boards]))
    trials: list[tuple[Task, float, float]]
    if choices.task.types != "auto":
        trials = [
            (choices.make_task(board), effort, inf)
            for effort in (FIRST_EFFORT, 1.0)
            for board in boards
        ]
    else:
        assignments = choices.rank_types()
        usual = assignments.next()
        others = [
            choices.make_task(boards[0], types)
            for types in islice(iter(assignments.next, None), _ASSIGNMENTS)
        ]
        trials = [
            *((choices.make_task(board, usual), FIRST_EFFORT, work_limit) for board in boards[:3]),
            *((task, FIRST_EFFORT, work_limit) for task in others[:_FIRST_ASSIGNMENTS]),
            *((choices.make_task(b, usual), _SECOND_EFFORT, work_limit) for b in narrow_boards),
        ]
        if not gives_up:
            trials += [
                *((task, FIRST_EFFORT, work_limit) for task in others[_FIRST_ASSIGNMENTS:]),
                *((choices.make_task(board, usual), 1.0, 4 * work_limit) for board in boards),
            ]
    for task, effort, limit in trials:
        if task.type_colors is not None and find_obstacle(task) is None:
            yield Trial(task, effort, limit, choices)
