from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracles.game import picture as replayed
from tests.support.planned import plan_direct
from tests.support.strategies import PALETTE, sprites
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import Orientation, PieceType, Placement, list_orientations
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.begun import rows_done
from tetrisprinter.printing.boards import choose_board
from tetrisprinter.printing.repair import repaired
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.printing.types import rare_types, share_types

A, B = PALETTE[:2]


def planned(picture: Picture, **options: object) -> Plan:
    column = usual_column(picture.width, choose_board(picture)[0])
    plan = plan_direct(picture, **options)  # type: ignore[arg-type]
    left = replayed(drop_log(plan, play_through(plan)))
    assert left == {(x + column, y): color for (x, y), color in picture.cells().items()}
    return plan


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=30, max_height=6, max_colors=3))
def test_any_picture_of_three_colours_is_printed(sprite: Picture) -> None:
    planned(sprite)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=30, max_height=4), st.integers(0, 2))
def test_any_picture_of_the_classic_types_is_printed(sprite: Picture, seed: int) -> None:
    classic = (PieceType.J, PieceType.T, PieceType.L)
    planned(sprite, types=dict(zip(classic, sprite.colors(), strict=False)), seed=seed)


@pytest.mark.slow
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
    whole = planned(picture, keep=so_far.append)
    assert so_far[-1] == whole
    for rows, begun in enumerate(so_far[:-1], 1):
        assert rows_done(begun, Task.of(picture)) == rows
        assert str(planned(picture, begun=Plan.parse(str(begun)))) == str(whole)


def lying(*pieces: tuple[Orientation, int]) -> tuple[Pass, ...]:
    """Return passes of one piece each, dropped on whatever is there."""
    return tuple(Pass(4, (Placement(piece, x, 0),)) for piece, x in pieces)


BAR, POST = list_orientations(PieceType.I)
EIGHT = Picture(((A, A, A, A, A, A, A, A), (None, A, None, None, B, None, None, None)), "eight.png")
COLORS = ((PieceType.I, A), (PieceType.T, A), (PieceType.J, B))


def test_a_plan_of_some_rows_is_gone_on_with_whatever_made_it() -> None:
    begun = Plan(lying((BAR, 2), (BAR, 6)), COLORS, 13, 14)
    assert rows_done(begun, Task.of(EIGHT, (13, 14))) == 1
    nothing = Plan((), COLORS, 13, 14)
    assert rows_done(nothing, Task.of(EIGHT, (13, 14))) == 0
    more = Plan(begun.passes, (*COLORS, (PieceType.Z, "123456")), 13, 14)
    other_order = plan_direct(EIGHT, (13, 14), dict(COLORS), begun=more)
    assert other_order.passes[:2] == begun.passes
    assert rows_done(other_order, Task.of(EIGHT, (13, 14))) == 2


@pytest.mark.parametrize(
    ("begun", "message"),
    [
        (Plan((), COLORS, 4, 4), "for a board of 4x4, but eight.png is .* on one of 13x14; only"),
        (Plan((), COLORS, 12, 11), "board of 12x11, but .* 13x14"),
        (Plan((), COLORS, 25, 40), "board of 25x40, but .* 13x14"),
        (
            Plan((), COLORS[:2], 13, 14),
            f"no piece type has the colour {B} of eight.png there; only",
        ),
        (Plan((), (), 13, 14), f"no piece type has the colour {A}"),
        (
            Plan((), ((PieceType.J, A), (PieceType.I, B)), 13, 14),
            f"I has the colour {B} there, but eight.png is to be printed with I as {A}; only",
        ),
        (
            Plan((), ((PieceType.T, A), (PieceType.J, B)), 13, 14),
            "I has no colour there",
        ),
        (
            Plan(lying((BAR, 2)), COLORS, 13, 14),
            f"lowest rows of eight.png: at column 6, row 0 .* nothing instead of {A}; only",
        ),
        (
            Plan(lying((BAR, 1), (BAR, 5)), COLORS, 13, 14),
            f"at column 1, row 0 of the board lies {A} instead of nothing",
        ),
        (
            Plan(lying((BAR, 2), (BAR, 6), (POST, 3)), COLORS, 13, 14),
            f"at column 6, row 1 of the board lies nothing instead of {B}",
        ),
        (
            Plan(lying((BAR, 2), (BAR, 6), (POST, 1)), COLORS, 13, 14),
            f"at column 1, row 0 of the board lies {A} instead of nothing",
        ),
        (
            Plan(lying((BAR, 2), (BAR, 6), (list_orientations(PieceType.O)[0], 0)), COLORS, 13, 14),
            "at column 0, row 0 of the board lies a square without colour instead of nothing",
        ),
        (Plan(lying(*[(POST, 2)] * 4), COLORS, 13, 14), "cannot be played: .* tops out at drop 4"),
    ],
)
def test_a_plan_of_something_else_is_not_gone_on_with(begun: Plan, message: str) -> None:
    with pytest.raises(InputError, match=rf"^p\.txt: .*{message}") as told:
        plan_direct(EIGHT, (13, 14), dict(COLORS), begun=begun, begun_name="p.txt")
    assert "\n" not in str(told.value)


