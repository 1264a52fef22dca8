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
``B``, ... in the order of their first cells. In a file a blank line separates levels; lines that
begin with ``#`` are comments. Levels are also written as JSON. Reading a written file gives equal
levels.

:func:`make_triplex_page` writes the page on which levels are played: one HTML file without network
access. Its data of a level are the kinds of the solution's pieces in reading order. Each piece goes
to the first free square, so the page finds the positions itself. A level takes only a few letters,
and all levels of all sizes fit into one small file. ``page.html`` has the game itself: dragging,
hints and codes.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import Any, Final

from tetrisprinter import support
from tetrisprinter.errors import InputError
from tetrisprinter.support.files import parse_json
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

# Up to 200 pieces fill the largest rectangle, more than ASCII has letters.
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
    size = support.parse_size(text)
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
                    f"invalid counts {field!r}; expected eight numbers from 0 to 9999, separated "
                    f"by commas, for {', '.join(NAMES)}"
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


_FORMAT: Final = "triplex-levels"
_VERSION: Final = 1


def format_json(levels: Iterable[Level]) -> str:
    """Return levels as a JSON file, one level per line.

    Parameters
    ----------
    levels : iterable of Level
        The levels, which keep their order.

    Returns
    -------
    str
        A text that :func:`parse_levels` reads.
    """
    lines = ",\n".join(json.dumps(level.to_data()) for level in levels)
    body = f"\n{lines}\n" if lines else ""
    return f'{{"format": "{_FORMAT}", "version": {_VERSION}, "levels": [{body}]}}\n'


def format_text(levels: Iterable[Level]) -> str:
    """Return levels as a text file, with a blank line between them.

    Parameters
    ----------
    levels : iterable of Level
        The levels, which keep their order.

    Returns
    -------
    str
        A text that :func:`parse_levels` reads.
    """
    return "\n".join(f"{level}\n" for level in levels)


def parse_levels(text: str, source: str = "text") -> list[Level]:
    """Read levels from either form.

    Parameters
    ----------
    text : str
        JSON, or the text form.
    source : str
        The name of the text, for messages.

    Raises
    ------
    InputError
        If the text has an error; the message names the source and the place.
    """
    levels = []
    for where, puzzle in _parse(text, source):
        if not isinstance(puzzle, Level):
            raise InputError(f"{where}: solution or difficulty is missing; a level has both")
        levels.append(puzzle)
    return levels


def parse_puzzles(text: str, source: str = "text") -> list[Puzzle]:
    """Read puzzles from either form; those with a solution and a difficulty become levels.

    Parameters
    ----------
    text : str
        JSON, or the text form.
    source : str
        The name of the text, for messages.

    Raises
    ------
    InputError
        If the text has an error; the message names the source and the place.
    """
    return [puzzle for _, puzzle in _parse(text, source)]


def _parse(text: str, source: str) -> Iterator[tuple[str, Puzzle]]:
    """Yield for each puzzle in either form its position in the file, for messages, and itself."""
    is_json = text.lstrip().startswith(("{", "["))
    for where, entry in (_split_json if is_json else _split_text)(text, source):
        try:
            yield where, _read_entry(entry) if is_json else _read_block(entry)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None


