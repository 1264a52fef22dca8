"""A game as a C99 header, for clocks and panels of microcontrollers.

Two bytes describe a drop: the orientation in bits 10 to 14 (its number in
:data:`~tetrisprinter.game.pieces.ORIENTATIONS`), the column in bits 0 to 9, and in bit 15 whether a
picture is complete after this drop. The player ``examples/makers/tetris_player.h`` knows the
nineteen shapes and the rules; it finds the row in which a piece lands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import IO, Final

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Rows
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Renderer, Rendering, Report
from tetrisprinter.render.colors import choose_display_colors, choose_field_for
from tetrisprinter.render.frames import shrink_board
from tetrisprinter.support.counts import format_count

_COLUMN_BITS: Final = 10
_STOP: Final = 1 << 15
_PER_LINE: Final = 12
_COLOR_COUNT: Final = 10  # the field, seven types, grey, and a row that flashes


def format_header(plan: Plan, name: str) -> str:
    """Return a game as a C99 header; its names begin with ``name``.

    >>> plan = Plan.parse("board 4x6 O=ff0000\\n\\n.AA.\\n.AA.\\n")
    >>> "square_drops[1] = {0xA801}" in format_header(plan, "square").replace("\\n    ", "")
    True
    """
    if plan.slides:
        raise JobError(
            f"{name}: {format_count(len(plan.slides), 'piece')} tucked under other squares; in a C "
            "header pieces only fall"
        )
    play_through(plan)  # raises an error if the plan tops out
    return _format_game(plan, _make_prefix(name), [])


def format_cycle(start: Rows, games: Sequence[Plan], numbers: Sequence[int], name: str) -> str:
    """Return games that lead from picture to picture as a C99 header.

    ``start`` is the first picture, and ``numbers`` has for each picture the game that leads from it
    to the next one. In the header the games follow each other, each with a stop at its end.
    """
    prefix = _make_prefix(name)
    ends = list(accumulate(map(len, games)))
    plan = replace(
        games[0],
        passes=tuple(plan_pass for game in games for plan_pass in game.passes),
        stops=tuple(ends),
        start=start,
    )
    parts = [
        "",
        f"#define {prefix.upper()}_PICTURES {len(numbers)}",
        "",
        "/* For each picture the game that leads to the next one, ... */",
        *_format_array(
            "uint16_t" if len(games) > 255 else "uint8_t", f"{prefix}_game", map(str, numbers)
        ),
        "",
        "/* ... and for each game its first drop: set the next drop of the player to it. */",
        *_format_array("uint16_t", f"{prefix}_first", map(str, [0, *ends[:-1]])),
    ]
    return _format_game(plan, prefix, parts)


def _make_prefix(name: str) -> str:
    """Return the beginning of the names of a header."""
    prefix = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_").lower() or "game"
    return f"game_{prefix}" if prefix[0].isdigit() else prefix


def _format_game(plan: Plan, prefix: str, more_parts: Sequence[str]) -> str:
    """Return a header; ``more_parts`` are lines about the drops."""
    upper = prefix.upper()
    stops = {*plan.stops, len(plan)}
    drops = [
        piece.orientation.index << _COLUMN_BITS | piece.x | _STOP * (number in stops)
        for number, piece in enumerate(plan, 1)
    ]
    start = [value for row in plan.start for value in row]
    pictures = f", {len(stops - {0})} pictures" if plan.stops else ""
    parts = [
        f"/* A game of Tetris on {plan.board}: {format_count(len(plan), 'piece')}{pictures}.",
        "   Made by tetrisprinter; include tetris_player.h before this file. */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "",
        "#include <stdint.h>",
        "",
        "#ifndef TETRIS_CONST",
        "#define TETRIS_CONST const /* on AVR: const PROGMEM */",
        "#endif",
        "",
        f"#define {upper}_WIDTH {plan.width}",
        f"#define {upper}_HEIGHT {plan.height}",
        f"#define {upper}_DROPS {len(plan)}",
        f"#define {upper}_START_ROWS {len(plan.start)}",
        f"#define {upper}_VISIBLE {sum(1 << value for value in plan.square_colors)}",
        "",
        "/* RGB565: the field, I J L O S T Z, grey, and a full row that flashes. */",
        *_format_array("uint16_t", f"{prefix}_colors", map("0x{:04X}".format, _list_colors(plan))),
        "",
        "/* Bit 15: a picture is complete; bits 10 to 14: orientation; bits 0 to 9: column. */",
        *_format_array("uint16_t", f"{prefix}_drops", map("0x{:04X}".format, drops or [0])),
    ]
    if start:
        parts += [
            "",
            "/* The squares before the first drop, the lowest row first. */",
            *_format_array("uint8_t", f"{prefix}_start", map(str, start)),
        ]
    parts += [
        *more_parts,
        "",
        "#ifdef TETRIS_PLAYER_H",
        f"static const tetris_game {prefix} = {{",
        f"    {upper}_WIDTH, {upper}_HEIGHT, {upper}_START_ROWS, {upper}_VISIBLE, {upper}_DROPS,",
        f"    {prefix}_drops, {f'{prefix}_start' if start else '0'}, {prefix}_colors",
        "};",
        "#endif",
        "",
        f"#endif /* {upper}_H */",
        "",
    ]
    return "\n".join(parts)


def _list_colors(plan: Plan) -> list[int]:
    """Return the colours of a game's squares as RGB565, by the values of squares."""
    field_color = choose_field_for(plan)
    colors = {0: field_color, **choose_display_colors(plan, field_color)}
    listed = [colors.get(value, field_color) for value in range(_COLOR_COUNT - 1)]
    flash_color = "ffffff" if sum(parse_rgb(field_color)) <= 384 else "000000"
    return [
        round(red * 31 / 255) << 11 | round(green * 63 / 255) << 5 | round(blue * 31 / 255)
        for red, green, blue in map(parse_rgb, [*listed, flash_color])
    ]


def _format_array(kind: str, name: str, values: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the definition of a constant array."""
    items = list(values)
    yield f"static TETRIS_CONST {kind} {name}[{len(items)}] = {{"
    for first in range(0, len(items), _PER_LINE):
        comma = "," if first + _PER_LINE < len(items) else "};"
        yield f"    {', '.join(items[first : first + _PER_LINE])}{comma}"


class _HeaderRenderer:
    extensions = (".h",)
    summary = "a C header for panels"
    has_transparency = False

    def check(self, rendering: Rendering) -> None:
        """Accept all options."""

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Write the game on the rows that it uses, or on its board."""
        shown_plan = plan if rendering.full else shrink_board(plan)
        file.write(format_header(shown_plan, rendering.title or "game").encode())


C_HEADER: Final[Renderer] = _HeaderRenderer()
