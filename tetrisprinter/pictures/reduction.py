"""Reduce a small picture to few colours: tone, edges, palette, and a colour for every square.

The steps depend on whether the image is a drawing, which keeps its few colours
(:mod:`~tetrisprinter.pictures.drawings`). Any other image is a photo: its contrast is stretched and
a palette is chosen for it.

A colour is a *point* in OKLab (Ottosson 2020), where equal distances look about equally large.
Its two axes of hue are stretched by 1.8, because an eye sees a wrong hue before a wrong shade.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, Literal

from tetrisprinter.support.options import option, read_flag, read_number

Rgb = tuple[int, int, int]
Point = tuple[float, float, float]
Squares = Sequence[Point | None]
"""The colours of squares row by row, the top row first; None where the picture is transparent."""

_CHANGE: Final = 0.4
"""Added to a picture's distance from its image for each change of colour per square."""

_LEAST_MORE: Final = 3
_MORE: Final = 0.1
"""A photo's penalty for each colour more than the inks, for at least ``_LEAST_MORE`` colours."""

_FINE: Final = 0.04  # at this distance from its palette a photo needs no more colours

MOST_COMPARED: Final = 10_000
"""Up to this number of squares a drawing and a photo are compared, in about a second."""

_DEARER: Final = 1.15
_FIRMER: Final = (1.0, 1.5, 2.0)
"""Mixed squares may have ``_DEARER`` times as many changes of colour as plain squares. If they have
more, specks are removed more strongly, by the next factor of ``_FIRMER``."""

_BORDER: Final = 0.5  # the least share of the border that a background covers

_EVEN: Final = 0.06
"""Border squares closer than this (in OKLab) to the background's colour count as background."""


_AMOUNTS: Final = "1 is the default, 0.5 is half as much, 2 is twice as much"


@dataclass(frozen=True, slots=True)
class Adjustments:
    """The strengths of tone, edges and colours; 1 is the default amount, 0 is off."""

    contrast: float = option(1.0, f"Contrast; {_AMOUNTS}.", read_number(0, 4), "0..4", "float")
    saturation: float = option(
        1.0, f"Strength of colours; {_AMOUNTS}.", read_number(0, 4), "0..4", "float"
    )
    sharpness: float = option(
        1.0, f"Sharpness of edges; {_AMOUNTS}.", read_number(0, 4), "0..4", "float"
    )
    dither: bool = option(False, "Reduce colours with Floyd-Steinberg dithering.", read_flag)
    original: bool = option(False, "Keep contrast, edges and specks as they are.", read_flag)

    @property
    def is_default(self) -> bool:
        """Whether contrast and saturation leave a picture of few colours unchanged."""
        return self.contrast == self.saturation == 1


UNADJUSTED: Final = Adjustments()
"""The default amounts."""


@dataclass(frozen=True, slots=True)
class ScaledImage:
    """An image in its final size, with the analysis of the full-size image."""

    pixels: Sequence[Rgb | None]  # row by row from the top; None where it is transparent
    width: int  # the number of columns
    sample: Sequence[Rgb | None]  # some thousand pixels of the image before it was scaled
    # If the image is a drawing: see :func:`~tetrisprinter.pictures.drawings.find_inks`
    inks: Sequence[Rgb] = ()
    # For each square the indices of its inks: a mixture of two inks is never drawn in a third one.
    # Empty if these inks are not known
    present: Sequence[tuple[int, ...]] = ()
    is_smaller: bool = True  # whether the image was scaled down, so that its edges are soft
    is_plain: bool = False  # whether it is a drawing without shades: see ``drawings.find_tones``


