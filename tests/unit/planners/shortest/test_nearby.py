"""Games near a known one: what the formula says is a game, and games are what it says."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from pysat.solvers import Solver

from tests.oracles.game import replay
from tests.oracles.slices import Field, random_game
from tests.support.stacks import ceiling, told
from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.game.from_drops import plan_of_drops
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Run, make_plan
from tetrisprinter.planners.shortest import ShortestPlanner
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.planners.shortest.nearby import stacked
from tetrisprinter.planners.shortest.optional import OptionalRows, Reach
from tetrisprinter.planners.shortest.portfolio import STAGES
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

NEARBY = tuple(way for way in STAGES if way.name is Stage.NEARBY)


def games(seed: int, count: int) -> Iterator[Field]:
    """Play games in which lower rows go before higher ones, or with them."""
    pick = random.Random(seed)
    while count:
        played = random_game(pick, pick.randint(4, 8), pick.randint(1, 5))
        if played is None or not played.filled or not played.gone:
            continue
        went = [row for drop in played.drops for row in drop.cleared]
        if all(lower < upper for lower, upper in pairwise(went)):
            count -= 1
            yield played


def with_more(counts: Sequence[int], chance: random.Random) -> list[int]:
    """Return a stack with more candidates in some slots."""
    rows = []
    for slot, count in enumerate(counts):
        rows += [CLEARING] * (count + (chance.random() < 0.4))
        rows += [slot] * (slot < len(counts) - 1)
    return rows


def left_by(
    drops: Sequence[tuple[Orientation, int]], target: Target
) -> tuple[Field, set[tuple[int, int, str]]]:
    """Drop pieces by the rules alone; return the field and its squares with their types."""
    played = Field(target.width)
    for orientation, x in drops:
        played.drop(orientation.piece.name, frozenset(orientation.cells), x)
    rows = played.there(target.rows)
    left = {
        (x, y, played.filled[r][x]) for y, r in enumerate(rows) for x in played.filled.get(r, ())
    }
    return played, left


def check(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for played in games(seed, count):
        target, counts, _ = told(played, ceiling(played))
        rows = with_more(counts, chance)
        target = replace(target, height=target.height + rows.count(CLEARING) - sum(counts))
        asked = OptionalRows(target, rows, Reach(8, 8))
        lines = len(played.gone)
        more = asked.more_cells(lines)[lines:]
        clauses = [*asked.cnf.clauses, *([-one] for one in more)]
        with Solver("glucose4", bootstrap_with=clauses) as solver:
            assert solver.solve(), (counts, played.drops)
            for _ in range(5):  # several games, where there are
                model = solver.get_model()
                found, left = left_by(asked.game(model), target)
                assert len(found.gone) <= len(played.gone)
                assert max(y for drop in found.drops for _, y in drop.real) < target.height
                wanted = {
                    (x, y, PieceType(mask.bit_length() - 1).name)
                    for y, row in enumerate(target.allowed)
                    for x, mask in enumerate(row)
                    if mask
                }
                assert left == wanted
                chosen = chance.sample([v for v in model if v > 0], 5)
                solver.add_clause([-v for v in chosen])
                if not solver.solve():
                    break


def test_games_with_fewer_rows_are_found_and_are_games() -> None:
    check(1, 8)


@pytest.mark.slow
def test_many_games_are_found_and_are_games() -> None:
    check(2, 150)


PICTURE = Picture.parse(
    ".bbrrbb\nbb.rrrb\nbrrr.bb\nbbrr.bb\nbrrrrb.\nbbbrbb.",
    r="ff0000",
    b="0000ff",
)


def shortened(nearby: float, workers: int = 1) -> tuple[PrintResult, PrintResult]:
    """Print the picture row by row, and let only this stage look for less."""
    task = Task.of(PICTURE, (7, 14), "auto")
    known = make_plan(task, "rows", Run(Limit(workers=1)))
    planner = ShortestPlanner(budgets=replace(DEFAULT, work=nearby), stages=NEARBY)
    return known, planner.plan(task, Run(Limit(workers=workers), candidates=(known.plan,)))


def test_a_known_plan_is_shortened() -> None:
    known, found = shortened(0.01)
    assert found.made_by == (Stage.NEARBY,)
    assert found.drops < known.drops
    left = replay(found.log())
    assert {cell: found.plan.color_of[PieceType[name]] for cell, name in left.items()} == dict(
        found.task.wanted.cells()
    )
    assert shortened(0.01, workers=2)[1].plan == found.plan


def test_without_work_the_plan_stays_as_it_is() -> None:
    known, found = shortened(0.0)
    assert found.plan == known.plan


def test_the_rows_that_clear_are_told_by_slots() -> None:
    for played in games(3, 20):
        target, counts, _ = told(played, 99)
        drops = [
            (next(o for o in ORIENTATIONS if o.piece.name == drop.piece
                  and frozenset(o.cells) == shape), left)
            for drop in played.drops
            for left, shape in [moved(drop.real)]
        ]  # fmt: skip
        passes = plan_of_drops(drops, (), target.width, target.height).passes
        found = stacked(passes, target)
        rows = [[CLEARING] * clear + [slot] for slot, clear in enumerate(counts)]
        assert found.rows == tuple(row for slot in rows for row in slot)[:-1]
        assert sum(len(cells) for _, cells in found.pieces) == 4 * len(played.drops)
        for _, cells in found.pieces:
            assert all(0 <= v < len(found.rows) for _, v in cells)


def moved(cells: frozenset[tuple[int, int]]) -> tuple[int, frozenset[tuple[int, int]]]:
    """Return the leftmost column of some cells, and the cells moved into the corner."""
    left, low = (min(cell[i] for cell in cells) for i in (0, 1))
    return left, frozenset((x - left, y - low) for x, y in cells)
