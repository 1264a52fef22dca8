"""Triplex: packing puzzles with exactly one solution.

A level is a rectangle and some of the eight fixed polyominoes of two and three cells,
which fill it in exactly one way. :mod:`~tetrisprinter.triplex.generate` finds all levels
of a size, :mod:`~tetrisprinter.triplex.solver` solves anybody's, and
:mod:`~tetrisprinter.triplex.rotatable` says which pieces may come turned.

Words: docs/glossary.md
"""
