"""Operations on 64-bit words: hashing, selecting, sorting, counting bits.

Compiled loops cimport the same functions from ``word_ops.pxd``, written in C. This module serves
loops that run uncompiled, and the tests compare both versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = (1 << 64) - 1


def hash_first(word: int) -> int:
    """Return the hash code of one word, the first of a sequence."""
    return hash_next(0x2545F4914F6CDD1D, word)


def hash_next(code: int, word: int) -> int:
    """Return the hash code ``code`` extended by another word.

    One multiplication and one shift for each word, as in MurmurHash3's finalizer (Appleby 2011).
    """
    code = (code ^ word) * 0x9E3779B97F4A7C15 & _WORD
    return code ^ code >> 29


def finish_hash(code: int) -> int:
    """Mix a code after its last word, so that each bit depends on all words."""
    code = code * 0x94D049BB133111EB & _WORD
    return code ^ code >> 32


def select_rank(values: Any, count: int, rank: int, scratch: Any) -> Any:
    """Return the value with this rank, from 0, among the first ``count`` values.

    ``scratch`` is memory for the compiled version.
    """
    return sorted(values[:count])[rank]


def sort_distinct(values: Any, count: int) -> int:
    """Sort the first ``count`` values in place without repeats; return the new number of values."""
    distinct = sorted(set(values[:count]))
    for i, value in enumerate(distinct):
        values[i] = value
    return len(distinct)


def count_ones(words: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of set bits of each word."""
    import numpy as np

    bit_counts: NDArray[np.int64]
    if hasattr(np, "bitwise_count"):
        bit_counts = np.bitwise_count(words).astype(np.int64)
        return bit_counts
    # Before numpy 2: add up pairs, then fours, then bytes (Warren, Hacker's Delight, 5-1).
    words = words - (words >> 1 & 0x5555555555555555)
    words = (words & 0x3333333333333333) + (words >> 2 & 0x3333333333333333)
    words = words + (words >> 4) & 0x0F0F0F0F0F0F0F0F
    bit_counts = (words * 0x0101010101010101 >> 56).astype(np.int64)
    return bit_counts
