"""Same seed, same plan, whatever the number of workers, at every step of the ladder."""

from __future__ import annotations

import pytest

from tests.support.cases import CASES
from tests.support.planned import plan_shortest
from tetrisprinter.planners.run import Progress
from tetrisprinter.planners.shortest import ladder

SLOW = ("middle, auto",)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW)) for case in CASES]
)
def test_same_seed_same_plan(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    picture, options, stage = CASES[case]
    if stage == "rolling horizon":  # as if the picture were larger than it is
        monkeypatch.setattr(ladder, "_TINY_CELLS", 0)
    if case == "large":
        monkeypatch.setattr(ladder, "_WHOLE_CELLS", 0)
    effort = 0.2 if case.startswith("middle") else 0.05
    stages: list[str] = []

    def collect(step: Progress) -> None:
        stages.append(step.stage)

    texts = [
        str(
            plan_shortest(
                picture, effort=effort, seed=3, workers=workers, progress=collect, **options
            ).plan
        )
        for workers in (1, 2)
    ]
    assert texts[0] == texts[1]
    assert any(stage in told for told in stages)
