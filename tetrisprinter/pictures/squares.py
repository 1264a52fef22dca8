"""The last steps of a conversion, on the squares of the small picture.

An image has been scaled down to some dozen squares a side. Here its contrast is stretched, its
edges are sharpened, a palette is chosen and every square gets a colour of the palette. The module
is plain Python on lists, so it also runs in a browser.

A colour is a *point* in OKLab (Ottosson 2020), where equal distances look about equally large.
Its two axes of hue are stretched by 1.8, because an eye sees a wrong hue before a wrong shade.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from operator import mul
from typing import Final

__all__ = [
    "Point",
    "Rgb",
    "assign_colors",
    "choose_palettes",
    "count_changes",
    "diffuse_error",
    "find_limits",
    "find_mixture",
    "find_nearest",
    "measure_distance",
    "measure_error",
    "recolor",
    "saturate",
    "sharpen",
    "soften",
    "stretch",
    "to_oklab",
    "to_point",
    "to_rgb",
]

Rgb = tuple[int, int, int]
Point = tuple[float, float, float]
Squares = Sequence[Point | None]
"""The colours of squares row by row, the top row first; None where the picture is transparent."""

_HUE: Final = 1.8
"""The factor by which a difference in hue counts more than a difference in lightness."""

_CUT: Final = 0.01
"""The share of squares that may become all black, or all white, when contrast is stretched."""

_GAIN: Final = 2.5
"""Contrast is stretched at most by this factor, so that a foggy image stays foggy."""

_RADIUS: Final = 1.2
"""Standard deviation in squares of the blur that sharpening subtracts."""

_OVERSHOOT: Final = 0.05
"""How far sharpening may exceed the colours around a square: more would look like a rim."""

_SMOOTH: Final = 0.065
"""An image is smooth if sharpening changes half of it by at most this share of its spread."""

_CELL: Final = 0.06
"""The side of a cell of the colour space; the colours of a cell are counted together."""

_ROUNDS: Final = 12
"""Rounds of k-means after each new colour."""

_SPECK: Final = 0.0036
"""A colour's squared distance is reduced by this for each neighbour that has the colour."""

_WHITE: Final = (255, 255, 255)
_PAPER: Final = (1.0, 0.0, 0.0)
"""White and its point: the colour that an eye sees where a picture is transparent."""

_EYE_BLUR: Final = (0.15, 0.7, 0.15)
"""The weights, along each axis, of the blur by which squares blend for an eye."""

_BESIDE: Final = ((0, -1), (-1, 0), (1, 0), (0, 1))
_AT_TWO: Final = ((0, -2), (-2, 0), (2, 0), (0, 2))
_SHARE: Final = 0.18
_SHARE_AT_TWO: Final = -0.06
"""The share of errors, one and two squares away, that the colour of a square compensates.

An eye sees errors and their gradients under a blur (0.15, 0.7, 0.15 along each axis). There, errors
beside a square add to its own error, and errors two squares away subtract from it.
"""

_SWEEPS: Final = 4
"""The most sweeps over the squares to remove specks."""

_LINEAR: Final = tuple(
    n / 255 / 12.92 if n <= 10 else ((n / 255 + 0.055) / 1.055) ** 2.4 for n in range(256)
)


@functools.lru_cache(maxsize=1 << 14)
def to_point(rgb: Rgb) -> Point:
    """Return the OKLab point of a colour, with stretched hues.

    >>> [round(n, 3) for n in to_point((255, 0, 0))]
    [0.628, 0.405, 0.227]
    """
    light, a, b = to_oklab(rgb)
    return light, _HUE * a, _HUE * b


def to_oklab(rgb: Rgb) -> Point:
    """Return a colour in OKLab, where equal distances look about equal (Ottosson 2020)."""
    r, g, b = _LINEAR[rgb[0]], _LINEAR[rgb[1]], _LINEAR[rgb[2]]
    x = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    y = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    z = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * x + 0.7936177850 * y - 0.0040720468 * z,
        1.9779984951 * x - 2.4285922050 * y + 0.4505937099 * z,
        0.0259040371 * x + 0.7827717662 * y - 0.8086757660 * z,
    )


