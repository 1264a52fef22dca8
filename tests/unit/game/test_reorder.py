import random

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.contract.demands import bare
from tests.support.games import COLORS, games, make_picture
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation, PieceType, list_orientations
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.game.srs import Guideline, play_by_guideline
from tetrisprinter.game.steering import reorder_plan

FLAT, UPRIGHT = list_orientations(PieceType.I)
SQUARE = list_orientations(PieceType.O)[0]


def as_one_pass(plan: Plan) -> Plan:
    """All drops in one pass, so that all of them may change places."""
    pieces = tuple(plan)
    return Plan((Pass(plan.height, pieces),), plan.colors, plan.width, plan.height)


@settings(deadline=None, max_examples=60)
@given(games(6, 12, 12), st.integers(0, 1 << 30))
def test_another_order_leaves_the_same_and_only_makes_what_may_be_made(
    plan: Plan, seed: int
) -> None:
    """Here a drop may be made or not as the dice say, which does not depend on the order."""
    plan = as_one_pass(plan)
    chance = random.Random(seed)
    blocked = [(chance.randrange(6), chance.randrange(3, 12)) for _ in range(2)]

    def may(field: Playfield, orientation: Orientation, x: int) -> bool:
        return not any(x == column and field.tops[5 - column] >= top for column, top in blocked)

    found = reorder_plan(plan, may)
    if found is None:
        event("none")
        return
    event("the same" if found == plan else "another")
    assert make_picture(found) == make_picture(plan)
    assert sorted(map(str, bare(found))) == sorted(map(str, bare(plan)))
    field = Playfield(6, 12)
    for orientation, x in bare(found):
        assert may(field, orientation, x)
        field.drop(orientation, x)


def test_rows_that_vanish_keep_their_places() -> None:
    """The lowest row is completed by either I; what lies on it comes down all the same."""
    drops = [(FLAT, 0), (SQUARE, 4), (SQUARE, 0), (FLAT, 6)]
    plan = as_one_pass(make_plan_from_drops(drops, COLORS, 10, 22))

    def late(field: Playfield, orientation: Orientation, x: int) -> bool:
        return (orientation, x) != (SQUARE, 0) or sum(map(sum, field.rows)) < 20

    found = reorder_plan(plan, late)
    assert found is not None
    assert make_picture(found) == make_picture(plan)


def test_a_piece_may_not_be_the_first() -> None:
    plan = as_one_pass(make_plan_from_drops([(FLAT, 0), (SQUARE, 5)], COLORS, 10, 22))
    found = reorder_plan(plan, lambda *_: True, lambda field, piece: piece is not PieceType.I)
    assert found is not None
    assert bare(found) == [(SQUARE, 5), (FLAT, 0)]
    assert reorder_plan(plan, lambda *_: True, lambda *_: False) is None
    assert reorder_plan(plan, lambda *_: True) == plan


def test_a_tower_that_stands_in_the_way_comes_later() -> None:
    towers = [(UPRIGHT, 6)] * 5 + [(SQUARE, 8)]
    plan = as_one_pass(make_plan_from_drops([*towers, (UPRIGHT, 3)], COLORS, 10, 20))
    rules = Guideline(10, 20, visible=18)
    assert isinstance(rules.find_keys(_before(plan, 5), SQUARE, 8), str)
    found = reorder_plan(plan, rules.can_steer)
    assert found is not None
    assert make_picture(found) == make_picture(plan)
    assert len(list(play_by_guideline(found, rules))) == 7


def _before(plan: Plan, drops: int) -> Playfield:
    field = Playfield(plan.width, plan.height)
    for orientation, x in bare(plan)[:drops]:
        field.drop(orientation, x)
    return field
