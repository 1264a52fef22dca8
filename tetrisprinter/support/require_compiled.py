"""A check that the inner loops are compiled; uncompiled, a print might take hours.

Every module of compiled loops imports this module first.
"""

from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

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