class Reduction:
    """A small picture whose colours are about to be reduced."""

    def __init__(
        self,
        image: ScaledImage,
        adjust: Adjustments,
        background: Rgb | Literal["auto"] | None,
        max_colors: int,
        named_colors: Sequence[Rgb] = (),  # the only allowed colours; empty: all colours
        names_ground: bool = False,  # whether the background gets a named colour, too
    ) -> None:
        self.width, self.adjust = image.width, adjust
        limits = (0.0, 255.0)
        if not (adjust.original or image.inks):
            limits = find_limits(image.sample, image.pixels, image.width)
        has_changes = limits != (0.0, 255.0) or adjust.contrast != 1

        def adjust_tone(pixel: Rgb) -> Point:
            return to_point(stretch(pixel, limits, adjust.contrast) if has_changes else pixel)

        self.points: list[Point | None] = [p and adjust_tone(p) for p in image.pixels]
        self._inks = [adjust_tone(ink) for ink in image.inks]
        self._named_colors = [to_point(color) for color in named_colors]
        if adjust.saturation != 1:
            factor = adjust.saturation
            self.points = saturate(self.points, factor)
            self._inks = [p for p in saturate(self._inks, factor) if p]
        plain = self.points
        if image.is_smaller and adjust.sharpness and not adjust.original:
            sharp = sharpen(plain, self.width, adjust.sharpness)
            self.points = sharp if image.inks else soften(plain, sharp)
        self._unsharpened = plain
        self._opaque = [point for point in self.points if point is not None]
        self._max_colors, self._present = max_colors, image.present
        self._drawn: dict[int, tuple[list[Point], list[int | None]]] = {}
        if background == "auto":
            self.ground = self._find_ground([p for p in plain if p])
            if names_ground and self.ground is not None:
                nearest, _ = find_nearest(self.ground, self._named_colors)
                self.ground = self._named_colors[nearest]
        else:
            self.ground = None if background is None else adjust_tone(background)

    def _find_ground(self, unsharpened: list[Point]) -> Point | None:
        """Return the colour of at least half of an opaque picture's border; None if there is none.

        The border is compared as it was before sharpening, which darkens squares at bright lines.
        """
        if len(self._opaque) < len(self.points):
            return None
        width = self.width
        border = unsharpened[:width] + unsharpened[-width:]
        border += unsharpened[width:-width:width] + unsharpened[2 * width - 1 : -width : width]
        if self._inks:
            palette: Sequence[Point] = self._inks
        else:
            *_, palette = choose_palettes(self._opaque, self._max_colors + 1)
            palette = recolor(palette, self._opaque)
        owners = Counter(
            index
            for index, distance in (find_nearest(p, palette) for p in border)
            if distance < _EVEN**2
        )
        if not owners:
            return None
        index, count = owners.most_common(1)[0]
        return palette[index] if count >= _BORDER * len(border) else None

    @property
    def _fixed(self) -> list[Point]:
        """The background's colour, if any, with which every palette ends."""
        return [] if self.ground is None else [self.ground]

    @functools.cached_property
    def palettes(self) -> list[list[Point]]:
        """Palettes of one colour, of two, and so on; the background is the last colour of each."""
        fixed = self._fixed
        inks = [ink for ink in self._inks if ink not in fixed]
        named = [color for color in self._named_colors if color not in fixed]
        limit = self._max_colors
        if inks and len(inks) <= (min(limit, len(named)) if self._named_colors else limit):
            return [[*inks, *fixed]]
        if len(named) > limit:  # a palette file: the colours that suit the picture best
            return self._choose_named(named)
        if self._named_colors:  # first the colours that are nearest to most squares
            counts = Counter(find_nearest(point, self._named_colors)[0] for point in self._opaque)
            named.sort(key=lambda color: -counts[self._named_colors.index(color)])
            return [[*named[:count], *fixed] for count in range(1, len(named) + 1)] or [fixed]
        colors = self._opaque
        if inks:  # each ink counts once per square
            colors = [self._inks[find_nearest(point, self._inks)[0]] for point in self._opaque]
        palettes = list(choose_palettes(colors, self._max_colors, fixed))
        return palettes or [fixed]

    def _choose_named(self, named: Sequence[Point]) -> list[list[Point]]:
        """Return palettes of one named colour, of two, and so on: each is used by some squares.

        Each new colour is the one that reduces the error of all squares most.
        """
        fixed, chosen = self._fixed, list[Point]()
        groups, palettes = _group(self._opaque), list[list[Point]]()
        for _ in range(self._max_colors):
            palette = [*chosen, *fixed]
            errors = [
                (w, p, find_nearest(p, palette)[1] if palette else _FARTHEST) for w, p in groups
            ]
            gain, color = max((_compute_gain(color, errors), color) for color in named)
            if not gain:
                break
            chosen.append(color)
            palettes.append([*chosen, *fixed])
        return palettes or [fixed]

    @functools.cached_property
    def needed(self) -> int:
        """The least number of colours that shows all visible differences."""
        errors = (measure_error(self._opaque, palette) for palette in self.palettes)
        enough = (number for number, error in enumerate(errors, 1) if error <= _FINE)
        return next(enough, len(self.palettes))

    def draw(self, colors: int) -> tuple[list[Rgb | None], Rgb | None]:
        """Return the colours of all squares (None: transparent) and of the background, or None."""
        palette, chosen = self._choose(colors)
        rgb_palette = [to_rgb(color) for color in self._match_named(palette)]
        background = None if self.ground is None else to_rgb(self.ground)
        return [None if index is None else rgb_palette[index] for index in chosen], background

    def _match_named(self, palette: Sequence[Point]) -> Sequence[Point]:
        """Replace a palette's inks by different named colours with the least total distance."""
        fixed = self._fixed
        inks = palette[: len(palette) - len(fixed)]
        named_colors = [color for color in self._named_colors if color not in fixed]
        if all(ink in named_colors for ink in inks) or len(inks) > len(named_colors):
            return palette
        if len(named_colors) > self._max_colors:  # too many permutations; two inks may share one
            return [*(named_colors[find_nearest(ink, named_colors)[0]] for ink in inks), *fixed]
        best = min(
            itertools.permutations(named_colors, len(inks)),
            key=lambda colors: sum(
                math.dist(*pair) ** 2 for pair in zip(inks, colors, strict=True)
            ),
        )
        return [*best, *fixed]

    def is_better(self, drawing: Reduction, colors: int | None) -> bool:
        """Return whether this photo is clearly nearer to the image than a drawing in inks."""
        photo_colors, drawing_colors = (colors or reduction.needed for reduction in (self, drawing))
        extra_colors = max(_LEAST_MORE, photo_colors - drawing_colors)
        penalty = self._compute_penalty(photo_colors) + _MORE * extra_colors
        return penalty < drawing._compute_penalty(drawing_colors)

    def _compute_penalty(self, colors: int) -> float:
        """Return a penalty for a picture's distance from the image and for its cost to print."""
        palette, chosen = self._choose(colors)
        drawn = [None if index is None else palette[index] for index in chosen]
        changes = count_changes(chosen, self.width) / len(chosen)
        return measure_distance(self._unsharpened, drawn, self.width) + _CHANGE * changes

    def _choose(self, colors: int) -> tuple[list[Point], list[int | None]]:
        """Return a palette, and for each square the index of its colour (None: transparent)."""
        colors = min(colors, len(self.palettes))
        if colors in self._drawn:
            return self._drawn[colors]
        palette = self._make_palette(colors)
        if self.adjust.dither:
            chosen = diffuse_error(self.points, self.width, palette)
        else:
            strength = 0.0 if self.adjust.original else 1.0
            # For each square the indices of the palette that it may have; an empty set allows all
            owners = [find_nearest(ink, palette)[0] for ink in self._inks]
            allowed = [{owners[ink] for ink in inks} for inks in self._present]
            chosen = assign_colors(self.points, self.width, palette, strength, allowed)
            if not (self.adjust.original or self._inks):
                chosen = self._mix(palette, chosen)
        self._drawn[colors] = palette, chosen
        return palette, chosen

    def _mix(self, palette: Sequence[Point], plain: list[int | None]) -> list[int | None]:
        """Return squares that blend when seen from afar, or plain squares if blending is expensive.

        Each change of colour costs pieces, and mixing turns grain into many changes.
        """
        max_changes = _DEARER * count_changes(plain, self.width)
        for factor in _FIRMER:
            mixed = assign_colors(self.points, self.width, palette, factor, mixes=True)
            if count_changes(mixed, self.width) <= max_changes:
                return mixed
        return plain

    def _make_palette(self, colors: int) -> list[Point]:
        """Return a palette of ``colors`` colours, each of which occurs in some square."""
        palette, fixed = self.palettes[colors - 1], self._fixed
        chosen = palette[: len(palette) - len(fixed)]
        if self._named_colors:
            return palette  # other colours are not allowed
        if self.adjust.dither:
            nearest = [find_nearest(color, self._opaque)[0] for color in chosen]
            return [self._opaque[index] for index in nearest] + fixed
        if not self._inks:
            return recolor(palette, self._opaque)[: len(chosen)] + fixed
        return palette


