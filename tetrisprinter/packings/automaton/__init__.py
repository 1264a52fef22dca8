"""All widths at once: packed matrices as words of a regular language.

Read column by column, a matrix of a fixed height leaves only finitely much to remember:
what the pieces placed so far occupy in the next three columns, at which levels, and
which rows already have the piece that completes them. So the rows that can be printed
with that many rows of matrix form a regular language, and a small deterministic
automaton answers for every width there is.
"""
