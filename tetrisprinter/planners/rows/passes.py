"""A pass: what is asked of the search, and the pieces that it answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tetrisprinter.planners.rows.stacks import MAX_ROWS, Stack
from tetrisprinter.tetromino import Placement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["Finder", "Found", "Pieces", "Squares", "Wanted", "drop_order"]

_PASSES = 2
"""How many passes can be searched together."""



@dataclass(frozen=True, slots=True)
class Squares:
    """What the columns of a stack hold and may hold; sets of rows are bit sets.

    Attributes
    ----------
    before, must, due : array of shape (columns,)
        Rows filled before the pass; rows that must be filled after it, clearing rows among
        them; rows that nothing may come to lie over while they are empty.
    allowed : array of shape (columns, rows)
        The types that may be left, as a bit set (bit ``int(type)``).
    ground : array of shape (columns,)
        Whether there is a square right below the stack.
    """

    before: Ints
    must: Ints
    due: Ints
    allowed: Ints
    ground: Ints


Pieces = tuple[tuple[Placement, int], ...]
"""The pieces of a pass with their levels, from the left."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pass to be found.

    Attributes
    ----------
    stack : Stack
        Its rows.
    squares : Squares
        One for each column of the board.
    costs : array of shape (columns, rows)
        What a square newly filled in a row costs.
    """

    stack: Stack
    squares: Squares
    costs: Ints


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a search.

    Attributes
    ----------
    passes : tuple of Pieces or None
        What is dropped in each pass; None if there is no such game.
    certain : bool
        If there is none: whether that is certain.
    cost : int
        Sum of the costs.
    """

    passes: tuple[Pieces, ...] | None
    certain: bool = True
    cost: int = 0


class Finder:
    """Finds passes on a board of some width, keeping its room to work in.

    Parameters
    ----------
    width : int
        Columns of the board.
    beam : int
        The most states that will be asked to be kept per column.
    """

    def __init__(self, width: int, beam: int) -> None:
        import numpy as np

        cap = 32 * beam
        self.beam = beam
        slots = 1 << (2 * cap).bit_length()
        self._room: tuple[Any, ...] = (
            np.empty((2, cap, 2 * _PASSES), np.int64),
            np.empty((2, cap, 2 + _PASSES), np.int64),
            np.empty(slots, np.int32),
            np.zeros(slots + 1, np.int64),
            np.empty((width, beam), np.int32),
            np.empty((width, beam, _PASSES), np.int64),
        )
        self._result = np.zeros((width, _PASSES), np.int64)

    def find(self, wanted: Sequence[Wanted], beam: int) -> Found:
        """Find the cheapest way to play passes that follow one another.

        Parameters
        ----------
        wanted : sequence of Wanted
            The passes. If one has a lowest row that clears and follows another, what that
            leaves in its top row lies there.
        beam : int
            States kept per column. If more are met, the answer may not be the cheapest, and
            "none" is not certain.
        """
        import numpy as np

        from tetrisprinter.planners.rows import _kernel

        shapes, begins, fields = [], [], []
        rows = max(len(one.stack.word) for one in wanted)
        pieces = max(len(one.stack.fields) for one in wanted)
        allowed = np.zeros((len(wanted), len(self._result), rows), np.int64)
        costs = np.zeros(allowed.shape, np.int64)
        for m, one in enumerate(wanted):
            stack = one.stack
            lines = stack.clearing.bit_count()
            linked = m > 0 and stack.word[0] == "c" and wanted[m - 1].stack.word[-1] == "b"
            shapes.append([len(stack.word), (lines + 1).bit_length(), lines, int(linked)])
            begins.append(np.resize(stack.begin, MAX_ROWS + 1))
            fields.append(np.resize(stack.fields, (pieces, stack.fields.shape[1])))
            allowed[m, :, : len(stack.word)] = one.squares.allowed
            costs[m, :, : len(stack.word)] = one.costs
        answer = int(
            _kernel.search(
                np.array(shapes, np.int64), np.array(begins), np.array(fields),
                np.array([one.squares.before for one in wanted]),
                np.array([one.squares.must for one in wanted]),
                np.array([one.squares.due for one in wanted]),
                allowed, np.array([one.squares.ground for one in wanted]), costs,
                min(beam, self.beam), *self._room, self._result,
            )
        )  # fmt: skip
        if answer < 0:
            return Found(None, answer == _kernel.IMPOSSIBLE)
        passes = tuple(_unpacked(one.stack, self._result[:, m]) for m, one in enumerate(wanted))
        return Found(passes, cost=answer - (1 << 40))


def _unpacked(stack: Stack, packed: Ints) -> Pieces:
    """Return the pieces of a pass from the numbers that the search leaves for each column."""
    bits = 63 // len(stack.word)
    starts = stack.begin.tolist()[:-1]
    pieces = []
    for x, numbers in enumerate(packed.tolist()):
        for row, start in enumerate(starts):
            number = (numbers >> bits * row) & (1 << bits) - 1
            if number:
                one = stack.variants[start + number - 1]
                pieces.append((Placement(one.orientation, x, one.y), one.level))
    return tuple(pieces)


def drop_order(pieces: Pieces) -> tuple[Placement, ...]:
    """Sort pieces into an order in which they can be dropped: by level, then from below.

    That one piece lies on another in some column has no cycle, tetrominoes being
    column-convex; of those that nothing holds back, the leftmost comes first.
    """
    columns: dict[int, list[tuple[int, int]]] = {}
    for number, (piece, level) in enumerate(pieces):
        for dx, bottom in enumerate(piece.orientation.bottom):
            columns.setdefault(piece.x + dx, []).append((piece.y + bottom, number))
    above: list[list[int]] = [[] for _ in pieces]
    waiting = [0] * len(pieces)
    for column in columns.values():
        column.sort()
        for (_, lower), (_, upper) in pairwise(column):
            if pieces[lower][1] == pieces[upper][1]:
                above[lower].append(upper)
                waiting[upper] += 1
    ready = [(level, n) for n, (_, level) in enumerate(pieces) if not waiting[n]]
    heapify(ready)
    ordered = []
    while ready:
        level, number = heappop(ready)
        ordered.append(pieces[number][0])
        for upper in above[number]:
            waiting[upper] -= 1
            if not waiting[upper]:
                heappush(ready, (level, upper))
    return tuple(ordered)
