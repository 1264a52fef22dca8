"""The functions that turn a picture into a print; command line, library and studio share them.

:func:`prepare` turns a picture into a task, and :func:`plan_prepared` plans a task. If planning
fails, :func:`plan_with_fallbacks` tries simpler versions. All callers use these three, so the same
request has the same answer everywhere. :func:`export_game` plans a game for another program.

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
