"""Games whose top rows are stacked without a line clear, so that pieces have room to enter."""

from __future__ import annotations

from tests.support.judge import judge
from tetrisprinter.formats.art_game import can_steer
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit
from tetrisprinter.planners.context import Context
from tetrisprinter.planners.improve import Request, improve
from tetrisprinter.planners.shortest.room import search_playable_game
from tetrisprinter.printing.task import Task

# Pieces lie side by side up to the row below the top of the board.
LEDGES = Picture.parse(
    """
bb......bb
bb......bb
bbrr..rrbb
bbrr..rrbb
bbrr..rrbb
bbrr..rrbb
bbrr..rrbb
bbrr..rrbb
""",
    r="d03020",
    b="2040d0",
)
TASK = Task.of(LEDGES, "10x9", "auto")


def is_steerable(plan: Plan) -> bool:
    field = plan.make_field()
    for piece in plan:
        if not can_steer(field, piece.orientation, piece.x):
            return False
        field.drop(piece.orientation, piece.x)
    return True


def test_no_row_clears_near_the_top() -> None:
    context = Context(Request(TASK, can_play=is_steerable))
    plan = next(one.plan for one in search_playable_game(context) if one.plan is not None)
    rows = [y for drop in play(plan, plan.make_field()) for y in drop.landing.cleared]
    assert set(rows) <= {0}, "the other eight rows are near the top"
    assert context.found_by_room_search == is_steerable(plan)
    before = context.spent
    context.can_play(plan)
    assert context.spent > before, "asking the player is work, too"


def test_a_plan_that_can_be_played_is_better_than_a_shorter_one() -> None:
    """The rule refuses every game with a line clear; the others are found and then shortened."""

    def clears_nothing(plan: Plan) -> bool:
        return 4 * len(plan) == len(LEDGES.cells())

    found = list(improve(Request(TASK, limit=Limit(effort=0.1), can_play=clears_nothing)))
    judge(found[-1].result, LEDGES)
    assert clears_nothing(found[-1].result.plan)
    assert found[0].result.lines > 0, "the first plan is a print row by row"
