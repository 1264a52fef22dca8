"""Words of 64 bits: their hash, their order, their bits.

Compiled loops cimport the hash and the order from ``words.pxd``, where they stand in C; this is
what they use when they run uncompiled, and what the tests compare them with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["begun", "distinct", "mixed", "ones", "smallest", "spread"]

_WORD = (1 << 64) - 1


def begun(word: int) -> int:
    """Return the code of a first word."""
    return mixed(0x2545F4914F6CDD1D, word)


def mixed(code: int, word: int) -> int:
    """Return the code of some words and one more.

    A multiplication and a shift for each, as in the finisher of MurmurHash3 (Appleby 2011).
    """
    code = (code ^ word) * 0x9E3779B97F4A7C15 & _WORD
    return code ^ code >> 29


def spread(code: int) -> int:
    """Return a code after its last word, so that each of its bits depends on all words."""
    code = code * 0x94D049BB133111EB & _WORD
    return code ^ code >> 32


def smallest(values: Any, count: int, rank: int, room: Any) -> Any:
    """Return the value at an index of the first ``count`` values in sorted order."""
    return sorted(values[:count])[rank]


def distinct(values: Any, count: int) -> int:
    """Sort the first values in place, each once; return how many there are."""
    found = sorted(set(values[:count]))
    for i, value in enumerate(found):
        values[i] = value
    return len(found)


def ones(words: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many bits of each word are set."""
    import numpy as np

    counted: NDArray[np.int64]
    if hasattr(np, "bitwise_count"):
        counted = np.bitwise_count(words).astype(np.int64)
        return counted
    # Before numpy 2: pairs, fours and bytes are added up.
    words = words - (words >> 1 & 0x5555555555555555)
    words = (words & 0x3333333333333333) + (words >> 2 & 0x3333333333333333)
    words = words + (words >> 4) & 0x0F0F0F0F0F0F0F0F
    counted = (words * 0x0101010101010101 >> 56).astype(np.int64)
    return counted
