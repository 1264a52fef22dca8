"""Rolling horizon: large pictures, a band of rows at a time.

The joint model of :mod:`~tetrisprinter.planners.shortest.model` looks at the lowest
incomplete rows only. All of them must be completed, but only the passes that begin below
the band's upper edge are kept; the rest was looked at to see where they lead, and is
planned again with more of the picture in view. High bands with few matrices come first;
where that does not do, lower ones with more, and where it comes easily, higher ones again.

What can go wrong is that a pass leaves a row half printed in a way that cannot be
finished. Four rules keep that rare: nothing may bury a square that is still to be
printed; beyond the edge a row is begun only when the row below is complete; every square
still to be printed must be one that some piece could reach
(:func:`~tetrisprinter.printing.target.ways_to_reach`); and a row whose runs must
begin by standing (:func:`~tetrisprinter.printing.target.standing_runs`) gets all
of them at once. Squares beyond the edge cost nothing, for they are due anyway: only
cleared rows count, and that objective is solved in seconds.

If a band still cannot be completed, the planner takes back what it kept last and looks
further ahead. If that does not help either, it goes back to a *clean* state (all rows
below some row complete, nothing in it or above) and goes on row by row from there until
it is past the place. If no band can be completed from a clean state, going back would lead
to the same state again, so the next row is printed alone at once. A row over a complete one
is a small problem, and every list of matrix heights with the right remainder can be tried
in turn, in the order of their sum. On even widths a row often cannot be printed alone; then
it goes together with the next, or with those before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from math import gcd, inf

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.game import Game, Played, state_after
from tetrisprinter.planners.shortest.menus import JOINED, Menu, heights, interleaved, offer
from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.printing.target import Target, lowest_open

__all__ = ["Step", "roll"]

Step = tuple[int, Menu, float]
"""One way to plan a band: its rows, what is offered, and for how much deterministic time."""

STEPS: tuple[Step, ...] = (
    (5, heights(3, 2, 1), 15.0),
    (4, heights(3, 2, 1), 12.0),
    (3, heights(3, 2, 2), 10.0),
    (2, heights(3, 2, 2), 8.0),
    (2, heights(5, 3, 2, 2, 1), 10.0),
    (2, heights(6, 5, 4, 3, 2, 1), 15.0),
)
"""From high bands with few matrices to low ones with many."""

SPARSE_STEPS: tuple[Step, ...] = (
    (4, heights(5, 4, 3, 2, 1), 15.0),
    (3, heights(5, 4, 3, 2, 1), 10.0),
    (2, heights(6, 5, 4, 3, 2, 1), 15.0),
)
"""The same where few squares hold a row: low matrices do not hang together there."""

_SPARSE = 5

_REST = 2
"""Fewer rows are not left for a last band of their own: how many squares there are in all
has to come out right, which is dear where there is little choice."""

_LAST = heights(2, 1)
_ROW_MENUS: tuple[tuple[Menu, float], ...] = (
    (heights(3, 2, 2, 1), 8.0),
    (heights(6, 5, 4, 3, 2, 1), 20.0),
)
_TOGETHER = 4
"""So many rows at most are printed together when they cannot be one by one."""
_TALLEST = 8
_PATIENCE = 2
_FAILURES = 20
_LISTS = 120
_MATRICES = 4
"""How many matrices complete a row together, if they are low; two if they are not."""


def _up_to(target: Target, row: int) -> frozenset[Cell]:
    return frozenset(cell for cell in target.required if cell[1] < row)


def _is_clean(target: Target, state: frozenset[Cell]) -> bool:
    row = lowest_open(target, state)
    return not any(y >= row for _, y in state)


def roll(
    target: Target,
    session: Session,
    *,
    first: Sequence[Step] = (),
    abreast: int = 2,
    budget: float = inf,
) -> tuple[Played, ...] | None:
    """Print the whole picture band by band.

    Parameters
    ----------
    target : Target
        The end of the game.
    session : Session
        Clock, workers and seed.
    first : sequence of (int, tuple of str, float)
        How to plan bands, before what suits the number of squares in a row is tried.
    abreast : int
        How many steps are tried side by side; the more ambitious result counts. Where few
        squares hold a row the models are large, and steps are tried one after the other.
    budget : float
        Deterministic time for all bands together, after which it is given up.

    Returns
    -------
    tuple of Played or None
        None if the run was stopped, the budget was spent, or even row by row failed.
    """
    dense = len(target.required) > _SPARSE * target.rows
    steps = (*first, *(STEPS if dense else SPARSE_STEPS))
    abreast = abreast if dense else 1
    most = session.spent + budget * session.effort
    state: frozenset[Cell] = frozenset()
    played: list[Played] = []
    back: list[tuple[int, frozenset[Cell]]] = []  # how to undo what was kept
    step = 0  # where on the ladder of steps the next band begins
    extra = 0  # rows to look further ahead, after a dead end
    trouble = 0  # the row above the highest dead end
    careful = 0  # below this row, go row by row
    failures = 0
    tried: dict[frozenset[Cell], int] = {}  # clean states, and up to which row together
    while (row := lowest_open(target, state)) < target.rows:
        session.report("rolling horizon", row / target.rows)
        if session.stopped or session.spent > most:
            return None
        if row >= trouble:
            extra = 0
        if row < careful and _is_clean(target, state):
            # Whoever comes back here must not go the same way again.
            top = row + 1 if state not in tried else trouble
            taken = None
            if tried.get(state, row) < top <= row + _TOGETHER:
                tried[state] = top
                taken = _one_row(target, session, state, row, top)
        else:
            taken, step = _band(
                target, session, state, row, steps, first=step, extra=extra, abreast=abreast
            )
        if taken is not None:
            back.append((len(played), state))
            played.extend(taken)
            state = state_after(state, taken)
            continue
        if row >= careful and _is_clean(target, state):
            careful = row + 1  # whatever leads here leads to the same state
            continue
        failures += 1
        if failures > _FAILURES:
            return None
        if not back:
            if careful > row:
                return None
            careful = row + 1
            continue
        trouble = max(trouble, row + 1)
        extra += 1
        count, state = back.pop()
        while back and extra > _PATIENCE and not _is_clean(target, state):
            count, state = back.pop()
        if extra > _PATIENCE:
            careful, extra = max(careful, trouble + 1), 0
        del played[count:]
    return tuple(played)


def _band(
    target: Target,
    session: Session,
    state: frozenset[Cell],
    row: int,
    steps: Sequence[Step],
    first: int,
    extra: int,
    abreast: int,
) -> tuple[tuple[Played, ...] | None, int]:
    """Complete some rows; return the passes to keep and the step for the next band.

    If that came easily, the next band begins a step higher.
    """
    for at in range(first, len(steps), abreast):
        bands: dict[tuple[int, Menu], float] = {}
        for depth, menu, work in steps[at : at + abreast]:
            top = row + depth + extra
            bands.setdefault((top if top + _REST <= target.rows else target.rows, menu), work)
        games = [_game(target, state, row, top, menu) for top, menu in bands]
        results = session.solve_all(
            [(g, w, True) for g, w in zip(games, bands.values(), strict=True)]
        )
        if session.stopped:
            break
        for i, ((top, _), found) in enumerate(zip(bands, results, strict=True)):
            if found.played is None:
                continue
            # If nothing begins below the edge, all of it can stay: the rows are complete.
            kept = found.played if top == target.rows else _kept(found.played, top)
            easy = found.work < steps[at + i][2] / 2
            return kept or found.played, max(0, at + i - easy)
    return None, first


def _game(target: Target, state: frozenset[Cell], row: int, top: int, menu: Menu) -> Game:
    """Ask for all rows below the edge."""
    slices = offer(target, range(row, top + 1), menu, top)
    if top == target.rows:
        # All that is left of the last row hangs from the last matrices.
        slices += offer(target, [top], _LAST, top, lying=False)
    return Game(target, slices, state, state | _up_to(target, top), ahead=True)


def _kept(played: Sequence[Played], top: int) -> tuple[Played, ...]:
    """Return the passes below the edge, and what lies in the picture before any other."""
    return tuple(takewhile(lambda p: p.cut.base < top or not p.cut.lines, played))


def _one_row(
    target: Target, session: Session, state: frozenset[Cell], row: int, top: int
) -> tuple[Played, ...] | None:
    """From a clean state complete the rows up to ``top``, leaving a clean state again.

    Where the width cannot leave that many squares, the next rows join in.
    """
    unit = gcd(target.width, 4)
    while top < target.rows and len(_up_to(target, top)) % unit:
        top += 1
    goal = state | _up_to(target, top)
    for menu, work in _ROW_MENUS:
        slices = tuple(
            cut
            for cut in offer(target, range(row, top + 1), menu, top)
            if cut.base < top or "p" not in cut.stack or cut.lines
        )
        found = session.solve(Game(target, _below(slices, top), state, goal, exact=True), work)
        if found.played is not None:
            return found.played
        if session.stopped:
            return None
    if top > row + 1:
        games = []
        for menu in JOINED:
            slices = _below(offer(target, range(row, top + 1), menu, target.rows), top)
            games.append((Game(target, slices, state, goal, exact=True), 20.0, False))
        for found in session.solve_all(games):
            if found.played is not None:
                return found.played
        if session.stopped:
            return None
    pixels = len(goal) - len(state)
    for lists in islice(_height_lists(target.width, pixels, top - row), _LISTS):
        slices = tuple(
            cut
            for base, some in zip(range(row, top + 1), lists, strict=True)
            for cut in offer(target, [base], some, top)
        )
        game = Game(target, _below(slices, top), state, goal, exact=True, all_used=True)
        found = session.solve(game, 3.0, core=False)
        if found.played is not None:
            return found.played
        if session.stopped:
            return None
    return None


def _below(slices: Sequence[Slice], top: int) -> tuple[Slice, ...]:
    """Take the standing rows off passes at the edge: nothing may be printed there."""
    cut = (replace(s, stack=s.stack.rstrip("p")) if s.base >= top else s for s in slices)
    return tuple(s for s in cut if s.stack or s.below)


def _height_lists(width: int, pixels: int, rows: int) -> Iterator[tuple[Menu, ...]]:
    """Yield ways to give each base some matrices, by increasing sum.

    First single matrices, then those with picture rows between their clearing rows (on even
    widths there are pictures that nothing else prints), then several matrices.
    """
    for total in range(_TALLEST + _TALLEST // 2 + 1):
        if (pixels + width * total) % 4:
            continue
        plain: list[tuple[Menu, ...]] = []
        if total <= _TALLEST:
            most = _MATRICES if total <= _TALLEST // 2 else 2
            plain = [lists for lists in _split(total, rows + 1) if sum(map(len, lists)) <= most]
            plain.sort(key=lambda lists: (sum(map(len, lists)), lists))
        yield from (lists for lists in plain if sum(map(len, lists)) <= 1)
        for parts in range(2, rows + 2):
            yield from (((stack,), *[()] * rows) for stack in interleaved(total, parts))
        yield from (lists for lists in plain if sum(map(len, lists)) > 1)


def _split(total: int, bases: int) -> Iterator[tuple[Menu, ...]]:
    """Yield the ways to share some clearing rows among some bases."""
    if bases == 0:
        if total == 0:
            yield ()
        return
    for here in range(total + 1):
        for menu in _partitions(here, _TALLEST):
            for rest in _split(total - here, bases - 1):
                yield (heights(*menu), *rest)


def _partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)
