"""Lower bounds on the drops of any game that prints a picture on one board.

``docs/bounds.md`` has the theory. From the bottom: ``stacks`` (stacks, their windows, and what
every game satisfies in a window), ``stack_formulas`` (the stacks not refuted yet), and
``bound_search``, which refutes them.

Words: docs/glossary.md
"""
