"""The finished picture as PNG."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Final

from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture, make_field_picture, parse_rgb
from tetrisprinter.render import Renderer, Rendering, Report
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.field_color import AUTO, choose_field_for
from tetrisprinter.render.paint import Look, Painter

if TYPE_CHECKING:
    from tetrisprinter.render.paint import Pixels


_MAX_COLORS = 80


def draw_png(
    picture: Picture, scale: int = 8, *, look: Look | None = None, transparent: bool = False
) -> bytes:
    """Return a picture as PNG."""
    from PIL import Image

    colors = picture.colors()
    if len(colors) > _MAX_COLORS:
        raise ValueError(f"too many colours: {len(colors)}; at most {_MAX_COLORS} are possible")
    look = look or Look(scale)
    if transparent and look.field == AUTO:
        look = replace(look, field=BACKGROUND)
    painter = Painter(picture.width, picture.height, colors, look)
    tiles = dict(zip([None, *colors], painter.tiles, strict=True))
    # Joining bytes is fast enough for one picture and avoids loading numpy.
    last_grid_line = b"\1" * painter.look.grid
    lines = [
        b"".join(tiles[color][line] for color in row) + last_grid_line
        for row in reversed(picture.rows)
        for line in range(painter.scale)
    ]
    lines.append(last_grid_line * painter.size[0])
    image = Image.frombytes("P", painter.size, b"".join(lines))
    image.putpalette(b"".join(bytes(parse_rgb(color)) for color in painter.palette))
    if transparent:
        image.info["transparency"] = 0
    out = io.BytesIO()
    image.convert("RGBA" if transparent else "RGB").save(out, "PNG", optimize=True)
    return out.getvalue()


def crop_picture(picture: Picture, margin: int | None = None) -> Picture:
    """Return a picture cropped to its figure, with ``margin`` empty squares around it (default: 1).

    A figure that fills its rectangle, such as a photograph, gets no border by default.
    """
    cells = picture.cells()
    if not cells:
        return picture
    left, right = min(x for x, _ in cells), max(x for x, _ in cells)
    bottom, top = min(y for _, y in cells), max(y for _, y in cells)
    if margin is None and len(cells) == (right - left + 1) * (top - bottom + 1):
        rows = [row[left : right + 1] for row in picture.rows[bottom : top + 1]]
        return Picture(tuple(rows), picture.name)
    border = 1 if margin is None else margin
    empty_cells = (None,) * border
    empty_rows = ((None,) * (right - left + 1 + 2 * border),) * border
    rows = [
        (*empty_cells, *row[left : right + 1], *empty_cells)
        for row in picture.rows[bottom : top + 1]
    ]
    return Picture((*empty_rows, *rows, *empty_rows), picture.name)


def draw_outlines(plan: Plan, rendering: Rendering) -> tuple[Pixels, list[str]]:
    """Return the finished picture with lines between its pieces: palette indices and palette.

    The picture is cropped like any still picture, unless ``rendering.full`` is set.
    """
    import numpy as np

    from tetrisprinter.render.animation import make_painter
    from tetrisprinter.render.frames import make_last_frame

    frame = make_last_frame(plan)
    squares, pieces = frame.squares, frame.pieces
    assert pieces is not None
    if not rendering.full and squares.any():
        rows, columns = (np.unique(indices) for indices in squares.nonzero())
        inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        squares, pieces = squares[inside], pieces[inside]
        border = int(not squares.all()) if rendering.margin is None else rendering.margin
        squares, pieces = np.pad(squares, border), np.pad(pieces, border)
    height, width = squares.shape
    painter = make_painter(plan, rendering.look, (width, height))
    return painter.paint(squares, pieces), painter.palette


def _draw_outlined_png(plan: Plan, rendering: Rendering) -> bytes:
    """Return the finished picture with lines between its pieces as PNG."""
    import numpy as np
    from PIL import Image

    pixels, palette = draw_outlines(plan, rendering)
    table = np.array([parse_rgb(color) for color in palette], dtype=np.uint8)
    image = Image.fromarray(table[pixels])
    if rendering.transparent:
        image.putalpha(Image.fromarray(((pixels != 0) * 255).astype(np.uint8)))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


class _PngRenderer:
    extensions = (".png",)
    summary = "the finished picture"
    has_transparency = True

    def check(self, rendering: Rendering) -> None:
        """Accept all options."""

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Play to the end and draw the finished picture, cropped or on its board."""
        if rendering.look.style == "outlines":
            file.write(_draw_outlined_png(plan, rendering))
            return
        picture = make_field_picture(plan, play_through(plan).field)
        if not rendering.full:
            picture = crop_picture(picture, rendering.margin)
        look = replace(rendering.look, field=choose_field_for(plan, rendering.look.field))
        file.write(draw_png(picture, look=look, transparent=rendering.transparent))


PNG: Final[Renderer] = _PngRenderer()
