"""Print one row from a clean state to a clean state; if impossible, several rows together.

A state is **clean** if nothing lies above the rows that are printed. So neither how the rows
below were printed nor what comes next matters: this is the fallback where nothing else continues.
Three ways are tried; each prints some rows that the way before it cannot print:

1. the ordinary search for passes (:mod:`~tetrisprinter.planners.rows.steps`), whose last pass
   leaves nothing above;
2. pass by pass, each leaving as many squares of the row as it can: they stay, and the next pass
   lies on them. Surplus squares are left above, for the next pass to clear;
3. the same on a platform (:mod:`~tetrisprinter.planners.rows.platform`).
"""

from __future__ import annotations

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.platform import print_on_platform
from tetrisprinter.planners.rows.steps import PassChooser, StuckError
from tetrisprinter.planners.rows.target import RowState, RowStep, RowTarget
from tetrisprinter.planners.run import Work
from tetrisprinter.planners.stages import Stage


def print_clean(
    target: RowTarget,
    height: int,
    state: RowState,
    beam: int,
    rows: int = 1,
    work: Work | None = None,
) -> RowStep | None:
    """Print the next rows from a clean state and leave a clean state; None if that fails."""
    target = target.cut_above(state.rows + rows)
    if not target.can_end(state.rows, 0):
        return None
    # A search keeps more states before a dead end, unless its beam is wide already.
    patience = max(1, BUDGETS.dead_end_factor * BUDGETS.choose_states(target.width) // beam)
    context = PassContext.of(target, height, beam, work, patience)
    step = _search_rows(context, state)
    if step is None and rows == 1:
        step = print_on_platform(context, state)
    return step


def _search_rows(context: PassContext, state: RowState) -> RowStep | None:
    """Print all rows of a target by the ordinary search; return None if it fails."""
    chooser = PassChooser(context, BUDGETS.choose_beam_width(context.width, BUDGETS.most_games))
    steps: list[RowStep] = []
    fallback = Stage.ALONE if state.rows + 1 == context.target.rows else Stage.TOGETHER
    try:
        while state.rows < context.target.rows or state.carried:
            if sum(len(step.passes) for step in steps) == BUDGETS.most_passes:
                return None
            steps.append(chooser.find_next(state))
            state = steps[-1].after
    except StuckError:
        return None
    if any(step.fallback == Stage.IN_PARTS for step in steps):
        fallback = Stage.IN_PARTS
    return RowStep(tuple(pass_ for step in steps for pass_ in step.passes), state, fallback)
