"""From the cheapest attempt to the one that always works.

1. Pieces lying wholly in the picture, no row cleared at all: the physical limit, decided
   in a blink.
2. The whole picture at once with matrices of two rows and one. Many small pictures end
   here with a proof for all games.
3. The rolling horizon, which ends row by row where it has to.
4. Large-neighbourhood improvement of whatever was found, and beside it the whole picture
   again, with more matrices and in fewer drops than the best plan so far.

Very small pictures are looked at as a whole with picture rows between the rows of a
matrix, too, before anything else is tried.

While the types have no colours yet (*auto*), the steps that look at the whole picture
leave them open, so the assignment is part of the optimum. The others are given the
assignment found so far, and those that let most squares be covered by pieces of one
colour, side by side; the shortest plan counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tetrisprinter.planners.shortest.bounds import fewest_drops
from tetrisprinter.planners.shortest.horizon import JOINED, Menu, heights, offer, roll
from tetrisprinter.planners.shortest.improve import improve
from tetrisprinter.planners.shortest.model import Game, Played
from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.planners.shortest.target import Target, colored
from tetrisprinter.planners.shortest.types import Shades, covering_shades

__all__ = ["Climbed", "climb"]

Attempt = tuple[Menu, float]

_FIRST: tuple[Attempt, ...] = (((*heights(2), "10", *heights(1)), 10.0),)
_THEN: tuple[Attempt, ...] = (((*heights(3, 2), "10", *heights(1)), 14.0),)
_TINY_THEN: tuple[Attempt, ...] = (
    *_THEN,
    (("cccpc", "cpccc", "ccpcc", "ccpc", "cpcc", "cpc", *heights(4, 3, 2, 1)), 20.0),
)
_JOINED: tuple[Attempt, ...] = tuple((menu, 30.0) for menu in JOINED)
"""What is offered at each row when the whole picture is looked at, and for how long."""

_WHOLE_CELLS = 240
_TINY_CELLS = 80
_ASSIGNMENTS = 2  # of colours to types, tried with the rolling horizon


@dataclass(frozen=True, slots=True)
class Climbed:
    """The end of the ladder.

    Attributes
    ----------
    played : tuple of Played or None
        The passes; None if nothing was found.
    shades : tuple of (PieceType, int)
        Which type shows which colour, if the target leaves that open.
    listed : bool
        Whether it is the shortest for the passes that were offered.
    """

    played: tuple[Played, ...] | None
    shades: Shades = ()
    listed: bool = False

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return sum(p.drops for p in self.played or ())


def lying_game(target: Target) -> Game:
    """Return the game of pieces lying wholly in the picture."""
    return Game(target, (Slice(target.rows, target.rows, ""),), frozenset(), target.required)


def climb(target: Target, session: Session) -> Climbed:
    """Find a plan.

    Parameters
    ----------
    target : Target
        The end of the game.
    session : Session
        Clock, workers and seed.
    """
    cells = target.width * target.rows
    session.bound = max(session.bound, fewest_drops(target))
    session.report("without clearing a row")
    lying = session.solve(lying_game(target), 10.0)
    if lying.played is not None:
        session.found(lying.drops)
        return Climbed(lying.played, lying.shades, lying.complete)
    if lying.complete and not target.optional():
        session.bound = max(session.bound, fewest_drops(target, 1))
    best = Climbed(None)
    if cells <= _WHOLE_CELLS:
        best = _whole(target, session, best, _FIRST)
    if cells <= _TINY_CELLS and not _is_over(best, session):
        best = _whole(target, session, best, _TINY_THEN)
    if best.played is None or not (cells <= _TINY_CELLS or best.listed or _is_over(best, session)):
        best = _rolled(target, session, best)
    if best.played is None and cells <= _WHOLE_CELLS:
        best = _whole(target, session, best, _JOINED, core=False)
    if best.played is None or _is_over(best, session) or (best.listed and cells <= _TINY_CELLS):
        return best
    last = [partial(_improved, target, session, best)]
    if _TINY_CELLS < cells <= _WHOLE_CELLS:
        last.append(partial(_whole, target, session, best, _THEN))
    found = session.side_by_side(lambda call: call(), last)
    return min(found, key=lambda one: (one.drops, not one.listed))


def _improved(target: Target, session: Session, best: Climbed) -> Climbed:
    found = improve(colored(target, best.shades), session, best.played or ())
    return Climbed(found, best.shades)


def _is_over(best: Climbed, session: Session) -> bool:
    return session.stopped or (best.played is not None and best.drops <= session.bound)


def _whole(
    target: Target,
    session: Session,
    best: Climbed,
    attempts: Sequence[Attempt],
    *,
    core: bool = True,
) -> Climbed:
    """Look at the whole picture at once, for something better than the best so far."""
    session.report(f"whole picture, {max(len(menu) for menu, _ in attempts)} matrices at each row")
    most = None if best.played is None else best.drops - 1
    jobs = []
    for menu, work in attempts:
        slices = offer(target, range(target.rows + 1), menu, target.rows)
        game = Game(target, slices, frozenset(), target.required, most=most)
        jobs.append((game, work, core))
    results = session.solve_all(jobs)
    found = min(results, key=lambda found: found.cost)
    complete = all(found.complete for found in results)
    if found.played is None:
        return Climbed(best.played, best.shades, best.played is not None and complete)
    session.found(found.drops)
    return Climbed(found.played, found.shades, complete)


def _rolled(target: Target, session: Session, best: Climbed) -> Climbed:
    """Print the picture band by band; if types have no colours, with several assignments."""
    if target.shades is None:
        found = [Climbed(roll(target, session))]
    else:
        choices = [best.shades] if best.shades else []
        choices += covering_shades(target, _ASSIGNMENTS - len(choices))

        def rolled(shades: Shades) -> Climbed:
            return Climbed(roll(colored(target, shades), session, abreast=1), shades)

        found = session.side_by_side(rolled, choices)
    for one in found:
        if one.played is not None and (best.played is None or one.drops < best.drops):
            best = one
    if best.played is not None:
        session.found(best.drops)
    return best