def to_rgb(point: Point) -> Rgb:
    """Return the displayable colour nearest to a point.

    >>> to_rgb(to_point((12, 200, 99)))
    (12, 200, 99)
    """
    light, a, b = point[0], point[1] / _HUE, point[2] / _HUE
    x = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    y = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    z = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _to_byte(4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z),
        _to_byte(-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z),
        _to_byte(-0.0041960863 * x - 0.7034186147 * y + 1.7076147010 * z),
    )


def _to_byte(linear: float) -> int:
    """Return a linear channel, from 0 to 1, as a byte of sRGB; clip other values."""
    value = min(1.0, max(0.0, linear))
    value = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
    return round(255 * value)


def find_limits(pixels: Sequence[Rgb | None]) -> tuple[float, float]:
    """Return the values that contrast stretching maps to black and to white.

    They cut off one per cent of the pixels on each side, by the darkest and the lightest channel of
    each pixel, so hues do not change. A transparent pixel counts as white.

    >>> find_limits([(50, 60, 70), (90, 100, 110)])
    (50.0, 152.0)
    """
    visible = [pixel or _WHITE for pixel in pixels]
    if not visible:
        return 0.0, 255.0
    lows, highs = sorted(map(min, visible)), sorted(map(max, visible))
    cut = int(_CUT * len(visible))
    low, high = float(lows[cut]), float(highs[-1 - cut])
    if high == low:  # one colour has no contrast
        return 0.0, 255.0
    return low, max(high, min(255.0, low + 255 / _GAIN))


def stretch(pixel: Rgb, limits: tuple[float, float], contrast: float = 1.0) -> Rgb:
    """Map the limits to black and white, then change the contrast.

    >>> stretch((50, 60, 152), (50.0, 152.0))
    (0, 25, 255)
    """
    low, high = limits
    gain = 255 / (high - low)
    red, green, blue = (
        min(255, max(0, round(127.5 + contrast * ((value - low) * gain - 127.5))))
        for value in pixel
    )
    return red, green, blue


def saturate(squares: Squares, factor: float) -> list[Point | None]:
    """Make the colours of squares stronger or, below 1, paler."""
    return [s and (s[0], factor * s[1], factor * s[2]) for s in squares]


def sharpen(squares: Squares, width: int, amount: float = 1.0) -> list[Point | None]:
    """Sharpen the edges of squares by an unsharp mask.

    The difference between a square and the mean around it grows by ``amount``. The result stays
    near the colours around the square, because otherwise edges would have rims.
    """
    radius = math.ceil(2.5 * _RADIUS)
    kernel = [math.exp(-0.5 * (n / _RADIUS) ** 2) for n in range(-radius, radius + 1)]
    height, columns = len(squares) // width, _blur(squares, width, kernel)
    result: list[Point | None] = []
    for index, square in enumerate(squares):
        if square is None:
            result.append(None)
            continue
        y, x = divmod(index, width)
        *mean, weight = columns[x][y]
        around = [
            neighbor
            for row in range(max(0, y - 1), min(height, y + 2))
            for neighbor in squares[row * width + max(0, x - 1) : row * width + min(width, x + 2)]
            if neighbor is not None
        ]
        light, a, b = (
            min(
                max(values) + _OVERSHOOT,
                max(min(values) - _OVERSHOOT, own + amount * (own - total / weight)),
            )
            for own, total, values in zip(square, mean, zip(*around, strict=True), strict=False)
        )
        result.append((min(1.0, max(0.0, light)), a, b))
    return result


