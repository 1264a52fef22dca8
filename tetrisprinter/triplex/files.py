"""Files of levels and puzzles, as text or as JSON.

Written files read back equal. In the text form a blank line separates levels, and lines that
begin with ``#`` are comments. :mod:`tetrisprinter.triplex.levels` describes the form of a level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.support.files import parse_json
from tetrisprinter.triplex.levels import Level, Puzzle, count_pieces, read_head
from tetrisprinter.triplex.pieces import find_kind

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


def _parse(text: str, source: str) -> list[tuple[str, Puzzle]]:
    """Read puzzles from either form, each with its place for messages."""
    if text.lstrip().startswith(("{", "[")):
        return _parse_json(text, source)
    blocks: list[tuple[int, list[str]]] = []
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.rstrip()
        if not line.startswith("#"):
            if line and not inside:
                blocks.append((number, []))
            if line:
                blocks[-1][1].append(line)
            inside = bool(line)
    found = []
    for number, lines in blocks:
        where = f"{source}:{number}"
        try:
            found.append((where, _read_block(lines)))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    return found


def _read_block(lines: Sequence[str]) -> Puzzle:
    """Read a puzzle from its lines in the text form."""
    width, height, counts, attributes = read_head(lines[0])
    numbers = {}
    for name in ("turns", "difficulty"):
        value = attributes.get(name, "0")
        if not re.fullmatch(r"[0-9]{1,18}", value):
            raise InputError(f"invalid {name}={value}; expected a whole number")
        numbers[name] = int(value)
    rotatable = find_kind(attributes["rotatable"]) if "rotatable" in attributes else None
    if "difficulty" not in attributes:
        return _check_solution(Puzzle(width, height, counts), tuple(lines[1:]))
    return Level(
        width, height, counts, tuple(lines[1:]), numbers["difficulty"], rotatable, numbers["turns"]
    )


def _check_solution(puzzle: Puzzle, solution: Sequence[str]) -> Puzzle:
    """Return a puzzle; refuse a solution that consists of other pieces."""
    if solution and count_pieces(solution, puzzle.width, puzzle.height) != puzzle.counts:
        raise InputError("the pieces of the solution are not those of the puzzle")
    return puzzle


def _parse_json(text: str, source: str) -> list[tuple[str, Puzzle]]:
    """Read puzzles from JSON, each with its place for messages."""
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
    found = []
    for number, entry in enumerate(data, 1):
        where = f"{source}: level {number}"
        try:
            found.append((where, _read_entry(entry)))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    return found


def _read_entry(entry: Any) -> Puzzle:
    """Read a puzzle from its JSON object."""
    if not isinstance(entry, Mapping):
        raise InputError("is not an object with width, height and counts")
    width, height = (_read_number(entry, name) for name in ("width", "height"))
    counts = _read_list(entry, "counts", int)
    puzzle = Puzzle(width, height, counts)
    solution = () if entry.get("solution") is None else _read_list(entry, "solution", str)
    if entry.get("difficulty") is None:
        return _check_solution(puzzle, solution)
    rotatable = None if entry.get("rotatable") is None else _read_number(entry, "rotatable")
    turns = _read_number(entry, "turns") if "turns" in entry else 0
    level = Level(
        width, height, counts, solution, _read_number(entry, "difficulty"), rotatable, turns
    )
    if entry.get("arrangements", level.arrangements) != level.arrangements:
        raise InputError(f"wrong arrangements; expected {level.arrangements}, or none")
    return level


def _read_number(entry: Mapping[str, Any], name: str) -> int:
    value = entry.get(name)
    if type(value) is not int:
        raise InputError(f"{name} must be a whole number")
    return value


def _read_list(entry: Mapping[str, Any], name: str, kind: type) -> tuple[Any, ...]:
    values = entry.get(name)
    if not isinstance(values, list) or any(type(value) is not kind for value in values):
        what = "whole numbers" if kind is int else "texts"
        raise InputError(f"{name} must be a list of {what}")
    return tuple(values)
