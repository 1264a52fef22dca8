"""Tilings as PNG, as SVG, and as text for the terminal.

Pieces that touch have different colours and a line between them. Several tilings become a *sheet*
with several boards in a row. The space around the boards is transparent, for light and dark pages.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render.terminal import ColorMode, draw_half_blocks
from tetrisprinter.tilings.placements import Tiling
from tetrisprinter.tilings.polyomino import GridCell

_COLORS: Final = (
    *("e6704f", "4f8fd0", "6fb55b", "e8bd4a", "9a6cc0", "4fb8b0"),
    *("d9699b", "a8794f", "8fa0ad", "b7cf5a", "5a63b0", "c94f4f"),
)
_LINE: Final = "1c1c22"
_BLOCKED: Final = "77777f"  # visible on white and on black
_MAX_SIDE: Final = 16_384
_MAX_PIXELS: Final = 64_000_000
_GAP: Final = 1  # cells between the boards of a sheet, and around them


def choose_colors(tiling: Tiling) -> list[str]:
    """Choose a colour for each placement, ``rrggbb``: one per piece if no piece is used twice.

    >>> from tetrisprinter.tilings import TilingBoard, PieceSet, find_tiling
    >>> tiling = find_tiling(TilingBoard(2, 2), PieceSet.parse("dominoes"))
    >>> len(set(choose_colors(tiling)))
    2
    """
    used = [placement.kind for placement in tiling.placements]
    if len(tiling.pieces) <= len(_COLORS) and len(set(used)) == len(used):
        return [_COLORS[kind] for kind in used]
    return tiling.color_placements(_COLORS)


def _find_borders(tiling: Tiling) -> Iterator[tuple[GridCell, GridCell]]:
    """Yield the unit lines between pieces or at the board's edge, as pairs of end points."""
    owners = tiling.owners
    board = tiling.board
    for y in range(board.height + 1):
        for x in range(board.width + 1):
            number = _find_owner(tiling, owners, x, y)
            if x < board.width and number != _find_owner(tiling, owners, x, y - 1):
                yield (x, y), (x + 1, y)
            if y < board.height and number != _find_owner(tiling, owners, x - 1, y):
                yield (x, y), (x, y + 1)


def _find_owner(tiling: Tiling, owners: dict[GridCell, int], x: int, y: int) -> int:
    """Return the number of the piece over a cell; -1 if it is blocked, -2 outside the board."""
    board = tiling.board
    if 0 <= x < board.width and 0 <= y < board.height:
        return owners.get((x, y), -1)
    return -2


