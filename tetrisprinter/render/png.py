"""A still picture of a playfield."""

from __future__ import annotations

import io

from tetrisprinter.picture import Picture
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
    import numpy as np
    from PIL import Image

    colors = picture.colors()
    if len(colors) > _MAX_COLORS:
        raise ValueError(f"{len(colors)} colours are more than a print can have")
    number: dict[str | None, int] = {None: 0}
    number.update((color, i) for i, color in enumerate(colors, 1))
    painter = Painter(picture.width, picture.height, colors, look or Look(scale))
    squares = np.array([[number[c] for c in row] for row in picture.rows], dtype=np.uint8)
    pixels = painter.paint(squares.reshape(picture.height, picture.width))
    data = painter.rgb(pixels)
    if transparent:
        alpha = np.where(pixels == 0, 0, 255).astype(np.uint8)
        data = np.dstack([data, alpha])
    out = io.BytesIO()
    Image.fromarray(data).save(out, "PNG", optimize=True)
    return out.getvalue()