def _split_text(text: str, source: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the position, for messages, and the lines of each puzzle in the text form."""
    lines = [(number, line.rstrip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if not line.startswith("#")]
    for has_text, group in itertools.groupby(lines, lambda pair: bool(pair[1])):
        block = list(group)
        if has_text:
            yield f"{source}:{block[0][0]}", [line for _, line in block]


def _read_block(lines: Sequence[str]) -> Puzzle:
    """Read a puzzle from its lines in the text form."""
    width, height, counts, attributes = read_head(lines[0])
    numbers = {}
    for name in ("turns", "difficulty"):
        value = attributes.get(name, "0")
        if not re.fullmatch(r"[0-9]{1,18}", value):
            raise InputError(f"invalid {name}={value}; expected a whole number")
        numbers[name] = int(value)
    difficulty = numbers["difficulty"] if "difficulty" in attributes else None
    rotatable = find_kind(attributes["rotatable"]) if "rotatable" in attributes else None
    puzzle = Puzzle(width, height, counts)
    return _add_level_data(puzzle, tuple(lines[1:]), difficulty, rotatable, numbers["turns"])


def _add_level_data(
    puzzle: Puzzle,
    solution: tuple[str, ...],
    difficulty: int | None,
    rotatable: int | None,
    turns: int,
) -> Puzzle:
    """Return the level with this solution, or the puzzle if it has no difficulty."""
    width, height, counts = puzzle.width, puzzle.height, puzzle.counts
    if difficulty is not None:
        return Level(width, height, counts, solution, difficulty, rotatable, turns)
    if solution and count_pieces(solution, width, height) != counts:
        raise InputError("the pieces of the solution are not those of the puzzle")
    return puzzle


def _split_json(text: str, source: str) -> Iterator[tuple[str, Any]]:
    """Yield the position, for messages, and the object of each puzzle in the JSON form."""
    data = parse_json(text, source)
    if isinstance(data, dict) and "levels" in data:
        if data.get("format") != _FORMAT or data.get("version") != _VERSION:
            raise InputError(
                f"{source}: not a file of levels; expected format {_FORMAT!r}, version {_VERSION}"
            )
        data = data["levels"]
    if isinstance(data, dict):
        data = [data]
    if not isinstance(data, list):
        raise InputError(f"{source}: is not a list of levels")
    for number, entry in enumerate(data, 1):
        yield f"{source}: level {number}", entry


def _read_entry(entry: Any) -> Puzzle:
    """Read a puzzle from its JSON object."""
    if not isinstance(entry, Mapping):
        raise InputError("is not an object with width, height and counts")
    width, height = (_read_number(entry, name) for name in ("width", "height"))
    puzzle = Puzzle(width, height, _read_list(entry, "counts", int))
    solution = () if entry.get("solution") is None else _read_list(entry, "solution", str)
    difficulty, rotatable = (
        None if entry.get(name) is None else _read_number(entry, name)
        for name in ("difficulty", "rotatable")
    )
    turns = _read_number(entry, "turns") if "turns" in entry else 0
    puzzle = _add_level_data(puzzle, solution, difficulty, rotatable, turns)
    if entry.get("arrangements", puzzle.arrangements) != puzzle.arrangements:
        raise InputError(f"wrong arrangements; expected {puzzle.arrangements}, or none")
    return puzzle


def _read_number(entry: Mapping[str, Any], name: str) -> int:
    value = entry.get(name)
    if type(value) is not int:  # True is an int, too
        raise InputError(f"{name} must be a whole number")
    return value


def _read_list(entry: Mapping[str, Any], name: str, item_type: type) -> tuple[Any, ...]:
    values = entry.get(name)
    if not isinstance(values, list) or any(type(value) is not item_type for value in values):
        item_name = "whole numbers" if item_type is int else "texts"
        raise InputError(f"{name} must be a list of {item_name}")
    return tuple(values)


def make_triplex_page(levels: Sequence[Level]) -> str:
    """Return a self-contained page for playing levels.

    Parameters
    ----------
    levels : sequence of Level
        The levels; each puzzle is on the page once. The page groups them by size, small rectangles
        first; levels of one size keep their order. A progress code is valid for pages with the same
        levels in the same order.

    Raises
    ------
    InputError
        If there is no level.

    Examples
    --------
    >>> from tetrisprinter.triplex import parse_levels
    >>> [level] = parse_levels("3x3 I2h I2v*2 V0 difficulty=4\\nAAB\\nCDB\\nCDD")
    >>> '"sizes":[[3,3,[["0114",-1,0,4]]]]' in make_triplex_page([level])
    True
    """
    if not levels:
        raise InputError("no levels are given; a page needs at least one")
    sizes: dict[tuple[int, int], list[list[str | int]]] = {}
    for level in {level.puzzle: level for level in levels}.values():
        rotatable = -1 if level.rotatable is None else level.rotatable
        kinds = "".join(map(str, list_kinds(level.solution, level.width, level.height)))
        entry: list[str | int] = [kinds, rotatable, level.turns, level.difficulty]
        sizes.setdefault((level.width, level.height), []).append(entry)
    order = sorted(sizes, key=lambda size: (size[0] * size[1], size[0]))
    data = {"sizes": [[w, h, sizes[w, h]] for w, h in order]}
    # A script element ends at the first "</", so the data must not contain "<".
    data_text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    template = resources.files("tetrisprinter.triplex").joinpath("page.html").read_text("utf-8")
    before, after = template.split("{{data}}")
    return before + data_text + after
