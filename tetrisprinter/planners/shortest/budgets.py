"""Every number of the planner that is a matter of experience: what is tried, and for how long.

None of these changes whether a plan is correct or what is reported as proved. Work is counted
(:func:`~tetrisprinter.bounds.looking.work_of`), about a second each on a fast machine, before the
factor of the effort.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT", "ShortestBudgets"]


@dataclass(frozen=True, slots=True)
class ShortestBudgets:
    """What each stage may use.

    Attributes
    ----------
    proof : float
        For raising the bound over all games, which may find the shortest one.
    at_once : float
        For the same where a plan is to be there at once.
    games : (int, int, int)
        States that a search for whole games keeps, and in how many assignments of colours it is
        made; how often the best quarter is looked at again, with twice as many states, then the
        best half of these, so often.
    nearby : float
        For games near the plan to beat, for each square of the picture's rows on the board.
    nearby_try : float
        For each number of drops, once the formula is there.
    nearby_aims : int
        For so many of these.
    nearby_rows, nearby_types : int
        Rows that may clear in each slot, unless all with fewer was answered, and assignments of
        colours, at most.
    nearby_window : int
        Rows of the picture in which a plan is changed where the whole is too hard.
    """

    proof: float = 6.0
    at_once: float = 0.3
    games: tuple[int, int, int] = (100, 40, 3)
    nearby: float = 0.55
    nearby_try: float = 6.0
    nearby_aims: int = 8
    nearby_rows: int = 2
    nearby_types: int = 60
    nearby_window: int = 6


DEFAULT = ShortestBudgets()
