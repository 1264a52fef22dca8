"""Puzzles and levels: what they are.

A :class:`Puzzle` is a rectangle and pieces that cover as many cells as it has: what
to solve or check. A :class:`Level` is a puzzle whose one solution is known. As text
it is a line with its solution below::

    4x3 I2h I2v*2 V1 V2 rotatable=I2h turns=1 difficulty=26
    AABB
    CABD
    CEED

A puzzle is such a line with nothing but size and pieces. A solution names its pieces
``A``, ``B``, ... in the order of their first cells.
"""

from __future__ import annotations

import itertools
import math
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.support import sizes
from tetrisprinter.tilings.polyomino import GridCell, Polyomino
from tetrisprinter.triplex.pieces import KINDS, NAMES, SIZES, Counts, count_cells, find_kind

__all__ = [
    "MAX_CELLS",
    "Level",
    "Puzzle",
    "count_pieces",
    "draw_solution",
    "find_cut",
    "parse_size",
    "read_head",
]

MAX_CELLS: Final = 400
"""Cells of the largest rectangle; letters and counts suffice up to this size."""

_LETTERS: Final = (
    string.ascii_uppercase
    + string.ascii_lowercase
    + string.digits
    + "".join(map(chr, range(0x100, 0x200)))
)
_KIND_OF: Final = {kind: index for index, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A rectangle and the pieces that are to fill it.

    Attributes
    ----------
    width, height : int
        Size of the rectangle.
    counts : tuple of int
        How many pieces there are of each of the eight kinds.

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
                f"a rectangle of {self.width}x{self.height}: "
                f"1 to {MAX_CELLS} cells can be dealt with"
            )
        if len(self.counts) != len(KINDS) or min(self.counts) < 0:
            raise InputError(
                f"counts {list(self.counts)}: eight numbers of 0 or more are needed, "
                f"for {', '.join(NAMES)}"
            )
        if count_cells(self.counts) != self.width * self.height:
            raise InputError(
                f"the pieces cover {count_cells(self.counts)} cells, "
                f"but {self.width}x{self.height} has {self.width * self.height}"
            )

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return sum(self.counts)

    @property
    def arrangements(self) -> int:
        """In how many orders the pieces can be laid out, equal ones being equal."""
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
            raise InputError(f"{name}= is not expected here, only a size and pieces")
        return cls(width, height, counts)

    def __str__(self) -> str:
        return self.head


