"""Row by row, carrying what does not come out even.

Squares come in fours, so a pass whose lines and squares leave a remainder cannot be
played, and a row printed alone has to wait for the next number of lines that leaves none:
on 21 columns up to three lines more, on 8 or 12 columns for ever. Here the remainder is
carried to the next row, as in a sum: a pass may leave some squares of any type in the row
above what it prints, and the next pass, whose base that row is, fills it and clears it.
In terms of whole games these are long passes that begin one before the
last has ended; but each can be looked for by itself, in tenths of a second.

Squares that may stay unseen take up a remainder as well, for good, in the last row too.

A row is printed with as few lines as possible, standing on them or under some of them.
What it carries is up to the solver; where that leads nowhere, other ways to print the row
before are tried (depth first), and two rows in one pass.

Whoever has more patience goes on where the highest row so far could not be printed: what is
cheap there before what is dear, and the rows just below before those far below. Dear are rows
that complete in another order:

- All orders of three or four rows under the picture row, and more rows of which the top one
  goes before its turn. Two squares side by side may both need the rows below them for a piece
  of their own, one after the other.
- A **pillar**. Over a row that holds little, a whole matrix may have to stand on a single square
  in the middle. Pieces then hook outwards from it, at most two rows deep, so only on one side
  can its lowest row be filled; the other side would need three. It can be filled when some rows
  above have gone. So the rows over the picture row complete from the second on, and the lowest
  of them last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, permutations, product
from math import inf

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.problem import Passes, PassProblem, PlacedPass, state_after
from tetrisprinter.planners.shortest.reach import lowest_open
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import (
    CARRIED,
    PICTURE,
    PassShape,
    Stack,
    is_carried,
)
from tetrisprinter.planners.shortest.tuning import Offers, Tuning
from tetrisprinter.printing.counting import makes_pieces
from tetrisprinter.printing.target import Target

__all__ = ["print_by_rows"]

_BEGUN = Stack((CARRIED,))
_ROW = Stack((PICTURE,))


def print_by_rows(target: Target, run: SolverRun, patience: float = 0.0) -> Passes | None:
    """Print the whole picture row by row.

    Parameters
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers and seed.
    patience : float
        Deterministic time for dear ways, too; if 0, only cheap ones are tried, not for long.

    Returns
    -------
    tuple of PlacedPass or None
        None if the run was stopped, or every way that was followed ended nowhere.
    """
    tuning = run.tuning
    budget = patience or tuning.carry_budget + tuning.carry_budget_row * target.rows
    most = run.spent + budget * run.effort
    start: frozenset[Cell] = frozenset()
    seen = {start}
    open_ = [_Branch(_Place(target, run, start), (), bool(patience))]
    while open_ and not run.stopped and run.spent < most:
        branch = min(open_, key=lambda one: (one.stage - one.place.base, -one.place.base))
        one = next(branch.ways, None)
        if one is None:
            if not branch.go_on():
                open_.remove(branch)
            continue
        passes = (*branch.passes, one)
        state = state_after(branch.place.state, [one])
        if target.required <= state:
            return passes
        if state not in seen:
            seen.add(state)
            place = _Place(target, run, state)
            open_.append(_Branch(place, passes, bool(patience)))
            run.report("row by row", place.base / target.rows)
    return None


class _Place:
    """A state from which the next row is to be printed: every row below it is complete."""

    def __init__(self, target: Target, run: SolverRun, state: frozenset[Cell]) -> None:
        self.target, self.run, self.state = target, run, state
        self.base = lowest_open(target, state)
        self.top = 1 + max(y for _, y in target.required)
        """The row above all that is due; higher ones may stay empty."""

    def printed(
        self, shapes: Sequence[PassShape], last: int, work: float
    ) -> Iterator[Passes | None]:
        """Solve each of some passes, side by side: all rows below one, and no squares wasted.

        What is begun goes; more of the picture may be printed.
        """
        exact = last == self.top and not self.target.above
        goal = self.goal(last)
        batch = [
            (
                PassProblem(self.target, (shape,), self.state, goal, exact=exact, all_used=True),
                work,
                False,
            )
            for shape in shapes
        ]
        yield from (solution.passes for solution in self.run.solve_all(batch))

    def goal(self, last: int) -> frozenset[Cell]:
        """Return what must be printed when all rows below one are."""
        kept = frozenset(cell for cell in self.state if not is_carried(cell[1]))
        return kept | frozenset(cell for cell in self.target.required if cell[1] < last)


class _Branch:
    """What has been played so far, and the ways to go on from there, the dear ones last."""

    def __init__(self, place: _Place, passes: Passes, patient: bool) -> None:
        self.place, self.passes = place, passes
        self.stage = 0
        tuning = place.run.tuning
        ways = chain(*(islice(_cheap(place, rows), tuning.carry_ways) for rows in (1, 2)))
        self._stages: list[Iterator[PlacedPass]] = [ways]
        if patient:
            quick = islice(_cheap(place, 1, tuning.carry_quick_work), tuning.carry_ways)
            self._stages = [
                quick,
                _ordered(place, _orders(tuning)),
                _ordered(place, _pillars(tuning)),
                ways,
            ]

    @property
    def ways(self) -> Iterator[PlacedPass]:
        """The ways of this stage."""
        return self._stages[self.stage]

    def go_on(self) -> bool:
        """Go on with the next stage, if there is one."""
        self.stage += 1
        return self.stage < len(self._stages)


def _cheap(place: _Place, rows: int, most: float = inf) -> Iterator[PlacedPass]:
    """Find one way for each number of lines: what is carried differs with it, by four or so."""
    target, tuning = place.target, place.run.tuning
    last = place.base + rows
    if last > place.top:
        return
    ends = last == place.top
    work = min(most, tuning.carry_last_work if ends else tuning.carry_work)
    missing = len(place.goal(last)) - len(place.state)
    for lines in range(tuning.carry_tallest + 1):
        if ends and not target.above and not makes_pieces(missing + target.width * lines):
            continue
        shapes = list(islice(_shapes(place, rows, lines), tuning.carry_stacks))
        for first in range(0, len(shapes), tuning.carry_abreast):
            batch = shapes[first : first + tuning.carry_abreast]
            found = next(filter(None, place.printed(batch, last, work)), None)
            if found is not None:
                yield from found
                break
            if place.run.stopped:
                return


def _shapes(place: _Place, rows: int, lines: int) -> Iterator[PassShape]:
    """List the passes with so many lines; those with most of them below first."""
    base, target = place.base, place.target
    begun = _BEGUN if base + rows < place.top else Stack()
    under = any(is_carried(y) for _, y in place.state)
    if not lines:
        if rows == 1 and not under:
            yield PassShape(base + 1, 1, begun)
        return
    for order in _interleavings(lines, rows):
        stack = order + begun
        if base + len(stack) <= target.height and not (under and stack.rows[0] == PICTURE):
            yield PassShape(base, 0, stack, lines <= place.run.tuning.bridged_lines)


def _interleavings(lines: int, rows: int) -> Iterator[Stack]:
    """Yield clearing rows with picture rows between, most of them below first.

    >>> [str(stack) for stack in _interleavings(2, 1)]
    ['ccp', 'cpc', 'pcc']
    """
    for text in _texts(lines, rows):
        yield Stack.parse(text)


def _texts(lines: int, rows: int) -> Iterator[str]:
    for below in range(lines, -1, -1):
        if rows == 0:
            if below == lines:
                yield "c" * lines
            continue
        for rest in _texts(lines - below, rows - 1):
            yield "c" * below + "p" + rest


def _ordered(place: _Place, stacks: Offers) -> Iterator[PlacedPass]:
    """Find ways to print the next row with rows that complete in an order of their own."""
    last = place.base + 1
    begun = Stack() if last == place.top else _BEGUN
    for stack in stacks:
        rows = stack + begun
        if place.base + len(rows) <= place.target.height and not place.run.stopped:
            shape = PassShape(place.base, 0, rows)
            work = place.run.tuning.carry_ordered_work
            yield from next(place.printed([shape], last, work)) or ()


def _orders(tuning: Tuning) -> Offers:
    """List the stacks with a picture row on rows that do not complete from below.

    >>> orders = _orders(Tuning())
    >>> str(orders[0]), str(orders[-1])
    ('021p', '0123465p')
    """
    orders = [
        Stack(order)
        for lines in tuning.carry_any_order
        for order in islice(permutations(range(lines)), 1, None)
    ]
    orders += [
        Stack((*range(top), *range(top + 1, lines), top))
        for lines in tuning.carry_top_early
        for top in range(lines - 1)
    ]
    return tuple(order + _ROW for order in orders)


def _pillars(tuning: Tuning) -> Offers:
    """List the stacks whose upper matrix completes its lowest row last.

    >>> [str(stack) for stack in _pillars(Tuning())][:3]
    ['0p312', '0p4123', '01p423']
    """
    stacks = []
    for under, over in product(tuning.pillar_under, tuning.pillar_over):
        lines = under + over
        stacks.append(Stack((*range(under), PICTURE, lines - 1, *range(under, lines - 1))))
    return tuple(stacks)
