"""A still picture of a playfield."""

from __future__ import annotations

import io

from tetrisprinter.pictures.picture import Picture
from tetrisprinter.render.colors import rgb
from tetrisprinter.render.paint import Look, Painter

__all__ = ["png_bytes"]

_MAX_COLORS = 80


def png_bytes(
    picture: Picture, scale: int = 8, *, look: Look | None = None, transparent: bool = False
) -> bytes:
    """Draw a picture as PNG.

    Parameters
    ----------
    picture : Picture
        What to draw.
    scale : int
        Pixels per square; ignored when a look is given.
    look : Look, optional
        How to draw it: scale, style, grid.
    transparent : bool
        Leave empty squares transparent; otherwise they are black.

    Returns
    -------
    bytes
        The PNG file: RGB, or RGBA when transparent.

    Raises
    ------
    InputError
        If the image would be too large.
    ValueError
        If the picture has more colours than seven piece types could ever leave.
    """
    from PIL import Image

    colors = picture.colors()
    if len(colors) > _MAX_COLORS:
        raise ValueError(f"{len(colors)} colours are more than a print can have")
    painter = Painter(picture.width, picture.height, colors, look or Look(scale))
    tiles = dict(zip([None, *colors], painter.tiles, strict=True))
    # Joining bytes is enough for one picture, and spares it loading numpy.
    lines = (
        b"".join(tiles[color][line] for color in row)
        for row in reversed(picture.rows)
        for line in range(painter.scale)
    )
    image = Image.frombytes("P", painter.size, b"".join(lines))
    image.putpalette(b"".join(bytes(rgb(color)) for color in painter.palette))
    if transparent:
        image.info["transparency"] = 0
    out = io.BytesIO()
    image.convert("RGBA" if transparent else "RGB").save(out, "PNG", optimize=True)
    return out.getvalue()
