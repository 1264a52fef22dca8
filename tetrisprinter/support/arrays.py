"""Arrays of numbers for compiled loops, without numpy.

Compiled loops read the arrays through typed memory views. Planning needs no other arrays, so it
does not import numpy: the import alone takes longer than planning many pictures.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any


def make_numbers(values: Iterable[int]) -> array[int]:
    """Return an array of 64-bit integers."""
    return array("q", values)


def make_reals(values: Iterable[float]) -> array[float]:
    """Return an array of floating-point numbers."""
    return array("d", values)


def repeat_number(value: int, count: int) -> array[int]:
    """Return an array of ``count`` equal 64-bit integers."""
    return array("q", (value,)) * count


def zeros(code: str, *shape: int) -> memoryview[Any]:
    """Return a view of zeros in this shape; ``code`` is a type code of the module ``array``."""
    byte_count = array(code).itemsize
    for length in shape:
        byte_count *= length
    view = memoryview(bytearray(byte_count)).cast(code)  # type: ignore[call-overload]
    if len(shape) > 1:
        view = view.cast("B").cast(code, shape)
    return view  # type: ignore[no-any-return]


def copy_view(view: memoryview[Any]) -> memoryview[Any]:
    """Copy a one-dimensional view; the copy does not keep the original's memory alive."""
    return memoryview(bytearray(view)).cast(view.format)  # type: ignore[call-overload,no-any-return]
