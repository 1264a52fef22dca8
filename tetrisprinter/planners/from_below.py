"""Find short games from below: ask for the fewest cleared lines, and open few rows at a time.

One question (:mod:`~tetrisprinter.planners.question`) in three sizes:

*Whole* (:func:`search_whole`). All rows of a small picture at once, on several boards, types open.
When each number of drops below the answer was refuted, no game within the reach of the formula is
shorter; the questions end there.

*Bands* (:class:`BandPrint`). A larger picture is printed from the floor. Each step opens a few
rows, and one or two below them, fixes the game below, and lets pieces reach two rows ahead. The
squares ahead free the count: only the last band must meet the count of squares modulo four.

*Windows* (:func:`search_windows`). Any rows of a complete game, larger and larger.

The idea and its measurements: ``docs/search.md``, ``docs/experiments.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.planners.formula import StackedGame, stack_game
from tetrisprinter.planners.question import Answer, Drops, Question
from tetrisprinter.printing.target import Target, extend_upwards
from tetrisprinter.printing.task import Task

Steps = Generator[Sequence[Question], list[Answer], None]
"""Yields questions that may be answered side by side, and receives their answers in order."""

_AHEAD: Final = 2
"""How many rows pieces may reach ahead of a band. The lowest eight rows of the owl take 586 drops
with 0, 479 with 1, 422 with 2, and not fewer with 3."""

_ROWS_ABOVE: Final = 3
"""How many rows above the picture may keep don't-care squares."""

_CANDIDATES: Final = 3
"""How many rows may clear in a slot. With four, bands take four times as long and save nothing."""

_DEAD_END: Final = ((2, 0), (1, 1))
"""After a dead end: how many more rows below the band are opened, and how many more rows may clear
in each slot. Where three are too few, "no" comes at once."""


@dataclass(frozen=True, slots=True)
class Found:
    """A complete game that prints a task."""

    task: Task
    drops: Drops
    types: TypeColors = ()  # the colour of each type, if the task leaves types open


def list_possible_lines(target: Target, most: int) -> tuple[int, ...]:
    """Return the numbers of lines, up to ``most``, that can leave the squares of a target."""
    squares, spare = len(target.required), target.count_spare()
    return tuple(
        lines for lines in range(most + 1) if spare or (squares + target.width * lines) % 4 == 0
    )


# -- whole games ---------------------------------------------------------------------------------