@dataclass(frozen=True, slots=True)
class Level(Puzzle):
    """A puzzle with exactly one solution, and how it is played.

    Attributes
    ----------
    solution : tuple of str
        Its rows from the top, one letter per piece.
    difficulty : int
        Steps that the solver takes.
    rotatable : int or None
        The kind of which one piece may be turned in play.
    turns : int
        By how many clockwise quarter turns that piece is shown turned.

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
        # Named, because a class with slots is made twice and super() means the first.
        Puzzle.__post_init__(self)
        counts = count_pieces(self.solution, self.width, self.height)
        if counts != self.counts:
            raise InputError(f"the solution has the pieces {list(counts)}, not {list(self.counts)}")
        if self.difficulty < 0:
            raise InputError(f"difficulty {self.difficulty}: 0 or more is needed")
        if self.rotatable is None:
            if self.turns:
                raise InputError("turns need a rotatable piece")
            return
        if not 0 <= self.rotatable < len(KINDS) or not self.counts[self.rotatable]:
            raise InputError(f"rotatable piece {self.rotatable}: the level has none of the kind")
        if not 0 <= self.turns < 4:
            raise InputError(f"turns {self.turns}: 0, 1, 2 or 3 is needed")

    @property
    def puzzle(self) -> Puzzle:
        """The level without what is known about it."""
        return Puzzle(self.width, self.height, self.counts)

    @property
    def order(self) -> tuple[int, Counts]:
        """The key by which levels of one size are sorted."""
        return self.difficulty, self.counts

    def data(self) -> dict[str, Any]:
        """Return the level as in the JSON form."""
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
        words = [self.head]
        if self.rotatable is not None:
            words += [f"rotatable={NAMES[self.rotatable]}", f"turns={self.turns}"]
        words.append(f"difficulty={self.difficulty}")
        return "\n".join((" ".join(words), *self.solution))


def draw_solution(width: int, height: int, pieces: Iterable[Iterable[GridCell]]) -> tuple[str, ...]:
    """Draw pieces that fill a rectangle, lettered in the order of their first cells."""
    placed = sorted(sorted((y, x) for x, y in cells) for cells in pieces)
    rows = [["."] * width for _ in range(height)]
    for letter, cells in zip(_LETTERS, placed, strict=False):
        for y, x in cells:
            rows[y][x] = letter
    return tuple(map("".join, rows))


def find_cut(solution: Sequence[str]) -> str | None:
    """Say where a straight line from side to side passes between the pieces, if one does."""
    for what, lines in (("columns", list(zip(*solution, strict=True))), ("rows", solution)):
        for i, (before, after) in enumerate(itertools.pairwise(lines), 1):
            if all(a != b for a, b in zip(before, after, strict=True)):
                return f"between {what} {i} and {i + 1}"
    return None


def parse_size(text: str) -> tuple[int, int]:
    """Read a size such as ``4x3``."""
    size = sizes.parse_size(text)
    if size is None:
        raise InputError(f"{text!r} is not a size: one such as 4x3 is needed")
    return size


def count_pieces(solution: Sequence[str], width: int, height: int) -> Counts:
    """Count the pieces of a drawing."""
    if len(solution) != height or any(len(row) != width for row in solution):
        raise InputError(f"the solution is not a drawing of {width}x{height}")
    groups: dict[str, list[GridCell]] = {}
    for y, row in enumerate(solution):
        for x, letter in enumerate(row):
            groups.setdefault(letter, []).append((x, y))
    counts = [0] * len(KINDS)
    for (letter, cells), expected in zip(groups.items(), _LETTERS, strict=False):
        if letter != expected:
            x, y = cells[0]
            raise InputError(
                f"row {y + 1}, column {x + 1} of the solution is {letter!r}, not {expected!r}: "
                "the letters follow the first cells of the pieces"
            )
        kind = None
        if len(cells) in SIZES:
            try:
                kind = _KIND_OF.get(Polyomino(tuple(cells)))
            except InputError:  # its cells do not hang together
                kind = None
        if kind is None:
            raise InputError(f"{letter!r} of the solution is not a piece of Triplex")
        counts[kind] += 1
    return tuple(counts)


def read_head(line: str) -> tuple[int, int, Counts, dict[str, str]]:
    """Split the first line of a level into width, height, counts and what is set with ``=``."""
    words = line.split()
    if not words:
        raise InputError("a size and pieces are needed, such as 4x3 I2h I2v*2 V1 V2")
    width, height = parse_size(words[0])
    counts = [0] * len(KINDS)
    attributes: dict[str, str] = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if equals:
            if name not in ("rotatable", "turns", "difficulty") or name in attributes:
                raise InputError(f"{word!r}: rotatable=, turns= and difficulty= are known")
            attributes[name] = value
        elif re.fullmatch(r"[0-9]+(,[0-9]+)*", word):
            numbers = word.split(",")
            if len(numbers) != len(KINDS) or any(len(number) > 4 for number in numbers):
                raise InputError(
                    f"{word!r}: eight counts are needed, for {', '.join(NAMES)} (0 to 9999)"
                )
            counts = [count + int(number) for count, number in zip(counts, numbers, strict=True)]
        else:
            name, star, number = word.partition("*")
            if star and not re.fullmatch(r"[0-9]{1,4}", number):
                raise InputError(f"{word!r}: a number is needed after the star, as in I2h*2")
            counts[find_kind(name)] += int(number) if star else 1
    return width, height, tuple(counts), attributes
