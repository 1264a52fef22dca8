"""Lower bounds: how few drops any game needs.

``docs/bounds.md`` has the theory. From the bottom: ``windows``, ``cnf`` and ``window_formula``
(conditions that every game satisfies), ``stacks`` and ``master_problem`` (the stacks that remain),
``window_solver``, ``refinement`` and ``bound_search`` (refute them).

Words: docs/glossary.md
"""
