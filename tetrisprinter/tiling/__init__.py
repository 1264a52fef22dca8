"""Tilings of boards by polyominoes.

One problem, a :class:`Board` and a :class:`PieceSet`, and several ways to answer it that
agree: a lazy search (:mod:`~tetrisprinter.tiling.search`), a sweep over all partial
tilings at once (:mod:`~tetrisprinter.tiling.sweep`), CP-SAT, and arguments that settle
some questions without any search (:mod:`~tetrisprinter.tiling.arguments`).
"""
