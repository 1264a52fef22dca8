"""Emitters on any board: what leaves squares in a row, and which go together.

An *emitter* is a piece that leaves its lowest cells in the row being printed and presets
the matrix above with the others, which must begin in the row right above. A *cap* is the
same from above: the last piece of a matrix, whose top cells stick out and come down when
the matrix clears.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.repair import rare_types

__all__ = ["CAPS", "SHAPES", "Emitter", "Shape", "most_squares", "share_types"]


def share_types(picture: Picture) -> dict[PieceType, Color]:
    """Share the seven types among the colours of a picture.

    Of J, L and T, which leave a square in every column and three at once, each of the
    three commonest colours gets one; S and Z carry two more colours; whatever is left
    goes to the commonest. With six or seven colours I and O must carry one too: see
    :func:`~tetrisprinter.printing.repair.rare_types`.

    Raises
    ------
    InputError
        If there are more than seven colours.

    Examples
    --------
    >>> picture = Picture((("ff0000", "ff0000", "0000ff"),))
    >>> [piece.name for piece, color in share_types(picture).items() if color == "0000ff"]
    ['S', 'T', 'Z']
    """
    counts = Counter(picture.cells().values())
    colors = sorted(picture.colors(), key=lambda c: -counts[c])
    if len(colors) > len(PieceType):
        raise InputError(
            f"{picture.name}: has {len(colors)} colours ({', '.join(colors[:4])}, ...) but there "
            "are seven piece types; --colors 7 reduces them"
        )
    if len(colors) > 5:
        types = rare_types(picture)
        types.setdefault(PieceType.O, colors[0])
        return dict(sorted(types.items()))
    shares = {
        0: (),
        1: ("IJLOSTZ",),
        2: ("IJLO", "TSZ"),
        3: ("IJO", "LS", "TZ"),
        4: ("IJO", "L", "T", "SZ"),
        5: ("IJO", "L", "T", "S", "Z"),
    }[len(colors)]
    types = {
        PieceType[letter]: color
        for letters, color in zip(shares, colors, strict=True)
        for letter in letters
    }
    return dict(sorted(types.items()))


@dataclass(frozen=True, slots=True)
class Shape:
    """An orientation as an emitter: what it leaves in the row, what it presets above."""

    orientation: Orientation
    squares: tuple[int, ...]  # columns of its lowest row
    presets: tuple[tuple[int, int], ...]  # cells from the row above on

    @property
    def rows(self) -> int:
        """How many rows of the matrix it presets."""
        return max((y + 1 for _, y in self.presets), default=0)


def _shapes() -> tuple[Shape, ...]:
    return tuple(
        Shape(
            o,
            tuple(x for x, y in o.cells if y == 0),
            tuple((x, y - 1) for x, y in o.cells if y > 0),
        )
        for o in ORIENTATIONS
        if max(o.bottom) <= 1
    )


SHAPES: Final = _shapes()

# What can be the last piece of a matrix with squares of its top row above it; its other
# cells begin right below. As many squares as possible at once; S and Z, then J, L and T
# before the others, because the row that they complete holds them.
CAPS: Final = tuple(
    sorted(
        (o for o in ORIENTATIONS if min(o.top) >= o.height - 1),
        key=lambda o: (-o.row_widths[-1], "SZJLTOI".index(o.piece.name)),
    )
)


@dataclass(frozen=True, slots=True)
class Emitter:
    """A shape at a column."""

    shape: Shape
    x: int

    @property
    def columns(self) -> list[int]:
        """The columns in which it leaves a square."""
        return [self.x + dx for dx in self.shape.squares]

    @property
    def end(self) -> int:
        """The first column to the right of it."""
        return self.x + self.shape.orientation.width

    @property
    def placement(self) -> Placement:
        """The piece, with the row being printed as row 0."""
        return Placement(self.shape.orientation, self.x, 0)


def most_squares(emitters: Sequence[Emitter], width: int) -> list[list[Emitter]]:
    """For each remainder of presets modulo 4, choose emitters that leave most squares.

    They must lie side by side. A path along the columns: best[x][r] is the best choice
    left of column x whose presets have remainder r.
    """
    ending: dict[int, list[Emitter]] = {}
    for emitter in emitters:
        ending.setdefault(emitter.end, []).append(emitter)
    best: list[list[tuple[int, Emitter | None, int] | None]] = [[(0, None, 0), None, None, None]]
    for x in range(1, width + 1):
        now = list(best[x - 1])
        now = [None if entry is None else (entry[0], None, 0) for entry in now]
        for emitter in ending.get(x, ()):
            presets = len(emitter.shape.presets)
            for before, entry in enumerate(best[emitter.x]):
                if entry is None:
                    continue
                squares = entry[0] + len(emitter.shape.squares)
                after = (before + presets) % 4
                old = now[after]
                if old is None or squares > old[0]:
                    now[after] = (squares, emitter, before)
        best.append(now)
    chosen: list[list[Emitter]] = []
    for remainder in range(4):
        if best[width][remainder] is None:
            continue
        path: list[Emitter] = []
        x, r = width, remainder
        while x > 0:
            entry = best[x][r]
            assert entry is not None
            if entry[1] is None:
                x -= 1
            else:
                path.append(entry[1])
                x, r = entry[1].x, entry[2]
        chosen.append(path[::-1])
    return chosen
