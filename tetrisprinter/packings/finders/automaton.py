"""Walking the column automaton: the fastest finder, and one that always knows.

For a fixed height all matrices over presets in their bottom row are the words of a
regular language (see :mod:`tetrisprinter.packings.automaton`). A problem is read as a word, one
letter for each column; the automaton accepts it or not, in time linear in the width, and
its path is the packing. Nothing is searched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.packings.automaton.automaton import SHIPPED, load
from tetrisprinter.packings.automaton.columns import PRESET, SQUARE
from tetrisprinter.packings.finders import UNLIMITED
from tetrisprinter.packings.placements import drop_order, settled
from tetrisprinter.packings.problem import Infeasible, PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit

__all__ = ["AUTOMATON", "least_rows", "refusal", "word_of"]


def refusal(problem: PackingProblem) -> str | None:
    """Say why a problem is none for an automaton; None if it is one.

    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> refusal(emitter_problem(21, 3, [4])) is None
    True
    >>> refusal(emitter_problem(21, 7, [4]))
    'there is no automaton of 7 rows'
    """
    if problem.last is not None:
        return "an automaton knows no piece that must be the last one"
    if problem.orientations != ORIENTATIONS:
        return "an automaton uses all orientations"
    if problem.rows not in SHIPPED:
        return f"there is no automaton of {problem.rows} rows"
    if any(y > 0 for preset in problem.presets for _, y in preset):
        return "an automaton knows presets in row 0 only"
    return None


def word_of(problem: PackingProblem, *, squares: bool = True) -> list[int]:
    """Return a problem's letters, one for each column.

    >>> word_of(PackingProblem(4, 2, (((1, 0), (2, 0)),), frozenset({2})))
    [0, 1, 3, 0]
    """
    word = [0] * problem.width
    for preset in problem.presets:
        for x, _ in preset:
            word[x] |= PRESET
    if squares:
        for x in problem.squares:
            word[x] |= SQUARE
    return word


@dataclass(frozen=True, slots=True)
class _Walk:
    """The finder; it needs no options and no time.

    It answers Unknown if a problem is none for an automaton, see :func:`refusal`; and if
    the automaton of that height knows no squares while only they might help.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> AUTOMATON.find(emitter_problem(9, 3, [3]))
    Infeasible(reason='the automaton of 3 rows does not accept it')
    >>> len(AUTOMATON.find(emitter_problem(1001, 3, [500])).pieces)
    750
    """

    name: ClassVar[str] = "automaton"
    certain: ClassVar[bool] = False

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or know that there is none, whatever the limit."""
        known = settled(problem)
        if known is not None:
            return known
        reason = refusal(problem)
        if reason is not None:
            return Unknown(reason)
        automaton = load(problem.rows)
        path = automaton.path(word_of(problem, squares=automaton.squares))
        if path is not None:
            return drop_order(
                problem,
                (
                    (Placement(move.orientation, x, move.y), move.level)
                    for x, moves in enumerate(path)
                    for move in moves
                ),
            )
        if problem.squares and not automaton.squares:
            return Unknown(f"the automaton of {problem.rows} rows knows no squares in row -1")
        return Infeasible(f"the automaton of {problem.rows} rows does not accept it")


AUTOMATON: Final = _Walk()


def least_rows(word: Iterable[int], heights: Iterable[int] = SHIPPED) -> int | None:
    """Return the least height at which a row can be printed gap-free.

    Parameters
    ----------
    word : iterable of int
        A letter for each column; see :func:`word_of`.
    heights : iterable of int
        The heights to look at, ascending.

    Examples
    --------
    >>> [least_rows([0] * x + [1, 1, 1] + [0] * (18 - x)) for x in range(5)]
    [3, 3, 3, None, 3]
    """
    letters = list(word)
    full = all(letter & PRESET for letter in letters)
    for rows in heights:
        if rows == 1 and full:
            return 1  # the presets are all it takes
        automaton = load(rows)
        row = letters if automaton.squares else [letter & PRESET for letter in letters]
        if automaton.dfa.accepts(row):
            return rows
    return None
