"""The game as a page: one HTML file without network access.

The page gets a solution as the kinds of its pieces in reading order. Each piece goes to the first
free square, so the page finds the positions itself. A level takes only a few letters, and all
levels of all sizes fit into one small file. ``page.html`` has the game itself: dragging, hints,
codes, two languages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Final, Protocol

from tetrisprinter.errors import InputError
from tetrisprinter.triplex.pieces import KINDS

LANGUAGES: Final = ("en", "ru")

_KINDS: Final = {frozenset(kind.cells): number for number, kind in enumerate(KINDS)}


class PlayableLevel(Protocol):
    """The data of a level that the page needs."""

    @property
    def width(self) -> int:
        """Columns of the rectangle."""

    @property
    def height(self) -> int:
        """Rows of the rectangle."""

    @property
    def solution(self) -> Sequence[str]:
        """Rows from the top, one letter per piece."""

    @property
    def rotatable(self) -> int | None:
        """The kind of which one piece may be turned, or None."""

    @property
    def turns(self) -> int:
        """The number of clockwise quarter turns by which that piece is shown turned."""

    @property
    def difficulty(self) -> int:
        """Search steps of the solver."""


def make_triplex_page(levels: Sequence[PlayableLevel], *, language: str = "en") -> str:
    """Return a self-contained page for playing levels.

    Parameters
    ----------
    levels : sequence of PlayableLevel
        The levels. The page groups them by size, small rectangles first; levels of one size keep
        their order. A progress code is valid for pages with the same levels in the same order.
    language : {"en", "ru"}
        The first language; the page remembers if the player switches.

    Raises
    ------
    InputError
        If there is no level, the language is unknown, or a solution has a piece that is not of
        Triplex.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> level = SimpleNamespace(width=3, height=3, solution=("AAB", "CDB", "CDD"),
    ...                         rotatable=None, turns=0, difficulty=4)
    >>> '"sizes":[[3,3,[["0114",-1,0,4]]]]' in make_triplex_page([level])
    True
    """
    if not levels:
        raise InputError("no levels are given; a page needs at least one")
    if language not in LANGUAGES:
        raise InputError(f"unknown language {language!r}; choose from {', '.join(LANGUAGES)}")
    sizes: dict[tuple[int, int], list[list[str | int]]] = {}
    for level in levels:
        mark = -1 if level.rotatable is None else level.rotatable
        turns = level.turns % 4 if mark >= 0 else 0
        entry: list[str | int] = [encode_kinds(level), mark, turns, level.difficulty]
        sizes.setdefault((level.width, level.height), []).append(entry)
    order = sorted(sizes, key=lambda size: (size[0] * size[1], size[0]))
    data = {"language": language, "sizes": [[w, h, sizes[w, h]] for w, h in order]}
    # A script element ends at the first "</": no "<" may be left in the data.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    template = resources.files("tetrisprinter.triplex").joinpath("page.html").read_text("utf-8")
    before, after = template.split("{{data}}")
    return before.replace("{{language}}", language) + text + after


def encode_kinds(level: PlayableLevel) -> str:
    """Return the kinds of a solution's pieces in reading order, one digit each."""
    rows = level.solution
    where = f"solution {'/'.join(rows)} of a {level.width}x{level.height} level"
    if len(rows) != level.height or any(len(row) != level.width for row in rows):
        raise InputError(f"{where}: the rows do not form this rectangle")
    cells: dict[str, list[tuple[int, int]]] = {}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            cells.setdefault(letter, []).append((x, y))
    digits = ""
    for letter, spots in cells.items():
        left, top = min(x for x, _ in spots), min(y for _, y in spots)
        kind = _KINDS.get(frozenset((x - left, y - top) for x, y in spots))
        if kind is None:
            raise InputError(f"{where}: {letter} is not a piece of two or three joined squares")
        digits += str(kind)
    return digits
