"""Tilings of boards by polyominoes.

One problem, a :class:`Board` and a :class:`PieceSet`, and several ways to answer it that
agree: a lazy search (:mod:`~tetrisprinter.tilings.backtracking`), a sweep over all partial
tilings at once (:mod:`~tetrisprinter.tilings.sweep`), CP-SAT, and arguments that settle
some questions without any search (:mod:`~tetrisprinter.tilings.arguments`).

Words: docs/glossary.md
"""

from __future__ import annotations

from tetrisprinter.tilings.arguments import Argument, find_argument
from tetrisprinter.tilings.board import Board
from tetrisprinter.tilings.colouring import colouring_proof
from tetrisprinter.tilings.pieces import Piece, PieceSet
from tetrisprinter.tilings.placements import Placement, Tiling, TilingProblem
from tetrisprinter.tilings.solve import Method, count, first, is_unique, solutions

__all__ = [
    "Argument",
    "Board",
    "Method",
    "Piece",
    "PieceSet",
    "Placement",
    "Tiling",
    "TilingProblem",
    "colouring_proof",
    "count",
    "find_argument",
    "first",
    "is_unique",
    "solutions",
]
