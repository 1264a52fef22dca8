"""Lower bounds on the drops of any game that prints a picture on one board.

``docs/bounds.md`` has the theory. From the bottom: ``windows``, ``cnf`` and ``window_formula``
(conditions that every game satisfies), ``stacks`` and ``master_problem`` (the stacks not refuted
yet), ``window_solver``, ``refinement`` and ``bound_search`` (the search that refutes them).

Words: docs/glossary.md
"""