def soften(squares: Squares, sharpened: Squares) -> list[Point | None]:
    """Halve the sharpening if most of the image is smooth.

    On a sky or a ball, edges are visible already, and more sharpness gives them rims.
    """
    pairs = [(s, t) for s, t in zip(squares, sharpened, strict=True) if s and t]
    if not pairs:
        return list(sharpened)
    mean = _mean([s for s, _ in pairs])
    spread = math.sqrt(sum(math.dist(s, mean) ** 2 for s, _ in pairs) / len(pairs))
    changes = sorted(math.dist(s, t) for s, t in pairs)
    if changes[len(pairs) // 2] > _SMOOTH * spread:
        return list(sharpened)
    return [s and t and _mean((s, t)) for s, t in zip(squares, sharpened, strict=True)]


def measure_distance(wanted: Squares, drawn: Squares, width: int) -> float:
    """Return how different drawn squares look from wanted squares at a distance; 0 if equal.

    The result is the sum of two errors under a blur: the error of the colours, as a share of their
    spread, where rare colours weigh more; and the error of the edges, as a share of wanted edges.
    """
    both = (wanted, drawn)
    wanted_points, drawn_points = ([square or _PAPER for square in squares] for squares in both)
    differences = list(map(_subtract, drawn_points, wanted_points))
    cells = list(map(_find_cell, wanted_points))
    counts = Counter(cells)
    weights = [counts[cell] ** -0.5 for cell in cells]
    total = sum(weights)
    mean = [sum(map(mul, weights, values)) / total for values in zip(*wanted_points, strict=True)]
    spread = sum(w * math.dist(s, mean) ** 2 for w, s in zip(weights, wanted_points, strict=True))

    def blur(squares: Sequence[Point]) -> list[list[Point]]:
        columns = _blur(squares, width, _EYE_BLUR)
        return [[(light, a, b) for light, a, b, _ in column] for column in columns]

    def sum_edges(columns: list[list[Point]]) -> float:
        lines = (*columns, *zip(*columns, strict=True))
        return sum(itertools.starmap(math.dist, itertools.chain(*map(itertools.pairwise, lines))))

    errors = blur(differences)
    squared = [math.hypot(*square) ** 2 for row in zip(*errors, strict=True) for square in row]
    color_error = sum(map(mul, weights, squared)) / max(spread, 1e-9)
    return math.sqrt(color_error) + sum_edges(errors) / max(sum_edges(blur(wanted_points)), 1e-9)


def _blur(
    squares: Squares, width: int, kernel: Sequence[float]
) -> list[list[tuple[float, float, float, float]]]:
    """Return the columns of blurred squares: sums of their coordinates, and the sum of weights."""
    weighted = [(0.0, 0.0, 0.0, 0.0) if s is None else (*s, 1.0) for s in squares]
    lines = (weighted[start : start + width] for start in range(0, len(weighted), width))
    rows = [_blur_line(line, kernel) for line in lines]
    return [_blur_line([row[x] for row in rows], kernel) for x in range(width)]


def _blur_line(
    line: Sequence[tuple[float, float, float, float]], kernel: Sequence[float]
) -> list[tuple[float, float, float, float]]:
    """Return a row or a column of weighted points, blurred; its end points repeat beyond it."""
    radius, last = len(kernel) // 2, len(line) - 1
    blurred = []
    for center in range(len(line)):
        p = q = r = s = 0.0
        for step, weight in enumerate(kernel, center - radius):
            a, b, c, d = line[0 if step < 0 else last if step > last else step]
            p, q, r, s = p + weight * a, q + weight * b, r + weight * c, s + weight * d
        blurred.append((p, q, r, s))
    return blurred


def _find_cell(square: Point) -> tuple[int, int, int]:
    """Return the cell of the colour space that contains a square's colour."""
    light, a, b = square
    return int(light / _CELL), math.floor(a / _CELL), math.floor(b / _CELL)


def _group(squares: Squares) -> list[tuple[float, Point]]:
    """Return the different colours with weights: the square root of their counts.

    So a small eye counts for more than its share, and a large wall for less.
    """
    cells: dict[tuple[int, int, int], list[Point]] = {}
    for square in squares:
        if square is not None:
            cells.setdefault(_find_cell(square), []).append(square)
    return [(math.sqrt(len(points)), _mean(points)) for points in cells.values()]


def _mean(points: Sequence[Point]) -> Point:
    light, a, b = (sum(values) / len(points) for values in zip(*points, strict=True))
    return light, a, b


def choose_palettes(
    squares: Squares, max_colors: int, fixed: Sequence[Point] = ()
) -> Iterator[list[Point]]:
    """Yield palettes of one colour, of two, and so on, by k-means with one more centre each time.

    Each new centre starts at the colour with the largest weighted error.
    """
    groups = _group(squares)
    centres: list[Point] = []
    for _ in range(max_colors):
        palette = [*centres, *fixed]
        if not palette:
            total = sum(weight for weight, _ in groups)
            start = [sum(w * p[axis] for w, p in groups) / total for axis in range(3)]
            centres = [(start[0], start[1], start[2])]
        else:
            error, new_centre = max((w * find_nearest(p, palette)[1], p) for w, p in groups)
            if not error:
                return
            centres = _run_k_means(groups, [*centres, new_centre], fixed)
        yield [*centres, *fixed]


def _run_k_means(
    groups: Sequence[tuple[float, Point]], centres: list[Point], fixed: Sequence[Point]
) -> list[Point]:
    """Return centres, moved to the mean of their nearest points until nothing changes."""
    owners: list[int] = []
    for _ in range(_ROUNDS):
        palette = [*centres, *fixed]
        before, owners = owners, [find_nearest(point, palette)[0] for _, point in groups]
        if owners == before:
            break
        sums = [[0.0] * 4 for _ in palette]
        for (weight, (light, a, b)), owner in zip(groups, owners, strict=True):
            total = sums[owner]
            total[0] += weight * light
            total[1] += weight * a
            total[2] += weight * b
            total[3] += weight
        centres = [
            (s[0] / s[3], s[1] / s[3], s[2] / s[3]) if s[3] else centre
            for centre, s in zip(centres, sums, strict=False)
        ]
    return centres


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


def find_nearest(point: Point, palette: Sequence[Point]) -> tuple[int, float]:
    """Return the index of the nearest palette colour, and its squared distance."""
    light, a, b = point
    best, best_distance = 0, math.inf
    for index, (x, y, z) in enumerate(palette):
        distance = (light - x) ** 2 + (a - y) ** 2 + (b - z) ** 2
        if distance < best_distance:
            best, best_distance = index, distance
    return best, best_distance


def measure_error(squares: Squares, palette: Sequence[Point]) -> float:
    """Return the root mean square distance of squares from a palette; rare colours weigh more."""
    groups = _group(squares)
    total = sum(weight for weight, _ in groups)
    return math.sqrt(sum(w * find_nearest(p, palette)[1] for w, p in groups) / total)


def assign_colors(
    squares: Squares,
    width: int,
    palette: Sequence[Point],
    smooth: float = 1.0,
    allowed: Sequence[set[int]] = (),
    mixes: bool = False,
) -> list[int | None]:
    """Assign each square a colour of the palette: the nearest one, without specks.

    A square takes a neighbour's colour if that colour is hardly farther, because each change of
    colour costs pieces (iterated conditional modes, Besag 1986). With ``mixes`` a square also
    compensates a share of the errors around it, because the eye blends neighbours (direct binary
    search, Analoui and Allebach 1992); see ``_SHARE``. Return indices (None: transparent).
    """
    height, bonus = len(squares) // width, _SPECK * smooth
    ranked = _rank_colors(tuple(squares), tuple(palette))
    opaque = {index: square for index, square in enumerate(squares) if square is not None}
    all_colors = range(len(palette))
    allowed = allowed or [set()] * len(squares)
    candidates: list[Collection[int]] = [own or all_colors for own in allowed]
    chosen: list[int | None] = [
        next((color for color in colors if color in own), None)
        for colors, own in zip(ranked, candidates, strict=True)
    ]
    if not bonus and not mixes:
        return chosen
    no_error = (0.0, 0.0, 0.0)
    errors: list[Point] = [
        no_error if color is None or square is None else _subtract(palette[color], square)
        for color, square in zip(chosen, squares, strict=True)
    ]
    beside = _list_neighbors(width, height, _BESIDE)
    at_two = _list_neighbors(width, height, _AT_TWO if mixes else ())
    if mixes:  # a distant colour that no square around has would be a speck
        candidates = [
            {*colors[:2], *(c for place in (*nearer, *farther) if (c := chosen[place]) is not None)}
            for colors, nearer, farther in zip(ranked, beside, at_two, strict=True)
        ]

    remaining: Sequence[int] = list(opaque)
    for _ in range(_SWEEPS):
        changed = []
        for index in remaining:
            light, a, b = opaque[index]
            if mixes:
                for share, places in ((_SHARE, beside[index]), (_SHARE_AT_TWO, at_two[index])):
                    for place in places:
                        x, y, z = errors[place]
                        light, a, b = light - share * x, a - share * y, b - share * z
            neighbor_colors = [chosen[place] for place in beside[index]]
            best, best_distance = 0, math.inf
            for color in candidates[index]:
                x, y, z = palette[color]
                distance = (
                    (light - x) ** 2
                    + (a - y) ** 2
                    + (b - z) ** 2
                    - bonus * neighbor_colors.count(color)
                )
                if distance < best_distance:
                    best, best_distance = color, distance
            if best != chosen[index]:
                chosen[index], errors[index] = best, _subtract(palette[best], opaque[index])
                changed.append(index)
        affected = {place for index in changed for place in (*beside[index], *at_two[index])}
        remaining = sorted(affected.intersection(opaque))
    return chosen


@functools.lru_cache(maxsize=8)
def _rank_colors(squares: tuple[Point | None, ...], palette: tuple[Point, ...]) -> list[list[int]]:
    """Return for each square the indices of a palette's colours, the nearest first."""
    ranked: list[list[int]] = []
    for square in squares:
        if square is None:
            ranked.append([])
            continue
        light, a, b = square
        distances = [(light - x) ** 2 + (a - y) ** 2 + (b - z) ** 2 for x, y, z in palette]
        ranked.append(sorted(range(len(palette)), key=distances.__getitem__))
    return ranked


@functools.lru_cache(maxsize=8)
def _list_neighbors(
    width: int, height: int, offsets: tuple[tuple[int, int], ...]
) -> list[tuple[int, ...]]:
    """Return for each square the indices of the squares at these offsets (columns, rows)."""
    return [
        tuple(
            (y + down) * width + x + right
            for right, down in offsets
            if 0 <= x + right < width and 0 <= y + down < height
        )
        for y in range(height)
        for x in range(width)
    ]


def _subtract(p: Point, q: Point) -> Point:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def count_changes(chosen: Sequence[object], width: int) -> int:
    """Count the pairs of neighbours, beside or above each other, that differ in colour."""
    beside = sum(a != b for i, (a, b) in enumerate(itertools.pairwise(chosen), 1) if i % width)
    return beside + sum(a != b for a, b in zip(chosen, chosen[width:], strict=False))


def diffuse_error(squares: Squares, width: int, palette: Sequence[Point]) -> list[int | None]:
    """Dither squares (Floyd and Steinberg 1976); return their indices (None: transparent)."""
    values = [None if s is None else list(s) for s in squares]
    chosen: list[int | None] = []
    for at, square in enumerate(values):
        if square is None:
            chosen.append(None)
            continue
        wanted = (square[0], square[1], square[2])
        index, _ = find_nearest(wanted, palette)
        chosen.append(index)
        x = at % width
        for offset, share, is_inside in (
            (1, 7 / 16, x < width - 1),
            (width - 1, 3 / 16, x > 0),
            (width, 5 / 16, True),
            (width + 1, 1 / 16, x < width - 1),
        ):
            if (
                is_inside
                and at + offset < len(values)
                and (target := values[at + offset]) is not None
            ):
                for axis in range(3):
                    target[axis] += share * (wanted[axis] - palette[index][axis])
    return chosen


def recolor(palette: Sequence[Point], points: Sequence[Point]) -> list[Point]:
    """Replace each palette colour by the median of its nearest points."""
    nearest: list[list[Point]] = [[] for _ in palette]
    for point in points:
        nearest[find_nearest(point, palette)[0]].append(point)
    pairs = zip(nearest, palette, strict=True)
    return [_median(group) if group else color for group, color in pairs]


def _median(points: Sequence[Point]) -> Point:
    """Return the point nearest to the median of each coordinate."""
    light, a, b = (sorted(values)[len(points) // 2] for values in zip(*points, strict=True))
    return points[find_nearest((light, a, b), points)[0]]
