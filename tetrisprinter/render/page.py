"""A page that plays a print: one file, no network.

The page holds the plan as numbers (an orientation and a column for each drop) and plays
the game again by itself, so a print of a thousand drops adds some kilobytes to the
template in ``page.html``. The player's way is worked out here, where the rules are: the
page knows the usual way (turn, shift, drop) and gets the few drops that differ.

Looks and behaviour lie beside the template, in the folder ``player``. The one file has them
inside; a server that serves that folder links to them, so that it may forbid whatever
stands inside a page to run.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import IO, Final

from tetrisprinter.game.piece_queue import PREVIEW, PieceQueue, QueueTurn, spell_pieces
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.srs import play_by_guideline, play_for_display
from tetrisprinter.game.steering import Key, MovedDrop, find_spawn_center
from tetrisprinter.render import Renderer, Rendering, Tell
from tetrisprinter.render.colors import choose_display_colors
from tetrisprinter.render.empty import choose_field_for, choose_grid
from tetrisprinter.render.frames import PLAYING_SECONDS
from tetrisprinter.render.paint import OUTLINED, Look, shades
from tetrisprinter.support.files import encode_text

__all__ = ["HTML", "Minutes", "make_linked_page", "make_page", "player_data"]

_POLICY: Final = """\
<!-- Nothing is ever fetched: the page is complete as it is. -->
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';
    img-src data:">\
"""

_SCRIPTS: Final = ("russian.js", "player.js")

_LETTERS: Final = {
    Key.CLOCKWISE: "c",
    Key.COUNTERCLOCKWISE: "k",
    Key.LEFT: "l",
    Key.RIGHT: "r",
    Key.DOWN: "d",
}


@dataclass(frozen=True, slots=True)
class Minutes:
    """Each picture of a film stands in a minute of the day, from the first on."""

    first: int  # in minutes after midnight


def make_page(
    plan: Plan,
    *,
    title: str = "A print",
    look: Look | None = None,
    autoplay: bool = True,
    rules: str = "classic",
    hold: float | Minutes = 3.0,
) -> str:
    """Return a self-contained page that plays a plan."""
    data = player_data(plan, look=look, autoplay=autoplay, rules=rules, hold=hold)
    style = f"<style>\n{_read_asset('player/player.css')}</style>"
    script = "\n".join(f"<script>\n{_read_asset(f'player/{name}')}</script>" for name in _SCRIPTS)
    return _fill_template(title, data, _POLICY, style, script)


def make_linked_page(data: str, *, title: str, folder: str) -> str:
    """Return the same page for a server: looks and behaviour are linked to, not in it."""
    import html

    folder = html.escape(folder)
    style = f'<link rel="stylesheet" href="{folder}/player.css">'
    script = "\n".join(f'<script src="{folder}/{name}"></script>' for name in _SCRIPTS)
    return _fill_template(title, data, "", style, script)


def _fill_template(title: str, data: str, policy: str, style: str, script: str) -> str:
    """Fill in the template, once: what is filled in may look like a place to fill in."""
    import html

    parts = {
        "title": html.escape(title),
        # A script element ends at the first "</": no "<" may be left in the data.
        "data": data.replace("<", "\\u003c"),
        "policy": policy,
        "style": style,
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read_asset("page.html"))


def _read_asset(name: str) -> str:
    from importlib import resources

    return resources.files("tetrisprinter.render").joinpath(name).read_text("utf-8")


