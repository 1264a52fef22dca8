"""The colours of the piece types.

A game leaves piece types, a picture has colours, and :class:`TypeColors` maps one to the other.
A task may name a rule instead: *classic* is the rule of the article (J, T and L get the first
three colours, top row first, and no other type is left); *auto* lets the planner choose.

Types are assigned to the colours of a picture, the most promising first. Only a planned game shows
how many drops an assignment takes. :class:`Cover` estimates this number: it counts the placements
of a colour's types within the squares of that colour. The estimate ranks assignments well for
pictures with shapes, and not at all for noise.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tetrisprinter.errors import ArgumentError, Hint, InputError, Obstacle, Setting
from tetrisprinter.game.field import CLASSIC_BOARD, Board
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, PieceType
from tetrisprinter.game.plan import CLASSIC_TYPES
from tetrisprinter.pictures.picture import Color, Picture, read_color

_SHARES: Final = (
    (),
    ("IJLOSTZ",),
    ("IJOT", "LSZ"),
    ("IJO", "LS", "TZ"),
    ("IJO", "L", "T", "SZ"),
    ("IJO", "L", "T", "S", "Z"),
    ("IJ", "L", "T", "S", "Z", "O"),
)
"""By number of colours: the types of each colour, the most common first, a background last."""
_SHARES_WITHOUT_BACKGROUND: Final = {
    3: ("JS", "LZ", "IOT"),
    4: ("IT", "J", "L", "OSZ"),
    5: ("T", "J", "L", "S", "IOZ"),
}
"""By number of colours: the types of each colour if there is no background."""

SINGLE: Final = (PieceType.J, PieceType.L, PieceType.T)
"""The types that can leave a single square anywhere."""
NEARLY_SINGLE: Final = (PieceType.S, PieceType.Z)
"""The types that can leave a single square anywhere but at one of the walls."""

_UNUSED: Final = "000000"
"""The colour of an unused type in the article's header, which must name all three."""


