"""The compiled loops of the search for the true minimum; no code of the package."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word


@cython.cclass
class Question:
    """A board, a picture, the pieces; see ``fewest_drops``.

    Attributes
    ----------
    width, height, rows
        Of the board; rows of the picture.
    due, targets
        For each row the squares to print; those of each colour.
    may
        Which colours a group of types may have.
    bits, heights, group_of
        The pieces on the left and on the ground: their squares, rows and groups.
    """

    width: Int
    height: Int
    rows: Int
    due: Word[::1]
    targets: Word[:, ::1]
    may: Byte[:, ::1]
    bits: Word[::1]
    heights: Int[::1]
    group_of: Int[::1]

    def __init__(
        self, size: tuple[int, int, int], due: Any, targets: Any, may: Any, pieces: Any
    ) -> None:
        self.width, self.height, self.rows = size
        self.due, self.targets = memoryview(due), memoryview(targets)
        self.may = memoryview(may.view(np.uint8))
        self.bits, self.heights = memoryview(pieces[0]), memoryview(pieces[1])
        self.group_of = memoryview(pieces[2])


@cython.cclass
class _Game:
    """A game so far, and the states that were seen.

    Attributes
    ----------
    planes
        After each drop the squares of each group, then all of them.
    cleared, pointer
        Rows that have vanished; the next piece to try.
    table, used
        Hashes of states; how many.
    best
        For so many rows that stay, how few have to vanish.
    """

    planes: Word[:, ::1]
    cleared: Int[::1]
    pointer: Int[::1]
    table: Word[::1]
    used: Int
    best: Int[::1]

    def __init__(self, drops: int, groups: int, rows: int) -> None:
        self.planes = memoryview(np.zeros((drops + 1, groups + 1), np.uint64))
        self.cleared = memoryview(np.zeros(drops + 1, np.int64))
        self.pointer = memoryview(np.zeros(drops + 1, np.int64))
        self.table = memoryview(np.zeros(1 << 12, np.uint64))
        self.used = 0
        self.best = memoryview(np.zeros(rows + 1, np.int64))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _row(plane: Word, row: Int, width: Int) -> Word:
    full: Word = 1
    return plane >> row * width & ((full << width) - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _dropped(asked: Question, game: _Game, depth: Int, i: Int) -> Int:
    """Drop a piece into the next planes; return how low it lies, or -1."""
    groups: Int = asked.may.shape[0]
    squares: Word = game.planes[depth, groups]
    y: Int = asked.height - asked.heights[i]
    if asked.bits[i] << y * asked.width & squares:
        return -1
    while y > 0 and not asked.bits[i] << (y - 1) * asked.width & squares:
        y -= 1
    piece: Word = asked.bits[i] << y * asked.width
    for c in range(groups + 1):
        game.planes[depth + 1, c] = game.planes[depth, c]
    game.planes[depth + 1, groups] |= piece
    if asked.group_of[i] >= 0:
        game.planes[depth + 1, asked.group_of[i]] |= piece
    return y


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _vanished(asked: Question, game: _Game, depth: Int, y: Int, rows: Int) -> Int:
    """Let full rows of some vanish; return how many."""
    one: Word = 1
    groups: Int = asked.may.shape[0]
    full: Word = (one << asked.width) - 1
    gone: Int = 0
    for back in range(rows):
        r: Int = y + rows - 1 - back
        if _row(game.planes[depth, groups], r, asked.width) != full:
            continue
        gone += 1
        low: Word = (one << r * asked.width) - 1
        for c in range(groups + 1):
            above: Word = 0
            if r + 1 < asked.height:
                above = game.planes[depth, c] >> (r + 1) * asked.width << r * asked.width
            game.planes[depth, c] = game.planes[depth, c] & low | above
    return gone


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shows(asked: Question, game: _Game, depth: Int) -> cython.bint:
    """Whether all that is due is there, and each group lies in squares of one of its colours."""
    groups: Int = asked.may.shape[0]
    for r in range(asked.height):
        here: Word = _row(game.planes[depth, groups], r, asked.width)
        if asked.due[r] & ~here:
            return False
        for g in range(groups):
            here &= ~_row(game.planes[depth, g], r, asked.width)
        if here:  # of a type without a colour
            return False
    for g in range(groups):
        fits: cython.bint = False
        for c in range(asked.may.shape[1]):
            if asked.may[g, c] and not fits:
                fits = True
                for r in range(asked.height):
                    if _row(game.planes[depth, g], r, asked.width) & ~asked.targets[c, r]:
                        fits = False
        if not fits:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _stays(asked: Question, game: _Game, depth: Int, r: Int, k: Int) -> cython.bint:
    """Whether a row can be a row of the picture."""
    groups: Int = asked.may.shape[0]
    seen: Word = 0
    for g in range(groups):
        own: Word = _row(game.planes[depth, g], r, asked.width)
        if own == 0:
            continue
        seen |= own
        fits: cython.bint = False
        for c in range(asked.may.shape[1]):
            if asked.may[g, c] and not own & ~asked.targets[c, k]:
                fits = True
        if not fits:
            return False
    return seen == _row(game.planes[depth, groups], r, asked.width)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hopeful(asked: Question, game: _Game, depth: Int, lines: Int) -> cython.bint:
    """Whether at most ``lines`` of the rows have to vanish; best[k]: k survive so far."""
    for survivors in range(1, asked.rows + 1):
        game.best[survivors] = 99
    game.best[0] = 0
    for r in range(asked.height):
        if not _row(game.planes[depth, asked.may.shape[0]], r, asked.width):
            break
        for back in range(asked.rows + 1):
            k: Int = asked.rows - back
            stay: Int = 99
            if k > 0 and game.best[k - 1] < 99 and _stays(asked, game, depth, r, k - 1):
                stay = game.best[k - 1]
            game.best[k] = min(stay, game.best[k] + 1)
    least: Int = 99
    for survivors in range(asked.rows + 1):
        least = min(least, game.best[survivors])
    return least <= lines


@cython.cfunc
def _grow(game: _Game) -> cython.void:
    size: Int = 2 * game.table.shape[0]
    grown: Word[::1] = memoryview(np.zeros(size, np.uint64))
    for i in range(game.table.shape[0]):
        if game.table[i]:
            slot: Int = cython.cast(Int, game.table[i] & cython.cast(Word, size - 1))
            while grown[slot]:
                slot = slot + 1 & size - 1
            grown[slot] = game.table[i]
    game.table = grown


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_new(asked: Question, game: _Game, depth: Int) -> cython.bint:
    """Whether a state has not been seen after so many drops; from now on it has."""
    word: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
    code: Word = cython.cast(Word, depth) * cython.cast(Word, 0x9E3779B97F4A7C15) & word
    for c in range(asked.may.shape[0] + 1):
        code = (code ^ game.planes[depth, c]) * cython.cast(Word, 0xD6E8FEB86659FD93) & word
        code ^= code >> 32
    code |= 1
    last: Int = game.table.shape[0] - 1
    slot: Int = cython.cast(Int, code & cython.cast(Word, last))
    while game.table[slot] and game.table[slot] != code:
        slot = slot + 1 & last
    if game.table[slot]:
        return False
    game.table[slot] = code
    game.used += 1
    if 2 * game.used > game.table.shape[0]:
        with cython.gil:
            _grow(game)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _searched(
    asked: Question, game: _Game, drops: Int, lines: Int, states: Int, out: Int[:, ::1]
) -> Int:
    depth: Int = 0
    while True:
        i: Int = game.pointer[depth]
        if i == asked.bits.shape[0]:
            if depth == 0:
                return 0
            depth -= 1
            continue
        game.pointer[depth] = i + 1
        y: Int = _dropped(asked, game, depth, i)
        if y < 0:
            continue
        total: Int = game.cleared[depth] + _vanished(asked, game, depth + 1, y, asked.heights[i])
        if total > lines:
            continue
        out[depth, 0], out[depth, 1] = i, y
        if depth + 1 == drops:
            if _shows(asked, game, drops):
                return 1
            continue
        if _hopeful(asked, game, depth + 1, lines - total) and _is_new(asked, game, depth + 1):
            if game.used >= states:
                return -1
            depth += 1
            game.cleared[depth], game.pointer[depth] = total, 0


def search(asked: Question, drops: int, lines: int, states: int, found: Any) -> int:
    """Depth-first with a table of states seen; 1 found, 0 impossible, -1 gave up."""
    game = _Game(drops, asked.may.shape[0], asked.rows)
    out: Int[:, ::1] = memoryview(found)
    pieces: Int = drops
    most: Int = lines
    limit: Int = states
    answer: Int = 0
    with cython.nogil:
        answer = _searched(asked, game, pieces, most, limit, out)
    return answer
