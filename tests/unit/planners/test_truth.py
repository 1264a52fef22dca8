"""Small boards: whatever some game prints has a plan, and none is wrong.

``scripts/fuzz truth`` checks thousands of tasks.
"""

import random

import pytest

from tests.oracles.truth import find_fewest_drops
from tests.support.judge import judge
from tests.support.shortest import plan_shortest
from tests.support.small_tasks import draw_printable_task, draw_task, find_truth
from tests.support.strategies import PALETTE
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.obstacles import OBSTACLES
from tetrisprinter.printing.result import Proof
from tetrisprinter.printing.task import Task, make_target

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


def test_runs_of_o_alone_are_judged_as_the_oracle_judges_them() -> None:
    """Every row of four squares or less on five columns, O the only type to be seen."""
    for bits in range(1, 31):
        row = tuple(PALETTE[0] if bits >> x & 1 else None for x in range(5))
        target = make_target(Picture((row,)), {PieceType.O: PALETTE[0]}, 5, 10, 0)
        game = find_fewest_drops(
            5, 10, {(x, 0): 0 for x in range(5) if row[x]}, {"O": 0}, most=6, states=20_000
        )
        runs = "".join("#" if color else "." for color in row).split(".")
        odd = any(len(run) % 2 for run in runs)
        assert any(theorem.find_place(target) is not None for theorem in OBSTACLES) == odd
        if odd:
            assert game.drops is None
        else:
            assert game.drops is not None
            result = plan_shortest(
                Picture((row,)), types={PieceType.O: PALETTE[0]}, width=5, height=10, workers=1
            )
            judge(result, Picture((row,)))
            assert result.drops == game.drops
