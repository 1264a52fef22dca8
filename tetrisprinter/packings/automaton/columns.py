"""One column of a matrix: the states between columns, the letters, the ways to fill one.

This is the placement model of :mod:`tetrisprinter.packings.placements` read from left to
right. Nothing about levels or support is decided here: both come from its candidates.

A **letter** says what a column is like before any piece is dropped: :data:`PRESET` if
its bottom cell is filled already, plus :data:`SQUARE` if it stands on a square of row -1.

A **state** is one integer. With ``h`` rows its bits are, from the lowest:

- ``9 h`` bits: the next three columns, nearest first, rows from the bottom, three bits
  each: 0 if no piece so far covers that cell, otherwise the piece's level plus one;
- ``h`` bits: the rows that have the piece that completes them;
- ``2 h`` bits: for each row over how many more columns a flat piece with its bottom in
  that row extends that still lacks the square to hang on.

The last need no more: two such pieces with their bottoms in the same row would overlap
in the next column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tetrisprinter.game.pieces import Orientation
from tetrisprinter.packings.placements import candidates
from tetrisprinter.packings.problem import PackingProblem

__all__ = ["MAX_ROWS", "PRESET", "SQUARE", "Columns", "Move", "accepting", "expand"]

PRESET: Final = 1
SQUARE: Final = 2

MAX_ROWS: Final = 6
"""A level has to fit into three bits."""

_ROOM: Final = 1 << 14
"""More than there are ways to fill a column."""

_TRAIL_BITS: Final = 10
"""Bits that the number of a move takes in a trail."""


@dataclass(frozen=True, slots=True)
class Move:
    """A piece whose leftmost column is the one being filled, at a level."""

    orientation: Orientation
    y: int
    level: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The moves of a height, as the tables that :func:`expand` reads.

    Attributes
    ----------
    rows : int
        Rows of the matrix.
    moves : tuple of Move
        Sorted by the row in which they enter the column.
    tables : tuple of sequences of int
        For each row the first of its moves; then for each move: the cells it takes of
        the column, its level plus one, the bits that have to be clear ahead, the bits it
        sets there, and those it sets besides if it lacks a square (-1 if it cannot do
        without one in this very column).
    """

    rows: int
    moves: tuple[Move, ...]
    tables: tuple[Sequence[int], ...]

    @classmethod
    @cache
    def of(cls, rows: int, squares: bool = True) -> Columns:
        """Return the moves of a height.

        Parameters
        ----------
        rows : int
            Up to :data:`MAX_ROWS`.
        squares : bool
            Whether there may be squares in row -1.
        """
        problem = PackingProblem(4, rows)
        everywhere = replace(problem, squares=frozenset(range(4) if squares else ()))
        unheld = {c.placement: c.latest for c in candidates(problem)}
        listed: list[tuple[int, ...]] = []
        moves: list[Move] = []
        for candidate in candidates(everywhere):
            piece = candidate.placement
            if piece.x != 0:
                continue
            latest = unheld.get(piece, -1)
            enters = piece.y + piece.orientation.bottom[0]
            for level in range(candidate.latest + 1):
                cells = occupied = done = here = 0
                for x, y in candidate.cells:
                    if x == 0:
                        here |= 7 << 3 * y
                    else:
                        at = 3 * ((x - 1) * rows + y)
                        cells |= (level + 1) << at
                        occupied |= 7 << at
                    if level > y:
                        done |= 1 << (9 * rows + y)
                more = piece.orientation.width - 1
                lacking = 0
                if level > latest:
                    lacking = more << (10 * rows + 2 * piece.y) if more else -1
                listed.append(
                    (enters, len(moves), here, level + 1, occupied | done, cells | done, lacking)
                )
                moves.append(Move(piece.orientation, piece.y, level))
        listed.sort()
        first = [sum(1 for entry in listed if entry[0] < row) for row in range(rows + 1)]
        return cls(
            rows,
            tuple(moves[entry[1]] for entry in listed),
            (first, *([entry[k] for entry in listed] for k in range(2, 7))),
        )

    def fillings(self, code: int, letter: int) -> list[tuple[int, int]]:
        """List the ways to fill a column: the state after it, and the trail of its moves."""
        ahead = [0] * _ROOM
        trails = [0] * _ROOM
        count = expand(code, letter, self.rows, self.tables, ahead, trails)
        return list(zip(ahead[:count], trails[:count], strict=True))

    def trail(self, code: int, letter: int, after: int) -> int:
        """Return the trail of a way to fill a column that leads to a given state."""
        return next(trail for state, trail in self.fillings(code, letter) if state == after)

    def pieces(self, trail: int) -> tuple[Move, ...]:
        """Return the moves of a trail, lowest first."""
        pieces = []
        while trail:
            pieces.append(self.moves[(trail & ((1 << _TRAIL_BITS) - 1)) - 1])
            trail >>= _TRAIL_BITS
        return tuple(pieces)


