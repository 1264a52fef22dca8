"""Tilings of boards by polyominoes.

One problem, a :class:`Board` and a :class:`PieceSet`, and several ways to answer it that
agree: a lazy search (:mod:`~tetrisprinter.tiling.search`), a sweep over all partial
tilings at once (:mod:`~tetrisprinter.tiling.sweep`), CP-SAT, and arguments that settle
some questions without any search (:mod:`~tetrisprinter.tiling.arguments`).
"""

from __future__ import annotations

from tetrisprinter.tiling.arguments import Argument, impossible
from tetrisprinter.tiling.board import Board
from tetrisprinter.tiling.pieces import Piece, PieceSet
from tetrisprinter.tiling.placements import Placement, Puzzle, Tiling
from tetrisprinter.tiling.solve import Method, count, first, is_unique, solutions

__all__ = [
    "Argument",
    "Board",
    "Method",
    "Piece",
    "PieceSet",
    "Placement",
    "Puzzle",
    "Tiling",
    "count",
    "first",
    "impossible",
    "is_unique",
    "solutions",
]
