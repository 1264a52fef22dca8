"""Holding a finished picture in the art game, which never stops dropping pieces.

A *cycle* is a sequence of drops after which the field is the same as before. All its pieces lie
above the picture's highest row. They form a *pile* without holes, so a pile is stored as a height
for each column. When all heights are positive, the lowest row is full and clears, and each height
decreases by one. A piece needs support from the pile or from a square in the picture's highest row.

The search for a cycle is A* over piles; its cost is the drops made and an estimate of those still
needed. Only when a pile is expanded, its last piece is tested: can the art game steer it there?
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
"""The search with one limit of height ends when its piles together have this number of columns."""


def find_hold_cycle(field: Playfield) -> tuple[tuple[PieceType, Row], ...]:
    """Return entries of an art file that leave the field unchanged; empty if none are found."""
    picture_rows = max(field.tops)
    # Low piles first: they leave the most room for moving pieces.
    for max_height in range(1, field.height - picture_rows + 1):
        cycle = _find_hold_cycle(field, picture_rows, max_height)
        if cycle is not None:
            return cycle
    return ()


def _find_hold_cycle(
    field: Playfield, picture_rows: int, max_height: int
) -> tuple[tuple[PieceType, Row], ...] | None:
    """Find a cycle whose piles have at most ``max_height`` rows; return its entries, or None."""
    empty: _Pile = (0,) * field.width
    supported = tuple(top == picture_rows and picture_rows > 0 for top in field.tops)
    tie_breaker = count()
    # Entries: cost, a tie-breaker, the pile, and the path to it, whose last step is untested.
    heap: list[tuple[float, int, _Pile, _HoldPath | None]] = [(0.0, next(tie_breaker), empty, None)]
    expanded: set[_Pile] = set()
    while heap and len(expanded) * field.width < _TRIES:
        _, _, pile, path = heappop(heap)
        if pile in expanded and any(pile):
            continue
        if path is not None:
            entry = format_entry(
                _make_field(field, picture_rows, path.pile_before), *path.step, direct_only=True
            )
            if isinstance(entry, str):
                continue
            path.row = entry
            steps = _trace_back(path)
            if not any(pile) and can_spawn(field, steps[0].step[0].piece):
                return tuple((one.step[0].piece, one.row) for one in steps)
        expanded.add(pile)
        drops = 1 if path is None else path.drops + 1
        for step, next_pile in _iterate_steps(pile, supported, max_height):
            missing_cells = field.width * max(next_pile) - sum(next_pile)
            next_path = _HoldPath(path, pile, step, drops)
            heappush(heap, (drops + missing_cells * 2, next(tie_breaker), next_pile, next_path))
    return None


class _HoldPath:
    """A path to a pile: its last step, and the path to the pile before that step."""

    __slots__ = ("drops", "pile_before", "previous", "row", "step")

    def __init__(
        self, previous: _HoldPath | None, pile_before: _Pile, step: _Step, drops: int
    ) -> None:
        self.previous = previous
        self.pile_before = pile_before  # the pile before the last step
        self.step = step
        self.drops = drops
        self.row: Row = (0, 0, 0)  # the entry that makes the last step, when it is tested


def _trace_back(path: _HoldPath | None) -> list[_HoldPath]:
    """Return the steps of a path in the order of the drops."""
    steps = []
    while path is not None:
        steps.append(path)
        path = path.previous
    return steps[::-1]


def _iterate_steps(
    pile: _Pile, supported: tuple[bool, ...], max_height: int
) -> Iterator[tuple[_Step, _Pile]]:
    """Yield the steps that leave no holes in a pile, each with the pile after the step."""
    for orientation in ORIENTATIONS:
        for x in range(len(pile) - orientation.width + 1):
            y = pile[x] - orientation.bottom[0]
            if y < 0 or y + orientation.height > max_height:
                continue
            columns = range(x, x + orientation.width)
            if any(pile[c] != y + b for c, b in zip(columns, orientation.bottom, strict=True)):
                continue
            if not any(pile[c] or supported[c] for c in columns):
                continue
            heights = list(pile)
            for c, top in zip(columns, orientation.top, strict=True):
                heights[c] = y + top
            cleared = min(heights)
            yield (orientation, x), tuple(h - cleared for h in heights)


def _make_field(field: Playfield, picture_rows: int, pile: _Pile) -> Playfield:
    """Return the field with a pile above the picture's rows."""
    rows = [*field.rows[:picture_rows]]
    rows += [bytes(PieceType.I if h > y else 0 for h in pile) for y in range(max(pile, default=0))]
    return Playfield.from_rows(field.width, field.height, rows)
