"""Reduce a small picture to few colours: tone, edges, palette, and a colour for every square.

The steps depend on whether the image is a drawing, whose few colours, its *inks*, lie in flat
patches. A drawing keeps its inks. A *ground* is a flat colour on which there may be strokes; the
*paper* is the ground of at least half of a drawing. Any other image is a photo: its contrast is
stretched and a palette is chosen for it. The steps are in :mod:`~tetrisprinter.pictures.squares`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Final, Literal

from tetrisprinter.pictures.squares import (
    Point,
    Rgb,
    assign_colors,
    choose_palettes,
    count_changes,
    diffuse_error,
    find_limits,
    find_mixture,
    find_nearest,
    measure_distance,
    measure_error,
    recolor,
    saturate,
    sharpen,
    soften,
    stretch,
    to_point,
    to_rgb,
)

__all__ = ["UNADJUSTED", "Adjustments", "Reduction", "ScaledImage", "find_grounds", "find_inks"]

_ALIKE: Final = 0.5
"""The least share of a drawing's pixels that equal the pixels on their right and below."""

_PATCHED: Final = 0.2
"""The least share of an ink's pixels that equal the pixels on their right and below."""

_GROUND: Final = 0.03
"""The least share of an image's pixels that have the colour of a ground."""

_PAPER: Final = 0.5
"""A ground with at least this share of an image is the paper of a line drawing."""

_GROUNDS: Final = 4
"""Strokes are searched on at most this number of grounds."""

_APART: Final = 24
"""The least difference in some channel (of 255) between two grounds, or between a detail and a
mixture."""

_INK: Final = 0.003
"""The least share of pixels, or of the small picture's squares with strokes, that an ink has."""

_SAME: Final = 0.045
"""Colours closer than this (in OKLab) count as one ink."""

_COVERED: Final = 0.8
"""The least share of a drawing that its inks cover; other pixels are mixtures along edges."""

_DETAILS: Final = 0.01
"""Details without patches get inks if they cover at least this share of a drawing."""

_DETAIL: Final = 0.1
"""Details get more inks until their mean distance (in OKLab) from the inks is at most this."""

_AWAY: Final = 0.1
"""The colour of a detail is farther than this (in OKLab) from all inks; nearer ones are halos."""

_SEVERAL: Final = 8
"""Mixtures are formed of at most this number of a drawing's most common inks."""

_CHANGE: Final = 0.4
"""Added to a picture's distance from its image for each change of colour per square."""

_LEAST_MORE: Final = 3
_MORE: Final = 0.1
"""A photo's penalty for each colour more than the inks, for at least ``_LEAST_MORE`` colours."""

_FINE: Final = 0.04
"""At this distance from its palette a photo needs no more colours."""

MOST_COMPARED: Final = 10_000
"""Up to this number of squares a drawing and a photo are compared, in about a second."""

_DEARER: Final = 1.05
_FIRMER: Final = (1.0, 1.5, 2.0)
"""Mixed squares may have ``_DEARER`` times as many changes of colour as plain squares. If they have
more, specks are removed more strongly, by the next factor of ``_FIRMER``."""

_BORDER: Final = 0.5
"""The least share of the border that a background covers."""

_EVEN: Final = 0.06
"""Border squares closer than this (in OKLab) to the background's colour count as background."""


@dataclass(frozen=True, slots=True)
class Adjustments:
    """The strengths of tone, edges and colours; 1 is the default amount, 0 is off.

    Attributes
    ----------
    contrast, saturation, sharpness : float
        From 0 to 4; 0.5 is half of the default amount, 2 is twice as much.
    dither : bool
        Whether squares of several colours, side by side, show a mixture of these colours.
    original : bool
        Whether to change nothing and give every square the nearest colour of the palette.
    """

    contrast: float = 1.0
    saturation: float = 1.0
    sharpness: float = 1.0
    dither: bool = False
    original: bool = False

    @property
    def is_default(self) -> bool:
        """Whether contrast and saturation leave a picture of few colours unchanged."""
        return self.contrast == self.saturation == 1


UNADJUSTED: Final = Adjustments()
"""The default amounts."""


Neighbours = Sequence[tuple[Rgb | None, Rgb | None]]
"""For each pixel: the pixel on its right and the pixel below."""


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
        if all(max(map(abs, map(sub, color, ground))) >= _APART for ground, _ in grounds):
            grounds.append((color, count >= _PAPER * total))
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
            points.append(to_point(color))
    hidden = {color: n for color, n in counts.items() if not _is_shown(color, points)}
    if sum(hidden.values()) > (1 - _COVERED) * total:
        return []
    details = {
        color: n
        for color, n in hidden.items()
        if find_nearest(to_point(color), points)[1] > _AWAY**2
        and not _is_mixed(color, inks[:_SEVERAL])
    }
    return inks + _choose_inks(details, points, total)


