"""Where what stands in the five words of a state of the search up the rows.

* Four rows with five bits for each column: 0 if the cell is empty, else the piece's time plus
  one, and 16 if nothing below may come when the row of the cell has gone, because the piece
  stands there.
* Four bits for each column: the latest time below (bits 0 to 47); whether the row below clears
  (bit 48); the outlook (from bit 49); which of its rows are complete (from bit 53).

Compiled loops cimport the same from ``bits.pxd``, where it stands in C; this is what they use
when they run uncompiled.
"""

from __future__ import annotations

__all__ = [
    "advanced_to",
    "cell",
    "completed",
    "filled",
    "held",
    "is_after_clear",
    "is_complete",
    "latest",
    "outlook_of",
    "scaled",
    "with_latest",
]

_ONES = sum(1 << 5 * x for x in range(12))


def held(word: int, x: int) -> int:
    """Return what a row tells of a column."""
    return word >> 5 * x & 31


def cell(x: int, code: int) -> int:
    """Return a row that tells something of one column."""
    return code << 5 * x


def filled(word: int) -> int:
    """Return a row with a 1 for each cell in which a piece has a time."""
    word = word | word >> 1 | word >> 2 | word >> 3
    return word & _ONES


def scaled(code: int, chance: int) -> int:
    """Return the lowest 64 bits of a product."""
    return code * chance & (1 << 64) - 1


def latest(last: int, x: int) -> int:
    """Return the latest time below in a column."""
    return last >> 4 * x & 15


def with_latest(last: int, x: int, time: int) -> int:
    """Set the latest time below in a column."""
    return last & ~(15 << 4 * x) | time << 4 * x


def is_after_clear(last: int) -> bool:
    """Return whether the row below clears."""
    return last >> 48 & 1 == 1


def outlook_of(last: int) -> int:
    """Return the outlook."""
    return last >> 49 & 15


def is_complete(last: int, row: int) -> bool:
    """Return whether a row of the outlook has got the piece that completes it."""
    return last >> 53 + row & 1 == 1


def completed(last: int, row: int) -> int:
    """Note that a row of the outlook has got that piece."""
    return last | 1 << 53 + row


def advanced_to(last: int, clears: bool) -> int:
    """Let the lowest row of the outlook be the one below, and let one come on top."""
    outlook = outlook_of(last)
    after = outlook >> 1 | clears << 3
    below = last & (1 << 48) - 1
    return below | (outlook & 1) << 48 | after << 49 | last >> 54 << 53
