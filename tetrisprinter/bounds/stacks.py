"""Stacks (how many rows clear between the rows of the picture), and windows of stacks.

List all rows of a game from below: those of the picture, and those that clear. Between two rows of
the picture, under the lowest one and over the highest one there is a *slot*. A stack is the number
of rows that clear in each slot. A :class:`Window` is some neighbouring picture rows with the
numbers for the slots between them. A window that no game fits is a *nogood*: it excludes every
stack that contains it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.bounds.windows import CLEARING, WindowRows
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.target import Target, extend_upwards

TypeColor = tuple[PieceType, int]
"""A piece type and the number of the colour that it shows."""

TypeColors = tuple[TypeColor, ...]
"""The colours of some types; those of other types are open."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
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


ALL_STACKS: Final = Window(0, (), floor=True, top=True)
"""A window without rows, for all stacks of a question; its nogood holds for that question only."""


@dataclass(frozen=True, slots=True, order=True)
class Nogood:
    """A window that no game fits."""

    window: Window
    # If types are open: no game fits unless one of these types shows the colour paired with it.
    # (A type that may show more colours fits wherever it fits with fewer.)
    without: TypeColors = ()
    spare: int = 0  # it holds for games that leave at most this number of optional squares


@dataclass(frozen=True, slots=True)
class WindowContents:
    """Everything that the formula of a window depends on; equal contents have the same formula."""

    # The target of the picture rows in the window, numbered from 0. Its board is as high as the
    # window, unless the ceiling lies in the window
    target: Target
    window: WindowRows
    numbers: tuple[int, ...] = ()  # the numbers of the colours, if types are open


def make_window_contents(target: Target, window: Window, spare: int) -> WindowContents:
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
    return WindowContents(
        window_target,
        WindowRows(tuple(rows), not window.floor, not window.top, spare),
        target.list_shades(),
    )


def trim_to_final_rows(target: Target) -> Target:
    """Return a target with exactly the rows in which the game may leave squares.

    Without a background these are the rows up to the highest required square. With a background
    these are all rows of the board, because don't-care squares may be filled anywhere.
    """
    if target.above:
        return extend_upwards(target, target.height - target.rows)
    used = 1 + max((y for _, y in target.required), default=-1)
    return Target(
        target.width,
        target.height,
        target.allowed[:used],
        target.required,
        target.shades and target.shades[:used],
        target.above,
        target.dont_care_shade,
    )


def make_whole_stack(counts: tuple[int, ...]) -> Window:
    """Return the window that is a whole stack; ``counts`` has the clearing rows of each slot."""
    return Window(0, counts, floor=True, top=True)


def iterate_windows_by_height(counts: tuple[int, ...]) -> Iterator[list[Window]]:
    """Yield lists of a stack's windows: those with one picture row, those with two, and so on.

    Windows at the floor or the top are listed twice: with and without the slot beyond them.
    """
    rows = len(counts) - 1
    for height in range(1, rows + 1):
        windows = []
        for first in range(rows - height + 1):
            counts_between = counts[first + 1 : first + height]
            if height > 1:
                windows.append(Window(first, counts_between, floor=False, top=False))
            if first == 0:
                windows.append(Window(0, counts[:height], floor=True, top=False))
            if first == rows - height:
                windows.append(Window(first, counts[first + 1 :], floor=False, top=True))
        if height == rows:
            windows.append(make_whole_stack(counts))
        elif height == 1:
            windows += [Window(y, (), floor=False, top=False) for y in range(rows)]
        yield windows