def player_data(
    plan: Plan,
    *,
    look: Look | None = None,
    autoplay: bool = True,
    rules: str = "classic",
    hold: float | Minutes = 3.0,
) -> str:
    """Return the data of a plan for the player, as JSON; parameters as of :func:`make_page`."""
    from tetrisprinter.pictures.picture import shown

    look = look or Look()
    field = choose_field_for(plan, look.field)
    colors = choose_display_colors(plan, field)
    drawn = [["#" + field]]
    drawn += [["#" + c for c in (colors[piece], *shades(colors[piece]))] for piece in PieceType]
    left, slides = plan.field(), dict(plan.slides)
    moves = list(play_for_display(plan, left))
    data: dict[str, object] = {
        "width": plan.width,
        "height": plan.height,
        "names": ["", *(piece.name for piece in PieceType)],
        "colors": drawn,
        "visible": [False, *(piece in plan.visible_colors for piece in PieceType)],
        "unseen": [int(piece) for piece, _ in plan.colors if piece not in plan.visible_colors],
        "line": "#" + choose_grid(field),
        "bevel": look.style == "bevel",
        "grid": look.grid,
        "outlined": OUTLINED if look.outlines else 0,
        "autoplay": autoplay,
        "speed": min(500.0, max(2.0, round(len(plan) / PLAYING_SECONDS, 1))),
        "shapes": [
            {"type": int(o.piece), "cells": o.cells, "center": find_spawn_center(o)}
            for o in ORIENTATIONS
        ],
        "passes": [len(pass_.pieces) for pass_ in plan.passes],
        "drops": [p.orientation.index * plan.width + p.x for p in plan],
        "detours": {
            moved.drop.index: way
            for moved in moves
            if moved.drop.index not in slides and (way := _detour(plan, moved)) is not None
        },
    }
    if slides:
        data["slides"] = {
            moved.drop.index: [[p.orientation.index, p.x, p.y] for p in moved.path]
            for moved in moves
            if moved.drop.index in slides
        }
    if plan.start:
        data["start"] = [int(value) for row in plan.start for value in row]
    if plan.stops:
        data["stops"] = plan.stops
        if isinstance(hold, Minutes):
            data["minute"] = hold.first
        else:
            data["hold"] = hold
        data["loops"] = shown(plan, left).rows == shown(plan, plan.field()).rows
    if plan.queue is not None:
        data["dealt"] = [
            _coming(plan.queue, turn) for turn in plan.queue.trace_turns(plan.list_types())
        ]
    if rules == "srs":
        data["keys"] = [" ".join(moved.presses) for moved in play_by_guideline(plan)]
    return json.dumps(data, separators=(",", ":"))


def _coming(queue: PieceQueue, turn: QueueTurn) -> str:
    """Say what is held, what has come, and what is seen of the queue: ``[T] O: JSZLI``."""
    held, current = ("" if one is None else one.name for one in (turn.held, turn.current))
    seen = queue.pieces[turn.position + 1 : turn.position + 1 + PREVIEW]
    return (f"[{held or '–'}] " * queue.hold) + f"{current or '–'}: {spell_pieces(seen) or '–'}"


def _detour(plan: Plan, moved: MovedDrop) -> tuple[int, str] | None:
    """Return entry height and presses of a piece that cannot go the usual way."""
    keys = moved.keys[:-1]
    first = moved.path[0]
    lift = first.y + find_spawn_center(first.orientation)[1] - (plan.height - 1)
    turning = [key in (Key.CLOCKWISE, Key.COUNTERCLOCKWISE) for key in keys]
    usual = (
        not lift
        and Key.DOWN not in keys
        and turning == sorted(turning, reverse=True)
        and moved.rotations in (-1, 0, 1, 2)
    )
    return None if usual else (lift, "".join(_LETTERS[key] for key in keys))


class _PageRenderer:
    extensions = (".html", ".htm")
    summary = "a page that plays the print"
    transparent = False

    def check(self, how: Rendering) -> None:
        """Refuse nothing."""

    def write(self, file: IO[bytes], plan: Plan, how: Rendering, tell: Tell | None = None) -> None:
        """Write the page."""
        page = make_page(
            plan, title=how.title or "A print", look=how.look, rules=how.rules, hold=how.timing.hold
        )
        file.write(encode_text(page))


HTML: Final[Renderer] = _PageRenderer()
