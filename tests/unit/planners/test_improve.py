"""One search: verified plans, each shorter; what ends it; which operator gets the next slice."""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from tests.support.judge import judge
from tests.support.scenes import SCENES
from tetrisprinter.api import print_picture
from tetrisprinter.bounds.parts import iterate_drop_bounds
from tetrisprinter.errors import JobError
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.planners.context import Context, Operator, Slice
from tetrisprinter.planners.improve import SEARCH, Incumbent, Request, improve
from tetrisprinter.planners.operators import OPERATORS
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.support.stop import Stop

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")
TALL = Picture(FLAG.rows * 12, "tall")


def request(picture: Picture = FLAG, effort: float = 0.3) -> Request:
    return Request(Task.of(picture), True, Limit(workers=1, effort=effort))


def drops_of(found: Iterator[Incumbent]) -> list[int]:
    return [one.result.drops for one in found]


def test_each_plan_is_verified_and_shorter() -> None:
    results = [one.result for one in improve(request(effort=0.6))]
    for result in results:
        judge(result, FLAG)
    drops = [result.drops for result in results]
    assert drops[:-1] == sorted(set(drops), reverse=True)
    assert results[-1].plan == results[-2].plan, "the last comes twice"
    assert results[-1].work >= results[-2].work
    assert any("board:" in str(step) for step in results[-1].steps)


def test_more_effort_is_never_worse() -> None:
    drops = [drops_of(improve(request(effort=effort)))[-1] for effort in (0.1, 0.3, 0.5, 0.8)]
    assert drops == sorted(drops, reverse=True)


def test_a_search_with_a_plan_does_not_wait_for_a_full_print() -> None:
    first = next(one for one in OPERATORS if one.name == Stage.FIRST)
    useless = Operator(
        Stage.LNS, lambda context: context.best is not None,
        lambda _: (Slice(0.2) for _ in count()), lambda _: 1.0,
    )  # fmt: skip
    *_, last = improve(request(effort=1.0), operators=(first, useless))
    assert last.work < 1.2 * SEARCH.work


def test_the_order_does_not_depend_on_the_effort() -> None:
    """So one run shows what all smaller efforts come to."""
    longest = [(one.result.plan, one.work) for one in improve(request(effort=1.0))][:-1]
    for effort in (0.2, 0.5):
        found = [(one.result.plan, one.work) for one in improve(request(effort=effort))][:-1]
        assert found == longest[: len(found)]
        assert len(found) > 1


def test_what_is_named_is_kept() -> None:
    fixed = Task.of(FLAG, "11x20", "classic")
    *_, found = improve(Request(fixed, limit=Limit(effort=0.1)))
    assert (found.result.task, found.result.steps) == (fixed, ())


@pytest.mark.slow
def test_of_a_large_picture_samples_decide_and_all_rows_are_printed_once() -> None:
    seen: list[str] = []
    large = Picture(tuple(row * 6 for row in FLAG.rows) * 10, "large")
    plans = list(improve(request(large, 1.0), report=lambda news: seen.append(news.stage)))
    found = plans[-1]
    judge(found.result, large)
    assert found.operator == Stage.WHOLE
    assert seen.count(Stage.WHOLE) == 1
    assert Stage.RACE in seen
    assert Stage.LNS not in seen, "its formulas take gigabytes"
    names = [one.operator for one in plans]
    assert names[0] == Stage.FIRST, "before any sample, with little effort"
    assert plans[0].work < plans[-1].work / 3
    assert plans[0].result.drops <= 1.5 * found.result.drops


@pytest.mark.slow
def test_a_photo_whose_prints_run_out_of_work_is_printed_in_samples_first() -> None:
    """The estimate is too low where some colours only have I or O."""
    photo = SCENES["flower"][1]()
    found = [
        print_picture(photo, fit=(22, 22), limit=Limit(workers=workers, effort=1.0))
        for workers in (1, 2)
    ]
    assert found[0].made_by[0] == Stage.WHOLE
    assert found[0].plan == found[1].plan
    assert found[0].task.picture.width == 22, "no simpler picture was needed"


@pytest.mark.parametrize("wait", [0.05, 0.4])
def test_a_stop_from_outside_ends_it_at_once(wait: float) -> None:
    stop, asked_at = Stop(), [0.0]

    def ask() -> None:
        asked_at[0] = time.process_time()  # a busy machine makes no difference
        stop.request()

    threading.Timer(wait, ask).start()
    try:
        found = drops_of(improve(request(TALL, 1000.0), stop))
    except KeyboardInterrupt:
        found = []
    assert time.process_time() - asked_at[0] < 3, "0.2 s of its own time; a machine may be slow"
    assert found == sorted(found, reverse=True)


def test_known_plans_are_begun_with_unless_they_are_wrong() -> None:
    known = make_plan(Task.of(FLAG), "rows").plan
    other = make_plan(Task.of(Picture.parse("rr\nrr")), "rows").plan
    found = next(improve(replace(request(), known=(other, known))))
    assert (found.operator, found.result.plan) == ("known plan", known)


def fail() -> None:
    raise JobError("no row could be printed")


