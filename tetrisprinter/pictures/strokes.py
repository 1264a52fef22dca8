"""Strokes thinner than a square: drawn as lines of squares instead of averaged away.

A stroke is seen against its *ground*, the flat colour around it: the paper, a speech bubble, a
dark window. Each square is looked at in many points. Where a stroke covers a part of a square, and
less of the squares beside it, the whole square gets its ink. Letters too small to be read become a
bar as long as their line; what has only a few of them, such as a number at an axis, is left out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.squares import Rgb

    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.float64]

_ACROSS: Final = 16
"""Points across a square, at most, in which strokes are looked for."""

_INKED: Final = 24
"""How far a channel of a stroke is from that of the ground, at least."""

_PALE: Final = 0.35
"""The same, as a share of how far the farthest ink is: a pale grid behind a chart is none."""

_FAINT: Final = 0.04
"""How much a stroke darkens its square, at least, as a share of a square full of the farthest."""

_SOLID: Final = 0.75
"""A square of which so much is covered belongs to a patch, and so do those around it."""

_SURE: Final = 0.3
"""A square of which so much is covered by strokes is inked, wherever they go."""

_PAIR: Final = 1.4
"""Two squares that share a stroke are both inked from this width of the stroke on."""

_CROWDED: Final = 0.2
"""Where more of the blocks of 2x2 squares are full of strokes, these are a texture."""

_LETTERS: Final = 1.4
"""Strokes in a row of points of a square, on average, from which on they are letters."""

_FADE: Final = 0.65
"""How pale a bar is that stands for small letters on a ground of their own."""

_PRESENT: Final = 0.1
"""The share of a square's points that have an ink, at least, for the square to be drawn in it."""

_COARSE: Final = 8
"""Points across a square, at most, in which it is asked what inks it has."""

_BETWEEN: Final = 40
"""How far a point beside the paper counts from an ink that it may be a pale edge of."""

_OPAQUE: Final = 128

_WORD: Final = 4
"""Squares of a line of small letters, at least, for it to be drawn as a bar."""


@dataclass(frozen=True, slots=True)
class Strokes:
    """A scaled drawing and its strokes."""

    image: Image.Image
    inks: Sequence[Rgb] = ()  # of each square that a stroke has
    mixtures: Set[Rgb] = frozenset()  # of them, those that are mixed with the ground on purpose
    letters: float = 0.0  # rows of squares that its small letters are high; 0 if it has none


