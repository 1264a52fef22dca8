"""Stacks (how many rows clear between the picture's rows) and their windows.

Stack all rows of a game in their order: those of the picture, and those that clear. Between
two rows of the picture, under the lowest and over the highest there is a *slot*; a stack is
how many rows clear in each. A :class:`Window` is some neighbouring picture rows and the
number of rows that clear in each slot between them; a window that no game has forbids every
stack that looks like it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.bounds.windows import CLEARING, WindowRows
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.target import Target, extend_upwards

__all__ = [
    "EVERY",
    "Nogood",
    "TypeColor",
    "TypeColors",
    "Window",
    "WindowContents",
    "list_windows",
    "trim_to_final_rows",
    "whole_stack",
    "window_contents",
]

TypeColor = tuple[PieceType, int]
"""A type and the number of a colour."""

TypeColors = tuple[TypeColor, ...]
"""Some types and the numbers of the colours that they show; of others nothing is said."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """Some neighbouring rows of the picture, and the slots between them."""

    first: int  # the lowest row
    # How many rows clear in each slot between the rows, and beyond them where that is known
    counts: tuple[int, ...]
    # Whether the slot under the lowest row, which is then row 0, is the first count; whether that
    # over the highest is the last count, and nothing lies above it
    floor: bool
    top: bool

    @property
    def slots(self) -> range:
        """The slots that are counted; slot ``y`` is under row ``y``."""
        start = self.first + (not self.floor)
        return range(start, start + len(self.counts))

    @property
    def picture_rows(self) -> range:
        """The rows of the picture."""
        return range(self.first, self.first + len(self.counts) + 1 - self.floor - self.top)


EVERY: Final = Window(0, (), floor=True, top=True)
"""The window with no row, for statements about all stacks of one question."""


@dataclass(frozen=True, slots=True, order=True)
class Nogood:
    """A window that no game contains."""

    window: Window  # the rows
    # If the types have no colours yet: no game has it in which none of these types shows this
    # colour. With more colours a type can do whatever it can without
    without: TypeColors = ()
    spare: int = 0  # it holds for games that leave at most this many optional squares there


@dataclass(frozen=True, slots=True)
class WindowContents:
    """The contents of a window without its position; equal windows have equal contents."""

    # What may be left in its rows of the picture, which are numbered from 0; as high as the window,
    # unless the ceiling lies in it
    target: Target
    window: WindowRows  # its rows
    numbers: tuple[int, ...] = ()  # the colours that types may have, if they are open


def window_contents(target: Target, window: Window, spare: int) -> WindowContents:
    """Return the contents of a window in which at most ``spare`` optional squares stay."""
    ys = window.picture_rows
    counted = dict(zip(window.slots, window.counts, strict=True))
    rows: list[int] = []
    for y in ys:
        rows += [CLEARING] * counted.get(y, 0)
        rows.append(y - ys.start)
    if window.top:
        rows += [CLEARING] * window.counts[-1]
    there = Target(
        target.width,
        min(target.height, len(rows)) if window.floor else len(rows),
        target.allowed[ys.start : ys.stop],
        frozenset((x, y - ys.start) for x, y in target.required if y in ys),
        target.shades and target.shades[ys.start : ys.stop],
    )
    spare = min(spare, len(there.optional()))
    return WindowContents(
        there,
        WindowRows(tuple(rows), not window.floor, not window.top, spare),
        target.list_shades(),
    )


def trim_to_final_rows(target: Target) -> Target:
    """Return a target with exactly the rows in which something may be left.

    Without a background these are the rows up to the highest square that is required. With one
    it is the whole board, for unseen squares may be left anywhere.
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


def whole_stack(counts: tuple[int, ...]) -> Window:
    """Return the window of a whole stack: ``counts`` has one number for each slot."""
    return Window(0, counts, floor=True, top=True)


def list_windows(counts: tuple[int, ...]) -> Iterator[list[Window]]:
    """Yield the windows of a stack with one picture row, with two, and so on.

    Where a window reaches the floor or the top there is one that knows that, too.
    """
    rows = len(counts) - 1
    for many in range(1, rows + 1):
        found = []
        for first in range(rows - many + 1):
            inner = counts[first + 1 : first + many]
            if many > 1:
                found.append(Window(first, inner, floor=False, top=False))
            if first == 0:
                found.append(Window(0, counts[:many], floor=True, top=False))
            if first == rows - many:
                found.append(Window(first, counts[first + 1 :], floor=False, top=True))
        if many == rows:
            found.append(whole_stack(counts))
        elif many == 1:
            found += [Window(y, (), floor=False, top=False) for y in range(rows)]
        yield found
