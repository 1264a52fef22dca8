"""The eight pieces of Triplex, in the order that files, pages and codes use.

A piece may only be shifted, so the two dominoes and the six trominoes are eight different *kinds*,
0 to 7. A puzzle depends only on the number of pieces of each kind, its *counts*. Turning or
mirroring a puzzle permutes the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.tilings.polyomino import Polyomino

Counts = tuple[int, ...]
"""The number of pieces of each of the eight kinds."""

_Getter = Callable[[Sequence[int]], Counts]

NAMES: Final = ("I2h", "I2v", "I3h", "I3v", "V0", "V1", "V2", "V3")
KINDS: Final = tuple(
    Polyomino.parse(drawing)
    for drawing in ("##", "#/#", "###", "#/#/#", "#./##", "##/#.", "##/.#", ".#/##")
)
SIZES: Final = tuple(kind.size for kind in KINDS)

TURNED: Final = tuple(KINDS.index(kind.rotate()) for kind in KINDS)
"""For each kind the kind that it becomes after a clockwise quarter turn."""
MIRRORED: Final = tuple(KINDS.index(kind.reflect()) for kind in KINDS)
"""For each kind the kind of its mirror image, with left and right exchanged."""
TRANSPOSED: Final = tuple(
    KINDS.index(Polyomino(tuple((y, x) for x, y in kind.cells))) for kind in KINDS
)
"""For each kind the kind that it becomes if rows and columns are exchanged."""


def count_cells(counts: Sequence[int]) -> int:
    """Return the number of cells of all pieces."""
    return sum(count * size for count, size in zip(counts, SIZES, strict=True))


def apply_symmetry(counts: Sequence[int], permutation: Sequence[int]) -> Counts:
    """Return the counts after each kind has become ``permutation[kind]``."""
    result = [0] * len(KINDS)
    for kind, count in enumerate(counts):
        result[permutation[kind]] += count
    return tuple(result)


def list_images(counts: Sequence[int], *, square: bool) -> set[Counts]:
    """Return the counts of all rotations and reflections that keep the rectangle's size."""
    same_shape, all_images = _make_image_getters()
    return {get(counts) for get in (all_images if square else same_shape)}


@cache
def _make_image_getters() -> tuple[tuple[_Getter, ...], tuple[_Getter, ...]]:
    """Return functions that map counts to an image's: without and with quarter turns."""
    same_shape: list[_Getter] = []
    quarter_turned: list[_Getter] = []
    permutation = tuple(range(len(KINDS)))
    for _ in range(2):
        for turns in range(4):
            # The inverse of each symmetry is listed, too, so its direction does not matter.
            (quarter_turned if turns % 2 else same_shape).append(itemgetter(*permutation))
            permutation = tuple(TURNED[kind] for kind in permutation)
        permutation = tuple(MIRRORED[kind] for kind in permutation)
    return tuple(same_shape), (*same_shape, *quarter_turned)


def list_other_turns(kind: int) -> tuple[int, ...]:
    """Return the other kinds that a kind becomes by 1, 2 or 3 clockwise quarter turns."""
    kinds = [kind]
    while (turned := TURNED[kinds[-1]]) != kind:
        kinds.append(turned)
    return tuple(kinds[1:])


def find_kind(name: str) -> int:
    """Return the number of a kind (0 to 7) from its name."""
    try:
        return NAMES.index(name)
    except ValueError:
        raise InputError(f"unknown piece {name!r}; choose from {', '.join(NAMES)}") from None
