"""Find, prove and count patterns: packed matrices that leave squares in the row below them.

>>> from tetrisprinter import patterns
>>> packing = patterns.find(emitted=1, rows=3, at=[6])
>>> len(packing.pieces)
15
>>> patterns.count(emitted=1, rows=3, at=[6])
4

An impossibility is decided twice, from one model (:mod:`tetrisprinter.packings.model`): CP-SAT
decides it as an exact cover with levels, and CaDiCaL as a formula, with a proof that our own
checker accepts. The two must agree.

Packings are counted without a list of them. The matrix is filled column by column, and packings
that leave the same frontier are counted together (the transfer-matrix method). The states are those
of the column automaton (:mod:`tetrisprinter.packings.automaton`), which know the levels
of the pieces. One packing can have several levels, because it can be dropped in several orders. So
a frontier is the *set* of states that the same pieces can reach: then each packing has one path,
and is counted once.

States that cannot reach the end are left out beforehand, and states before a column that have the
same moves are one state. For five rows, 21 columns and emitter pieces at 0, 9 and 18 this leaves
3,000 states and 4,000 frontiers in the widest column instead of 13,000 and 19,000. The frontiers
take 1.5 instead of 9.8 seconds. To find the moves takes 5 seconds, but only once for many matrices
(:func:`count_each`). Tried instead: to drop the states of a frontier that others simulate, which
leaves a third of the frontiers and takes twice as long.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import can_make_pieces
from tetrisprinter.game.pieces import ORIENTATIONS
from tetrisprinter.packings import automaton
from tetrisprinter.packings.certificates import Certificate, EmitterClaim, certify, check_size
from tetrisprinter.packings.finders import (
    AUTOMATON,
    CPSAT,
    FINDERS,
    SAT,
    Automaton,
    Backtracker,
    Finder,
    encode_as_word,
)
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Result,
    Unknown,
    list_emitter_positions,
    make_emitter_problem,
    read_matrix,
)
from tetrisprinter.packings.tables import (
    EMITTED,
    TABLE_WIDTH,
    PatternTable,
    get_tables_folder,
    name_emitter_file,
    read_emitter_table,
)
from tetrisprinter.sat.solve import DEFAULT_SOLVER
from tetrisprinter.support import format_count
from tetrisprinter.support.options import UNLIMITED, Limit

__all__ = [
    "Certificate",
    "Infeasible",
    "Packing",
    "PackingProblem",
    "Unknown",
    "Verdict",
    "count",
    "find",
    "prove",
    "prove_least",
    "read_matrix",
    "table",
]


_QUICK: Final = Automaton(Backtracker(attempts=1000, retries=20))
"""A finder that answers within a second, often with Unknown if no automaton applies."""


_QUICK_SETS: Final = 20
"""Sets of columns that this finder is asked about; the automaton, at once, about all others."""


def find(  # noqa: PLR0913 - the question, and how to answer it
    emitted: int | None = None,
    rows: int | None = None,
    at: Sequence[int] | None = None,
    *,
    width: int = TABLE_WIDTH,
    problem: PackingProblem | None = None,
    finder: str | Finder = "fastest",
    limit: Limit = UNLIMITED,
) -> Result:
    """Find a packed matrix.

    Parameters
    ----------
    emitted : int or None
        Number of squares that the matrix leaves; may be left out if ``at`` is given.
    rows : int or None
        Rows of the matrix.
    at : sequence of int or None
        First columns of the emitter pieces, which cover three columns each. None tries all sets of
        columns in order.
    width : int
        Columns of the matrix.
    problem : PackingProblem or None
        The matrix to pack instead, for instance from :func:`read_matrix`.
    finder : str or Finder
        The method, or its name in :data:`~tetrisprinter.packings.finders.FINDERS`.
    limit : Limit
        Time limit, random seed and number of threads.

    Returns
    -------
    Packing, Infeasible or Unknown
        The packing, which was replayed, or the reason why there is none or none was found.

    Raises
    ------
    InputError
        If the question is incomplete, no such emitter pieces fit, or the finder is unknown.

    Examples
    --------
    >>> print(find(emitted=1, rows=3, at=[3]).reason)
    the automaton of 3 rows does not accept it
    """
    if isinstance(finder, str) and finder not in FINDERS:
        raise InputError(f"unknown finder {finder!r}; choose from {', '.join(FINDERS)}")
    chosen = FINDERS[finder] if isinstance(finder, str) else finder
    result: Result = Infeasible("no emitter pieces fit")
    for one in _list_problems(emitted, rows, at, width, problem):
        result = chosen.find(one, limit)
        if isinstance(result, Packing):
            return result
    return result


def count(
    emitted: int | None = None,
    rows: int | None = None,
    at: Sequence[int] | None = None,
    *,
    width: int = TABLE_WIDTH,
    problem: PackingProblem | None = None,
) -> int:
    """Count the packings of a matrix; the parameters are those of :func:`find`.

    Without ``at`` the packings of all sets of columns are counted. Two packings are the same if
    their pieces lie in the same places, in any drop order.

    Matrices of more than six rows, and problems with holes, presets above row 0, required pieces or
    a last piece are counted by listing, which only suits small numbers.

    Examples
    --------
    >>> count(emitted=2, rows=2, at=[0, 15])
    0
    >>> count(rows=4, at=[0, 5, 9, 16])
    7408462
    """
    return sum(count_each(_list_problems(emitted, rows, at, width, problem)))


def table(emitted: int) -> PatternTable:
    """Return the table of all patterns that leave a number of squares.

    Parameters
    ----------
    emitted : int
        1..7.

    Returns
    -------
    PatternTable
        A packing for every set of columns.

    Raises
    ------
    InputError
        If there is no such table.

    Examples
    --------
    >>> len(table(2))
    136
    """
    if emitted not in EMITTED:
        raise InputError(
            f"no table of {emitted} emitted squares; expected {EMITTED[0]} to {EMITTED[-1]}"
        )
    return read_emitter_table(get_tables_folder() / name_emitter_file(emitted), emitted)


def _list_problems(
    emitted: int | None,
    rows: int | None,
    at: Sequence[int] | None,
    width: int,
    problem: PackingProblem | None,
) -> Iterator[PackingProblem]:
    """Yield the problems of a question."""
    if problem is not None:
        yield problem
        return
    if rows is None or (emitted is None and at is None):
        raise InputError("incomplete question; give rows, and emitted or at")
    for positions in list_position_sets(emitted, at, width):
        yield make_emitter_problem(width, rows, positions)


def list_position_sets(
    emitted: int | None, at: Sequence[int] | None, width: int
) -> list[tuple[int, ...]]:
    """Return the sets of columns of a question; refuse emitter pieces that do not fit."""
    if emitted is not None and emitted < 0:
        raise InputError(f"--emitted: {emitted} is out of range; expected 0 or more")
    if at is not None and emitted is not None and len(at) != emitted:
        raise InputError(
            f"--at: {format_count(len(at), 'column')}; expected {emitted}, the number of --emitted"
        )
    count = len(at) if at is not None else emitted or 0
    if 3 * count > width:
        raise InputError(
            f"--width {width} is too small; expected {3 * count} columns or more for "
            f"{format_count(count, 'emitter piece')}"
        )
    if at is None:
        return list(list_emitter_positions(count, width))
    if not all(0 <= column <= width - 3 for column in at):
        raise InputError(f"--at: no emitter piece fits there; expected columns 0 to {width - 3}")
    if any(second - first < 3 for first, second in pairwise(sorted(at))):
        raise InputError("--at: emitter pieces overlap; expected columns three or more apart")
    return [tuple(at)]


@dataclass(frozen=True)
class Verdict:
    """What is known about a number of rows: a packing, or a proof that none exists."""

    rows: int
    reason: str  # what decided, as a sentence
    packing: Packing | None = None
    certificate: Certificate | None = None  # None if arithmetic decides
    cpsat_seconds: float | None = None  # how long CP-SAT took, if it was asked
    _temporary: Any = field(default=None, repr=False, compare=False)  # a folder that goes with it

    def __str__(self) -> str:
        rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
        return f"{rows}: {self.reason}"


def prove(  # noqa: PLR0913 - the question, and how to answer it
    emitted: int | None = None,
    rows: int | None = None,
    at: Sequence[int] | None = None,
    *,
    width: int = TABLE_WIDTH,
    squares_hold: bool = False,
    folder: str | Path | None = None,
    solver: str = DEFAULT_SOLVER,
) -> Verdict:
    """Find a packed matrix, or prove that none exists.

    Parameters
    ----------
    emitted, rows, at, width
        The question, as in :func:`find`. Without ``at`` the verdict is about all sets of columns
        at once.
    squares_hold : bool
        Whether the squares below the emitter pieces may support other pieces.
    folder : str, Path or None
        Where to keep the certificate; None keeps it as long as the verdict lives.
    solver : str
        A solver of python-sat that writes proofs.

    Returns
    -------
    Verdict
        Its ``packing`` is the matrix, or its ``certificate`` proves that there is none.

    Raises
    ------
    InputError
        If the question is incomplete, or the solver or the folder cannot be used.
    JobError
        If CP-SAT and the other solver disagree, which never happens.

    Examples
    --------
    >>> verdict = prove(emitted=1, rows=3, at=[7])
    >>> verdict.packing is None, verdict.certificate.verify()[:2]
    (True, ('own', 'own-lrat'))
    >>> print(prove(emitted=1, rows=4))
    4 rows: impossible: 81 free cells, not a multiple of 4
    """
    if rows is None or (emitted is None and at is None):
        raise InputError("incomplete question; give rows, and emitted or at")
    if rows < 1:
        raise InputError(f"invalid number of rows {rows}; expected 1 or more")
    position_sets = tuple(list_position_sets(emitted, at, width))
    emitted = len(position_sets[0])
    free_cells = width * rows - 3 * emitted
    if not can_make_pieces(free_cells):
        return Verdict(rows, f"impossible: {free_cells} free cells, not a multiple of 4")
    if not free_cells:
        packing = Packing(make_emitter_problem(width, rows, position_sets[0]), ())
        return Verdict(rows, "the emitter pieces alone fill it", packing)
    if 3 * emitted == width:
        reason = "impossible: the emitter pieces alone complete the lowest row; expected one row"
        return Verdict(rows, reason)
    for number, positions in enumerate(position_sets):
        quick_finder = _QUICK if number < _QUICK_SETS else AUTOMATON
        result = quick_finder.find(make_emitter_problem(width, rows, positions))
        if isinstance(result, Packing):
            return _accept(rows, result)
    claim = EmitterClaim(width, rows, position_sets, squares_hold)
    check_size(claim)
    began = time.perf_counter()
    decided = _decide_by_cpsat(claim)
    seconds = time.perf_counter() - began
    temporary = None
    if folder is None:
        temporary = tempfile.TemporaryDirectory()
        folder = temporary.name
    answer = certify(claim, folder, solver=solver)
    if isinstance(decided, Packing) == isinstance(answer, Certificate):
        raise JobError(
            f"internal error: CP-SAT and {solver} disagree about {claim.name}; please report it"
        )
    if isinstance(decided, Packing):
        return _accept(rows, decided, seconds)
    assert isinstance(answer, Certificate)
    name = "CaDiCaL" if solver.startswith("cadical") else solver
    reason = (
        f"impossible; CP-SAT: infeasible after {seconds:.1f} s; {name}: refuted in "
        f"{answer.steps:,} steps, proof checked"
    )
    return Verdict(rows, reason, None, answer, seconds, temporary)


def _decide_by_cpsat(claim: EmitterClaim) -> Result:
    """Have CP-SAT decide each set of columns; one model of them all would be much larger."""
    result: Result = Infeasible()
    for problem in claim.list_problems():
        result = CPSAT.find(problem)
        if not isinstance(result, Infeasible):
            break
    return result


def _accept(rows: int, packing: Packing, cpsat_seconds: float | None = None) -> Verdict:
    pieces = "1 piece" if len(packing.pieces) == 1 else f"{len(packing.pieces)} pieces"
    reason = f"possible with {pieces}, dropped one by one to check it"
    return Verdict(rows, reason, packing, cpsat_seconds=cpsat_seconds)


def prove_least(
    emitted: int | None = None,
    at: Sequence[int] | None = None,
    *,
    width: int = TABLE_WIDTH,
    up_to: int = 12,
    **settings: Any,
) -> Iterator[Verdict]:
    """Yield the verdicts on 1, 2, 3, ... rows, up to the first that is possible.

    Parameters
    ----------
    emitted, at, width
        The question, as in :func:`find`.
    up_to : int
        The most rows to try.
    **settings
        Other parameters of :func:`prove`.

    Examples
    --------
    >>> [verdict.packing is not None for verdict in prove_least(emitted=1, at=[7], up_to=8)][-2:]
    [False, True]
    """
    for rows in range(1, up_to + 1):
        verdict = prove(emitted, rows, at, width=width, **settings)
        yield verdict
        if verdict.packing is not None:
            return


def count_each(problems: Iterable[PackingProblem]) -> Iterator[int]:
    """Yield the number of packings of each problem; see :func:`count`."""
    get_counter = cache(_Counter)  # one for each height, with and without squares
    for problem in problems:
        if not problem.is_divisible:
            yield 0
        elif not problem.free_cells:
            yield 1
        elif needs_listing(problem):
            yield sum(1 for _ in SAT.find_all(problem))
        else:
            yield get_counter(problem.rows, bool(problem.squares)).count(problem)


def needs_listing(problem: PackingProblem) -> bool:
    """Return whether the packings of a problem can only be counted one by one."""
    return (
        problem.rows > automaton.MAX_ROWS
        or problem.last is not None
        or bool(problem.required or problem.holes)
        or any(y > 0 for preset in problem.presets for _, y in preset)
    )


_Ways = list[tuple[tuple[int, ...], int]]
"""The moves from a state over a column: the pieces that begin there, and the state after it."""


class _Counter:
    """Counts for matrices of one height; it keeps the moves that it has found."""

    def __init__(self, rows: int, squares: bool) -> None:
        from tetrisprinter.packings.automaton import _kernel

        moves, tables = automaton.list_moves(rows, squares)
        self._end = automaton.encode_complete(rows)
        # The moves from a state over a letter, each as the state after it and a trail
        self._list_fillings = cache(partial(_kernel.list_fillings, _kernel.Moves(rows, tables)))
        # The pieces of a trail: orientation and row of each as one number
        self._decode = cache(
            lambda trail: tuple(
                move.orientation.index * automaton.MAX_ROWS + move.y
                for move in automaton.decode_trail(moves, trail)
            )
        )
        self._known: dict[tuple[int, ...], int] = {}  # numbers of packings, by word

    def count(self, problem: PackingProblem) -> int:
        """Count the packings of a problem."""
        word = encode_as_word(problem)
        if problem.orientations != ORIENTATIONS:
            return self._walk(word, {orientation.index for orientation in problem.orientations})
        key = min(tuple(word), tuple(word[::-1]))  # the mirror image has as many packings
        if key not in self._known:
            self._known[key] = self._walk(word, set(range(len(ORIENTATIONS))))
        return self._known[key]

    def _walk(self, word: Sequence[int], allowed: set[int]) -> int:
        """Count the packings of a word that use the allowed orientations only."""
        layers = self._list_layers(word)
        frontiers = {frozenset(layers[0]): 1}
        for layer in layers:
            next_frontiers: dict[frozenset[int], int] = defaultdict(int)
            for frontier, number in frontiers.items():
                # The next states for each choice of pieces, whatever their levels
                states_by_pieces: dict[tuple[int, ...], set[int]] = defaultdict(set)
                for state in frontier:
                    for pieces, next_state in layer[state]:
                        states_by_pieces[pieces].add(next_state)
                for pieces, states in states_by_pieces.items():
                    if allowed.issuperset(piece // automaton.MAX_ROWS for piece in pieces):
                        next_frontiers[frozenset(states)] += number
            frontiers = next_frontiers
        return sum(frontiers.values())

    def _list_layers(self, word: Sequence[int]) -> list[dict[int, _Ways]]:
        """Return for each column the states on a path from the begin to the end of a word.

        Of the states with the same moves one remains.
        """
        reached = {0}
        reached_before: list[set[int]] = []
        for letter in word:
            reached_before.append(reached)
            reached = {
                after for state in reached for after, _ in self._list_fillings(state, letter)
            }
        # For each state that reaches the end: the state that stands for it
        merged = {self._end: self._end}
        layers: list[dict[int, _Ways]] = []
        for letter, states in zip(reversed(word), reversed(reached_before), strict=True):
            state_of: dict[frozenset[tuple[tuple[int, ...], int]], int] = {}
            merged_before: dict[int, int] = {}
            for state in states:
                ways = frozenset(
                    (self._decode(trail), merged[after])
                    for after, trail in self._list_fillings(state, letter)
                    if after in merged
                )
                if ways:
                    merged_before[state] = state_of.setdefault(ways, state)
            layers.append({state: list(ways) for ways, state in state_of.items()})
            merged = merged_before
        return layers[::-1] if merged else [{}]
