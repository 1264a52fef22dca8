"""From the cheapest attempt to the one that always works.

First, pieces lying wholly in the picture, no row cleared at all: the physical limit,
decided in a blink. What follows depends on the size of the picture on its board:

- A *tiny* one is looked at as a whole, with more and more kinds of matrices, and printed
  row by row, band by band, or with rows that go in any order, only if that finds nothing.
- One of *middle* size is looked at as a whole and, beside it, printed band by band.
- A *large* one is printed band by band only, then improved.

Where few squares hold a row, both kinds are also printed row by row, carrying what does
not come out even (:mod:`~tetrisprinter.planners.shortest.carry`); so is what nothing else
prints.

While the types have no colours yet (*auto*), the first look at the whole picture leaves
them open, so the assignment is part of the optimum. The rolling horizon is given those
that let most squares be covered by pieces of one colour, several side by side. How well
an assignment covers says little about how it prints, and a cheaper trial says little
more, so each is printed in earnest; the best are then looked at as a whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, permutations
from math import inf

from tetrisprinter.planners.shortest.assignments import Shades, covering_shades
from tetrisprinter.planners.shortest.carry import carry
from tetrisprinter.planners.shortest.game import Game, Played
from tetrisprinter.planners.shortest.horizon import Step, roll
from tetrisprinter.planners.shortest.improve import ROUNDS, improve
from tetrisprinter.planners.shortest.menus import BRIDGED, JOINED, Menu, heights, offer
from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.printing.counting import fewest_drops
from tetrisprinter.printing.target import Target, colored

__all__ = ["Climbed", "climb"]

Look = tuple[Menu, float]
"""What is offered at each row when the whole picture is looked at, and for how long."""

Attempt = Callable[[Session], "Climbed"]

_LOW: Menu = (*heights(2), "10", *heights(1))
_FIRST: tuple[Look, ...] = ((_LOW, 10.0),)
_THEN: tuple[Look, ...] = ((_LOW, 12.0),)
_FIXED: tuple[Look, ...] = ((heights(2, 1), 20.0),)
_TINY_THEN: tuple[Look, ...] = (
    ((*heights(3), *_LOW), 14.0),
    (("cccpc", "cpccc", "ccpcc", "ccpc", "cpcc", "cpc", *heights(4, 3, 2, 1)), 20.0),
)
_JOINED: tuple[Look, ...] = tuple((menu, 30.0) for menu in JOINED)
_ORDERS = tuple(map("".join, permutations("0123")))
_ANY_ORDER: tuple[Look, ...] = tuple(((*_ORDERS[i::3], *heights(3, 2, 1)), 20.0) for i in range(3))
"""Four rows that go in any order, for tiny pictures that nothing else prints."""
_ANY_ORDER_CELLS = 30
_LOW_BOARD = 12
"""On higher boards tall matrices print them sooner, band by band."""

_WHOLE_CELLS = 240
_TINY_CELLS = 80
_BANDS: Step = (6, heights(2, 1), 15.0)
"""How pictures of middle size are printed band by band at first."""
_BUDGET = 10.0
"""Deterministic time for an attempt with bands that is not the only one."""

_ASSIGNMENTS = range(5, 14)
"""How many ways to give types their colours are printed with the rolling horizon: the first
at once, then two at a time for as long as the work is less than"""
_TRIALS = 40.0

_SPARSE = 0.45
"""Pictures that fill a smaller part of their rows are also printed row by row, at once."""
_SECOND = 60.0
"""Deterministic time for bands where there is a plan row by row."""
_PATIENCE = (50.0, 300.0)
"""Deterministic time to print row by row what nothing else prints, first for each of several
assignments, then for each again."""
_LARGE_ASSIGNMENTS = 2
_FINALISTS = 2
"""How many of them are then printed as a whole."""


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

    def rank(self) -> tuple[bool, int, bool]:
        """Return what the best is the smallest of."""
        return self.played is None, self.drops, not self.listed


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
    if cells <= _TINY_CELLS:
        return _tiny(target, session)
    if cells <= _WHOLE_CELLS:
        return _middle(target, session)
    return _large(target, session)


def _tiny(target: Target, session: Session) -> Climbed:
    """Look at the whole picture with all kinds of matrices, if need be."""
    best = _whole(target, Climbed(None), _FIRST, session)
    if not _is_over(best, session):
        best = _whole(target, best, _TINY_THEN, session)
    resorts = [_any_order, _by_rows] if target.height <= _LOW_BOARD else [_by_rows, _any_order]
    for resort in (*resorts, _patiently, _joined):
        if best.played is None:
            best = resort(target, session)
    if best.played is None or best.listed or _is_over(best, session):
        return best
    return _improved(target, best, session)


def _any_order(target: Target, session: Session) -> Climbed:
    if target.width * target.rows > _ANY_ORDER_CELLS:
        return Climbed(None)
    bridged = len(_ORDERS[0])
    return _whole(target, Climbed(None), _ANY_ORDER, session, core=False, bridged=bridged)


def _by_rows(target: Target, session: Session) -> Climbed:
    """Print row by row, then band by band: for long only if the first finds nothing."""
    carried = _in_order(session, _carries(target))[0]
    budget = inf if carried.played is None else _BUDGET
    rolled = _in_order(session, _rolls(target, _ASSIGNMENTS.start, budget=budget))[0]
    return min(rolled, carried, key=Climbed.rank)


def _patiently(target: Target, session: Session) -> Climbed:
    best = Climbed(None)
    for patience in _PATIENCE:
        if best.played is None:
            best = _in_order(session, _carries(target, patience))[0]
    return best


def _joined(target: Target, session: Session) -> Climbed:
    return _whole(target, Climbed(None), _JOINED, session, core=False)


def _middle(target: Target, session: Session) -> Climbed:
    """Look at the whole picture and, beside it, print it band by band.

    With types as they are, the whole picture is solved to the end more often than not. With
    open types it seldom is: assignments are tried in bands, and the best of them are then
    looked at as a whole.
    """
    is_open = target.shades is not None
    whole = partial(_whole, target, Climbed(None), _FIRST if is_open else _FIXED)
    rolls = _rolls(target, _ASSIGNMENTS.stop, _BANDS)
    began, tried = session.spent, _ASSIGNMENTS.start
    carries = _carries(target) if _is_sparse(target) else []
    found = _in_order(session, [whole, *rolls[:tried], *carries])
    while rolls[tried:] and session.spent - began < _TRIALS * session.effort:
        if found[0].played is None or _is_over(found[0], session):
            break
        found += _in_order(session, rolls[tried : tried + 2])
        found.sort(key=Climbed.rank)
        tried += 2
    best = found[0]
    if best.played is None and not carries:
        best = _in_order(session, _carries(target))[0]
    for resort in (_patiently, _joined):
        if best.played is None:
            best = resort(target, session)
    if best.played is None or _is_over(best, session):
        return best
    if is_open:
        choices = [one.shades for one in (best, *found) if one.played is not None]
        finalists = list(dict.fromkeys(choices))[:_FINALISTS]
        best = _in_order(session, [partial(_final, target, best, one) for one in finalists])[0]
        return _improved(target, best, session, rounds=0)
    last = [partial(_whole, target, best, _THEN), partial(_improved, target, best)]
    return _in_order(session, last)[0]


def _large(target: Target, session: Session) -> Climbed:
    """Print in bands, then improve; where few squares hold a row, print row by row, too."""
    carried = _in_order(session, _carries(target))[0] if _is_sparse(target) else Climbed(None)
    budget = inf if carried.played is None else _SECOND
    best = _in_order(session, _rolls(target, _LARGE_ASSIGNMENTS, budget=budget))[0]
    if best.played is None and not _is_sparse(target):
        carried = _in_order(session, _carries(target))[0]
    if best.played is None and carried.played is None:
        carried = _patiently(target, session)
    if best.played is not None and not _is_over(best, session):
        # Even if it is longer now: two rows of bands go into one matrix more often.
        best = _improved(target, best, session)
    return min(best, carried, key=Climbed.rank)


def _in_order(session: Session, attempts: Sequence[Attempt]) -> list[Climbed]:
    """Make attempts side by side; return their plans, the shortest first.

    One that meets the bound stops those after it. None of them could count any more, so
    the plan does not depend on which attempt is faster.
    """
    branches = [session.branch() for _ in attempts]

    def made(number: int) -> Climbed:
        best = attempts[number](branches[number])
        if best.played is not None and best.drops <= session.bound:
            for later in branches[number + 1 :]:
                later.stop()
        return best

    found = session.side_by_side(made, range(len(attempts)))
    session.spent += sum(branch.spent for branch in branches)
    return sorted(found, key=Climbed.rank)


def _final(target: Target, best: Climbed, shades: Shades, session: Session) -> Climbed:
    """Look at the whole picture in one assignment of colours, for something better."""
    found = _whole(colored(target, shades), replace(best, shades=shades), _FIXED, session)
    return best if found.played is best.played else replace(found, listed=False)


def _is_sparse(target: Target) -> bool:
    return len(target.required) < _SPARSE * target.rows * target.width


def _improved(target: Target, best: Climbed, session: Session, rounds: int = ROUNDS) -> Climbed:
    found = improve(colored(target, best.shades), session, best.played or (), rounds)
    return Climbed(found, best.shades)


def _is_over(best: Climbed, session: Session) -> bool:
    return session.stopped or (best.played is not None and best.drops <= session.bound)


def _whole(
    target: Target,
    best: Climbed,
    looks: Sequence[Look],
    session: Session,
    *,
    core: bool = True,
    bridged: int = BRIDGED,
) -> Climbed:
    """Look at the whole picture at once, for something better than the best so far."""
    session.report(f"whole picture, {max(len(menu) for menu, _ in looks)} matrices at each row")
    most = None if best.played is None else best.drops - 1
    jobs = []
    for menu, work in looks:
        slices = offer(target, range(target.rows + 1), menu, target.rows, bridged=bridged)
        game = Game(target, slices, frozenset(), target.required, most=most)
        jobs.append((game, work, core))
    results = session.solve_all(jobs)
    found = min(results, key=lambda found: found.cost)
    complete = all(found.complete for found in results)
    if found.played is None:
        return Climbed(best.played, best.shades, best.played is not None and complete)
    session.found(found.drops)
    return Climbed(found.played, found.shades or best.shades, complete)


class _Assignments:
    """Assignments of colours, made when first asked for, by whichever thread."""

    def __init__(self, target: Target) -> None:
        self._more = covering_shades(target)
        self._made: list[Shades] = []
        self._lock = threading.Lock()

    def get(self, number: int) -> Shades | None:
        """Return one; None if there are not so many."""
        with self._lock:
            while len(self._made) <= number:
                shades = next(self._more, None)
                if shades is None:
                    return None
                self._made.append(shades)
            return self._made[number]


def _roll(
    target: Target, shades: Shades, bands: Step | None, budget: float, session: Session
) -> Climbed:
    """Print band by band; only a large picture has both workers to itself."""
    first = () if bands is None else (bands,)
    played = roll(target, session, first=first, abreast=1 if shades or bands else 2, budget=budget)
    if played is not None:
        session.found(sum(p.drops for p in played))
    return Climbed(played, shades)


def _carry(target: Target, shades: Shades, patience: float, session: Session) -> Climbed:
    played = carry(target, session, patience)
    if played is not None:
        session.found(sum(p.drops for p in played))
    return Climbed(played, shades)


def _carries(target: Target, patience: float = 0.0) -> list[Attempt]:
    """Print row by row; if types have no colours, with some assignments."""
    if target.shades is None:
        return [partial(_carry, target, (), patience)]
    some = list(islice(covering_shades(target), _LARGE_ASSIGNMENTS * (2 if patience else 1)))
    return [partial(_carry, colored(target, shades), shades, patience) for shades in some]


def _rolls(
    target: Target, count: int, bands: Step | None = None, budget: float = inf
) -> list[Attempt]:
    """Print band by band; if types have no colours, with several assignments."""
    if target.shades is None:
        return [partial(_roll, target, (), bands, budget)]
    assignments = _Assignments(target)

    def assigned(number: int, session: Session) -> Climbed:
        shades = assignments.get(number)
        if shades is None or session.stopped:
            return Climbed(None)
        most = _BUDGET if number and bands else budget
        return _roll(colored(target, shades), shades, bands, most, session)

    return [partial(assigned, number) for number in range(count)]
