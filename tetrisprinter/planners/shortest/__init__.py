"""Operators that use a SAT solver: neighbourhood search, search of all stacks, and the proof.

``slices``, ``stacks`` and ``room`` have the operators. ``formula`` writes the games of a window as
clauses, and ``budgets`` has the limits of each part.
"""
