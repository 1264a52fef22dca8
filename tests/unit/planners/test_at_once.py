"""What is known of plans in real time before they are made."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.support.strategies import sprites
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Run, make_plan
from tetrisprinter.planners.at_once import least_in_real_time
from tetrisprinter.printing.task import Task


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=9, max_height=4, max_colors=3), st.integers(1, 4))
def test_no_plan_in_real_time_falls_short_of_what_was_counted(sprite: Picture, more: int) -> None:
    task = Task.of(sprite, board=f"{max(6, sprite.width + more)}x22")
    least = least_in_real_time(task)
    told: list[int] = []
    try:
        drops = make_plan(task, "realtime", Run(keep=lambda plan: told.append(len(plan)))).drops
    except TetrisPrinterError:  # not every board can leave every picture
        assume(False)
    assert len(told) + 1 == len(least)
    assert all(before + rest <= drops for before, rest in zip((0, *told), least, strict=True))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=9, max_height=4, max_colors=3), st.integers(1, 4), st.booleans())
def test_nor_before_a_background(sprite: Picture, more: int, is_seen: bool) -> None:
    background = sprite.colors()[0] if is_seen else "ffffff"
    board = f"{max(6, sprite.width + more)}x22"
    task = Task.of(sprite, board, "auto", background=background)
    told: list[int] = []
    try:
        drops = make_plan(task, "realtime", Run(keep=lambda plan: told.append(len(plan)))).drops
    except TetrisPrinterError:
        assume(False)
    least = least_in_real_time(task)
    assert all(before + rest <= drops for before, rest in zip((0, *told), least, strict=False))


def test_what_was_counted() -> None:
    def least(drawing: str) -> int:
        return least_in_real_time(Task.of(Picture.parse(drawing), "21x42"))[0]

    assert least("rrrr") == 1  # an I
    assert least("rrrrbbbb") == (8 + 4 * 21) // 4  # no I has two colours
    assert least("rr.rr") == (4 + 4 * 21) // 4  # no piece lies flat in it
    assert least("r\nrrrr\nrr") == (1 + 3 * 21) // 4 + 1 + (2 + 2 * 21) // 4
