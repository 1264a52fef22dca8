"""Plans of others, taken apart and made shorter."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracles.slices import random_game
from tests.support.judge import judge
from tetrisprinter.game.from_drops import plan_of_drops
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.article.realtime import plan_realtime
from tetrisprinter.planners.shortest import SHORTEST, ShortestPlanner
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.planners.shortest.portfolio import STAGES
from tetrisprinter.planners.shortest.problem import state_after
from tetrisprinter.planners.shortest.slices import passes_of
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task

COLORS = ("d03030", "3060c0")
TYPES: dict[PieceType, Color] = {
    PieceType.J: COLORS[0],
    PieceType.L: COLORS[1],
    PieceType.T: COLORS[1],
    PieceType.S: COLORS[0],
}


def noise(width: int, height: int, seed: int, filled: float = 0.7) -> Picture:
    """Return rows that hold something each, and are not full."""
    pick = random.Random(seed)
    rows = []
    for _ in range(height):
        row: list[Color | None] = [
            pick.choice(COLORS) if pick.random() < filled else None for _ in range(width)
        ]
        row[pick.randrange(width)] = COLORS[0]
        row[pick.randrange(width)] = None
        if not any(row):
            row[0] = COLORS[1]
        rows.append(tuple(row))
    return Picture(tuple(rows), "noise")


def check_passes(plan: Plan) -> None:
    """Compare passes with the plan they come from."""
    passes = passes_of(plan)
    game = play_through(plan)
    assert state_after(frozenset(), passes) == {
        (x, y) for y, row in enumerate(game.field.rows) for x, v in enumerate(row) if v
    }
    dropped = [piece for one in passes for part in one.parts for piece in part]
    assert dropped == [piece for _, piece in plan.drops()]
    bases = [one.shape.base for one in passes]
    assert bases == sorted(bases)
    assert sum(one.shape.lines for one in passes) == game.lines


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_plan_falls_into_passes_that_leave_what_it_leaves(seed: int) -> None:
    check_passes(make_plan(Task.of(noise(9, 4, seed), (9, 30), TYPES), "rows", Limit()).plan)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    width=st.integers(4, 8),
    lines=st.integers(0, 5),
    empty=st.floats(0, 0.9),
)
def test_any_game_cut_anywhere_falls_into_passes(
    seed: int, width: int, lines: int, empty: float
) -> None:
    """Also where a plan has passes without pieces, at the beginning, the end and between."""
    pick = random.Random(seed)
    game = random_game(pick, width, lines)
    assume(game is not None)
    assert game is not None
    shapes = {frozenset(one.cells): one for one in ORIENTATIONS}
    drops = []
    for one in game.drops:
        left, low = (min(cell[i] for cell in one.real) for i in (0, 1))
        drops.append((shapes[frozenset((x - left, y - low) for x, y in one.real)], left))
    plan = plan_of_drops(drops, (), width, 120)
    passes: list[Pass] = []
    for drawn in plan.passes:
        cut = pick.randint(0, len(drawn.pieces)) if pick.random() < 0.5 else 0
        for pieces in (drawn.pieces[:cut], drawn.pieces[cut:]):
            if pick.random() < empty:
                passes.append(Pass(1, ()))
            passes.append(Pass(drawn.height, pieces))
    check_passes(replace(plan, passes=tuple(passes)))


def test_plans_with_platforms_fall_into_passes() -> None:
    check_passes(plan_realtime(noise(16, 4, 1)))


def test_plans_of_rows_are_cut_after_each_step() -> None:
    plan = make_plan(Task.of(noise(9, 6, 1), (9, 30), TYPES), "rows", Limit()).plan
    assert len(passes_of(plan)) >= 6


def improved(plan: Plan, task: Task, workers: int = 1, **budgets: Any) -> Plan:
    run = Run(Limit(workers=workers), candidates=(plan,))
    chosen = replace(DEFAULT, model_squares=0, **budgets)
    stages = tuple(one for one in STAGES if one.name == Stage.BANDS)
    result = ShortestPlanner(budgets=chosen, stages=stages).plan(task, run)
    judge(result, task.picture)
    return result.plan


@pytest.mark.slow
@pytest.mark.parametrize("types", ["auto", TYPES])
def test_a_picture_is_printed_in_bands(types: str | dict[PieceType, Color]) -> None:
    task = Task.of(noise(7, 3, 2), (7, 30), types)
    plan = make_plan(task, "rows", Limit()).plan
    shorter = improved(plan, task)
    assert len(shorter) <= len(plan)
    assert improved(plan, task, workers=2) == shorter


def test_where_bands_end_early_the_rest_is_printed_row_by_row() -> None:
    task = Task.of(noise(9, 8, 7, 0.8), (9, 30), TYPES)
    plan = make_plan(task, "rows", Limit()).plan
    early = improved(plan, task, bands=0.1, rest_rows=2)
    assert len(early) <= len(plan)


def test_improving_a_plan_keeps_to_its_task_and_is_never_longer() -> None:
    picture = noise(7, 2, 4)
    task = Task.of(picture, (7, 20), TYPES)
    plan = make_plan(task, "rows", Limit()).plan
    result = SHORTEST.plan(task, Run(Limit(effort=0.05), candidates=(plan,)))
    judge(result, picture)
    assert result.drops <= len(plan)
    unchanged = SHORTEST.plan(task, Run(Limit(seconds=1e-6), candidates=(plan,)))
    assert unchanged.plan == plan
    assert unchanged.stopped
