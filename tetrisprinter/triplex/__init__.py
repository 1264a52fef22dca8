"""Triplex: packing puzzles with exactly one solution.

A level is a rectangle and some of the eight fixed polyominoes of two and three cells,
which fill it in exactly one way. :mod:`~tetrisprinter.triplex.generator` finds all levels of a
size, :mod:`~tetrisprinter.triplex.solver` solves any puzzle, and
:mod:`~tetrisprinter.triplex.solver` finds the pieces that may start rotated.

Terms: docs/glossary.md
"""

from __future__ import annotations

from tetrisprinter.triplex.files import format_json, format_text, parse_levels, parse_puzzles
from tetrisprinter.triplex.generator import generate
from tetrisprinter.triplex.levels import Level, Puzzle
from tetrisprinter.triplex.page import make_triplex_page
from tetrisprinter.triplex.solver import SolverResult, Verdict, check, find_rotatable_pieces, solve

__all__ = [
    "Level",
    "Puzzle",
    "SolverResult",
    "Verdict",
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
