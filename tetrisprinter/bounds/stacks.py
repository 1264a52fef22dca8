"""Stacks (how many rows clear between the rows of the picture), and windows of stacks.

List all rows of a game from below: those of the picture, and those that clear. Between two rows of
the picture, under the lowest one and over the highest one there is a *slot*. A stack is the number
of rows that clear in each slot. A :class:`StackWindow` is some neighbouring picture rows with the
numbers for the slots between them. A window that no game fits is a *nogood*: it excludes every
stack that contains it.

Parts of pieces lie in a window. A piece lies in neighbouring rows of the board at the moment when
it drops. In the stack its rows may be apart, because the rows between them have cleared. If a piece
lies partly outside the window, only its cells inside count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from math import comb
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.printing.task import Target, extend_upwards

CLEARING = -1
"""Stands for a row that clears among the rows of a window."""


@dataclass(frozen=True, slots=True)
class WindowContents:
    """Everything that the formula of a window depends on; equal contents have the same formula."""

    # The target of the picture rows in the window, numbered from 0. Its board is as high as the
    # window, unless the ceiling lies in the window
    target: Target
    rows: tuple[int, ...]  # from below: the number of a picture row, or :data:`CLEARING`
    below: bool  # whether the stack has unknown rows below
    above: bool  # whether the stack has unknown rows above
    spare: int  # how many optional squares the game may leave
    numbers: tuple[int, ...]  # the numbers of the colours, if types are open

    @property
    def lines(self) -> int:
        """The number of rows that clear."""
        return self.rows.count(CLEARING)


@dataclass(frozen=True, slots=True)
class Part:
    """The cells of a piece that lie in a window."""

    orientation: Orientation
    x: int  # the left column of the piece
    cells: tuple[Cell, ...]  # its cells in the window: column, and row of the window
    # The clearing rows between its cells, which have cleared before the piece drops
    rows_between: tuple[int, ...]
    # The lowest cell in each column; None if such a cell lies outside the window, where something
    # may support the piece
    feet: tuple[Cell, ...] | None


_Rows = tuple[tuple[int | None, ...], tuple[int, ...]]
"""The window row of each row of a piece (None: outside), and the cleared rows between them."""


@lru_cache(maxsize=256)
def _list_row_choices(
    clears: tuple[bool, ...], below: bool, above: bool, height: int
) -> list[_Rows]:
    """List the choices of window rows for a piece's rows; the rows between must clear."""
    choices: list[_Rows] = []

    def extend(
        rows: tuple[int | None, ...],
        rows_between: tuple[int, ...],
        next_row: int,
        has_row_inside: bool,
    ) -> None:
        """Add all choices that continue the chosen rows from ``next_row`` upwards."""
        if len(rows) == height:
            if has_row_inside:
                choices.append((rows, rows_between))
            return
        cleared = rows_between
        for v in range(next_row, len(clears)):
            extend((*rows, v), cleared, v + 1, True)
            if not clears[v]:
                return
            cleared = (*cleared, v)
        if above and has_row_inside:
            rest = height - len(rows)
            choices.append(((*rows, *(None,) * rest), cleared))

    for start in range(len(clears)):
        extend((start,), (), start + 1, True)
    if below:
        for outside in range(1, height):
            extend((None,) * outside, (), 0, False)
    return choices


def count_fewest_parts(width: int, rows: Sequence[int]) -> int:
    """Return a lower bound on the number of parts of a window, without listing them.

    Count placements whose rows all lie in one run of clearing rows, with or without gaps.

    >>> count_fewest_parts(4, (0, CLEARING, 1)), count_fewest_parts(4, (CLEARING,) * 4)
    (1, 218)
    """
    runs = [len(list(group)) for row, group in groupby(rows) if row == CLEARING]
    return sum(
        max(0, width - o.width + 1) * comb(run, o.height) for run in runs for o in ORIENTATIONS
    )


def list_parts(window: WindowContents) -> list[Part]:
    """List the parts of pieces in a window.

    If parts differ only in their feet, only the part that needs the least support is listed.
    """
    target, clears = window.target, tuple(row == CLEARING for row in window.rows)
    parts: dict[tuple[PieceType, tuple[Cell, ...], tuple[int, ...]], Part] = {}
    for o in ORIENTATIONS:
        for rows, rows_between in _list_row_choices(clears, window.below, window.above, o.height):
            inside = [(dx, v) for dx, dy in o.cells if (v := rows[dy]) is not None]
            lows = [(dx, v) for dx, low in enumerate(o.bottom) if (v := rows[low]) is not None]
            remaining = [(dx, y) for dx, v in inside if (y := window.rows[v]) != CLEARING]
            for x in range(target.width - o.width + 1) if inside else ():
                if not all(target.may_hold(x + dx, y, o.piece) for dx, y in remaining):
                    continue
                if target.shades and len({target.shades[y][x + dx] for dx, y in remaining}) > 1:
                    continue
                cells = tuple([(x + dx, v) for dx, v in inside])
                key = (o.piece, cells, rows_between)
                if key not in parts or len(lows) < o.width:
                    feet = tuple([(x + dx, v) for dx, v in lows])
                    parts[key] = Part(
                        o, x, cells, rows_between, feet if len(lows) == o.width else None
                    )
    return list(parts.values())


