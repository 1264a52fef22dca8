"""The operators with a solver: neighbourhood search, whole games, and the proof.

``slices`` has the operators; ``optional`` is the formula that says what a game is, ``budgets``
how much each part may use.
"""
