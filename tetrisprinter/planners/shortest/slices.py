"""Any plan as passes that the model knows, so that it can be made shorter.

A plan says what is dropped. What the model needs to know as well is which rows vanish, and
at which moments the game can be cut: when nothing lies in a row that will still vanish, or
only in one, above all that was touched since the last cut, which the next pass then clears.
Between two such moments lies a pass. Plans of the planner *rows* fall into one pass for each
step; where another planner works at several places at once, its pass is long and stays as it is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.planners.shortest.problem import Passes, PlacedPass
from tetrisprinter.planners.shortest.shape import CARRIED, PICTURE, PassShape, Stack, carried_row

__all__ = ["passes_of"]


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What a drawing of a plan does: rows are numbered as they come into sight and stay so.

    Attributes
    ----------
    cells : tuple of (int, int)
        What is filled: columns and numbers of rows.
    gone : tuple of int
        The rows that vanish, in their order.
    pieces : tuple of Placement
        What is dropped, as it is drawn.
    """

    cells: tuple[Cell, ...]
    gone: tuple[int, ...]
    pieces: tuple[Placement, ...]


def passes_of(plan: Plan) -> Passes:
    """Cut a plan into passes.

    Parameters
    ----------
    plan : Plan
        A game that can be played to its end.

    Returns
    -------
    tuple of PlacedPass
        They drop the same pieces in the same order.

    Raises
    ------
    TopOutError
        If it cannot be played.
    """
    drawings = _drawings_of(plan)
    gone = frozenset(row for one in drawings for row in one.gone)
    stays = sorted({row for one in drawings for _, row in one.cells if row not in gone})
    passes: list[PlacedPass] = []
    first = 0
    for last in _cuts(drawings, gone):
        some = drawings[first : last + 1]
        parts = tuple(one.pieces for one in some)
        shape, printed = _shape_of(some, gone, stays)
        if passes and shape.base < passes[-1].shape.base:  # some pieces in the picture alone
            base = passes[-1].shape.base
            shape = PassShape(base, base, shape.stack)
        passes.append(PlacedPass(shape, parts, printed))
        first = last + 1
    return tuple(passes)


def _drawings_of(plan: Plan) -> list[_Drawing]:
    """Play a plan; drawings without a piece are left out."""
    there, unseen = list(range(plan.height)), plan.height
    drawings: list[_Drawing] = []
    drops = groupby(play(plan, Playfield(plan.width, plan.height)), lambda drop: drop.pass_index)
    for number, some in drops:
        cells: list[Cell] = []
        gone: list[int] = []
        for drop in some:
            cells += ((x, there[y]) for x, y in drop.landing.cells)
            gone += (there[y] for y in drop.landing.cleared)
            for y in reversed(drop.landing.cleared):
                del there[y]
                there.append(unseen)
                unseen += 1
        drawings.append(_Drawing(tuple(cells), tuple(gone), plan.passes[number].pieces))
    return drawings


def _cuts(drawings: list[_Drawing], gone: frozenset[int]) -> Iterator[int]:
    """Yield the drawings after which the game can be cut, the last one among them."""
    filled: set[int] = set()
    cleared, carried, highest = False, -1, -1
    for number, one in enumerate(drawings):
        highest = max(highest, *(row for _, row in one.cells))
        filled.update(row for _, row in one.cells)
        filled.difference_update(one.gone)
        cleared = cleared or bool(one.gone)
        begun = filled & gone
        waits = carried in begun or (carried >= 0 and not cleared)
        if not begun or (begun == {highest} == {max(filled)} and not waits):
            yield number
            cleared, carried, highest = False, max(begun, default=-1), -1


def _shape_of(
    drawings: list[_Drawing], gone: frozenset[int], stays: list[int]
) -> tuple[PassShape, frozenset[Cell]]:
    """Return the shape of a pass, and what it prints and carries."""
    cells = [cell for one in drawings for cell in one.cells]
    order = {row: number for number, row in enumerate(r for one in drawings for r in one.gone)}
    picture = {row: y for y, row in enumerate(stays)}
    carried = {row for _, row in cells if row in gone and row not in order}
    top = max(row for _, row in cells)
    first = min([*order, *carried], default=top + 1)
    base = bisect_left(stays, first)
    kinds = dict.fromkeys(stays[base : bisect_right(stays, top)], PICTURE)
    kinds |= dict.fromkeys(carried, CARRIED) | order
    stack = Stack(tuple(kinds[row] for row in sorted(kinds)))
    lowest = min((picture[row] for _, row in cells if row in picture), default=base)
    printed = frozenset(
        (x, picture[row] if row in picture else carried_row(base + stack.picture_rows))
        for x, row in cells
        if row not in order
    )
    return PassShape(base, max(0, base - lowest), stack), printed
