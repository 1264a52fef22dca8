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
    lns_work : float
        For each question about a window, in the first round; twice as much in each round after it.
    lns_any : float
        For the first question where no game is known; twice as much for each one after it.
    lns_aims : int
        Numbers of drops that are asked about before the greatest one, where all rows are open.
    lns_clauses : int
        How many clauses a formula may have: with some 150 bytes each in the solver, that limits
        the memory.
    lns_band : int
        Cells of the stack that the first bands have, at most; twice as many in each generation.
    lns_heights : tuple of int
        Rows of the picture in a window, beside those of the whole band.
    lns_overlap : int
        A window begins this part of its height above the one before it.
    lns_apart : float
        How a window's height counts in the choice of the next one: windows go by their cleared
        rows for each row of their height and this.
    lns_slack : int
        How many rows before or after the window's own a piece that stays may drop.
    """

    lns_work: float = 0.03
    lns_any: float = 0.3
    lns_aims: int = 7
    lns_clauses: int = 4_000_000
    lns_band: int = 800
    lns_heights: tuple[int, ...] = (3, 5, 8, 12, 18, 27, 40, 60, 100)
    lns_overlap: int = 3
    lns_apart: float = 3.0
    lns_slack: int = 2


DEFAULT = ShortestBudgets()
