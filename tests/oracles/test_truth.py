"""The oracle of shortest games is itself checked against the plain simulator."""

import random

from tests.oracles.game import ROTATIONS, replay
from tests.oracles.truth import NAMES, UNSEEN, Truth, find_fewest_drops

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
        truth = find_fewest_drops(width, height, picture, color_of, most=6)
        if truth.drops is None:
            continue
        game = truth.game
        assert truth.drops == len(game) == truth.searched
        assert truth.drops >= len(picture) / 4
        log = {
            "width": width,
            "height": height,
            "drops": [{"piece": name_of(cells), "cells": cells} for cells in game],
        }
        left = replay(log)
        assert {cell: color_of[piece] for cell, piece in left.items()} == picture


def test_minima_that_can_be_seen_by_hand() -> None:
    square = {(x, y): 0 for x in (1, 2) for y in (0, 1)}
    assert find_fewest_drops(5, 8, square, ONE_COLOR).game == [[(1, 0), (2, 0), (1, 1), (2, 1)]]
    # A single square on width 5 needs 1 + 5c cells in fours: c = 3 at least.
    assert find_fewest_drops(5, 8, {(0, 0): 0}, ONE_COLOR).drops == 4
    # Parity: an odd number of squares cannot be left on an even width.
    assert find_fewest_drops(4, 8, {(0, 0): 0}, ONE_COLOR) == Truth(None, [], 8, gave_up=False)


def test_to_give_up_is_not_to_find_that_there_is_none() -> None:
    dot, only_o = {(0, 0): 0}, {"O": 0}
    assert find_fewest_drops(5, 8, dot, only_o, most=4) == Truth(None, [], 4, gave_up=False)
    assert find_fewest_drops(5, 8, dot, only_o, states=10) == Truth(None, [], 3, gave_up=True)


def test_an_unseen_type_saves_two_drops() -> None:
    dot = {(0, 0): 0}
    assert find_fewest_drops(5, 10, dot, None).drops == 4
    assert find_fewest_drops(5, 10, dot, None, background=True).drops == 2
    types = dict.fromkeys(NAMES, 0)
    assert find_fewest_drops(5, 10, dot, types, background=True).drops == 4
    assert (
        find_fewest_drops(5, 10, dot, types | dict.fromkeys("IOS", UNSEEN), background=True).drops
        == 2
    )
