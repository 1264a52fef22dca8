"""Make and change the states of a game with a piece queue, outside the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import Placement
from tetrisprinter.planners.dealt.dealt_target import DealtTarget
from tetrisprinter.support.arrays import copy_view, zeros

GameState: TypeAlias = "memoryview[Any]"
"""A state, as :mod:`~tetrisprinter.planners.dealt._kernel_states` describes it."""


def make_empty_state() -> GameState:
    """Return the state before the first drop."""
    from tetrisprinter.planners.dealt._kernel_states import HEAD, ROWS

    return zeros("i", HEAD + ROWS)


def give_up_rows(state: GameState, target: DealtTarget) -> GameState:
    """Return the state in which every row above the finished picture rows must clear."""
    from tetrisprinter.planners.dealt._kernel_states import HEAD

    new_state = copy_view(state)
    finished = 0
    for row in state[HEAD : HEAD + state[0]]:
        if row >> 16 != finished + 1 or target.wants[finished, 0] & ~row:
            break
        finished += 1
    for index in range(HEAD + finished, HEAD + new_state[0]):
        new_state[2] += new_state[index] >> 16 > 0
        new_state[index] &= 0xFFFF
    new_state[1] = finished
    return new_state


def make_state_from_field(rows: Sequence[Sequence[int | None]], target: DealtTarget) -> GameState:
    """Return a state that begins with these rows: finished picture rows stay, others clear."""
    from tetrisprinter.planners.dealt._kernel_states import HEAD

    used = max(
        (y + 1 for y, row in enumerate(rows) if any(square is not None for square in row)),
        default=0,
    )
    if used > target.limit:
        raise InputError(f"the field has squares above row {target.limit}")
    state, finished, is_finished = make_empty_state(), 0, True
    for y, row in enumerate(rows[:used]):
        filled = sum(1 << x for x, square in enumerate(row) if square is not None)
        is_finished = is_finished and y < len(target.wants) and filled == target.wants[y, 0]
        is_finished = is_finished and all(
            square is None or target.wants[y, square] >> x & 1 for x, square in enumerate(row)
        )
        finished += is_finished
        # the filled columns, and from bit 16 the picture row plus one (0: the row must clear)
        state[HEAD + y] = filled | (y + 1 << 16 if is_finished else 0)
    state[0], state[1], state[2] = used, finished, used - finished
    return state


def land_drop(state: GameState, target: DealtTarget, placed: Placement) -> GameState:
    """Return the state after a drop that the search did not choose.

    If its squares do not fit the picture there, the unfinished rows are given up.
    """
    from tetrisprinter.planners.dealt._kernel_states import HEAD

    def is_filled(x: int, y: int) -> bool:
        return y < 0 or (y < state[0] and bool(state[HEAD + y] >> x & 1))

    name = placed.orientation.piece.name
    if any(is_filled(x, y) for x, y in placed.cells):
        raise InputError(f"the {name} was played on squares that are taken")
    if not any(is_filled(x, y - 1) for x, y in placed.cells):
        raise InputError(f"the {name} was played without support")
    rows = {placed.y + dy for _, dy in placed.orientation.cells}
    assigned_rows = {y: state[HEAD + y] >> 16 for y in range(state[0])}
    fits = all(
        not assigned_rows.get(y)
        or target.wants[assigned_rows[y] - 1, placed.orientation.piece] >> x & 1
        for x, y in placed.cells
    )
    finished = give_up_rows(state, target)[1]
    new_state = copy_view(state) if fits else give_up_rows(state, target)
    if any(y < finished for y in rows):  # finished rows got squares that do not belong there
        for index in range(HEAD, HEAD + new_state[0]):
            new_state[index] &= 0xFFFF
        new_state[1], new_state[2] = 0, new_state[0]
    used = max(new_state[0], max(rows) + 1)
    new_state[2] += used - new_state[0]
    for x, y in placed.cells:
        new_state[HEAD + y] |= 1 << x
    full = (1 << target.width) - 1
    rows_left = [row for row in new_state[HEAD : HEAD + used] if row & 0xFFFF != full]
    new_state[HEAD:] = zeros("i", len(new_state) - HEAD)
    for y, row in enumerate(rows_left):
        new_state[HEAD + y] = row
    new_state[0] = len(rows_left)
    return new_state


def count_missing(state: GameState, target: DealtTarget) -> int:
    """Return the number of missing squares; a row that must clear counts with its full width."""
    from tetrisprinter.planners.dealt._kernel_states import HEAD

    missing: int = sum(target.wants[y, 0].bit_count() for y in range(state[1], len(target.wants)))
    for row in state[HEAD : HEAD + state[0]]:
        picture_row = row >> 16
        missing += (
            (target.wants[picture_row - 1, 0] & ~row).bit_count() if picture_row else target.width
        )
    return missing
