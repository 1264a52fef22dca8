"""The background is a colour: what is claimed is held against all games, for every option."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.oracles.truth import UNSEEN, Truth, find_fewest_drops
from tests.support.assignments import any_assignment, assignments_near
from tests.support.judge import judge
from tests.support.planned import plan_shortest
from tests.support.strategies import PALETTE
from tetrisprinter.bounds.bound_search import ProofLimits, prove_bound
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.obstacles import find_theorem
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.target import (
    Target,
    assign_shades,
    extend_upwards,
    make_open_target,
    make_target,
    make_type_mask,
)
from tetrisprinter.printing.target import compute_drop_bound as least_drops
from tetrisprinter.printing.types import has_dont_care_squares

A, B, C = PALETTE[:3]
GREY = "808080"
HEIGHT = 8

Types = Mapping[PieceType, Color] | None


def drawn(*rows: str) -> Picture:
    """Return a picture, drawn from its top; ``g`` is the background's colour."""
    colors = {"a": A, "b": B, "c": C, "g": GREY, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(rows)))


def truth_of(picture: Picture, types: Types, background: Color | None, most: int) -> Truth:
    """Ask the oracle, whose words for colours are numbers."""
    shown = [color for color in picture.colors() if color != background]
    number = {color: i for i, color in enumerate(shown)}
    if background is not None:
        number[background] = UNSEEN
    named = None
    if types is not None:
        named = {piece.name: number[color] for piece, color in types.items() if color in number}
    return find_fewest_drops(
        picture.width,
        HEIGHT,
        {cell: number[c] for cell, c in picture.cells().items() if c != background},
        named,
        background=background is not None,
        most=most,
        states=60_000,
    )


def target_of(picture: Picture, types: Types, background: Color | None) -> Target:
    place = (picture.width, HEIGHT, 0, background)
    if types is None:
        return make_open_target(picture, *place)
    return make_target(picture, types, *place)


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Draw one to three rows, as wide as the board, perhaps with the background's colour in it."""
    width = draw(st.integers(4, 6))
    random = draw(st.randoms(use_true_random=False))
    density = draw(st.sampled_from([0.2, 0.5, 0.8]))
    palette: list[Color | None] = list(PALETTE[: draw(st.integers(1, 3))])
    rest: list[Color | None] = draw(st.sampled_from([[None], [None, GREY]]))
    rows = [
        [random.choice(palette if random.random() < density else rest) for _ in range(width)]
        for _ in range(draw(st.integers(1, 3)))
    ]
    assume(any(color in palette for row in rows for color in row))
    return Picture(tuple(map(tuple, rows))).trim()


@pytest.mark.slow
@settings(deadline=None, max_examples=75, suppress_health_check=list(HealthCheck))
@given(
    picture=pictures(),
    background=st.sampled_from([None, GREY, GREY, A]),
    kind=st.sampled_from(["auto", "classic", "fixed"]),
    shown=st.lists(st.sampled_from([None, GREY, *PALETTE[:3]]), min_size=7, max_size=7),
)
def test_no_game_does_what_is_said_to_be_impossible(
    picture: Picture, background: Color | None, kind: str, shown: list[Color | None]
) -> None:
    """Refusals and bounds, with and without a background, for all kinds of types."""
    needed = [color for color in picture.colors() if color != background]
    assume(0 < len(needed) <= 3)
    types: Types = None
    if kind == "classic":
        types = dict(zip((PieceType.J, PieceType.T, PieceType.L), needed, strict=False))
    elif kind == "fixed":
        types = {p: c for p, c in zip(PieceType, shown, strict=True) if c is not None}
        assume(set(needed) <= set(types.values()))
    target = target_of(picture, types, background)
    forbidden = find_theorem(target) is not None or (
        types is None and any_assignment(target) is None
    )
    truth = truth_of(picture, types, background, most=3)
    event(f"{kind}, background {background is not None}: {forbidden}, {truth.drops}")
    if forbidden:
        assert truth.drops is None
        return
    proved = prove_bound(target, ProofLimits(work=0.1, most=3))
    assert proved.after >= least_drops(target)
    assert truth.drops is None or truth.drops >= proved.after
    if proved.found is not None and proved.after <= 3:
        assert truth.gave_up or truth.drops == proved.after


@pytest.mark.slow
def test_no_plan_is_proved_that_is_not_shortest() -> None:
    """Random rows, planned; none is refused that is not full."""
    rng = random.Random(21)
    proved = 0
    for _ in range(6):
        width = rng.randint(4, 6)
        density = rng.choice((0.2, 0.4, 0.6))
        row = [rng.choice((A, B)) if rng.random() < density else None for _ in range(width)]
        full, empty = rng.sample(range(width), 2)
        row[full], row[empty] = A, None
        picture = Picture((tuple(row),))
        result = planned(picture, GREY)
        judge(result, picture, GREY)
        truth = truth_of(picture, None, GREY, most=min(3, result.drops))
        assert truth.drops is None or truth.drops >= result.bound
        if result.proof is Proof.ALL_GAMES and result.drops <= 3:
            assert truth.gave_up or truth.drops == result.drops
            proved += 1
    assert proved >= 2


