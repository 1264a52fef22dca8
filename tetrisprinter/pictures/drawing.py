"""Drawings, told from photographs, and their colours.

A logo, an emoji or a screenshot has a few colours in patches; thousands more lie only on the
edges between them, where they are mixed (antialiasing), and around these (JPEG). Averaged
down to some dozen squares, such an image would be all edge. So its colours are looked up where
the image is *calm*, inside the patches, and every other pixel takes the nearest of them; then
it is pixel art and is scaled like that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["flattened"]

_LOOKED_AT: Final = 320
"""Pixels of the long side of the image that is looked at; more tells nothing new."""

_CALM: Final = 14
"""How far two neighbours' channels differ at most inside a patch."""

_NEARLY: Final = 0.997
"""Share of the calm pixels that are looked at: what is left are specks."""

_SHADES: Final = 250
"""Shades (cubes of eight steps a channel) that a drawing's patches have at most, noise included."""

_PATCHES: Final = 0.6
"""Share of the image that is calm in a drawing, at least."""


def flattened(image: Image.Image, most: int) -> Image.Image | None:
    """Return a drawing in its own few colours, opaque or transparent; None if it is none.

    Parameters
    ----------
    image : PIL.Image.Image
        In mode RGBA.
    most : int
        So many colours it may have.

    Returns
    -------
    PIL.Image.Image or None
        At most some hundred pixels wide and high.

    Examples
    --------
    >>> from PIL import Image
    >>> half = Image.new("RGBA", (9, 9), "red")
    >>> half.paste("white", (0, 0, 4, 9))
    >>> half.putpixel((4, 4), (255, 128, 128, 255))
    >>> len(flattened(half, 3).getcolors())
    2
    """
    import numpy as np
    from PIL import Image as Images

    from tetrisprinter.pictures.palette import FINE, error, nearest, number_needed, reduced

    step = -(-max(image.size) // _LOOKED_AT)
    pixels = np.ascontiguousarray(np.asarray(image)[step // 2 :: step, step // 2 :: step])
    rgb, opaque = pixels[..., :3], pixels[..., 3] >= 128
    if min(rgb.shape[:2]) < 3 or not opaque.any():
        return None
    calm = opaque & _is_calm(np.where(opaque[..., None], rgb, 0))
    if calm.sum() < _PATCHES * opaque.sum():
        return None
    colors, counts = _main_colors(rgb[calm])
    if len(colors) > _SHADES:
        return None
    number = min(most, len(colors))
    if error(colors, counts, reduced(colors, counts, number)) > FINE:
        return None
    palette = reduced(colors, counts, number_needed(colors, counts, number, drawn=True))
    index = nearest(rgb.reshape(-1, 3), palette).reshape(opaque.shape)
    flat = np.dstack([palette[index], np.where(opaque, 255, 0)]).astype(np.uint8)
    return Images.fromarray(np.ascontiguousarray(flat))


def _main_colors(rgb: Any) -> tuple[Any, Any]:
    """Return the colours that make up nearly all of the pixels, one for each small cube."""
    import numpy as np

    cubes = (rgb >> 3).astype(np.int64) @ np.array([1 << 10, 1 << 5, 1])
    _, cube, sizes = np.unique(cubes, return_inverse=True, return_counts=True)
    exact, first, counts = np.unique(rgb, axis=0, return_index=True, return_counts=True)
    best = np.zeros(len(sizes), dtype=np.intp)
    order = np.argsort(counts, kind="stable")
    best[cube[first[order]]] = order  # the commonest of each cube is written last
    largest = np.argsort(-sizes, kind="stable")
    enough = int(np.searchsorted(np.cumsum(sizes[largest]), _NEARLY * len(rgb))) + 1
    kept = largest[:enough]
    return exact[best[kept]], sizes[kept]


def _is_calm(rgb: Any) -> Any:
    """Return where a pixel is much like those on both sides of it, across and down."""
    import numpy as np

    channels = rgb.astype(np.int16)
    calm = np.ones(rgb.shape[:2], dtype=bool)
    for axis in (0, 1):
        rough = np.abs(np.diff(channels, axis=axis)).max(axis=2) > _CALM
        before: Any = [(0, 0), (0, 0)]
        after: Any = [(0, 0), (0, 0)]
        before[axis], after[axis] = (1, 0), (0, 1)
        calm &= ~np.pad(rough, before) & ~np.pad(rough, after)
    return calm
