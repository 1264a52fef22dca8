"""Tilings of boards by polyominoes.

A problem is a :class:`TilingBoard` and a :class:`PieceSet`. Several methods give the same
answers: a lazy search (:mod:`~tetrisprinter.tilings.solve`), a sweep over all partial
tilings at once (:mod:`~tetrisprinter.tilings.sweep`), and CP-SAT. Short proofs show that there is
no tiling (:mod:`~tetrisprinter.tilings.impossibility`).

Terms: docs/glossary.md
"""

from __future__ import annotations

from tetrisprinter.tilings.impossibility import Argument, find_argument
from tetrisprinter.tilings.placements import Tiling, TilingBoard, TilingPlacement, TilingProblem
from tetrisprinter.tilings.polyomino import Piece, PieceSet
from tetrisprinter.tilings.solve import (
    Method,
    count_tilings,
    find_tiling,
    is_unique,
    iterate_tilings,
)

__all__ = [
    "Argument",
    "Method",
    "Piece",
    "PieceSet",
    "Tiling",
    "TilingBoard",
    "TilingPlacement",
    "TilingProblem",
    "count_tilings",
    "find_argument",
    "find_tiling",
    "is_unique",
    "iterate_tilings",
]
