"""Plans, games, pictures and packings in a notebook: as HTML, SVG or PNG.

The ``_repr_*_`` methods of plans and other objects call these functions through
:mod:`tetrisprinter.support.registry`, so these objects do not import this module. The functions
raise no errors: a plan that cannot be played becomes a message.
"""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import GREY, Cell, PieceType
from tetrisprinter.game.plan import GREY_COLOR, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.packings.problem import Packing
from tetrisprinter.pictures.picture import Picture, make_field_picture, parse_rgb
from tetrisprinter.render.colors import choose_field_for, shade
from tetrisprinter.render.page import make_page
from tetrisprinter.render.paint import Look
from tetrisprinter.render.still import draw_png
from tetrisprinter.support.counts import format_count

# Bright enough for dark letters on these colours, on a light page and on a dark page.
_COLORS: Final = {
    PieceType.I: "7cc7d9",
    PieceType.J: "8ea6e6",
    PieceType.L: "efb072",
    PieceType.O: "ecd66f",
    PieceType.S: "93cf8b",
    PieceType.T: "c79be0",
    PieceType.Z: "ea8f8a",
}
_PRESET: Final = "b9b9bd"
_LETTER: Final = "1d1e22"
_MAX_COLORS: Final = 80  # the most colours of a PNG with a palette; a photograph has more


def draw_picture_png(picture: Picture) -> bytes | None:
    """Return a picture as PNG, transparent where it is empty; None if it has no rows."""
    if not picture.rows:
        return None
    scale = _choose_scale(picture.width, picture.height)
    if len(picture.colors()) > _MAX_COLORS:
        return _draw_photograph(picture, scale)
    return draw_png(picture, look=Look(scale), transparent=True)


def _draw_photograph(picture: Picture, scale: int) -> bytes:
    """Return a picture as PNG, without a grid; it may have more colours than a palette."""
    from PIL import Image

    small = Image.new("RGBA", (picture.width, picture.height))
    small.putdata(
        [
            (*parse_rgb(color), 255) if color else (0, 0, 0, 0)
            for row in picture.rows[::-1]
            for color in row
        ]
    )
    out = io.BytesIO()
    small.resize((picture.width * scale, picture.height * scale), 0).save(out, "PNG")
    return out.getvalue()


def draw_field_png(field: Playfield) -> bytes:
    """Return a field as PNG, each piece type in its own colour."""
    colors = {GREY: GREY_COLOR} | {int(piece): color for piece, color in _COLORS.items()}
    rows = tuple(tuple(colors.get(v) for v in row) for row in field.rows)
    return draw_png(Picture(rows), look=Look(_choose_scale(field.width, field.height)))


def draw_plan_png(plan: Plan) -> bytes | None:
    """Return the finished picture of a plan as PNG; None if the plan cannot be played."""
    try:
        picture = make_field_picture(plan, play_through(plan).field)
        return draw_png(
            picture, look=Look(_choose_scale(plan.width, plan.height), field=choose_field_for(plan))
        )
    except TetrisPrinterError:
        return None


