"""The oracle of shortest games is itself checked against the plain simulator."""

from __future__ import annotations

import random

from tests.oracles.game import ROTATIONS, replay
from tests.oracles.truth import NAMES, fewest_drops

ONE_COLOR = dict.fromkeys(NAMES, 0)


def name_of(cells: list[tuple[int, int]]) -> str:
    left, low = min(x for x, _ in cells), min(y for _, y in cells)
    shape = frozenset((x - left, y - low) for x, y in cells)
    return next(name for name in NAMES if shape in ROTATIONS[name])


def test_its_games_are_legal_and_leave_the_picture() -> None:
    rng = random.Random(7)
    for _ in range(40):
        width, height, rows = rng.randint(4, 6), 8, rng.randint(1, 3)
        picture = {
            (x, y): rng.randrange(2)
            for y in range(rows)
            for x in range(width)
            if rng.random() < 0.4
        }
        if not picture or any(
            not 0 < sum(y == row for _, y in picture) < width
            for row in range(1 + max(y for _, y in picture))
        ):
            continue
        color_of = {"J": 0, "T": 1, "L": 0, "S": 1}
        answer = fewest_drops(width, height, picture, color_of, most=6)
        if answer is None:
            continue
        drops, game = answer
        assert drops == len(game)
        assert drops >= len(picture) / 4
        log = {
            "width": width,
            "height": height,
            "drops": [{"piece": name_of(cells), "cells": cells} for cells in game],
        }
        left = replay(log)
        assert {cell: color_of[piece] for cell, piece in left.items()} == picture


def test_minima_that_can_be_seen_by_hand() -> None:
    square = {(x, y): 0 for x in (1, 2) for y in (0, 1)}
    assert fewest_drops(5, 8, square, ONE_COLOR) == (1, [[(1, 0), (2, 0), (1, 1), (2, 1)]])
    # A single square on width 5 needs 1 + 5c cells in fours: c = 3 at least.
    answer = fewest_drops(5, 8, {(0, 0): 0}, ONE_COLOR)
    assert answer is not None
    assert answer[0] == 4
    # Parity: an odd number of squares cannot be left on an even width.
    assert fewest_drops(4, 8, {(0, 0): 0}, ONE_COLOR) is None
