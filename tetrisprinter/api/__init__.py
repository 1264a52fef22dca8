"""The front door: from anything that is a picture to a print of it.

:func:`prepare` makes a task of it, :func:`plan_with_fallbacks` works on that and on something
easier if that fails, and :func:`plan_prepared` is the one place where it is planned. The command
line, the library and the studio go through these three, so that the same request has the same
answer everywhere. :func:`export_game` makes a game that another program can show.

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
