"""Plain arrays of numbers for compiled loops, which read them through typed memory views.

A print needs no more than these, so it does not load numpy, which takes longer than many prints.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

__all__ = ["copy_of", "numbers", "same_numbers", "zeros"]


def numbers(values: Iterable[int]) -> array[int]:
    """Return an array of 64-bit integers."""
    return array("q", values)


def same_numbers(value: int, count: int) -> array[int]:
    """Return an array of 64-bit integers that are all the same."""
    return array("q", (value,)) * count


def zeros(code: str, *shape: int) -> memoryview[Any]:
    """Return zeros in as many dimensions as wanted; the code is one of the module ``array``."""
    count = array(code).itemsize
    for length in shape:
        count *= length
    view = memoryview(bytearray(count)).cast(code)  # type: ignore[call-overload]
    if len(shape) > 1:
        view = view.cast("B").cast(code, shape)
    return view  # type: ignore[no-any-return]


def copy_of(view: memoryview[Any]) -> memoryview[Any]:
    """Return a copy of a one-dimensional view that does not keep the rest of its memory."""
    return memoryview(bytearray(view)).cast(view.format)  # type: ignore[call-overload,no-any-return]
