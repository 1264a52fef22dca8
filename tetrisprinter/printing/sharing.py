"""Assignments of the seven types to the colours of a picture, the most promising first.

Only a print shows how many drops an assignment takes. :class:`Cover` estimates it in advance: it
counts the placements of a colour's types within the squares of that colour. The estimate ranks
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

_OTHERS: Final = {
    2: (("IJLOST", "Z"), ("IJLOTZ", "S"), ("IJLOSZ", "T"), ("IJLOSTZ", "")),
    3: (
        ("IJOT", "LS", "Z"), ("IJLO", "TS", "Z"), ("IJO", "LST", "Z"),
        ("IJLO", "TZ", "S"), ("IJO", "LSZ", "T"),
    ),
    4: (("IJOS", "L", "T", "Z"), ("IJO", "LS", "T", "Z"), ("IJO", "LZ", "T", "S")),
}  # fmt: skip
"""Further shares, by number of colours: the types of each colour, the background's last."""

_DRAWS: Final = 60
"""The number of random assignments of which the best is returned."""
_DRAWS_NEAR: Final = 3
"""The number of random changes of a parent of which the best is returned."""

_RELIABLE_COST: Final = 0.4
"""Up to this cost per square the estimate ranks the usual assignments well; noise costs more."""

Shade = TypeVar("Shade", bound=str | int)
_Assignment = tuple[tuple[PieceType, Shade], ...]
"""A colour for every type."""


class Cover:
    """A cost model of how well the types of an assignment cover a picture."""

    def __init__(self, picture: Picture) -> None:
        # A set of squares is an integer, one bit each. Gaps keep pieces from wrapping around.
        # ``_ways``: for each square, the bit-sliced number of placements that cover it.
        apart = picture.width + 4
        self._squares = dict.fromkeys(picture.colors(), 0)
        for (x, y), color in picture.cells().items():
            self._squares[color] |= 1 << y * apart + x
        self._ways: dict[tuple[Color, PieceType], list[int]] = {}
        for color, squares in self._squares.items():
            for one in ORIENTATIONS:
                shifts = [y * apart + x for x, y in one.cells]
                lies = -1  # the positions of the piece that fit; at first all
                for shift in shifts:
                    lies &= squares >> shift
                ways = self._ways.setdefault((color, one.piece), [])
                for shift in shifts:
                    _add(ways, [lies << shift])
        self._known: dict[tuple[Color, tuple[PieceType, ...]], float] = {}

    def cost(self, assignment: Iterable[tuple[PieceType, Color]]) -> float:
        """Return the cost of an assignment; less is better.

        A square that pieces can cover in ``n`` ways costs ``1 / (n + 1)``.
        """
        types: dict[Color, list[PieceType]] = {color: [] for color in self._squares}
        for piece, color in assignment:
            if color in types:
                types[color].append(piece)
        return sum(self._compute_color_cost(color, tuple(of)) for color, of in types.items())

    def _compute_color_cost(self, color: Color, types: tuple[PieceType, ...]) -> float:
        """Return the cost of the squares of one colour if it has these types."""
        key = (color, types)
        if key not in self._known:
            placement_counts: list[int] = []
            for piece in types:
                _add(placement_counts, self._ways[color, piece])
            self._known[key] = sum(
                many / (1 + value)
                for value, many in _list_counts(placement_counts, self._squares[color])
            )
        return self._known[key]


def _add(numbers: list[int], more: Sequence[int]) -> None:
    """Add bit-sliced numbers in place, one per square: ``numbers[k]`` has bit ``k`` of each."""
    carry = 0
    for k in range(max(len(numbers), len(more))):
        if k == len(numbers):
            numbers.append(0)
        one, other = numbers[k], more[k] if k < len(more) else 0
        numbers[k] = one ^ other ^ carry
        carry = one & other | carry & (one | other)
    if carry:
        numbers.append(carry)