def test_no_rows_are_done_where_the_picture_does_not_fit() -> None:
    with pytest.raises(InputError, match=r"board of 4x4, on which eight\.png does not fit"):
        rows_done(Plan((), COLORS, 4, 4), Task.of(EIGHT, (13, 14)))


GREY = "808080"
ODD = Picture(((A, A, None, A, A, B, B), (None, A, None, None, B, None, None), (A,) + (None,) * 6))


@pytest.mark.parametrize("types", ["auto", dict.fromkeys(PieceType, A) | {PieceType.S: B}])
def test_without_an_unseen_type_an_odd_number_is_refused(types: Any) -> None:
    for background in (None,) if types == "auto" else (None, GREY):
        with pytest.raises(JobError, match="leaves an even number of squares"):
            plan_direct(ODD, (10, 22), types, background)


def test_an_unseen_type_makes_rows_come_out_even() -> None:
    gap = Picture((ODD.rows[0][:5], (None,) * 5, (None, A, None, None, None)))
    for picture, width in ((ODD, 10), (gap, 21)):
        plan = plan_direct(picture, (width, 22), background=GREY)
        left = replayed(drop_log(plan, play_through(plan)))
        assert set(left.values()) == {*picture.colors(), GREY}
        seen = {cell: color for cell, color in left.items() if color != GREY}
        column = usual_column(picture.width, width)
        assert seen == {(x + column, y): color for (x, y), color in picture.cells().items()}


def test_an_unseen_type_is_not_used_without_need() -> None:
    picture = Picture(((A, B, GREY, A), (None, A, A, None), (GREY, None, GREY, GREY)))
    plain = Picture(((A, B, None, A), (None, A, A, None)))
    found = plan_direct(picture, (21, 42), background=GREY)
    assert found == replace(plan_direct(plain, (21, 42)), background=GREY)


def test_an_interrupted_plan_with_an_unseen_type_goes_on() -> None:
    so_far: list[Plan] = []
    whole = plan_direct(ODD, (10, 22), background=GREY, keep=so_far.append)
    begun = Plan.parse(str(so_far[0]))
    assert plan_direct(ODD, (10, 22), background=GREY, begun=begun) == whole


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="8 colours"):
        share_types(Picture((tuple(f"{n}00000" for n in range(8)),)))
    with pytest.raises(InputError, match=f"no piece type has the colour {B}"):
        plan_direct(Picture(((A, B),)), (21, 42), {PieceType.T: A})
    with pytest.raises(JobError, match="row 0 from the top could not be printed"):
        plan_direct(Picture(((A,),)), (21, 2), {PieceType.T: A})


@given(sprites(max_width=8, max_height=4, max_colors=7))
def test_every_colour_gets_a_type(sprite: Picture) -> None:
    types = share_types(sprite)
    assert set(types.values()) == set(sprite.colors())
    assert len(types) == 7
