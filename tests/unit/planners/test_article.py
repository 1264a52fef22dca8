from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings

from tests.support.judge import play_in_oracle
from tests.support.strategies import PALETTE, sprites
from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.printing.task import Task

Planner = Callable[[Picture], Plan]


def plan_by(planner: str, picture: Picture) -> Plan:
    return make_plan(Task.of(picture, "21x42", "classic"), planner).plan


plan_table, plan_article = PLANNERS = [partial(plan_by, "table"), partial(plan_by, "article")]


def assert_prints(picture: Picture, plan: Plan) -> None:
    assert play_in_oracle(plan) == picture.place_on_board(21, 42, 2).cells()


@pytest.mark.slow
@pytest.mark.parametrize("planner", PLANNERS)
@settings(max_examples=8, deadline=None)
@given(sprite=sprites())
def test_random_sprites_print_equal(planner: Planner, sprite: Picture) -> None:
    assert_prints(sprite, planner(sprite))


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_tallest_sprite_with_a_platform_under_every_row_fits(planner: Planner) -> None:
    """A single square in alternating columns needs the worst matrices at the very top."""
    red = PALETTE[0]
    for columns in [(3, 7), (0, 16), (5, 9)]:
        rows = []
        for y in range(32):
            row: list[str | None] = [None] * 17
            row[columns[y % 2]] = red
            rows.append(tuple(row))
        sprite = Picture(tuple(rows))
        plan = planner(sprite)
        assert plan.platforms == 31
        assert_prints(sprite, plan)


def test_colours_become_j_t_l_in_order_of_appearance_from_the_top() -> None:
    a, b, c = PALETTE[:3]
    picture = Picture(((c, b, c), (None, a, b)))
    assert [color for _, color in plan_table(picture).colors] == [a, b, c]
    assert [color for _, color in plan_table(Picture(((a,),))).colors] == [a, "000000", "000000"]


def test_article_needs_fewer_drops_on_large_areas() -> None:
    rows = tuple((PALETTE[0],) * 16 for _ in range(4))
    assert len(plan_article(Picture(rows))) < len(plan_table(Picture(rows))) / 1.5


@pytest.mark.parametrize("planner", PLANNERS)
def test_what_is_too_wide_or_too_high_for_the_tables_is_refused(planner: Planner) -> None:
    for rows, size in (((PALETTE[0],) * 18,), "18x1"), (((PALETTE[0],),) * 33, "1x33"):
        with pytest.raises(InputError, match=f"{size} squares"):
            planner(Picture(rows))
