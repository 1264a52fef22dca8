"""The tuned numbers of the planner *dealt*.

None of these changes whether a game is correct.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DealtBudgets:
    """The limits of the search over dealt pieces, and the costs of its states."""

    # A missing square costs 1 for each used row above it. ``missing`` is a further cost of each
    # missing square of the picture. ``rough`` is the cost of each end of a run of missing squares,
    # and of each missing square under a filled one
    missing: int = 2
    rough: int = 8
    chance: int = 2  # repeated searches add a random cost below this, times the scarcity
    # ``beam`` is the beam width of the first search; each further search has twice the width.
    # ``searches`` is the number of searches if all pieces are known
    beam: int = 100
    searches: int = 5
    quick_effort: float = 0.05  # of the first game with a preview if the time is limited
    most_states: int = 50_000  # the greatest beam width, about 250 MB
    # How many drops without progress end a search, or let a player give up unfinished rows. A game
    # has at most this number times (1 + the number of picture rows) drops
    patience: int = 56
    # How many random continuations of the queue a player with a preview draws per drop, and how
    # many drops are searched in each
    futures: int = 3
    horizon: int = 24


BUDGETS = DealtBudgets()
