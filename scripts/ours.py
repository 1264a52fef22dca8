"""Importing this lets a script go on in the Python that has the packages, and find our own.

So a script can be started by its name from a fresh clone, once ``scripts/test`` or
``scripts/demo`` has made ``.venv``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["PYTHON", "ROOT"]

ROOT = Path(__file__).resolve().parent.parent
_VENV = ROOT / ".venv"
PYTHON = str(_VENV / "bin" / "python" if _VENV.is_dir() else sys.executable)

if _VENV.is_dir() and Path(sys.prefix) != _VENV:
    os.execv(PYTHON, [PYTHON, *sys.argv])
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
