"""Print a row on a platform, which works from nearly any state.

A platform is some full rows above the state, except for a **slot** as large as one piece. On it
every square of the row stands on something, as on the floor. The slot lies where the row leaves
columns free; in the end its piece falls through them, the platform vanishes, and the row comes
down, with what lies above it.

Carried squares become a part of the platform's lowest row. If its other cells are not a multiple
of four, some squares lie on the platform and are carried in turn.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.parts import RowInParts
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.passes import PassGraph, Pieces, find_fullest
from tetrisprinter.planners.rows.slices import Slices
from tetrisprinter.planners.rows.stacks import MAX_LINES, make_stack
from tetrisprinter.planners.rows.target import ANYTHING, RowState, RowStep
from tetrisprinter.planners.stages import Stage
from tetrisprinter.support.arrays import make_numbers, repeat_number

_HOOKS: Final = tuple(o for o in ORIENTATIONS if o.row_widths == (1, 1, 2) and o.width == 2)
_UPRIGHT: Final = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)


def print_on_platform(context: PassContext, state: RowState) -> Slices[RowStep | None]:
    """Print the next row on a platform; after the last row nothing is left above.

    If no platform fits over the carried squares, a pass below it adds squares to them.
    """
    found = yield from _print_on_first_platform(context, state)
    if found is None and state.carried:
        for before in _carry_more(context, state):
            found = yield from _print_on_first_platform(context, before.after)
            if found is not None:
                return replace(found, passes=(*before.passes, *found.passes))
    return found


def _print_on_first_platform(context: PassContext, state: RowState) -> Slices[RowStep | None]:
    """Print a row on the first platform that works."""
    tried = 0
    over = "b" if len(state.carried) % 4 else ""
    if not context.has_room(state, "b" * PLATFORM_ROWS + over):
        return None
    for word, slot in _list_platforms(context, state):
        base = _build_base(context, state, word + over, slot)
        if base is None:
            continue
        found = yield from _print_above(context, state, word, slot, base)
        if found is not None:
            last = "c" * PLATFORM_ROWS, ((slot, 0),)
            return RowStep(((word + over, base), *found.passes, last), found.after, Stage.PLATFORM)
        tried += 1
        if tried == BUDGETS.most_slots:
            break
    return None


def _print_above(
    context: PassContext, state: RowState, word: str, slot: Placement, base: Pieces
) -> Slices[RowStep | None]:
    """Print a row on a platform; the slot stays open to the sky."""
    # Don't-care squares must not block the slot either.
    free = frozenset(x for x, _ in slot.cells)
    rows = list(context.target.allowed)
    rows[state.rows] = tuple(0 if x in free else mask for x, mask in enumerate(rows[state.rows]))
    full = frozenset(range(context.width)) - free
    carried = frozenset(x for one, _ in base for x, y in one.cells if y == len(word))
    target = replace(context.target, allowed=tuple(rows))
    above = replace(context, target=target, height=context.height - word.count("b"))
    return (
        yield from RowInParts(above, RowState(state.rows, full, carried), closed=free).find_passes()
    )


def _build_base(context: PassContext, state: RowState, word: str, slot: Placement) -> Pieces | None:
    """Return the pieces of a platform above the existing rows; None if there are none."""
    must = repeat_number((1 << PLATFORM_ROWS) - 1, context.width)
    allowed = _allow_anything(context, word)
    for x, y in slot.cells:
        for above in range(y, len(word)):
            allowed[x * len(word) + above] = 0
        must[x] &= ~(1 << y)
    found = context.finder.choose_pieces(
        _explore_passes(context, state, word, must, allowed), state.carried, None, 1
    )
    return None if found is None else found[0]


def _carry_more(context: PassContext, state: RowState) -> Iterator[RowStep]:
    """Yield passes that add squares to the carried row and clear the rows above it."""
    for lines in range(1, MAX_LINES + 1):
        word = "p" + "c" * lines
        if not context.has_room(state, word):
            return
        must = repeat_number((1 << len(word)) - 2, context.width)
        graph = _explore_passes(context, state, word, must, _allow_anything(context, word))
        pieces = find_fullest(graph, 0, frozenset(range(context.width)))
        if pieces is not None:
            more = frozenset(x for one, _ in pieces for x, y in one.cells if not y)
            if more and len(more | state.carried) < context.width:
                wider = replace(state, carried=more | state.carried, stays=False)
                yield RowStep(((word, pieces),), wider)


def _allow_anything(context: PassContext, word: str) -> array[int]:
    return repeat_number(ANYTHING, context.width * len(word))


def _explore_passes(
    context: PassContext, state: RowState, word: str, must: array[int], allowed: array[int]
) -> PassGraph:
    """Return the ways to play a pass that prints no row of the picture."""
    stack = make_stack(word)
    squares = context.target.describe_squares(stack, state.rows, state.ground, state.carried)
    needed = make_numbers(due & ~there for due, there in zip(must, squares.before, strict=True))
    squares = replace(squares, must=needed, allowed=allowed)
    return context.finder.explore(stack, squares, context.beam)


def _list_platforms(context: PassContext, state: RowState) -> Iterator[tuple[str, Placement]]:
    """Yield the stacks of platforms and their slots, in columns without squares of the row.

    If the slot is for a hooked J or L, the lowest row of the platform clears before it carries
    anything, so the slot needs no support. A slot for an upright I must be over a square.
    """
    squares, width = context.target.required[state.rows], context.width
    hooked = [x for x in range(width - 1) if squares.isdisjoint((x, x + 1))]
    for x in sorted(hooked, key=lambda x: min(x, width - 2 - x)):
        for hook in _HOOKS:
            yield "c" + "b" * (PLATFORM_ROWS - 1), Placement(hook, x, 1)
    for x in sorted(state.ground - squares - state.carried):
        yield "b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0)
