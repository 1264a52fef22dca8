"""Is a window of a stack possible? A second program, written from ``docs/bounds.md`` alone.

It shares no code with the package and encodes otherwise: the order in which the rows of the
window go, and which of them go at once, is tried out, so all that the conditions say of the time
of a piece is known beforehand, and what is left is a choice of pieces with their times.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import NamedTuple

from pysat.card import CardEnc
from pysat.solvers import Solver

from tests.oracles.game import ROTATIONS

Square = tuple[int, int]


class Seen(NamedTuple):
    """What may be seen of a piece: its cells in the window, the rows that it lies across."""

    cells: tuple[Square, ...]
    across: tuple[int, ...]
    feet: tuple[Square, ...] | None  # None: one of them is outside


def is_possible(
    width: int,
    rows: Sequence[int | None],
    may_stay: Mapping[Square, Collection[str]],
    required: Collection[Square],
    *,
    floor: bool,
    top: bool,
    spare: int,
    ceiling: int,
) -> bool:
    """Whether conditions 1 to 6 can hold in a window.

    ``rows`` has the number of a row of the picture, or None for one that clears; ``may_stay``
    the types that may stay in a square of the picture.
    """
    pieces = list(dict.fromkeys(_pieces(width, rows, may_stay, floor, top)))
    clearing = [v for v, row in enumerate(rows) if row is None]
    due = {(x, v) for v in clearing for x in range(width)}
    due |= {(x, v) for v, row in enumerate(rows) for x in range(width) if (x, row) in required}
    for order in permutations(clearing):
        for joined in product((False, True), repeat=max(0, len(clearing) - 1)):
            times = _Times(order, joined)
            if _has_model(width, rows, pieces, due, times, floor, spare, ceiling):
                return True
    return False


class _Times:
    """What is gone when, if rows go in this order, some of them with the next one."""

    def __init__(self, order: Sequence[int], joined: Sequence[bool]) -> None:
        self.order = order
        self.joined = [*joined, False]
        between = {t for k, j in enumerate(self.joined) if j for t in (2 * k + 1, 2 * k + 2)}
        self.all = [t for t in range(2 * len(order) + 1) if t not in between]

    def gone(self, time: int) -> set[int]:
        """Return the rows that have gone for a piece of this time."""
        found: set[int] = set()
        for k in reversed(range(len(self.order))):
            after = k + 1 < len(self.order) and self.order[k + 1] in found
            if time >= 2 * k + 2 and (not self.joined[k] or after):
                found.add(self.order[k])
        return found

    def fits(self, piece: Seen, time: int) -> bool:
        """Whether a piece may drop then: conditions 2 and 3, as far as they speak of one."""
        gone = self.gone(time)
        covered = {v for _, v in piece.cells}
        if not gone.issuperset(piece.across) or gone & covered:
            return False
        return time % 2 == 0 or self.order[time // 2] in covered


def _pieces(
    width: int,
    rows: Sequence[int | None],
    may_stay: Mapping[Square, Collection[str]],
    floor: bool,
    top: bool,
) -> Iterator[Seen]:
    """List parts of pieces: their rows are rows of the window or, beyond its ends, outside."""
    n = len(rows)
    for name, shapes in ROTATIONS.items():
        for shape in shapes:
            wide, high = 1 + max(x for x, _ in shape), 1 + max(y for _, y in shape)
            lowest = {x: min(y for cx, y in shape if cx == x) for x in range(wide)}
            for inside in range(1, high + 1):
                for below in range(high - inside + 1):
                    above = high - inside - below
                    if (below and floor) or (above and top):
                        continue
                    for chosen in combinations(range(n), inside):
                        first = 0 if below else chosen[0]
                        last = n - 1 if above else chosen[-1]
                        across = tuple(v for v in range(first, last + 1) if v not in chosen)
                        if any(rows[v] is not None for v in across):
                            continue
                        where = dict(zip(range(below, below + inside), chosen, strict=True))
                        for x0 in range(width - wide + 1):
                            cells = tuple(
                                sorted((x + x0, where[y]) for x, y in shape if y in where)
                            )
                            at = [(x, rows[v]) for x, v in cells]
                            if all(y is None or name in may_stay.get((x, y), ()) for x, y in at):
                                feet = None
                                if all(y in where for y in lowest.values()):
                                    feet = tuple((x + x0, where[y]) for x, y in lowest.items())
                                yield Seen(cells, across, feet)


def _has_model(
    width: int,
    rows: Sequence[int | None],
    pieces: Sequence[Seen],
    due: Collection[Square],
    times: _Times,
    floor: bool,
    spare: int,
    ceiling: int,
) -> bool:
    chosen: list[tuple[Seen, int]] = []
    for piece in pieces:
        for time in times.all:
            high = max(v for _, v in piece.cells)
            low_enough = not floor or len(times.gone(time)) >= high + 1 - ceiling
            if times.fits(piece, time) and low_enough:
                chosen.append((piece, time))
    number = {one: i for i, one in enumerate(chosen, 1)}
    covering: dict[Square, list[tuple[Seen, int]]] = defaultdict(list)
    for one in chosen:
        for cell in one[0].cells:
            covering[cell].append(one)
    clauses: list[list[int]] = []
    for by in covering.values():  # condition 1
        clauses += [[-number[a], -number[b]] for a, b in combinations(by, 2)]
    clauses += [[number[one] for one in covering[cell]] for cell in due]
    top = len(chosen)
    optional = []
    for cell, by in covering.items():
        if cell not in due:
            top += 1
            optional.append(top)
            clauses += [[-number[one], top] for one in by]
            clauses.append([-top, *(number[one] for one in by)])
    extra = dict(zip([c for c in covering if c not in due], optional, strict=True))
    if len(optional) > spare:
        atmost = CardEnc.atmost(optional, bound=spare, top_id=top)
        clauses += atmost.clauses
    for v, row in enumerate(rows):  # no row of the picture is full
        squares = [(x, v) for x in range(width)]
        if row is not None and all(s in due or s in extra for s in squares):
            clauses.append([-extra[s] for s in squares if s in extra])
    for k, v in enumerate(times.order):  # condition 3: one piece completes a row
        late = {one for x in range(width) for one in covering[x, v] if one[1] >= 2 * k + 1}
        clauses.append([number[one] for one in late])
        clauses += [[-number[a], -number[b]] for a, b in combinations(late, 2)]
    for x in range(width):  # condition 4
        for low, high in combinations(range(len(rows)), 2):
            for a, b in product(covering[x, low], covering[x, high]):
                if a[1] > b[1] and high not in times.gone(a[1]):
                    clauses.append([-number[a], -number[b]])
    for one in chosen:  # condition 5
        piece, time = one
        if piece.feet is None:
            continue
        gone = times.gone(time)
        holders: set[int] = set()
        for x, v in piece.feet:
            under = v - 1
            while under in gone:
                under -= 1
            if under < 0:
                break
            holders |= {number[b] for b in covering[x, under] if b[1] <= time}
        else:
            clauses.append([-number[one], *holders])
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        return bool(solver.solve())
