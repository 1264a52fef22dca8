"""Reduce a small picture to few colours: tone, edges, palette, and a colour for every square.

The steps depend on whether the image is a drawing, whose few colours, its *inks*, lie in flat
patches. A drawing keeps its inks. Anything else is a photo: its contrast is stretched and a
palette is chosen for it. The steps are in :mod:`~tetrisprinter.pictures.squares`.
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
"""The least share of an image's pixels that a ground colour has."""

_PAPER: Final = 0.5
"""A ground with at least this share of an image is the paper of a drawing in lines."""

_GROUNDS: Final = 4
"""Strokes are searched on at most this number of ground colours."""

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
"""Details without patches get inks of their own if they cover this share of a drawing."""

_DETAIL: Final = 0.1
"""Details get more inks until their mean distance (in OKLab) from them is at most this."""

_AWAY: Final = 0.1
"""A detail is farther than this from all inks; a nearer colour is the halo of an ink."""

_SEVERAL: Final = 8
"""Mixtures are formed of at most this number of a drawing's most common inks."""

_CHANGE: Final = 0.4
"""Added to a picture's distance from its image for each change of colour per square."""

_LEAST_MORE: Final = 3
_MORE: Final = 0.1
"""Added to a photo's distance for each colour beyond the inks, at least for ``_LEAST_MORE``."""

_FINE: Final = 0.04
"""A distance from its palette at which a photo needs no more colours."""

MOST_COMPARED: Final = 10_000
"""Up to this number of squares drawing and photo are compared, in about a second."""

_DEARER: Final = 1.05
_FIRMER: Final = (1.0, 1.5, 2.0)
"""Mixed squares may have ``_DEARER`` times as many changes of colour as plain ones. Until they do,
specks are removed more strongly, by the next factor of ``_FIRMER``."""

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
        Whether a mixture is shown by squares of several colours, side by side.
    original : bool
        Whether to do none of this and give every square the nearest colour of the palette.
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


def find_grounds(sample: Sequence[Rgb | None], beside: Neighbours) -> list[tuple[Rgb, bool]]:
    """Return the flat colours of an image, the commonest first, and whether each is its paper.

    Strokes are searched on them. The list is empty if less than half of the image is flat.
    """
    flat = _count_flat(sample, beside)
    total = sum(pixel is not None for pixel in sample)
    if flat.total() < _ALIKE * total:
        return []
    grounds: list[tuple[Rgb, bool]] = []
    for color, count in sorted(flat.items(), key=lambda item: (-item[1], item[0])):
        if count < _GROUND * total or len(grounds) == _GROUNDS:
            break
        if all(max(map(abs, map(sub, color, other))) >= _APART for other, _ in grounds):
            grounds.append((color, count >= _PAPER * total))
    return grounds


def _count_flat(sample: Sequence[Rgb | None], beside: Neighbours) -> Counter[Rgb]:
    """Count for each colour the pixels with equal neighbours on the right and below."""
    pairs = zip(sample, beside, strict=True)
    return Counter(pixel for pixel, near in pairs if pixel is not None and near == (pixel, pixel))


def find_inks(
    sample: Sequence[Rgb | None], beside: Neighbours, strokes: Sequence[Rgb], squares: int
) -> list[Rgb]:
    """Return the inks of a drawing, the commonest first; none if the image is a photo.

    An ink fills patches, where neighbouring pixels are equal, or thin strokes. All other colours
    are mixtures along the edges.
    """
    known = Counter(pixel for pixel in sample if pixel is not None)
    total = known.total()
    flat = _count_flat(sample, beside)
    if flat.total() < _ALIKE * total:
        return []
    shares = {color: n / total for color, n in known.items() if flat[color] >= _PATCHED * n}
    for color, n in Counter(strokes).items():
        shares[color] = max(shares.get(color, 0.0), n / squares)
    inks: list[Rgb] = []
    points: list[Point] = []
    for color, share in sorted(shares.items(), key=lambda item: (-item[1], item[0])):
        if share < _INK:
            break
        if not _is_shown(color, points):
            inks.append(color)
            points.append(to_point(color))
    hidden = {color: n for color, n in known.items() if not _is_shown(color, points)}
    if sum(hidden.values()) > (1 - _COVERED) * total:
        return []
    rest = {
        color: n
        for color, n in hidden.items()
        if find_nearest(to_point(color), points)[1] > _AWAY**2
        and not _is_mixed(color, inks[:_SEVERAL])
    }
    return inks + _choose_inks(rest, points, total)


