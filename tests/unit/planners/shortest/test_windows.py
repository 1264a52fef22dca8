"""What the stages ask: a pass that does not come out even carries what is left to the next row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.oracles.game import replay
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.planners.cpsat.model import solve
from tetrisprinter.planners.cpsat.problem import drawn
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.planners.shortest.windows import joint
from tetrisprinter.printing.target import Target, mask_of

SINGLE = mask_of((PieceType.J, PieceType.L, PieceType.T))


@pytest.mark.parametrize("stack", ["cc", "ccc"])
def test_what_is_carried_lies_in_the_row_above_and_buries_nothing(stack: str) -> None:
    # On eight columns what is left comes in fours; five squares are due.
    due, later = {(1, 0), (2, 0), (3, 0), (4, 1), (6, 1)}, {(0, 2), (5, 2)}
    allowed = tuple(tuple(SINGLE * ((x, y) in due | later) for x in range(8)) for y in range(3))
    target = Target(8, 22, allowed, frozenset(due | later))
    (problem,) = joint(target, replace(DEFAULT, rest=(stack,)), frozenset(), 1)
    found = solve(problem, 20.0)
    assert found.passes is not None
    plan = Plan(drawn(found.passes), (), target.width, target.height)
    left = set(replay(drop_log(plan, play_through(plan))))
    carried = left - due
    assert left > due
    assert {y for _, y in carried} == {2}
    assert len(left) == 8
