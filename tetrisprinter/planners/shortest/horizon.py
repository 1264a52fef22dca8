"""Rolling horizon: large pictures, a band of rows at a time.

The joint model of :mod:`~tetrisprinter.planners.shortest.model` looks at the lowest
incomplete rows only. All of them must be completed, but only the passes that begin at the
first two are kept; the rest was looked at to see where they lead, and is planned again
with more of the picture in view.

What can go wrong is that a pass leaves a row half printed in a way that cannot be
finished. Three rules keep that rare: a pass below the band's upper edge prints nothing
above it (so whatever is kept is known to be completable); nothing may bury a square that
is still to be printed; and a row whose runs must begin by standing
(:func:`~tetrisprinter.planners.shortest.target.standing_runs`) gets all of them at once.

If a band still cannot be completed, the planner takes back what it kept last and looks
further ahead. If that does not help either, it goes back to a *clean* state (all rows
below some row complete, nothing in it or above) and goes on row by row from there until
it is past the place. A row over a complete one is a small problem, and every list
of matrix heights with the right remainder can be tried in turn, in the order of their
sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import gcd

from tetrisprinter.planners.shortest.model import Game, Played
from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.planners.shortest.target import Target
from tetrisprinter.tetromino import Cell

__all__ = ["MENUS", "SPARSE_MENUS", "Menu", "heights", "offer", "roll"]

Menu = tuple[str, ...]
"""Optional passes offered at each base, in their order: clearing rows ``c``, perhaps with
picture rows ``p`` between; more picture rows on top go without saying."""


def heights(*lines: int) -> Menu:
    """Return a menu of plain matrices.

    >>> heights(3, 1)
    ('ccc', 'c')
    """
    return tuple("c" * h for h in lines)


MENUS: tuple[tuple[Menu, float], ...] = (
    (heights(3, 2, 2), 6.0),
    (heights(5, 3, 2, 2, 1), 10.0),
    (heights(6, 5, 4, 3, 2, 1), 15.0),
)
"""What a band is offered, and for how long in a picture of few rows: richer only where the
poorer does not do."""

SPARSE_MENUS: tuple[tuple[Menu, float], ...] = (
    (heights(5, 4, 3, 2, 1), 8.0),
    (heights(6, 5, 4, 3, 2, 1), 15.0),
)
"""The same where few squares hold a row: low matrices do not hang together there."""

_SPARSE = 5

_ROWS = 14
"""In taller pictures each row gets a smaller share of the time."""

_LAST = heights(2, 1)
CREDIT = 4
_STANDING = 3
_HANGING = 3
_LYING = 4

_BRIDGED = 3
"""In taller matrices pieces that bridge would be most of the model; they are left out."""

_ROW_MENUS: tuple[tuple[Menu, float], ...] = (
    (heights(3, 2, 2, 1), 8.0),
    (heights(6, 5, 4, 3, 2, 1), 20.0),
)
_TALLEST = 8
_PATIENCE = 2
_FAILURES = 20
_LISTS = 24


def offer(
    target: Target, bases: Sequence[int], menu: Menu, top: int, *, lying: bool = True
) -> tuple[Slice, ...]:
    """List the passes offered at some bases.

    Parameters
    ----------
    target : Target
        The end of the game; its height limits the passes.
    bases : sequence of int
        In ascending order.
    menu : tuple of str
        The passes offered at each.
    top : int
        Passes that begin below this row print nothing in it or above.
    lying : bool
        Whether pieces lying wholly in the picture are offered before each base.
    """
    slices: list[Slice | None] = []
    for base in bases:
        rows = top if base < top else target.rows
        if lying:
            slices.append(Slice(base, _LYING, "p" * _STANDING).fitted(target.height, rows))
        for stack in menu:
            bridging = len(stack) <= _BRIDGED
            cut = Slice(base, _HANGING, stack + "p" * _STANDING, bridging)
            slices.append(cut.fitted(target.height, rows))
    return tuple(cut for cut in slices if cut is not None)


def _up_to(target: Target, row: int) -> frozenset[Cell]:
    return frozenset(cell for cell in target.required if cell[1] < row)


def _lowest_open(target: Target, state: frozenset[Cell]) -> int:
    return min((y for x, y in target.required if (x, y) not in state), default=target.rows)


def _is_clean(target: Target, state: frozenset[Cell]) -> bool:
    row = _lowest_open(target, state)
    return not any(y >= row for _, y in state)


def roll(
    target: Target,
    session: Session,
    depth: int = 2,
    menus: Sequence[tuple[Menu, float]] | None = None,
) -> tuple[Played, ...] | None:
    """Print the whole picture band by band.

    Parameters
    ----------
    target : Target
        The end of the game.
    session : Session
        Clock, workers and seed.
    depth : int
        Rows of a band.
    menus : sequence of (tuple of str, float), optional
        What to offer, and how much deterministic time to give it; by default what suits
        the number of squares in a row.

    Returns
    -------
    tuple of Played or None
        None if the run was stopped, or even row by row failed.
    """
    if menus is None:
        menus = MENUS if len(target.required) > _SPARSE * target.rows else SPARSE_MENUS
    share = min(1.0, _ROWS / target.rows)
    menus = [(menu, work * share) for menu, work in menus]
    state: frozenset[Cell] = frozenset()
    played: list[Played] = []
    back: list[tuple[int, frozenset[Cell]]] = []  # how to undo what was kept
    extra = 0  # rows to look further ahead, after a dead end
    trouble = 0  # the row above the highest dead end
    careful = 0  # below this row, go row by row
    failures = 0
    while (row := _lowest_open(target, state)) < target.rows:
        session.report("rolling horizon", row / target.rows)
        if session.stopped:
            return None
        if row >= trouble:
            extra = 0
        if row < careful and _is_clean(target, state):
            taken = _one_row(target, session, state, row)
        else:
            taken = _band(target, session, state, row, depth + extra, menus)
        if taken is not None:
            back.append((len(played), state))
            played.extend(taken)
            state = state.union(*(p.printed for p in taken))
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
    depth: int,
    menus: Sequence[tuple[Menu, float]],
) -> tuple[Played, ...] | None:
    """Complete some rows; return the passes to keep."""
    for menu, work in menus:
        # If all passes begin at the upper edge, look one row further; if that does not
        # help, they are kept as they are, for all their rows are complete.
        whole: tuple[Played, ...] | None = None
        for top in range(min(row + depth, target.rows), min(row + depth + 2, target.rows) + 1):
            slices = offer(target, range(row, top + 1), menu, top)
            if top == target.rows:
                # All that is left of the last row hangs from the last matrices.
                slices += offer(target, [top], _LAST, top, lying=False)
            game = Game(target, slices, state, state | _up_to(target, top), credit=CREDIT)
            found = session.solve(game, work)
            if session.stopped or found.played is None:
                break
            if top == target.rows:
                return found.played
            kept = _kept(found.played, row, top)
            if kept:
                return kept
            whole = whole or found.played
        if whole:
            return whole
    return None


def _kept(played: Sequence[Played], row: int, top: int) -> tuple[Played, ...]:
    """Return the passes at the first two bases, or failing that, below the edge."""
    for last in range(row + 1, top):
        kept = [p for p in played if p.cut.base <= last]
        if kept:
            return tuple(kept)
    return ()


def _one_row(
    target: Target, session: Session, state: frozenset[Cell], row: int
) -> tuple[Played, ...] | None:
    """From a clean state complete the next row, leaving a clean state again.

    Where the width cannot leave that many squares, the next rows join in.
    """
    top = row + 1
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
    pixels = len(goal) - len(state)
    for lists in islice(_height_lists(target.width, pixels, top - row + 1), _LISTS):
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


def _height_lists(width: int, pixels: int, bases: int) -> Iterator[tuple[Menu, ...]]:
    """Yield ways to give each base some matrices, by increasing sum, fewest first."""
    for total in range(2 * _TALLEST + 1):
        if (pixels + width * total) % 4:
            continue
        found = sorted(_split(total, bases), key=lambda lists: (sum(map(len, lists)), lists))
        yield from (lists for lists in found if sum(map(len, lists)) <= 4)


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
