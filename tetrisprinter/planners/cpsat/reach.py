"""What can still be printed once something lies in a row or above it.

Squares are printed from below, and what lies in a column closes everything under it. So a
plan that is made a band of rows at a time must not begin a row that can then not be
finished; here is what that takes.
"""

from __future__ import annotations

from functools import lru_cache

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, PieceType
from tetrisprinter.printing.target import Target, mask_of

__all__ = ["lowest_open", "standing_runs", "ways_to_reach"]


def lowest_open(target: Target, state: frozenset[Cell]) -> int:
    """Return the lowest row with a square that is due and not printed; else one above all."""
    return min((y for x, y in target.required if (x, y) not in state), default=target.rows)


_HANGING = mask_of((PieceType.J, PieceType.L))


@lru_cache(maxsize=4096)
def standing_runs(target: Target, y: int) -> tuple[frozenset[Cell], ...]:
    """Return the runs of squares in a row that must begin by standing on a clearing row.

    Such a run has nothing below any of its squares. A piece that leaves a square in it
    can then only be held by a column that begins two rows higher, because a column that
    begins in the next row needs a square of the same run below it. Only the hooked J and
    L have such a column. Where neither may stay, the first square of the run must come
    down with a clearing row below it, in a pass that begins with this row empty.
    """
    if y == 0:
        return ()
    runs: list[frozenset[Cell]] = []
    run: list[Cell] = []
    for x in range(target.width + 1):
        if x < target.width and target.allowed[y][x]:
            run.append((x, y))
        elif run:
            if (
                target.required.intersection(run)
                and not any(target.allowed[y - 1][cx] for cx, _ in run)
                and not any(target.allowed[y][cx] & _HANGING for cx, _ in run)
            ):
                runs.append(frozenset(run))
            run = []
    return tuple(runs)


@lru_cache(maxsize=65536)
def ways_to_reach(target: Target, x: int, y: int) -> tuple[tuple[int, frozenset[Cell]], ...]:
    """Return the ways to print a square once something lies in its row or above.

    A way is a row and a set of squares that must still be empty: nothing may lie in the
    row or above (a matrix comes there), and a piece that hangs from it, or lies wholly in
    the picture (then the row is the top of the board), prints the squares, (x, y) among
    them. Ways that need more than another one needs are left out.
    """
    ways: list[tuple[int, frozenset[Cell]]] = []
    for o in ORIENTATIONS:
        for dx, dy in o.cells:
            left, low = x - dx, y - dy
            if left < 0 or left + o.width > target.width:
                continue
            cells = [(left + cx, low + cy) for cx, cy in o.cells]
            for base in (*range(y + 1, low + o.height), target.rows):
                stays = frozenset(cell for cell in cells if cell[1] < base)
                if low >= 0 and all(target.may_hold(cx, cy, o.piece) for cx, cy in stays):
                    ways.append((base, stays))
    return tuple(
        (base, stays)
        for base, stays in dict.fromkeys(ways)
        if not any(
            other >= base and fewer <= stays and (base, stays) != (other, fewer)
            for other, fewer in ways
        )
    )
