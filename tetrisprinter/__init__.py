"""Print pictures by playing Tetris; find and prove the patterns it takes.

``result.save("heart.gif")`` writes a print as an animation, ``"heart.html"`` as a page that plays
it: the extension decides. Each name of this package is imported on first use.

Examples
--------
>>> import tetrisprinter as tp
>>> heart = tp.Picture.parse(".r.r.\\nrrrrr\\n.rrr.\\n..r..", r="d03020")
>>> result = tp.print_picture(heart, board="auto")
>>> print(result.shown)
a=d03020
.a.a.
aaaaa
.aaa.
..a..
>>> print(result.drops, "drops;", result.claim)
8 drops; proved: no game of hard drops on this board of 7x14 has fewer
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tetrisprinter.support import make_lazy

if TYPE_CHECKING:
    from tetrisprinter.api import preview, print_picture, print_steps
    from tetrisprinter.api.slideshows import print_slideshow
    from tetrisprinter.errors import InputError, JobError, Obstacle, TetrisPrinterError
    from tetrisprinter.formats import FORMATS
    from tetrisprinter.formats import read_game as read_plan
    from tetrisprinter.formats import write_game as write_plan
    from tetrisprinter.game.field import Board, Playfield
    from tetrisprinter.game.pieces import Orientation, PieceType, Placement
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.game.replay import Game
    from tetrisprinter.game.replay import play_through as play
    from tetrisprinter.packings import certificates as proofs
    from tetrisprinter.packings import patterns
    from tetrisprinter.packings.finders import FINDERS
    from tetrisprinter.pictures.convert import Conversion, convert_image
    from tetrisprinter.pictures.images import load_picture
    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.pictures.reduction import Adjustments
    from tetrisprinter.pictures.text import set_text
    from tetrisprinter.planners import PLANNERS, make_plan
    from tetrisprinter.planners.run import Progress, Run
    from tetrisprinter.printing.result import PrintResult, Proof
    from tetrisprinter.printing.task import Task
    from tetrisprinter.printing.types import TypeColors
    from tetrisprinter.render import RENDERERS, Rendering, save
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look
    from tetrisprinter.support.options import Limit

    from . import packings, tilings, triplex

__all__ = [
    "FINDERS",
    "FORMATS",
    "PLANNERS",
    "RENDERERS",
    "Adjustments",
    "Board",
    "Conversion",
    "Game",
    "InputError",
    "JobError",
    "Limit",
    "Look",
    "Obstacle",
    "Orientation",
    "Picture",
    "PieceType",
    "Placement",
    "Plan",
    "Playfield",
    "PrintResult",
    "Progress",
    "Proof",
    "Rendering",
    "Run",
    "Task",
    "TetrisPrinterError",
    "Timing",
    "TypeColors",
    "convert_image",
    "load_picture",
    "make_plan",
    "packings",
    "patterns",
    "play",
    "preview",
    "print_picture",
    "print_slideshow",
    "print_steps",
    "proofs",
    "read_plan",
    "save",
    "set_text",
    "tilings",
    "triplex",
    "write_plan",
]

__version__ = "0.1.0"

_HOMES: Final = {
    "Adjustments": "pictures.convert",
    "FINDERS": "packings.finders",
    "FORMATS": "formats",
    "PLANNERS": "planners",
    "RENDERERS": "render",
    "Board": "game.field",
    "Conversion": "pictures.convert",
    "Game": "game.replay",
    "InputError": "errors",
    "JobError": "errors",
    "Limit": "support.options",
    "Look": "render.paint",
    "Obstacle": "errors",
    "Orientation": "game.pieces",
    "Picture": "pictures.picture",
    "PieceType": "game.pieces",
    "Placement": "game.pieces",
    "Plan": "game.plan",
    "Playfield": "game.field",
    "PrintResult": "printing.result",
    "Progress": "planners.run",
    "Proof": "printing.result",
    "Rendering": "render",
    "Run": "planners.run",
    "Task": "printing.task",
    "TetrisPrinterError": "errors",
    "Timing": "render.frames",
    "TypeColors": "printing.types",
    "convert_image": "pictures.convert",
    "load_picture": "pictures.images",
    "make_plan": "planners",
    "play": "game.replay:play_through",
    "preview": "api",
    "print_slideshow": "api.slideshows",
    "print_picture": "api",
    "print_steps": "api",
    "read_plan": "formats:read_game",
    "save": "render",
    "set_text": "pictures.text",
    "write_plan": "formats:write_game",
    "packings": "packings:",
    "patterns": "packings.patterns:",
    "proofs": "packings.certificates:",
    "tilings": "tilings:",
    "triplex": "triplex:",
}

__getattr__, __dir__ = make_lazy(__name__, _HOMES)
