"""A plan of the shortest planner, judged by the oracle's game."""

import json

from tests.oracles.game import replay
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import PrintResult


def judge(result: PrintResult, picture: Picture, background: str | None = None) -> None:
    """Play the plan's text form in the oracle and compare it with the picture."""
    plan = Plan.parse(str(result.plan))
    log = json.loads(json.dumps(make_drop_log(plan, play_through(plan))))
    color_of = dict(log["colors"])
    left = {cell: color_of.get(piece, "?") for cell, piece in replay(log).items()}
    column = (plan.width - picture.width) // 2
    wanted = {(x + column, y): color for (x, y), color in picture.cells().items()}
    for cell in left.keys() | wanted.keys():
        got, asked = left.get(cell, background), wanted.get(cell, background)
        assert got == asked, cell
    assert result.drops == len(plan) >= result.bound
    assert 4 * result.drops == len(left) + plan.width * result.lines