# The steps, on squares in lists: they need no numpy, so they also run in a browser. Only the last
# step is compiled, because it is repeated for each palette that is tried.

_HUE: Final = 1.8
"""The factor by which a difference in hue counts more than a difference in lightness."""

_CUT: Final = 0.01
"""The share of squares that may become all black, or all white, when contrast is stretched."""

_GAIN: Final = 2.5
"""Contrast is stretched at most by this factor, so that a foggy image stays foggy."""

_ROUGH: Final = 0.03
"""Contrast is stretched at most by the changes of an image, divided by this.

The changes are those that four in five pairs of neighbours do not exceed, as a share of the range.
A portrait in dim light has 0.09 to 0.2, also when it is blurred, so it is lifted; a night sky, also
with stars, noise or hills, has 0.01 to 0.03, so it stays dark and gets no bands.
"""

_LESS: Final = 0.6
"""An image of full contrast is stretched less far, by this share of the way to black and white.

All the way, light skin turns into white patches. The share was chosen by looking at portraits.
"""

_RADIUS: Final = 1.2  # standard deviation in squares of the blur that sharpening subtracts

_OVERSHOOT: Final = 0.05
"""How far sharpening may exceed the colours around a square: more would look like a rim."""

_FAINT: Final = 0.04
"""Sharpening halves a change of this size and drops smaller ones: they are shades of skin, not the
edges of eyes and lips.

On eight portraits (``bench eyes``) 0, 0.02 and 0.04 give faces at a distance of 0.446, 0.452 and
0.462, and pictures of 1,219, 1,164 and 1,122 changes of colour, which cost pieces.
"""

