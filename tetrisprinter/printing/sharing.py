"""Assignments of the seven types to the colours of a picture, the most promising first.

Only a planned game shows how many drops an assignment takes. :class:`Cover` estimates this number:
it counts the placements of a colour's types within the squares of that colour. The estimate ranks
assignments well for pictures with shapes, and not at all for noise.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.types import (
    NEARLY_SINGLE,
    SINGLE,
    share_colors,
    share_types,
    share_with_common_i_and_o,
    sort_by_frequency,
)

_MORE_ASSIGNMENTS: Final = {
    2: (("IJLOST", "Z"), ("IJLOTZ", "S"), ("IJLOSZ", "T"), ("IJLOSTZ", "")),
    3: (
        ("IJOT", "LS", "Z"), ("IJLO", "TS", "Z"), ("IJO", "LST", "Z"),
        ("IJLO", "TZ", "S"), ("IJO", "LSZ", "T"),
    ),
    4: (("IJOS", "L", "T", "Z"), ("IJO", "LS", "T", "Z"), ("IJO", "LZ", "T", "S")),
}  # fmt: skip
"""By number of colours: further lists of the types of each colour, the background's last."""

_DRAW_COUNT: Final = 60
"""The number of random assignments of which the best is returned."""
_CHANGE_COUNT: Final = 3
"""The number of random changes of a parent of which the best is returned."""

_RELIABLE_COST: Final = 0.4
"""Up to this cost per square the estimate ranks assignments well; pictures of noise cost more."""

Shade = TypeVar("Shade", bound=str | int)
_Assignment = tuple[tuple[PieceType, Shade], ...]
"""A colour for every type."""


class Cover:
    """An estimate of how well the types of an assignment cover a picture."""

    def __init__(self, picture: Picture) -> None:
        # A set of squares is an integer, one bit each. Gaps keep pieces from wrapping around.
        # ``_placement_counts``: for each square, the bit-sliced number of placements that cover it.
        row_stride = picture.width + 4
        self._squares = dict.fromkeys(picture.colors(), 0)
        for (x, y), color in picture.cells().items():
            self._squares[color] |= 1 << y * row_stride + x
        self._placement_counts: dict[tuple[Color, PieceType], list[int]] = {}
        for color, squares in self._squares.items():
            for orientation in ORIENTATIONS:
                shifts = [y * row_stride + x for x, y in orientation.cells]
                positions = -1  # the positions where the piece fits; at first all
                for shift in shifts:
                    positions &= squares >> shift
                placement_counts = self._placement_counts.setdefault((color, orientation.piece), [])
                for shift in shifts:
                    _add_bit_sliced(placement_counts, [positions << shift])
        self._costs: dict[tuple[Color, tuple[PieceType, ...]], float] = {}

    def cost(self, assignment: Iterable[tuple[PieceType, Color]]) -> float:
        """Return the cost of an assignment; a lower cost is better.

        A square that ``n`` placements cover costs ``1 / (n + 1)``.
        """
        types: dict[Color, list[PieceType]] = {color: [] for color in self._squares}
        for piece, color in assignment:
            if color in types:
                types[color].append(piece)
        return sum(
            self._compute_color_cost(color, tuple(pieces)) for color, pieces in types.items()
        )

    def _compute_color_cost(self, color: Color, types: tuple[PieceType, ...]) -> float:
        """Return the cost of the squares of one colour if the colour has these types."""
        key = (color, types)
        if key not in self._costs:
            placement_counts: list[int] = []
            for piece in types:
                _add_bit_sliced(placement_counts, self._placement_counts[color, piece])
            self._costs[key] = sum(
                squares / (1 + value)
                for value, squares in _count_values(placement_counts, self._squares[color])
            )
        return self._costs[key]


def _add_bit_sliced(numbers: list[int], addends: Sequence[int]) -> None:
    """Add bit-sliced numbers in place; ``numbers[k]`` has bit ``k`` of each square's number."""
    carry = 0
    for k in range(max(len(numbers), len(addends))):
        if k == len(numbers):
            numbers.append(0)
        a, b = numbers[k], addends[k] if k < len(addends) else 0
        numbers[k] = a ^ b ^ carry
        carry = a & b | carry & (a | b)
    if carry:
        numbers.append(carry)


def _count_values(numbers: Sequence[int], squares: int) -> list[tuple[int, int]]:
    """Return pairs (value, number of squares with this value) of bit-sliced numbers."""
    groups = [(0, squares)]
    for bits in reversed(numbers):
        groups = [
            (2 * value + bit, subset)
            for value, members in groups
            for bit, subset in ((0, members & ~bits), (1, members & bits))
            if subset
        ]
    return [(value, members.bit_count()) for value, members in groups]