def _lay_out_sheet(tilings: Sequence[Tiling]) -> tuple[int, int, list[GridCell]]:
    """Return the size of a sheet in cells, and the top left cell of each board."""
    width, height = tilings[0].board.width, tilings[0].board.height
    boards_across = max(1, math.isqrt(max(1, len(tilings) * (height + _GAP) // (width + _GAP))))
    boards_across = min(len(tilings), boards_across)
    boards_down = -(-len(tilings) // boards_across)
    places = [
        (_GAP + n % boards_across * (width + _GAP), _GAP + n // boards_across * (height + _GAP))
        for n in range(len(tilings))
    ]
    return boards_across * (width + _GAP) + _GAP, boards_down * (height + _GAP) + _GAP, places


def draw_tilings_png(tilings: Sequence[Tiling], scale: int = 24) -> bytes:
    """Return tilings of one board as PNG."""
    from PIL import Image, ImageDraw

    width, height, places = _lay_out_sheet(tilings)
    size = (width * scale, height * scale)
    if max(size) > _MAX_SIDE or size[0] * size[1] > _MAX_PIXELS:
        raise InputError(
            f"the picture is too large: {len(tilings)} tilings make {size[0]}x{size[1]} pixels; "
            "choose fewer tilings or a smaller scale"
        )
    image = Image.new("RGBA", size)
    draw = ImageDraw.Draw(image)
    thickness = max(1, scale // 12)
    for tiling, (left, top) in zip(tilings, places, strict=True):
        colors = [parse_rgb(color) for color in choose_colors(tiling)]
        owners = tiling.owners
        for y in range(tiling.board.height):
            for x in range(tiling.board.width):
                number = owners.get((x, y))
                color = parse_rgb(_BLOCKED) if number is None else colors[number]
                x0, y0 = (left + x) * scale, (top + y) * scale
                draw.rectangle((x0, y0, x0 + scale - 1, y0 + scale - 1), color)
        if scale >= 3:
            for (xa, ya), (xb, yb) in _find_borders(tiling):
                x0, y0 = (left + xa) * scale - thickness // 2, (top + ya) * scale - thickness // 2
                x1 = (left + xb) * scale - thickness // 2 + thickness - 1
                y1 = (top + yb) * scale - thickness // 2 + thickness - 1
                draw.rectangle((x0, y0, x1, y1), parse_rgb(_LINE))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def draw_tilings_svg(tilings: Sequence[Tiling], scale: int = 24) -> str:
    """Return tilings of one board as SVG; each piece is one path with its name as title."""
    width, height, places = _lay_out_sheet(tilings)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale}" '
        f'height="{height * scale}" viewBox="0 0 {width} {height}">\n'
    ]
    for tiling, (left, top) in zip(tilings, places, strict=True):
        parts.append(f'<g transform="translate({left} {top})" shape-rendering="crispEdges">\n')
        if tiling.board.blocked:
            cells = tiling.board.list_cells(tiling.board.blocked)
            parts.append(f'<path fill="#{_BLOCKED}" d="{_format_squares(cells)}"/>\n')
        for placement, color in zip(tiling.placements, choose_colors(tiling), strict=True):
            name = escape(tiling.pieces[placement.kind].name)
            parts.append(
                f'<path fill="#{color}" d="{_format_squares(placement.cells)}">'
                f"<title>{name}</title></path>\n"
            )
        lines = "".join(
            f"M{xa} {ya}{'h' if xb > xa else 'v'}1" for (xa, ya), (xb, _) in _find_borders(tiling)
        )
        parts.append(
            f'<path fill="none" stroke="#{_LINE}" stroke-width=".08" stroke-linecap="square" '
            f'd="{lines}"/>\n</g>\n'
        )
    return "".join((*parts, "</svg>\n"))


def _format_squares(cells: Sequence[GridCell] | Iterator[GridCell]) -> str:
    return "".join(f"M{x} {y}h1v1h-1z" for x, y in cells)


def draw_lines(tiling: Tiling) -> str:
    """Draw the borders of the pieces with box-drawing characters.

    >>> from tetrisprinter.tilings import TilingBoard, PieceSet, find_tiling
    >>> print(draw_lines(find_tiling(TilingBoard(3, 2), PieceSet.parse("dominoes"))))
    ┌───────┬───┐
    │       │   │
    ├───────┤   │
    │       │   │
    └───────┴───┘
    """
    board = tiling.board
    borders = set(_find_borders(tiling))
    # The index is the sum of the lines that meet at a corner: 1 up, 2 right, 4 down, 8 left.
    joints = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
    owners = tiling.owners
    lines = []
    for y in range(board.height + 1):
        line = ""
        for x in range(board.width + 1):
            right = ((x, y), (x + 1, y)) in borders
            joint = (
                (((x, y - 1), (x, y)) in borders)
                + 2 * right
                + 4 * (((x, y), (x, y + 1)) in borders)
                + 8 * (((x - 1, y), (x, y)) in borders)
            )
            line += joints[joint] + ("───" if right else "   ")
        lines.append(line.rstrip())
        if y == board.height:
            break
        line = ""
        for x in range(board.width + 1):
            line += "│" if ((x, y), (x, y + 1)) in borders else " "
            blocked = x < board.width and (x, y) not in owners
            line += "░░░" if blocked else "   "
        lines.append(line.rstrip())
    return "\n".join(lines)


def draw_in_color(tiling: Tiling, mode: ColorMode) -> str:
    """Draw a tiling in colours, two rows per line; without colours, with box characters."""
    if mode == "none":
        return draw_lines(tiling)
    colors = choose_colors(tiling)
    owners = tiling.owners
    rows = [
        [
            _BLOCKED if (number := owners.get((x, y))) is None else colors[number]
            for x in range(tiling.board.width)
        ]
        for y in reversed(range(tiling.board.height))
    ]
    return "\n".join(draw_half_blocks(rows, mode))
