"""Other ways to print a row, for states in which no pass with a lookahead is found.

A row is printed by a pass chosen alone, with more clearing rows, or in several passes. Otherwise
the carried squares are cleared first, and other squares may be carried in their place.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.choice import Pair, PassChoice
from tetrisprinter.planners.rows.parts import RowInParts
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_LINES
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.stages import Stage


def find_fallback(choice: PassChoice, state: RowState) -> Pair | None:
    """Print a row by a fallback, or else clear the carried squares; return None if both fail."""
    step = _find_single_pass(choice, state)
    if step is not None:
        return step, None
    clearing_step = clear_carried(choice, state) if state.carried else None
    next_step, cost_limit = None, inf
    if clearing_step is not None:
        clearing_step = replace(clearing_step, fallback=Stage.CLEARED)
        next_step = _find_single_pass(choice, clearing_step.after)
        if next_step is not None:
            cost_limit = (
                clearing_step.lines
                + next_step.lines
                - len(next_step.after.carried) / choice.context.target.width
            )
    row_step = RowInParts(choice.context, state, cost_limit).find_passes()
    if row_step is not None:
        return row_step, None
    if clearing_step is not None and next_step is not None:
        return clearing_step, next_step
    pair = _clear_and_carry(choice, state) if state.carried else None
    if pair is not None:
        return replace(pair[0], fallback=Stage.CARRIED_AGAIN), pair[1]
    return None if clearing_step is None else (clearing_step, None)


def clear_carried(choice: PassChoice, state: RowState) -> RowStep | None:
    """Return a step that clears the carried squares and carries nothing; None if there is none."""
    for lines in range(1, MAX_LINES + 1):
        cells = choice.context.target.width * lines - len(state.carried)
        if cells % 4 == 0 and choice.context.has_room(state, "c" * lines):
            step = choice.choose_alone(state, "c" * lines)
            if step is not None:
                return step
    return None


def _find_single_pass(choice: PassChoice, state: RowState) -> RowStep | None:
    """Print a row in one pass, whatever squares it carries; return None if there is none."""
    for lines in range(MAX_LINES + 1):
        for row_kinds in choice.context.list_stacks(state, lines):
            step = choice.choose_alone(state, row_kinds)
            if step is not None:
                return replace(step, fallback=Stage.SINGLE_PASS)
    return None


def _clear_and_carry(choice: PassChoice, state: RowState) -> Pair | None:
    """Clear the carried squares and carry others over which the row can be printed, if possible."""
    for lines in range(2, 2 * BUDGETS.most_lines + 1):
        for first_lines in range(1, min(BUDGETS.most_lines, lines - 1) + 1):
            for top_kind in CARRIED:
                row_kinds = "c" * first_lines + top_kind
                if lines - first_lines > BUDGETS.most_lines or not choice.context.has_room(
                    state, row_kinds
                ):
                    continue
                first = choice.find_playable_graph(state, row_kinds)
                if first is None:
                    continue
                # Squares that must stay lie in the lowest row of the next pass.
                lowest = "p" if top_kind == "q" else "c"
                for second in choice.context.list_stacks(state, lines - first_lines, True):
                    if second[0] == lowest:
                        pair = choice.choose_with_another(state, first, second)
                        if pair is not None:
                            return pair
    return None
