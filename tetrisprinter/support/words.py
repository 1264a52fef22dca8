"""Words of 64 bits: their hash, their order.

Compiled loops cimport the same from ``words.pxd``, where it stands in C; this is what they use
when they run uncompiled, and what the tests compare them with.
"""

from __future__ import annotations

from typing import Any

__all__ = ["begun", "distinct", "mixed", "smallest", "spread"]

_WORD = (1 << 64) - 1


def begun(word: int) -> int:
    """Return the code of a first word.

    Parameters
    ----------
    word : int
        Of 64 bits; negative ones in two's complement.
    """
    return mixed(0x2545F4914F6CDD1D, word)


def mixed(code: int, word: int) -> int:
    """Return the code of some words and one more.

    A multiplication and a shift for each, as in the finisher of MurmurHash3 (Appleby 2011).

    Parameters
    ----------
    code, word : int
        Of 64 bits; negative ones in two's complement.
    """
    code = (code ^ word) * 0x9E3779B97F4A7C15 & _WORD
    return code ^ code >> 29


def spread(code: int) -> int:
    """Return a code after its last word, so that each of its bits depends on all words.

    Parameters
    ----------
    code : int
        What :func:`mixed` returned.
    """
    code = code * 0x94D049BB133111EB & _WORD
    return code ^ code >> 32


def smallest(values: Any, count: int, rank: int, room: Any) -> Any:
    """Return the value that has so many before it when the first ``count`` are sorted.

    Parameters
    ----------
    values : one-dimensional memory view
        Is not changed.
    count, rank : int
        How many values count; which is wanted, from 0.
    room : one-dimensional memory view
        Room for as many.
    """
    return sorted(values[:count])[rank]


def distinct(values: Any, count: int) -> int:
    """Sort the first values in place, each once; return how many there are.

    Parameters
    ----------
    values : one-dimensional memory view
        What is sorted.
    count : int
        How many values count.
    """
    found = sorted(set(values[:count]))
    for i, value in enumerate(found):
        values[i] = value
    return len(found)
