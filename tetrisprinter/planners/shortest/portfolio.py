"""The stages in their order, with their budgets: what the planner tries.

Each begins with the plan to beat and hands in better ones. All are asked, one after the other,
until nothing can be shorter or the time is up. Looking and proving share one budget: the proof
begins with a turn, the rest is for looking, and what that leaves is for the proof again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tetrisprinter.planners.shortest.games import games_fit, whole_games
from tetrisprinter.planners.shortest.lns import run_lns
from tetrisprinter.planners.shortest.proved import refute
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.planners.stages import Stage

__all__ = ["STAGES", "Entry", "climb"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A way to look for a short game.

    Attributes
    ----------
    name : Stage
        What results call it.
    applies : callable
        Whether it is one for this search.
    budget : callable
        How much it may use of the work that is left.
    run : callable
        Does it: given the search and the work.
    """

    name: Stage
    applies: Callable[[Search], bool]
    budget: Callable[[Search], float]
    run: Callable[[Search, float], None]


def climb(search: Search, stages: tuple[Entry, ...]) -> Candidate:
    """Ask stages in turn; return the best plan.

    Parameters
    ----------
    search : Search
        With the plan to beat, if there is one.
    stages : tuple of Entry
        :data:`STAGES`, or others.
    """
    for stage in stages:
        if search.is_over:
            break
        if stage.applies(search):
            search.stage = stage.name
            search.run.report(stage.name)
            stage.run(search, min(search.left, stage.budget(search)))
    return search.incumbent


STAGES: Final = (
    Entry(Stage.PROOF, lambda _: True, lambda s: s.budgets.turn * s.run.effort, refute),
    Entry(Stage.WHOLE_GAMES, games_fit, lambda _: 0.0, whole_games),
    Entry(Stage.LNS, lambda _: True, lambda s: s.left, run_lns),
    Entry(Stage.PROOF, lambda s: s.left > 0, lambda s: s.left, refute),
)
"""All of them."""
