"""The compiled choice among states of the search up the rows.

What a state is tells :mod:`~tetrisprinter.planners.games.bits`.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.games.bits import (
        advanced_to,
        cell,
        filled,
        held,
        latest,
        outlook_of,
        scaled,
        with_latest,
    )
    from cython.cimports.tetrisprinter.planners.games._kernel_uses import Lists
    from cython.cimports.tetrisprinter.support.words import begun, mixed, smallest, spread
else:
    from tetrisprinter.planners.games.bits import (
        advanced_to,
        cell,
        filled,
        held,
        latest,
        outlook_of,
        scaled,
        with_latest,
    )
    from tetrisprinter.planners.games._kernel_uses import Lists
    from tetrisprinter.support.words import begun, mixed, smallest, spread

__all__ = ["Squares", "advanced", "chosen", "penalty"]

_FORCED = 40
"""Room for the pieces that some square has no other than."""


@cython.cclass
class Squares:
    """The squares of a picture that are due, and what may cover them.

    Attributes
    ----------
    due
        Which squares must be filled.
    fits, covers
        The uses of pieces that fit, and those that cover each square; see ``listed`` in the
        module ``_kernel_uses``.
    y_of
        For each outlook the next row of the picture.
    chance
        An odd number that decides between equals.
    forced
        Room for pieces that some square has no other than.
    """

    def __init__(self, due: Any, fits: Lists, covers: Lists, y_of: Any, chance: int) -> None:
        self.due, self.y_of = memoryview(due), memoryview(y_of)
        self.fits, self.covers, self.chance = fits, covers, chance
        self.forced = memoryview(np.zeros((_FORCED, 4), np.uint64))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _meets(
    masks: Word[:, ::1], one: Int, states: Word[:, ::1], base: Int, i: Int, done: Word
) -> cython.bint:
    """Whether a piece and a state have cells in common; some of its lowest row are done."""
    return (
        masks[one, 0] & (states[base, i] | done)
        | masks[one, 1] & states[base + 1, i]
        | masks[one, 2] & states[base + 2, i]
        | masks[one, 3] & states[base + 3, i]
    ) != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _force(squares: Squares, count: Int, one: Int) -> Int:
    """Note a piece that some square has no other than; return how many, -1 if two of them meet."""
    masks, forced = squares.covers.masks, squares.forced
    meets: cython.bint = False
    for i in range(count):
        same: cython.bint = True
        for row in range(4):
            if forced[i, row] != masks[one, row]:
                same = False
            if forced[i, row] & masks[one, row]:
                meets = True
        if same:
            return count
    if meets:
        return -1
    for row in range(4):
        forced[count, row] = masks[one, row]
    return count + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ways(squares: Squares, states: Word[:, ::1], base: Int, i: Int, at: Int, done: Word) -> Int:
    """Return which piece covers a square; -1 if none does, -2 if two do, -3 if three or more."""
    found: Int = 0
    last: Int = 0
    for one in range(squares.covers.ends[at], squares.covers.ends[at + 1]):
        if not _meets(squares.covers.masks, one, states, base, i, done):
            found += 1
            last = one
            if found == 3:
                return -3
    return last if found == 1 else -1 - found // 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def penalty(squares: Squares, states: Word[:, ::1], base: Int, number: Int, begin: Int) -> Int:
    """Return what squares cost that few pieces cover; -1 if no piece covers some square.

    Nor do two pieces of which some squares have no other, and which meet. In the lowest two rows
    a square costs 2 that one piece covers, and 1 that two do. Squares of the lowest row before the
    column ``begin`` do not count. The first word of the states is ``base``.
    """
    width: Int = squares.due.shape[1]
    outlook: Int = outlook_of(states[base + 4, number])
    first_y: Int = squares.y_of[outlook]
    y: Int = first_y
    done: Word = cell(begin, 1) - 1
    price: Int = 0
    count: Int = 0
    for row in range(3):
        if outlook >> row & 1:
            continue
        for x in range(begin if row == 0 else 0, width):
            if not squares.due[y, x] or held(states[base + row, number], x):
                continue
            at: Int = ((first_y * 16 + outlook) * 3 + row) * width + x
            way: Int = _ways(squares, states, base, number, at, done)
            if way == -1:
                return -1
            if way >= 0:
                count = _force(squares, count, way)
                if count < 0:
                    return -1
            if way > -3 and row < 2:
                price += 2 if way >= 0 else 1
        y += 1
    return price


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lowered(states: Word[:, ::1], i: Int, out: Word[:, ::1], at: Int, width: Int) -> cython.bint:
    """Count times from one row further up, which clears; whether that can be done."""
    for row in range(3):
        word: Word = out[row, at]
        for x in range(width):
            time: Int = held(word, x)
            if time:
                if time & 15 and time & 15 < 3:
                    return False
                out[row, at] -= cell(x, 2)
    for x in range(width):
        out[4, at] = with_latest(out[4, at], x, max(0, latest(states[4, i], x) - 2))
    return True


def advanced(
    words: Any, count: int, clears: bool, may: Any, width: int, new: Any, origins: Any
) -> int:
    """Let the row above the outlooks of some states be one that clears, or one of the picture.

    Parameters
    ----------
    words, count
        The states as they are after a row.
    clears
        Whether the row does.
    may
        For each outlook after it, whether such a row may follow.
    width
        Columns of the board.
    new, origins
        Are given the states before the next row and the numbers of those they come from.

    Returns
    -------
    int
        How many; some count on rows that are too far below now.
    """
    states: Word[:, ::1] = memoryview(words)
    out: Word[:, ::1] = memoryview(new)
    room: Byte[::1] = memoryview(may).cast("B")
    sources: cython.int[::1] = memoryview(origins)
    most: Int = count
    columns: Int = width
    does: cython.bint = clears
    kept: Int = 0
    with cython.nogil:
        for i in range(most):
            outlook: Int = outlook_of(states[4, i])
            if not room[outlook]:
                continue
            for row in range(3):
                out[row, kept] = states[row + 1, i]
            out[3, kept] = 0
            out[4, kept] = advanced_to(states[4, i], does)
            if outlook & 1 and not _lowered(states, i, out, kept, columns):
                continue
            sources[kept] = i
            kept += 1
    return kept


@cython.cclass
class _Choice:
    """States of which some are kept.

    Attributes
    ----------
    states, sources, beginnings
        The states, and what belongs to them and stays with them.
    keys, some, room
        What each is worth: the least is the best; and room for twice as many.
    known, crowd
        Sets of cells, found by their hash; how many states fill them.
    there, share, worst
        For each outlook: how many states there are; how many are kept; the worst key of these.
    """

    states: Word[:, ::1]
    sources: cython.int[::1]
    beginnings: cython.int[::1]
    keys: Word[::1]
    some: Word[::1]
    room: Word[::1]
    known: Word[::1]
    crowd: Int[::1]
    there: Int[::1]
    share: Int[::1]
    worst: Word[::1]

    def __init__(self, states: Any, sources: Any, beginnings: Any) -> None:
        count = states.shape[1]
        size = 1 << (4 * count).bit_length()
        self.states, self.sources = memoryview(states), memoryview(sources)
        self.beginnings = memoryview(beginnings)
        self.keys = memoryview(np.empty(count, np.uint64))
        self.some = memoryview(np.empty(count, np.uint64))
        self.room = memoryview(np.empty(count, np.uint64))
        self.known = memoryview(np.zeros(size, np.uint64))
        self.crowd = memoryview(np.zeros(size, np.int64))
        self.there = memoryview(np.zeros(16, np.int64))
        self.share = memoryview(np.zeros(16, np.int64))
        self.worst = memoryview(np.zeros(16, np.uint64))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(choice: _Choice, i: Int, kept: Int) -> cython.void:
    for row in range(5):
        choice.states[row, kept] = choice.states[row, i]
    choice.sources[kept], choice.beginnings[kept] = choice.sources[i], choice.beginnings[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _price(choice: _Choice, squares: Squares, count: Int) -> Int:
    """Leave out states in which something cannot be covered, and give the others their keys."""
    kept: Int = 0
    for i in range(count):
        price: Int = penalty(squares, choice.states, 0, i, 0)
        if price < 0:
            continue
        code: Word = begun(choice.states[0, i])
        for row in range(1, 5):
            code = mixed(code, choice.states[row, i])
        key: Word = cython.cast(Word, price) << 40
        choice.keys[kept] = key | scaled(spread(code), squares.chance) >> 24
        _keep(choice, i, kept)
        kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _crowd(choice: _Choice, count: Int) -> cython.void:
    """Make those worse that fill the same cells as others: many games differ in times only."""
    last: Int = choice.known.shape[0] - 1
    for i in range(count):
        outlook: Int = outlook_of(choice.states[4, i])
        choice.there[outlook] += 1
        code: Word = begun(cython.cast(Word, outlook))
        for row in range(4):
            code = mixed(code, filled(choice.states[row, i]))
        code = spread(code) | 1
        slot: Int = cython.cast(Int, code & cython.cast(Word, last))
        while choice.known[slot] and choice.known[slot] != code:
            slot = slot + 1 & last
        choice.known[slot] = code
        others: Word = cython.cast(Word, min(1000, choice.crowd[slot]))
        choice.keys[i] += others << 40
        choice.crowd[slot] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _divide(choice: _Choice, most: Int) -> cython.void:
    """Say how many are kept of each outlook: of each as many, as far as there are."""
    left: Int = most
    while left > 0:
        wanting: Int = 0
        for kind in range(16):
            if choice.share[kind] < choice.there[kind]:
                wanting += 1
        for kind in range(16):
            more: Int = max(1, left // wanting)
            more = min(more, choice.there[kind] - choice.share[kind])
            more = min(more, left)
            choice.share[kind] += more
            left -= more


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rank(choice: _Choice, count: Int) -> cython.void:
    """Say what the worst key is of those that are kept of each outlook."""
    for kind in range(16):
        if choice.share[kind]:
            n: Int = 0
            for i in range(count):
                if outlook_of(choice.states[4, i]) == kind:
                    choice.some[n] = choice.keys[i]
                    n += 1
            choice.worst[kind] = smallest(choice.some, n, choice.share[kind] - 1, choice.room)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(choice: _Choice, squares: Squares, most: Int) -> Int:
    count: Int = _price(choice, squares, choice.states.shape[1])
    if count <= most:
        return count
    _crowd(choice, count)
    _divide(choice, most)
    _rank(choice, count)
    kept: Int = 0
    for i in range(count):
        outlook: Int = outlook_of(choice.states[4, i])
        if choice.share[outlook] and choice.keys[i] <= choice.worst[outlook] and kept < most:
            _keep(choice, i, kept)
            kept += 1
    return kept


def chosen(squares: Squares, states: Any, most: int, sources: Any, beginnings: Any) -> int:
    """Keep some states, in place: of each outlook as many, and few that fill the same cells.

    Parameters
    ----------
    squares : Squares
        What must be filled.
    states, most
        The states; as many as are to be kept.
    sources, beginnings
        What belongs to the states, and stays with them.

    Returns
    -------
    int
        How many are kept.
    """
    choice = _Choice(states, sources, beginnings)
    limit: Int = most
    kept: Int = 0
    with cython.nogil:
        kept = _choose(choice, squares, limit)
    return kept
