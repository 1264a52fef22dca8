"""The fewest drops from one field to another, against a search that shares no code with it."""

import json
import random

import pytest

from tests.oracles.fields import NEVER, distances, number_of
from tests.oracles.game import replay
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import check_start
from tetrisprinter.game.pieces import PieceType
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
    return Task.of(Picture(rows), (width, height), types, column=0).with_start(start)


def compared(start: list[list[int]], ends: list[list[list[int]]], width: int, height: int) -> None:
    """Ask both: reached in as many drops, or by neither."""
    drops = distances(number_of(start), width, height)
    for end in ends:
        task = task_of(start, end, width, height)
        fewest = int(drops[number_of(end)])
        try:
            result = make_plan(task, "shortest", ONE)
        except JobError:
            assert fewest == NEVER
        else:
            assert result.drops == fewest
            assert result.proof is Proof.ALL_GAMES
            left_there = replay(json.loads(json.dumps(result.log())))
            assert set(left_there) == set(task.wanted.cells())


@pytest.mark.parametrize("size", [(2, 4), (3, 3), (4, 3), (3, 4), (4, 4)])
def test_random_pairs_on_tiny_boards(size: tuple[int, int]) -> None:
    width, height = size
    for seed in range(3):
        chance = random.Random(seed)
        start = squares(chance, width, height - seed % 2)
        compared(start, [squares(chance, width, height) for _ in range(5)], width, height)


@pytest.mark.slow
def test_a_field_that_takes_twenty_drops() -> None:
    """Row by row none is found on so small a board."""
    start = [[0, 0, 0, 0, 1], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0], [1, 1, 1, 0, 0]]
    end = [[0, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 1], [1, 1, 0, 1, 1], [0, 0, 1, 1, 0]]
    result = make_plan(task_of(start, end, 5, 5), "shortest", ONE)
    assert (result.drops, result.proof) == (20, Proof.ALL_GAMES)


def test_types_and_squares_nobody_sees_count() -> None:
    """Two colours on a background whose type may stay: compared by playing the game."""
    picture = Picture.parse("r.b\nrrb", r="ff0000", b="0000ff")
    types = {PieceType.J: "ff0000", PieceType.I: "0000ff", PieceType.T: "00ff00"}
    task = Task.of(picture, (5, 6), types, "00ff00", 0).with_start([[1, 0, 0, 6, 6]])
    result = make_plan(task, "shortest", ONE)
    colors = {cell: dict(task.type_colors or {})[PieceType[name]]
              for cell, name in replay(json.loads(json.dumps(result.log()))).items()}  # fmt: skip
    assert {cell: c for cell, c in colors.items() if c != "00ff00"} == dict(picture.cells())


def test_more_squares_than_a_small_board_has_are_printed_in_the_fewest_drops() -> None:
    start = [[1] + [0] * 8]
    task = task_of(start, [[0, 1, 1, 0, 0, 0, 0, 0, 1]], 9, 12)
    result = make_plan(task, "shortest", ONE)
    assert (result.planner, result.drops, result.proof) == ("shortest", 5, Proof.ALL_GAMES)


def test_a_start_no_game_leaves_is_refused() -> None:
    with pytest.raises(InputError, match="is full"):
        check_start([[1, 1]], 2, 2)
