"""Pictures in the page: the browser scales them, the package does all that follows.

The browser's canvas has decoded an image and answers three questions about it (:class:`Pixels`).
What is decided, and the last steps, which make the picture, are those of
:mod:`~tetrisprinter.pictures.convert`; only Lanczos and the thickening of strokes, which need
Pillow and numpy, are not here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from tetrisprinter.errors import InputError, Setting
from tetrisprinter.pictures.convert import (
    Conversion,
    Converted,
    Step,
    Usual,
    draw_affordable,
    join_squares,
    parse_color,
)
from tetrisprinter.pictures.reduction import Reduction, ScaledImage, find_inks
from tetrisprinter.pictures.scaling import PIXEL_ART_COLORS, size_within
from tetrisprinter.pictures.sources import Source
from tetrisprinter.pictures.squares import Rgb
from tetrisprinter.support.sizes import format_size

__all__ = ["Pixels", "make_pixel_source"]

_SMALLEST: Final = 8
"""Squares of the longer side that pixel art has at least in its own size."""

_Squares = list[Rgb | None]


class Pixels(Protocol):
    """An image that the browser has decoded."""

    width: int  # its size
    height: int
    block: int  # the side of its equal blocks, in pixels
    colors: int  # how many colours it has; at most some hundreds are counted
    clear: int  # how many of its pixels are transparent, and half transparent
    half: int
    was: str  # the size that the file has

    def scale_image(self, width: int, height: int, block: int) -> bytes:
        """Return it as RGBA in another size; the middle of each block if there is one."""

    def sample(self, right: int, down: int) -> bytes:
        """Return some thousand pixels of it as RGBA, or those beside them."""


def make_pixel_source(pixels: Pixels, name: str) -> Source:
    """Return an image of the browser as a source."""
    return Source(name, name, functools.partial(_read, pixels, name))


def _read(pixels: Pixels, name: str, how: Conversion) -> Converted:
    steps: list[Step] = []
    is_open = how.background in (None, "auto")
    if how.usual is not None and is_open:
        how = replace(how, background="transparent" if pixels.clear else "auto")
    squares, width, is_smaller = _scale(pixels, how, steps)
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
    background: Any = "auto" if wanted == "auto" else fixed and tuple(bytes.fromhex(fixed))
    sample: Sequence[Rgb | None] = squares
    inks: list[Rgb] = []
    if len(known) - (background in known or background == "auto") <= most and not is_smaller:
        inks = sorted(known)  # all of them are kept
        adjust = replace(adjust, original=True)
    elif how.usual is not None:
        sample, right, below = (_pixels_of(pixels.sample(*at)) for at in ((0, 0), (1, 0), (0, 1)))
        inks = find_inks(sample, list(zip(right, below, strict=True)), (), len(squares))
    image = ScaledImage(squares, width, sample, inks, (), is_smaller)
    drawn, ground = draw_affordable(Reduction(image, adjust, background, most), how)
    picture = join_squares(drawn, width, ground, name).trim()
    if not picture.rows:
        if ground is not None and how.usual is not None and is_open:
            return _read(pixels, name, replace(how, background="transparent"))
        raise InputError(f"{name}: has nothing but background, so there is nothing to print")
    after = len({square for square in drawn if square not in (None, ground)})
    before = len(known) - (ground is not None)
    if before > after:
        steps.append(Step(f"{before} colours reduced to {after}", Setting.COLORS))
    if ground is None:
        return Converted(picture, None, tuple(steps))
    color = bytes(ground).hex()
    steps.append(Step(f"{color} left empty", Setting.BACKGROUND))
    return Converted(picture, color, tuple(steps))


def _scale(pixels: Pixels, how: Conversion, steps: list[Step]) -> tuple[_Squares, int, bool]:
    """Return the image in its final size, its width, and whether it was larger."""
    size, usual = (pixels.width, pixels.height), how.usual
    fit = how.fit or (size if usual is None else _room(pixels, usual))
    if size[0] > fit[0] or size[1] > fit[1]:
        for block in _divisors(pixels.block, size):
            own = (size[0] // block, size[1] // block)
            room = how.fit or (own if usual is None else _room_of(own, pixels, usual))
            if own[0] <= room[0] and own[1] <= room[1]:
                steps.append(Step(f"shrunk {block} times", Setting.FIT))
                return _pixels_of(pixels.scale_image(*own, block)), own[0], False
    new = size_within(size, fit)
    if new == size:
        if pixels.half:
            said = f"{pixels.half} half-transparent pixels decided"
            steps.append(Step(said, Setting.BACKGROUND))
        return _pixels_of(pixels.scale_image(*size, 1)), size[0], False
    steps.append(Step(f"scaled from {pixels.was} to {format_size(*new)}", Setting.FIT))
    return _pixels_of(pixels.scale_image(*new, 0)), new[0], True


def _divisors(block: int, size: tuple[int, int]) -> list[int]:
    """Return by how much pixel art may be shrunk without loss, the most first."""
    return [n for n in range(block, 1, -1) if not block % n and max(size) >= _SMALLEST * n]


def _room(pixels: Pixels, usual: Usual) -> tuple[int, int]:
    return _room_of((pixels.width, pixels.height), pixels, usual)


def _room_of(size: tuple[int, int], pixels: Pixels, usual: Usual) -> tuple[int, int]:
    """Return the size up to which an image is not scaled, as the command chooses it."""
    is_flat = not pixels.half and pixels.colors <= usual.most + (not pixels.clear)
    is_own = not _divisors(pixels.block, size) or size != (pixels.width, pixels.height)
    for room, suits in ((usual.holds, True), (usual.flat, is_flat and is_own)):
        if suits and size[0] <= room[0] and size[1] <= room[1]:
            return room
    box = usual.box(size)
    larger = (max(box[0], usual.as_is[0]), max(box[1], usual.as_is[1]))
    return larger if pixels.colors <= PIXEL_ART_COLORS else box


def _pixels_of(data: bytes) -> _Squares:
    """Return RGBA as colours; None where it is transparent."""
    alphas = data[3::4]
    least = 128 if not alphas or max(alphas) >= 128 else 1  # a shadow is better than nothing
    return [
        (red, green, blue) if alpha >= least else None
        for red, green, blue, alpha in zip(data[::4], data[1::4], data[2::4], alphas, strict=True)
    ]