@dataclass(slots=True)
class WholeBoard:
    """A board on which whole games are searched, and the numbers of drops that are left."""

    task: Task
    free_rows: int = 0  # see Question
    target: Target = field(init=False)
    numbers: list[int] = field(init=False)  # numbers of drops that are not refuted

    def __post_init__(self) -> None:
        self.target = target = extend_upwards(self.task.target, _ROWS_ABOVE)
        lines = list_possible_lines(target, 3 * (target.rows + 1))
        squares = len(target.required)
        self.numbers = [-(-(squares + target.width * count) // 4) for count in lines]
        if target.count_spare() and self.numbers:
            self.numbers = list(range(self.numbers[0], self.numbers[-1] + 1))


def search_whole(
    boards: Sequence[WholeBoard],
    take: Callable[[Found], object],
    fewest: Callable[[], float],
    conflicts: int,
) -> Steps:
    """Search for the shortest game of a picture on several boards; pass each game to ``take``.

    Each board is asked for all its numbers of drops below ``fewest()``, from the least one, with a
    limit of conflicts. Those that are refuted are removed from the board.
    """
    for board in boards:
        numbers = [number for number in board.numbers if number < fewest()]
        sides = [tuple(numbers[side::_SIDES]) for side in range(_SIDES)]
        questions = [_ask_for_whole(board, side, conflicts) for side in sides if side]
        answers = (yield questions) if questions else []
        for answer in answers:
            board.numbers = [n for n in board.numbers if n not in answer.refuted]
            if answer.drops and len(answer.drops) < fewest():
                take(Found(board.task, answer.drops, answer.types))


_SIDES: Final = 2
"""The numbers of a board are shared among this many questions, which are asked side by side."""


def _ask_for_whole(board: WholeBoard, numbers: Sequence[int], conflicts: int) -> Question:
    """Return the question for a whole game with one of some numbers of drops."""
    target = board.target
    game = StackedGame(tuple(range(target.rows)))
    return Question(
        target, game, 0, target.rows, target.rows, tuple(numbers), _CANDIDATES, conflicts,
        patience=_PATIENCE, free_rows=board.free_rows, counts_drops=True, is_whole=True,
    )  # fmt: skip


_BAND_PATIENCE: Final = 7
"""How many numbers of lines may be undecided in a question about a band."""

_PATIENCE: Final = 1
"""How many numbers of a side may be undecided before the next board or more conflicts."""


# -- bands ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BandSettings:
    """How a picture is printed in bands."""

    height: int  # the rows that each band prints
    # How many rows below a band are opened, one question for each: the best answer counts
    overlaps: tuple[int, ...]
    conflicts: int
    free_rows: int = 0  # see Question
    solver: str = "cadical195"


@dataclass(frozen=True, slots=True)
class PartialGame:
    """The beginning of a game: its lowest rows are printed."""

    game: StackedGame
    drops: Drops = ()
    types: TypeColors = ()
    rows: int = 0  # how many rows are printed

    @property
    def rank(self) -> tuple[int, int]:
        """The sort key: fewest lines, then most squares."""
        return self.game.lines, -len(self.drops)


@dataclass(slots=True)
class BandPrint:
    """A print of one picture from the floor, band by band."""

    task: Task
    settings: BandSettings
    target: Target = field(init=False)
    done: PartialGame = field(init=False)

    def __post_init__(self) -> None:
        self.target = extend_upwards(self.task.target, _ROWS_ABOVE)
        self.done = PartialGame(StackedGame(tuple(range(self.target.rows))))

    @property
    def is_complete(self) -> bool:
        """Whether all rows are printed."""
        return self.done.rows == self.target.rows

    @property
    def found(self) -> Found:
        """The complete game."""
        return Found(self.task, self.done.drops, self.done.types)

    @property
    def cost(self) -> int:
        """The number of cleared cells so far, by which prints of the same rows are compared."""
        return self.task.board.width * self.done.game.lines

    def print_bands(self) -> Steps:
        """Print band after band, up to the top or a dead end."""
        while not self.is_complete and (yield from self.print_band()):
            pass

    def print_band(self) -> Generator[Sequence[Question], list[Answer], bool]:
        """Print one more band; return False after a dead end."""
        need = self._choose_end()
        overlaps = tuple((overlap, 0) for overlap in self.settings.overlaps)
        if need == self.target.rows:
            overlaps = tuple((overlap, 0) for overlap in _TOP_OVERLAPS)
        for attempt in (overlaps, *((more,) for more in _DEAD_END)):
            questions = [self._ask(need, overlap, more) for overlap, more in attempt]
            answers = yield questions
            if self._take_best(answers, need):
                return True
        return False

    def end_low(self) -> Generator[Sequence[Question], list[Answer], bool]:
        """Complete the rows that are begun, with squares in at most one row above; return success.

        From such a board the picture can be continued row by row.
        """
        lowest = max(self.done.rows, self.done.game.height - 1)
        for end in range(lowest, min(lowest + _LOW_ENDS, self.target.rows + 1)):
            answers = yield [self._ask(end, rows, 0, ahead=1) for rows in _LOW_OVERLAPS]
            if self._take_best(answers, end):
                return True
        return False

    def _ask(self, need: int, overlap: int, more: int, ahead: int = _AHEAD) -> Question:
        """Return the question for the rows up to ``need``, from which pieces may reach ahead."""
        target, done = self.target, self.done
        is_last = need == target.rows
        height = done.game.height if ahead == _AHEAD else 0
        last = min(target.rows, max(need + ahead, height))
        most = done.game.lines + _MOST_LINES * (need - done.rows + 3)
        numbers = list_possible_lines(target, most) if is_last else tuple(range(most + 1))
        is_twin = is_last and overlap == _TOP_OVERLAPS[-1]
        return Question(
            target, done.game, max(0, done.rows - overlap), need, last, numbers,
            _CANDIDATES + more, self.settings.conflicts, patience=_BAND_PATIENCE,
            free_rows=self.settings.free_rows,
            solver=_LAST_SOLVER if is_twin else self.settings.solver,
        )  # fmt: skip

    def _take_best(self, answers: Sequence[Answer], rows: int) -> bool:
        """Continue with the best answer, if there is a game; ``rows`` are printed then."""
        games = [
            PartialGame(answer.game, answer.drops, answer.types, rows)
            for answer in answers
            if answer.game is not None
        ]
        if games:
            self.done = min(games, key=lambda game: game.rank)
        return bool(games)

    def _choose_end(self) -> int:
        """Return the row after the next band; the last band gets up to half a height more."""
        end = self.done.rows + self.settings.height
        rows = self.target.rows
        return rows if end + self.settings.height // 2 >= rows else end


_LAST_SOLVER: Final = "cadical195"
"""The solver for one of the two questions about the last band, where the count must come out even:
that of the fox on 21 columns takes CaDiCaL 2 units, and Glucose finds no game in 6."""

_MOST_LINES: Final = 9
"""How many lines a row may take at most: three slots' worth."""

_LOW_ENDS: Final = 2
_LOW_OVERLAPS: Final = (2, 3)
"""How many rows may be where a print ends low, and how many rows below are opened for it. If it
had to end flat, a portrait of 48x48 squares would have no end at row 9 or 10; with squares in one
row above, its first 9 rows in bands save 225 of 3,301 drops."""

_TOP_OVERLAPS: Final = (1, 2)
"""How many rows below the top band are opened, one question for each. There the count of squares
must come out even, which costs up to three lines more. A third question, with five rows, doubled
the work of the owl in vain."""


# -- windows -------------------------------------------------------------------------------------


class WindowGroup(NamedTuple):
    """Windows of one height, and how much may change in them."""

    height: int  # rows of the picture
    candidates: int  # how many rows may clear in each slot, if the game does not clear more there
    reach: int  # see Question


_WINDOW_GROUPS: Final = tuple(
    WindowGroup(height, candidates, reach)
    for height, candidates, reach in (
        *((4, 1, 3), (6, 1, 4), (6, 2, 7), (10, 1, 4), (10, 2, 7), (18, 1, 4), (18, 2, 7)),
        *((36, 1, 4), (36, 2, 7)),
    )
)
"""The groups of windows in the order of the search: small formulas find most games. The last ones
open all rows of a small picture."""

_WINDOW_SOLVER: Final = "glucose4"
"""With as many conflicts Glucose finds as much in windows of eight sprites as CaDiCaL, in two
thirds of the time."""

_WINDOWS_AT_ONCE: Final = 2

_STEPS_FROM_BELOW: Final = 4
"""How many smaller numbers of lines are asked for beside the largest one if all rows are open. So
the penguin takes 81 drops instead of 96."""


def search_windows(
    task: Task,
    drops: Drops,
    take: Callable[[Found], object],
    conflicts: int,
    refuted: set[Hashable],
    free_rows: int = 0,
) -> Steps:
    """Reopen rows of a complete game, in larger and larger windows; pass each game to ``take``.

    A window is asked for any game with fewer lines. After a success the group before comes again.
    Windows without such a game are added to ``refuted`` and never asked again.
    This is large neighbourhood search (Shaw 1998, *Using constraint programming and local search
    methods to solve vehicle routing problems*).
    """
    target = extend_upwards(task.target, _ROWS_ABOVE)
    game = stack_game(drops, target)
    asked: set[Hashable] = set()
    number = 0
    while game is not None and number < len(_WINDOW_GROUPS):
        group, is_shorter = _WINDOW_GROUPS[number], False
        for windows in _list_window_rounds(target.rows, group.height):
            questions, keys = list[Question](), list[Hashable]()
            numbers = list_possible_lines(target, game.lines - 1)
            for first, last in windows:
                key = group[1:], first, last, game.make_window_key(first, last)
                if not numbers or key in asked or key in refuted:
                    continue
                asked.add(key)
                is_whole = last - first == target.rows
                for some in (numbers[-1:], numbers[-1 - _STEPS_FROM_BELOW : -1] * is_whole):
                    question = Question(
                        target, game, first, last, last, some, group.candidates, conflicts,
                        patience=_PATIENCE, reach=group.reach, free_rows=free_rows,
                        solver=_WINDOW_SOLVER,
                    )  # fmt: skip
                    questions += [question] * bool(some)
                    keys += [key] * bool(some)
            answers = (yield questions) if questions else []
            most = numbers[-1] if numbers else 0
            refuted.update(k for k, a in zip(keys, answers, strict=True) if most in a.refuted)
            shorter = [a for a in answers if a.game is not None and len(a.drops) < len(drops)]
            if shorter:
                best = min(shorter, key=lambda answer: len(answer.drops))
                assert best.game is not None
                game, drops, is_shorter = best.game, best.drops, True
                take(Found(task, best.drops, best.types))
        number = max(0, number - 1) if is_shorter else number + 1


def _list_window_rounds(rows: int, height: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the windows of a height that are asked side by side."""
    height = min(height, rows)
    firsts = sorted({*range(0, rows - height, max(1, height // 2)), rows - height})
    for begin in range(0, len(firsts), _WINDOWS_AT_ONCE):
        yield [(first, first + height) for first in firsts[begin : begin + _WINDOWS_AT_ONCE]]
