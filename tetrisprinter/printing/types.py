"""Which piece type shows which colour.

A game leaves piece types; a picture says colours. :class:`TypeColors` is the dictionary
between the two. A task may leave it open: *classic* is the article's rule (the first three
colours, top row first, go to J, T and L, and no other type is ever left), *auto* leaves
the choice to the planner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, read_color

__all__ = ["TypeColors", "TypesAsked", "read_types"]


@dataclass(frozen=True, slots=True)
class TypeColors(Mapping[PieceType, Color]):
    """The colour of every type that may stay visible; several types may share one.

    Attributes
    ----------
    pairs : tuple of (PieceType, str)
        Each type with its colour as ``rrggbb``, in the order in which they were given.

    Examples
    --------
    >>> types = TypeColors.parse("J=ff0000,T=FFFFFF,L=ff0000")
    >>> types[PieceType.T], [piece.name for piece in types.showing("ff0000")]
    ('ffffff', ['J', 'L'])
    >>> print(types)
    J=ff0000,T=ffffff,L=ff0000
    """

    pairs: tuple[tuple[PieceType, Color], ...]

    def __post_init__(self) -> None:
        if len({piece for piece, _ in self.pairs}) < len(self.pairs):
            raise InputError("a piece type has two colours")
        for _, color in self.pairs:
            if read_color(color) != color:
                raise InputError(f"{color!r} is no colour: six lower-case hex digits are")

    @classmethod
    def of(cls, types: Mapping[PieceType, Color] | Iterable[tuple[PieceType, Color]]) -> TypeColors:
        """Take a mapping or pairs."""
        if isinstance(types, TypeColors):
            return types
        return cls(tuple(types.items() if isinstance(types, Mapping) else types))

    @classmethod
    def parse(cls, text: str) -> TypeColors:
        """Read ``J=ff0000,T=ffffff``.

        Raises
        ------
        InputError
            Naming the part that cannot be read.
        """
        pairs: dict[PieceType, Color] = {}
        for part in text.split(","):
            name, _, color = part.partition("=")
            shown = read_color(color)
            if name not in PieceType.__members__ or shown is None or PieceType[name] in pairs:
                raise InputError(
                    f"{part!r} is not a piece type with a colour of its own; give classic, auto, "
                    "or a list such as J=ff0000,T=ffffff,L=0000ff"
                )
            pairs[PieceType[name]] = shown
        return cls(tuple(pairs.items()))

    def showing(self, color: Color) -> tuple[PieceType, ...]:
        """Return the types of a colour."""
        return tuple(piece for piece, shown in self.pairs if shown == color)

    def __getitem__(self, piece: PieceType) -> Color:
        for known, color in self.pairs:
            if known is piece:
                return color
        raise KeyError(piece)

    def __iter__(self) -> Iterator[PieceType]:
        return (piece for piece, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __str__(self) -> str:
        return ",".join(f"{piece.name}={color}" for piece, color in self.pairs)


TypesAsked = Literal["classic", "auto"] | TypeColors
"""What can be asked for."""

_WORDS: Final[Mapping[str, Literal["classic", "auto"]]] = {"classic": "classic", "auto": "auto"}


def read_types(asked: str | Mapping[PieceType, Color]) -> TypesAsked:
    """Read a word, a list such as ``J=ff0000,T=ffffff``, or a mapping.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> read_types("auto"), str(read_types({PieceType.I: "00ff00"}))
    ('auto', 'I=00ff00')
    """
    if not isinstance(asked, str):
        return TypeColors.of(asked)
    return _WORDS[asked] if asked in _WORDS else TypeColors.parse(asked)
