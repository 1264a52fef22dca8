"""All widths at once: packed matrices as the words of a regular language.

Read column by column, a matrix of a fixed height has finitely many states: the cells that the
pieces so far occupy in the next three columns, their levels, and the rows that have the piece that
completes them. So the rows that can be printed gap-free over that many rows of matrix form a
regular language, and a small deterministic automaton answers for every width.
"""
