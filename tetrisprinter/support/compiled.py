"""Inner loops compiled by numba, and whether an earlier run already did.

Compiled code is kept on disk, so that only the first run on a machine waits for it; the
command line says so before it does. Imported only by the modules that hold such loops.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numba import njit

__all__ = ["compiled", "is_kept"]


def compiled(function: Any) -> Any:
    """Return the function, to be compiled when it is first called."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to keep compiled code in: compile every time
        return njit(nogil=True)(function)


def is_kept(function: Any) -> bool:
    """Whether an earlier run left compiled code of a :func:`compiled` function on disk."""
    path = getattr(getattr(function, "_cache", None), "cache_path", None)
    if path is None:
        return False
    name = f"{Path(function.py_func.__code__.co_filename).stem}.{function.py_func.__name__}"
    return any(Path(path).glob(f"{name}-*.nbi"))
