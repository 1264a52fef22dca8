"""The eight pieces of Triplex, in one order that files, pages and codes rely on.

A piece may only be shifted, so the two dominoes and the six trominoes are different
pieces, *kinds* 0 to 7. A level depends only on how many pieces of each kind there are;
turning or mirroring a level turns or mirrors its pieces, which permutes these *counts*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.tilings.polyomino import Polyomino

__all__ = [
    "KINDS",
    "MIRRORED",
    "NAMES",
    "SIZES",
    "TRANSPOSED",
    "TURNED",
    "Counts",
    "apply_symmetry",
    "count_cells",
    "find_kind",
    "list_images",
    "list_other_turns",
]

Counts = tuple[int, ...]
"""How many pieces of each kind: eight numbers."""

_Getter = Callable[[Sequence[int]], Counts]

NAMES: Final = ("I2h", "I2v", "I3h", "I3v", "V0", "V1", "V2", "V3")
KINDS: Final = tuple(
    Polyomino.parse(drawing)
    for drawing in ("##", "#/#", "###", "#/#/#", "#./##", "##/#.", "##/.#", ".#/##")
)
SIZES: Final = tuple(kind.size for kind in KINDS)

TURNED: Final = tuple(KINDS.index(kind.rotate()) for kind in KINDS)
"""For each kind the one it becomes by a clockwise quarter turn."""
MIRRORED: Final = tuple(KINDS.index(kind.reflect()) for kind in KINDS)
"""For each kind the one it becomes when left and right are exchanged."""
TRANSPOSED: Final = tuple(
    KINDS.index(Polyomino(tuple((y, x) for x, y in kind.cells))) for kind in KINDS
)
"""For each kind the one it becomes when rows and columns are exchanged."""


def count_cells(counts: Sequence[int]) -> int:
    """Return how many cells the pieces have together."""
    return sum(count * size for count, size in zip(counts, SIZES, strict=True))


def apply_symmetry(counts: Sequence[int], permutation: Sequence[int]) -> Counts:
    """Return the counts after every piece has become another kind."""
    result = [0] * len(KINDS)
    for kind, count in enumerate(counts):
        result[permutation[kind]] += count
    return tuple(result)


def list_images(counts: Sequence[int], *, square: bool) -> set[Counts]:
    """Return the counts of all rotations and reflections of a level."""
    same_shape, all_images = _image_getters()
    return {get(counts) for get in (all_images if square else same_shape)}


@cache
def _image_getters() -> tuple[tuple[_Getter, ...], tuple[_Getter, ...]]:
    """Return what takes the counts of images out of counts: without and with quarter turns."""
    even: list[_Getter] = []
    odd: list[_Getter] = []
    permutation = tuple(range(len(KINDS)))
    for _ in range(2):
        for turns in range(4):
            # Images come in pairs of inverse ones, so it does not matter which way this goes.
            (odd if turns % 2 else even).append(itemgetter(*permutation))
            permutation = tuple(TURNED[kind] for kind in permutation)
        permutation = tuple(MIRRORED[kind] for kind in permutation)
    return tuple(even), (*even, *odd)


def list_other_turns(kind: int) -> tuple[int, ...]:
    """Return the kinds that one becomes by 1, 2, 3 clockwise quarter turns, itself left out."""
    found = [kind]
    while (turned := TURNED[found[-1]]) != kind:
        found.append(turned)
    return tuple(found[1:])


def find_kind(name: str) -> int:
    """Return the number of a kind."""
    try:
        return NAMES.index(name)
    except ValueError:
        raise InputError(
            f"{name!r} is not a piece of Triplex: known are {', '.join(NAMES)}"
        ) from None