def _constant(
    name: str, work: float, promise: float, decay: int = 2
) -> tuple[Operator, list[float]]:
    """Return an operator that finds nothing, and a list of what the search had spent then."""
    asked: list[float] = []

    def slices(context: Context) -> Iterator[Slice]:
        while True:
            asked.append(context.spent)
            yield Slice(work)

    operator = Operator(name, lambda c: c.best is not None, slices, lambda _: promise, decay=decay)
    return operator, asked


def test_no_operator_is_starved_and_the_promising_one_gets_most() -> None:
    plan = make_plan(Task.of(FLAG), "rows").plan
    poor, poor_asked = _constant("poor", 0.1, 1e-6)
    rich, rich_asked = _constant("rich", 0.1, 0.5)
    asking = replace(request(effort=100.0), known=(plan,))
    *_, last = improve(asking, operators=(poor, rich))
    assert 0.02 * last.work < 0.1 * len(poor_asked) < 0.5 * last.work
    assert len(rich_asked) > len(poor_asked)


def test_what_may_win_late_gets_most_of_a_long_search() -> None:
    plan = make_plan(Task.of(FLAG), "rows").plan
    soon, soon_asked = _constant("soon", 0.1, 0.9)
    late, late_asked = _constant("late", 0.1, 0.3, decay=1)
    asking = replace(request(effort=30.0), known=(plan,))
    *_, last = improve(asking, operators=(soon, late))
    early = [sum(spent < last.work / 12 for spent in asked) for asked in (soon_asked, late_asked)]
    assert early[0] >= early[1], "the greater promise comes first"
    assert len(late_asked) > 2 * len(soon_asked), "but it fades faster"


def test_a_wrong_plan_and_a_failure_cost_none_that_is_right() -> None:
    plan = make_plan(Task.of(FLAG), "rows").plan
    wrong = replace(plan, passes=plan.passes[:-1])

    def slices(_: Context) -> Iterator[Slice]:
        yield Slice(0.1, wrong)
        fail()

    operator = Operator("wrong", lambda _: True, slices, lambda _: 1.0)
    asking = replace(request(), known=(plan,))
    found = list(improve(asking, operators=(operator,)))
    assert {one.result.plan for one in found} == {plan}


def test_on_a_narrow_board_a_game_without_a_clear_is_found_and_ends_the_search() -> None:
    task = Task.of(Picture.parse("rrrrgggg\nrrrrgggg"), "10x12")
    result = make_plan(task, "auto", Limit())
    assert (result.drops, result.lines, result.proof) == (4, 0, Proof.ALL_GAMES)


def test_what_rows_cannot_print_is_left_to_the_solver() -> None:
    picture = Picture.parse("rr\nrr")

    def nothing(_: Context) -> Iterator[Slice]:
        fail()
        yield Slice(0.0)

    table = tuple(
        replace(one, slices=nothing) if "plan" in one.name or "boards" in one.name else one
        for one in OPERATORS
    )
    *_, found = improve(Request(Task.of(picture, "8x12")), operators=table)
    assert isinstance(found.result, PrintResult)
    assert (found.operator, found.result.drops) == ("solver", 1)


@pytest.mark.slow
def test_where_the_first_types_resist_others_are_tried_before_all_work_is_theirs() -> None:
    """Six colours on ten columns took five units, all of them for the first plan."""
    stripes = Picture.parse("rg\nby\npc\nrg\nby\npc")
    first = next(improve(Request(Task.of(stripes, "10x22", "auto"))))
    assert first.work < 2.5


def test_a_small_picture_that_nothing_prints_is_given_up_soon() -> None:
    spent = 0.0

    def count(context: Context) -> Iterator[Slice]:
        nonlocal spent
        while True:
            spent += 0.1
            yield Slice(0.1)

    table = (Operator("vain", lambda _: True, count, lambda _: 1.0),)
    with pytest.raises(JobError):
        list(improve(Request(Task.of(Picture.parse(".gb\n.b."), "5x3")), operators=table))
    assert 0.5 < spent < 3
    whole, spent = spent, 0.0
    simpler = Request(Task.of(Picture.parse(".gb\n.b."), "5x3"), is_simpler=True)
    with pytest.raises(JobError):
        list(improve(simpler, operators=table))
    assert spent < 0.6 * whole, "the version before it had its work"


def test_a_small_picture_without_a_row_by_row_print_has_time_for_a_solver() -> None:
    """With less it was simplified, though a game exists."""
    picture = Picture.parse("2.\n..\n12", **{"1": "d03020", "2": "308040"})
    result = print_picture(picture, board="6x4")
    assert result.made_by == (Stage.LNS,)
    assert not any("repaired" in str(step) for step in result.steps)


@pytest.mark.slow
def test_a_print_of_noise_has_the_bound_of_its_parts() -> None:
    rng = random.Random(3)
    rows = tuple(tuple(rng.choice(("d03020", "3060c0")) for _ in range(9)) for _ in range(7))
    task = Task.of(Picture(rows), "11x22")
    *_, last = improve(Request(task, limit=Limit(effort=0.2)))
    *_, (_, parts) = iterate_drop_bounds(last.result.task)
    assert 1.3 * (len(task.target.required) / 4) < parts
    assert parts <= last.result.bound <= last.result.drops
