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
    """Draw a picture as PNG."""
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
    closing = b"\1" * painter.look.grid
    lines = [
        b"".join(tiles[color][line] for color in row) + closing
        for row in reversed(picture.rows)
        for line in range(painter.scale)
    ]
    lines.append(closing * painter.size[0])
    image = Image.frombytes("P", painter.size, b"".join(lines))
    image.putpalette(b"".join(bytes(parse_rgb(color)) for color in painter.palette))
    if transparent:
        image.info["transparency"] = 0
    out = io.BytesIO()
    image.convert("RGBA" if transparent else "RGB").save(out, "PNG", optimize=True)
    return out.getvalue()


def crop_picture(picture: Picture, around: int | None = None) -> Picture:
    """Crop a picture to its figure with a border of empty squares, by default one.

    A figure that fills its rectangle, such as a photograph, gets no border by default.
    """
    seen = picture.cells()
    if not seen:
        return picture
    left, right = min(x for x, _ in seen), max(x for x, _ in seen)
    low, high = min(y for _, y in seen), max(y for _, y in seen)
    if around is None and len(seen) == (right - left + 1) * (high - low + 1):
        rows = [row[left : right + 1] for row in picture.rows[low : high + 1]]
        return Picture(tuple(rows), picture.name)
    side = 1 if around is None else around
    beside = (None,) * side
    margin = ((None,) * (right - left + 1 + 2 * side),) * side
    rows = [(*beside, *row[left : right + 1], *beside) for row in picture.rows[low : high + 1]]
    return Picture((*margin, *rows, *margin), picture.name)


def draw_outlines(plan: Plan, how: Rendering) -> tuple[Pixels, list[str]]:
    """Return the finished picture with lines between its pieces: palette indices and palette.

    It is cropped like any still picture, unless ``how.full`` is set.
    """
    import numpy as np

    from tetrisprinter.render.animation import make_painter
    from tetrisprinter.render.frames import make_last_frame

    frame = make_last_frame(plan)
    squares, pieces = frame.squares, frame.pieces
    assert pieces is not None
    if not how.full and squares.any():
        rows, columns = (np.unique(along) for along in squares.nonzero())
        inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        squares, pieces = squares[inside], pieces[inside]
        side = int(not squares.all()) if how.margin is None else how.margin
        squares, pieces = np.pad(squares, side), np.pad(pieces, side)
    height, width = squares.shape
    painter = make_painter(plan, how.look, (width, height))
    return painter.paint(squares, pieces), painter.palette


def _draw_outlined_png(plan: Plan, how: Rendering) -> bytes:
    """Draw the finished picture with lines between its pieces as PNG."""
    import numpy as np
    from PIL import Image

    pixels, palette = draw_outlines(plan, how)
    table = np.array([parse_rgb(color) for color in palette], dtype=np.uint8)
    image = Image.fromarray(table[pixels])
    if how.transparent:
        image.putalpha(Image.fromarray(((pixels != 0) * 255).astype(np.uint8)))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


class _Still:
    extensions = (".png",)
    summary = "the finished picture"
    transparent = True

    def check(self, how: Rendering) -> None:
        """Accept all options."""

    def write(
        self, file: IO[bytes], plan: Plan, how: Rendering, report: Report | None = None
    ) -> None:
        """Play to the end and draw the finished picture, cropped or on its board."""
        if how.look.style == "outlines":
            file.write(_draw_outlined_png(plan, how))
            return
        picture = make_field_picture(plan, play_through(plan).field)
        if not how.full:
            picture = crop_picture(picture, how.margin)
        look = replace(how.look, field=choose_field_for(plan, how.look.field))
        file.write(draw_png(picture, look=look, transparent=how.transparent))


PNG: Final[Renderer] = _Still()
