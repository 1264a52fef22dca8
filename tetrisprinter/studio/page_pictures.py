"""Pictures in the page: the browser scales them, the package does all that follows.

The browser's canvas has decoded an image, and JavaScript scales it as Pillow does
(:class:`Pixels`). What is decided, and the last steps, which make the picture, are those of
:mod:`~tetrisprinter.pictures.convert`; only the thickening of strokes is not here.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from tetrisprinter.errors import InputError, Setting
from tetrisprinter.pictures.convert import (
    Conversion,
    Converted,
    Step,
    Usual,
    draw_squares,
    join_squares,
    parse_color,
)
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.pictures.reduction import ScaledImage, find_inks
from tetrisprinter.pictures.scaling import size_within
from tetrisprinter.pictures.sources import Source
from tetrisprinter.pictures.squares import Rgb
from tetrisprinter.support.sizes import format_size

_SMALLEST: Final = 8
"""Squares of the longer side that pixel art has at least in its own size."""

_NEAR: Final = 12
"""How far a channel of a square may be from an ink that it has."""

_Squares = list[Rgb | None]


class Pixels(Protocol):
    """An image decoded by the browser."""

    width: int  # its size
    height: int
    block: int  # the side of its equal blocks, in pixels
    colors: int  # how many colours it has; at most some hundreds are counted
    clear: int  # how many of its pixels are transparent, and half transparent
    half: int
    was: str  # the size that the file has
    art: bool  # whether it has few colours and is not dithered
    dithered: bool  # whether it has few colours, and many pixels unlike their neighbours

    def rgba(self) -> bytes:
        """Return the image as RGBA."""

    def seen(self) -> Pixels:
        """Return the smallest part that contains all visible pixels."""

    def shrunk(self, k: int) -> Pixels:
        """Shrink the image by a factor: keep the middle pixel of each block of k x k."""

    def scaled(self, width: int, height: int) -> bytes:
        """Scale the image; return it as RGBA."""

    def sample(self, right: int, down: int) -> bytes:
        """Return some thousand pixels as RGBA, or their neighbours."""

    def present(self, width: int, height: int, inks: Sequence[Rgb]) -> bytes:
        """Return for each square of a smaller picture and each ink whether the square has it."""


def make_pixel_source(pixels: Pixels, name: str) -> Source:
    """Return a source for an image of the browser; it caches its conversions."""
    read = functools.lru_cache(maxsize=8)(functools.partial(_read, pixels, name))
    return Source(name, name, read)


def _read(pixels: Pixels, name: str, how: Conversion) -> Converted:
    steps: list[Step] = []
    is_open = how.background in (None, "auto")
    if how.usual is not None and is_open:
        how = replace(how, background="transparent" if pixels.clear else "auto")
    image, squares, width = _scale(pixels, how, steps)
    known = {square for square in squares if square is not None}
    most = how.colors or (len(known) if how.usual is None else how.usual.most)
    if (
        how.adjust.is_default
        and not steps
        and not pixels.half
        and len(known) <= most
        and how.background == "transparent"
    ):
        return Converted(join_squares(squares, width, None, name).trim())
    adjust = how.adjust if how.usual is not None else replace(how.adjust, original=True)
    wanted = how.background
    fixed = None if wanted in (None, "auto", "transparent") else parse_color(str(wanted))
    background: Any = "auto" if wanted == "auto" else fixed and parse_rgb(fixed)
    is_smaller = len(squares) < image.width * image.height
    is_few = len(known) - (background in known or background == "auto") <= most
    if is_few and not (is_smaller and how.usual):  # all of them are kept
        scaled = ScaledImage(squares, width, squares, sorted(known), is_smaller=is_smaller)
        adjust = replace(adjust, original=True)
    else:
        scaled = _inspect(image, squares, width, how)
    drawn, ground = draw_squares(scaled, adjust, background, most, how)
    picture = join_squares(drawn, width, ground, name).trim()
    if not picture.rows:
        if ground is not None and how.usual is not None and is_open:
            return _read(pixels, name, replace(how, background="transparent"))
        raise InputError(f"{name}: only background; nothing to print")
    after = len({square for square in drawn if square not in (None, ground)})
    before = len(known) - (ground is not None)
    if before > after:
        steps.append(Step(f"{before} colours reduced to {after}", Setting.COLORS))
    if ground is None:
        return Converted(picture, None, tuple(steps))
    color = bytes(ground).hex()
    steps.append(Step(f"{color} left empty", Setting.BACKGROUND))
    return Converted(picture, color, tuple(steps))


def _scale(pixels: Pixels, how: Conversion, steps: list[Step]) -> tuple[Pixels, _Squares, int]:
    """Return the visible part of an image, its squares in the final size, and their width."""
    image, usual = pixels, how.usual
    fit = how.fit or ((image.width, image.height) if usual is None else _room(image, usual))
    if image.width > fit[0] or image.height > fit[1]:
        if usual is not None:
            image = image.seen()
        divisors = _divisors(image)
        if usual is None or how.fit is not None:  # no smaller than it has to be
            fits = [n for n in divisors if image.width <= n * fit[0] and image.height <= n * fit[1]]
            divisors = fits[::-1]
        if divisors:
            steps.append(Step(f"shrunk {divisors[0]} times", Setting.FIT))
            image = image.shrunk(divisors[0])
            own = (image.width, image.height)
            fit = how.fit or (own if usual is None else _room(image, usual))
    size = (image.width, image.height)
    new = size_within(size, fit)
    if new == size:
        if image.half:
            said = f"{image.half} half-transparent pixels made opaque or empty"
            steps.append(Step(said, Setting.BACKGROUND))
        return image, _pixels_of(image.rgba()), new[0]
    steps[:] = [Step(f"scaled from {pixels.was} to {format_size(*new)}", Setting.FIT)]
    return image, _pixels_of(image.scaled(*new)), new[0]


def _inspect(image: Pixels, squares: _Squares, width: int, how: Conversion) -> ScaledImage:
    """Return a scaled image with its analysis: its inks if it is a drawing."""
    is_smaller = len(squares) < image.width * image.height
    sample, right, below = (_pixels_of(image.sample(*at)) for at in ((0, 0), (1, 0), (0, 1)))
    if not how.usual or image.dithered:
        return ScaledImage(squares, width, sample, is_smaller=is_smaller)
    inks = find_inks(sample, list(zip(right, below, strict=True)), (), len(squares))
    present = _find_present(image, squares, width, inks) if is_smaller and inks else ()
    return ScaledImage(squares, width, sample, inks, present, is_smaller)


def _find_present(
    image: Pixels, squares: _Squares, width: int, inks: Sequence[Rgb]
) -> list[tuple[int, ...]]:
    """Return the indices of the inks in each square, as the command finds them."""
    found, count = image.present(width, len(squares) // width, inks), len(inks)
    present = []
    for at, square in enumerate(squares):
        drawn = square or (0, 0, 0)
        here = []
        for number, ink in enumerate(inks):
            is_near = max(map(abs, map(operator.sub, drawn, ink))) < _NEAR
            if is_near or found[at * count + number]:
                here.append(number)
        present.append(tuple(here))
    return present


def _divisors(image: Pixels) -> list[int]:
    """Return the factors by which pixel art shrinks without loss, the largest first."""
    block, side = image.block, max(image.width, image.height)
    return [n for n in range(block, 1, -1) if not block % n and side >= _SMALLEST * n]


def _room(image: Pixels, usual: Usual) -> tuple[int, int]:
    """Return the size up to which an image is not scaled, as the command chooses it."""
    size = (image.width, image.height)
    is_flat = not image.half and image.colors <= usual.most + (not image.clear)
    for room, suits in ((usual.holds, True), (usual.flat, is_flat and not _divisors(image))):
        if suits and size[0] <= room[0] and size[1] <= room[1]:
            return room
    box = usual.box(size)
    larger = (max(box[0], usual.as_is[0]), max(box[1], usual.as_is[1]))
    if size[0] > larger[0] or size[1] > larger[1]:
        return box
    return larger if image.art else box


def _pixels_of(data: bytes) -> _Squares:
    """Return RGBA as colours; None where it is transparent."""
    alphas = data[3::4]
    least = 128 if not alphas or max(alphas) >= 128 else 1  # a shadow is better than nothing
    return [
        (red, green, blue) if alpha >= least else None
        for red, green, blue, alpha in zip(data[::4], data[1::4], data[2::4], alphas, strict=True)
    ]
