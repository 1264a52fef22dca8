"""All tuned numbers of the planner: what is tried, and for how long.

None of these changes whether a plan is correct or which claims are proved. Work is counted
(:func:`~tetrisprinter.bounds.window_solver.estimate_work`), about a second each on a
fast machine, before the factor of the effort.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShortestBudgets:
    """The work limits of the stages.

    Attributes
    ----------
    lns_look : float
        For the first look at a band, which often finds that no window in it has a shorter game.
    lns_work : float
        For each question about a window, in the first generation...
    lns_growth : float
        ...and this many times as much in each generation after it.
    lns_whole : float
        A question about the whole picture has this many times the work of one about a window.
    lns_any : float
        For the first question where no game is known; twice as much for each one after it.
    lns_aims : int
        Numbers of drops that are asked about before the greatest one, where all rows are open.
    lns_clauses : int
        How many clauses a formula may have: with some 150 bytes each in the solver, that limits
        the memory.
    lns_small : int
        The smallest windows of a band have this part of its height.
    lns_slack : int
        How many rows before or after the window's own a piece that stays may drop.
    """

    lns_look: float = 0.007
    lns_work: float = 0.125
    lns_growth: float = 2.0
    lns_whole: float = 4.0
    lns_any: float = 0.3
    lns_aims: int = 7
    lns_clauses: int = 4_000_000
    lns_small: int = 3
    lns_slack: int = 2


DEFAULT = ShortestBudgets()
