"""A pass that does not come out even carries what is left to the next row."""

from __future__ import annotations

import pytest

from tests.oracles.game import replay
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.planners.cpsat.model import solve
from tetrisprinter.planners.cpsat.problem import PassProblem, drawn, state_after
from tetrisprinter.planners.passes.shape import PassShape, is_carried, row_carried
from tetrisprinter.printing.target import Target, mask_of

SINGLE = mask_of((PieceType.J, PieceType.L, PieceType.T))


@pytest.mark.parametrize("stack", ["b", "ccb", "cccpb"])
def test_what_is_carried_lies_in_the_row_above_and_buries_nothing(stack: str) -> None:
    # On eight columns what is left comes in fours; three squares are due, or five.
    due, later = {(1, 0), (2, 0), (3, 0)}, {(4, 1), (6, 1)}
    cells = due | later if "p" in stack else due
    allowed = tuple(tuple(SINGLE * ((x, y) in cells) for x in range(8)) for y in range(3))
    target = Target(8, 22, allowed, frozenset(cells))
    shape = PassShape(1, 1, stack)
    row = 1 + stack.count("p")
    goal = frozenset(cell for cell in cells if cell[1] < row)
    problem = PassProblem(target, (shape,), frozenset(), goal, all_used=True)
    found = solve(problem, 20.0)
    assert found.passes is not None
    carried = {cell for cell in state_after(frozenset(), found.passes) if is_carried(cell[1])}
    assert {row_carried(y) for _, y in carried} == {row}
    assert len(carried) + len(goal) in (4, 8)
    plan = Plan(drawn(found.passes), (), target.width, target.height)
    left = set(replay(drop_log(plan, play_through(plan))))
    assert left == goal | {(x, row) for x, _ in carried}


def test_only_the_last_pass_may_carry() -> None:
    target = Target(8, 22, ((SINGLE,) * 8,), frozenset({(1, 0)}))
    shapes = (PassShape(0, 0, "cpb"), PassShape(1, 1))
    with pytest.raises(AssertionError):
        PassProblem(target, shapes, frozenset(), target.required)
