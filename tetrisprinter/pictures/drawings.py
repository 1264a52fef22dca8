"""Drawings: their grounds and inks, strokes thinner than a square, details of pixel art.

The few colours of a drawing, its *inks*, lie in flat patches. A *ground* is a flat colour on which
there may be strokes, such as a speech bubble or a dark window; the *paper* is the ground of at
least half of a drawing.

A stroke thinner than a square is drawn as a line of squares instead of averaged away. It stands out
from its ground. Each square is sampled at many points. Where a stroke covers some of a square, and
less of the squares beside it, the entire square gets the colour of the stroke. Letters too small to
be read become a bar as long as their line.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from math import isqrt
from operator import mul, sub
from typing import Final, cast

from tetrisprinter.pictures import reduction
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.pictures.reduction import Point, Rgb

_ALIKE: Final = 0.5
"""The least share of a drawing's pixels that equal the pixels on their right and below."""

_PATCHED: Final = 0.2
"""The least share of an ink's pixels that equal the pixels on their right and below."""

_GROUND: Final = 0.03  # the least share of an image's pixels that have the colour of a ground

_PAPER_SHARE: Final = 0.5
"""A ground with at least this share of an image is the paper of a line drawing."""

_GROUNDS: Final = 4  # strokes are searched on at most this number of grounds

_APART: Final = 24
"""The least difference in some channel (of 255) between two grounds, or between a detail and a
mixture."""

_INK: Final = 0.003
"""The least share of pixels, or of the small picture's squares with strokes, that an ink has."""

_SAME: Final = 0.045  # colours closer than this (in OKLab) count as one ink

_COVERED: Final = 0.8
"""The least share of a drawing that its inks cover; other pixels are mixtures along edges."""

_PLAIN: Final = 0.99
"""The least share of a drawing without shades that its inks and their edges have.

Measured: all of two texts, a line drawing, a flag of 50 stars and two sprites. A text blurred by
two pixels and a heat map have no inks at all.
"""

_JUMP: Final = 0.15
"""The least mean difference (in OKLab) from a pixel at an edge to the next; less is a blur.

Measured: 0.52 and 0.57 in texts with soft edges, 0.41 after a blur of half a pixel, 0.23 after one.
"""

_DETAILS: Final = 0.01
"""Details without patches get inks if they cover at least this share of a drawing."""

_DETAIL: Final = 0.1
"""Details get more inks until their mean distance (in OKLab) from the inks is at most this."""

_AWAY: Final = 0.1
"""The colour of a detail is farther than this (in OKLab) from all inks; nearer ones are halos."""

_SEVERAL: Final = 8  # mixtures are formed of at most this number of a drawing's most common inks

Neighbours = Sequence[tuple[Rgb | None, Rgb | None]]
"""For each pixel: the pixel on its right and the pixel below."""


def are_apart(color: Rgb, other: Rgb) -> bool:
    """Return whether two colours are different grounds, and not one with small errors."""
    return any(abs(a - b) >= _APART for a, b in zip(color, other, strict=True))


def find_grounds(sample: Sequence[Rgb | None], neighbors: Neighbours) -> list[tuple[Rgb, bool]]:
    """Return the grounds of an image, the commonest first, and whether each is its paper.

    The list is empty if less than half of the image is flat.
    """
    flat = _count_flat(sample, neighbors)
    total = sum(pixel is not None for pixel in sample)
    if flat.total() < _ALIKE * total:
        return []
    grounds: list[tuple[Rgb, bool]] = []
    for color, count in sorted(flat.items(), key=lambda item: (-item[1], item[0])):
        if count < _GROUND * total or len(grounds) == _GROUNDS:
            break
        if all(are_apart(color, ground) for ground, _ in grounds):
            grounds.append((color, count >= _PAPER_SHARE * total))
    return grounds


def _count_flat(sample: Sequence[Rgb | None], neighbors: Neighbours) -> Counter[Rgb]:
    """Count for each colour the pixels that equal the pixels on their right and below."""
    pairs = zip(sample, neighbors, strict=True)
    return Counter(pixel for pixel, pair in pairs if pixel is not None and pair == (pixel, pixel))


