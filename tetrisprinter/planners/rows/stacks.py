"""Stacks: which pieces a pass could use, wherever it is and whatever its squares are.

A pass is a slice of the virtual rows of a game. Its **stack** is a word, lowest row first:

=====  ===============================================================================
``c``  a row that is filled and vanishes; such rows complete from below
``p``  a row of the picture: every square of it is known to be there in the end, or not
``q``  a row of the picture that may hold more squares than it must, or stay incomplete
``b``  a row above the picture in which squares of any type may be left for the next pass
=====  ===============================================================================

A piece in a stack is an orientation, its lowest row and its **level**: at least ``r + 1``
means "dropped when or after clearing row ``r`` completes". Where level and rows leave it
nothing to stand on, it depends on one square: of the picture in some column, or right below
the stack. Such a piece occurs once for each column that could hold it; that column is then
a condition.

All of this is the same for every row of every picture, so it is worked out once per stack,
as arrays that the compiled search reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tetrisprinter.tetromino import ORIENTATIONS, Orientation, PieceType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["ANY", "FLOOR", "GROUND", "MAX_ROWS", "Need", "Stack", "Variant", "stack_of"]

MAX_ROWS: Final = 7
"""The state of the search is one 64-bit number; more rows do not fit."""

ANY: Final = 0
"""Instead of a piece type: a square of whatever type."""
GROUND: Final = -1
"""The row right below the stack."""
FLOOR: Final = 8
"""Instead of a piece type: a square that is there in the end, whatever put it there."""

Need = tuple[int, int, int]
"""What a piece needs in another column than its first: column, row, and type or the above."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A piece as a pass could use it, at any column.

    Attributes
    ----------
    orientation : Orientation
        The piece.
    y : int
        Its lowest row in the stack.
    level : int
        How many rows may have gone, see the module.
    held : tuple of (int, int) or None
        The column of the piece that must hold it and the row of the stack in which a square
        must be there. None if it is held in any case.
    """

    orientation: Orientation
    y: int
    level: int
    held: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack with its pieces.

    Attributes
    ----------
    word : str
        Its rows.
    variants : tuple of Variant
        Every piece; those whose lowest cell in their first column is in row ``v`` are
        ``begin[v]:begin[v + 1]``.
    begin : array
        See there.
    fields : array of shape (variants, 15)
        For each: type, level, rows it completes, its rows in columns 0 to 3, the levels of
        columns 1 and 2 as they stand in a state, its needs as a bit set, the squares that
        must hold it in columns 0 to 3 (but only in ``q`` rows in columns 1 to 3), and
        whether it completes no row.
    bits : mapping
        Which bit of a bit set of needs stands for which need.
    layout : array
        Rows, lines, bits per level, lowest ``q`` row, and where in a state its parts begin:
        columns 2 and 3, the squares needed in columns 1, 2 and 3, the rows completed; last
        the bits by which the pieces that begin in a column are packed into one number.
    """

    word: str
    variants: tuple[Variant, ...]
    begin: Ints
    fields: Ints
    bits: Mapping[Need, int]
    layout: Ints


@lru_cache(maxsize=64)
def stack_of(word: str) -> Stack:
    """Work out a stack.

    Raises
    ------
    ValueError
        If it has too many rows for the search.
    """
    import numpy as np

    rows, lines = len(word), word.count("c")
    level_bits = (lines + 1).bit_length()
    open_row = min((v for v, kind in enumerate(word) if kind == "q"), default=rows)
    parts = [rows * level_bits, rows * level_bits, rows, *[rows - open_row] * 3, lines]
    starts = [sum(parts[:i]) for i in range(len(parts) + 1)]
    variants = sorted(_variants(word), key=lambda one: one.y + one.orientation.bottom[0])
    bits: dict[Need, int] = {}
    for one in variants:
        for need in _needs(word, one):
            bits.setdefault(need, len(bits))
    if rows > MAX_ROWS or starts[-1] > 63 or len(bits) > 63 or len(variants) >= 1 << 63 // rows:
        raise ValueError(f"a stack of {word} is too large")
    first = [one.y + one.orientation.bottom[0] for one in variants]
    begin = np.searchsorted(first, np.arange(rows + 1)).astype(np.int64)
    fields = np.array([_fields(word, one, bits, level_bits) for one in variants], np.int64)
    layout = np.array([rows, lines, level_bits, open_row, *starts[1:7], 63 // rows], np.int64)
    return Stack(word, tuple(variants), begin, fields, bits, layout)


def _variants(word: str) -> Iterator[Variant]:
    lines = word.count("c")
    lowest = word.find("c") if lines else 0
    for o in ORIENTATIONS:
        for y in range(len(word) - o.height + 1):
            if y + o.height <= lowest:
                continue  # wholly below the matrix: a pass without lines
            for level in range(word[: y + o.height].count("c") + 1):
                supports = _supports(word, o, y, level)
                for held in supports or [None]:
                    yield Variant(o, y, level, held)


def _supports(word: str, o: Orientation, y: int, level: int) -> list[tuple[int, int]] | None:
    """Return what could hold a piece in each of its columns; None if something always does."""
    found = []
    for dx, bottom in enumerate(o.bottom):
        below = y + bottom - 1
        while 0 <= below < y and word[below] == "c" and level > word[:below].count("c"):
            below -= 1
        if below >= 0 and word[below] == "c":
            return None  # a row that is not complete yet, or that the piece covers itself
        found.append((dx, below))
    return found


def _needs(word: str, one: Variant) -> Iterator[Need]:
    """Yield what a piece needs to its right."""
    for dx, cy in one.orientation.cells:
        v = one.y + cy
        if dx == 0:
            continue
        if word[v] in "pq":
            yield dx, v, int(one.orientation.piece)
        elif word[v] == "b" or v == word.find("c"):
            yield dx, v, ANY
    if one.held is not None and one.held[0]:
        dx, v = one.held
        if v == GROUND or word[v] == "p":
            yield dx, v, FLOOR


def _fields(word: str, one: Variant, bits: Mapping[Need, int], level_bits: int) -> list[int]:
    o, lines = one.orientation, [v for v, kind in enumerate(word) if kind == "c"]
    columns = [0] * 4
    for dx, cy in o.cells:
        columns[dx] |= 1 << (one.y + cy)
    covered = columns[0] | columns[1] | columns[2] | columns[3]
    completes = sum(
        1 << r for r, v in enumerate(lines) if covered >> v & 1 and one.level >= r + 1
    )
    codes = [
        sum((one.level + 1) << v * level_bits for v in range(len(word)) if column >> v & 1)
        for column in columns[1:3]
    ]
    holding = [0] * 4
    if one.held is not None:
        dx, v = one.held
        if dx == 0:
            holding[0] = 1 << (v if v >= 0 else len(word))
        elif v >= 0 and word[v] == "q":
            holding[dx] = 1 << v
    needs = sum(1 << bits[need] for need in set(_needs(word, one)))
    return [int(o.piece), one.level, completes, *columns, *codes, needs, *holding, not completes]
