"""The fewest drops from one field to another, against a search that shares no code with it."""

from __future__ import annotations

import random

import pytest

from tests.oracles.fields import reached
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.start import checked_start
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.result import Proof
from tetrisprinter.printing.task import Task

WHITE = "ffffff"
ONE = Limit(workers=1)


def squares(chance: random.Random, width: int, height: int) -> list[list[int]]:
    """Return rows that are neither empty nor full, some of them at least."""
    rows = []
    for _ in range(chance.randint(1, height)):
        row = [int(chance.random() < 0.5) for _ in range(width)]
        if any(row) and not all(row):
            rows.append(row)
    return rows or [[1] + [0] * (width - 1)]


def task_of(start: list[list[int]], end: list[list[int]], width: int, height: int) -> Task:
    """Return a task in one colour."""
    rows = tuple(tuple(WHITE if value else None for value in row) for row in end)
    types = dict.fromkeys(PieceType, WHITE)
    return Task.of(Picture(rows), (width, height), types, column=0).over(start)


def compared(start: list[list[int]], end: list[list[int]], width: int, height: int) -> None:
    """Ask both: reached in as many drops, or by neither."""
    drops = reached(start, width, height).get(tuple(map(tuple, end)))
    task = task_of(start, end, width, height)
    try:
        result = make_plan(task, "shortest", ONE)
    except JobError:
        assert drops is None
    else:
        assert result.drops == drops
        assert result.proof is Proof.ALL_GAMES


@pytest.mark.parametrize("size", [(2, 4), (3, 3), (4, 3), (3, 4)])
def test_random_pairs_on_tiny_boards(size: tuple[int, int]) -> None:
    width, height = size
    for seed in range(6):
        chance = random.Random(seed)
        start, end = squares(chance, width, height), squares(chance, width, height)
        columns = [any(column) for column in zip(*end, strict=True)]
        if columns[0]:  # a picture begins in its first column
            compared(start, _wide(end, columns), width, height)


def _wide(end: list[list[int]], columns: list[bool]) -> list[list[int]]:
    """Return rows whose last column holds a square, too, so that nothing is trimmed."""
    if not columns[-1]:
        for row in end:
            if sum(row) < len(row) - 1:
                row[-1] = 1
                break
    return end


def test_more_squares_than_a_small_board_has_are_printed_row_by_row() -> None:
    start = [[1] + [0] * 8]
    task = task_of(start, [[0, 1, 1, 0, 0, 0, 0, 0, 1]], 9, 12)
    result = make_plan(task, "shortest", ONE)
    assert result.planner == "rows"
    assert result.drops > 0


def test_a_start_no_game_leaves_is_refused() -> None:
    with pytest.raises(InputError, match="is full"):
        checked_start([[1, 1]], 2, 2)
