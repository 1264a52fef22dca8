"""Plans of others, made shorter."""

from __future__ import annotations

import random

import pytest

from tests.support.judge import judge
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.shortest import SHORTEST, ShortestPlanner
from tetrisprinter.planners.shortest.portfolio import STAGES
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task

COLORS = ("d03030", "3060c0")
NEARBY = tuple(one for one in STAGES if one.name == Stage.LNS)
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


def improved(plan: Plan, task: Task, workers: int = 1) -> Plan:
    run = Run(Limit(workers=workers), candidates=(plan,))
    result = ShortestPlanner(stages=NEARBY).plan(task, run)
    judge(result, task.picture)
    return result.plan


@pytest.mark.slow
@pytest.mark.parametrize("types", ["auto", TYPES])
def test_a_plan_is_shortened(
    types: str | dict[PieceType, Color],
) -> None:
    task = Task.of(noise(7, 3, 2), (7, 30), types)
    plan = make_plan(task, "rows", Limit()).plan
    shorter = improved(plan, task)
    assert len(shorter) <= len(plan)
    assert improved(plan, task, workers=2) == shorter


@pytest.mark.slow
@pytest.mark.parametrize("background", [None, COLORS[1]])
def test_without_a_plan_any_game_will_do(background: Color | None) -> None:
    picture = noise(7, 3, 5)
    task = Task.of(picture, (7, 24), TYPES, background)
    result = ShortestPlanner(stages=NEARBY).plan(task, Run(Limit(effort=0.1), candidates=()))
    judge(result, task.wanted, background)
    assert result.made_by == (Stage.LNS,) * len(result.made_by)


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
