from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracles.game import picture as replayed
from tests.strategies import PALETTE, sprites
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import default_column
from tetrisprinter.planners.direct.emitters import share_types
from tetrisprinter.planners.direct.planner import plan_any, rows_done
from tetrisprinter.printing.boards import choose_board
from tetrisprinter.printing.repair import rare_types, repaired

A, B = PALETTE[:2]


def planned(picture: Picture, **options: object) -> Plan:
    width, height = choose_board(picture)
    column = default_column(picture.width, width)
    plan = plan_any(picture, width, height, column, **options)  # type: ignore[arg-type]
    left = replayed(drop_log(plan, play_through(plan)))
    assert left == {(x + column, y): color for (x, y), color in picture.cells().items()}
    return plan


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=30, max_height=6, max_colors=3))
def test_any_picture_of_three_colours_is_printed(sprite: Picture) -> None:
    planned(sprite)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=30, max_height=4), st.integers(0, 2))
def test_any_picture_of_the_classic_types_is_printed(sprite: Picture, seed: int) -> None:
    classic = (PieceType.J, PieceType.T, PieceType.L)
    planned(sprite, types=dict(zip(classic, sprite.colors(), strict=False)), seed=seed)


def test_five_colours_up_to_the_edges_of_a_wide_picture() -> None:
    rows = []
    for y in range(6):
        rows.append(tuple(PALETTE[(x * x + 3 * y * x + y) % 5] for x in range(40)))
    plan = planned(Picture(tuple(rows)))
    assert len({color for _, color in plan.colors}) == 5


def test_seven_colours_pairs_for_the_o() -> None:
    picks = [0, 0, 1, 2, 3, 6, 6, 6, 6, 4, 5, 5, 0, 1, 6, 6, 2, 3, 4, 5]
    rows = [tuple(PALETTE[picks[(x + 7 * y) % 20]] for x in range(20)) for y in range(3)]
    picture, _ = repaired(Picture(tuple(rows)), 25, types := rare_types(Picture(tuple(rows))))
    planned(picture, types=types)


def test_same_seed_same_plan() -> None:
    picture = Picture(((A, B, A, None, A), (None, A, None, B, None)))
    assert planned(picture, workers=1, seed=3) == planned(picture, workers=3, seed=3)


def test_an_interrupted_plan_goes_on_to_the_same_plan() -> None:
    picture = Picture(((A, B, A, A), (None, A, B, None), (B, None, None, B), (A, A, B, B)))
    so_far: list[Plan] = []
    whole = planned(picture, on_row=so_far.append)
    assert so_far[-1] == whole
    for rows, begun in enumerate(so_far[:-1], 1):
        assert rows_done(begun, picture, default_column(4, 9)) == rows
        assert planned(picture, begun=Plan.parse(str(begun))).passes[: len(begun.passes)]
        assert len(planned(picture, begun=begun)) == len(whole)
    other = Picture(((A, A), (A, A)))
    with pytest.raises(InputError, match="does not leave the lowest rows"):
        planned(other, begun=so_far[0])


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="8 colours"):
        share_types(Picture((tuple(f"{n}00000" for n in range(8)),)))
    with pytest.raises(InputError, match=f"no piece type has the colour {B}"):
        plan_any(Picture(((A, B),)), 21, 42, 2, {PieceType.T: A})
    with pytest.raises(JobError, match="row 0 from the top could not be printed"):
        plan_any(Picture(((A,),)), 21, 2, 2, {PieceType.T: A})


@given(sprites(max_width=8, max_height=4, max_colors=7))
def test_every_colour_gets_a_type(sprite: Picture) -> None:
    types = share_types(sprite)
    assert set(types.values()) == set(sprite.colors())
    assert len(types) == 7
