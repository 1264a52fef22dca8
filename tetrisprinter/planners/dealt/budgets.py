"""Every number of the planner *dealt* that is a matter of experience.

None of these changes whether a game is correct.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DealtBudgets:
    """The limits of the search over dealt pieces, and the costs of its states."""

    # What each square costs that is missing in the picture; each end of a run of missing squares,
    # and any that is missing under a filled one. The unit is what a missing square costs for each
    # row above it
    missing: int = 2
    rough: int = 8
    chance: int = 2  # how much of a cost is chance where a search is made once more
    # States kept after each drop, twice as many by each next search; how many searches are made for
    # a game of which all pieces are known
    beam: int = 100
    searches: int = 5
    # Drops after which a search that came no nearer ends, and a player gives up unfinished rows;
    # a game ends after this number of drops per picture row, and as many again
    patience: int = 56
    # How many ways on a player who sees some pieces ahead draws by chance for each drop, and how
    # many drops are searched in each
    futures: int = 3
    horizon: int = 24


BUDGETS = DealtBudgets()
