"""Holding a finished picture in the art game, which never stops dropping pieces.

A *cycle* is a sequence of drops after which the field is the same as before. All its pieces lie
above the picture's highest row. They are piled without holes, so a pile is stored as a height for
each column. When all heights are positive, the lowest row is full and clears, and each height
drops by one. A piece needs support from the pile or from a square in the picture's highest row.

The search for a cycle is A* over piles, by the drops made and the drops still needed. Whether the
art game can steer a piece to its place is tested only when a pile is expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Final

from tetrisprinter.formats.art_game import Row, can_spawn, format_entry
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType

_Pile = tuple[int, ...]
_Step = tuple[Orientation, int]

_TRIES: Final = 30_000
"""The search for one height gives up when its piles together have this number of columns."""


def find_hold_cycle(field: Playfield) -> tuple[tuple[PieceType, Row], ...]:
    """Return rows of an art file that leave the field unchanged; empty if none are found."""
    picture = max(field.tops)
    # Low piles first: they leave the most room for moving pieces.
    for highest in range(1, field.height - picture + 1):
        found = _find_hold_cycle(field, picture, highest)
        if found is not None:
            return found
    return ()


def _find_hold_cycle(
    field: Playfield, picture: int, highest: int
) -> tuple[tuple[PieceType, Row], ...] | None:
    """Search for a cycle whose piles have at most ``highest`` rows; None if none is found."""
    empty: _Pile = (0,) * field.width
    supported = tuple(top == picture and picture > 0 for top in field.tops)
    order = count()
    # Entries: cost, a tie-breaker, the pile, the path to it, whose last step is not tested yet.
    heap: list[tuple[float, int, _Pile, _HoldPath | None]] = [(0.0, next(order), empty, None)]
    looked_at: set[_Pile] = set()
    while heap and len(looked_at) * field.width < _TRIES:
        _, _, pile, path = heappop(heap)
        if pile in looked_at and any(pile):
            continue
        if path is not None:
            row = format_entry(_make_field(field, picture, path.before), *path.step, usual=True)
            if isinstance(row, str):
                continue
            path.row = row
            steps = _trace_back(path)
            if not any(pile) and can_spawn(field, steps[0].step[0].piece):
                return tuple((one.step[0].piece, one.row) for one in steps)
        looked_at.add(pile)
        drops = 1 if path is None else path.drops + 1
        for step, after in _list_steps(pile, supported, highest):
            missing = field.width * max(after) - sum(after)
            entry = _HoldPath(path, pile, step, drops)
            heappush(heap, (drops + missing * 2, next(order), after, entry))
    return None


class _HoldPath:
    """A path to a pile: its last step and the path before it."""

    __slots__ = ("before", "drops", "previous", "row", "step")

    def __init__(self, previous: _HoldPath | None, before: _Pile, step: _Step, drops: int) -> None:
        self.previous = previous
        self.before = before
        self.step = step
        self.drops = drops
        self.row: Row = (0, 0, 0)


def _trace_back(path: _HoldPath | None) -> list[_HoldPath]:
    """Return the steps of a path in the order of the drops."""
    steps = []
    while path is not None:
        steps.append(path)
        path = path.previous
    return steps[::-1]


def _list_steps(
    pile: _Pile, supported: tuple[bool, ...], highest: int
) -> Iterator[tuple[_Step, _Pile]]:
    """Yield the pieces that fit a pile without holes, each with the pile after it."""
    for orientation in ORIENTATIONS:
        for x in range(len(pile) - orientation.width + 1):
            y = pile[x] - orientation.bottom[0]
            if y < 0 or y + orientation.height > highest:
                continue
            columns = range(x, x + orientation.width)
            if any(pile[c] != y + b for c, b in zip(columns, orientation.bottom, strict=True)):
                continue
            if not any(pile[c] or supported[c] for c in columns):
                continue
            after = list(pile)
            for c, top in zip(columns, orientation.top, strict=True):
                after[c] = y + top
            gone = min(after)
            yield (orientation, x), tuple(h - gone for h in after)


def _make_field(field: Playfield, picture: int, pile: _Pile) -> Playfield:
    """Return the field with a pile above the picture's rows."""
    rows = [*field.rows[:picture]]
    rows += [bytes(PieceType.I if h > y else 0 for h in pile) for y in range(max(pile, default=0))]
    return Playfield.from_rows(field.width, field.height, rows)
