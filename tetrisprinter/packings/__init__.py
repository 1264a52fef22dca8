"""Packed matrices: the problem, its finders, the automata, the tables and the proofs."""