def _list_counts(numbers: Sequence[int], squares: int) -> list[tuple[int, int]]:
    """Return (value, number of squares with it) for bit-sliced numbers on a set of squares."""
    found = [(0, squares)]
    for bits in reversed(numbers):
        found = [
            (2 * value + bit, part)
            for value, those in found
            for bit, part in ((0, those & ~bits), (1, those & bits))
            if part
        ]
    return [(value, those.bit_count()) for value, those in found]


class Assignments(Generic[Shade]):
    """A source of different assignments: first the given ones, then random ones of low cost."""

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
        """Return a new assignment, similar to a parent if there are any; None if none was found."""
        if self._first:
            one = self._first.pop(0)
            self._returned.add(one)
            return one
        draws = 1 if self._cost is None else _DRAWS_NEAR if parents else _DRAWS
        found: dict[_Assignment[Shade], None] = {}
        for _ in range(max(100, draws)):
            one = self._vary(self._random.choice(parents)) if parents else self._draw_assignment()
            is_complete = {shade for _, shade in one} >= set(self._shades)
            if is_complete and one not in self._returned:
                found[one] = None
                if len(found) == draws:
                    break
        if not found:
            return None
        best = min(found, key=self._cost) if self._cost is not None else next(iter(found))
        self._returned.add(best)
        return best

    def _draw_assignment(self) -> _Assignment[Shade]:
        """Draw an assignment in which types that leave single squares go to different colours."""
        pick = self._random
        owners = [*pick.sample(SINGLE, 3), *pick.sample(NEARLY_SINGLE, 2)]
        shades = pick.sample(self._shades, len(self._shades))
        chosen = dict(zip(owners, shades, strict=False))
        left = shades[len(owners) :]
        for piece in PieceType:
            if piece not in chosen:
                chosen[piece] = left.pop() if left else pick.choices(self._shades, self._counts)[0]
        return tuple((piece, chosen[piece]) for piece in PieceType)

    def _vary(self, parent: _Assignment[Shade]) -> _Assignment[Shade]:
        """Change an assignment: swap two types, give a type another colour, or swap two colours."""
        pick = self._random
        chosen = dict(parent)
        kind = pick.random()
        if kind < 0.5:
            one, other = pick.sample(list(PieceType), 2)
            chosen[one], chosen[other] = chosen[other], chosen[one]
        elif kind < 0.85 or len(self._shades) < 2:
            chosen[pick.choice(list(PieceType))] = pick.choice(self._shades)
        else:
            a, b = pick.sample(self._shades, 2)
            chosen = {p: b if s == a else a if s == b else s for p, s in chosen.items()}
        return tuple((piece, chosen[piece]) for piece in PieceType)


def rank_assignments(
    picture: Picture, background: Color | None = None, seed: int = 0
) -> Assignments[Color]:
    """Return assignments for a picture, first those of the rules in ``printing.types``.

    The background's colour may have types but need not.
    """
    counts = Counter(picture.cells().values())
    shown = {color: counts[color] for color in sort_by_frequency(picture, background)}
    shares = [share_types(picture, background), *_share_with_background(picture, background)]
    if background is None:
        shares.append(share_with_common_i_and_o(picture))
    first = [tuple(sorted(share.items())) for share in shares if len(share) == len(PieceType)]
    if background is not None:  # the estimate ignores pieces that cover squares of the background
        return Assignments(shown, seed, first)
    cost = Cover(picture).cost
    if all(cost(assignment) <= _RELIABLE_COST * counts.total() for assignment in first):
        first.sort(key=cost)
    return Assignments(shown, seed, first, cost)


def _share_with_background(
    picture: Picture, background: Color | None
) -> list[dict[PieceType, Color]]:
    """Return the further assignments (``_OTHERS``) for a picture with a background."""
    if background is None:
        return []
    colors = [*sort_by_frequency(picture, background), background]
    return [share_colors(share, colors) for share in _OTHERS.get(len(colors), ())]
