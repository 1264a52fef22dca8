"""The tuned limits of the neighbourhood search.

None of these changes whether a plan is correct or which claims are proved. Work is counted in
units of about a second on a fast machine
(:func:`~tetrisprinter.bounds.window_solver.estimate_work`). The effort does not change the limits.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShortestBudgets:
    """The work limits of the stages.

    Attributes
    ----------
    lns_look : float
        Work limit of the first question about a band; often no window in it has a shorter game.
    lns_work : float
        Work limit of each question about a window in the first generation.
    lns_growth : float
        The factor by which ``lns_work`` grows from one generation to the next.
    lns_whole : float
        The factor on the work limit of questions about the whole picture.
    lns_any : float
        Work limit of the first question if no game is known; it doubles with each further one.
    lns_aims : int
        How many lower numbers of drops are tried first, at most, if all rows are open.
    lns_clauses : int
        The most clauses of a formula. The solver needs some 150 bytes for each, so this limits
        the memory.
    lns_small : int
        The smallest windows of a band have the band's height divided by this number.
    lns_slack : int
        How many cleared rows before or after the window's own a fixed piece may drop.
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
