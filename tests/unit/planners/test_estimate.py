"""How long a search takes, said before: roughly right, and never less for more."""

from math import isclose

from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit
from tetrisprinter.planners.auto import estimate_seconds
from tetrisprinter.planners.search import Request
from tetrisprinter.printing.task import Task


def square(size: int, effort: float = 1.0) -> Request:
    return Request(Task.of(Picture((("d03020",) * size,) * size)), True, Limit(effort=effort))


def test_it_grows_with_the_picture_and_the_effort() -> None:
    seconds = [estimate_seconds(square(size)) for size in (16, 64, 100, 200)]
    assert seconds == sorted(seconds)
    assert isclose(estimate_seconds(square(32, 3.0)), 3 * estimate_seconds(square(32)))
