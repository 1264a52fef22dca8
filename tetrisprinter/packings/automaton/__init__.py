"""Column automata: for a fixed height, they decide at every width whether a row can be packed.

Read column by column, a matrix of a fixed height has finitely many states: the cells that the
pieces so far occupy in the next three columns, their levels, and the rows whose completing piece
is placed. So the rows that matrices of this height can print gap-free form a regular language, and
a small deterministic automaton decides it for every width.
"""
