"""Passes: the rows that a part of a game sees."""
