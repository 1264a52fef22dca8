"""The formulas of bounds against a second program that was written from the theorem alone."""

import random
from collections import Counter

import pytest

from tests.oracles.second_bound import is_possible
from tetrisprinter.bounds.stacks import StackWindow, make_window_contents
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.task import Target


def random_scene(rng: random.Random) -> tuple[Target, StackWindow, int]:
    """Draw some rows of a picture, with and without squares that need not be filled."""
    width, rows = rng.randint(4, 5), rng.randint(1, 3)
    density, optional = rng.choice((0.3, 0.5, 0.8)), rng.choice((0.0, 0.0, 0.3))
    allowed, required = [], set()
    for y in range(rows):
        row = [0] * width
        for x in range(width):
            if rng.random() < density:
                row[x] = rng.choice((2 | 16, 4 | 32 | 64, 254))
                if rng.random() >= optional:
                    required.add((x, y))
        allowed.append(tuple(row))
    floor, top = rng.random() < 0.4, rng.random() < 0.3
    counts = [0] * (rows - 1 + floor + top)
    for _ in range(rng.randint(0, 2)):
        if counts:
            counts[rng.randrange(len(counts))] += 1
    height = rows + rng.randint(0, 3)
    target = Target(width, height, tuple(allowed), frozenset(required))
    return target, StackWindow(0, tuple(counts), floor, top), rng.randint(0, 3)


@pytest.mark.parametrize(
    ("seed", "count", "least"), [(1, 40, 8), pytest.param(2, 90, 12, marks=pytest.mark.slow)]
)
def test_both_say_the_same_of_random_windows(seed: int, count: int, least: int) -> None:
    from pysat.solvers import Solver

    rng = random.Random(seed)
    seen: Counter[bool] = Counter()
    for _ in range(count):
        target, window, spare = random_scene(rng)
        shown = make_window_contents(target, window, spare)
        with Solver("glucose4", bootstrap_with=WindowFormula(shown).cnf.clauses) as solver:
            answer = bool(solver.solve())
        rows = [None if row < 0 else row for row in shown.rows]
        may_stay = {
            (x, y): {piece.name for piece in PieceType if target.may_hold(x, y, piece)}
            for y in range(target.rows)
            for x in range(target.width)
        }
        other = is_possible(
            target.width,
            rows,
            may_stay,
            target.required,
            floor=window.floor,
            top=window.top,
            spare=spare,
            ceiling=target.height,
        )
        assert answer == other, (target, window, spare)
        seen[answer] += 1
    assert min(seen[True], seen[False]) >= least
