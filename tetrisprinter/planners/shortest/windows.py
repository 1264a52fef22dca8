"""What the stages ask: each question is a :class:`PassProblem`, filled in by a small function.

A problem says from which squares to which, and which passes are offered on the way. A picture row
may be the base of many passes, and no solver finishes a model that offers all of them; so a few
stacks are offered at every base, with the picture rows that can be reached around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, permutations

from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.planners.cpsat.problem import PassProblem
from tetrisprinter.planners.passes.shape import PassShape
from tetrisprinter.planners.shortest.budgets import Pool, ShortestBudgets
from tetrisprinter.printing.target import Target, mask_of, raised

__all__ = ["band", "each_place", "joint", "lying", "offer", "whole_picture"]

_LYING_ABOVE = 3
"""How many rows above the picture a game without a clear may need (:func:`lying`)."""
_UNSEEN_ABOVE = 1
"""Rows above the picture that may hold squares that are not seen."""


def lying(target: Target) -> PassProblem:
    """Ask for pieces that come to rest where they are to stay.

    If there is such a game, there is one whose squares lie in the picture or in the three
    rows above it. Take the pieces that reach into the picture, and for each piece taken one
    that holds it. Columns of a piece begin at most two rows above its lowest square, and none
    begins above the end of another: so each piece that holds one is held itself no higher
    than that one, and all are held in the second row above the picture or below. What holds a
    piece there has a column that ends in the first row above the picture or below, so nothing
    of it lies above the third. Dropped alone, in the same order, these pieces come to rest in
    the same places.
    """
    target = raised(target, _LYING_ABOVE)
    shape = PassShape(target.rows, target.rows)
    return PassProblem(target, (shape,), frozenset(), target.required)


def each_place(target: Target, lines: int) -> list[PassProblem]:
    """Ask for the games that clear so many rows: a problem for each place and order of these.

    Each problem is the picture with the clearing rows among its rows, and before and after
    it what lies in the picture alone. There is none if these rows do not fit on the board.
    """
    target = raised(target, _UNSEEN_ABOVE)
    rows = target.rows
    if rows + lines > target.height:
        return []
    last = PassShape(rows, rows)
    problems = []
    for at in combinations_with_replacement(range(rows + 1), lines):
        base = at[0]
        first = (PassShape(base, base),) if base else ()
        for order in permutations(range(lines)):
            stack = "".join(_interleaved(rows, at, order))
            shapes = (*first, PassShape(base, base, stack), last)
            problems.append(
                PassProblem(target, shapes, frozenset(), target.required, all_used=True)
            )
    return problems


def _interleaved(rows: int, at: Sequence[int], order: Sequence[int]) -> Iterator[str]:
    """Yield the rows of a stack: each clearing row under the picture row it is ``at``."""
    for base in range(at[0], rows + 1):
        yield from (str(number) for number, its in zip(order, at, strict=True) if its == base)
        if base < rows:
            yield "p"


def whole_picture(target: Target, budgets: ShortestBudgets, pool: Pool) -> PassProblem | None:
    """Ask for the whole picture; None if the model would be too large."""
    target = raised(target, _UNSEEN_ABOVE)
    shapes = offer(target, budgets, range(target.rows + 1), pool, target.rows)
    if target.width * sum(len(shape.rows()) for shape in shapes) > budgets.model_squares:
        return None
    return PassProblem(target, shapes, frozenset(), target.required)


def band(
    target: Target, budgets: ShortestBudgets, state: frozenset[Cell], row: int, top: int, pool: Pool
) -> PassProblem:
    """Ask for the rows from one to another, whatever is begun above these."""
    shapes = offer(target, budgets, range(row, top + 1), pool, top)
    if top == target.rows:
        # All that is left of the last row hangs from the last matrices.
        shapes += offer(target, budgets, [top], budgets.band_last, top, lying=False)
    return PassProblem(target, shapes, state, state | _up_to(target, top), ahead=True)


def joint(
    target: Target, budgets: ShortestBudgets, state: frozenset[Cell], base: int
) -> list[PassProblem]:
    """Ask for a pass that hands over to others: a problem for each stack.

    What is open must hang from one matrix over all that lies there; it prints one row more, and
    carries what does not come out even: in the row above it squares of any type may stay.
    """
    row = base + 1
    carried = (mask_of(PieceType),) * target.width
    goal = _up_to(target, row)
    opened = replace(target, allowed=(*target.allowed[:row], carried), required=goal)
    below = min(budgets.hanging_rows, base)
    shapes = (PassShape(base, below, f"{stack}pp", bridging=False) for stack in budgets.rest)
    return [
        PassProblem(opened, (shape,), state, state | goal, all_used=True)
        for shape in shapes
        if base + len(shape.stack) <= target.height
    ]


def offer(
    target: Target,
    budgets: ShortestBudgets,
    bases: Iterable[int],
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
    budgets : ShortestBudgets
        How many picture rows a pass looks at, and in how tall stacks pieces bridge.
    bases : iterable of int
        In ascending order.
    pool : tuple of str
        The stacks offered at each.
    top : int
        Passes that begin below this row print nothing in it or above.
    lying : bool
        Whether pieces lying wholly in the picture are offered before each base.
    """
    above = "p" * budgets.standing_rows
    shapes: list[PassShape | None] = []
    for base in bases:
        rows = top if base < top else target.rows
        if lying:
            shapes.append(PassShape(base, budgets.lying_rows, above).fitted(target.height, rows))
        for stack in pool:
            bridging = len(stack) <= budgets.bridged_lines
            shape = PassShape(base, budgets.hanging_rows, stack + above, bridging)
            shapes.append(shape.fitted(target.height, rows))
    return tuple(shape for shape in shapes if shape is not None)


def _up_to(target: Target, row: int) -> frozenset[Cell]:
    return frozenset(cell for cell in target.required if cell[1] < row)
