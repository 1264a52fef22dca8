"""Passes: the rows a part of a game sees, the pieces that may lie there, drops in order."""
