"""Find short games from below: ask for the fewest cleared lines, and open few rows at a time.

A :class:`Question` to a SAT solver opens a *band* of rows of a game: the pieces that touch the band
are forgotten, all others stay. The solver is asked for the fewest cleared lines that arithmetic
allows, then for the next number, until the answer is yes. Asked in this order the numbers are easy:
with few lines the counter propagates, so "no" takes a tenth of a second, and the first "yes" comes
sooner than a "yes" to a looser question from above. (Asked from above, "at most 13 lines" for a
penguin of 16x16 was undecided after 130 s; from below, 9 lines were found after 7 s.) A number that
is undecided at the limit of conflicts is left out, and the next one is asked. The solver keeps what
it has learned. The limits are conflicts, not seconds, so the answer is the same on every machine.
It says nothing about all games, because the formula limits where pieces may lie (``PieceReach``).

The question comes in three sizes:

*Whole* (:func:`search_whole`). All rows of a small picture at once, on several boards, types open.
Two rows that may clear in each slot are enough for most pictures (the fox: 59 drops after 0.7 s),
three find more in five times the time. When each number of drops below the answer was refuted, no
game within the reach of the formula is shorter; the questions end there.

*Bands* (:class:`BandPrint`). A larger picture is printed from the floor. Each step opens a few
rows, and one or two below them, fixes the game below, and lets pieces *reach ahead* two rows into
the picture, where they must fit although no square is required yet. A band that has to end flat
needs about a third more drops. The squares ahead also free the count: only the last band must meet
the count of squares modulo four.

*Windows* (:func:`search_windows`). Any rows of a complete game, larger and larger.

The idea and its measurements: ``docs/search.md``, ``docs/experiments.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final, NamedTuple

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.errors import InternalError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.planners.formula import (
    FormulaTooLargeError,
    GameFormula,
    PieceReach,
    StackedGame,
    open_rows,
    put_on_top,
    stack_game,
)
from tetrisprinter.printing.task import Target, Task, cut_target, extend_upwards, raise_floor

Drops = tuple[tuple[Orientation, int], ...]
"""The drops of a game in order: orientations and columns."""

_MOST_CLAUSES: Final = 2_500_000
"""The most clauses of a formula. A solver needs some 120 bytes for each: 0.3 GB."""

_CLAUSES: Final = 1_000_000
_RATES: Final = {"cadical195": (11_000, 9_000_000), "glucose4": (20_000, 16_000_000)}
"""How many clauses are loaded in a unit of work, and for each solver how many conflicts or
propagations take one (their sum counts): about a CPU second, fitted to bands of 200,000 to 500,000
clauses."""


@dataclass(frozen=True, slots=True)
class Question:
    """An open band of rows, the game around it, and the limits of the search."""

    target: Target  # what all rows must and may hold in the end
    game: StackedGame  # the game so far; its pieces outside the band stay
    first: int  # the lowest open row of the picture
    need: int  # the rows below this one must be printed in the end
    last: int  # open pieces may reach rows below this one
    # The numbers of lines to ask for, in order; all lines of the game count. With ``counts_drops``
    # they are numbers of drops: this is for a whole game with don't-care squares
    numbers: tuple[int, ...]
    candidates: int = 3  # how many rows may clear in each slot of the band
    conflicts: int = 20_000  # the limit for each number
    patience: int = 1 << 30  # the question ends after this many numbers without an answer
    # How many rows at the top of the board stay empty, except for squares of the picture, so that
    # a player has room to steer each piece
    free_rows: int = 0
    solver: str = "cadical195"
    # How many cleared candidates a piece may lie across, and how many may clear between its turn
    # and its drop
    reach: int = 7
    counts_drops: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The game with the fewest lines that the solver found, or none."""

    game: StackedGame | None = None
    drops: Drops = ()
    types: TypeColors = ()  # the colour of each type, if types are open
    refuted: tuple[int, ...] = ()  # the numbers of the question for which there is no game
    work: float = 0.0  # work units


