"""Ways to share the types: the estimate, and that those come first that promise most."""

import random
import statistics

import pytest

from tests.support.strategies import PALETTE
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.types import (
    Assignments,
    Cover,
    rank_assignments,
    share_types,
    share_with_common_i_and_o,
)


def patches(seed: int) -> Picture:
    """Coloured patches of two by three squares, some of them empty."""
    chance = random.Random(seed)
    inks = [[chance.choice([None, *PALETTE[:3]]) for _ in range(4)] for _ in range(4)]
    rows = [[inks[y // 2][x // 3] for x in range(12)] for y in range(8)]
    rows[0][:3] = PALETTE[:3]
    return Picture(tuple(map(tuple, rows)))


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_counts_the_ways_to_cover_each_square(seed: int) -> None:
    picture = patches(seed)
    cells = picture.cells()
    way = Assignments(dict.fromkeys(picture.colors(), 1), seed).next()
    assert way is not None
    expected = 0.0
    for (x, y), color in cells.items():
        ways = 0
        for one in ORIENTATIONS:
            for ax, ay in one.cells:
                lies = [(x - ax + dx, y - ay + dy) for dx, dy in one.cells]
                inside = all(cells.get(cell) == color for cell in lies)
                ways += inside and dict(way)[one.piece] == color
        expected += 1 / (1 + ways)
    assert Cover(picture).cost(way) == pytest.approx(expected)


def test_those_come_first_that_promise_most() -> None:
    picture = patches(7)
    cost = Cover(picture).cost
    by_chance = Assignments(dict.fromkeys(picture.colors(), 1), 0)
    usual = [way for way in (by_chance.next() for _ in range(30)) if way is not None]
    ways = rank_assignments(picture)
    rules = [ways.next(), ways.next()]
    shares = [
        tuple(sorted(rule(picture).items())) for rule in (share_types, share_with_common_i_and_o)
    ]
    assert rules == sorted(shares, key=cost)
    first = [way for way in (ways.next() for _ in range(4)) if way is not None]
    assert len(set(first)) == 4
    assert max(map(cost, first)) < statistics.median(map(cost, usual))
    assert all({piece for piece, _ in way} == set(PieceType) for way in first)