@dataclass(frozen=True, slots=True)
class TypeColors(Mapping[PieceType, Color]):
    """The colour of every type that may stay; several types may share a colour.

    Attributes
    ----------
    pairs : tuple of (PieceType, str)
        Each type with its colour as ``rrggbb``, in the order in which they were given.

    Examples
    --------
    >>> types = TypeColors.parse("J=ff0000,T=FFFFFF,L=ff0000")
    >>> types[PieceType.T], [piece.name for piece in types]
    ('ffffff', ['J', 'T', 'L'])
    >>> print(types)
    J=ff0000,T=ffffff,L=ff0000
    """

    pairs: tuple[tuple[PieceType, Color], ...]

    def __post_init__(self) -> None:
        if len({piece for piece, _ in self.pairs}) < len(self.pairs):
            raise InputError("a piece type has two colours")
        for _, color in self.pairs:
            if read_color(color) != color:
                raise InputError(f"invalid colour {color!r}; expected six lower-case hex digits")

    @classmethod
    def of(cls, types: Mapping[PieceType, Color] | Iterable[tuple[PieceType, Color]]) -> TypeColors:
        """Make type colours from a mapping or from pairs."""
        if isinstance(types, TypeColors):
            return types
        return cls(tuple(types.items() if isinstance(types, Mapping) else types))

    @classmethod
    def parse(cls, text: str) -> TypeColors:
        """Read a list such as ``J=ff0000,T=ffffff``."""
        pairs: dict[PieceType, Color] = {}
        for entry in text.split(","):
            name, _, color = entry.partition("=")
            canonical_color = read_color(color)
            if (
                name not in PieceType.__members__
                or canonical_color is None
                or PieceType[name] in pairs
            ):
                raise InputError(
                    f"invalid type and colour {entry!r}; expected classic, auto, or a list such as "
                    "J=ff0000,T=ffffff,L=0000ff with each type once"
                )
            pairs[PieceType[name]] = canonical_color
        return cls(tuple(pairs.items()))

    def __getitem__(self, piece: PieceType) -> Color:
        for own_type, color in self.pairs:
            if own_type is piece:
                return color
        raise KeyError(piece)

    def __iter__(self) -> Iterator[PieceType]:
        return (piece for piece, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __str__(self) -> str:
        return ",".join(f"{piece.name}={color}" for piece, color in self.pairs)


TypesOption = Literal["classic", "auto"] | TypeColors
"""A rule, or the colours of the types."""

_RULES: Final[Mapping[str, Literal["classic", "auto"]]] = {"classic": "classic", "auto": "auto"}


def read_types(value: str | Mapping[PieceType, Color]) -> TypesOption:
    """Return types from the name of a rule, a list such as ``J=ff0000,T=ffffff``, or a mapping."""
    if not isinstance(value, str):
        try:
            return TypeColors.of(value)
        except (TypeError, ValueError, AttributeError) as error:
            raise ArgumentError(
                f"invalid types {value!r}; expected classic, auto, a list such as "
                "J=ff0000,T=ffffff, or a mapping of types to colours"
            ) from error
    return _RULES[value] if value in _RULES else TypeColors.parse(value)


def list_colors_to_show(picture: Picture, background: Color | None) -> tuple[Color, ...]:
    """Return the colours that need a type, in order of first appearance."""
    return tuple(color for color in picture.colors() if color != background)


def has_dont_care_squares(
    picture: Picture, types: str | Mapping[PieceType, Color], background: Color | None
) -> bool:
    """Return whether a type may have the background's colour, so that squares of it may stay."""
    if background is None or types == "classic":
        return False
    if isinstance(types, str):
        return len(list_colors_to_show(picture, background)) < len(PieceType)
    return background in types.values()


def assign_classic_types(
    picture: Picture, background: Color | None = None
) -> dict[PieceType, Color]:
    """Return the types of a picture's colours by the article's rule: J, T and L, in this order."""
    obstacle = find_color_obstacle(picture, "classic", background)
    if obstacle is not None:
        raise obstacle.error(picture.name)
    return dict(zip(CLASSIC_TYPES, list_colors_to_show(picture, background), strict=False))


def find_color_obstacle(
    picture: Picture, types: TypesOption, background: Color | None = None
) -> Obstacle | None:
    """Return the reason why the types cannot show a picture's colours; None if they can."""
    colors = list_colors_to_show(picture, background)
    if isinstance(types, TypeColors):
        available = sorted(set(types.values()))
        return next(
            (
                Obstacle(
                    f"no piece type has the colour {color}; the types have "
                    + (", ".join(available) or "none"),
                    (Hint("with {} every colour gets one", Setting.AUTO_TYPES),),
                )
                for color in colors
                if color not in available
            ),
            None,
        )
    if types == "classic" and len(colors) > len(CLASSIC_TYPES):
        return Obstacle(
            f"{len(colors)} colours are more than the three of the classic types J, T and L",
            (
                Hint("with {} up to seven are possible", Setting.AUTO_TYPES),
                Hint("{} 3 is enough", Setting.COLORS),
            ),
        )
    if len(colors) > len(PieceType):
        return Obstacle(
            f"has {len(colors)} colours ({', '.join(colors[:4])}, ...) but there are seven piece "
            "types",
            (Hint("{} 7 is enough", Setting.COLORS),),
        )
    return None


def list_plan_colors(
    board: Board, types: Mapping[PieceType, Color]
) -> tuple[tuple[PieceType, Color], ...]:
    """Return the (type, colour) pairs of a plan's header; the classic board names J, T, L."""
    if board == CLASSIC_BOARD and set(types) <= set(CLASSIC_TYPES):
        return tuple((piece, types.get(piece, _UNUSED)) for piece in CLASSIC_TYPES)
    return tuple((piece, types[piece]) for piece in PieceType if piece in types)


def share_types(picture: Picture, background: Color | None = None) -> dict[PieceType, Color]:
    """Return the colour of each type; the colours of a picture share the seven types.

    Every colour gets one of J, L, T, S and Z, which leave single squares. If there are two colours,
    each gets J or L: on photos, noise and plain pictures that takes a tenth fewer drops than giving
    both types to one colour. If there are three to five, the most common colours get the types that
    leave single squares most freely: that takes a tenth fewer drops than giving I and O to the most
    common colour. Six or seven colours need I and O, too (:func:`assign_types_with_i_and_o`). The
    background's colour comes last, however common it is, because its squares may stay empty.
    """
    obstacle = find_color_obstacle(picture, "auto", background)
    if obstacle is not None:
        raise obstacle.error(picture.name)
    colors = sort_by_frequency(picture, background)
    if len(colors) > 5:
        types = assign_types_with_i_and_o(picture, background)
        types.setdefault(PieceType.O, background or colors[0])
        return dict(sorted(types.items()))
    if background is not None:
        colors.append(background)
        return share_colors(_SHARES[len(colors)], colors)
    return share_colors(_SHARES_WITHOUT_BACKGROUND.get(len(colors), _SHARES[len(colors)]), colors)


def share_with_common_i_and_o(picture: Picture) -> dict[PieceType, Color]:
    """Share types by another rule: the most common of three to five colours gets I and O.

    On pictures with shapes this rule is sometimes better. For other numbers of colours it equals
    :func:`share_types`.
    """
    colors = sort_by_frequency(picture, None)
    if len(colors) not in _SHARES_WITHOUT_BACKGROUND:
        return share_types(picture)
    return share_colors(_SHARES[len(colors)], colors)


def sort_by_frequency(picture: Picture, background: Color | None) -> list[Color]:
    """Return the colours that need a type, the most common first."""
    counts = Counter(picture.cells().values())
    return sorted(list_colors_to_show(picture, background), key=lambda c: -counts[c])


def share_colors(shares: Sequence[str], colors: Sequence[Color]) -> dict[PieceType, Color]:
    """Return the colour of each type; ``shares`` has the letters of each colour's types."""
    types = {
        PieceType[letter]: color
        for letters, color in zip(shares, colors, strict=True)
        for letter in letters
    }
    return dict(sorted(types.items()))


def assign_types_with_i_and_o(
    picture: Picture, background: Color | None = None
) -> dict[PieceType, Color]:
    """Return types for six or seven colours; I and O get the most suitable colours.

    J, L, T, S and Z can leave a single square almost anywhere. The sixth colour must go to I, the
    seventh to O. O gets the colour with the fewest odd runs, because it cannot print them.
    I gets the colour with the fewest pixels outside straight runs of four, which are expensive.
    """
    colors = list(list_colors_to_show(picture, background))
    types: dict[PieceType, Color] = {}
    if len(colors) == 7:
        o_color = min(colors, key=lambda c: (len(find_odd_runs(picture.rows, c)), colors.index(c)))
        types[PieceType.O] = o_color
        colors.remove(o_color)
    if len(colors) == 6:
        i_color = min(
            colors, key=lambda c: (len(find_isolated_pixels(picture, c)), colors.index(c))
        )
        types[PieceType.I] = i_color
        colors.remove(i_color)
    # The most common colours get the pieces that leave a square in every column.
    counts = Counter(picture.cells().values())
    colors.sort(key=lambda c: -counts[c])
    ordered_types = (PieceType.T, PieceType.J, PieceType.L, PieceType.S, PieceType.Z)
    types.update(zip(ordered_types, colors, strict=False))
    return types


def find_isolated_pixels(picture: Picture, color: Color) -> list[Cell]:
    """Return the pixels of a colour that lie in no vertical or horizontal run of four."""
    cells = {cell for cell, c in picture.cells().items() if c == color}
    return [
        (x, y)
        for x, y in sorted(cells)
        if not any(
            all((x + dx * (i - k), y + dy * (i - k)) in cells for i in range(4))
            for dx, dy in ((1, 0), (0, 1))
            for k in range(4)
        )
    ]


def find_odd_runs(rows: Sequence[Sequence[object]], color: object) -> list[tuple[int, int, int]]:
    """Return the horizontal runs of odd length of a colour as (row, first column, length).

    >>> red, blue = "ff0000", "0000ff"
    >>> find_odd_runs([(red, red, None, red, blue)], red)
    [(0, 3, 1)]
    """
    runs: list[tuple[int, int, int]] = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            start = x
            while x < len(row) and row[x] == color:
                x += 1
            if (x - start) % 2:
                runs.append((y, start, x - start))
            x = max(x, start + 1)
    return runs


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

_Assignment = tuple[tuple[PieceType, Color], ...]
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


class Assignments:
    """A source of different assignments: first the given, then random assignments of low cost."""

    def __init__(
        self,
        counts: Mapping[Color, int],
        seed: int,
        first: Sequence[_Assignment] = (),
        cost: Callable[[_Assignment], float] | None = None,
    ) -> None:
        self._random = random.Random(seed)
        self._returned: set[_Assignment] = set()
        self._cost = cost
        self._first: list[_Assignment] = list(dict.fromkeys(first))
        self._colors: list[Color] = list(counts)
        self._counts = list(counts.values())

    def next(self, parents: Sequence[_Assignment] = ()) -> _Assignment | None:
        """Return a new assignment, similar to a parent if any are given; None if none was found."""
        if self._first:
            assignment = self._first.pop(0)
            self._returned.add(assignment)
            return assignment
        draws = 1 if self._cost is None else _CHANGE_COUNT if parents else _DRAW_COUNT
        candidates: dict[_Assignment, None] = {}
        for _ in range(max(100, draws)):
            assignment = (
                self._change_assignment(self._random.choice(parents))
                if parents
                else self._draw_assignment()
            )
            is_complete = {color for _, color in assignment} >= set(self._colors)
            if is_complete and assignment not in self._returned:
                candidates[assignment] = None
                if len(candidates) == draws:
                    break
        if not candidates:
            return None
        best = min(candidates, key=self._cost) if self._cost is not None else next(iter(candidates))
        self._returned.add(best)
        return best

    def _draw_assignment(self) -> _Assignment:
        """Return a random assignment; types that leave single squares get different colours."""
        rng = self._random
        first_types = [*rng.sample(SINGLE, 3), *rng.sample(NEARLY_SINGLE, 2)]
        colors = rng.sample(self._colors, len(self._colors))
        color_of = dict(zip(first_types, colors, strict=False))
        unused_colors = colors[len(first_types) :]
        for piece in PieceType:
            if piece not in color_of:
                color_of[piece] = (
                    unused_colors.pop()
                    if unused_colors
                    else rng.choices(self._colors, self._counts)[0]
                )
        return tuple((piece, color_of[piece]) for piece in PieceType)

    def _change_assignment(self, parent: _Assignment) -> _Assignment:
        """Return a changed assignment: two types or two colours swapped, or one type recoloured."""
        rng = self._random
        color_of = dict(parent)
        choice = rng.random()
        if choice < 0.5:
            first, second = rng.sample(list(PieceType), 2)
            color_of[first], color_of[second] = color_of[second], color_of[first]
        elif choice < 0.85 or len(self._colors) < 2:
            color_of[rng.choice(list(PieceType))] = rng.choice(self._colors)
        else:
            a, b = rng.sample(self._colors, 2)
            swap = {a: b, b: a}
            color_of = {piece: swap.get(color, color) for piece, color in color_of.items()}
        return tuple((piece, color_of[piece]) for piece in PieceType)


def rank_assignments(
    picture: Picture, background: Color | None = None, seed: int = 0
) -> Assignments:
    """Return a source of assignments for a picture; the rules of ``printing.types`` come first.

    The background's colour may have types but need not.
    """
    counts = Counter(picture.cells().values())
    color_counts = {color: counts[color] for color in sort_by_frequency(picture, background)}
    assignments = [share_types(picture, background)]
    if background is None:
        assignments.append(share_with_common_i_and_o(picture))
    else:
        colors = [*color_counts, background]
        shares = _MORE_ASSIGNMENTS.get(len(colors), ())
        assignments += [share_colors(share, colors) for share in shares]
    first = [tuple(sorted(share.items())) for share in assignments if len(share) == len(PieceType)]
    if background is not None:  # the estimate ignores pieces that cover squares of the background
        return Assignments(color_counts, seed, first)
    cost = Cover(picture).cost
    if all(cost(assignment) <= _RELIABLE_COST * counts.total() for assignment in first):
        first.sort(key=cost)
    return Assignments(color_counts, seed, first, cost)
