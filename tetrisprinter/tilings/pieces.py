"""The pieces of a tiling problem, and how often each may be used.

The grammar of a piece set, for the command line and for :meth:`PieceSet.parse`::

    set    =  item { "," item }
    item   =  kind [ "*" times ]
    kind   =  "monominoes" | "dominoes" | "trominoes" | "tetrominoes" | "pentominoes"
           |  "hexominoes" | "one-sided-" any of these | piece
    piece  =  a name of tetrisprinter.tilings.polyomino ("V3", "F5'", "L4@1", "H07")
           |  a drawing with rows separated by "/" ("##/#.")
    times  =  number | "inf"

``times`` is the **maximum** number of uses. The default is one; ``monominoes`` and ``dominoes``
have one piece each, which is unlimited. ``*`` after a set applies to each of its pieces. Pieces
with the same orientations are interchangeable and become one piece with the sum of their numbers.

A file contains drawings separated by blank lines, with ``#`` for a cell and ``.`` for none. A
line ``NAME``, ``NAME*4`` or ``*inf`` may stand above a drawing. A ``;`` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.tilings.polyomino import (
    Orientations,
    Polyomino,
    find_name,
    get_polyomino,
    list_names,
)

SETS: Final = ("monominoes", "dominoes", "trominoes", "tetrominoes", "pentominoes", "hexominoes")
_ONE_SIDED: Final = "one-sided-"


@dataclass(frozen=True, slots=True)
class Piece:
    """A polyomino with the number of times that it may be used.

    Attributes
    ----------
    name : str
        The name of the piece in answers.
    shape : Polyomino
        The piece as given; the only one that is placed if orientations are fixed.
    most : int or None
        The maximum number of uses; None: unlimited.
    """

    name: str
    shape: Polyomino
    most: int | None = 1

    def __str__(self) -> str:
        return self.name + {None: "*inf", 1: ""}.get(self.most, f"*{self.most}")


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The pieces of a tiling problem.

    Parameters
    ----------
    pieces : sequence of Piece
        The pieces; equal ones are merged.
    orientations : {'fixed', 'rotations', 'all'}
        Whether pieces may be rotated, or rotated and reflected.
    use_all : bool
        Whether all pieces with a limit must be used up.

    Raises
    ------
    InputError
        If there are no pieces, or a limit is not positive.

    Examples
    --------
    >>> pieces = PieceSet.parse("I5, V3*4, T4*inf")
    >>> print(pieces)
    I5,V3*4,T4*inf
    >>> [piece.most for piece in pieces.pieces]
    [1, 4, None]
    >>> print(PieceSet.parse("V3,V3@1*3"))
    V3*4
    >>> print(PieceSet.parse("V3,V3@1*3", "fixed"))
    V3,V3@1*3
    """

    pieces: tuple[Piece, ...]
    orientations: Orientations = "all"
    use_all: bool = False

    def __post_init__(self) -> None:
        merged: dict[Polyomino, Piece] = {}
        for piece in self.pieces:
            if piece.most is not None and piece.most < 1:
                raise InputError(
                    f"invalid number of uses {piece.name}*{piece.most}; expected 1 or more, or inf"
                )
            key = min(
                piece.shape.list_orientations(self.orientations), key=lambda shape: shape.cells
            )
            earlier = merged.get(key)
            if earlier is not None:
                limits = (earlier.most, piece.most)
                limit = None if None in limits else sum(n or 0 for n in limits)
                piece = Piece(earlier.name, earlier.shape, limit)
            merged[key] = piece
        if not merged:
            raise InputError("no pieces are given; expected at least one")
        object.__setattr__(self, "pieces", tuple(merged.values()))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The different numbers of cells of the pieces, ascending."""
        return tuple(sorted({piece.shape.size for piece in self.pieces}))

    @classmethod
    def parse(
        cls, text: str, orientations: Orientations = "all", *, use_all: bool = False
    ) -> PieceSet:
        """Read a piece set in the grammar that the module describes."""
        pieces: list[Piece] = []
        for item in text.split(","):
            set_or_piece, star, times = (part.strip() for part in item.partition("*"))
            if not set_or_piece:
                raise InputError(f"{text!r}: a piece is missing; separate pieces by one comma")
            base = set_or_piece.removeprefix(_ONE_SIDED)
            if base in SETS:
                new_pieces = [
                    Piece(name, get_polyomino(name)) for name in list_names(SETS.index(base) + 1)
                ]
                if base != set_or_piece:
                    new_pieces += [
                        Piece(f"{p.name}'", p.shape.reflect())
                        for p in new_pieces
                        if p.shape.is_chiral
                    ]
                default_limit = None if len(new_pieces) == 1 else 1
            else:
                new_pieces = [Piece(set_or_piece, _read_shape(set_or_piece))]
                default_limit = 1
            limit = _read_times(times, item) if star else default_limit
            pieces += [Piece(p.name, p.shape, limit) for p in new_pieces]
        return cls(tuple(pieces), orientations, use_all)

    @classmethod
    def parse_drawings(
        cls,
        text: str,
        source: str = "pieces",
        orientations: Orientations = "all",
        *,
        use_all: bool = False,
    ) -> PieceSet:
        """Read a file of drawings in the form that the module describes."""
        pieces: list[Piece] = []
        block: list[str] = []
        for number, line in enumerate([*text.splitlines(), ""], 1):
            line = line.partition(";")[0].rstrip()
            if line.strip():
                block.append(line)
            elif block:
                try:
                    pieces.append(_read_drawing(block))
                except InputError as error:
                    raise InputError(f"{source}:{number - len(block)}: {error}") from error
                block = []
        if not pieces:
            raise InputError(f"{source}: has no drawing of a piece; draw cells as '#'")
        return cls(tuple(pieces), orientations, use_all)

    def __str__(self) -> str:
        return ",".join(map(str, self.pieces))


def _read_shape(text: str) -> Polyomino:
    """Read a piece that is given by its name or as a drawing."""
    if set(text) <= set("#./"):
        return Polyomino.parse(text)
    try:
        return get_polyomino(text)
    except InputError as error:
        raise InputError(
            f"{error}; or a set ({', '.join(SETS)}, each also as {_ONE_SIDED}...), "
            "a drawing such as ##/#., or a file of drawings"
        ) from error


def _read_times(times: str, item: str) -> int | None:
    """Read the number of uses; None for ``inf``."""
    if times == "inf":
        return None
    if not re.fullmatch(r"[1-9]\d{0,8}", times):
        raise InputError(f"{item.strip()!r}: invalid number after '*'; expected 1 or more, or inf")
    return int(times)


def _read_drawing(lines: Sequence[str]) -> Piece:
    """Read a drawing; its first line may contain a name and a number of uses."""
    name = ""
    limit: int | None = 1
    if not set(lines[0].strip()) <= set("#."):
        head = re.fullmatch(r"\s*([^\s*#.,]*)\s*(?:\*\s*(\S+))?\s*", lines[0])
        if head is None:
            raise InputError(
                f"{lines[0]!r}: is not part of a drawing; expected '#' and '.', or NAME, NAME*4 or "
                "*inf above them"
            )
        name = head[1]
        if head[2] is not None:
            limit = _read_times(head[2], lines[0])
        lines = lines[1:]
        if not lines:
            raise InputError(f"the name {name!r} has no drawing under it")
    shape = Polyomino.parse("\n".join(lines))
    return Piece(name or _find_name(shape), shape, limit)


def _find_name(shape: Polyomino) -> str:
    """Return the name of a shape with its turn and mirror marks, or its drawing if it has none."""
    free_name = find_name(shape)
    if free_name is None:
        return str(shape).replace("\n", "/")
    for prime in ("", "'"):
        for turn in ("", "@1", "@2", "@3"):
            if get_polyomino(free_name + prime + turn) == shape:
                return free_name + prime + turn
    raise AssertionError