_SMOOTH: Final = 0.065
"""An image is smooth if sharpening changes half of it by at most this share of its spread."""

_CELL: Final = 0.06
"""The side of a cell of the colour space; the colours of a cell are counted together."""

_ROUNDS: Final = 12  # rounds of k-means after each new colour
_FARTHEST: Final = 4.0  # more than the squared distance of any two colours

_CANDIDATES: Final = 64
"""A new colour is chosen among this number of colours, those with the largest weighted errors."""

_SKIN: Final = 6
"""The weight of a colour in which skin may be: a face has few squares, but the eye looks there.

Less leaves the skin before a grey wall grey; more takes colours from clothes and flags. The number
was chosen by looking at portraits. Skin, dark or light, has nearly one hue.
"""
_SKIN_MEDIAN: Final = 3  # the same when a palette's colour is replaced by a median

_SKIN_LIGHT: Final = (0.3, 0.97)
_SKIN_CHROMA: Final = (0.015, 0.12)
_SKIN_HUE: Final = (math.radians(15), math.radians(72))
"""The least and the largest lightness, chroma and hue of skin in OKLab, as light falls on it."""

_SPECK: Final = 0.0036
"""A colour's squared distance is reduced by this for each neighbour that has the colour."""

WHITE: Final = (255, 255, 255)
_PAPER: Final = (1.0, 0.0, 0.0)
"""White and its point: the colour that an eye sees where a picture is transparent."""

_EYE_BLUR: Final = (0.15, 0.7, 0.15)
"""The weights, along each axis, of the blur by which squares blend for an eye."""

