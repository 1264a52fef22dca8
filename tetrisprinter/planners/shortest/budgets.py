"""Every number of the planner that is a matter of experience: what is tried, and for how long.

None of these changes whether a plan is correct or what is reported as proved. Times are those of
the solver's own clock, about a second each on a fast machine, before the factor of the effort.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT", "Budgets", "Pool"]

Pool = tuple[str, ...]
"""Stacks offered at each base, in their order: clearing rows, perhaps with picture rows between;
more picture rows on top go without saying."""


@dataclass(frozen=True, slots=True)
class Budgets:
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
    no_clear : float
        For the game without a clear, which is decided in a blink.
    few_lines, place : float
        For one clearing row or two among squares that may stay unseen, and for each place.
    lines : int
        So many rows are tried that way.
    at_once : tuple of (float, float, float)
        ``no_clear``, ``few_lines`` and ``place`` for a plan that is to be there at once.
    games_parents : int
        The later assignments of colours for whole games are near so many of the best.
    games : tuple of (int, int, int)
        States that a search keeps, searches, and in how many assignments, the best ones.
    games_near : tuple of (int, int, int)
        The same again if the shortest is at most ``near`` steps above the bound.
    near : float
        A step is what a game has more, at least, than one that is shorter.
    whole : float
        For the whole picture at once.
    pools : tuple of tuple of str
        What is offered at each row then, one after the other.
    bands : float
        For bands, for each square of the picture's rows on the board.
    band_attempts : int
        At most so many attempts, each in other types, where these are open.
    band_work, band_share : float
        For a single band: at most so much, and such a part of the whole.
    band_trials : tuple of (tuple of str, int)
        What is offered at each base of a band, and how many rows it has: from high ones with low
        matrices to low ones with many.
    band_last : tuple of str
        What is offered above the last row: all that is left of it hangs from these.
    band_behind : float
        Bands are given up when they are so many steps behind the plan to beat.
    band_ahead, band_ends : int
        How often a dead end is answered by looking a row further ahead, and after how many of
        them the bands end.
    rest : tuple of str
        What all that is open hangs from before the rest is printed row by row.
    rest_rows : int
        That is tried again so many rows further up.
    rest_work : float
        For each of these.
    proof : float
        For raising the bound over all games in the end, which may find a shorter one.
    """

    standing_rows: int = 3
    hanging_rows: int = 3
    lying_rows: int = 4
    bridged_lines: int = 3
    model_squares: int = 8000

    no_clear: float = 10.0
    few_lines: float = 10.0
    place: float = 1.0
    lines: int = 2
    at_once: tuple[float, float, float] = (1.0, 5.0, 0.3)

    games_parents: int = 6
    games: tuple[tuple[int, int, int], ...] = ((100, 1, 40), (200, 3, 8), (400, 2, 3))
    games_near: tuple[tuple[int, int, int], ...] = ((500, 3, 8), (1000, 3, 3))
    near: float = 3.0

    whole: float = 20.0
    pools: tuple[Pool, ...] = (
        ("cc", "10", "c"),
        ("cccpc", "cpccc", "ccpcc", "ccpc", "cpcc", "cpc", "cccc", "ccc", "cc", "c"),
    )

    bands: float = 0.2
    band_attempts: int = 14
    band_work: float = 12.0
    band_share: float = 0.2
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
    band_behind: float = 2.0
    band_ahead: int = 2
    band_ends: int = 20
    rest: Pool = ("ccc", "cc", "cccc")
    rest_rows: int = 6
    rest_work: float = 3.0

    proof: float = 6.0


DEFAULT = Budgets()
