"""Print a row on a platform, which works from nearly any state.

A platform is some full rows above the state, except for a **slot** as large as one piece. On the
platform every square of the row has support, as on the floor. The slot lies where the row leaves
columns free. In the end a piece falls into the slot, the platform clears, and the row comes down,
with the squares above it.

Carried squares become a part of the platform's lowest row. If the number of its other cells is not
a multiple of four, some squares lie on the platform and are carried in turn.
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
from tetrisprinter.planners.rows.passes import PassGraph, Pieces, find_fullest_pieces
from tetrisprinter.planners.rows.stacks import MAX_LINES, make_stack
from tetrisprinter.planners.rows.target import ANYTHING, RowState, RowStep
from tetrisprinter.planners.stages import Stage
from tetrisprinter.support.arrays import make_numbers, repeat_number

_HOOKS: Final = tuple(o for o in ORIENTATIONS if o.row_widths == (1, 1, 2) and o.width == 2)
_UPRIGHT: Final = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)


def print_on_platform(context: PassContext, state: RowState) -> RowStep | None:
    """Return a step that prints the next row on a platform; None if there is none.

    If no platform fits over the carried squares, a pass first adds squares to them. After the last
    row nothing is left above.
    """
    step = _print_on_first_platform(context, state)
    if step is None and state.carried:
        for carrying_step in _carry_more(context, state):
            step = _print_on_first_platform(context, carrying_step.after)
            if step is not None:
                return replace(step, passes=(*carrying_step.passes, *step.passes))
    return step


def _print_on_first_platform(context: PassContext, state: RowState) -> RowStep | None:
    """Return a step that prints a row on the first suitable platform; None if there is none."""
    tried = 0
    surplus = "b" if len(state.carried) % 4 else ""
    if not context.has_room(state, "b" * PLATFORM_ROWS + surplus):
        return None
    for row_kinds, slot in _list_platforms(context, state):
        base = _build_base(context, state, row_kinds + surplus, slot)
        if base is None:
            continue
        row_step = _print_above(context, state, row_kinds, slot, base)
        if row_step is not None:
            last = "c" * PLATFORM_ROWS, ((slot, 0),)
            return RowStep(
                ((row_kinds + surplus, base), *row_step.passes, last),
                row_step.after,
                Stage.PLATFORM,
            )
        tried += 1
        if tried == BUDGETS.most_platforms:
            break
    return None


def _print_above(
    context: PassContext, state: RowState, row_kinds: str, slot: Placement, base: Pieces
) -> RowStep | None:
    """Print a row on a platform; nothing is left above the slot."""
    # Don't-care squares must not block the slot either.
    slot_columns = frozenset(x for x, _ in slot.cells)
    allowed = list(context.target.allowed)
    allowed[state.rows] = tuple(
        0 if x in slot_columns else mask for x, mask in enumerate(allowed[state.rows])
    )
    full = frozenset(range(context.width)) - slot_columns
    carried = frozenset(x for piece, _ in base for x, y in piece.cells if y == len(row_kinds))
    target = replace(context.target, allowed=tuple(allowed))
    context_above = replace(context, target=target, height=context.height - row_kinds.count("b"))
    return RowInParts(
        context_above, RowState(state.rows, full, carried), closed=slot_columns
    ).find_passes()


def _build_base(
    context: PassContext, state: RowState, row_kinds: str, slot: Placement
) -> Pieces | None:
    """Return the pieces of a platform above the existing rows; None if no platform fits."""
    required = repeat_number((1 << PLATFORM_ROWS) - 1, context.width)
    allowed = _allow_anything(context, row_kinds)
    for x, y in slot.cells:
        for row in range(y, len(row_kinds)):
            allowed[x * len(row_kinds) + row] = 0
        required[x] &= ~(1 << y)
    chosen = context.finder.choose_pieces(
        _explore_pass(context, state, row_kinds, required, allowed), state.carried, None, 1
    )
    return None if chosen is None else chosen[0]


def _carry_more(context: PassContext, state: RowState) -> Iterator[RowStep]:
    """Yield passes that add squares to the carried row and clear the rows above this row."""
    for lines in range(1, MAX_LINES + 1):
        row_kinds = "p" + "c" * lines
        if not context.has_room(state, row_kinds):
            return
        required = repeat_number((1 << len(row_kinds)) - 2, context.width)
        graph = _explore_pass(
            context, state, row_kinds, required, _allow_anything(context, row_kinds)
        )
        pieces = find_fullest_pieces(graph, 0, frozenset(range(context.width)))
        if pieces is not None:
            added = frozenset(x for piece, _ in pieces for x, y in piece.cells if not y)
            if added and len(added | state.carried) < context.width:
                wider = replace(state, carried=added | state.carried, stays=False)
                yield RowStep(((row_kinds, pieces),), wider)


def _allow_anything(context: PassContext, row_kinds: str) -> array[int]:
    """Return the allowed types of a pass that may leave any type in any square."""
    return repeat_number(ANYTHING, context.width * len(row_kinds))


def _explore_pass(
    context: PassContext, state: RowState, row_kinds: str, required: array[int], allowed: array[int]
) -> PassGraph:
    """Return the graph of a pass that prints no row of the picture."""
    stack = make_stack(row_kinds)
    squares = context.target.describe_squares(stack, state.rows, state.ground, state.carried)
    needed = make_numbers(
        rows & ~filled for rows, filled in zip(required, squares.before, strict=True)
    )
    squares = replace(squares, must=needed, allowed=allowed)
    return context.finder.explore(stack, squares, context.beam)


def _list_platforms(context: PassContext, state: RowState) -> Iterator[tuple[str, Placement]]:
    """Yield the stacks of platforms and their slots, in columns without squares of the row.

    If the slot is for a hooked J or L, the lowest row of the platform clears before it carries
    anything, so the slot needs no support. A slot for an upright I must be over a square.
    """
    squares, width = context.target.required[state.rows], context.width
    hook_columns = [x for x in range(width - 1) if squares.isdisjoint((x, x + 1))]
    for x in sorted(hook_columns, key=lambda x: min(x, width - 2 - x)):
        for hook in _HOOKS:
            yield "c" + "b" * (PLATFORM_ROWS - 1), Placement(hook, x, 1)
    for x in sorted(state.ground - squares - state.carried):
        yield "b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0)
