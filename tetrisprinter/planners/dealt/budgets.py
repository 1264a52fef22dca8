"""The tuned numbers of the planner *dealt*.

None of these changes whether a game is correct.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DealtBudgets:
    """The limits of the search over dealt pieces, and the costs of its states."""

    # The costs of a missing square of the picture, and of each end of a run of missing squares and
    # each missing square under a filled one. The unit is the cost of a missing square for each
    # row above it
    missing: int = 2
    rough: int = 8
    chance: int = 2  # the random part of the costs in repeated searches
    # The beam width of the first search, doubled for each further one; the number of searches for
    # a game whose pieces are all known
    beam: int = 100
    searches: int = 5
    # Drops without progress after which a search ends and a player gives up unfinished rows;
    # a game ends after this number of drops times the number of picture rows plus one
    patience: int = 56
    # How many random continuations of the queue a player with a preview draws per drop, and how
    # many drops are searched in each
    futures: int = 3
    horizon: int = 24


BUDGETS = DealtBudgets()
