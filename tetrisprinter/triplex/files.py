"""Levels and puzzles as files: a form as text for people, one as JSON for programs.

What is written reads back equal. In the text form a blank line parts one level from the next
and lines that begin with ``#`` are comments; see :mod:`tetrisprinter.triplex.levels` for how
each is written.
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

__all__ = ["format_json", "format_text", "parse_levels", "parse_puzzles"]

_FORMAT: Final = "triplex-levels"
_VERSION: Final = 1


def format_json(levels: Iterable[Level]) -> str:
    """Return levels as a JSON file, one level per line.

    Parameters
    ----------
    levels : iterable of Level
        In their order.

    Returns
    -------
    str
        What :func:`parse_levels` reads.
    """
    lines = ",\n".join(json.dumps(level.data()) for level in levels)
    body = f"\n{lines}\n" if lines else ""
    return f'{{"format": "{_FORMAT}", "version": {_VERSION}, "levels": [{body}]}}\n'


def format_text(levels: Iterable[Level]) -> str:
    """Return levels as a text file, with a blank line between them.

    Parameters
    ----------
    levels : iterable of Level
        In their order.

    Returns
    -------
    str
        What :func:`parse_levels` reads.
    """
    return "\n".join(f"{level}\n" for level in levels)


def parse_levels(text: str, source: str = "text") -> list[Level]:
    """Read levels from either form; the inverse of writing them.

    Parameters
    ----------
    text : str
        JSON, or the text form.
    source : str
        Name of the text, for messages.

    Raises
    ------
    InputError
        Naming the source and the place.
    """
    levels = []
    for where, puzzle in _parse(text, source):
        if not isinstance(puzzle, Level):
            raise InputError(f"{where}: a level needs its solution and its difficulty")
        levels.append(puzzle)
    return levels


def parse_puzzles(text: str, source: str = "text") -> list[Puzzle]:
    """Read puzzles from either form; those that come with a solution are levels.

    Parameters
    ----------
    text : str
        JSON, or the text form.
    source : str
        Name of the text, for messages.

    Raises
    ------
    InputError
        Naming the source and the place.
    """
    return [puzzle for _, puzzle in _parse(text, source)]


def _parse(text: str, source: str) -> list[tuple[str, Puzzle]]:
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
    width, height, counts, attributes = read_head(lines[0])
    numbers = {}
    for name in ("turns", "difficulty"):
        value = attributes.get(name, "0")
        if not re.fullmatch(r"[0-9]{1,18}", value):
            raise InputError(f"{name}={value} is not a number")
        numbers[name] = int(value)
    rotatable = find_kind(attributes["rotatable"]) if "rotatable" in attributes else None
    if "difficulty" not in attributes:
        return _make_puzzle(Puzzle(width, height, counts), tuple(lines[1:]))
    return Level(
        width, height, counts, tuple(lines[1:]), numbers["difficulty"], rotatable, numbers["turns"]
    )


def _make_puzzle(puzzle: Puzzle, solution: Sequence[str]) -> Puzzle:
    """Return a puzzle of which a solution may be known but not the difficulty."""
    if solution and count_pieces(solution, puzzle.width, puzzle.height) != puzzle.counts:
        raise InputError("the solution has other pieces than the puzzle")
    return puzzle


def _parse_json(text: str, source: str) -> list[tuple[str, Puzzle]]:
    data = parse_json(text, source)
    if isinstance(data, dict) and "levels" in data:
        if data.get("format") != _FORMAT or data.get("version") != _VERSION:
            raise InputError(
                f"{source}: is not a file of levels: format must be {_FORMAT!r}, version {_VERSION}"
            )
        data = data["levels"]
    if isinstance(data, dict):
        data = [data]
    if not isinstance(data, list):
        raise InputError(f"{source}: a list of levels is needed")
    found = []
    for number, entry in enumerate(data, 1):
        where = f"{source}: level {number}"
        try:
            found.append((where, _read_entry(entry)))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    return found


def _read_entry(entry: Any) -> Puzzle:
    if not isinstance(entry, Mapping):
        raise InputError("an object with width, height and counts is needed")
    width, height = (_read_number(entry, name) for name in ("width", "height"))
    counts = _read_list(entry, "counts", int)
    puzzle = Puzzle(width, height, counts)
    solution = () if entry.get("solution") is None else _read_list(entry, "solution", str)
    if entry.get("difficulty") is None:
        return _make_puzzle(puzzle, solution)
    rotatable = None if entry.get("rotatable") is None else _read_number(entry, "rotatable")
    turns = _read_number(entry, "turns") if "turns" in entry else 0
    level = Level(
        width, height, counts, solution, _read_number(entry, "difficulty"), rotatable, turns
    )
    if entry.get("arrangements", level.arrangements) != level.arrangements:
        raise InputError(f"arrangements must be {level.arrangements}, or left out")
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
