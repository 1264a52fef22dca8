"""Triplex: packing puzzles of two- and three-cell pieces with exactly one solution."""
