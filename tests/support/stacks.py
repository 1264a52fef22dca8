"""Random games of the oracle as stacks."""

import random
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from tests.oracles.slices import Field, random_game
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.printing.task import Target


def describe_stack(played: Field, height: int) -> tuple[Target, tuple[int, ...], dict[int, int]]:
    """Return the target of a game, its cleared rows below each row, and a stack index by row."""
    rows = sorted({row for drop in played.drops for _, row in drop.cells} | played.gone)
    stack_index = {row: v for v, row in enumerate(rows)}
    rows_left = [row for row in rows if row not in played.gone]
    allowed = tuple(
        tuple(
            1 << PieceType[played.filled[row][x]] if x in played.filled.get(row, {}) else 0
            for x in range(played.width)
        )
        for row in rows_left
    )
    required = frozenset(
        (x, y) for y, row in enumerate(allowed) for x, mask in enumerate(row) if mask
    )
    counts = [0] * (len(rows_left) + 1)
    for row in played.gone:
        counts[sum(row_left < row for row_left in rows_left)] += 1
    return Target(played.width, height, allowed, required), tuple(counts), stack_index


def get_needed_height(played: Field) -> int:
    """Return the height of the lowest board on which a game can be played."""
    return 1 + max(y for drop in played.drops for _, y in drop.real)


def play_upward_games(seed: int, count: int) -> Iterator[Field]:
    """Play random games in which lower rows clear before higher ones, or with them."""
    pick = random.Random(seed)
    while count:
        played = random_game(pick, pick.randint(4, 8), pick.randint(1, 5))
        if played is None or not played.filled or not played.gone:
            continue
        cleared = [row for drop in played.drops for row in drop.cleared]
        if all(lower < upper for lower, upper in pairwise(cleared)):
            count -= 1
            yield played


def list_drops(played: Field) -> list[tuple[Orientation, int]]:
    """Return the drops of a random game: orientations and columns."""
    return [find_drop(drop.real) for drop in played.drops]


def find_drop(cells: Collection[tuple[int, int]]) -> tuple[Orientation, int]:
    """Return the orientation and the column of a piece that lies in some cells."""
    left, low = (min(cell[i] for cell in cells) for i in (0, 1))
    return _ORIENTATION_OF[frozenset((x - left, y - low) for x, y in cells)], left


_ORIENTATION_OF = {frozenset(o.cells): o for o in ORIENTATIONS}


def play_drops(
    drops: Iterable[tuple[Orientation, int]], target: Target
) -> tuple[Field, set[tuple[int, int, str]]]:
    """Drop pieces by the rules alone; return the field and its squares with their types."""
    played = Field(target.width)
    for orientation, x in drops:
        played.drop(orientation.piece.name, frozenset(orientation.cells), x)
    rows = played.there(target.rows)
    left = {
        (x, y, played.filled[r][x]) for y, r in enumerate(rows) for x in played.filled.get(r, ())
    }
    assert set(played.filled) <= set(rows), "nothing lies above the target"
    return played, left
