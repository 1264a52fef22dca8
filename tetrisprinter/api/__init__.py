"""The functions that command line, library and studio share: from a picture to its print.

:func:`prepare` makes a task of a picture, :func:`plan_with_fallbacks` tries it and then simpler
versions, and :func:`plan_prepared` plans it. All callers use these three, so that the same request
has the same answer everywhere. :func:`export_game` makes a game that another program can show.

Words: docs/glossary.md
"""

from __future__ import annotations

from tetrisprinter.api.exports import Export, ExportPlanner, export_game
from tetrisprinter.api.preparation import PreparedTask, plan_with_fallbacks, prepare
from tetrisprinter.api.prints import plan_prepared, print_picture
from tetrisprinter.api.request import PictureRequest, PrintOptions

__all__ = [
    "Export",
    "ExportPlanner",
    "PictureRequest",
    "PreparedTask",
    "PrintOptions",
    "export_game",
    "plan_prepared",
    "plan_with_fallbacks",
    "prepare",
    "print_picture",
]