TypeColor = tuple[PieceType, int]
"""A piece type and the number of the colour that it shows."""

TypeColors = tuple[TypeColor, ...]
"""The colours of some types; those of other types are open."""


@dataclass(frozen=True, slots=True, order=True)
class StackWindow:
    """Some neighbouring rows of the picture, and the slots between them."""

    first: int  # the lowest row
    counts: tuple[int, ...]  # how many rows clear in each slot, from below
    # ``floor``: the lowest row is row 0, and the first count is of the slot under it;
    # ``top``: the last count is of the slot over the highest row, the last slot of the stack
    floor: bool
    top: bool

    @property
    def slots(self) -> range:
        """The slots whose number of clearing rows is given; slot ``y`` is under row ``y``."""
        start = self.first + (not self.floor)
        return range(start, start + len(self.counts))

    @property
    def picture_rows(self) -> range:
        """The rows of the picture."""
        return range(self.first, self.first + len(self.counts) + 1 - self.floor - self.top)


ALL_STACKS: Final = StackWindow(0, (), floor=True, top=True)
"""A window without rows, for all stacks of a question; its nogood holds for that question only."""


@dataclass(frozen=True, slots=True, order=True)
class Nogood:
    """A window that no game fits."""

    window: StackWindow
    # If types are open: no game fits unless one of these types shows the colour paired with it.
    # (A type that may show more colours fits wherever it fits with fewer.)
    without: TypeColors = ()
    spare: int = 0  # it holds for games that leave at most this number of optional squares


def make_window_contents(target: Target, window: StackWindow, spare: int) -> WindowContents:
    """Return the contents of a window in which at most ``spare`` optional squares stay."""
    picture_rows = window.picture_rows
    count_of_slot = dict(zip(window.slots, window.counts, strict=True))
    rows: list[int] = []
    for y in picture_rows:
        rows += [CLEARING] * count_of_slot.get(y, 0)
        rows.append(y - picture_rows.start)
    if window.top:
        rows += [CLEARING] * window.counts[-1]
    window_target = Target(
        target.width,
        min(target.height, len(rows)) if window.floor else len(rows),
        target.allowed[picture_rows.start : picture_rows.stop],
        frozenset((x, y - picture_rows.start) for x, y in target.required if y in picture_rows),
        target.shades and target.shades[picture_rows.start : picture_rows.stop],
    )
    spare = min(spare, len(window_target.optional()))
    numbers = target.list_shades()
    floor, top = window.floor, window.top
    return WindowContents(window_target, tuple(rows), not floor, not top, spare, numbers)


def trim_to_final_rows(target: Target) -> Target:
    """Return a target with exactly the rows in which the game may leave squares.

    Without a background these are the rows up to the highest required square. With a background
    these are all rows of the board, because don't-care squares may be filled anywhere.
    """
    if target.above:
        return extend_upwards(target, target.height - target.rows)
    used = 1 + max((y for _, y in target.required), default=-1)
    shades = target.shades and target.shades[:used]
    return replace(target, allowed=target.allowed[:used], shades=shades)


def iterate_windows_by_height(counts: tuple[int, ...]) -> Iterator[list[StackWindow]]:
    """Yield lists of a stack's windows: those with one picture row, those with two, and so on.

    Windows at the floor or the top are listed twice: with and without the slot beyond them.
    """
    rows = len(counts) - 1
    for height in range(1, rows + 1):
        windows = []
        for first in range(rows - height + 1):
            counts_between = counts[first + 1 : first + height]
            if height > 1:
                windows.append(StackWindow(first, counts_between, floor=False, top=False))
            if first == 0:
                windows.append(StackWindow(0, counts[:height], floor=True, top=False))
            if first == rows - height:
                windows.append(StackWindow(first, counts[first + 1 :], floor=False, top=True))
        if height == rows:
            windows.append(StackWindow(0, counts, floor=True, top=True))
        elif height == 1:
            windows += [StackWindow(y, (), floor=False, top=False) for y in range(rows)]
        yield windows
