"""Triplex: packing puzzles with exactly one solution.

A level is a rectangle and some of the eight fixed polyominoes of two and three cells,
which fill it in exactly one way. :mod:`~tetrisprinter.triplex.generator` finds all levels
of a size, :mod:`~tetrisprinter.triplex.solver` solves anybody's, and
:mod:`~tetrisprinter.triplex.rotatable` says which pieces may come turned. All of it is loaded
when it is first used.

Words: docs/glossary.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tetrisprinter.support.lazy import make_lazy

if TYPE_CHECKING:
    from tetrisprinter.triplex.files import format_json, format_text, parse_levels, parse_puzzles
    from tetrisprinter.triplex.generator import generate
    from tetrisprinter.triplex.levels import Level, Puzzle
    from tetrisprinter.triplex.page import triplex_page
    from tetrisprinter.triplex.rotatable import find_rotatable
    from tetrisprinter.triplex.solver import Solved, Verdict, check, solve

__all__ = [
    "Level",
    "Puzzle",
    "Solved",
    "Verdict",
    "check",
    "find_rotatable",
    "format_json",
    "format_text",
    "generate",
    "parse_levels",
    "parse_puzzles",
    "solve",
    "triplex_page",
]

__getattr__, __dir__ = make_lazy(
    __name__,
    {
        "Level": "levels",
        "Puzzle": "levels",
        "Solved": "solver",
        "Verdict": "solver",
        "check": "solver",
        "generate": "generator",
        "format_json": "files",
        "format_text": "files",
        "parse_levels": "files",
        "parse_puzzles": "files",
        "find_rotatable": "rotatable",
        "solve": "solver",
        "triplex_page": "page",
    },
)
