"""Plans that are played and judged by the oracle's game."""

import json
from typing import Any

from tests.oracles.game import Square, picture, replay
from tests.oracles.srs_game import Board
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import PrintResult


def play_in_oracle(plan: Plan) -> dict[Square, str]:
    """Let the oracle play a plan, parsed from its text; return the colours of its picture."""
    parsed_plan = Plan.parse(str(plan))
    return picture(json.loads(json.dumps(make_drop_log(parsed_plan, play_through(parsed_plan)))))


def judge(result: PrintResult, expected: Picture, background: str | None = None) -> None:
    """Assert that the oracle's game of a result's plan leaves the picture ``expected``."""
    plan = Plan.parse(str(result.plan))
    log = json.loads(json.dumps(make_drop_log(plan, play_through(plan))))
    color_of = dict(log["colors"])
    squares_left = {cell: color_of.get(piece, "?") for cell, piece in replay(log).items()}
    column = (plan.width - expected.width) // 2
    wanted = {(x + column, y): color for (x, y), color in expected.cells().items()}
    for cell in squares_left.keys() | wanted.keys():
        color, wanted_color = squares_left.get(cell, background), wanted.get(cell, background)
        assert color == wanted_color, cell
    assert result.drops == len(plan) >= result.bound
    start = sum(map(bool, b"".join(plan.start)))
    assert start + 4 * result.drops == len(squares_left) + plan.width * result.lines


def play_first_drops(plan: Plan, drops: int) -> dict[Square, str]:
    """Let the oracle play the first drops of a plan; return the colours of the field then."""
    log: dict[str, Any] = make_drop_log(plan, play_through(plan))
    squares_left = replay({**log, "drops": log["drops"][:drops]})
    return {cell: log["colors"][piece] for cell, piece in squares_left.items()}


def shift_left(cells: dict[Square, str]) -> dict[Square, str]:
    """Move cells to the left edge of the board."""
    first = min(x for x, _ in cells)
    return {(x - first, y): color for (x, y), color in cells.items()}


def press_keys(log: dict[str, Any], plan: Plan) -> None:
    """Let the oracle press the keys of a log; assert that every piece lies as in the plan."""
    board = Board(set(), plan.width, log["visible"])
    drops = play(plan, Playfield(plan.width, plan.height))
    for log_entry, drop in zip(log["drops"], drops, strict=True):
        locked = board.play(log_entry["piece"], log_entry["keys"])
        assert locked == set(drop.landing.cells)
        board.lock(locked)
