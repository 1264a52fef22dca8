"""Inner loops that have not been compiled: said at once, instead of a print that takes hours.

Every module of compiled loops imports this before all else.
"""

from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from tetrisprinter.errors import JobError

__all__ = ["CHOICE", "check"]

CHOICE = "TETRISPRINTER_UNCOMPILED"
"""The variable of the environment that allows loops to run uncompiled, if it is 1."""


def check(package: Path) -> None:
    """Look whether the loops have been compiled for this Python."""
    kernel = package / "planners" / "rows" / "_kernel"
    if os.environ.get(CHOICE) == "1" or any(
        kernel.with_name(kernel.name + suffix).exists() for suffix in EXTENSION_SUFFIXES
    ):
        return
    raise JobError(
        f"the inner loops in {package} have not been compiled for this Python: "
        f"'pip install --editable {package.parent}' compiles them ({CHOICE}=1 lets them run as "
        "they are, some hundred times slower)"
    )


check(Path(__file__).resolve().parent.parent)
