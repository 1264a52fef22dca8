"""How long a search takes, said before: roughly right, and never less for more."""

from __future__ import annotations

from math import isclose

import pytest

from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit
from tetrisprinter.planners.context import Request
from tetrisprinter.planners.estimate import Estimate, estimate
from tetrisprinter.printing.task import Task


def square(size: int, effort: float = 1.0) -> Request:
    return Request(Task.of(Picture((("d03020",) * size,) * size)), True, Limit(effort=effort))


def test_it_grows_with_the_picture_and_the_effort() -> None:
    seconds = [estimate(square(size)).seconds for size in (16, 64, 100, 200)]
    assert seconds == sorted(seconds)
    assert isclose(estimate(square(32, 3.0)).seconds, 3 * estimate(square(32)).seconds)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.1, "1 s"), (12, "12 s"), (70, "70 s"), (600, "10 min"), (1234, "21 min"), (50000, "14 h")],
)
def test_in_words(seconds: float, text: str) -> None:
    assert str(Estimate(seconds)) == f"about {text}"
