"""From the cheapest attempt to the one that always works.

1. Pieces lying wholly in the picture, no row cleared at all: the physical limit, decided
   in a blink.
2. The whole picture at once with matrices of two rows and one, then of three, two and
   one. Small pictures end here, usually with a proof for that list of passes.
3. The rolling horizon, which ends row by row where it has to.
4. Large-neighbourhood improvement of whatever was found.

While the types have no colours yet (*auto*), the first two steps leave them open, so the
assignment is part of the optimum; afterwards the assignment found, or else the one that
lets most squares be covered by pieces of one colour, is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

from tetrisprinter.planners.shortest.bounds import fewest_drops
from tetrisprinter.planners.shortest.horizon import heights, offer, roll
from tetrisprinter.planners.shortest.improve import improve
from tetrisprinter.planners.shortest.model import Found, Game, Played
from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.planners.shortest.target import Target
from tetrisprinter.tetromino import PieceType

__all__ = ["Climbed", "climb"]

_WHOLE = (((*heights(2), "10", *heights(1)), 25.0), ((*heights(3, 2), "10", *heights(1)), 40.0))
_WHOLE_CELLS = 240


@dataclass(frozen=True, slots=True)
class Climbed:
    """The end of the ladder.

    Attributes
    ----------
    played : tuple of Played or None
        The passes; None if nothing was found.
    shades : tuple of (PieceType, int)
        Which type shows which colour, if that was left open.
    listed : bool
        Whether it is the shortest for the passes that were offered.
    """

    played: tuple[Played, ...] | None
    shades: tuple[tuple[PieceType, int], ...] = ()
    listed: bool = False

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return sum(p.drops for p in self.played or ())


def lying_game(target: Target) -> Game:
    """Return the game of pieces lying wholly in the picture."""
    return Game(target, (Slice(target.rows, target.rows, ""),), frozenset(), target.required)


def climb_whole(target: Target, session: Session) -> Climbed:
    """Take the steps that look at the whole picture at once."""
    session.bound = max(session.bound, fewest_drops(target))
    session.report("without clearing a row")
    found = session.solve(lying_game(target), 10.0)
    if found.played is not None:
        session.best = found.drops
        return Climbed(found.played, found.shades, found.complete)
    if found.complete and not target.optional():
        session.bound = max(session.bound, fewest_drops(target, 1))
    if target.width * target.rows > _WHOLE_CELLS:
        return Climbed(None)
    best: Found | None = None
    for menu, work in _WHOLE:
        if session.stopped or (best is not None and best.drops <= session.bound):
            break
        session.report(f"whole picture, {len(menu)} matrices at each row")
        game = Game(
            target,
            offer(target, range(target.rows + 1), menu, target.rows),
            frozenset(),
            target.required,
            most=None if best is None else best.drops - 1,
        )
        found = session.solve(game, work)
        if found.played is not None:
            best = found
            session.best = found.drops
        elif found.complete and best is not None:
            best = Found(best.played, True, best.bound, best.work, best.shades)
    if best is None:
        return Climbed(None)
    return Climbed(best.played, best.shades, best.complete)


def climb(target: Target, session: Session) -> Climbed:
    """Find a plan for a picture whose types have their colours.

    Parameters
    ----------
    target : Target
        The end of the game.
    session : Session
        Clock, workers and seed.
    """
    found = climb_whole(target, session)
    if found.played is None and not session.stopped:
        found = Climbed(roll(target, session))
        if found.played is not None:
            session.best = found.drops
    if found.played is None or found.listed or found.drops <= session.bound or session.stopped:
        return found
    return Climbed(improve(target, session, found.played))
