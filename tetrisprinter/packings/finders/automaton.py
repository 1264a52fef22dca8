"""The automaton finder: it reads a problem as a word and walks the column automaton.

For a fixed height, the bottom rows of presets that can be packed are a regular language, with one
letter for each column (:mod:`tetrisprinter.packings.automaton`). The automaton decides in time
linear in the width, and its path gives the packing without a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.packings.automaton.automaton import SHIPPED, load
from tetrisprinter.packings.automaton.columns import PRESET, SQUARE
from tetrisprinter.packings.finders import UNLIMITED
from tetrisprinter.packings.placements import build_packing, solve_trivial
from tetrisprinter.packings.problem import Infeasible, PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit


def explain_refusal(problem: PackingProblem) -> str | None:
    """Return why no automaton applies to a problem; None if an automaton applies."""
    if problem.last is not None:
        return "no automaton handles a piece that must be dropped last"
    if problem.orientations != ORIENTATIONS:
        return "automata use all orientations"
    if problem.rows not in SHIPPED:
        return f"no automaton of {problem.rows} rows exists"
    if any(y > 0 for preset in problem.presets for _, y in preset):
        return "automata handle presets in row 0 only"
    return None


def encode_as_word(problem: PackingProblem, *, squares: bool = True) -> list[int]:
    """Return the word that describes a problem: a letter for each column."""
    word = [0] * problem.width
    for preset in problem.presets:
        for x, _ in preset:
            word[x] |= PRESET
    if squares:
        for x in problem.squares:
            word[x] |= SQUARE
    return word


@dataclass(frozen=True, slots=True)
class _ColumnWalk:
    """The finder that walks the column automaton; it ignores the limit.

    The finder answers Unknown if no automaton applies (:func:`explain_refusal`), or if the
    automaton finds no packing but ignores squares of the problem.
    """

    name: ClassVar[str] = "automaton"
    is_complete: ClassVar[bool] = False

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that none exists."""
        answer = solve_trivial(problem)
        if answer is not None:
            return answer
        reason = explain_refusal(problem)
        if reason is not None:
            return Unknown(reason)
        automaton = load(problem.rows)
        path = automaton.find_path(encode_as_word(problem, squares=automaton.squares))
        if path is not None:
            return build_packing(
                problem,
                (
                    (Placement(move.orientation, x, move.y), move.level)
                    for x, moves in enumerate(path)
                    for move in moves
                ),
            )
        if problem.squares and not automaton.squares:
            return Unknown(f"the automaton of {problem.rows} rows ignores squares in row -1")
        return Infeasible(f"the automaton of {problem.rows} rows does not accept it")


AUTOMATON: Final = _ColumnWalk()