_SHARES: Final = (0.18, -0.06)
"""The share of errors, one and two squares away, that the colour of a square compensates.

An eye sees errors and their gradients under a blur (0.15, 0.7, 0.15 along each axis). There, errors
beside a square add to its own error, and errors two squares away subtract from it.
"""

_SWEEPS: Final = 4  # the most sweeps over the squares to remove specks

_DARK: Final = 0.003
"""About the brightness of 0a0a0a. OKLab shows 010000 as far from black as 333333 from 3c3c3c."""
_SLOPE: Final = _DARK ** (1 / 3 - 1)

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
    x = _root(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    y = _root(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    z = _root(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * x + 0.7936177850 * y - 0.0040720468 * z,
        1.9779984951 * x - 2.4285922050 * y + 0.4505937099 * z,
        0.0259040371 * x + 0.7827717662 * y - 0.8086757660 * z,
    )


def _root(value: float) -> float:
    """Return a cube root, but a line up to ``_DARK``: eyes see no difference near black."""
    return value ** (1 / 3) if value > _DARK else value * _SLOPE


def _unroot(value: float) -> float:
    """Return the number with this root."""
    return value**3 if value > _DARK * _SLOPE else value / _SLOPE


def to_rgb(point: Point) -> Rgb:
    """Return the displayable colour nearest to a point.

    >>> to_rgb(to_point((12, 200, 99)))
    (12, 200, 99)
    """
    light, a, b = point[0], point[1] / _HUE, point[2] / _HUE
    x = _unroot(light + 0.3963377774 * a + 0.2158037573 * b)
    y = _unroot(light - 0.1055613458 * a - 0.0638541728 * b)
    z = _unroot(light - 0.0894841775 * a - 1.2914855480 * b)
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


def find_limits(
    pixels: Sequence[Rgb | None], squares: Sequence[Rgb | None] = (), width: int = 1
) -> tuple[float, float]:
    """Return the values that contrast stretching maps to black and to white.

    One per cent of the pixels is darker, and one per cent lighter, than a range whose ends move
    towards black and white: the less, the larger the range is, and the more, the smoother the
    squares of the small picture are. Darkest and lightest channels are compared, so hues do not
    change. A transparent pixel counts as white.

    >>> [round(n) for n in find_limits([(50, 60, 70), (90, 100, 110)])]
    [39, 141]
    """
    visible = [pixel or WHITE for pixel in pixels]
    if not visible:
        return 0.0, 255.0
    lows, highs = sorted(map(min, visible)), sorted(map(max, visible))
    cut = int(_CUT * len(visible))
    low, high = lows[cut], highs[-1 - cut]
    if high == low:  # one colour has no contrast
        return 0.0, 255.0
    changes = _list_changes(squares, width)
    largest = changes[4 * len(changes) // 5] if changes else 255
    gain = min(_GAIN, max(1.0, largest / (high - low) / _ROUGH))
    share = min(1 - _LESS * (high - low) / 255, 255 * (1 - 1 / gain) / (255 - (high - low) or 1))
    return share * low, 255 - share * (255 - high)


def _list_changes(squares: Sequence[Rgb | None], width: int) -> list[int]:
    """Return how much neighbours, beside or above each other, differ in some channel, ascending."""
    beside = (pair for at, pair in enumerate(itertools.pairwise(squares), 1) if at % width)
    pairs = itertools.chain(beside, zip(squares, squares[width:], strict=False))
    return sorted(max(abs(a - b) for a, b in zip(p, q, strict=True)) for p, q in pairs if p and q)


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

    The difference between a square and the mean around it grows by ``amount``; faint differences
    grow less. The result stays near the colours around the square, because otherwise edges would
    have rims.
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
        sharp = min(1.0, max(0.0, light)), a, b
        change = math.dist(square, sharp)
        share = change / (change + _FAINT)
        light, a, b = (p + share * (q - p) for p, q in zip(square, sharp, strict=True))
        result.append((light, a, b))
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
    """Return the different colours with weights: the square root of their counts, more for skin.

    So a small eye counts for more than its share, and a large wall for less.
    """
    cells: dict[tuple[int, int, int], list[Point]] = {}
    for square in squares:
        if square is not None:
            cells.setdefault(_find_cell(square), []).append(square)
    means = [(len(points), _mean(points)) for points in cells.values()]
    groups = [(math.sqrt(n), mean) for n, mean in means]
    total = sum(weight for weight, _ in groups)
    skin = sum(weight for weight, mean in groups if _may_be_skin(mean))
    factor = 1 + _SKIN * (1 - skin / max(total, 1))
    return [(w * (factor if _may_be_skin(mean) else 1), mean) for w, mean in groups]


def _may_be_skin(point: Point) -> bool:
    """Return whether skin, dark or light, may have a colour."""
    light, a, b = point[0], point[1] / _HUE, point[2] / _HUE
    return (
        _SKIN_LIGHT[0] < light < _SKIN_LIGHT[1]
        and _SKIN_CHROMA[0] < math.hypot(a, b) < _SKIN_CHROMA[1]
        and _SKIN_HUE[0] < math.atan2(b, a) < _SKIN_HUE[1]
    )


def _mean(points: Sequence[Point]) -> Point:
    """Return the mean of points."""
    light, a, b = (sum(values) / len(points) for values in zip(*points, strict=True))
    return light, a, b


def choose_palettes(
    squares: Squares, max_colors: int, fixed: Sequence[Point] = ()
) -> Iterator[list[Point]]:
    """Yield palettes of one colour, of two, and so on, by k-means with one more centre each time.

    Each new centre starts at the colour that reduces the total error most. The colour with the
    largest error of its own, which was taken before, is often a glint and not a face.
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
            errors = [(w, p, find_nearest(p, palette)[1]) for w, p in groups]
            errors = [(w, p, distance) for w, p, distance in errors if w * distance]
            if not errors:
                return
            candidates = sorted((w * distance, p) for w, p, distance in errors)[-_CANDIDATES:]
            _, new_centre = max((_compute_gain(p, errors), p) for _, p in candidates)
            centres = _run_k_means(groups, [*centres, new_centre], fixed)
        yield [*centres, *fixed]


def _compute_gain(color: Point, errors: Sequence[tuple[float, Point, float]]) -> float:
    """Return how much a new colour reduces errors: weight, colour and squared distance of each."""
    light, a, b = color
    return sum(
        weight * max(0.0, distance - (light - x) ** 2 - (a - y) ** 2 - (b - z) ** 2)
        for weight, (x, y, z), distance in errors
    )


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
    search, Analoui and Allebach 1992); see ``_SHARES``. Return indices (None: transparent).
    """
    from tetrisprinter.pictures._kernel import assign_colors
    from tetrisprinter.support.kernels import make_numbers, make_reals

    chosen = make_numbers(-1 if square is None else 0 for square in squares)
    if palette:
        allowed_colors = bytearray(
            not own or color in own for own in allowed for color in range(len(palette))
        )
        assign_colors(
            make_reals(number for square in squares for number in square or _PAPER),
            width,
            make_reals(itertools.chain.from_iterable(palette)),
            memoryview(allowed_colors),
            _SPECK * smooth,
            make_reals(_SHARES if mixes else (0, 0)),
            _SWEEPS,
            chosen,
        )
    return [None if index < 0 else index for index in chosen]


def _subtract(p: Point, q: Point) -> Point:
    """Return the difference of two points."""
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
    """Replace each palette colour by the median of its nearest points; skin counts for more."""
    nearest: list[list[Point]] = [[] for _ in palette]
    for point in points:
        count = _SKIN_MEDIAN if _may_be_skin(point) else 1
        nearest[find_nearest(point, palette)[0]] += [point] * count
    pairs = zip(nearest, palette, strict=True)
    return [_median(group) if group else color for group, color in pairs]


def _median(points: Sequence[Point]) -> Point:
    """Return the point nearest to the median of each coordinate."""
    light, a, b = (sorted(values)[len(points) // 2] for values in zip(*points, strict=True))
    return points[find_nearest((light, a, b), points)[0]]
