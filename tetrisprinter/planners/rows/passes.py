"""A pass: what is asked of the search, and the pieces that it answers with.

:class:`Finder` keeps, for each stack, the states and ways met so far; they depend on the
stack alone, so they serve row after row and picture after picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tetrisprinter.planners.rows.stacks import ANY, FLOOR, GROUND, Stack, stack_of
from tetrisprinter.tetromino import PieceType, Placement

__all__ = ["Column", "Finder", "Found"]

_STATES, _WAYS, _LETTERS = 1 << 17, 1 << 22, 64
_LAYER = 1 << 16


@dataclass(frozen=True, slots=True)
class Column:
    """What a column of a stack holds and may hold; rows are bits, the lowest is bit 0.

    Attributes
    ----------
    before : int
        Rows filled before the pass.
    must : int
        Rows that must be filled after it, besides clearing rows.
    due : int
        Rows that nothing may come to lie over while they are empty.
    allowed : tuple of int
        For each row the types that may be left in it, as a bit set (bit ``int(type)``);
        that of a clearing row does not count.
    ground : bool
        Whether there is a square right below the stack.
    """

    before: int
    must: int
    due: int
    allowed: tuple[int, ...]
    ground: bool


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


class _Known:
    """States and ways of a stack, and room to work in."""

    def __init__(self, stack: Stack) -> None:
        import numpy as np

        self.stack = stack
        self.kinds: dict[Column, int] = {}
        self.letters = np.zeros((_LETTERS, 15), np.int64)
        self.keys = np.empty(_STATES, np.int64)
        self.slots = np.full(4 * _STATES, -1, np.int32)
        self.counts = np.zeros(2, np.int64)
        self.first = np.zeros((_STATES, _LETTERS, 2), np.int32)
        self.ways = np.empty((_WAYS, 3), np.int64)
        self.fills = np.empty(_WAYS, np.uint8)
        self.kind(Column(0, 0, 0, (), False))

    def kind(self, column: Column) -> int:
        """Return the number of a letter; that of no column at all is 0."""
        known = self.kinds.get(column)
        if known is not None:
            return known
        number = len(self.kinds)
        if number == _LETTERS:
            raise MemoryError
        self.kinds[column] = number
        if column.allowed:
            self.letters[number] = _letter(self.stack, column)
        else:
            self.letters[number, 12:15] = (1 << 63) - 1
        return number


def _letter(stack: Stack, column: Column) -> list[int]:
    word = stack.word
    clearing = sum(1 << v for v, kind in enumerate(word) if kind == "c")
    must = (clearing | column.must) & ~column.before
    ok = [0] + [
        clearing | sum(1 << v for v, mask in enumerate(column.allowed) if mask >> t & 1)
        for t in range(1, len(PieceType) + 1)
    ]
    unmet = [0, 0, 0]
    for (dx, v, what), bit in stack.bits.items():
        if what == FLOOR:
            met = column.ground if v == GROUND else bool((column.must | column.before) >> v & 1)
        else:
            anything = word[v] == "c" or column.allowed[v]
            left = anything if what == ANY else column.allowed[v] >> what & 1
            met = bool(left) and not column.before >> v & 1
        if not met:
            unmet[dx - 1] |= 1 << bit
    return [column.before, column.due & ~column.before, must, int(column.ground), *ok, *unmet]


@dataclass
class Finder:
    """Finds passes."""

    _known: dict[str, _Known] = field(default_factory=dict)
    _room: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    stats: list[Any] = field(default_factory=list)

    def find(
        self, word: str, columns: Sequence[Column], weights: Any, beam: int = 1000
    ) -> Found:
        """Find the cheapest way to play a pass.

        Parameters
        ----------
        word : str
            The stack.
        columns : sequence of Column
            One for each column of the board.
        weights : array of shape (columns, rows) of int
            What a square newly filled in a row costs.
        beam : int
            States kept per column. If more are met, the answer may not be the cheapest,
            and "none" is not certain.
        """
        import numpy as np

        from tetrisprinter.planners.rows import _kernel

        known = self._known.get(word)
        if known is None:
            known = self._known[word] = _Known(stack_of(word))
        stack = known.stack
        rows = len(word)
        letters = np.array([known.kind(c) for c in columns] + [0, 0, 0], np.int64)
        subsets = np.arange(1 << rows)[:, None] >> np.arange(rows) & 1
        costs = np.ascontiguousarray((subsets @ np.asarray(weights, np.int64).T).T)
        room = self._room.get(len(columns))
        if room is None:
            layers = len(columns) + 1
            room = self._room[len(columns)] = (
                np.empty((16, 17), np.int64), np.empty((1 << 17, 4), np.int64), np.full(_STATES, -1, np.int32), np.empty(1 << 17, np.int32),
                np.full(_STATES, -1, np.int32), np.empty((layers, _LAYER), np.int32),
                np.empty((layers, _LAYER), np.int64), np.empty((layers, _LAYER), np.int32),
                np.empty((layers, _LAYER), np.int64),
            )
        result = np.zeros(len(columns), np.int64)
        answer = int(_kernel.search(
            letters, costs, beam, known.letters, stack.layout, stack.begin, stack.fields,
            known.keys, known.slots, known.counts, known.first, known.ways, known.fills,
            *room, result))
        self.stats = [int(known.counts[0]), int(known.counts[1]), result]
        if answer < 0:
            if answer == -3:
                raise MemoryError
            return Found(None, answer == _kernel.IMPOSSIBLE)
        bits = int(stack.layout[10])
        pieces = []
        for x, packed in enumerate(result.tolist()):
            while packed:
                one = stack.variants[(packed & (1 << bits) - 1) - 1]
                pieces.append((Placement(one.orientation, x, one.y), one.level))
                packed >>= bits
        return Found(tuple(pieces), cost=answer)
