"""The stages in their order, with their budgets: what the planner tries.

Each begins with the plan to beat and hands in better ones. All are asked, one after the other,
until nothing can be shorter or the time is up; each ends when its budget is spent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from tetrisprinter.planners.shortest.assignments import any_assignment
from tetrisprinter.planners.shortest.bands import bands
from tetrisprinter.planners.shortest.games import games_fit, whole_games
from tetrisprinter.planners.shortest.nearby import is_near_something, nearby
from tetrisprinter.planners.shortest.search import NONE, Candidate, Search
from tetrisprinter.planners.shortest.whole import few_lines, no_clear, whole
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.obstacles import forbidden_by
from tetrisprinter.printing.target import Target, closed, fewest_drops, with_few_unseen

__all__ = ["AT_ONCE", "SEEN", "STAGES", "Entry", "climb"]


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
        How much work it may use, before the factor of the effort.
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
        A part of :data:`STAGES`, or others.
    """
    for stage in stages:
        if search.is_over:
            break
        if stage.applies(search):
            search.stage = stage.name
            search.run.report(stage.name)
            stage.run(search, stage.budget(search) * search.run.effort)
    return search.incumbent


def _hides(search: Search) -> bool:
    """Whether the picture can also be printed as if none could."""
    return bool(search.target.unseen) and _all_seen(search.target) is not None


def _all_seen(target: Target) -> Target | None:
    """Return a target without squares that are not seen, or with few in fixed places."""
    for seen in (closed(target), closed(with_few_unseen(target))):
        if forbidden_by(seen) is None and any_assignment(seen) is not None:
            return seen
    return None


def _nothing_unseen(search: Search, _work: float) -> None:
    """Print the picture as if no square could stay unseen: other types show it then."""
    target = _all_seen(search.target)
    assert target is not None
    clears = bool(search.run.bound > fewest_drops(search.target))
    part = replace(
        search,
        target=target,
        incumbent=NONE,
        enough=max(search.enough, fewest_drops(target, int(clears))),
        assignments=[],
    )
    best = climb(part, SEEN)
    search.stage = Stage.NOTHING_UNSEEN
    search.take(replace(best, listed=False))


def _is_new(search: Search) -> bool:
    """Whether nothing was looked for near the plan to beat: bands made it, or no types are open."""
    return search.target.shades is None or search.incumbent.made_by[-1:] == (Stage.BANDS,)


SEEN: Final = (
    Entry(Stage.WHOLE_GAMES, games_fit, lambda s: s.budgets.whole, whole_games),
    # In open types one model finds nothing more where whole games were looked at.
    Entry(
        Stage.WHOLE,
        lambda s: s.target.shades is None or not games_fit(s),
        lambda s: s.budgets.whole,
        whole,
    ),
    Entry(
        Stage.NEARBY,
        lambda s: s.target.shades is not None and is_near_something(s),
        lambda s: s.budgets.nearby * s.squares,
        nearby,
    ),
    # Bands do not come near a plan that was found there.
    Entry(
        Stage.BANDS,
        lambda s: s.incumbent.made_by[-1:] != (Stage.NEARBY,),
        lambda s: s.budgets.bands * s.squares,
        bands,
    ),
    Entry(
        Stage.NEARBY,
        lambda s: _is_new(s) and is_near_something(s),
        lambda s: s.budgets.nearby * s.squares,
        nearby,
    ),
)
"""The stages for a picture of which every square is seen."""

STAGES: Final = (
    Entry(Stage.NO_CLEAR, lambda _: True, lambda s: s.budgets.few_lines, no_clear),
    Entry(Stage.NOTHING_UNSEEN, _hides, lambda s: s.budgets.bands * s.squares, _nothing_unseen),
    Entry(
        Stage.FEW_LINES, lambda s: bool(s.target.above), lambda s: s.budgets.few_lines, few_lines
    ),
    *SEEN,
)
"""All of them; :mod:`~tetrisprinter.planners.shortest.proved` comes last."""

AT_ONCE: Final = (
    STAGES[0],
    replace(STAGES[2], applies=lambda _: True, run=partial(few_lines, most_lines=1)),
)
"""Those for a game that clears one row or none."""
