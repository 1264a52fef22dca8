"""The functions that turn a picture into a print; command line, library and studio share them.

:func:`prepare` turns a picture into a task. :func:`print_prepared` plans it and, if there is no
game, simpler versions, and yields each game that is better than the last. All callers print through
it, so the same request has the same answer everywhere.

Words: docs/glossary.md
"""

from __future__ import annotations

from tetrisprinter.api.preparation import PreparedTask, prepare, preview
from tetrisprinter.api.prints import Attempt, Export, print_picture, print_prepared, print_steps
from tetrisprinter.api.request import PictureRequest

__all__ = [
    "Attempt",
    "Export",
    "PictureRequest",
    "PreparedTask",
    "prepare",
    "preview",
    "print_picture",
    "print_prepared",
    "print_steps",
]
