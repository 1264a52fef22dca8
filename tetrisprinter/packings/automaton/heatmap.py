"""The atlas as a picture: a square for each width and number of emitted squares."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

from tetrisprinter.packings.automaton.atlas import AtlasEntry

_CELL: Final = 14  # pixels from one square to the next
_LEFT: Final = 30  # left margin in pixels
_TOP: Final = 20  # top margin in pixels
_NO_HEIGHT: Final = (238, 238, 238)  # colour if divisibility excludes every height
_NOT_ALL: Final = (60, 60, 70)  # colour if some position sets need more rows
_OF_HEIGHT: Final = {  # colour by height
    1: (255, 255, 204),
    2: (199, 233, 180),
    3: (127, 205, 187),
    4: (65, 182, 196),
    5: (29, 145, 192),
    6: (34, 94, 168),
}


def draw_heatmap(entries: Sequence[AtlasEntry]) -> bytes:
    """Draw the atlas as a heat map (PNG).

    The colour of a square shows the height that suffices for every set of positions. Grey means
    that divisibility allows none of the heights; dark means that some positions need more rows. A
    dot has the colour of the least height that prints any set of positions, if that height differs.
    """
    from PIL import Image, ImageDraw

    widths = sorted({e.width for e in entries})
    emitted = sorted({e.emitted for e in entries})
    legend = 3 * _CELL
    size = (
        _LEFT + _CELL * max(len(widths), 30) + _CELL,
        _TOP + _CELL * (len(emitted) + 1) + legend,
    )
    image = Image.new("RGB", size, (255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.text((4, 4), "squares emitted (down) in rows of a width (across)", (0, 0, 0))
    for row, count in enumerate(emitted):
        draw.text((_LEFT - 14, _TOP + _CELL * row), str(count), (0, 0, 0))
    bottom = _TOP + _CELL * len(emitted)
    for column, width in enumerate(widths):
        if width % 5 == 0:
            draw.text((_LEFT + _CELL * column, bottom), str(width), (0, 0, 0))
    for e in entries:
        x = _LEFT + _CELL * widths.index(e.width)
        y = _TOP + _CELL * emitted.index(e.emitted)
        if not e.divisible_heights:
            color = _NO_HEIGHT
        elif e.sufficient_height is None:
            color = _NOT_ALL
        else:
            color = _OF_HEIGHT[e.sufficient_height]
        draw.rectangle((x, y, x + _CELL - 2, y + _CELL - 2), color)
        if e.least_height is not None and e.least_height != e.sufficient_height:
            draw.ellipse((x + 3, y + 3, x + _CELL - 5, y + _CELL - 5), _OF_HEIGHT[e.least_height])
    x, y = _LEFT, bottom + 2 * _CELL
    keys = [(f"{h}", c) for h, c in _OF_HEIGHT.items() if h in entries[0].heights]
    keys += [("more for some", _NOT_ALL), ("not divisible", _NO_HEIGHT)]
    draw.text((4, y), "rows:", (0, 0, 0))
    x += 10
    for name, color in keys:
        draw.rectangle((x, y, x + _CELL - 2, y + _CELL - 2), color)
        draw.text((x + _CELL + 2, y), name, (0, 0, 0))
        x += _CELL + 14 + 6 * len(name)
    stream = io.BytesIO()
    image.save(stream, "PNG", optimize=True)
    return stream.getvalue()
