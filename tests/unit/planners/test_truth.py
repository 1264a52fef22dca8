"""Small boards: whatever some game prints has a plan, and none is wrong.

``scripts/fuzz truth`` checks thousands of tasks.
"""

import random

import pytest

from tests.support.judge import judge
from tests.support.small_tasks import draw_printable_task, draw_task, find_truth
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.result import Proof
from tetrisprinter.printing.task import Task

RED, GREY = "d02030", "808080"


@pytest.mark.parametrize(
    ("rows", "board", "types", "background", "drops"),
    [
        ("..r./.rr./..r./..r./.rr./.r..", "4x12", "auto", None, 2),
        ("...r.", "5x3", "classic", None, 4),
        ("rrr.", "4x3", f"J={RED},T={GREY}", GREY, 2),
        # As low as the picture: rows must go before others come into sight.
        (".r./.r.", "3x3", f"I={RED},L={RED}", None, 2),
        ("...r/r.rr", "4x3", f"I={RED},S={RED},T={RED}", None, 3),
    ],
)
def test_pictures_without_a_plan_once(
    rows: str, board: str, types: str, background: str | None, drops: int
) -> None:
    picture = Picture.parse(rows.replace("/", "\n"), r=RED)
    task = Task.of(picture, board, types, background, 0)
    result = make_plan(task, "shortest", Limit(workers=1))
    judge(result, task.wanted, background)
    assert result.drops == drops


@pytest.mark.parametrize("seed", range(12))
def test_what_a_game_leaves_is_printed(seed: int) -> None:
    task, drops = draw_printable_task(random.Random(seed), (4, 6), 5)
    result = make_plan(task, "shortest", Limit(workers=1, effort=0.3))
    judge(result, task.wanted, task.background)
    assert result.bound <= drops


@pytest.mark.parametrize("seed", range(12))
def test_what_is_refused_has_no_short_game(seed: int) -> None:
    task = draw_task(random.Random(seed), (4, 6))
    truth = find_truth(task, max_drops=4, states=50_000)
    if truth.drops is not None:
        result = make_plan(task, "shortest", Limit(workers=1, effort=0.3))
        judge(result, task.wanted, task.background)
        assert result.bound <= truth.drops
        if result.proof is Proof.ALL_GAMES:
            assert result.drops == truth.drops