def draw_strokes(
    image: Image.Image, scaled: Image.Image, grounds: Sequence[tuple[Rgb, bool]]
) -> Strokes:
    """Draw strokes thinner than a square as lines of squares on a scaled drawing."""
    import numpy as np
    from PIL import Image as Images

    paper = Images.new("RGBA", image.size, (*grounds[0][0], 255))
    paper.alpha_composite(image)
    points = _split(paper.convert("RGB"), scaled.size)
    channels = [np.ascontiguousarray(points[..., channel]) for channel in range(3)]
    aways = []
    for ground, _ in grounds:
        red, green, blue = (np.abs(c - value) for c, value in zip(channels, ground, strict=True))
        aways.append(np.maximum(np.maximum(red, green), blue))
    shares = [_sum_around(_sum_around((away < _INKED).mean(axis=(2, 3)))) for away in aways]
    nearest = np.argmax(shares, axis=0)
    result = np.array(scaled)
    lines, bars = np.zeros((2, *nearest.shape), bool)
    mixtures: set[Rgb] = set()
    heights: list[int] = []
    for number, (ground, is_paper) in enumerate(grounds):
        # What stands out on this ground: the farthest colour of each square, and its share
        away, mine = aways[number], nearest == number
        flat = np.where(away < _INKED, 0, away).reshape(*mine.shape, -1)
        index = flat.argmax(axis=2)[..., None]
        far = np.take_along_axis(flat, index, 2)[..., 0]
        farthest = far[mine].max(initial=1)
        is_inky = far >= max(_INKED, _PALE * farthest)
        covered = np.where(is_inky, flat.mean(axis=2) / np.maximum(far, 1), 0)
        strong = covered * far >= _FAINT * farthest
        thin = is_inky & mine & (np.max(_around(covered), axis=0) < _SOLID)
        # Lines of small letters are bars; other strokes are lines, on the paper of the drawing
        ink = away >= np.maximum(far, _INKED)[..., None, None] / 2
        small = _find_letters(ink, thin & strong)
        heights += _measure_heights(ink, small)
        bar = _find_long(small) & _find_lines(covered)
        colors = points.reshape(*mine.shape, -1, 3)
        inks = np.take_along_axis(colors, index[..., None], 2)[:, :, 0]
        if is_paper:
            line = thin & strong & _find_lines(np.where(small, 0, covered)) & ~small
            result[thin & (covered < _SURE), :3] = ground
            result[line, :3] = inks[line]
            lines |= line
        else:
            inks += (_FADE * (np.array(ground) - inks)).astype(np.int16)
            mixtures |= set(map(tuple, inks[bar].tolist()))
        result[small, :3] = ground
        result[bar, :3] = inks[bar]
        bars |= bar
    full = lines[1:, 1:] & lines[1:, :-1] & lines[:-1, 1:] & lines[:-1, :-1]
    if full.size and full.mean() > _CROWDED:
        return Strokes(scaled)
    found = lines | bars
    letters = sorted(heights)[len(heights) // 2] / points.shape[2] if bars.any() else 0.0
    red, green, blue = result[found, :3].T.tolist()
    return Strokes(
        Images.fromarray(result), list(zip(red, green, blue, strict=True)), mixtures, letters
    )


def find_present(
    image: Image.Image, scaled: Image.Image, inks: Sequence[Rgb]
) -> list[tuple[int, ...]]:
    """Return the indices of the inks in each square of a scaled drawing.

    The first ink is the paper. A pixel between the paper and another ink counts as that ink.
    """
    import numpy as np

    points = _split(image, scaled.size, _COARSE).astype(np.float32)
    away = points[..., :3] - np.array(inks[0], np.float32)
    off = [(away**2).sum(axis=4)]
    for ink in inks[1:]:
        line = np.subtract(ink, inks[0]).astype(np.float32)
        along = np.clip(away @ line / (line @ line), 0, 1)
        off.append(
            ((away - along[..., None] * line) ** 2).sum(axis=4) + (_BETWEEN * (1 - along)) ** 2
        )
    nearest = np.where(points[..., 3] < _OPAQUE, -1, np.argmin(np.stack(off), axis=0))
    drawn = np.array(scaled)[..., :3].astype(np.int16)
    has = [
        ((nearest == index).mean(axis=(2, 3)) >= _PRESENT)
        | (np.abs(drawn - np.array(ink)).max(axis=2) < _INKED / 2)
        for index, ink in enumerate(inks)
    ]
    squares = np.stack(has, axis=2).reshape(-1, len(inks)).tolist()
    return [tuple(index for index, is_here in enumerate(square) if is_here) for square in squares]


def _split(image: Image.Image, size: tuple[int, int], most: int = _ACROSS) -> NDArray[np.int16]:
    """Return the pixels of each square: row, column, row and column within it, channel."""
    import numpy as np
    from PIL import Image as Images

    columns, rows = size
    across = min(most, -(-image.width // columns))
    fine = (across * columns, across * rows)
    how = Images.Resampling.BOX if image.width > 2 * fine[0] else Images.Resampling.NEAREST
    pixels = np.asarray(image.resize(fine, how), np.int16)
    return pixels.reshape(rows, across, columns, across, -1).swapaxes(1, 2)


def _around(values: Numbers) -> list[Numbers]:
    """Return the values of each square and of its eight neighbours."""
    import numpy as np

    rows, columns = values.shape
    padded = np.pad(values, 1)
    return [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]


def _sum_around(values: Numbers) -> Numbers:
    return sum(_around(values)[1:], _around(values)[0])


def _find_lines(covered: Numbers) -> Flags:
    """Return the squares of lines, thinned to one square where strokes fill no more."""
    found: Flags = (covered > _SURE) | _stand_out(covered) | _stand_out(covered.T).T
    found &= ~_find_halves(covered) & ~_find_halves(covered.T).T
    return found


def _stand_out(covered: Numbers) -> Flags:
    """Return squares of strokes: much fuller than one side neighbour, not less than the other."""
    import numpy as np

    padded = np.pad(covered, ((0, 0), (1, 1)))
    before, after = padded[:, :-2], padded[:, 2:]
    most = covered >= 0.6 * np.maximum(before, after)
    found: Flags = most & (np.minimum(before, after) < 0.5 * covered)
    return found


def _find_halves(covered: Numbers) -> Flags:
    """Return the weaker of two side-by-side squares that share one stroke."""
    import numpy as np

    padded = np.pad(covered, 1)
    one, other = padded[1:-1, 1:-2], padded[1:-1, 2:-1]
    outside = np.maximum(padded[1:-1, :-3], padded[1:-1, 3:])
    sums = padded[:, 1:-2] + padded[:, 2:-1]
    goes_on = np.minimum(sums[:-2], sums[2:]) >= 0.85 * sums[1:-1]
    is_shared = goes_on & (sums[1:-1] < _PAIR) & (outside < 0.5 * np.maximum(one, other))
    weak = np.zeros(covered.shape, bool)
    weak[:, 1:] |= is_shared & (other <= one)
    weak[:, :-1] |= is_shared & (other > one)
    return weak


def _find_letters(ink: Flags, thin: Flags) -> Flags:
    """Return the thin squares that hold several short strokes side by side."""
    import numpy as np

    starts = ink[..., 0].sum(axis=2) + (ink[..., 1:] & ~ink[..., :-1]).sum(axis=(2, 3))
    runs = starts / np.maximum(ink.any(axis=3).sum(axis=2), 1)
    is_line = np.any(ink.all(axis=2), axis=2) | np.any(ink.all(axis=3), axis=2)
    may_be = thin & ~is_line
    found: Flags = may_be & (runs >= _LETTERS)
    beside = np.pad(found, ((0, 0), (1, 1)))
    found |= may_be & (beside[:, 2:] | beside[:, :-2])  # the last letter of a word
    return found


def _measure_heights(ink: Flags, letters: Flags) -> list[int]:
    """Return the pixel height of the lines of letters, for each column of squares."""
    import numpy as np

    rows, columns, across = ink.shape[:3]
    has_ink = np.any(ink, axis=3).transpose(1, 0, 2).reshape(columns, rows * across)
    marked = letters.T.repeat(across, axis=1)
    heights = []
    for line, mark in zip(has_ink, marked, strict=True):
        ends = np.flatnonzero(np.diff(np.pad(line.astype(np.int8), 1))).reshape(-1, 2)
        heights += [int(b - a) for a, b in ends if mark[a:b].any()]
    return heights


def _find_long(letters: Flags) -> Flags:
    """Return the small letters that are part of a long line."""
    import numpy as np

    kept = np.zeros(letters.shape, bool)
    for y, row in enumerate(letters.tolist()):
        # A gap of one square is between words.
        closed = [
            one or (0 < x < len(row) - 1 and row[x - 1] and row[x + 1]) for x, one in enumerate(row)
        ]
        x = 0
        for is_line, group in itertools.groupby(closed):
            wide = len(list(group))
            kept[y, x : x + wide] = is_line and wide >= _WORD
            x += wide
    return kept & letters
