"""Same seed, same plan, whatever the number of workers, with every strategy."""

from __future__ import annotations

import pytest

from tests.support.cases import CASES, target_of_case
from tetrisprinter.planners.shortest.portfolio import STAGES, climb
from tetrisprinter.planners.shortest.running import SearchRun
from tetrisprinter.planners.shortest.search import Search

SLOW = ("auto", "whole picture", "middle, auto", "middle, fixed", "large")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW)) for case in CASES]
)
def test_same_seed_same_plan(case: str) -> None:
    effort = 0.2 if case.startswith("middle") else 0.05
    found = []
    for workers in (1, 2):
        run = SearchRun(seed=3, effort=effort, workers=workers)
        found.append(climb(Search(target_of_case(case), run), STAGES))
    assert found[0] == found[1]
    assert found[0].passes is not None
