"""The game as a page: one HTML file without network access.

The data of a level are the kinds of the solution's pieces in reading order. Each piece goes to the
first free square, so the page finds the positions itself. A level takes only a few letters, and all
levels of all sizes fit into one small file. ``page.html`` has the game itself: dragging, hints
and codes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources

from tetrisprinter.errors import InputError
from tetrisprinter.triplex.levels import Level, list_kinds


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
