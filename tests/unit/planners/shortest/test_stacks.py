"""All stacks at once: the solver decides where rows clear, and which type shows which colour."""

from __future__ import annotations

from itertools import islice

from tests.support.judge import judge
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.planners.context import Context, Slice
from tetrisprinter.planners.improve import Request
from tetrisprinter.planners.shortest.stacks import search_stacks
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

PICTURE = Picture.parse("brrr.bb\nbbrr.bb\nbrrrrb.\nbbbrbb.", r="ff0000", b="0000ff")


def shorten(task: Task) -> tuple[PrintResult, list[Slice]]:
    """Return the last plan of the operator, and its slices."""
    context = Context(Request(task), best=make_plan(task, "rows", Limit(workers=1)))
    slices = []
    for one in search_stacks(context):
        slices.append(one)
        if one.plan is not None:
            context.best = PrintResult.of(task, one.plan, "all stacks")
    assert context.best is not None
    return context.best, slices


def test_it_finds_shorter_games_until_none_is_shorter() -> None:
    task = Task.of(PICTURE, "8x14", "auto")
    first = make_plan(task, "rows", Limit(workers=1))
    best, slices = shorten(task)
    assert best.drops < first.drops
    judge(best, PICTURE)
    assert (best.drops, max(one.bound for one in slices)) == (10, 10), "it is proved"
    games: list[Plan] = [one.plan for one in slices if one.plan is not None]
    assert [len(plan) for plan in games] == sorted({len(plan) for plan in games}, reverse=True)
    assert max(one.work for one in slices) <= 0.5, "so that a stop ends it soon"
    again = islice(search_stacks(Context(Request(task), best=first)), 5)
    assert list(again) == slices[:5], "the same work every time"