def ask(question: Question, most_work: float = inf) -> Answer:
    """Ask the solver for each number of the question until one has a game or the work is spent.

    Raises
    ------
    InternalError
        If a model is not the game that it says.
    """
    from pysat.solvers import Solver

    if not question.numbers:
        return Answer()
    target = question.target
    part = cut_target(target, question.need, question.last)
    has_rows_above = question.last < target.rows and question.game.reaches(question.last)
    reach = PieceReach(question.reach, question.reach)
    window = open_rows(
        question.game, target.width, (question.first, question.last), question.need,
        question.candidates, reach,
    )  # fmt: skip
    try:
        formula = GameFormula(
            target if has_rows_above else part, window, reach, _MOST_CLAUSES, question.free_rows
        )
    except FormulaTooLargeError:
        return Answer(work=_MOST_CLAUSES / _CLAUSES)
    limits = dict(_limit_numbers(formula, question))
    with Solver(question.solver) as solver:
        solver.configure(_OPTIONS.get(question.solver, {}))
        formula.pass_clauses(solver.add_clause)
        solve = _Solve(question, formula, solver, most_work)
        model, refuted = solve.ask_in_order(limits)
        work = solve.work
    if model is None:
        return Answer(refuted=refuted, work=work)
    drops = formula.read_game(model)
    _check_game(target, drops, question.need, question.game.floor)
    game, types = formula.read_stack(model, target.rows), formula.read_types(model)
    return Answer(game, drops, types, refuted, work)


@dataclass(frozen=True, slots=True)
class _Solve:
    """A solver with the formula of a question."""

    question: Question
    formula: GameFormula
    solver: Any
    most_work: float  # units, with those for loading the formula

    @property
    def work(self) -> float:
        """The work units so far."""
        conflicts, propagations = _RATES[self.question.solver]
        stats: dict[str, int] = self.solver.accum_stats()
        return (
            self.formula.size / _CLAUSES
            + stats["conflicts"] / conflicts
            + stats["propagations"] / propagations
        )

    def ask_in_order(
        self, limits: Mapping[int, list[int]]
    ) -> tuple[list[int] | None, tuple[int, ...]]:
        """Ask for each number until one has a model; return it, and the numbers refuted before."""
        refuted, undecided, left = list[int](), 0, list(limits.items())
        while left and undecided < self.question.patience and self.work < self.most_work:
            number, limit = left[0]
            answer = self._ask(limit)
            if answer:
                return self.solver.get_model(), tuple(refuted)
            if answer is False:
                refuted.append(number)
            undecided += answer is None
            # The longer there is no answer, the larger steps
            del left[: 1 + max(0, undecided - 2)]
        return None, tuple(refuted)

    def _ask(self, assumptions: list[int]) -> bool | None:
        """Solve with the limits of conflicts and of work; return None if they were not enough.

        Work cannot limit a call, so a long one is made of several.
        """
        conflicts = self.question.conflicts
        while conflicts > 0:
            self.solver.conf_budget(min(conflicts, _CALL))
            answer: bool | None = self.solver.solve_limited(assumptions=assumptions)
            conflicts -= _CALL
            if answer is not None or self.work >= self.most_work:
                return answer
        return None


_OPTIONS: Final = {"cadical195": {"stabilizeonly": 1, "elim": 0}}
"""Options of solvers. Most numbers that take long have a game, and CaDiCaL finds it sooner if it
never leaves its stable mode: 55 bands of seven pictures take 68 s for 94, and two more have a game.
Without elimination of variables, which each new number undoes in part, they take 61 s."""

_CALL: Final = 10_000
"""The most conflicts of one call of a solver."""


def _limit_numbers(formula: GameFormula, question: Question) -> Iterator[tuple[int, list[int]]]:
    """Yield each possible number of a question with the assumptions that limit the game to it."""
    if question.counts_drops:
        weights = [(drops, formula.compute_weight(drops)) for drops in question.numbers]
        weights = [(drops, weight) for drops, weight in weights if weight >= 0]
        if weights:
            counter = formula.add_weight_counter(weights[-1][1])
        yield from ((d, formula.assume_at_most(counter, weight)) for d, weight in weights)
        return
    known = len(formula.window.required_candidates)
    counter = formula.add_line_counter()
    for lines in question.numbers:
        if known <= lines <= known + len(counter):
            yield lines, [-literal for literal in counter[lines - known : lines - known + 1]]


