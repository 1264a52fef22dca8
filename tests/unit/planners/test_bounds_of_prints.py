"""Every print says how few drops any game takes, also where no formula would be small enough."""

import random

import pytest

from tetrisprinter.bounds.parts import iterate_drop_bounds
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.improve import Request, improve
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit


@pytest.mark.slow
def test_the_bound_of_noise_is_that_of_its_parts() -> None:
    rng = random.Random(3)
    rows = tuple(tuple(rng.choice(("d03020", "3060c0")) for _ in range(9)) for _ in range(7))
    task = Task.of(Picture(rows), "11x22")
    *_, last = improve(Request(task, limit=Limit(effort=0.2)))
    *_, (_, parts) = iterate_drop_bounds(last.result.task)
    assert 1.3 * (len(task.target.required) / 4) < parts
    assert parts <= last.result.bound <= last.result.drops
