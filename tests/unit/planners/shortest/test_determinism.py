"""Same seed, same plan, whatever the number of workers, with every strategy."""

from __future__ import annotations

import pytest

from tests.support.cases import CASES, target_of_case
from tetrisprinter.planners.run import Progress
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.strategies.choose import shortest_candidate
from tetrisprinter.planners.shortest.tuning import Tuning

SLOW = ("middle, auto", "middle, fixed", "large")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW)) for case in CASES]
)
def test_same_seed_same_plan(case: str) -> None:
    stage = CASES[case][2]
    tuning = Tuning()
    if stage in ("rolling horizon", "whole games"):  # as if the picture were larger than it is
        tuning = Tuning(tiny_cells=0, whole_cells=0 if case == "large" else tuning.whole_cells)
    effort = 0.2 if case.startswith("middle") else 0.05
    stages: list[str] = []

    def collect(step: Progress) -> None:
        stages.append(step.stage)

    found = [
        shortest_candidate(
            target_of_case(case),
            SolverRun(seed=3, effort=effort, workers=workers, progress=collect, tuning=tuning),
        )
        for workers in (1, 2)
    ]
    assert found[0] == found[1]
    assert found[0].passes is not None
    assert any(stage in told for told in stages)
