"""Which passes are offered to the model.

A picture row may be the base of many passes; offering all of them would make models that
no solver finishes. What is offered at every base is a few stacks, and this module turns
them into passes, with the picture rows that can be reached around them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tetrisprinter.planners.shortest.budgets import Budgets, Pool
from tetrisprinter.planners.shortest.shape import PICTURE, PassShape, Stack
from tetrisprinter.printing.target import Target

__all__ = ["offer"]


def offer(
    target: Target,
    budgets: Budgets,
    bases: Sequence[int],
    pool: Pool,
    top: int,
    *,
    lying: bool = True,
) -> tuple[PassShape, ...]:
    """List the passes offered at some bases.

    Parameters
    ----------
    target : Target
        The end of the game; its height limits the passes.
    budgets : Budgets
        How many picture rows a pass looks at, and in how tall stacks pieces bridge.
    bases : sequence of int
        In ascending order.
    pool : tuple of Stack
        The stacks offered at each.
    top : int
        Passes that begin below this row print nothing in it or above.
    lying : bool
        Whether pieces lying wholly in the picture are offered before each base.
    """
    above = Stack((PICTURE,) * budgets.standing_rows)
    shapes: list[PassShape | None] = []
    for base in bases:
        rows = top if base < top else target.rows
        if lying:
            shapes.append(PassShape(base, budgets.lying_rows, above).fitted(target.height, rows))
        for stack in pool:
            bridging = len(stack) <= budgets.bridged_lines
            full = stack if stack.carries else stack + above
            shape = PassShape(base, budgets.hanging_rows, full, bridging)
            shapes.append(shape.fitted(target.height, rows))
    return tuple(shape for shape in shapes if shape is not None)
