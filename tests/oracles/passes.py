"""Whether a pass can be played, decided by all orders of drops; written from the rules alone.

A pass is a stack of rows, a letter each, from its base upwards: ``c`` is filled and clears, the
lowest first; ``p`` is a row of the picture; ``b``, on top, may hold anything. A piece lies in rows
that are neighbours from the start, and not under a row that has gone.
"""

from collections.abc import Collection, Mapping

from tests.oracles.game import ROTATIONS

Square = tuple[int, int]
Field = frozenset[Square]  # columns and rows of the stack; rows that have gone are full


def can_be_played(
    word: str,
    width: int,
    allowed: Mapping[Square, Collection[str]],
    required: Collection[Square],
    below: Collection[int],
    begun: Collection[int],
) -> bool:
    """Whether drops clear what is to clear and leave what is required in the picture's rows.

    ``below`` and ``begun`` are the columns that are filled before: in the row under the stack, and
    in its lowest row.
    """
    clearing = [row for row, letter in enumerate(word) if letter == "c"]
    shapes = [(letter, shape) for letter, turned in ROTATIONS.items() for shape in turned]

    def after(field: Field) -> set[Field]:
        gone = [row for row in clearing if all((x, row) in field for x in range(width))]
        there = [row for row in range(len(word)) if row not in gone]
        found = set()
        for letter, shape in shapes:
            for left in range(width - max(x for x, _ in shape)):
                cells = _landed(shape, left, field, there, below)
                if (
                    cells is not None
                    and all(
                        word[row] != "p" or letter in allowed.get((x, row), ()) for x, row in cells
                    )
                    and all(row < min(r for _, r in cells) for row in gone)
                ):
                    found.add(field | cells)
        return {one for one in found if _in_order(one, clearing, width)}

    goal = frozenset(required)
    waiting, seen = [frozenset((x, 0) for x in begun)], set()
    while waiting:
        field = waiting.pop()
        if field in seen:
            continue
        seen.add(field)
        done = sum(row in clearing for _, row in field) == width * len(clearing)
        if done and goal <= field:
            return True
        waiting += after(field)
    return False


def _in_order(field: Field, clearing: Collection[int], width: int) -> bool:
    """Whether no row has gone above one that has not."""
    full = [all((x, row) in field for x in range(width)) for row in clearing]
    return full == sorted(full, reverse=True)


def _landed(
    shape: Collection[Square], left: int, field: Field, there: list[int], below: Collection[int]
) -> Field | None:
    """Let a piece fall; None if it comes to rest above the stack or below it."""
    place = {row: y for y, row in enumerate(there)}
    filled = {(x, place[row]) for x, row in field if row in place}
    filled |= {(x, -1) for x in below}
    y = len(there)
    while not any((left + x, y + dy - 1) in filled for x, dy in shape):
        y -= 1
        if y < 0:
            return None
    if y + max(dy for _, dy in shape) >= len(there):
        return None
    return frozenset((left + x, there[y + dy]) for x, dy in shape)
