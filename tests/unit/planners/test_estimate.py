"""How long a job takes, said before: roughly right, and never less for more."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, SPRITES
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import as_picture
from tetrisprinter.planners import PLANNERS, Limit, make_plan
from tetrisprinter.planners.estimate import Estimate, estimate, what_more
from tetrisprinter.printing.result import Proof
from tetrisprinter.printing.task import Task


def square(size: int) -> Task:
    return Task.of(Picture((("d03020",) * size,) * size))


@pytest.mark.parametrize("planner", PLANNERS)
def test_it_grows_with_the_picture_and_the_effort(planner: str) -> None:
    found = [estimate(square(size), planner) for size in (4, 16, 64, 200)]
    for number in ("drops", "seconds"):
        numbers = [getattr(one, number) for one in found]
        assert numbers == sorted(set(numbers))
    efforts = [estimate(square(32), planner, Limit(effort=e)).seconds for e in (1, 2, 3, 11, inf)]
    assert efforts == sorted(efforts)
    assert estimate(square(200), planner, Limit(seconds=3)).seconds <= 3


@pytest.mark.parametrize("path", SPRITES, ids=lambda path: path.stem)
def test_drops_of_the_examples(path: Path) -> None:
    task = Task.of(as_picture(path).picture, "21x42", "classic")
    expected = estimate(task).drops
    assert expected / 2 < make_plan(task).drops < 1.6 * expected


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.1, "a few seconds"), (12, "ten seconds"), (31, "half a minute"), (70, "a minute"),
        (600, "10 minutes"), (1234, "21 minutes"), (50000, "14 hours"),
    ],
)  # fmt: skip
def test_in_words(seconds: float, text: str) -> None:
    assert str(Estimate(1234, seconds)) == f"about 1200 drops and {text}"


def test_what_the_next_step_takes_is_said_and_no_number_of_drops() -> None:
    task = Task.of(as_picture(EXAMPLES / "mushroom.png").picture, "21x42", "classic")
    result = make_plan(task)
    said = what_more(result, Limit())
    assert said is not None
    assert re.fullmatch("--effort 2 looks for fewer, for (a|[0-9]+) minutes? of a processor", said)
    assert what_more(result, Limit(effort=3)) is None, "nobody asked for the third"
    over = (
        replace(result, stopped=True),
        replace(result, proof=Proof.ALL_GAMES),
        replace(result, bound=result.drops),
    )
    for one in over:
        assert what_more(one, Limit()) is None
    assert what_more(result, Limit(effort=inf)) is None


def test_a_board_that_is_chosen_is_narrow() -> None:
    task = square(16)
    usual, chosen = estimate(task), estimate(task, any_board=True)
    assert chosen.drops < usual.drops
    assert chosen.seconds < usual.seconds
