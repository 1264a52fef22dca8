"""One question to a SAT solver: which game in some open rows has the fewest drops?

A question opens a *band* of rows of a game: the pieces that touch the band are forgotten, all
others stay. The solver is asked for the fewest cleared lines that arithmetic allows, then for the
next number, until the answer is yes. Asked in this order the numbers are easy: with few lines the
counter propagates, so "no" takes a tenth of a second, and the first "yes" comes sooner than a "yes"
to a looser question from above. (Asked from above, "at most 13 lines" for a penguin of 16x16 was
undecided after 130 s; from below, 9 lines were found after 7 s.) A number that is undecided at the
limit of conflicts is left out, and the next one is asked. The solver keeps what it has learned.

Above the band pieces may *reach ahead* into rows whose squares are not required yet, where they
must fit the picture. A band that has to end flat needs about a third more drops.

The limits are conflicts, not seconds, so the answer is the same on every machine. An answer says
nothing about all games, because the formula limits where pieces may lie (``PieceReach``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

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
)
from tetrisprinter.printing.target import Target

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
    work: float = inf  # the limit for the whole question, in units
    patience: int = 1 << 30  # the question ends after this many numbers without an answer
    # How many rows at the top of the board stay empty, except for squares of the picture, so that
    # a player has room to steer each piece
    free_rows: int = 0
    solver: str = "cadical195"
    # How many cleared candidates a piece may lie across, and how many may clear between its turn
    # and its drop
    reach: int = 7
    counts_drops: bool = False
    is_whole: bool = False  # whether each number that is not easy gets a solver of its own


@dataclass(frozen=True, slots=True)
class Answer:
    """The game with the fewest lines that the solver found, or none."""

    game: StackedGame | None = None
    drops: Drops = ()
    types: TypeColors = ()  # the colour of each type, if types are open
    refuted: tuple[int, ...] = ()  # the numbers of the question for which there is no game
    work: float = 0.0  # work units


def ask(question: Question) -> Answer:
    """Ask the solver for each number of the question until one has a game.

    Raises
    ------
    InternalError
        If a model is not the game that it says.
    """
    from pysat.solvers import Solver

    if not question.numbers:
        return Answer()
    target = question.target
    part = replace(
        target,
        allowed=target.allowed[: question.last],
        shades=target.shades and target.shades[: question.last],
        required=frozenset((x, y) for x, y in target.required if y < question.need),
    )
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
    refuted: list[int] = []
    limits = dict(_limit_numbers(formula, question))
    model, undecided, alone = None, 0, 0.0
    with Solver(question.solver) as solver:
        formula.pass_clauses(solver.add_clause)
        left = list(limits.items())
        work = _count_work(formula, solver, question.solver)
        while left and undecided < question.patience and work < question.work:
            number, limit = left[0]
            conflicts = _QUICK if question.is_whole else question.conflicts
            answer = _solve(
                solver, question.solver, formula, limit, conflicts, question.work - alone
            )
            if answer:
                model = solver.get_model()
            elif answer is None and question.is_whole:
                left_work = question.work - alone - _count_work(formula, solver, question.solver)
                answer, model, more = _solve_alone(formula, limit, question, left_work)
                alone += more
            work = alone + _count_work(formula, solver, question.solver)
            if answer:
                break
            if answer is False:
                refuted.append(number)
            undecided += answer is None
            del left[: 1 + max(0, undecided - 2)]  # the longer there is no answer, the larger steps
    if model is None:
        return Answer(refuted=tuple(refuted), work=work)
    drops = formula.read_game(model)
    _check_game(target, drops, question.need)
    game, types = formula.read_stack(model, target.rows), formula.read_types(model)
    return Answer(game, drops, types, tuple(refuted), work)


def _solve(
    solver: Any,
    name: str,
    formula: GameFormula,
    assumptions: list[int],
    conflicts: int,
    work: float,
) -> bool | None:
    """Solve with a limit of conflicts and of work; return None if neither was enough.

    Work cannot limit a call, so a long one is made of several.
    """
    while conflicts > 0:
        solver.conf_budget(min(conflicts, _CALL))
        answer: bool | None = solver.solve_limited(assumptions=assumptions)
        conflicts -= _CALL
        if answer is not None or _count_work(formula, solver, name) >= work:
            return answer
    return None


def _solve_alone(
    formula: GameFormula, limit: list[int], question: Question, work: float
) -> tuple[bool | None, list[int] | None, float]:
    """Ask one number of a solver of its own; return the answer, the model and the work.

    A limit that is a clause lets the solver simplify the formula; a limit that is an assumption
    does not: the whole fox takes 1,500 conflicts instead of more than 50,000. Bands are easier, and
    loading them again takes longer than it saves (48 units of work instead of 20 for the owl).
    """
    from pysat.solvers import Solver

    with Solver(question.solver) as solver:
        formula.pass_clauses(solver.add_clause)
        for literal in limit:
            solver.add_clause([literal])
        answer = _solve(solver, question.solver, formula, [], question.conflicts, work)
        return (
            answer,
            solver.get_model() if answer else None,
            _count_work(formula, solver, question.solver),
        )


def _count_work(formula: GameFormula, solver: Any, name: str) -> float:
    """Return the work units of a solver."""
    conflicts, propagations = _RATES[name]
    stats: dict[str, int] = solver.accum_stats()
    return (
        formula.size / _CLAUSES
        + stats["conflicts"] / conflicts
        + stats["propagations"] / propagations
    )


_CALL: Final = 10_000
"""The most conflicts of one call of a solver."""

_QUICK: Final = 300
"""Conflicts within which most numbers that are too small are refuted."""


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


def _check_game(target: Target, drops: Drops, rows: int) -> None:
    """Play drops; raise an error unless the rows below ``rows`` are printed and no other changed.

    A formula and the rules of the game are two programs, and this compares them for each model.
    """
    field = Playfield(target.width, target.height)
    try:
        for orientation, x in drops:
            field.drop(orientation, x)
    except TopOutError as error:
        raise InternalError(f"internal error in a formula: {error}; please report it") from error
    for y, row in enumerate(field.rows):
        for x, piece in enumerate(row):
            if piece:
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
