"""A page that plays a print: one file, no network.

The page holds the plan as numbers (an orientation and a column for each drop) and plays
the game again by itself, so a print of a thousand drops adds some kilobytes to the
template in ``page.html``. The player's way is worked out here, where the rules are: the
page knows the usual way (turn, shift, drop), and is told the few drops that differ.
"""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import IO, Final

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.steering import Key, MovedDrop, center, play_moves
from tetrisprinter.render import Renderer, Rendering, Tell
from tetrisprinter.render.colors import BACKGROUND, GRID, display_colors, shade
from tetrisprinter.render.frames import PLAYING_SECONDS
from tetrisprinter.render.paint import DARK, LIGHT, Look
from tetrisprinter.support.files import utf8

__all__ = ["HTML", "html_page"]

_LETTERS: Final = {
    Key.CLOCKWISE: "c",
    Key.COUNTERCLOCKWISE: "k",
    Key.LEFT: "l",
    Key.RIGHT: "r",
    Key.DOWN: "d",
}


def html_page(
    plan: Plan, *, title: str = "A print", look: Look | None = None, autoplay: bool = True
) -> str:
    """Return a self-contained page that plays a plan.

    Parameters
    ----------
    plan : Plan
        What is played.
    title : str
        Its heading.
    look : Look, optional
        The style and grid the page starts with; the scale follows the window.
    autoplay : bool
        Begin at once (unless the reader asked for less motion).

    Raises
    ------
    TopOutError
        If the plan tops out.

    Examples
    --------
    >>> page = html_page(Plan.parse("board 4x6 O=ff0000\\n\\n.AA.\\n.AA.\\n"), title="A & B")
    >>> "<title>A &amp; B</title>" in page
    True
    """
    look = look or Look()
    colors = display_colors(plan)
    given = dict(plan.colors)
    shades = [["#" + BACKGROUND]]
    for piece in PieceType:
        color = colors[piece]
        shades.append(["#" + c for c in (color, shade(color, LIGHT), shade(color, DARK))])
    moves = list(play_moves(plan, Playfield(plan.width, plan.height), lenient=True))
    data = {
        "width": plan.width,
        "height": plan.height,
        "names": ["", *(piece.name for piece in PieceType)],
        "colors": shades,
        "visible": [False, *(piece in given for piece in PieceType)],
        "line": "#" + GRID,
        "bevel": look.style == "bevel",
        "grid": look.grid,
        "autoplay": autoplay,
        "speed": min(500.0, max(2.0, round(len(plan) / PLAYING_SECONDS, 1))),
        "shapes": [
            {"type": int(o.piece), "cells": o.cells, "center": center(o)} for o in ORIENTATIONS
        ],
        "passes": [len(pass_.pieces) for pass_ in plan.passes],
        "drops": [p.orientation.index * plan.width + p.x for _, p in plan.drops()],
        "detours": {
            moved.drop.index: way for moved in moves if (way := _detour(plan, moved)) is not None
        },
    }
    # A script element ends at the first "</": no "<" may be left in the data.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    template = resources.files("tetrisprinter.render").joinpath("page.html").read_text("utf-8")
    before, after = template.split("{{data}}")
    return before.replace("{{title}}", html.escape(title)) + text + after


def _detour(plan: Plan, moved: MovedDrop) -> tuple[int, str] | None:
    """Return entry height and presses of a piece that cannot go the usual way."""
    keys = moved.keys[:-1]
    first = moved.path[0]
    lift = first.y + center(first.orientation)[1] - (plan.height - 1)
    turning = [key in (Key.CLOCKWISE, Key.COUNTERCLOCKWISE) for key in keys]
    usual = (
        not lift
        and Key.DOWN not in keys
        and turning == sorted(turning, reverse=True)
        and moved.rotations in (-1, 0, 1, 2)
    )
    return None if usual else (lift, "".join(_LETTERS[key] for key in keys))


class _Page:
    extensions = (".html", ".htm")
    summary = "a page that plays the print"
    transparent = False

    def check(self, how: Rendering) -> None:
        """Refuse nothing."""

    def write(self, file: IO[bytes], plan: Plan, how: Rendering, tell: Tell | None = None) -> None:
        """Write the page."""
        page = html_page(plan, title=how.title or "A print", look=how.look)
        file.write(utf8(page))


HTML: Final[Renderer] = _Page()