def _check_game(target: Target, drops: Drops, rows: int, floor: frozenset[int]) -> None:
    """Play drops; raise an error unless the rows below ``rows`` are printed and no other changed.

    A formula and the rules of the game are two programs, and this compares them for each model.
    """
    start = [int(x in floor) for x in range(target.width)]
    field = Playfield.from_rows(target.width, target.height, [start])
    try:
        for orientation, x in drops:
            field.drop(orientation, x)
    except TopOutError as error:
        raise InternalError(f"internal error in a formula: {error}; please report it") from error
    for y, row in enumerate(field.rows):
        for x, piece in enumerate(row):
            if y == 0 and floor:
                is_right = bool(piece) == (x in floor)
            elif piece:
                is_right = (
                    target.may_hold(x, y, PieceType(piece))
                    if y < target.rows
                    else bool(target.above >> piece & 1)
                )
            else:
                is_right = y >= rows or (x, y) not in target.required
            if not is_right:
                raise InternalError(
                    f"internal error in a formula: the model is not the game that it says, first "
                    f"at column {x}, row {y}; please report it"
                )


Steps = Generator[Sequence[Question], list[Answer], None]
"""Yields questions that may be answered side by side, and receives their answers in order."""

_AHEAD: Final = 2
"""How many rows pieces may reach ahead of a band. The lowest eight rows of the owl take 586 drops
with 0, 479 with 1, 422 with 2, and not fewer with 3."""

_ROWS_ABOVE: Final = 3
"""How many rows above the picture may keep don't-care squares."""

_DEAD_END: Final = (((3, 2, 0), (3, 1, 1)), ((1, 1, 1), (1, 1, 3)))
"""After a dead end: how many rows the next band prints, how many rows below it are opened, and how
many more rows may clear in each slot; two questions side by side. Where three rows in a slot are
too few, "no" comes at once, even if ten rows are opened. A portrait of 48x48 squares has no band of
three rows at row 36, and one of one row with four rows in a slot."""


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


_CANDIDATES: Final = 3
"""How many rows may clear in a slot. With four, bands take four times as long and save nothing."""


class WholeRound(NamedTuple):
    """How whole games are asked for on one board."""

    candidates: int  # how many rows may clear in each slot
    conflicts: int  # the limit for each number
    patience: int  # the question ends after this many numbers without an answer