def accepting(rows: int) -> int:
    """Return the state in which a matrix is complete.

    >>> f"{accepting(2):b}".count("1")  # all rows have the piece that completes them
    2
    """
    return ((1 << rows) - 1) << 9 * rows


def expand(code: Any, letter: Any, rows: Any, tables: Any, ahead: Any, trails: Any) -> Any:
    """Fill one column in every way, from the bottom up.

    One text for two purposes: interpreted, with lists, to walk a few columns; compiled,
    with arrays, to build an automaton.

    Parameters
    ----------
    code, letter : int
        State and letter.
    rows : int
        Rows of the matrix.
    tables : tuple of sequences of int
        As in :class:`Columns`.
    ahead, trails : sequences of int
        Receive the state after each way, and its moves.

    Returns
    -------
    int
        How many ways there are; negative if there is no room for them.
    """
    first, runs, values, blocked, added, lacking = tables
    column = code & ((1 << 3 * rows) - 1)
    begin = ((code >> 3 * rows) & ((1 << 6 * rows) - 1)) | (code & (((1 << rows) - 1) << 9 * rows))
    if letter & 1:
        if column & 7:
            return 0
        column |= 1
    if code >> 10 * rows and not letter & 2:
        for row in range(rows):
            more = (code >> (10 * rows + 2 * row)) & 3
            if more == 1:
                return 0
            if more:
                begin |= (more - 1) << (10 * rows + 2 * row)
    count = 0
    # Depth-first; what is on the stack is described by the lists of this frame.
    states = [begin, 0, 0, 0, 0, 0, 0]
    at = [0, 0, 0, 0, 0, 0, 0]
    below = [0, 0, 0, 0, 0, 0, 0]
    pointer = [-1, 0, 0, 0, 0, 0, 0]
    trail = [0, 0, 0, 0, 0, 0, 0]
    depth = 0
    while depth >= 0:
        if pointer[depth] < 0:
            # Entering: pass what earlier columns left here, in the order of its levels.
            row, level = at[depth], below[depth]
            while row < rows and (column >> 3 * row) & 7:
                value = (column >> 3 * row) & 7
                if value < level:
                    break
                level = value
                row += 1
            if row == rows:
                if count == len(ahead):
                    return -1
                ahead[count] = states[depth]
                trails[count] = trail[depth]
                count += 1
                depth -= 1
                continue
            if (column >> 3 * row) & 7:
                depth -= 1
                continue
            at[depth], below[depth] = row, level
            pointer[depth] = first[row]
        row = at[depth]
        move = pointer[depth]
        if move == first[row + 1]:
            depth -= 1
            continue
        pointer[depth] = move + 1
        if values[move] < below[depth] or column & runs[move] or states[depth] & blocked[move]:
            continue
        after = states[depth] | added[move]
        if lacking[move] and not letter & 2:
            if lacking[move] < 0:
                continue
            after |= lacking[move]
        # Levels must not decrease upwards in the columns ahead either.
        rising = True
        for x in range(3):
            level = 0
            for y in range(rows):
                value = (after >> 3 * (x * rows + y)) & 7
                if value:
                    if value < level:
                        rising = False
                    level = value
        if not rising:
            continue
        length = 0
        while (runs[move] >> 3 * (row + length)) & 7:
            length += 1
        states[depth + 1] = after
        at[depth + 1] = row + length
        below[depth + 1] = values[move]
        trail[depth + 1] = trail[depth] | ((move + 1) << 10 * depth)
        pointer[depth + 1] = -1
        depth += 1
    return count