def _is_shown(color: Rgb, palette: Sequence[Point]) -> bool:
    return find_nearest(to_point(color), palette)[1] <= _SAME**2


def _is_mixed(color: Rgb, inks: Sequence[Rgb]) -> bool:
    """Return whether a colour lies between two inks, so that it may be the edge of both."""
    for one, other in itertools.combinations(inks, 2):
        share, apart = find_mixture(color, one, other)
        if 0 < share < 1 and apart < _APART:
            return True
    return False


def _choose_inks(rest: Mapping[Rgb, int], points: Sequence[Point], total: int) -> list[Rgb]:
    """Return a few colours for details of a drawing that have no patches."""
    if sum(rest.values()) < _DETAILS * total:
        return []
    colors = [to_point(color) for color, count in rest.items() for _ in range(count)]
    found: list[Point] = []
    for palette in choose_palettes(colors, _SEVERAL // 2, points):
        found = palette[: -len(points)]
        if measure_error(colors, palette) <= _DETAIL:
            break
    return [to_rgb(point) for point in found]


@dataclass(frozen=True, slots=True)
class ScaledImage:
    """An image in its final size, with the analysis of the full-size image."""

    pixels: Sequence[Rgb | None]  # row by row from the top; None where it is transparent
    width: int  # its columns
    sample: Sequence[Rgb | None]  # some thousand pixels of the image before it was scaled
    inks: Sequence[Rgb] = ()  # its inks, if it is a drawing: see :func:`find_inks`
    # For each square the indices of its inks: a mixture of two of them is never drawn in a third.
    # Empty if they are not known
    present: Sequence[tuple[int, ...]] = ()
    is_smaller: bool = True  # whether it was scaled down, so that its edges are soft


class Reduction:
    """A small picture whose colours are about to be reduced."""

    def __init__(
        self,
        image: ScaledImage,
        adjust: Adjustments,
        background: Rgb | Literal["auto"] | None,
        most: int,
        named: Sequence[Rgb] = (),  # the only allowed colours; empty: any
    ) -> None:
        self.width, self.adjust = image.width, adjust
        limits = (0.0, 255.0) if adjust.original or image.inks else find_limits(image.sample)
        changes = limits != (0.0, 255.0) or adjust.contrast != 1

        def see(pixel: Rgb) -> Point:
            return to_point(stretch(pixel, limits, adjust.contrast) if changes else pixel)

        self.points: list[Point | None] = [p and see(p) for p in image.pixels]
        self._inks = [see(ink) for ink in image.inks]
        self._named = [to_point(color) for color in named]
        if adjust.saturation != 1:
            factor = adjust.saturation
            self.points = saturate(self.points, factor)
            self._inks = [p for p in saturate(self._inks, factor) if p]
        plain = self.points
        if image.is_smaller and adjust.sharpness and not adjust.original:
            sharp = sharpen(plain, self.width, adjust.sharpness)
            self.points = sharp if image.inks else soften(plain, sharp)
        self._plain = plain
        self._known = [point for point in self.points if point is not None]
        self._most, self._present = most, image.present
        self._drawn: dict[tuple[int, float], tuple[list[Point], list[int | None]]] = {}
        self._shown: dict[int, list[Point]] = {}
        if background == "auto":
            self.ground = self._find_ground([p for p in plain if p])
        else:
            self.ground = None if background is None else see(background)

    def _find_ground(self, plain: list[Point]) -> Point | None:
        """Return the even colour of at least half of the border, if nothing is transparent.

        The border is compared as it was before sharpening, which darkens it beside bright lines.
        """
        if len(self._known) < len(self.points):
            return None
        width = self.width
        border = plain[:width] + plain[-width:]
        border += plain[width:-width:width] + plain[2 * width - 1 : -width : width]
        if self._inks:
            palette: Sequence[Point] = self._inks
        else:
            *_, palette = choose_palettes(self._known, self._most + 1)
            palette = recolor(palette, self._known)
        owners = Counter(
            index for index, far in (find_nearest(p, palette) for p in border) if far < _EVEN**2
        )
        if not owners:
            return None
        best, count = owners.most_common(1)[0]
        return palette[best] if count >= _BORDER * len(border) else None

    @property
    def _fixed(self) -> list[Point]:
        """The background's colour, if any, with which every palette ends."""
        return [] if self.ground is None else [self.ground]

    @functools.cached_property
    def palettes(self) -> list[list[Point]]:
        """Palettes of one colour, of two, and so on; the background is the last colour of each."""
        fixed = self._fixed
        inks = [ink for ink in self._inks if ink not in fixed]
        named = [color for color in self._named if color not in fixed]
        if inks and len(inks) <= (min(self._most, len(named)) if self._named else self._most):
            return [[*inks, *fixed]]
        if self._named:  # the nearest colours of most squares come first
            near = Counter(find_nearest(point, self._named)[0] for point in self._known)
            named.sort(key=lambda color: -near[self._named.index(color)])
            return [[*named[:count], *fixed] for count in range(1, len(named) + 1)] or [fixed]
        colors = self._known
        if inks:  # each ink counts once per square
            colors = [self._inks[find_nearest(point, self._inks)[0]] for point in self._known]
        found = list(choose_palettes(colors, self._most, fixed))
        return found or [fixed]

    @functools.cached_property
    def needed(self) -> int:
        """The least number of colours that shows all visible differences."""
        errors = (measure_error(self._known, palette) for palette in self.palettes)
        enough = (number for number, error in enumerate(errors, 1) if error <= _FINE)
        return next(enough, len(self.palettes))

    def draw(self, colors: int, smooth: float = 1.0) -> tuple[list[Rgb | None], Rgb | None]:
        """Return the colours of all squares (None: transparent) and of the background, if any."""
        palette, chosen = self._choose(colors, smooth)
        shown = [to_rgb(color) for color in self._match_named(palette)]
        last = None if self.ground is None else to_rgb(self.ground)
        return [None if at is None else shown[at] for at in chosen], last

    def _match_named(self, palette: Sequence[Point]) -> Sequence[Point]:
        """Replace a palette's inks by different named colours with the least total distance."""
        fixed = self._fixed
        inks = palette[: len(palette) - len(fixed)]
        named = [color for color in self._named if color not in fixed]
        if all(ink in named for ink in inks) or len(inks) > len(named):
            return palette
        best = min(
            itertools.permutations(named, len(inks)),
            key=lambda colors: sum(
                math.dist(*pair) ** 2 for pair in zip(inks, colors, strict=True)
            ),
        )
        return [*best, *fixed]

    def is_better(self, drawing: Reduction, colors: int | None) -> bool:
        """Return whether this photo is clearly nearer to the image than a drawing in its inks."""
        own, inks = (colors or one.needed for one in (self, drawing))
        more = max(_LEAST_MORE, own - inks)
        return self._rate(own) + _MORE * more < drawing._rate(inks)

    def _rate(self, colors: int) -> float:
        """Rate a picture by its distance from the image and its cost to print: less is better."""
        palette, chosen = self._choose(colors)
        drawn = [None if at is None else palette[at] for at in chosen]
        changes = count_changes(chosen, self.width) / len(chosen)
        return measure_distance(self._plain, drawn, self.width) + _CHANGE * changes

    def _choose(self, colors: int, smooth: float = 1.0) -> tuple[list[Point], list[int | None]]:
        """Return a palette and the index of each square's colour."""
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
        """Return squares that blend when seen from afar, or plain ones if that is expensive.

        Each change of colour costs pieces, and mixing turns grain into many changes.
        """
        most = _DEARER * count_changes(plain, self.width)
        for factor in _FIRMER:
            mixed = assign_colors(self.points, self.width, palette, smooth * factor, mixes=True)
            if count_changes(mixed, self.width) <= most:
                return mixed
        return plain

    def _make_palette(self, colors: int) -> list[Point]:
        """Return a palette of ``colors`` colours, each of which occurs in some square."""
        if colors not in self._shown:
            palette = self.palettes[colors - 1]
            fixed = self._fixed
            chosen = palette[: len(palette) - len(fixed)]
            if self._named:
                pass  # other colours are not allowed
            elif self.adjust.dither:
                own = [find_nearest(color, self._known)[0] for color in chosen]
                palette = [self._known[at] for at in own] + fixed
            elif not self._inks:
                palette = recolor(palette, self._known)[: len(chosen)] + fixed
            self._shown[colors] = palette
        return self._shown[colors]

    def _find_allowed(self, palette: Sequence[Point]) -> list[set[int]]:
        """Return for each square the allowed colours of the palette; an empty set allows all."""
        owners = [find_nearest(ink, palette)[0] for ink in self._inks]
        return [{owners[ink] for ink in inks} for inks in self._present]
