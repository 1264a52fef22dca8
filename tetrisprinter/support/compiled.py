"""Inner loops compiled by numba, and whether an earlier run already did.

Compiled code is kept on disk, so that only the first run on a machine waits for it; the
command line says so before it does. Imported only by the modules that hold such loops.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from numba import njit

from tetrisprinter.support.notices import give_notice

__all__ = ["announce", "compiled", "is_kept"]

_homeless: Final[list[str]] = []
"""Files whose compiled code has no folder to be kept in."""


def compiled(function: Any) -> Any:
    """Return the function, to be compiled when it is first called.

    Parameters
    ----------
    function : callable
        Plain loops over numbers and arrays, as numba compiles them.

    Returns
    -------
    callable
        Called as the function is; it lets go of the interpreter lock while it runs.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to keep compiled code in: compile every time
        _homeless.append(function.__code__.co_filename)
        return njit(nogil=True)(function)


def is_kept(function: Any) -> bool:
    """Whether an earlier run left compiled code of a :func:`compiled` function on disk.

    Parameters
    ----------
    function : callable
        What :func:`compiled` returned.
    """
    path = getattr(getattr(function, "_cache", None), "cache_path", None)
    if path is None:
        return False
    name = f"{Path(function.py_func.__code__.co_filename).stem}.{function.py_func.__name__}"
    return any(Path(path).glob(f"{name}-*.nbi"))


def announce(what: str, seconds: int) -> None:
    """Give notice that something is going to be compiled.

    Parameters
    ----------
    what : str
        What is: "the search".
    seconds : int
        About how long that takes.
    """
    if not _homeless:
        give_notice(f"compiling {what}, once on this machine (about {seconds} s) ...")
        return
    give_notice(
        f"compiling {what} (about {seconds} s), as at every run: neither "
        f"{Path(_homeless[0]).parent / '__pycache__'} nor a folder for caches in your home can be "
        "written to, so the compiled code is not kept; NUMBA_CACHE_DIR=FOLDER names another place"
    )
