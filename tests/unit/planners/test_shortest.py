"""What the planner promises, on pictures made for each promise, judged by the oracle."""

import pytest

from tests.support.planned import plan_shortest
from tests.support.strategies import PALETTE
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.task import Task


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
        report=collect,
        effort=0.3,
        candidates=(),
    )
    assert seen
    drops = [step.drops for step in seen if step.drops is not None]
    assert drops == sorted(drops, reverse=True)
    bounds = [step.bound.drops if step.bound else 0 for step in seen]
    for news in ([step.fraction for step in seen], bounds):
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
