"""A plan of the shortest planner, judged by the oracle's game."""

import json

from tests.oracles.game import Square, picture, replay
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import PrintResult


def left_by(plan: Plan) -> dict[Square, str]:
    """Let the oracle play a plan, read back from its text; return the colours that are left."""
    read = Plan.parse(str(plan))
    return picture(json.loads(json.dumps(make_drop_log(read, play_through(read)))))


def judge(result: PrintResult, asked: Picture, background: str | None = None) -> None:
    """Play the plan's text form in the oracle and compare it with the picture."""
    plan = Plan.parse(str(result.plan))
    log = json.loads(json.dumps(make_drop_log(plan, play_through(plan))))
    color_of = dict(log["colors"])
    left = {cell: color_of.get(piece, "?") for cell, piece in replay(log).items()}
    column = (plan.width - asked.width) // 2
    wanted = {(x + column, y): color for (x, y), color in asked.cells().items()}
    for cell in left.keys() | wanted.keys():
        got, seen = left.get(cell, background), wanted.get(cell, background)
        assert got == seen, cell
    assert result.drops == len(plan) >= result.bound
    assert 4 * result.drops == len(left) + plan.width * result.lines