class Assignments(Generic[Shade]):
    """A source of different assignments: first the given, then random assignments of low cost."""

    def __init__(
        self,
        counts: Mapping[Shade, int],
        seed: int,
        first: Sequence[_Assignment[Shade]] = (),
        cost: Callable[[_Assignment[Shade]], float] | None = None,
    ) -> None:
        self._random = random.Random(seed)
        self._returned: set[_Assignment[Shade]] = set()
        self._cost = cost
        self._first: list[_Assignment[Shade]] = list(dict.fromkeys(first))
        self._shades: list[Shade] = list(counts)
        self._counts = list(counts.values())

    def next(self, parents: Sequence[_Assignment[Shade]] = ()) -> _Assignment[Shade] | None:
        """Return a new assignment, similar to a parent if any are given; None if none was found."""
        if self._first:
            assignment = self._first.pop(0)
            self._returned.add(assignment)
            return assignment
        draws = 1 if self._cost is None else _CHANGE_COUNT if parents else _DRAW_COUNT
        candidates: dict[_Assignment[Shade], None] = {}
        for _ in range(max(100, draws)):
            assignment = (
                self._change_assignment(self._random.choice(parents))
                if parents
                else self._draw_assignment()
            )
            is_complete = {shade for _, shade in assignment} >= set(self._shades)
            if is_complete and assignment not in self._returned:
                candidates[assignment] = None
                if len(candidates) == draws:
                    break
        if not candidates:
            return None
        best = min(candidates, key=self._cost) if self._cost is not None else next(iter(candidates))
        self._returned.add(best)
        return best

    def _draw_assignment(self) -> _Assignment[Shade]:
        """Return a random assignment; types that leave single squares get different colours."""
        rng = self._random
        first_types = [*rng.sample(SINGLE, 3), *rng.sample(NEARLY_SINGLE, 2)]
        shades = rng.sample(self._shades, len(self._shades))
        shade_of = dict(zip(first_types, shades, strict=False))
        unused_shades = shades[len(first_types) :]
        for piece in PieceType:
            if piece not in shade_of:
                shade_of[piece] = (
                    unused_shades.pop()
                    if unused_shades
                    else rng.choices(self._shades, self._counts)[0]
                )
        return tuple((piece, shade_of[piece]) for piece in PieceType)

    def _change_assignment(self, parent: _Assignment[Shade]) -> _Assignment[Shade]:
        """Return a changed assignment: two types or two colours swapped, or one type recoloured."""
        rng = self._random
        shade_of = dict(parent)
        choice = rng.random()
        if choice < 0.5:
            first, second = rng.sample(list(PieceType), 2)
            shade_of[first], shade_of[second] = shade_of[second], shade_of[first]
        elif choice < 0.85 or len(self._shades) < 2:
            shade_of[rng.choice(list(PieceType))] = rng.choice(self._shades)
        else:
            a, b = rng.sample(self._shades, 2)
            swap = {a: b, b: a}
            shade_of = {piece: swap.get(shade, shade) for piece, shade in shade_of.items()}
        return tuple((piece, shade_of[piece]) for piece in PieceType)


def rank_assignments(
    picture: Picture, background: Color | None = None, seed: int = 0
) -> Assignments[Color]:
    """Return a source of assignments for a picture; the rules of ``printing.types`` come first.

    The background's colour may have types but need not.
    """
    counts = Counter(picture.cells().values())
    color_counts = {color: counts[color] for color in sort_by_frequency(picture, background)}
    assignments = [share_types(picture, background), *_share_with_background(picture, background)]
    if background is None:
        assignments.append(share_with_common_i_and_o(picture))
    first = [tuple(sorted(share.items())) for share in assignments if len(share) == len(PieceType)]
    if background is not None:  # the estimate ignores pieces that cover squares of the background
        return Assignments(color_counts, seed, first)
    cost = Cover(picture).cost
    if all(cost(assignment) <= _RELIABLE_COST * counts.total() for assignment in first):
        first.sort(key=cost)
    return Assignments(color_counts, seed, first, cost)


def _share_with_background(
    picture: Picture, background: Color | None
) -> list[dict[PieceType, Color]]:
    """Return the further assignments (``_MORE_ASSIGNMENTS``) for a picture with a background."""
    if background is None:
        return []
    colors = [*sort_by_frequency(picture, background), background]
    return [share_colors(share, colors) for share in _MORE_ASSIGNMENTS.get(len(colors), ())]
