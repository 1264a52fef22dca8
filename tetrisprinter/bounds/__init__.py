"""Lower bounds on the drops of any game that prints a picture on one board.

``docs/bounds.md`` has the theory. From the bottom: ``stacks`` (stacks and their windows),
``window_formula`` (conditions that every game satisfies), ``stack_formulas`` (the stacks not
refuted yet), ``refinement`` and ``bound_search`` (the search that refutes them).

Words: docs/glossary.md
"""
