"""Whole games, found up the rows of their stack; ``docs/shortest.md`` tells how."""
