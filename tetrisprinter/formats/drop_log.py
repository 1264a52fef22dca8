"""The drop log: the played game as JSON, with the cells of every piece.

``docs/formats.md`` describes the fields of a log. A program that replays a log needs no rules of
falling, because each drop has its cells. When this module reads a log, it checks that every piece
can fall or be steered to its cells.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.formats import Format
from tetrisprinter.game.field import Playfield, Rows, parse_start
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, make_plan_from_drops, play_through
from tetrisprinter.game.srs import can_tuck
from tetrisprinter.pictures.picture import is_color
from tetrisprinter.support.files import parse_json

_LIMIT: Final = 9999  # columns or rows, as in a plan


def parse_drop_log(text: str, source: str = "drops", board: tuple[int, int] | None = None) -> Plan:
    """Read a drop log; ``board`` is ignored, because a log names its own."""
    content = _load(text, source)
    width, height = (_read_side(content, side, source) for side in ("width", "height"))
    colors = _read_colors(content, source)
    start = _read_start(content, width, height, source)
    field = Playfield.from_rows(width, height, start)
    drops: list[Placement] = []
    for number, drop in enumerate(content["drops"], 1):
        piece = _read_placement(drop, f"{source}: drop {number}")
        if not field.can_hard_drop(piece) and not can_tuck(field, piece):
            raise InputError(
                f"{source}: drop {number}: the {piece.orientation.piece.name} cannot "
                "reach its place by a drop or a tuck"
            )
        field.drop(piece.orientation, piece.x, piece.y)
        drops.append(piece)
    background = _read_background(content, source)
    plan = make_plan_from_drops(drops, colors, width, height, background, start)
    return replace(plan, stops=_read_stops(content, len(plan), source))


def format_drop_log(plan: Plan, source: str = "plan") -> str:
    """Play the plan and write its log."""
    return json.dumps(make_drop_log(plan, play_through(plan)))


DROP_LOG: Final = Format(
    "drop_log",
    (".drops.json",),
    "the game as played",
    lambda start: start.startswith("{") and '"drops"' in start,
    parse_drop_log,
    format_drop_log,
)


def _load(text: str, source: str) -> dict[str, Any]:
    """Read the JSON object of a drop log."""
    content = parse_json(text, source)
    if not isinstance(content, dict) or not isinstance(content.get("drops"), list):
        raise InputError(
            f"{source}: not a drop log; expected a JSON object with 'width', 'height', "
            "'colors' and a list of 'drops'"
        )
    return content


def _read_side(content: dict[str, Any], side: str, source: str) -> int:
    """Read the width or the height of the board."""
    value = content.get(side)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LIMIT:
        raise InputError(f"{source}: invalid '{side}'; expected a whole number from 1 to {_LIMIT}")
    return value


def _read_colors(content: dict[str, Any], source: str) -> tuple[tuple[PieceType, str], ...]:
    """Read the colours of the types."""
    value = content.get("colors")
    if not isinstance(value, dict):
        raise InputError(
            f"{source}: invalid 'colors'; expected an object of piece types and colours"
        )
    colors = []
    for name, color in value.items():
        piece = PieceType.__members__.get(name)
        if piece is None or not is_color(color):
            raise InputError(
                f"{source}: invalid entry {name!r} ({color!r}) of 'colors'; expected a piece type "
                "and six lower-case hex digits"
            )
        colors.append((piece, color))
    return tuple(colors)


def _read_background(content: dict[str, Any], source: str) -> str | None:
    """Read the background colour; None if the log has no background."""
    color = content.get("background")
    if color is None or is_color(color):
        return color
    raise InputError(
        f"{source}: invalid 'background' {color!r}; expected six lower-case hex digits"
    )


def _read_start(content: dict[str, Any], width: int, height: int, source: str) -> Rows:
    """Read the rows with which the game begins."""
    lines = content.get("start", [])
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InputError(
            f"{source}: invalid 'start'; expected a list of rows such as '..JJ.', top first"
        )
    return parse_start(lines, width, height, source)


def _read_stops(content: dict[str, Any], drops: int, source: str) -> tuple[int, ...]:
    """Read the numbers of drops after which the pictures of a slideshow are complete."""
    stops = content.get("stops", [])
    if isinstance(stops, list) and all(type(stop) is int for stop in stops):
        fits = not stops or (stops[0] >= 0 and stops[-1] <= drops)
        if fits and stops == sorted(set(stops)):
            return tuple(stops)
    raise InputError(
        f"{source}: invalid 'stops'; expected drop numbers in increasing order, up to {drops}"
    )


def _read_placement(drop: object, place: str) -> Placement:
    """Read the placement of a drop from its cells; check that they form its piece."""
    cells = drop.get("cells") if isinstance(drop, dict) else None
    try:
        placement = Placement.find((x, y) for x, y in cells)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        placement = None
    if placement is None or not all(isinstance(v, int) for v in (placement.x, placement.y)):
        raise InputError(f"{place}: invalid 'cells'; expected the four squares [x, y] of a piece")
    assert isinstance(drop, dict)
    if drop.get("piece") != placement.orientation.piece.name:
        raise InputError(
            f"{place}: the piece is {drop.get('piece')!r} but its squares form "
            f"{placement.orientation.piece.name}"
        )
    return placement
