"""What levels are written as: text, JSON, and the page on which they are played.

Reading a written file gives equal levels. In the text form a blank line separates levels; lines
that begin with ``#`` are comments. :mod:`tetrisprinter.triplex.levels` describes a level's form.

The page is one HTML file without network access. Its data of a level are the kinds of the
solution's pieces in reading order. Each piece goes to the first free square, so the page finds the
positions itself. A level takes only a few letters, and all levels of all sizes fit into one small
file. ``page.html`` has the game itself: dragging, hints and codes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import groupby
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.support.files import parse_json
from tetrisprinter.triplex.levels import (
    Level,
    Puzzle,
    count_pieces,
    find_kind,
    list_kinds,
    read_head,
)

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
    for has_text, group in groupby(lines, lambda pair: bool(pair[1])):
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
    if type(value) is not int:
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
        The levels. The page groups them by size, small rectangles first; levels of one size keep
        their order. A progress code is valid for pages with the same levels in the same order.

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
    for level in levels:
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