def find_inks(
    sample: Sequence[Rgb | None], neighbors: Neighbours, strokes: Sequence[Rgb], square_count: int
) -> list[Rgb]:
    """Return the inks of a drawing, the commonest first; none if the image is a photo.

    An ink fills patches, where neighbouring pixels are equal, or thin strokes. All other colours
    are mixtures along the edges.
    """
    counts = Counter(pixel for pixel in sample if pixel is not None)
    total = counts.total()
    flat = _count_flat(sample, neighbors)
    if flat.total() < _ALIKE * total:
        return []
    shares = {color: n / total for color, n in counts.items() if flat[color] >= _PATCHED * n}
    for color, n in Counter(strokes).items():
        shares[color] = max(shares.get(color, 0.0), n / square_count)
    inks: list[Rgb] = []
    points: list[Point] = []
    for color, share in sorted(shares.items(), key=lambda item: (-item[1], item[0])):
        if share < _INK:
            break
        if not _is_shown(color, points):
            inks.append(color)
            points.append(reduction.to_point(color))
    hidden = {color: n for color, n in counts.items() if not _is_shown(color, points)}
    if sum(hidden.values()) > (1 - _COVERED) * total:
        return []
    details = {
        color: n
        for color, n in hidden.items()
        if reduction.find_nearest(reduction.to_point(color), points)[1] > _AWAY**2
        and not _is_mixed(color, inks[:_SEVERAL])
    }
    return inks + _choose_inks(details, points, total)


def find_tones(
    sample: Sequence[Rgb | None], neighbors: Neighbours, inks: Sequence[Rgb]
) -> Sequence[Rgb]:
    """Return the inks that make up a drawing without shades, such as a text or a flag; else none.

    If paper and one ink are enough, these two are returned.
    """
    if len(inks) < 2:
        return ()
    paper = reduction.to_point(inks[0])
    ink = max(inks[1:], key=lambda ink: (math.dist(paper, reduction.to_point(ink)), ink))
    for tones in ((inks[0], ink), inks):
        if _is_plain(sample, neighbors, tones):
            return tones
    return ()


def _is_plain(sample: Sequence[Rgb | None], neighbors: Neighbours, inks: Sequence[Rgb]) -> bool:
    """Return whether all pixels but few have an ink or lie at the edge of two inks.

    At such an edge the colour jumps from pixel to pixel, and it fills no patch.
    """
    points = [reduction.to_point(ink) for ink in inks]
    total = faults = edges = 0
    jumps = 0.0
    fades: dict[Rgb, bool] = {}
    for pixel, pair in zip(sample, neighbors, strict=True):
        if pixel is None:
            continue
        total += 1
        if pixel not in fades:
            fades[pixel] = not _is_shown(pixel, points)
        if not fades[pixel]:
            continue
        if pair == (pixel, pixel) or not _is_mixed(pixel, inks[:_SEVERAL]):
            faults += 1
            continue
        edges += 1
        own = reduction.to_point(pixel)
        jumps += max(math.dist(own, reduction.to_point(other or reduction.WHITE)) for other in pair)
    return faults <= (1 - _PLAIN) * total and jumps >= _JUMP * edges


def _is_shown(color: Rgb, palette: Sequence[Point]) -> bool:
    """Return whether a colour looks like one of a palette."""
    return reduction.find_nearest(reduction.to_point(color), palette)[1] <= _SAME**2


def _is_mixed(color: Rgb, inks: Sequence[Rgb]) -> bool:
    """Return whether a colour lies between two inks, so that it may be the edge of both."""
    for ink, other_ink in itertools.combinations(inks, 2):
        share, distance = find_mixture(color, ink, other_ink)
        if 0 < share < 1 and distance < _APART:
            return True
    return False


