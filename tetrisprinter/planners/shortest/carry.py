"""Row by row, carrying what does not come out even.

Squares come in fours, so a pass whose lines and squares leave a remainder cannot be
played, and a row printed alone has to wait for the next number of lines that leaves none:
on 21 columns up to three lines more, on 8 or 12 columns for ever. Here the remainder is
carried to the next row, as in a sum: a pass may leave some squares of any type in the row
above what it prints, and the next pass, whose base that row is, fills it and clears it.
In terms of whole games nothing is new, these are long passes that begin one before the
last has ended; but each can be looked for by itself, in tenths of a second.

A row is printed with as few lines as possible, standing on them or under some of them.
What it carries is up to the solver; where that leads nowhere, other ways to print the row
before are tried (depth first), and two rows in one pass.

Whoever has more patience goes on where the highest row so far could not be printed: what is
cheap there before what is dear, and the rows just below before those far below. Dear are rows
that complete in another order:

- All orders of three or four rows under the picture row, and more rows of which the top one
  goes before its turn. Two squares side by side may both need the rows below them for a piece
  of their own, one after the other.
- A **stalk**. Over a row that holds little, a whole matrix may have to stand on a single square
  in the middle. Pieces then hook outwards from it, at most two rows deep, so only on one side
  can its lowest row be filled; the other side would need three. It can be filled when some rows
  above have gone. So the rows over the picture row complete from the second on, and the lowest
  of them last.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, permutations, product
from math import inf

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.game import Game, Played, state_after
from tetrisprinter.planners.shortest.passes import BEGUN, Slice
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.printing.target import Target, lowest_open

__all__ = ["carry"]

_TALLEST = 8
_BRIDGED = 3
"""In taller matrices no piece bridges rows that have gone."""
_WORK, _LAST_WORK = 1.0, 4.0
"""Deterministic time for each pass; the last has to come out even and may be tall."""
_BUDGET, _EACH = 10.0, 0.5
"""Deterministic time for all of it, and for each row."""
_ABREAST = 2
"""How many passes are looked at side by side; results do not depend on the workers."""
_WAYS = 3
"""How many ways to print a row are followed, and so many more to print two together."""
_STACKS = 6
"""How many stacks are tried with each number of lines."""

_QUICK = 0.3
"""Deterministic time for each pass, if there is another way to go on."""
_ANY_ORDER = (3, 4)
_TOP_EARLY = (5, 6, 7)
"""How many rows may complete in any order, and how many from below but for the top one."""
_UNDER, _OVER = range(1, 6), (3, 4)
"""Lines under a row and over it, if these stand on a stalk."""
_ORDERED_WORK = 12.0


def carry(target: Target, session: Session, patience: float = 0.0) -> tuple[Played, ...] | None:
    """Print the whole picture row by row.

    Parameters
    ----------
    target : Target
        The end of the game.
    session : Session
        Clock, workers and seed.
    patience : float
        Deterministic time for dear ways, too; if 0, only cheap ones are tried, not for long.

    Returns
    -------
    tuple of Played or None
        None if the run was stopped, or every way that was followed ended nowhere.
    """
    budget = patience or _BUDGET + _EACH * target.rows
    most = session.spent + budget * session.effort
    start: frozenset[Cell] = frozenset()
    seen = {start}
    open_ = [_Branch(target, session, start, (), bool(patience))]
    while open_ and not session.stopped and session.spent < most:
        branch = min(open_, key=lambda one: (one.stage - one.row, -one.row))
        one = next(branch.ways, None)
        if one is None:
            if not branch.go_on():
                open_.remove(branch)
            continue
        played = (*branch.played, one)
        state = state_after(branch.state, [one])
        if target.required <= state:
            return played
        if state not in seen:
            seen.add(state)
            open_.append(_Branch(target, session, state, played, bool(patience)))
            session.report("row by row", open_[-1].row / target.rows)
    return None


class _Branch:
    """What has been played so far, and the ways to go on from there, the dear ones last."""

    def __init__(
        self,
        target: Target,
        session: Session,
        state: frozenset[Cell],
        played: tuple[Played, ...],
        patient: bool,
    ) -> None:
        self.state, self.played = state, played
        self.row = lowest_open(target, state)
        self.stage = 0
        here = (target, session, state, self.row)
        ways = chain(*(islice(_found(*here, rows), _WAYS) for rows in (1, 2)))
        self._stages: list[Iterator[Played]] = [ways]
        if patient:
            quick = islice(_found(*here, 1, _QUICK), _WAYS)
            self._stages = [quick, _ordered(*here, _orders()), _ordered(*here, _stalks()), ways]

    @property
    def ways(self) -> Iterator[Played]:
        """The ways of this stage."""
        return self._stages[self.stage]

    def go_on(self) -> bool:
        """Go on with the next stage, if there is one."""
        self.stage += 1
        return self.stage < len(self._stages)


def _ordered(
    target: Target, session: Session, state: frozenset[Cell], base: int, stacks: list[str]
) -> Iterator[Played]:
    """Find ways to print the next row with rows that complete in an order of their own."""
    ends = base + 1 == _top(target)
    goal = _goal(target, state, base + 1)
    for stack in stacks:
        rows = stack.removesuffix("b") if ends else stack
        if base + len(rows) <= target.height and not session.stopped:
            game = Game(target, (Slice(base, 0, rows),), state, goal, exact=ends, all_used=True)
            yield from session.solve(game, _ORDERED_WORK, core=False).played or ()


def _orders() -> list[str]:
    """List the passes with a picture row on rows that do not complete from below.

    >>> _orders()[:3], _orders()[-1]
    (['021pb', '102pb', '120pb'], '0123465pb')
    """
    orders = [
        "".join(order)
        for lines in _ANY_ORDER
        for order in islice(permutations("0123456789"[:lines]), 1, None)
    ]
    orders += [
        digits[:top] + digits[top + 1 :] + digits[top]
        for lines in _TOP_EARLY
        for digits in ["0123456789"[:lines]]
        for top in range(lines - 1)
    ]
    return [order + "pb" for order in orders]


def _stalks() -> list[str]:
    """List the passes whose upper matrix completes its lowest row last.

    >>> _stalks()[:3]
    ['0p312b', '0p4123b', '01p423b']
    """
    return [
        digits[:under] + "p" + digits[-1] + digits[under:-1] + "b"
        for under, over in product(_UNDER, _OVER)
        for digits in ["0123456789"[: under + over]]
    ]


def _found(
    target: Target,
    session: Session,
    state: frozenset[Cell],
    base: int,
    rows: int,
    most: float = inf,
) -> Iterator[Played]:
    """Find one way for each number of lines: what is carried differs with it, by four or so."""
    last = base + rows
    if last > _top(target):
        return
    goal = _goal(target, state, last)
    ends = last == _top(target)
    for lines in range(_TALLEST + 1):
        if ends and (len(goal) - len(state) + target.width * lines) % 4:
            continue
        cuts = list(islice(_cuts(target, state, base, rows, lines), _STACKS))
        games = [Game(target, (c,), state, goal, exact=ends, all_used=True) for c in cuts]
        for first in range(0, len(games), _ABREAST):
            work = min(most, _LAST_WORK if ends else _WORK)
            batch = [(game, work, False) for game in games[first : first + _ABREAST]]
            found = next(filter(None, (f.played for f in session.solve_all(batch))), None)
            if found is not None:
                yield from found
                break
            if session.stopped:
                return


def _cuts(
    target: Target, state: frozenset[Cell], base: int, rows: int, lines: int
) -> Iterator[Slice]:
    """List the passes with so many lines; those with most of them below first."""
    begun = "b" if base + rows < _top(target) else ""
    under = any(y >= BEGUN for _, y in state)
    if not lines:
        if rows == 1 and not under:
            yield Slice(base + 1, 1, begun)
        return
    for stack in _stacks(lines, rows):
        if base + len(stack + begun) <= target.height and not (under and stack[0] == "p"):
            yield Slice(base, 0, stack + begun, lines <= _BRIDGED)


def _goal(target: Target, state: frozenset[Cell], last: int) -> frozenset[Cell]:
    """Return what must be printed when all rows below one are: nothing begun, perhaps more."""
    kept = frozenset(cell for cell in state if cell[1] < BEGUN)
    return kept | frozenset(cell for cell in target.required if cell[1] < last)


def _top(target: Target) -> int:
    """Return the row above all that is due; higher ones may stay empty."""
    return 1 + max(y for _, y in target.required)


def _stacks(lines: int, rows: int) -> Iterator[str]:
    """Yield clearing rows with picture rows between, most of them below first.

    >>> list(_stacks(2, 1))
    ['ccp', 'cpc', 'pcc']
    """
    for below in range(lines, -1, -1):
        if rows == 0:
            if below == lines:
                yield "c" * lines
            continue
        for rest in _stacks(lines - below, rows - 1):
            yield "c" * below + "p" + rest
