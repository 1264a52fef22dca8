"""Other ways to print a row, for states in which no pass with a lookahead is found.

A row is printed by a pass chosen alone, with more clearing rows; or in several passes; or
the carried squares are cleared first, and others may be carried in their place.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.choice import Pair, PassChoice
from tetrisprinter.planners.rows.parts import RowInParts
from tetrisprinter.planners.rows.slices import Slices
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_LINES
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.stages import Stage


def find_fallback(choice: PassChoice, state: RowState) -> Slices[Pair | None]:
    """Print a row by a fallback, or else clear the carried squares; None if both fail."""
    step = yield from _find_single_pass(choice, state)
    if step is not None:
        return step, None
    empty = clear_carried(choice, state) if state.carried else None
    anew, most = None, inf
    if empty is not None:
        empty = replace(empty, fallback=Stage.CLEARED)
        anew = yield from _find_single_pass(choice, empty.after)
        if anew is not None:
            most = empty.lines + anew.lines - len(anew.after.carried) / choice.context.target.width
    parts = yield from RowInParts(choice.context, state, most).find_passes()
    if parts is not None:
        return parts, None
    if empty is not None and anew is not None:
        return empty, anew
    found = (yield from _clear_and_carry(choice, state)) if state.carried else None
    if found is not None:
        return replace(found[0], fallback=Stage.CARRIED_AGAIN), found[1]
    return None if empty is None else (empty, None)


def clear_carried(choice: PassChoice, state: RowState) -> RowStep | None:
    """Clear the carried squares and carry nothing."""
    for lines in range(1, MAX_LINES + 1):
        left = choice.context.target.width * lines - len(state.carried)
        if left % 4 == 0 and choice.context.has_room(state, "c" * lines):
            step = choice.choose_alone(state, "c" * lines)
            if step is not None:
                return step
    return None


def _find_single_pass(choice: PassChoice, state: RowState) -> Slices[RowStep | None]:
    """Print a row in one pass, without regard to the squares that it carries."""
    for lines in range(MAX_LINES + 1):
        for word in choice.context.list_stacks(state, lines):
            step = choice.choose_alone(state, word)
            if step is not None:
                return replace(step, fallback=Stage.SINGLE_PASS)
            yield
    return None


def _clear_and_carry(choice: PassChoice, state: RowState) -> Slices[Pair | None]:
    """Clear the carried squares, then carry others over which the row can be printed."""
    for lines in range(2, 2 * BUDGETS.most_lines + 1):
        for number in range(1, min(BUDGETS.most_lines, lines - 1) + 1):
            for end in CARRIED:
                word = "c" * number + end
                if lines - number > BUDGETS.most_lines or not choice.context.has_room(state, word):
                    continue
                yield
                first = choice.find_playable_graph(state, word)
                if first is None:
                    continue
                # Squares that are to stay lie in the lowest row of the next pass.
                lowest = "p" if end == "q" else "c"
                for second in choice.context.list_stacks(state, lines - number, True):
                    if second[0] == lowest:
                        yield
                        pair = choice.choose_with_another(state, first, second)
                        if pair is not None:
                            return pair
    return None
