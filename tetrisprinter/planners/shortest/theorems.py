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
"""

from __future__ import annotations

from math import gcd

from tetrisprinter.planners.shortest.bounds import is_possible_count
from tetrisprinter.planners.shortest.target import Target
from tetrisprinter.tetromino import PieceType

__all__ = ["obstacle"]


def obstacle(target: Target) -> str | None:
    """Return why the picture cannot be printed and what would help; None if nothing is known.

    Parameters
    ----------
    target : Target
        The picture on its board.
    """
    width = target.width
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
        unit = gcd(width, 4)
        return (
            f"{len(required)} squares cannot be left on a board of width {width}: only "
            f"multiples of {unit} can (theorem 'count'); change {len(required) % unit} of them, "
            "give a background colour that some type has, or use an odd width"
        )
    return _odd_run(target)


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
