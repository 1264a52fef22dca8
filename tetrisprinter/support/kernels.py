"""What compiled loops share: the check that they are compiled, arrays, operations on 64-bit words.

Every kernel imports this module first, and the import fails if the kernels are not compiled: in
Python, a print might take hours.

Compiled loops read arrays through typed memory views. Planning needs no other arrays, so it does
not import numpy: the import alone takes longer than planning many pictures.

Compiled loops cimport the operations on words from ``kernels.pxd``, written in C. Those of this
module serve loops that run uncompiled, and the tests compare both versions.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from tetrisprinter.errors import JobError

ALLOW_VARIABLE = "TETRISPRINTER_UNCOMPILED"
"""The environment variable that allows uncompiled loops, if it is 1."""


def check(package: Path) -> None:
    """Refuse to continue if the loops are not compiled for this version of Python."""
    kernel = package / "planners" / "rows" / "_kernel"
    if os.environ.get(ALLOW_VARIABLE) == "1" or any(
        kernel.with_name(kernel.name + suffix).exists() for suffix in EXTENSION_SUFFIXES
    ):
        return
    way = "install tetrisprinter again"
    if (package.parent / "build_kernels.py").is_file():
        way = f"compile them with 'pip install --editable {package.parent}'"
    raise JobError(
        f"the inner loops in {package} are not compiled for this version of Python; {way} (or set "
        f"{ALLOW_VARIABLE}=1 to run them some hundred times slower)"
    )


check(Path(__file__).resolve().parent.parent)


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
