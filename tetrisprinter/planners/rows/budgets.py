"""The tuned numbers of the planner *rows*: the limits of its stages and its measured costs.

None of these changes whether a plan is correct. Limits set by the width of a machine word are in
``passes`` and ``_kernel_paths``.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

from tetrisprinter.game.field import CLASSIC_BOARD
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture

_STATE_BYTES, _SAVED_STATE_BYTES, _STEP_BYTES = 2000, 24, 10
"""Bytes of a state in the search, of a state saved before a column, and of a step."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits of each stage of the search."""

    # States kept per column on the classic board; wider boards keep more with their width, up to
    # a factor of ``most_widening``
    beam: int = 200
    most_widening: float = 3.0
    least_states: int = 50  # the minimum at any effort
    # The factor for the states kept within a column; the second is for boards of more than
    # ``wide_board`` columns
    column_spread: int = 4
    column_spread_wide: int = 2
    # The factor for the states kept if the usual number finds nothing, and for the fields that
    # are expanded then to clear an old picture
    dead_end_factor: int = 6
    most_pairs: int = 200  # pairs of states kept per column when two passes are chosen together
    graph_memory: float = 2e6  # states and steps of all cached graphs
    # Bytes for the states of a search, and as much again for the steps of its graph; a search that
    # needs more leaves states or steps out
    memory: float = 2.5e8
    # The most clearing rows of a pass that is chosen with the next one; a pass chosen alone may
    # have ``MAX_LINES``
    most_lines: int = 3
    most_rows: int = 2  # rows of the picture, at most, that a pass completes
    # On boards with more columns each pass prints one row, and some slow searches are left out
    wide_board: int = 40
    # The usual number of rows cleared per picture row. To clear a row of an old picture usually
    # takes this number of further rows
    usual_lines: float = 1.5
    # The greatest beam width; also the number of rows by which the games in the beam are ahead of
    # the pass that is played
    most_games: int = 3
    # The weight of a path is multiplied by this for each square that it carries
    carry_discount: float = 0.3
    rows_together: int = 4  # the most rows that are printed together from a clean state
    # For a row printed in several passes: the most passes, the continuations tried after each pass
    # (also when an old picture is cleared), and the most states whose continuations are searched
    most_passes: int = 16
    most_branches: int = 3
    most_searches: int = 40
    # A print ends after this work on the classic board without another finished row. The second
    # value applies if no other board may be used
    row_work: float = 1.5
    last_row_work: float = 18.0
    least_effort: float = 0.25  # a smaller effort does not lower these limits further
    # The estimated clearing squares for each square of the row that a pass leaves out
    missing_cost: float = 20.0
    # Work after which the first set of passes that prints a row is good enough
    parts_work: float = 1.0
    most_platforms: int = 6  # the most platforms that are tried for a row
    # The work for other choices of passes and other ways to clear an old picture, after a print is
    # complete
    repeat_work: float = 1.0
    # The ways to clear an old picture that are tried if the best way leads nowhere
    most_clearings: int = 12

    def choose_states(self, width: int, effort: float = 1.0) -> int:
        """Return the number of states that a search keeps per column."""
        wider = min(self.most_widening, max(1.0, width / CLASSIC_BOARD.width))
        return max(self.least_states, round(self.beam * effort * wider))

    def compute_state_limit(self, width: int) -> int:
        """Return the number of states per column for which memory is reserved."""
        return max(
            self.least_states, int(self.memory / (_STATE_BYTES + _SAVED_STATE_BYTES * width))
        )

    def choose_spread(self, width: int) -> int:
        """Return the factor by which more states are kept within a column than after it.

        On wide boards two instead of four saved a quarter of the time, and 2 % of the drops of
        photos; on narrow boards it cost 2 % of the drops.
        """
        return self.column_spread_wide if width > self.wide_board else self.column_spread

    def compute_row_work_limit(self, width: int, effort: float, is_last: bool = False) -> float:
        """Return the work limit for finishing one more row; a last attempt gets more.

        The limit grows with the number of states. A first plan or a sample gives up sooner.
        """
        effort = max(self.least_effort, effort)
        states = self.choose_states(width, effort) * max(width, CLASSIC_BOARD.width)
        work = self.last_row_work if is_last else self.row_work
        return work * states / (self.beam * CLASSIC_BOARD.width)

    @property
    def most_steps(self) -> int:
        """The number of graph steps for which memory is reserved."""
        return int(self.memory / _STEP_BYTES)

    def choose_beam_width(self, width: int, effort: float) -> int:
        """Return the number of games to continue; more on narrow boards, where each is cheap."""
        return max(1, min(self.most_games, round(effort * CLASSIC_BOARD.width / width)))


@dataclass(frozen=True, slots=True)
class ClearingBudgets:
    """The limits of the search for a way to clear an old picture."""

    rows_below: int = 3  # rows below the cleared rows in which a pass may leave squares
    # The most existing rows that a pass clears, and the most new rows above them
    most_rows: int = 4
    # Fields expanded for each row to clear, before the search gives up the cheapest way and becomes
    # greedy
    most_fields: int = 5
    most_pairs: int = 60  # states kept per cell when a pass is chosen


BUDGETS = Budgets()
CLEARING = ClearingBudgets()


@dataclass(frozen=True, slots=True)
class PaceBudgets:
    """The measured costs of planning: seconds on an idle machine, and work units."""

    # Seconds that *rows* takes for each square, and for each change of colour along the rows
    square: float = 0.0006
    change: float = 0.007
    # I and O can hardly leave single squares. So each colour that needs I or O adds to the time of
    # a change: this factor times the squared ratio of changes to squares
    single: float = 45.0
    # Work of *rows* for a search for passes, for each generated step, and for each step or pair of
    # states examined when a pass is chosen. Fitted to CPU seconds on smooth pictures and on noise,
    # where most steps are discarded
    search: float = 2.3e-4
    step: float = 5e-8
    path: float = 1e-8


PACE = PaceBudgets()

EASY_COLORS: Final = len(set(PieceType) - {PieceType.I, PieceType.O})
"""The largest number of colours that need neither I nor O."""


def estimate_photo_seconds(picture: Picture, colors: int | None = None) -> float:
    """Estimate the CPU seconds that the planner *rows* takes for a photograph.

    It depends on the number of colour changes along the rows: grain is expensive, a sky is not.
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    surcharge = max(0, (colors or len(picture.colors())) - EASY_COLORS) * (changes / squares) ** 2
    return PACE.square * squares + PACE.change * changes * (1 + PACE.single * surcharge)
