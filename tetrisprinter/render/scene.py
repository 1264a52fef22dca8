"""A scene for streams: one page that plays a game on a transparent ground, without controls.

The page ``scene.html`` contains the text of the plan and a player of its own. It fills its frame,
repeats the game, and plays another plan that it gets by a message. Web cameras and games show
through wherever the board is empty.
"""

from __future__ import annotations

import html
import json
import re
from importlib import resources

from tetrisprinter.game.pieces import ORIENTATIONS
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through


def make_scene(plan: Plan, *, title: str = "A print") -> str:
    """Return a self-contained page that plays a plan on a transparent ground, again and again."""
    play_through(plan)  # raises an error if the plan tops out
    shapes = {
        " ".join(map(str, sorted(x + 4 * y for x, y in orientation.cells))): orientation.piece.name
        for orientation in ORIENTATIONS
    }
    parts = {
        "title": html.escape(title),
        # A script element ends at the first "</", so the text must not contain "<".
        "plan": json.dumps(str(plan)).replace("<", "\\u003c"),
        "shapes": json.dumps(shapes, separators=(",", ":")),
    }
    template = resources.files("tetrisprinter.render").joinpath("scene.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)
