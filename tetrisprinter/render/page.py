"""A page that plays a print: one HTML file without network access.

The page contains the plan as numbers (an orientation and a column for each drop) and plays the
game itself, so a thousand drops add only some kilobytes to the template ``page.html``. The page
knows the usual path of a piece (turn, shift, drop); this module finds the few other paths.

Style and scripts are in the folder ``player``. :func:`make_page` puts them into the file.
:func:`make_linked_page` links to these files, so that a server may forbid inline scripts.

A *scene*, for streams, is one page that plays a game on a transparent ground, without controls.
The page ``scene.html`` contains the text of the plan and a player of its own. It fills its frame,
repeats the game, and plays another plan that it gets by a message. Web cameras and games show
through wherever the board is empty.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import IO, Any, Final

from tetrisprinter.game import steering
from tetrisprinter.game.piece_queue import PREVIEW, PieceQueue, QueueTurn, spell_pieces
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.game.steering import Key, MovedDrop
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render import Renderer, Rendering, Report, paint
from tetrisprinter.render.frames import PLAYING_SECONDS
from tetrisprinter.render.paint import Look
from tetrisprinter.support.files import encode_text

_POLICY: Final = """\
<!-- Nothing is ever fetched: the page is complete as it is. -->
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';
    img-src data:">\
"""

_LETTERS: Final = {
    Key.CLOCKWISE: "c",
    Key.COUNTERCLOCKWISE: "k",
    Key.LEFT: "l",
    Key.RIGHT: "r",
    Key.DOWN: "d",
}


def make_page(plan: Plan, *, title: str = "A print", **options: Any) -> str:
    """Return a self-contained page that plays a plan; the options of :func:`make_player_data`."""
    data = make_player_data(plan, **options)
    style = f"<style>\n{_read_asset('player/player.css')}</style>"
    script = f"<script>\n{_read_asset('player/player.js')}</script>"
    return _fill_page(title, data, _POLICY, style, script)


def make_linked_page(data: str, *, title: str) -> str:
    """Return a page for the studio's server: it plays this data and links to style and scripts."""
    style = '<link rel="stylesheet" href="/player/player.css">'
    script = '<script src="/player/player.js"></script>'
    return _fill_page(title, data, "", style, script)


def _fill_page(title: str, data: str, policy: str, style: str, script: str) -> str:
    """Return the page that plays this data."""
    parts = {"title": html.escape(title), "data": _hide_tags(data)}
    return _fill_template("page.html", parts | {"policy": policy, "style": style, "script": script})


