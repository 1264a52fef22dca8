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
    lns_band_work : float
        Work limit of the first question about a band. Often it shows that no window in the band
        has a shorter game.
    lns_work : float
        Work limit of each question about a window in the first generation.
    lns_growth : float
        The factor by which ``lns_work`` grows from one generation to the next.
    lns_picture_factor : float
        The factor on the work limit of questions about the whole picture.
    lns_first_game_work : float
        Work limit of the first question if no game is known. Each further question has twice as
        much.
    lns_max_savings : int
        If all rows are open: how many larger savings are tried first, at most.
    lns_clauses : int
        The most clauses of a formula. The solver needs some 150 bytes for each, so this limits
        the memory.
    lns_height_divisor : int
        The smallest windows of a band have the band's height divided by this number.
    lns_slack : int
        How many cleared rows before the first or after the last one of the window a fixed piece
        may drop.
    """

    lns_band_work: float = 0.007
    lns_work: float = 0.125
    lns_growth: float = 2.0
    lns_picture_factor: float = 4.0
    lns_first_game_work: float = 0.3
    lns_max_savings: int = 7
    lns_clauses: int = 4_000_000
    lns_height_divisor: int = 3
    lns_slack: int = 2


DEFAULT = ShortestBudgets()
