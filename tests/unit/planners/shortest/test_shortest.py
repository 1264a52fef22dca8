"""What the planner promises, on pictures made for each promise, judged by the oracle."""

from __future__ import annotations

import pytest

from tests.oracles.truth import find_fewest_drops
from tests.support.judge import judge
from tests.support.planned import plan_shortest
from tests.support.strategies import PALETTE
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.task import Task


def test_the_oracle_finds_no_game_for_what_theorems_forbid() -> None:
    one = dict.fromkeys("IJLOSTZ", 0)
    for width, cells in ((4, {(0, 0): 0}), (5, {(0, 0): 0, (0, 2): 0})):
        truth = find_fewest_drops(width, 8, cells, one, most=5)
        assert (truth.drops, truth.searched) == (None, 5)
        rows: list[list[str | None]] = [[None] * width for _ in range(3)]
        for x, y in cells:
            rows[y][x] = PALETTE[0]
        picture = Picture(tuple(map(tuple, rows))).trim()
        with pytest.raises(JobError) as raised:
            plan_shortest(
                picture, types=dict.fromkeys(PieceType, PALETTE[0]), width=width, height=8
            )
        assert raised.value.obstacle is not None
        assert raised.value.obstacle.theorem == {4: "count", 5: "gap row"}[width]


def test_o_alone_needs_even_runs() -> None:
    picture = Picture(((PALETTE[0],) * 3 + (None,) * 2,))
    with pytest.raises(JobError, match="O alone"):
        plan_shortest(picture, types={PieceType.O: PALETTE[0]}, width=5, height=12)


def test_a_plan_that_meets_the_bound_is_proved_and_true() -> None:
    picture = Picture(((PALETTE[0],) * 4 + (None,),))
    result = plan_shortest(picture, types="auto", width=5, height=12)
    assert (result.drops, result.proof.value) == (1, "all games")
    judge(result, picture)


def test_background_squares_may_be_filled_or_left() -> None:
    row = (PALETTE[0], "000000", "000000", PALETTE[0], PALETTE[0], None)
    picture = Picture((row, row))
    types = dict.fromkeys(PieceType, PALETTE[0]) | {PieceType.O: "000000"}
    result = plan_shortest(picture, types=types, background="000000", width=6, height=14)
    judge(result, picture, "000000")
    assert result.pixels == 6


@pytest.mark.slow
def test_classic_plans_are_no_longer_than_the_candidate_and_deterministic() -> None:
    first, second, _ = PALETTE[:3]
    picture = Picture(((first, first, second, None, second, second, first),))
    candidate = make_plan(Task.of(picture, "21x42", "classic"), "rows").plan
    results = [
        plan_shortest(picture, workers=workers, effort=0.1, candidates=[candidate])
        for workers in (1, 2)
    ]
    assert results[0].plan == results[1].plan
    assert results[0].plan.is_classic
    assert results[0].drops <= len(candidate)


def test_a_time_limit_falls_back_on_the_candidate() -> None:
    rows = tuple(tuple(PALETTE[(x + y) % 3] for x in range(16)) for y in range(6))
    picture = Picture(rows)
    candidate = make_plan(Task.of(picture, "21x42", "classic"), "rows").plan
    result = plan_shortest(picture, time_limit=1e-9, candidates=[candidate])
    assert result.plan == candidate
    assert result.stopped


def test_progress_never_gets_worse() -> None:
    seen: list[Progress] = []

    def collect(step: Progress) -> None:
        seen.append(step)

    row = (PALETTE[0], None, PALETTE[0], PALETTE[1], None, PALETTE[0], None)
    plan_shortest(
        Picture((row, row)),
        types="auto",
        width=7,
        height=16,
        tell=collect,
        effort=0.3,
        candidates=(),
    )
    assert seen
    drops = [step.drops for step in seen if step.drops is not None]
    assert drops == sorted(drops, reverse=True)
    for news in ([step.fraction for step in seen], [step.bound or 0 for step in seen]):
        assert news == sorted(news)
    assert all(0 <= step.fraction <= 1 for step in seen)


def test_bad_input_is_one_sentence() -> None:
    picture = Picture(((PALETTE[0], None),))
    for options in (
        {"types": {PieceType.J: PALETTE[1]}},
        {"width": 1},
        {"types": "any"},
        {"background": PALETTE[0]},
    ):
        with pytest.raises(InputError):
            plan_shortest(picture, **options)
    many = Picture((tuple(f"{i:06x}" for i in range(8)),))
    with pytest.raises(InputError, match="seven"):
        plan_shortest(many, types="auto")
