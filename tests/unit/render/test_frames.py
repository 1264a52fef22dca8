"""Which frames an animation has: order, number, time, and what the last one shows."""

from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.plans import make_long_plan, make_random_plan
from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.render.frames import Frame, Timing, play_frames


def list_frames(plan: Plan, timing: Timing) -> list[Frame]:
    """The frames from the empty board on."""
    return list(play_frames(plan, replace(timing, first=0.0).schedule(plan)))


def fields(plan: Plan) -> list[list[bytes]]:
    field = Playfield(plan.width, plan.height)
    return [list(field.rows), *(list(field.rows) for _ in play(plan, field))]


@pytest.mark.parametrize("every", [2, 3, 7, 1000, "pass"])
def test_every_few_drops(every: Any) -> None:
    plan = make_random_plan(10, 20, 40, seed=5)
    ends = list(accumulate(len(pass_.pieces) for pass_ in plan.passes))
    drops = ends if every == "pass" else range(every, len(plan) + 1, every)
    played = list_frames(plan, Timing(every=every))[1:-1]
    expected = fields(plan)
    assert [[bytes(r) for r in f.squares] for f in played] == [expected[n] for n in drops]


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 21), st.integers(6, 24), st.integers(0, 60), st.integers(0, 10**6))
def test_smooth_pieces_never_touch_anything(width: int, height: int, drops: int, seed: int) -> None:
    """A falling piece may be between two squares, but never inside a filled one."""
    plan = make_random_plan(width, height, drops, seed)
    timing = Timing(smooth=True, fps=25, seconds=len(plan) / 2 or None)
    for frame in list_frames(plan, timing):
        if frame.falling is None:
            continue
        orientation, left, bottom = frame.falling
        for dx, dy in orientation.cells:
            x, y = left + dx, bottom + dy
            columns = {int(x // 1), int(-(-x // 1))}
            rows = {int(y // 1), int(-(-y // 1))}
            for column in columns:
                for row in rows:
                    assert 0 <= column < plan.width
                    assert row >= 0
                    if row < plan.height:
                        assert not frame.squares[row, column]


def test_smooth_shows_every_state_of_the_game_in_order() -> None:
    plan = make_random_plan(8, 16, 30, seed=2)
    states = [[bytes(r) for r in f.squares] for f in list_frames(plan, Timing(smooth=True))]
    position = 0
    for rows in fields(plan):
        while states[position] != rows:
            position += 1


@pytest.mark.parametrize("timing", [Timing(), Timing(smooth=True), Timing(every="pass")])
def test_number_of_frames_is_known_before(timing: Timing) -> None:
    for seed in range(5):
        plan = make_random_plan(9, 18, 10 * seed, seed)
        schedule = timing.schedule(plan)
        assert len(list(play_frames(plan, schedule))) == schedule.count_frames(plan)


@pytest.mark.parametrize("drops", [151, 1047, 3000])
@pytest.mark.parametrize("timing", [Timing(hold=0, first=0), Timing()])
def test_a_long_game_ends_after_twenty_seconds(drops: int, timing: Timing) -> None:
    """The picture that opens it and the hold at its end are counted."""
    plan = make_long_plan(drops)
    assert 19 <= sum(f.seconds for f in play_frames(plan, timing.schedule(plan))) <= 20.1


@pytest.mark.parametrize("drops", [1, 20, 59, 150])
def test_each_piece_of_a_short_game_is_seen_falling(drops: int) -> None:
    plan = make_long_plan(drops)
    frames = list_frames(plan, Timing())
    seen = sum(one.falling is None and two.falling is not None for one, two in pairwise(frames))
    assert seen == drops
    assert sum(frame.seconds for frame in frames) - 3 == pytest.approx(min(25, drops / 2), abs=0.1)


def test_a_long_game_accelerates_and_ends_slowly() -> None:
    plan = make_random_plan(40, 60, 700, seed=5)
    beats = Timing().schedule(plan).beats
    drops = [number for number, beat in enumerate(beats) for _ in range(beat.drops)]
    assert len(drops) == len(plan) > 400
    assert all(beats[number].falls for number in [*drops[:10], *drops[-9:]])
    assert max(beat.drops for beat in beats) > 1, "single pieces cannot be followed"
    paces = [beat.frames / beat.drops for beat in beats]
    middle = paces.index(min(paces))
    assert 0 < middle < len(paces) - 10
    assert paces[0] > 8 * paces[len(paces) // 2]


def test_full_rows_flash_before_they_vanish() -> None:
    plan = Plan.parse("board 4x9 I=ff0000 O=00ff00\n\n.BB.\n.BB.\nAAAA\n")
    flashes = [frame for frame in list_frames(plan, Timing()) if frame.flashing]
    assert flashes
    assert {frame.flashing for frame in flashes} == {(0,)}
    assert all(frame.squares[0].all() for frame in flashes)


def test_a_slow_piece_falls_for_a_second_and_waits() -> None:
    plan = Plan.parse("board 9x30 O=ff0000\n\n...AABB..\n...AABB..\n")
    schedule = Timing(seconds=200).schedule(plan)
    assert schedule.count_frames(plan) < 10_000
    falls = [beat for beat in schedule.beats if beat.falls]
    assert falls[0].frames == schedule.fps


def test_asked_for_times_are_kept() -> None:
    plan = make_random_plan(10, 20, 40, seed=5)
    for timing, seconds in (
        (Timing(seconds=4, hold=0, every=1), 4),
        (Timing(seconds=0.5, hold=0), 0.5),
        (Timing(seconds=60, hold=0), 60),
        (Timing(smooth=True, seconds=7, fps=30, hold=0), 7),
        (Timing(fps=10, hold=0, every=1), 0.1 * len(plan)),
    ):
        total = sum(f.seconds for f in list_frames(plan, timing))
        assert total == pytest.approx(seconds, abs=0.3)


def test_times_that_make_no_sense_are_refused() -> None:
    for name, values, message in (
        ("every", (0,), "every: 0 is out of range"),
        ("fps", (0.0, 1e-5, 1001, 5000.0), "0.01 to 1000"),
        ("seconds", (-1.0, 1e-9, 1e6, float("nan")), "0.001 to 86400"),
        ("hold", (-1.0,), "0 to 600"),
        ("first", (-1,), "first: -1 is out of range"),
    ):
        for value in values:
            with pytest.raises(InputError, match=message):
                Timing(**{name: value})  # type: ignore[arg-type]


def test_a_film_is_opened_by_its_picture() -> None:
    plan = Plan.parse("board 9x30 O=ff0000\n\n...AA....\n...AA....\n")
    plain = list(play_frames(plan, Timing(first=0).schedule(plan)))
    schedule = Timing(first=1.5).schedule(plan)
    opened = list(play_frames(plan, schedule))
    assert len(opened) == schedule.count_frames(plan) == len(plain) + 1 + schedule.opening
    assert (opened[0].squares == plain[-1].squares).all()
    assert opened[0].seconds == 1.5
    counts = [(frame.squares > 0).sum() for frame in opened[: schedule.opening + 2]]
    assert counts == sorted(counts, reverse=True), "the picture vanishes step by step"
    assert (opened[schedule.opening + 1].squares == plain[0].squares).all()
