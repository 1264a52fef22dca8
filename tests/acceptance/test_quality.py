"""Plans of pictures of our own are no longer than those recorded; see ``quality``."""

from __future__ import annotations

import pytest

from tests.acceptance.quality import CASES, EVERY_DAY, measure, recorded, worse
from tetrisprinter.planners.stages import Stage

WHO = [
    pytest.param(planner, marks=[] if planner == EVERY_DAY else [pytest.mark.slow])
    for planner in recorded()
]


@pytest.mark.parametrize("planner", WHO)
def test_no_plan_is_worse_than_before(planner: str) -> None:
    before = recorded()[planner]
    now = {name: measure(name, planner) for name in before}
    assert not worse(before, now)
    refused = {name for name, one in before.items() if one.drops is None}
    assert refused == {name for name, one in now.items() if one.drops is None}
    assert all(one.made_by for one in now.values())


def test_the_record_knows_all_pictures_and_stages() -> None:
    for planner, found in recorded().items():
        assert set(found) == {name for name, (_, who) in CASES.items() if planner in who}
        made = {stage for one in found.values() if one.drops is not None for stage in one.made_by}
        assert made <= {str(stage) for stage in Stage}
