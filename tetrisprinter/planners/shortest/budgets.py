"""Every number of the planner that is a matter of experience: what is tried, and for how long.

None of these changes whether a plan is correct or what is reported as proved. Times are those of
the solver's own clock, about a second each on a fast machine, before the factor of the effort.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT", "Pool", "ShortestBudgets"]

Pool = tuple[str, ...]
"""Stacks offered at each base, in their order: clearing rows, perhaps with picture rows between;
more picture rows on top go without saying."""


@dataclass(frozen=True, slots=True)
class ShortestBudgets:
    """What each stage may use.

    Attributes
    ----------
    standing_rows, hanging_rows, lying_rows : int
        Picture rows that a pass looks at above its clearing rows, below them, and where none
        clears.
    bridged_lines : int
        In taller matrices pieces that bridge would be most of the model; they are left out.
    model_squares : int
        Larger models of the whole picture are not built: rows that the passes look at, times
        the width.
    few_lines, place : float
        For no clearing row, for one or two among squares that may stay unseen, and for each place.
    at_once : float
        The effort of what is looked for where a plan is to be there at once.
    games : (int, int, int)
        States that a search for whole games keeps, and in how many assignments of colours it is
        made; how often the best quarter is looked at again, with twice as many states, then the
        best half of these, so often.
    whole : float
        For the whole picture at once.
    pools : tuple of tuple of str
        What is offered at each row then, one after the other.
    bands : float
        For bands, for each square of the picture's rows on the board.
    band_work : float
        For a single band, for each column of the board.
    band_trials : tuple of (tuple of str, int)
        What is offered at each base of a band, and how many rows it has: from high ones with low
        matrices to low ones with many.
    band_last : tuple of str
        What is offered above the last row: all that is left of it hangs from these.
    band_ahead : int
        How often dead ends are answered by looking a row further ahead.
    rest : tuple of str
        What all that is open hangs from before the rest is printed row by row.
    rest_work : float
        For each of these.
    nearby : float
        For games near the plan to beat, for each square of the picture's rows on the board.
    nearby_try : float
        For each formula of these.
    nearby_rows, nearby_types : int
        Rows that may clear in each slot, and assignments of colours, at most.
    proof : float
        For raising the bound over all games in the end, which may find a shorter one.
    """

    standing_rows: int = 3
    hanging_rows: int = 3
    lying_rows: int = 4
    bridged_lines: int = 3
    model_squares: int = 8000

    few_lines: float = 10.0
    place: float = 1.0
    at_once: float = 0.3

    games: tuple[int, int, int] = (100, 40, 3)

    whole: float = 20.0
    pools: tuple[Pool, ...] = (
        ("cc", "10", "c"),
        ("cccpc", "cpccc", "ccpcc", "ccpc", "cpcc", "cpc", "cccc", "ccc", "cc", "c"),
    )

    bands: float = 0.2
    band_work: float = 0.6
    band_trials: tuple[tuple[Pool, int], ...] = (
        (("cc", "c"), 6),
        (("ccc", "cc", "c"), 5),
        (("ccc", "cc", "c"), 4),
        (("ccc", "cc", "cc"), 3),
        (("ccc", "cc", "cc"), 2),
        (("ccccc", "ccc", "cc", "cc", "c"), 2),
        (("cccccc", "ccccc", "cccc", "ccc", "cc", "c"), 2),
    )
    band_last: Pool = ("cc", "c")
    band_ahead: int = 2
    rest: Pool = ("ccc", "cc", "cccc")
    rest_work: float = 3.0

    nearby: float = 0.35
    nearby_try: float = 10.0
    nearby_rows: int = 2
    nearby_types: int = 60

    proof: float = 6.0


DEFAULT = ShortestBudgets()
