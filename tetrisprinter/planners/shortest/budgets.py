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
    """What stages may use.

    Attributes
    ----------
    work : float
        Looking and proving together, for each square of the picture's rows on the board.
    turn : float
        Of that, for raising the bound over all games before anything is looked for; and for each
        number of drops near the plan to beat, once its formula is there.
    at_once : float
        For raising the bound where a plan is to be there at once.
    games : (int, int, int)
        States that a search for whole games keeps, and in how many assignments of colours it is
        made; how often the best quarter is looked at again, with twice as many states, then the
        best half of these, so often. One assignment in so many is chosen at random, the others
        near the best of these.
    nearby_aims : int
        Numbers of drops near the plan to beat.
    nearby_rows, nearby_types : int
        Rows that may clear in each slot, unless all with fewer was answered, and assignments of
        colours, at most.
    nearby_window : int
        Rows of the picture in which a plan is changed where the whole is too hard.
    """

    work: float = 0.6
    turn: float = 6.0
    at_once: float = 0.3
    games: tuple[int, int, int] = (100, 40, 3)
    nearby_aims: int = 8
    nearby_rows: int = 2
    nearby_types: int = 60
    nearby_window: int = 6


DEFAULT = ShortestBudgets()