def _choose_inks(details: Mapping[Rgb, int], points: Sequence[Point], total: int) -> list[Rgb]:
    """Return a few colours for details of a drawing that have no patches."""
    if sum(details.values()) < _DETAILS * total:
        return []
    colors = [reduction.to_point(color) for color, count in details.items() for _ in range(count)]
    new_inks: list[Point] = []
    for palette in reduction.choose_palettes(colors, _SEVERAL // 2, points):
        new_inks = palette[: -len(points)]
        if reduction.measure_error(colors, palette) <= _DETAIL:
            break
    return [reduction.to_rgb(point) for point in new_inks]


def find_mixture(color: Rgb, first: Rgb, second: Rgb) -> tuple[float, float]:
    """Return the share of ``second`` in the mixture nearest to a colour, and the distance to it.

    The distance is the largest difference in one channel. The other component is ``first``.

    >>> find_mixture((60, 100, 0), (0, 100, 0), (80, 100, 0))
    (0.75, 0.0)
    """
    direction = [b - a for a, b in zip(first, second, strict=True)]
    offset = [c - a for a, c in zip(first, color, strict=True)]
    share: float = sum(map(mul, direction, offset)) / max(1, sum(map(mul, direction, direction)))
    share = min(1.0, max(0.0, share))
    return share, max(abs(a - share * b) for a, b in zip(offset, direction, strict=True))


# Strokes thinner than a square.

ACROSS: Final = 16
"""At most this number of points across a square is searched for strokes."""

COARSE: Final = 8
"""At most this number of points across a square is searched for inks."""

_INKED: Final = 24  # the least difference of a stroke from the ground in some channel (of 255)

_PALE: Final = 0.35
"""The same as a share of the largest difference, so that pale grids of charts are no strokes."""

_SOLID: Final = 0.75
"""A square is in a patch if at least this share is covered, unless the square is in a line."""

_SURE: Final = 0.3  # a square is always inked if strokes cover more than this share of the square

_END: Final = 0.3
"""The end of a stroke is inked if it is covered this share as much as the square before it."""

_LETTERS: Final = 1.4
"""A square holds letters if its rows of points cross at least this many strokes on average."""

_WORD: Final = 0.5
"""Connected strokes are a word if at least this share of their columns holds letters."""

_NEAR: Final = 5
"""The middle of a line of letters is averaged over this many columns on either side."""

_FADE: Final = 0.65
"""The share of the ground in the colour of a bar for letters on a ground that is not paper."""

_PRESENT: Final = 0.1
"""A square may be drawn in an ink if at least this share of its points has the ink."""

_BETWEEN: Final = 40  # this is added to the distance (RGB) of a paper-coloured point from every ink

_EDGE: Final = 40
"""A square is the edge of a patch if it differs at most this much from patch mixed with ground."""

_CORE: Final = 0.7  # the share of a text line's height that the bar for its letters fills

Squares = Sequence[Rgb | None]


class _Grid:
    """The squares of a picture in a list (``at`` is an index), with a frame of one square."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows, self.stride = columns, rows, columns + 2
        self.size = self.stride * (rows + 2)
        # Where each square of the picture is in the list
        self.inner = [(y + 1) * self.stride + x + 1 for y in range(rows) for x in range(columns)]
        self.around = [y * self.stride + x for y in (-1, 0, 1) for x in (-1, 0, 1)]

    def sum_around(self, values: Sequence[float]) -> list[float]:
        """Return for each square the sum over the square and its eight neighbours."""
        sums = [0.0] * self.size
        for at in self.inner:
            sums[at] = sum(values[at + step] for step in self.around)
        return sums


def draw_strokes(
    points: bytes, squares: Squares, columns: int, grounds: Sequence[tuple[Rgb, bool]]
) -> tuple[Squares, Sequence[Rgb], float]:
    """Draw strokes thinner than a square as lines of squares on a scaled drawing.

    Return the squares, the colours of those that are drawn as strokes, and the height of the small
    letters in squares (0 if there are none).

    ``points`` are RGBA, up to ``ACROSS`` x ``ACROSS`` for each square.
    """
    from tetrisprinter.pictures._kernel import measure_squares
    from tetrisprinter.support.kernels import make_numbers, zeros

    frame = _Grid(columns, len(squares) // columns)
    inner, stride = frame.inner, frame.stride
    across = isqrt(len(points) // 4 // len(squares))
    data, paper = memoryview(bytearray(points)), grounds[0][0]
    measures = []
    for ground, _ in grounds:
        results = zeros("q", 7, frame.size)
        measure_squares(data, columns, across, make_numbers((*ground, *paper)), _INKED, results)
        measures.append(cast("list[list[int]]", results.tolist()))
    shares = [frame.sum_around(similar_counts) for similar_counts, *_ in measures]
    nearest = [
        max(range(len(grounds)), key=lambda n: counts[n]) for counts in zip(*shares, strict=True)
    ]
    stroke_colors: dict[int, Rgb] = {}
    cleared: dict[int, Rgb] = {}
    heights: list[int] = []
    for number, (ground, is_paper) in enumerate(grounds):
        # For each square: the colour that differs most from this ground, and the covered share
        _, differences, inks, sums, run_counts, inked, full = measures[number]
        farthest = max((differences[at] for at in inner if nearest[at] == number), default=1)
        threshold, area = max(_INKED, _PALE * farthest), across * across
        covered = [
            difference_sum / area / difference if difference >= threshold else 0.0
            for difference, difference_sum in zip(differences, sums, strict=True)
        ]
        # Full squares are a patch, except in a line, where the squares beside are hardly covered
        patches = {
            at
            for at in inner
            if covered[at] >= _SOLID
            and all(
                max(covered[at - step], covered[at + step]) >= 0.5 * covered[at]
                for step in (1, stride)
            )
        }
        thin = {
            at
            for at in inner
            if nearest[at] == number and differences[at] >= threshold and at not in patches
        }
        colors = {at: parse_rgb(f"{inks[at]:06x}") for at in thin | patches}
        # The edge of a patch is not a stroke, but a chart's axis that touches a bar is
        edges = {
            at
            for at in thin
            if any(
                at + step in patches
                and find_mixture(colors[at], ground, colors[at + step])[1] <= _EDGE
                for step in frame.around
            )
        }
        # Draw lines of small letters as bars, and other strokes on the paper as lines
        runs = [n / max(1, rows.bit_count()) for n, rows in zip(run_counts, inked, strict=True)]
        letters = _find_letters(frame, {at for at in thin - edges if not full[at]}, runs)
        text = _find_text(frame, inked, letters, across)
        heights += [below - above for _, above, below in text]
        cleared |= dict.fromkeys(letters, ground)
        for at in thin & _find_bars(text, frame, across):
            fade = 0.0 if is_paper else _FADE
            pairs = zip(colors[at], ground, strict=True)
            red, green, blue = (c + int(fade * (g - c)) for c, g in pairs)
            stroke_colors[at] = red, green, blue
        if is_paper:
            letterless = [0.0 if at in letters else share for at, share in enumerate(covered)]
            cleared |= {at: ground for at in thin - edges if covered[at] < _SURE}
            lines = thin & _find_lines(frame, letterless) - edges
            stroke_colors |= {at: colors[at] for at in lines}
    cleared |= stroke_colors
    return (
        [square and cleared.get(at, square) for at, square in zip(inner, squares, strict=True)],
        [stroke_colors[at] for at in sorted(stroke_colors)],
        sorted(heights)[len(heights) // 2] / across if heights else 0.0,
    )


def find_present_inks(
    points: bytes, squares: Squares, columns: int, inks: Sequence[Rgb]
) -> list[tuple[int, ...]]:
    """Return the indices of the inks in each square of a scaled drawing.

    The first ink is the paper. A point between the paper and another ink counts as that ink.
    """
    from tetrisprinter.pictures._kernel import count_inks
    from tetrisprinter.support.kernels import make_numbers, zeros

    area = len(points) // 4 // len(squares)
    channels = make_numbers(channel for ink in inks for channel in ink)
    counts = zeros("q", len(squares) * len(inks))
    count_inks(memoryview(bytearray(points)), columns, isqrt(area), channels, _BETWEEN, counts)
    present = []
    for at, square in enumerate(squares):
        color = square or (0, 0, 0)
        present.append(
            tuple(
                number
                for number, ink in enumerate(inks)
                if counts[at * len(inks) + number] >= _PRESENT * area
                or max(map(abs, map(sub, color, ink))) < _INKED / 2
            )
        )
    return present


def _find_lines(frame: _Grid, covered: Sequence[float]) -> set[int]:
    """Return the squares of lines that are one square wide.

    Such a square is well covered, or twice as full as the square on one side and at least 0.6 times
    as full as the square on the other side.
    """
    lines = {at for at in frame.inner if covered[at] > _SURE}
    for across, along in ((1, frame.stride), (frame.stride, 1)):  # steps across and along a line
        for at in frame.inner:
            emptier, fuller = sorted((covered[at - across], covered[at + across]))
            behind, ahead = sorted((covered[at - along], covered[at + along]))
            continues = covered[at] >= _END * ahead or behind >= 0.5 * covered[at]
            if covered[at] >= 0.6 * fuller and emptier < 0.5 * covered[at] and continues:
                lines.add(at)
    return lines


def _find_letters(frame: _Grid, strokes: Set[int], runs: Sequence[float]) -> set[int]:
    """Return the squares of words: connected strokes with letters in at least half the columns."""
    words: set[int] = set()
    remaining = set(strokes)
    while remaining:
        word, new = set[int](), {remaining.pop()}
        while new:
            word |= new
            # A word continues across a gap of one square
            new = {at + step for at in new for step in (*frame.around, -2, 2)} & remaining
            remaining -= new
        columns = {at % frame.stride for at in word}
        lettered = {at % frame.stride for at in word if runs[at] >= _LETTERS}
        if len(lettered) >= _WORD * len(columns):
            words |= word
    return words


def _find_text(
    frame: _Grid, inked: Sequence[int], letters: Set[int], across: int
) -> list[tuple[int, int, int]]:
    """Return the column (in squares), top and bottom (in points) of each run of letters."""
    text = []
    for x in range(frame.columns if letters else 0):
        column = frame.inner[x :: frame.columns]
        points = ((inked[at] >> bit & 1, at in letters) for at in column for bit in range(across))
        below = 0
        for has_ink, run in itertools.groupby(points, key=lambda point: point[0]):
            are_letters = [is_letter for _, is_letter in run]
            above, below = below, below + len(are_letters)
            if has_ink and any(are_letters):
                text.append((x, above, below))
    return text


def _find_bars(text: Sequence[tuple[int, int, int]], frame: _Grid, across: int) -> set[int]:
    """Return the squares of the bars that replace lines of letters; a bar follows its line."""
    bars = set()
    for x, above, below in text:
        same_line = [
            (top, end)
            for column, top, end in text
            if abs(column - x) <= _NEAR and abs(top + end - above - below) < across
        ]
        middle = sum(top + end for top, end in same_line) / len(same_line) / 2 / across
        height = max(1, round(_CORE * (below - above) / across))
        first_row = min(max(0, round(middle - height / 2)), frame.rows - height)
        bars |= {frame.inner[y * frame.columns + x] for y in range(first_row, first_row + height)}
    return bars


# Details of pixel art.

_EYES: Final = 2
"""A colour with more lost details than this is a pattern, of which nothing is drawn elsewhere."""


def keep_details(
    pixels: Squares, pixel_columns: int, squares: Squares, width: int, inks: Sequence[Rgb]
) -> list[Rgb | None]:
    """Return the squares of shrunk pixel art, with one square for each lost detail of the figure.

    A detail, such as an eye, is a patch of one colour, no larger than a square; the mean of the
    pixels around it hides it. Its square touches no square of the same colour, such as an outline,
    so it may be drawn beside its place.
    """
    points = [reduction.to_point(ink) for ink in inks]
    result = [
        square and inks[reduction.find_nearest(reduction.to_point(square), points)[0]]
        for square in squares
    ]
    nearest, height = list(result), len(squares) // width
    largest = len(pixels) // len(squares)
    # A detail of the outline's colour that touches the outline at a corner is a part of it
    eyes = [(c, set(patch)) for c, patch in _find_patches(pixels, pixel_columns, largest, True)]
    counts = Counter(color for color, _ in eyes)
    for color, patch in _find_patches(pixels, pixel_columns, largest):
        columns, rows = zip(*patch, strict=True)
        x = (sum(columns) / len(patch) + 0.5) * width / pixel_columns
        y = (sum(rows) / len(patch) + 0.5) * height * pixel_columns / len(pixels)
        near = [
            (column, row)
            for row in range(max(0, int(y) - 1), min(height, int(y) + 2))
            for column in range(max(0, int(x) - 1), min(width, int(x) + 2))
        ]
        around = [result[row * width + column] for column, row in near]
        alone = [place for place in near if _is_alone(result, width, place, color)]
        if color not in around:
            alone = [(int(x), int(y))]
        elif (
            (color, set(patch)) not in eyes
            or counts[color] > _EYES
            or any(result[r * width + c] == color for c, r in alone)
        ):
            continue  # a part of the outline, a pattern, or a detail that is not lost
        if alone:
            column, row = min(alone, key=lambda at: math.dist(at, (x - 0.5, y - 0.5)))
            result[row * width + column] = color
    changed = zip(squares, nearest, result, strict=True)
    return [square if before == after else after for square, before, after in changed]


def _is_alone(squares: Squares, width: int, place: tuple[int, int], color: Rgb | None) -> bool:
    """Return whether no square above, below or beside a place has a colour."""
    x, y = place
    beside = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    height = len(squares) // width
    return all(
        squares[row * width + column] != color
        for column, row in beside
        if 0 <= column < width and 0 <= row < height
    )


def _find_patches(
    pixels: Squares, width: int, largest: int, joins_corners: bool = False
) -> Iterable[tuple[Rgb | None, list[tuple[int, int]]]]:
    """Yield the patches of one colour, up to a size, that do not touch the border of an image.

    With ``joins_corners``, pixels that touch at a corner are in one patch.
    """
    height = len(pixels) // width
    left = set(range(len(pixels)))
    steps = [-1, 1, -width, width]
    if joins_corners:
        steps += [-width - 1, -width + 1, width - 1, width + 1]
    while left:
        patch = [left.pop()]
        color, is_inside = pixels[patch[0]], True
        for at in patch:
            y, x = divmod(at, width)
            is_inside &= 0 < x < width - 1 and 0 < y < height - 1
            for other in (at + step for step in steps):
                is_beside = abs(other % width - x) <= 1
                if other in left and is_beside and pixels[other] == color:
                    left.remove(other)
                    patch.append(other)
        if is_inside and len(patch) <= largest:
            yield color, [(at % width, at // width) for at in patch]
