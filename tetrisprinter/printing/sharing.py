"""Ways to share the seven types among the colours of a picture, those that promise most first.

Which of them takes the fewest drops is known only when the picture is printed in it. What can
be told before is how freely pieces of a colour can lie within the squares of that colour
(:class:`Cover`): on pictures with shapes it puts the good ways first, on noise it says nothing.
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
    share_freely,
    share_types,
    sort_by_frequency,
)

__all__ = ["Assignments", "Cover", "other_shares", "rank_assignments"]

_OTHERS: Final = {
    2: (("IJLOST", "Z"), ("IJLOTZ", "S"), ("IJLOSZ", "T"), ("IJLOSTZ", "")),
    3: (
        ("IJOT", "LS", "Z"), ("IJLO", "TS", "Z"), ("IJO", "LST", "Z"),
        ("IJLO", "TZ", "S"), ("IJO", "LSZ", "T"),
    ),
    4: (("IJOS", "L", "T", "Z"), ("IJO", "LS", "T", "Z"), ("IJO", "LZ", "T", "S")),
}  # fmt: skip
"""Other ways to share them among so many colours, of which the last is the background's."""

_DRAWS: Final = 60
"""Of so many ways that are drawn by chance the one that promises most is given..."""
_DRAWS_NEAR: Final = 3
"""... and of so many that are near a parent."""

_TELLS: Final = 0.4
"""Up to so much for a square the estimate tells which of the usual ways is the better one; on
noise it is more."""

_TRIED: Final = 2
"""So many others are tried where there is no background."""

Shade = TypeVar("Shade", bound=str | int)
_Way = tuple[tuple[PieceType, Shade], ...]
"""A colour for every type."""


class Cover:
    """How freely the pieces that show a colour can lie within the squares of that colour."""

    def __init__(self, picture: Picture) -> None:
        # A set of squares is a number with a bit for each, rows far enough apart that no piece
        # reaches from one end of a row to the other.
        apart = picture.width + 4
        self._squares = dict.fromkeys(picture.colors(), 0)
        for (x, y), color in picture.cells().items():
            self._squares[color] |= 1 << y * apart + x
        self._ways: dict[tuple[Color, PieceType], list[int]] = {}
        for color, squares in self._squares.items():
            for one in ORIENTATIONS:
                shifts = [y * apart + x for x, y in one.cells]
                lies = -1  # all squares
                for shift in shifts:
                    lies &= squares >> shift
                ways = self._ways.setdefault((color, one.piece), [])
                for shift in shifts:
                    _add(ways, [lies << shift])
        self._known: dict[tuple[Color, tuple[PieceType, ...]], float] = {}

    def cost(self, way: Iterable[tuple[PieceType, Color]]) -> float:
        """Return how little of the picture the pieces of its colours cover: less is better.

        A square counts as one part in as many as there are ways to cover it, and one more.
        """
        types: dict[Color, list[PieceType]] = {color: [] for color in self._squares}
        for piece, color in way:
            if color in types:
                types[color].append(piece)
        return sum(self._cost(color, tuple(of)) for color, of in types.items())

    def _cost(self, color: Color, types: tuple[PieceType, ...]) -> float:
        key = (color, types)
        if key not in self._known:
            ways: list[int] = []
            for piece in types:
                _add(ways, self._ways[color, piece])
            self._known[key] = sum(
                many / (1 + value) for value, many in _list_counts(ways, self._squares[color])
            )
        return self._known[key]


def _add(numbers: list[int], more: Sequence[int]) -> None:
    """Add a number of each square to another one; bit ``k`` of all of them is ``numbers[k]``."""
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
    """Return the values that the numbers of some squares have, and how many have each."""
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
    """Ways to give every type one of some colours, those that promise most first."""

    def __init__(
        self,
        counts: Mapping[Shade, int],
        seed: int,
        first: Sequence[_Way[Shade]] = (),
        cost: Callable[[_Way[Shade]], float] | None = None,
    ) -> None:
        self._random = random.Random(seed)
        self._given: set[_Way[Shade]] = set()
        self._cost = cost
        self._first: list[_Way[Shade]] = list(dict.fromkeys(first))
        self._shades: list[Shade] = list(counts)
        self._counts = list(counts.values())

    def next(self, parents: Sequence[_Way[Shade]] = ()) -> _Way[Shade] | None:
        """Return one that was not given before."""
        if self._first:
            one = self._first.pop(0)
            self._given.add(one)
            return one
        draws = 1 if self._cost is None else _DRAWS_NEAR if parents else _DRAWS
        found: dict[_Way[Shade], None] = {}
        for _ in range(max(100, draws)):
            one = self._near(self._random.choice(parents)) if parents else self._any()
            is_complete = {shade for _, shade in one} >= set(self._shades)
            if is_complete and one not in self._given:
                found[one] = None
                if len(found) == draws:
                    break
        if not found:
            return None
        best = min(found, key=self._cost) if self._cost is not None else next(iter(found))
        self._given.add(best)
        return best

    def _any(self) -> _Way[Shade]:
        """Give each colour a type that leaves single squares nearly anywhere, as far as they go."""
        pick = self._random
        owners = [*pick.sample(SINGLE, 3), *pick.sample(NEARLY_SINGLE, 2)]
        shades = pick.sample(self._shades, len(self._shades))
        chosen = dict(zip(owners, shades, strict=False))
        left = shades[len(owners) :]
        for piece in PieceType:
            if piece not in chosen:
                chosen[piece] = left.pop() if left else pick.choices(self._shades, self._counts)[0]
        return tuple((piece, chosen[piece]) for piece in PieceType)

    def _near(self, parent: _Way[Shade]) -> _Way[Shade]:
        """Exchange the colours of two types, give one type another, or exchange two colours."""
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
    """Return ways to give every type a colour of a picture, first those of the rules in ``types``.

    Parameters and errors as there; a background's colour may have types, and need not.
    """
    counts = Counter(picture.cells().values())
    shown = {color: counts[color] for color in sort_by_frequency(picture, background)}
    shares = [share_types(picture, background), *_before(picture, background)]
    if background is None:
        shares.append(share_freely(picture))
    first = [tuple(sorted(share.items())) for share in shares if len(share) == len(PieceType)]
    if background is not None:  # the estimate knows nothing of pieces that lie over its squares
        return Assignments(shown, seed, first)
    cost = Cover(picture).cost
    if all(cost(way) <= _TELLS * counts.total() for way in first):
        first.sort(key=cost)
    return Assignments(shown, seed, first, cost)


def other_shares(picture: Picture, background: Color | None = None) -> list[dict[PieceType, Color]]:
    """Share the types among few colours otherwise than :func:`share_types` does.

    Which share is the best one is up to the picture. Before a background most pictures do best
    where its colour has one type, or none: then it cannot be used to come out even. Without one,
    those are returned that promise most.

    Parameters and errors as there.
    """
    if background is not None:
        return _before(picture, background)
    ways, rules = rank_assignments(picture), (share_types(picture), share_freely(picture))
    found = [dict(ways.next() or ()) for _ in range(len(rules) + _TRIED)]
    return [one for one in found if one and one not in rules][:_TRIED]


def _before(picture: Picture, background: Color | None) -> list[dict[PieceType, Color]]:
    """Return the ways to share the types among few colours and a background's."""
    if background is None:
        return []
    colors = [*sort_by_frequency(picture, background), background]
    return [share_colors(share, colors) for share in _OTHERS.get(len(colors), ())]
