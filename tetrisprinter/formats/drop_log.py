"""The drop log: the played game as JSON, with the cells of every piece.

``docs/formats.md`` describes its fields. A program that replays it needs no rule of falling,
because each drop has its cells. Reading a log here checks that every piece can fall or be steered
to its cells.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.formats import Format
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.game.srs import can_tuck
from tetrisprinter.game.start import Rows, parse_start
from tetrisprinter.support.files import parse_json

_MOST: Final = 9999  # columns or rows, as in a plan
_HEX: Final = frozenset("0123456789abcdef")


class _DropLog:
    name = "drop_log"
    extensions = (".drops.json",)
    summary = "the game as played"

    def recognises(self, start: str) -> bool:
        """Return whether it is JSON with drops."""
        return start.startswith("{") and '"drops"' in start

    def parse(self, text: str, source: str = "drops", board: tuple[int, int] | None = None) -> Plan:
        """Read a game and check that every piece can reach its cells."""
        content = _load(text, source)
        width, height = (_whole(content, side, source) for side in ("width", "height"))
        colors = _colors(content, source)
        start = _start(content, width, height, source)
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
        background = _background(content, source)
        plan = make_plan_from_drops(drops, colors, width, height, background, start)
        return replace(plan, stops=_stops(content, len(plan), source))

    def text(self, plan: Plan, source: str = "plan") -> str:
        """Play the plan and write its log."""
        return json.dumps(make_drop_log(plan, play_through(plan)))


DROP_LOG: Final[Format] = _DropLog()


def _load(text: str, source: str) -> dict[str, Any]:
    content = parse_json(text, source)
    if not isinstance(content, dict) or not isinstance(content.get("drops"), list):
        raise InputError(
            f"{source}: not a drop log; expected a JSON object with 'width', 'height', "
            "'colors' and a list of 'drops'"
        )
    return content


def _whole(content: dict[str, Any], side: str, source: str) -> int:
    said = content.get(side)
    if not isinstance(said, int) or isinstance(said, bool) or not 1 <= said <= _MOST:
        raise InputError(f"{source}: invalid '{side}'; expected a whole number from 1 to {_MOST}")
    return said


def _colors(content: dict[str, Any], source: str) -> tuple[tuple[PieceType, str], ...]:
    said = content.get("colors")
    if not isinstance(said, dict):
        raise InputError(
            f"{source}: invalid 'colors'; expected an object of piece types and colours"
        )
    found = []
    for name, color in said.items():
        piece = PieceType.__members__.get(name)
        if piece is None or not _is_color(color):
            raise InputError(
                f"{source}: 'colors' gives piece types six lower-case hex digits, not "
                f"{name!r}: {color!r}"
            )
        found.append((piece, color))
    return tuple(found)


def _background(content: dict[str, Any], source: str) -> str | None:
    said = content.get("background")
    if said is None or _is_color(said):
        return said
    raise InputError(f"{source}: invalid 'background' {said!r}; expected six lower-case hex digits")


def _start(content: dict[str, Any], width: int, height: int, source: str) -> Rows:
    said = content.get("start", [])
    if not isinstance(said, list) or not all(isinstance(line, str) for line in said):
        raise InputError(
            f"{source}: invalid 'start'; expected a list of rows such as '..JJ.', top first"
        )
    return parse_start(said, width, height, source)


def _stops(content: dict[str, Any], drops: int, source: str) -> tuple[int, ...]:
    said = content.get("stops", [])
    if isinstance(said, list) and all(type(stop) is int for stop in said):
        fits = not said or (said[0] >= 0 and said[-1] <= drops)
        if fits and said == sorted(set(said)):
            return tuple(said)
    raise InputError(
        f"{source}: invalid 'stops'; expected increasing numbers of drops, at most {drops}"
    )


def _is_color(said: object) -> bool:
    return isinstance(said, str) and len(said) == 6 and set(said) <= _HEX


def _read_placement(drop: object, where: str) -> Placement:
    cells = drop.get("cells") if isinstance(drop, dict) else None
    try:
        placed = Placement.of((x, y) for x, y in cells)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        placed = None
    if placed is None or not all(isinstance(v, int) for v in (placed.x, placed.y)):
        raise InputError(f"{where}: invalid 'cells'; expected the four squares [x, y] of a piece")
    assert isinstance(drop, dict)
    if drop.get("piece") != placed.orientation.piece.name:
        raise InputError(
            f"{where}: the squares are those of {placed.orientation.piece.name}, not of "
            f"{drop.get('piece')!r}"
        )
    return placed