def _fill_template(name: str, parts: Mapping[str, str]) -> str:
    """Fill in all placeholders of a template at once, since a title may look like one."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read_asset(name))


def _hide_tags(data: str) -> str:
    """Return JSON without "<", because a script element ends at the first "</"."""
    return data.replace("<", "\\u003c")


def _read_asset(name: str) -> str:
    """Return the text of a file beside this module."""
    return resources.files("tetrisprinter.render").joinpath(name).read_text("utf-8")


def make_player_data(
    plan: Plan,
    *,
    look: Look | None = None,
    autoplay: bool = True,
    rules: str = "classic",
    hold: float = 3.0,
    first_minute: int | None = None,
) -> str:
    """Return the data that the player needs to play a plan, as JSON.

    A slideshow shows each picture for ``hold`` seconds or, as a clock, in a minute of its own: the
    first one ``first_minute`` minutes after midnight.
    """
    look = look or Look()
    field = paint.choose_field_for(plan, look.field)
    colors = paint.choose_display_colors(plan, field)
    shades = [["#" + field]]
    shades += [
        ["#" + c for c in (colors[value], *paint.make_shades(colors[value]))]
        for value in sorted(colors)
    ]
    end_field, slides = plan.make_field(), dict(plan.slides)
    moves = list(steering.play_for_display(plan, end_field))
    data: dict[str, object] = {
        "width": plan.width,
        "height": plan.height,
        "names": ["", *(piece.name for piece in PieceType)],
        "colors": shades,
        "visible": [False, *(value in plan.square_colors for value in sorted(colors))],
        "unseen": [int(piece) for piece, _ in plan.colors if piece not in plan.visible_colors],
        "line": "#" + paint.choose_grid(field),
        "bevel": look.style == "bevel",
        "grid": look.grid,
        "outlined": paint.MIN_OUTLINED_SCALE if look.has_lines else 0,
        "autoplay": autoplay,
        "speed": min(500.0, max(2.0, round(len(plan) / PLAYING_SECONDS, 1))),
        "shapes": [
            {"type": int(o.piece), "cells": o.cells, "center": steering.find_spawn_center(o)}
            for o in ORIENTATIONS
        ],
        "passes": [len(pass_.pieces) for pass_ in plan.passes],
        "drops": [p.orientation.index * plan.width + p.x for p in plan],
        "detours": {
            moved.drop.index: detour
            for moved in moves
            if moved.drop.index not in slides and (detour := _find_detour(plan, moved)) is not None
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
        if first_minute is not None:
            data["minute"] = first_minute
        else:
            data["hold"] = hold
        data["loops"] = (
            make_field_picture(plan, end_field).rows
            == make_field_picture(plan, plan.make_field()).rows
        )
    if plan.queue is not None:
        data["dealt"] = [
            _describe_queue(plan.queue, turn) for turn in plan.queue.trace_turns(plan.list_types())
        ]
    if rules == "srs":
        data["keys"] = [" ".join(moved.presses) for moved in steering.play_by_guideline(plan)]
    return json.dumps(data, separators=(",", ":"))


def _describe_queue(queue: PieceQueue, turn: QueueTurn) -> str:
    """Return the held piece, the current one and the preview as text: ``[T] O: JSZLI``."""
    held, current = ("" if piece is None else piece.name for piece in (turn.held, turn.current))
    preview = queue.pieces[turn.position + 1 : turn.position + 1 + PREVIEW]
    return (f"[{held or '–'}] " * queue.hold) + f"{current or '–'}: {spell_pieces(preview) or '–'}"


def _find_detour(plan: Plan, moved: MovedDrop) -> tuple[int, str] | None:
    """Return how many rows too high a piece enters, and its keys; None if its path is usual."""
    keys = moved.keys[:-1]
    first = moved.path[0]
    lift = first.y + steering.find_spawn_center(first.orientation)[1] - (plan.height - 1)
    is_turn = [key in (Key.CLOCKWISE, Key.COUNTERCLOCKWISE) for key in keys]
    is_usual = (
        not lift
        and Key.DOWN not in keys
        and is_turn == sorted(is_turn, reverse=True)
        and moved.rotations in (-1, 0, 1, 2)
    )
    return None if is_usual else (lift, "".join(_LETTERS[key] for key in keys))


def _write_page(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None) -> None:
    """Write the page; a transparent one is a scene for streams, without controls."""
    title = rendering.title or "A print"
    if rendering.transparent:
        page = make_scene(plan, title=title)
    else:
        page = make_page(
            plan,
            title=title,
            look=rendering.look,
            rules=rendering.rules,
            hold=rendering.timing.hold,
        )
    file.write(encode_text(page))


HTML: Final = Renderer(
    (".html", ".htm"), "a page that plays the print", _write_page, has_transparency=True
)


def make_scene(plan: Plan, *, title: str = "A print") -> str:
    """Return a self-contained page that plays a plan on a transparent ground, again and again."""
    play_through(plan)  # raises an error if the plan tops out
    shapes = {
        " ".join(map(str, sorted(x + 4 * y for x, y in orientation.cells))): orientation.piece.name
        for orientation in ORIENTATIONS
    }
    parts = {
        "title": html.escape(title),
        "plan": _hide_tags(json.dumps(str(plan))),
        "shapes": json.dumps(shapes, separators=(",", ":")),
    }
    return _fill_template("scene.html", parts)
