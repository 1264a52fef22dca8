"""Every number of the planner *dealt* that is a matter of experience.

None of these changes whether a game is correct.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BUDGETS", "DealtBudgets"]


@dataclass(frozen=True, slots=True)
class DealtBudgets:
    """What the search over dealt pieces may use, and what its states cost.

    Attributes
    ----------
    missing, rough : int
        What each square costs that is missing in the picture; each end of a run of missing
        squares, and any that is missing under a filled one. The unit is what a missing square
        costs for each row above it.
    chance : int
        How much of a cost is chance where a search is made once more.
    beam, searches : int
        States kept after each drop by the first search, twice as many by each next one; how many
        searches are made.
    drops : int
        Drops for each row of the picture after which a search ends, and as many once.
    patience : int
        Drops after which a search that came no nearer ends, and a player gives up what is begun.
    player, futures, horizon : int
        States that a player keeps who sees some pieces ahead; how many ways on are drawn by chance
        for each drop, and how many drops are searched in each.
    """

    missing: int = 2
    rough: int = 8
    chance: int = 2
    beam: int = 100
    searches: int = 5
    drops: int = 48
    patience: int = 56
    player: int = 60
    futures: int = 3
    horizon: int = 24


BUDGETS = DealtBudgets()
