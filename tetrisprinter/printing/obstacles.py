"""Why some pictures cannot be printed at all.

Each theorem is stated with its proof; :func:`obstacle` says which one applies to a
picture and what would make it printable. None of them needs a search.

**Full row.** A row that is full vanishes, so no row of the picture may be full.

**Gap row.** A piece comes to rest on the floor or on a square. So when a square is left
in row ``y > 0``, row ``y - 1`` held a square at the moment the piece came to rest, or the
piece reached down to that row itself. Rows vanish only when full; what lies above a
vanished row moves down together with it onto what lay below. By induction over the drops
no game ever has an empty row below a square: a drop cannot create one, and deleting full
rows from a stack of non-empty rows leaves non-empty rows.

**Count.** ``4 * drops = squares + width * lines``, so the squares left over are divisible
by ``gcd(width, 4)``.

**O alone.** An O has two neighbouring squares in each row it touches. If a colour is shown
by O only, the squares of that colour in a row are a union of such pairs, so every maximal
run of squares in which an O may stay, and must, is even.

**Cut.** Cut the game just above a row of the picture. Rows never change their order, so
the squares that ever came to lie above the cut are the picture's there and ``width`` for
every row that vanished there. Pieces wholly above the cut have four of them, pieces wholly
below none, and each piece that touches the row has as many as its shape leaves above. So
with ``g = gcd(width, 4)`` the squares above the row must be congruent modulo ``g`` to what
some way to make up the row of pieces, of the types that may stay there, leaves above it.
A row with a single square of a T, for instance, has 0 or 3 cells of that piece above it:
on 8 or 12 columns the picture above cannot have 1, 2, 5, 6, ... squares.
"""

from __future__ import annotations

from functools import cache
from math import gcd

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.printing.counting import is_possible_count
from tetrisprinter.printing.target import Target

__all__ = ["cut_row", "obstacle"]


def obstacle(target: Target) -> str | None:
    """Return why the picture cannot be printed and what would help; None if nothing is known.

    Parameters
    ----------
    target : Target
        The picture on its board.
    """
    width = target.width
    unit = gcd(width, 4)
    required = target.required
    rows_used = max((y for _, y in required), default=-1) + 1
    for y in range(rows_used):
        here = sum((x, y) in required for x in range(width))
        if here == width:
            return (
                f"row {y + 1} from below is full, and a full row vanishes (theorem 'full row'); "
                "leave one of its squares transparent or use a wider board"
            )
        if not any(target.allowed[y]):
            return (
                f"row {y + 1} from below is empty but has squares above it, and a game never "
                "leaves an empty row below a square (theorem 'gap row'); fill a square of it, "
                "or give a background colour that some type has"
            )
    if not is_possible_count(len(required), width, len(target.optional())):
        return (
            f"{len(required)} squares cannot be left on a board of width {width}: only "
            f"multiples of {unit} can (theorem 'count'); change {len(required) % unit} of them, "
            "give a background colour that some type has, or use an odd width"
        )
    odd = _odd_run(target)
    cut = None if odd else cut_row(target)
    if cut is not None:
        above = sum(y > cut for _, y in required)
        squares = f"{above} square{'' if above == 1 else 's'}"
        return (
            f"row {cut + 1} from below has {squares} above it, and whatever pieces of its "
            f"colours' types make it up, they leave another number there modulo {unit}, rows of "
            f"{width} aside (theorem 'cut'); give one of its colours another of the types J, L and "
            "I, change the number of squares above, or use an odd width"
        )
    return odd


def cut_row(target: Target) -> int | None:
    """Return the highest row that the theorem 'cut' forbids; None if it forbids nothing.

    Parameters
    ----------
    target : Target
        Squares that may stay empty are taken either way.
    """
    unit = gcd(target.width, 4)
    above = {0}
    for y in reversed(range(target.rows)):
        ways = _ways_to_make_up(target, y, unit)
        above = {(n + squares) % unit for n in above for over, squares in ways if over == n}
        if not above:
            return y
    return None


def _ways_to_make_up(target: Target, y: int, unit: int) -> set[tuple[int, int]]:
    """Return, modulo the unit, how many cells above a row and in it its pieces can have."""
    ways: list[set[tuple[int, int]]] = [set() for _ in range(target.width + 1)]
    ways[0].add((0, 0))
    for x in range(target.width):
        if (x, y) not in target.required:
            ways[x + 1] |= ways[x]
        for piece, left, length, right, over in _strips():
            end = x + length
            if x < left or end + right > target.width:
                continue
            if all(target.may_hold(at, y, piece) for at in range(x, end)):
                ways[end] |= {((a + over) % unit, (n + length) % unit) for a, n in ways[x]}
    return ways[-1]


@cache
def _strips() -> tuple[tuple[PieceType, int, int, int, int], ...]:
    """List what a piece can have in a row: columns left of it, in it and right, cells above."""
    listed = set()
    for o in ORIENTATIONS:
        for row in range(o.height):
            columns = [x for x, y in o.cells if y == row]
            right = o.width - 1 - max(columns)
            over = sum(y > row for _, y in o.cells)
            listed.add((o.piece, min(columns), len(columns), right, over))
    return tuple(sorted(listed))


def _odd_run(target: Target) -> str | None:
    only = 1 << PieceType.O
    for y, row in enumerate(target.allowed):
        x = 0
        while x < target.width:
            start = x
            while x < target.width and row[x] == only:
                x += 1
            run = range(start, x)
            joined = any(0 <= c < target.width and row[c] & only for c in (start - 1, x)) or any(
                (c, y) not in target.required for c in run
            )
            if len(run) % 2 and not joined:
                return (
                    f"row {y + 1} from below has {len(run)} squares side by side of a colour that "
                    "only O shows, and O fills two at a time (theorem 'O alone'); give the colour "
                    "another type"
                )
            x += 1
    return None
