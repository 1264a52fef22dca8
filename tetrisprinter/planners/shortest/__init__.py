"""Games found by solvers: near a known one, whole ones on narrow boards, and the proof.

``slices`` has the operators; ``optional`` is the formula that says what a game is, ``budgets``
how much each part may use.
"""
