"""Films and clocks in the page: each picture stands, and a clock follows the time of day."""

import pytest

from tests.support.pages import Page, assert_shows, play_drops, set_speed
from tests.support.waiting import wait_until
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.api.slideshows import (
    continue_game,
    make_clock_tasks,
    make_slideshow_tasks,
    plan_slideshow,
)
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.text import parse_minutes
from tetrisprinter.support.options import Limit

_RECORD = """
const drop = document.getElementById("n-drop"); window.seen = [];
const look = now => {
  const at = +drop.textContent;
  if (!seen.length || seen[seen.length - 1][0] !== at) seen.push([at, now]);
  requestAnimationFrame(look);
};
look(performance.now());
"""


def film_plan(*, loop: bool = False, over: bool = False) -> Plan:
    first, second = Picture.parse("r..r\nrrrr", "first"), Picture.parse("bb\n.b\nrb", "second")
    tasks, _ = make_slideshow_tasks([first, second], PictureRequest.of({"board": "9x12"}))
    limit = Limit(workers=1, effort=0.1)
    if not over:
        return plan_slideshow(tasks, loop=loop, limit=limit).plan
    _, _, lies = continue_game(plan_slideshow(tasks[:1], limit=limit).plan, [second])
    return plan_slideshow([tasks[1], tasks[1]], start=lies, limit=limit).plan


@pytest.mark.slow
@pytest.mark.parametrize("over", [False, True])
def test_a_film_holds_each_picture_and_ends(page: Page, over: bool) -> None:
    plan = film_plan(over=over)
    stop = plan.stops[0]
    assert (stop < len(plan)) != over  # the same picture again takes no drop
    page.open(plan, hold=0.8)
    assert_shows(page, plan, 0)
    page.js(_RECORD)
    set_speed(page, 100)
    page.press(" ")
    if not over:
        wait_until(lambda: page.drop == stop)
        assert_shows(page, plan, stop)
    wait_until(lambda: page.drop == len(plan))
    assert_shows(page, plan, len(plan))
    page.frames(60)  # longer than a picture stands
    assert page.drop == len(plan)
    since = dict(page.js("return seen"))
    later = [moment for drop, moment in since.items() if drop > stop]
    assert over or min(later) - since[stop] >= 780


def test_the_picture_so_far_is_that_of_the_next_stop(page: Page) -> None:
    """In full colour what is printed, paler what is to come, of the picture being printed."""
    plan = film_plan()
    middles = (
        "const c = document.getElementById('picture'), d = c.getContext('2d');"
        "const s = c.height / arguments[0], bar = (c.width - arguments[1] * s) / 2;"
        "return [...Array(arguments[0]).keys()].map(y => [...Array(arguments[1]).keys()].map(x =>"
        "[...d.getImageData(bar + (x + .5) * s, c.height - (y + .5) * s, 1, 1).data.slice(0, 3)]))"
    )
    for drops, number in ((plan.stops[0], 0), (plan.stops[0] + 1, 1), (len(plan), 1)):
        page.open(plan, f"#drop={drops}")
        ends = [play_drops(plan, stop) for stop in plan.stops]
        used = [x for end in ends for row in end.used_rows for x, v in enumerate(row) if v]
        left, right = min(used), max(used) + 1
        high = max(len(end.used_rows) for end in ends)
        wanted = [[bool(v) for v in row[left:right]] for row in ends[number].rows[:high]]
        seen = page.js(middles, high, right - left)
        assert [[any(color) for color in row] for row in seen] == wanted, drops
        if drops in plan.stops:
            assert all(max(color) > 150 for row in seen for color in row if any(color))


def test_a_film_that_loops_begins_again(page: Page) -> None:
    plan = film_plan(loop=True)
    page.open(plan, hold=0.3)
    page.js(_RECORD)
    set_speed(page, 100)
    page.press(" ")
    wait_until(lambda: page.js("return seen.filter(one => one[0] === arguments[0]).length > 1",
                               len(plan)), "the end, twice")  # fmt: skip
    page.press(" ")
    assert_shows(page, plan, page.drop)


_AT = """
const [hours, minutes, seconds] = arguments, real = window.realNow || Date.now;
window.realNow = real;
const then = new Date(2024, 0, 10, hours, minutes, seconds).getTime();
Date.now = () => then;
"""


@pytest.mark.slow
def test_a_clock_follows_the_time_of_day(page: Page) -> None:
    limit = Limit(workers=1, effort=0.1)
    plan = plan_slideshow(make_clock_tasks(parse_minutes("09:58"), 3), limit=limit).plan
    first, second, last = plan.stops
    page.open(plan, first_minute=parse_minutes("09:58"))
    page.js(_AT, 9, 58, 10)
    page.press(" ")
    for time, least, most in (
        ((9, 58, 20), first, first),
        ((9, 58, 56), first + 1, second - 1),
        ((9, 59, 0), second, second),
        ((9, 59, 57), second + 1, last - 1),
        ((10, 0, 30), last, last),
        ((9, 58, 5), first, first),
        ((23, 0, 0), last, last),
        ((9, 57, 59), last, last),
    ):
        page.js(_AT, *time)
        wait_until(lambda: least <= page.drop <= most, f"{time}", 100)  # noqa: B023
        if least == most:
            page.frames(3)
            assert_shows(page, plan, least)