def _is_shown(color: Rgb, palette: Sequence[Point]) -> bool:
    return find_nearest(to_point(color), palette)[1] <= _SAME**2


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
    colors = [to_point(color) for color, count in details.items() for _ in range(count)]
    new_inks: list[Point] = []
    for palette in choose_palettes(colors, _SEVERAL // 2, points):
        new_inks = palette[: -len(points)]
        if measure_error(colors, palette) <= _DETAIL:
            break
    return [to_rgb(point) for point in new_inks]


@dataclass(frozen=True, slots=True)
class ScaledImage:
    """An image in its final size, with the analysis of the full-size image."""

    pixels: Sequence[Rgb | None]  # row by row from the top; None where it is transparent
    width: int  # the number of columns
    sample: Sequence[Rgb | None]  # some thousand pixels of the image before it was scaled
    inks: Sequence[Rgb] = ()  # if the image is a drawing: see :func:`find_inks`
    # For each square the indices of its inks: a mixture of two inks is never drawn in a third one.
    # Empty if these inks are not known
    present: Sequence[tuple[int, ...]] = ()
    is_smaller: bool = True  # whether the image was scaled down, so that its edges are soft


class Reduction:
    """A small picture whose colours are about to be reduced."""

    def __init__(
        self,
        image: ScaledImage,
        adjust: Adjustments,
        background: Rgb | Literal["auto"] | None,
        max_colors: int,
        named_colors: Sequence[Rgb] = (),  # the only allowed colours; empty: all colours
    ) -> None:
        self.width, self.adjust = image.width, adjust
        limits = (0.0, 255.0) if adjust.original or image.inks else find_limits(image.sample)
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
        self._drawn: dict[tuple[int, float], tuple[list[Point], list[int | None]]] = {}
        self._shown: dict[int, list[Point]] = {}
        if background == "auto":
            self.ground = self._find_ground([p for p in plain if p])
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
        if self._named_colors:  # first the colours that are nearest to most squares
            counts = Counter(find_nearest(point, self._named_colors)[0] for point in self._opaque)
            named.sort(key=lambda color: -counts[self._named_colors.index(color)])
            return [[*named[:count], *fixed] for count in range(1, len(named) + 1)] or [fixed]
        colors = self._opaque
        if inks:  # each ink counts once per square
            colors = [self._inks[find_nearest(point, self._inks)[0]] for point in self._opaque]
        palettes = list(choose_palettes(colors, self._max_colors, fixed))
        return palettes or [fixed]

    @functools.cached_property
    def needed(self) -> int:
        """The least number of colours that shows all visible differences."""
        errors = (measure_error(self._opaque, palette) for palette in self.palettes)
        enough = (number for number, error in enumerate(errors, 1) if error <= _FINE)
        return next(enough, len(self.palettes))

    def draw(self, colors: int, smooth: float = 1.0) -> tuple[list[Rgb | None], Rgb | None]:
        """Return the colours of all squares (None: transparent) and of the background, or None."""
        palette, chosen = self._choose(colors, smooth)
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

    def _choose(self, colors: int, smooth: float = 1.0) -> tuple[list[Point], list[int | None]]:
        """Return a palette, and for each square the index of its colour (None: transparent)."""
        if (colors, smooth) in self._drawn:
            return self._drawn[colors, smooth]
        palette = self._make_palette(min(colors, len(self.palettes)))
        if self.adjust.dither:
            chosen = diffuse_error(self.points, self.width, palette)
        else:
            strength = 0.0 if self.adjust.original else smooth
            allowed = self._find_allowed(palette)
            chosen = assign_colors(self.points, self.width, palette, strength, allowed)
            if not (self.adjust.original or self._inks):
                chosen = self._mix(palette, smooth, chosen)
        self._drawn[colors, smooth] = palette, chosen
        return palette, chosen

    def _mix(
        self, palette: Sequence[Point], smooth: float, plain: list[int | None]
    ) -> list[int | None]:
        """Return squares that blend when seen from afar, or plain squares if blending is expensive.

        Each change of colour costs pieces, and mixing turns grain into many changes.
        """
        max_changes = _DEARER * count_changes(plain, self.width)
        for factor in _FIRMER:
            mixed = assign_colors(self.points, self.width, palette, smooth * factor, mixes=True)
            if count_changes(mixed, self.width) <= max_changes:
                return mixed
        return plain

    def _make_palette(self, colors: int) -> list[Point]:
        """Return a palette of ``colors`` colours, each of which occurs in some square."""
        if colors not in self._shown:
            palette = self.palettes[colors - 1]
            fixed = self._fixed
            chosen = palette[: len(palette) - len(fixed)]
            if self._named_colors:
                pass  # other colours are not allowed
            elif self.adjust.dither:
                nearest = [find_nearest(color, self._opaque)[0] for color in chosen]
                palette = [self._opaque[index] for index in nearest] + fixed
            elif not self._inks:
                palette = recolor(palette, self._opaque)[: len(chosen)] + fixed
            self._shown[colors] = palette
        return self._shown[colors]

    def _find_allowed(self, palette: Sequence[Point]) -> list[set[int]]:
        """Return for each square the allowed indices of the palette; an empty set allows all."""
        owners = [find_nearest(ink, palette)[0] for ink in self._inks]
        return [{owners[ink] for ink in inks} for inks in self._present]
