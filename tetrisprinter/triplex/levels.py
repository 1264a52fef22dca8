"""The eight pieces of Triplex, puzzles and levels.

A piece may only be shifted, so the two dominoes and the six trominoes are eight different *kinds*,
0 to 7, in the order that files, pages and codes use. A puzzle depends only on the number of pieces
of each kind, its *counts*. Turning or mirroring a puzzle permutes the counts.

A :class:`Puzzle` is a rectangle and pieces with the same number of cells. A :class:`Level` is a
puzzle with its only solution. Its text form is a line with the solution below it::

    4x3 I2h I2v*2 V1 V2 rotatable=I2h turns=1 difficulty=26
    AABB
    CABD
    CEED

The text form of a puzzle is a line with only size and pieces. A solution names its pieces ``A``,
``B``, ... in the order of their first cells.
"""

from __future__ import annotations

import itertools
import math
import re
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.support import counts
from tetrisprinter.tilings.polyomino import GridCell, Polyomino

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


MAX_CELLS: Final = 400
"""The area of the largest rectangle; letters and counts suffice up to this area."""

_LETTERS: Final = (
    string.ascii_uppercase
    + string.ascii_lowercase
    + string.digits
    + "".join(map(chr, range(0x100, 0x200)))
)
_KIND_OF: Final = {kind.cells: index for index, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A rectangle and the pieces that must fill it.

    Attributes
    ----------
    width, height : int
        The size of the rectangle.
    counts : tuple of int
        The number of pieces of each of the eight kinds.

    Raises
    ------
    InputError
        If the pieces do not cover as many cells as the rectangle has.

    Examples
    --------
    >>> puzzle = Puzzle.parse("4x3 I2h I2v*2 V1 V2")
    >>> puzzle.counts, puzzle.arrangements
    ((1, 2, 0, 0, 0, 1, 1, 0), 60)
    """

    width: int
    height: int
    counts: Counts

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1 or self.width * self.height > MAX_CELLS:
            raise InputError(
                f"invalid size {self.width}x{self.height}; expected 1 to {MAX_CELLS} cells"
            )
        if len(self.counts) != len(KINDS) or min(self.counts) < 0:
            raise InputError(
                f"invalid counts {list(self.counts)}; expected eight numbers of 0 or more, "
                f"for {', '.join(NAMES)}"
            )
        if count_cells(self.counts) != self.width * self.height:
            raise InputError(
                f"the pieces cover {count_cells(self.counts)} cells, "
                f"but {self.width}x{self.height} has {self.width * self.height}"
            )

    @property
    def pieces(self) -> int:
        """The number of pieces."""
        return sum(self.counts)

    @property
    def arrangements(self) -> int:
        """The number of orders of the pieces, where equal pieces are interchangeable."""
        return math.factorial(self.pieces) // math.prod(map(math.factorial, self.counts))

    @property
    def head(self) -> str:
        """Size and pieces as one line."""
        pieces = (
            name if count == 1 else f"{name}*{count}"
            for name, count in zip(NAMES, self.counts, strict=True)
            if count
        )
        return " ".join((f"{self.width}x{self.height}", *pieces))

    @classmethod
    def parse(cls, text: str) -> Puzzle:
        """Read a line with a size and pieces, as names or as eight counts."""
        width, height, counts, attributes = read_head(text)
        for name in attributes:
            raise InputError(f"unexpected {name}=; expected a size and pieces only")
        return cls(width, height, counts)

    def __str__(self) -> str:
        return self.head


@dataclass(frozen=True, slots=True)
class Level(Puzzle):
    """A puzzle with exactly one solution and the data for playing it.

    Attributes
    ----------
    solution : tuple of str
        The rows of the solution from the top, one letter per piece.
    difficulty : int
        The number of steps that the solver takes.
    rotatable : int or None
        The kind of the piece that the player may turn; None if there is none.
    turns : int
        The number of clockwise quarter turns by which that piece starts rotated.

    Raises
    ------
    InputError
        If solution, counts and size do not agree.
    """

    solution: tuple[str, ...]
    difficulty: int
    rotatable: int | None = None
    turns: int = 0

    def __post_init__(self) -> None:
        # dataclass(slots=True) creates a second class, so super() without arguments would fail.
        Puzzle.__post_init__(self)
        counts = count_pieces(self.solution, self.width, self.height)
        if counts != self.counts:
            raise InputError(f"the solution has the pieces {list(counts)}, not {list(self.counts)}")
        if self.difficulty < 0:
            raise InputError(f"invalid difficulty {self.difficulty}; expected 0 or more")
        if self.rotatable is None:
            if self.turns:
                raise InputError("turns are given without a rotatable piece")
            return
        if not 0 <= self.rotatable < len(KINDS) or not self.counts[self.rotatable]:
            raise InputError(f"the level has no piece of the rotatable kind {self.rotatable}")
        if not 0 <= self.turns < 4:
            raise InputError(f"invalid turns {self.turns}; expected 0 to 3")

    @property
    def puzzle(self) -> Puzzle:
        """The level without its solution and the data for playing."""
        return Puzzle(self.width, self.height, self.counts)

    @property
    def order(self) -> tuple[int, Counts]:
        """The sort key for levels of one size."""
        return self.difficulty, self.counts

    def to_data(self) -> dict[str, Any]:
        """Return the level in the JSON form."""
        return {
            "width": self.width,
            "height": self.height,
            "counts": list(self.counts),
            "solution": list(self.solution),
            "rotatable": self.rotatable,
            "turns": self.turns,
            "difficulty": self.difficulty,
            "arrangements": self.arrangements,
        }

    def __str__(self) -> str:
        fields = [self.head]
        if self.rotatable is not None:
            fields += [f"rotatable={NAMES[self.rotatable]}", f"turns={self.turns}"]
        fields.append(f"difficulty={self.difficulty}")
        return "\n".join((" ".join(fields), *self.solution))


def draw_solution(width: int, height: int, pieces: Iterable[Iterable[GridCell]]) -> tuple[str, ...]:
    """Draw a solution, with letters in the order of the pieces' first cells."""
    sorted_pieces = sorted(sorted((y, x) for x, y in cells) for cells in pieces)
    rows = [["."] * width for _ in range(height)]
    for letter, cells in zip(_LETTERS, sorted_pieces, strict=False):
        for y, x in cells:
            rows[y][x] = letter
    return tuple(map("".join, rows))


def find_cut(solution: Sequence[str]) -> str | None:
    """Return where a straight line divides the rectangle without cutting a piece, else None."""
    for lines_name, lines in (("columns", list(zip(*solution, strict=True))), ("rows", solution)):
        for i, (before, after) in enumerate(itertools.pairwise(lines), 1):
            if all(a != b for a, b in zip(before, after, strict=True)):
                return f"between {lines_name} {i} and {i + 1}"
    return None


def parse_size(text: str) -> tuple[int, int]:
    """Read a size such as ``4x3``."""
    size = counts.parse_size(text)
    if size is None:
        raise InputError(f"invalid size {text!r}; expected one such as 4x3")
    return size


def count_pieces(solution: Sequence[str], width: int, height: int) -> Counts:
    """Count the pieces of a drawing."""
    kinds = list_kinds(solution, width, height)
    return tuple(kinds.count(kind) for kind in range(len(KINDS)))


def list_kinds(solution: Sequence[str], width: int, height: int) -> list[int]:
    """List the kinds of a drawing's pieces, in the order of their first cells."""
    if len(solution) != height or any(len(row) != width for row in solution):
        raise InputError(f"the solution has the wrong size; expected {width}x{height}")
    groups: dict[str, list[GridCell]] = {}
    for y, row in enumerate(solution):
        for x, letter in enumerate(row):
            groups.setdefault(letter, []).append((x, y))
    kinds = []
    for (letter, cells), expected in zip(groups.items(), _LETTERS, strict=False):
        if letter != expected:
            x, y = cells[0]
            raise InputError(
                f"wrong letter {letter!r} in row {y + 1}, column {x + 1} of the solution; expected "
                f"{expected!r}, since the letters follow the first cells of the pieces"
            )
        left, top = min(x for x, _ in cells), min(y for _, y in cells)
        kind = _KIND_OF.get(tuple((x - left, y - top) for x, y in cells))
        if kind is None:
            raise InputError(f"{letter!r} in the solution is not a piece of Triplex")
        kinds.append(kind)
    return kinds


def read_head(line: str) -> tuple[int, int, Counts, dict[str, str]]:
    """Split the first line of a level into width, height, counts and ``name=value`` pairs."""
    fields = line.split()
    if not fields:
        raise InputError("the line is empty; expected a size and pieces: 4x3 I2h I2v*2 V1 V2")
    width, height = parse_size(fields[0])
    counts = [0] * len(KINDS)
    attributes: dict[str, str] = {}
    for field in fields[1:]:
        name, equals, value = field.partition("=")
        if equals:
            if name not in ("rotatable", "turns", "difficulty") or name in attributes:
                raise InputError(
                    f"invalid attribute {field!r}; expected rotatable=, turns= or difficulty= once"
                )
            attributes[name] = value
        elif re.fullmatch(r"[0-9]+(,[0-9]+)*", field):
            field_counts = field.split(",")
            if len(field_counts) != len(KINDS) or any(len(number) > 4 for number in field_counts):
                raise InputError(
                    f"invalid counts {field!r}; expected eight, 0 to 9999, for {', '.join(NAMES)}"
                )
            counts = [
                count + int(number) for count, number in zip(counts, field_counts, strict=True)
            ]
        else:
            name, star, number = field.partition("*")
            if star and not re.fullmatch(r"[0-9]{1,4}", number):
                raise InputError(f"{field!r}: the number after '*' is missing; write I2h*2")
            counts[find_kind(name)] += int(number) if star else 1
    return width, height, tuple(counts), attributes