def planned(picture: Picture, background: Color | None, **options: Any) -> PrintResult:
    """Plan for a board as wide as the picture, not for long."""
    chosen = {"types": "auto", "effort": 0.1, "workers": 1, **options}
    return plan_shortest(
        picture, background=background, width=picture.width, height=HEIGHT, column=0, **chosen
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows", [("a.....",), ("a....", ".....", "a...."), ("a...",), ("aaa.", "aaag")]
)
def test_pictures_that_only_unseen_squares_print(rows: tuple[str, ...]) -> None:
    """An odd number of squares on an even width; an empty row; no multiple of four."""
    picture = drawn(*rows)
    hidden = Picture(tuple(tuple(c if c == A else None for c in row) for row in picture.rows))
    with pytest.raises(JobError, match="a type have the colour of empty squares"):
        planned(hidden, None)
    with pytest.raises(JobError, match="a type the colour of the background"):
        planned(hidden, GREY, types=dict.fromkeys(PieceType, A))
    with pytest.raises(JobError, match="may show the background, too"):
        planned(hidden, GREY, types="classic")
    result = planned(picture, GREY)
    judge(result, picture, GREY)
    assert GREY in dict(result.plan.colors).values()


def test_one_square_takes_two_drops_when_others_are_not_seen() -> None:
    result = planned(drawn("a...."), GREY)
    assert (result.drops, result.bound, result.proof) == (2, 2, Proof.ALL_GAMES)
    assert planned(drawn("a...."), None).drops == 4


def test_without_a_background_nothing_is_optional() -> None:
    target = make_open_target(drawn("ab..", "a..b"), 6, 9, 1)
    assert (target.dont_care_shade, target.above, target.spare()) == (0, 0, 0)
    assert extend_upwards(target, 3) == target
    assert target.optional() == frozenset()


def test_with_seven_colours_no_type_is_left_for_the_background() -> None:
    picture = Picture(tuple((color, None, None) for color in PALETTE))
    assert make_open_target(picture, 3, 12, 0, GREY).spare() == 0
    assert not has_dont_care_squares(picture, "auto", GREY)
    assert has_dont_care_squares(Picture(picture.rows[:6]), "auto", GREY)
    assert make_open_target(picture, 3, 12, 0, PALETTE[0]).dont_care_shade == 7
    wide = Picture(tuple((*row, *[None] * 5) for row in picture.rows))
    with pytest.raises(JobError, match=r"6 and .* leave a type unseen"):
        plan_shortest(wide, types="auto", width=8, height=12)


def test_squares_that_may_stay_are_counted_up_to_a_full_row() -> None:
    target = make_open_target(drawn("aaa.", "aa.."), 4, 2, 0, GREY)
    assert target.spare() == 1  # one in the lower row; one more in each would fill it
    assert make_open_target(drawn("aaa.", "aa.."), 4, 4, 0, GREY).spare() == 7
    assert make_open_target(drawn("aaa.", "aa.."), 4, 4, 0).spare() == 0


def test_some_type_is_given_the_background_s_colour() -> None:
    target = make_open_target(drawn("aab.", "aabb"), 4, 9, 0, GREY)
    for assignment in islice(assignments_near(target, (), 0), 3):
        assert set(dict(assignment).values()) == {1, 2, 3}
        fixed = assign_shades(target, assignment)
        unseen = make_type_mask(
            piece for piece, shade in assignment if shade == target.dont_care_shade
        )
        assert fixed.above == unseen != 0
        assert {fixed.allowed[y][x] for x, y in fixed.optional()} == {unseen}


def test_no_column_of_a_piece_begins_above_where_another_ends() -> None:
    """On this rests that three rows above the picture are enough where no row clears."""
    assert all(max(o.bottom) <= min(o.top) for o in ORIENTATIONS)
    assert max(max(o.bottom) for o in ORIENTATIONS) == 2


def test_a_candidate_counts_when_it_was_checked() -> None:
    """One leaves another picture, one has other types, one does not fit under the ceiling."""
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)

    def plan(color: Color, count: int = 1, x: int = 0) -> Plan:
        pieces = tuple(Placement(flat, x, y) for y in range(count))
        return Plan((Pass(count, pieces),), ((PieceType.I, color),), 5, HEIGHT)

    picture = drawn("aaaa.", "aaaa.")
    seen: list[Progress] = []
    for wrong in (plan(A), plan(B, 2), plan(A, 2, 1), plan(A, HEIGHT + 1)):
        result = planned(picture, None, candidates=[wrong], tell=seen.append)
        assert (result.drops, result.proof) == (2, Proof.ALL_GAMES)
        assert seen[0].drops is None
        seen.clear()
    types = {PieceType.I: B, PieceType.O: A}
    result = planned(picture, None, types=types, candidates=[plan(A, 2)], tell=seen.append)
    assert seen[0].drops is None
    judge(result, picture)
    right = planned(picture, None, candidates=[plan(A, 2)])
    assert right.made_by == ("known plan",)