@dataclass(slots=True)
class WholeBoard:
    """A board on which whole games are searched."""

    task: Task
    free_rows: int = 0  # see Question
    target: Target = field(init=False)
    numbers: tuple[int, ...] = field(init=False)  # the possible numbers of drops, in order
    # For each number of candidates, the numbers of drops that were refuted, and the conflicts of
    # the longest question
    refuted: dict[int, set[int]] = field(default_factory=dict)
    conflicts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.target = target = extend_upwards(self.task.target, _ROWS_ABOVE)
        lines = list_possible_lines(target, 3 * (target.rows + 1))
        squares = len(target.required)
        drops = [-(-(squares + target.width * count) // 4) for count in lines]
        if target.count_spare() and drops:
            drops = list(range(drops[0], drops[-1] + 1))
        self.numbers = tuple(drops)

    def list_open_numbers(self, fewest: float, candidates: int = _CANDIDATES) -> list[int]:
        """Return the numbers of drops below ``fewest`` that were not refuted."""
        refuted = self.refuted.get(candidates, ())
        return [number for number in self.numbers if number < fewest and number not in refuted]

    def make_question(self, round_: WholeRound, fewest: float) -> Question | None:
        """Return the question for fewer drops, from the least number; None if it was asked."""
        numbers = self.list_open_numbers(fewest, round_.candidates)
        if not numbers or self.conflicts.get(round_.candidates, 0) >= round_.conflicts:
            return None
        self.conflicts[round_.candidates] = round_.conflicts
        target = self.target
        return Question(
            target, StackedGame(tuple(range(target.rows))), 0, target.rows, target.rows,
            tuple(numbers), round_.candidates, round_.conflicts, patience=round_.patience,
            free_rows=self.free_rows, counts_drops=True,
        )  # fmt: skip

    def receive(self, round_: WholeRound, answer: Answer) -> Found | None:
        """Note what was refuted, and return the game that was found."""
        self.refuted.setdefault(round_.candidates, set()).update(answer.refuted)
        return Found(self.task, answer.drops, answer.types) if answer.drops else None


def search_whole(
    rounds: Sequence[tuple[WholeBoard, WholeRound]],
    take: Callable[[Found], object],
    fewest: Callable[[], float],
) -> Steps:
    """Search for the shortest game of a picture on some boards; pass each game to ``take``.

    Each board is asked for all its numbers of drops below ``fewest()``, from the least one. Two
    questions run side by side.
    """
    left = iter(rounds)
    while True:
        asked = list[tuple[WholeBoard, WholeRound, Question]]()
        for board, round_ in left:
            question = board.make_question(round_, fewest())
            if question is not None:
                asked.append((board, round_, question))
            if len(asked) == _WHOLE_AT_ONCE:
                break
        if not asked:
            return
        answers = yield [question for *_, question in asked]
        for (board, round_, _), answer in zip(asked, answers, strict=True):
            found = board.receive(round_, answer)
            if found is not None and len(found.drops) < fewest():
                take(found)


_WHOLE_AT_ONCE: Final = 2
"""How many questions about whole games are asked side by side."""

_BAND_PATIENCE: Final = 4
"""How many numbers of lines may be undecided in a question about a band."""

_PATIENCE: Final = 1
"""How many numbers of lines may be undecided in a window."""


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
    """A print of one picture, or some of its rows, from the floor, band by band."""

    task: Task
    settings: BandSettings
    first: int = 0  # the lowest row to print; the rows below lie on the board before
    # The row above the last one to print, 0 for all rows; then it is counted in the target
    end: int = 0
    target: Target = field(init=False)
    done: PartialGame = field(init=False)

    def __post_init__(self) -> None:
        self.target = extend_upwards(self.task.target, _ROWS_ABOVE)
        self.end = self.end or self.target.rows
        floor = frozenset[int]()
        if self.first:
            floor = frozenset(x for x, y in self.target.required if y == self.first - 1)
            self.target = raise_floor(self.target, self.first - 1)
            self.end -= self.first - 1
        game = StackedGame(tuple(range(self.target.rows)), floor=floor)
        self.done = PartialGame(game, rows=self.begin)

    @property
    def begin(self) -> int:
        """The lowest row of the target to print: row 0 is the floor of an upper half."""
        return min(self.first, 1)

    @property
    def is_complete(self) -> bool:
        """Whether all rows are printed."""
        return self.done.rows == self.end

    @property
    def share(self) -> float:
        """The share of the rows that is printed."""
        return (self.done.rows - self.begin) / (self.end - self.begin)

    @property
    def has_one_left(self) -> bool:
        """Whether only the last band is left."""
        return self._choose_end() == self.end

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
        need, rows = self._choose_end(), self.done.rows
        attempts = [[(need, overlap, 0) for overlap in self.settings.overlaps]]
        if need == self.end:
            attempts = [[(need, overlap, more) for overlap, more in _TOP]]
        for others in _DEAD_END:
            ends = [(min(rows + count, need), overlap, more) for count, overlap, more in others]
            attempts.append([end for end in ends if not any(end in a for a in attempts)])
        for attempt in filter(None, attempts):
            answers = yield [self._ask(end, overlap, more) for end, overlap, more in attempt]
            if self._take_best(answers, attempt[0][0]):
                return True
        return False

    def end_low(self) -> Generator[Sequence[Question], list[Answer], bool]:
        """Complete the rows that are begun, with squares in at most one row above; return success.

        From such a board the picture can be continued row by row.
        """
        lowest = max(self.done.rows, self.done.game.height - 1)
        for end in range(lowest, min(lowest + _LOW_ENDS, self.end + 1)):
            answers = yield [self._ask(end, rows, 0, ahead=1) for rows in _LOW_OVERLAPS]
            if self._take_best(answers, end):
                return True
        return False

    def reopen(self, row: int) -> Generator[Sequence[Question], list[Answer], bool]:
        """Open the rows around the lower edge of a row in the complete game; return success."""
        game, last = self.done.game, min(row + _SEAM, self.target.rows)
        numbers = list_possible_lines(self.target, game.lines - 1)
        answers = yield [
            Question(
                self.target, game, max(0, row - _SEAM), last, last, numbers, _SEAM_CANDIDATES,
                self.settings.conflicts, patience=_BAND_PATIENCE,
                free_rows=self.settings.free_rows, solver=self.settings.solver,
            )
        ]  # fmt: skip
        return self._take_best(answers, self.target.rows)

    def _ask(self, need: int, overlap: int, more: int, ahead: int = _AHEAD) -> Question:
        """Return the question for the rows up to ``need``, from which pieces may reach ahead."""
        target, done = self.target, self.done
        is_last = need == self.end
        height = done.game.height if ahead == _AHEAD else 0
        last = min(self.end, max(need + ahead, height))
        most = done.game.lines + _MOST_LINES * (need - done.rows + 3)
        numbers = tuple(range(most + 1))
        if is_last:
            numbers = list_possible_lines(cut_target(target, need, need), most)
        return Question(
            target, done.game, max(self.begin, done.rows - overlap), need, last, numbers,
            _CANDIDATES + more, self.settings.conflicts, patience=_BAND_PATIENCE,
            free_rows=self.settings.free_rows, solver=self.settings.solver,
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
        return self.end if end + self.settings.height // 2 >= self.end else end


_ROW_CONFLICTS: Final = 3_000
_TOP_CONFLICTS: Final = 10_000
_ROW_PATIENCE: Final = 3
"""The limits for rows at a dead end of a print row by row. With twice the conflicts no more of them
have an answer."""


def make_row_question(
    task: Task, floor: frozenset[int], first: int, end: int, more: int
) -> Question:
    """Ask for rows ``first`` to ``end - 1`` of a picture; ``floor`` has the squares below them.

    Squares may then lie in row ``end``, but in no higher row. ``more`` rows more than usual may
    clear in each slot.
    """
    target = extend_upwards(task.target, _ROWS_ABOVE)
    is_last, need = end == task.picture.height, end
    if first:
        target, need = raise_floor(target, first - 1), need - (first - 1)
    last = target.rows if is_last else need + 1
    most = (_CANDIDATES + more) * (end - first + 1)
    numbers = tuple(range(end - first, most + 1))
    if is_last:
        numbers = list_possible_lines(target, most)
    return Question(
        target, StackedGame(tuple(range(target.rows)), floor=floor), min(first, 1), need, last,
        numbers, _CANDIDATES + more, _TOP_CONFLICTS if is_last else _ROW_CONFLICTS,
        patience=_ROW_PATIENCE,
    )  # fmt: skip


_MOST_LINES: Final = 9
"""How many lines a row may take at most: three slots' worth."""

_SEAM: Final = 2
_SEAM_CANDIDATES: Final = 2
"""How many rows are opened on both sides of the seam of two halves, and how many rows may clear in
each slot there. So the owl takes 577 drops instead of 610 for 2.5 units of work; of five pictures
none has a shorter game with three or four rows, or with a third row in a slot."""

_LOW_ENDS: Final = 2
_LOW_OVERLAPS: Final = (2, 3)
"""How many rows may be where a print ends low, and how many rows below are opened for it. If it
had to end flat, a portrait of 48x48 squares would have no end at row 9 or 10; with squares in one
row above, its first 9 rows in bands save 225 of 3,301 drops."""

_TOP: Final = ((1, 1), (2, 0))
"""For the top band: how many rows below it are opened, and how many more rows may clear in each
slot; two questions side by side. There the count of squares must come out even, which costs up to
three lines more. With (1, 0) for (1, 1) the owl takes 643 drops instead of 610 and the whale 759
instead of 736, and with 2 or 3 rows left each found its game sooner. A third question, with five
rows, doubled the work of the owl in vain."""


def split_print(whole: BandPrint) -> tuple[BandPrint, BandPrint] | None:
    """Return prints of the lower and the upper half of a picture, of about as many squares each.

    The upper half is printed on the row below it. Returns None if no row near the middle divides
    the squares so that both halves can end flat, or if types are open: the halves share them.
    """
    if whole.target.shades is not None:
        return None
    target, squares = whole.target, len(whole.target.required)
    ends = list[tuple[int, int]]()
    for end in range(target.rows // 3, target.rows - target.rows // 3):
        lower, upper = cut_target(target, end, end), raise_floor(target, end - 1)
        has_floor = any(y == end - 1 for _, y in target.required)
        if has_floor and all(list_possible_lines(part, 3) for part in (lower, upper)):
            ends.append((abs(2 * len(lower.required) - squares), end))
    if not ends:
        return None
    _, end = min(ends)
    task, settings = whole.task, whole.settings
    return BandPrint(task, settings, end=end), BandPrint(task, settings, end)


def join_halves(lower: BandPrint, upper: BandPrint) -> BandPrint:
    """Return the print that makes both halves; if the lower one is not complete, only that one."""
    whole = BandPrint(lower.task, lower.settings)
    whole.done = done = lower.done
    if lower.is_complete:
        whole.done = PartialGame(
            put_on_top(upper.done.game, done.game),
            done.drops + upper.done.drops,
            rows=upper.first - 1 + upper.done.rows,
        )
    return whole


class BandResult(NamedTuple):
    """The print that came farthest."""

    print_: BandPrint
    work: float
    is_paused: bool  # whether more bands can be tried


def print_alone(
    prints: Sequence[BandPrint],
    most_work: float = inf,
    pause: float = inf,
    leaves_last: bool = False,
) -> BandResult:
    """Print in bands in this process, one print after the other until one is complete.

    It pauses after the band with which it has used ``pause`` units of work. With ``leaves_last``
    the last band, which takes longest, is left to others.
    """
    work = 0.0
    for print_ in prints:
        steps, rows = print_.print_bands(), print_.done.rows
        questions = next(steps, ())
        while questions:
            is_new = print_.done.rows > rows
            if (
                work >= most_work
                or (is_new and work >= pause)
                or (leaves_last and print_.has_one_left)
            ):
                return BandResult(print_, work, True)
            rows = print_.done.rows
            answers = [ask(question, most_work - work) for question in questions]
            work += sum(answer.work for answer in answers)
            try:
                questions = steps.send(answers)
            except StopIteration:
                break
        if print_.is_complete:
            break
    return BandResult(max(prints, key=lambda print_: print_.done.rows), work, False)


# -- windows -------------------------------------------------------------------------------------


class WindowGroup(NamedTuple):
    """Windows of one height, and how much may change in them."""

    height: int  # rows of the picture
    candidates: int  # how many rows may clear in each slot, if the game does not clear more there
    reach: int  # see Question


WINDOW_GROUPS: Final = tuple(
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
    found: Found,
    take: Callable[[Found], object],
    conflicts: int,
    refuted: set[Hashable],
    free_rows: int = 0,
    groups: Sequence[WindowGroup] = WINDOW_GROUPS,
) -> Steps:
    """Reopen rows of a complete game, in larger and larger windows; pass each game to ``take``.

    A window is asked for any game with fewer lines. After a success the group before comes again.
    Windows without such a game are added to ``refuted`` and never asked again.
    This is large neighbourhood search (Shaw 1998, *Using constraint programming and local search
    methods to solve vehicle routing problems*).
    """
    task, drops = found.task, found.drops
    target = extend_upwards(task.target, _ROWS_ABOVE)
    game = stack_game(drops, target)
    asked: set[Hashable] = set()
    number = 0
    while game is not None and number < len(groups):
        group, is_shorter = groups[number], False
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
