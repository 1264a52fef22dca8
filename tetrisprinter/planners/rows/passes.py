"""A pass: what is asked of the search, and the pieces that it answers with."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tetrisprinter.planners.rows.stacks import Stack
from tetrisprinter.tetromino import Placement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["Finder", "Found", "Squares", "drop_order"]



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


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a search.

    Attributes
    ----------
    pieces : tuple of (Placement, int) or None
        Pieces with their levels, from the left; None if there are none.
    certain : bool
        If there are none: whether that is certain.
    cost : int
        Sum of the costs.
    """

    pieces: tuple[tuple[Placement, int], ...] | None
    certain: bool = True
    cost: int = 0


class Finder:
    """Finds passes on a board of some width, keeping its room to work in.

    Parameters
    ----------
    width : int
        Columns of the board.
    beam : int
        States kept per column. If more are met, the answer may not be the cheapest, and
        "none" is not certain.
    """

    def __init__(self, width: int, beam: int) -> None:
        import numpy as np

        cap = 32 * beam
        self.beam = beam
        slots = 1 << (2 * cap).bit_length()
        self._room: tuple[Any, ...] = (
            np.empty((2, cap, 2), np.int64),
            np.empty((2, cap, 3), np.int64),
            np.empty(slots, np.int32),
            np.zeros(slots + 1, np.int64),
            np.empty((width, beam), np.int32),
            np.empty((width, beam), np.int64),
        )
        self._result = np.zeros(width, np.int64)

    def find(self, stack: Stack, squares: Squares, costs: Ints) -> Found:
        """Find the cheapest way to play a pass.

        Parameters
        ----------
        stack : Stack
            Its rows.
        squares : Squares
            One for each column of the board.
        costs : array of shape (columns, rows)
            What a square newly filled in a row costs.
        """
        from tetrisprinter.planners.rows import _kernel

        lines = stack.clearing.bit_count()
        answer = int(
            _kernel.search(
                (lines + 1).bit_length(), lines, stack.begin, stack.fields, squares.before,
                squares.must, squares.due, squares.allowed, squares.ground, costs, self.beam,
                *self._room, self._result,
            )
        )  # fmt: skip
        if answer < 0:
            return Found(None, answer == _kernel.IMPOSSIBLE)
        bits = 63 // len(stack.word)
        pieces = []
        for x, packed in enumerate(self._result.tolist()):
            for row, start in enumerate(stack.begin.tolist()[:-1]):
                number = (packed >> bits * row) & (1 << bits) - 1
                if number:
                    one = stack.variants[start + number - 1]
                    pieces.append((Placement(one.orientation, x, one.y), one.level))
        return Found(tuple(pieces), cost=answer - (1 << 40))


def drop_order(pieces: tuple[tuple[Placement, int], ...]) -> tuple[Placement, ...]:
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
