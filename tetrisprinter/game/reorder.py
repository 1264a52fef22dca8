"""Reordering the drops of a plan so that a player can steer them.

A plan uses hard drops. In a real game the player must steer each piece past the squares that are
already there, and often another order makes this possible. For each pass a search finds an order
in which every piece rests on the same squares as before, so the final field is the same.

Rows may vanish in another order, too. So the squares of a piece are given in *virtual rows*: every
row gets a number, from below, and keeps its number when it moves down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tetrisprinter.game.field import Playfield, TopOutError, remove_row_numbers
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan

Steerable = Callable[[Playfield, Orientation, int], bool]
"""A function that tests whether a piece can be steered to a column on a field."""

_MAX_FIELDS: Final = 3000
"""The search of a pass gives up after this number of fields."""


def reorder_plan(
    plan: Plan,
    steerable: Steerable,
    can_start: Callable[[Playfield, PieceType], bool] | None = None,
) -> Plan | None:
    """Return the plan with drops that can all be steered; None if no order is found."""
    if plan.slides:  # a tuck may be impossible in another order
        return None
    field = plan.make_field()
    passes: list[Pass] = []
    final_field = _apply_drops(field, list(plan))
    for pass_ in plan.passes:

        def can_steer(current: Playfield, orientation: Orientation, x: int) -> bool:
            is_first_piece = not any(current.tops)
            if (
                can_start is not None
                and is_first_piece
                and not can_start(final_field, orientation.piece)
            ):
                return False
            return steerable(current, orientation, x)

        order = find_order(field, pass_.pieces, can_steer)
        if order is None:
            return None
        passes.append(replace(pass_, pieces=order))
        field = _apply_drops(field, order)
    return replace(plan, passes=tuple(passes))


def find_order(
    field: Playfield, pieces: Sequence[Placement], steerable: Steerable
) -> tuple[Placement, ...] | None:
    """Return the pieces in an order in which all can be steered; None if no order is found."""
    search = _OrderSearch(field, pieces, steerable)
    order = search.try_given_order() or search.find_any_order()
    return None if order is None else tuple(pieces[number] for number in order)


def _copy_field(field: Playfield) -> Playfield:
    return Playfield.from_rows(field.width, field.height, field.rows)


def _apply_drops(field: Playfield, pieces: Sequence[Placement]) -> Playfield:
    """Return a new field on which the pieces have been dropped."""
    field = _copy_field(field)
    for piece in pieces:
        field.drop(piece.orientation, piece.x)
    return field


class _OrderSearch:
    """The search for an order of the drops of one pass."""

    def __init__(self, field: Playfield, pieces: Sequence[Placement], steerable: Steerable) -> None:
        self.start = field
        self.pieces = pieces
        self.steerable = steerable
        self.virtual_rows: list[tuple[int, ...]] = []  # the virtual rows of each piece
        current, rows = _copy_field(field), list(range(field.height))
        for piece in pieces:
            landing = current.drop(piece.orientation, piece.x)
            self.virtual_rows.append(tuple(rows[landing.y : landing.y + piece.orientation.height]))
            remove_row_numbers(rows, landing.cleared)

    def try_given_order(self) -> list[int] | None:
        """Return the order of the plan if all its pieces can be steered; otherwise None."""
        field = _copy_field(self.start)
        for piece in self.pieces:
            if not self.steerable(field, piece.orientation, piece.x):
                return None
            field.drop(piece.orientation, piece.x)
        return list(range(len(self.pieces)))

    def find_any_order(self) -> list[int] | None:
        """Return the indices of pieces in an order that can be steered; None if none is found.

        The search is depth-first, low and outer pieces first, and visits each set of pieces once.
        """
        all_pieces = (1 << len(self.pieces)) - 1
        visited: set[int] = set()
        order: list[int] = []
        stack = [self._iterate_next(self.start, list(range(self.start.height)), 0)]
        while stack and len(visited) < _MAX_FIELDS:
            if len(order) == len(self.pieces):
                return order
            for number, field, rows in stack[-1]:
                dropped = sum(1 << n for n in order) | 1 << number
                if dropped in visited:
                    continue
                visited.add(dropped)
                order.append(number)
                stack.append(self._iterate_next(field, rows, dropped))
                if dropped == all_pieces:
                    return order
                break
            else:
                stack.pop()
                if order:
                    order.pop()
        return None

    def _iterate_next(
        self, field: Playfield, rows: list[int], dropped: int
    ) -> Iterator[tuple[int, Playfield, list[int]]]:
        """Yield each piece that can come next, with field and row numbers after its drop."""
        middle = (field.width - 1) / 2
        candidates = []
        for number, piece in enumerate(self.pieces):
            if dropped >> number & 1:
                continue
            try:
                y = field.find_landing_row(piece.orientation, piece.x)
            except TopOutError:
                continue
            height, width = piece.orientation.height, piece.orientation.width
            if tuple(rows[y : y + height]) == self.virtual_rows[number]:
                side_distance = abs(piece.x + (width - 1) / 2 - middle)
                candidates.append((y + height, -side_distance, number))
        for _, _, number in sorted(candidates):
            piece = self.pieces[number]
            if not self.steerable(field, piece.orientation, piece.x):
                continue
            next_field, next_rows = _copy_field(field), rows.copy()
            remove_row_numbers(next_rows, next_field.drop(piece.orientation, piece.x).cleared)
            yield number, next_field, next_rows
