"""Plans of pictures of our own are no longer than those recorded; see ``quality``."""

import pytest

from tests.acceptance.quality import CASES, EVERY_DAY, measure, quickest, recorded, worse
from tetrisprinter.planners.run import Stage

EVERY = quickest(*EVERY_DAY)
REST = tuple(name for name in quickest("auto", 30.0) if name not in EVERY)
"""The pictures that take least; ``scripts/quality`` compares all."""


@pytest.mark.parametrize(
    ("planner", "names"),
    [
        pytest.param("auto", EVERY, id="auto, the quickest"),
        pytest.param("auto", REST, id="auto, the rest", marks=pytest.mark.slow),
        pytest.param("rows", quickest("rows", 20.0), id="rows", marks=pytest.mark.slow),
    ],
)
def test_no_plan_is_worse_than_before(planner: str, names: tuple[str, ...]) -> None:
    before = {name: recorded()[planner][name] for name in names}
    now = {name: measure(name, planner) for name in names}
    assert not worse(before, now)
    refused = {name for name, one in before.items() if one.drops is None}
    assert refused == {name for name, one in now.items() if one.drops is None}
    assert all(one.made_by for one in now.values())


def test_the_record_knows_all_pictures_and_stages() -> None:
    for planner, found in recorded().items():
        assert set(found) == {name for name, (_, who) in CASES.items() if planner in who}
        made = {stage for one in found.values() if one.drops is not None for stage in one.made_by}
        assert made <= {str(stage) for stage in Stage}
