"""Triplex: packing puzzles with exactly one solution.

A level is a rectangle and some of the eight fixed polyominoes of two and three cells,
which fill it in exactly one way. :mod:`~tetrisprinter.triplex.generator` solves any puzzle, finds
the pieces that may start rotated, and finds all levels of a size.

Terms: docs/glossary.md
"""

from __future__ import annotations

from tetrisprinter.triplex.generator import (
    SolverResult,
    check,
    find_rotatable_pieces,
    generate,
    solve,
)
from tetrisprinter.triplex.levels import (
    Level,
    Puzzle,
    format_json,
    format_text,
    make_triplex_page,
    parse_levels,
    parse_puzzles,
)

__all__ = [
    "Level",
    "Puzzle",
    "SolverResult",
    "check",
    "find_rotatable_pieces",
    "format_json",
    "format_text",
    "generate",
    "make_triplex_page",
    "parse_levels",
    "parse_puzzles",
    "solve",
]
