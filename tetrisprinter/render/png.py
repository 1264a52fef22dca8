"""A still picture of a playfield."""

from __future__ import annotations

import io

from tetrisprinter.picture import Picture

__all__ = ["png_bytes"]


def png_bytes(picture: Picture, scale: int = 8) -> bytes:
    """Draw a picture as PNG, ``scale`` x ``scale`` pixels per square, black where empty."""
    from PIL import Image

    data = b"".join(
        bytes.fromhex(color or "000000") for row in reversed(picture.rows) for color in row
    )
    image = Image.frombytes("RGB", (picture.width, picture.height), data)
    image = image.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
