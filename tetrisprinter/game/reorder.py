"""Reordering the drops of a plan so that a player can steer them.

A plan uses hard drops. In a real game the player must steer each piece past the squares that are
already there, and often another order makes this possible. For each pass a search finds an order
in which every piece rests on the same squares as before, so the final field is the same.

Rows may vanish in another order, too. So the squares of a piece are given in *virtual rows*: every
row gets a number, from below, and keeps it when it moves down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tetrisprinter.game.field import Playfield, TopOutError, remove_row_numbers
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan

Steerable = Callable[[Playfield, Orientation, int], bool]
"""A test whether a piece can be steered to a column on a field, under some rules."""

_TRIES: Final = 3000
"""The search of a pass gives up after this many fields."""


def reorder_plan(
    plan: Plan,
    steerable: Steerable,
    can_start: Callable[[Playfield, PieceType], bool] | None = None,
) -> Plan | None:
    """Reorder the drops of each pass so that all can be steered; None if no order is found."""
    if plan.slides:  # a tuck may be impossible in another order
        return None
    field = plan.make_field()
    ordered: list[Pass] = []
    final_field = _apply_drops(field, list(plan))
    for pass_ in plan.passes:

        def can_steer(at: Playfield, orientation: Orientation, x: int) -> bool:
            is_first_piece = not any(at.tops)
            if (
                can_start is not None
                and is_first_piece
                and not can_start(final_field, orientation.piece)
            ):
                return False
            return steerable(at, orientation, x)

        order = find_order(field, pass_.pieces, can_steer)
        if order is None:
            return None
        ordered.append(replace(pass_, pieces=order))
        field = _apply_drops(field, order)
    return replace(plan, passes=tuple(ordered))


def find_order(
    field: Playfield, pieces: Sequence[Placement], steerable: Steerable
) -> tuple[Placement, ...] | None:
    """Return an order in which every piece can be steered into place; None if none is found."""
    search = _OrderSearch(field, pieces, steerable)
    order = search.try_given_order() or search.find_any_order()
    return None if order is None else tuple(pieces[number] for number in order)


def _copy(field: Playfield) -> Playfield:
    return Playfield.from_rows(field.width, field.height, field.rows)


def _apply_drops(field: Playfield, pieces: Sequence[Placement]) -> Playfield:
    field = _copy(field)
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
        played, rows = _copy(field), list(range(field.height))
        for piece in pieces:
            landing = played.drop(piece.orientation, piece.x)
            self.virtual_rows.append(tuple(rows[landing.y : landing.y + piece.orientation.height]))
            remove_row_numbers(rows, landing.cleared)

    def try_given_order(self) -> list[int] | None:
        """Return the order of the plan if all its pieces can be steered."""
        field = _copy(self.start)
        for piece in self.pieces:
            if not self.steerable(field, piece.orientation, piece.x):
                return None
            field.drop(piece.orientation, piece.x)
        return list(range(len(self.pieces)))

    def find_any_order(self) -> list[int] | None:
        """Search depth-first, low and outer pieces first; visit each set of pieces once."""
        everything = (1 << len(self.pieces)) - 1
        visited: set[int] = set()
        order: list[int] = []
        stack = [self._list_next(self.start, list(range(self.start.height)), 0)]
        while stack and len(visited) < _TRIES:
            if len(order) == len(self.pieces):
                return order
            for number, field, rows in stack[-1]:
                dropped = sum(1 << n for n in order) | 1 << number
                if dropped in visited:
                    continue
                visited.add(dropped)
                order.append(number)
                stack.append(self._list_next(field, rows, dropped))
                if dropped == everything:
                    return order
                break
            else:
                stack.pop()
                if order:
                    order.pop()
        return None

    def _list_next(
        self, field: Playfield, rows: list[int], dropped: int
    ) -> Iterator[tuple[int, Playfield, list[int]]]:
        """Yield each piece that can come next, with the field and the row numbers after it."""
        middle = (field.width - 1) / 2
        found = []
        for number, piece in enumerate(self.pieces):
            if dropped >> number & 1:
                continue
            try:
                y = field.find_landing_row(piece.orientation, piece.x)
            except TopOutError:
                continue
            height, width = piece.orientation.height, piece.orientation.width
            if tuple(rows[y : y + height]) == self.virtual_rows[number]:
                aside = abs(piece.x + (width - 1) / 2 - middle)
                found.append((y + height, -aside, number))
        for _, _, number in sorted(found):
            piece = self.pieces[number]
            if not self.steerable(field, piece.orientation, piece.x):
                continue
            after, left = _copy(field), rows.copy()
            remove_row_numbers(left, after.drop(piece.orientation, piece.x).cleared)
            yield number, after, left