def _choose_scale(width: int, height: int) -> int:
    return max(1, min(8, 480 // max(width, height)))


def draw_plan_html(plan: Plan, title: str = "A print") -> str:
    """Return an inline player of a plan with a caption."""
    try:
        lines = play_through(plan).lines
    except TetrisPrinterError as error:
        return f"<p>Plan of {format_count(len(plan), 'drop')}: {html.escape(str(error))}</p>"
    caption = (
        f"{format_count(len(plan), 'drop')}, {format_count(lines, 'line')}, "
        f"{format_count(len(plan.passes), 'pass', 'passes')}, "
        f"board {plan.width} × {plan.height}"
    )
    page = make_page(plan, title=title, autoplay=False)
    # Sandboxed: the player needs no access to the notebook.
    return (
        '<figure style="margin:0;max-width:760px"><iframe sandbox="allow-scripts" '
        f'title="{html.escape(title)}" style="width:100%;height:520px;border:0" '
        f'srcdoc="{html.escape(page)}"></iframe>'
        f'<figcaption style="font-size:smaller;opacity:.75">{caption}</figcaption></figure>'
    )


def draw_packing_svg(packing: Packing, size: int = 22) -> str:
    """Draw a packing as SVG: each piece in its type's colour, with letters in drop order."""
    problem = packing.problem
    width, height = problem.width * size, problem.rows * size
    groups: list[tuple[Sequence[Cell], str]] = [(cells, _PRESET) for cells in problem.presets]
    groups += [(piece.cells, _COLORS[piece.orientation.piece]) for piece in packing.pieces]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2}" height="{height + 2}" '
        f'viewBox="-1 -1 {width + 2} {height + 2}" role="img" '
        f'aria-label="A packing of {len(packing.pieces)} pieces">'
    ]
    for number, (cells, color) in enumerate(groups):
        parts.append(
            f'<path d="{_trace_outline(cells, problem.rows, size)}" fill="#{color}" '
            f'stroke="#{shade(color, -0.6)}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
        if cells:
            x, y = min(cells, key=lambda c: (-c[1], c[0]))
            letter = _name_piece(number)
            parts.append(
                f'<text x="{(x + 0.5) * size:g}" y="{(problem.rows - y - 0.5) * size:g}" '
                f'font-family="monospace" font-size="{size * 0.7 / (0.2 + len(letter)):.3g}" '
                f'fill="#{_LETTER}" '
                f'text-anchor="middle" dominant-baseline="central">{letter}</text>'
            )
    return "".join([*parts, "</svg>"])


def _name_piece(number: int) -> str:
    """Return the name of a piece: A to Z, a to z, then AA, AB and so on."""
    names = ascii_uppercase + ascii_lowercase
    if number < len(names):
        return names[number]
    first, second = divmod(number - len(names), len(ascii_uppercase))
    return _name_piece(first) + ascii_uppercase[second]


def _trace_outline(cells: Iterable[Cell], rows: int, size: int) -> str:
    """Return an SVG path around some cells of a matrix with this many rows; row 0 is the lowest."""
    present = set(cells)
    # The edges of the shape, directed with the inside on the right. Where two cells touch only at
    # a corner, either of the two continuations closes a loop.
    next_corners: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for x, y in sorted(present):
        for dx, dy, begin, end in (
            (0, 1, (x, y + 1), (x + 1, y + 1)),
            (1, 0, (x + 1, y + 1), (x + 1, y)),
            (0, -1, (x + 1, y), (x, y)),
            (-1, 0, (x, y), (x, y + 1)),
        ):
            if (x + dx, y + dy) not in present:
                next_corners.setdefault(begin, []).append(end)
    loops = []
    while next_corners:
        start = corner = next(iter(next_corners))
        corners = [start]
        while True:
            continuations = next_corners[corner]
            next_corner = continuations.pop()
            if not continuations:
                del next_corners[corner]
            corner = next_corner
            if corner == start:
                break
            corners.append(corner)
        points = " L".join(f"{x * size} {(rows - y) * size}" for x, y in corners)
        loops.append(f"M{points}Z")
    return "".join(loops)


def draw_packings_html(packings: Sequence[Packing], max_shown: int = 12) -> str:
    """Draw the first packings of a table side by side, and the number of all packings."""
    drawn = "".join(
        f'<div style="margin:0 12px 12px 0">{draw_packing_svg(packing, 12)}</div>'
        for packing in packings[:max_shown]
    )
    rest = f", the first {max_shown} of them" if len(packings) > max_shown else ""
    return (
        f'<div><div style="font-size:smaller;opacity:.75">{len(packings)} packings{rest}</div>'
        f'<div style="display:flex;flex-wrap:wrap">{drawn}</div></div>'
    )
