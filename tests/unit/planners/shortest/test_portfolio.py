"""The stages: which plan counts, which costs nothing, and what ends a search."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from tests.oracles.game import replay
from tests.support.judge import judge
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.shortest import ShortestPlanner
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.planners.shortest.portfolio import STAGES, Entry, climb
from tetrisprinter.planners.shortest.running import SearchRun
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.obstacles import target_of
from tetrisprinter.printing.task import Task

RED, BLUE = "d03030", "3060c0"
TYPES: dict[PieceType, Color] = {PieceType.J: RED, PieceType.L: BLUE, PieceType.T: BLUE}
PICTURE = Picture.parse("rb.brr.\n.brrb.b\nbr.bbrb", r=RED, b=BLUE)
TASK = Task.of(PICTURE, (7, 30), TYPES, None, 0)


@pytest.fixture(scope="module")
def by_rows() -> Plan:
    """Return a plan to beat."""
    return make_plan(TASK, "rows", Limit()).plan


def stage_of(name: Stage, passes: tuple[Pass, ...]) -> Entry:
    """Return a stage that hands something in."""
    return Entry(name, lambda _: True, lambda _: 1.0, lambda s, _: s.take(Candidate(passes)))


def left(passes: tuple[Pass, ...] | None) -> set[Cell]:
    """Play passes on a board as wide as the picture's; return the squares that stay."""
    assert passes is not None
    plan = Plan(passes, (), TASK.board.width, TASK.board.height)
    return set(replay(drop_log(plan, play_through(plan))))


def test_a_wrong_plan_costs_none_that_is_right(by_rows: Plan) -> None:
    right = by_rows.passes
    short = right[:-1]
    stages = (
        stage_of(Stage.PROOF, short),
        stage_of(Stage.LNS, (replace(right[0], pieces=()), *right[1:])),
        stage_of(Stage.WHOLE_GAMES, right),
    )
    run = Run(Limit(effort=0.01), candidates=())
    result = ShortestPlanner(stages=stages).plan(TASK, run)
    judge(result, PICTURE)
    assert result.drops <= len(by_rows)
    assert result.made_by == (Stage.WHOLE_GAMES,) or result.drops < len(by_rows)
    known = ShortestPlanner(stages=stages[:2]).plan(TASK, replace(run, candidates=(by_rows,)))
    judge(known, PICTURE)


def test_nothing_is_asked_when_nothing_can_be_shorter(by_rows: Plan) -> None:
    asked: list[str] = []

    def noted(search: Search, _work: float) -> None:
        asked.append(search.stage)
        search.take(Candidate(by_rows.passes))

    stages = tuple(replace(STAGES[0], name=name, run=noted) for name in (Stage.PROOF, Stage.LNS))
    search = Search(target_of(TASK), SearchRun(bound=len(by_rows)))
    assert climb(search, stages).drops == len(by_rows)
    assert asked == [Stage.PROOF]


def test_looking_and_proving_share_one_amount_of_work() -> None:
    """Each is given what others left, and never more."""
    search = Search(target_of(TASK), SearchRun(effort=0.25))
    given: list[float] = []

    def uses_half(search: Search, work: float) -> None:
        given.append(work)
        search.run.spent += work / 2

    def at_most(most: float) -> Entry:
        return replace(STAGES[0], budget=lambda _: most, run=uses_half)

    whole, target = search.left, search.target
    climb(search, (at_most(inf), at_most(0.5), at_most(inf)))
    assert whole == pytest.approx(search.budgets.work * 0.25 * target.width * target.rows)
    assert given == pytest.approx([whole, 0.5, whole / 2 - 0.25])


def test_the_proof_goes_on_where_it_was() -> None:
    task = Task.of(Picture.parse("r.b.r.\n.b.r.b", r=RED, b=BLUE), (6, 12), TYPES, None, 0)
    search = Search(target_of(task), SearchRun())
    first, last = (stage for stage in STAGES if stage.name is Stage.PROOF)
    climb(search, (replace(first, budget=lambda _: 0.1),))
    begun, views = search.run.bound, {key: list(ones) for key, ones in search.views.items()}
    climb(search, (last,))
    assert begun < search.run.bound
    assert views
    assert all(search.views[question][: len(ones)] == ones for question, ones in views.items())
    assert search.run.spent < search.left


def test_no_stage_depends_on_the_workers(by_rows: Plan) -> None:
    for stage in STAGES:
        found = []
        for workers in (1, 2):
            budgets = replace(DEFAULT, work=0.02, turn=0.2, games=(40, 2, 1))
            search = Search(target_of(TASK), SearchRun(workers=workers), budgets)
            search.take(Candidate(by_rows.passes))
            found.append(climb(search, (stage,)))
        assert found[0] == found[1]
        assert left(found[0].passes) == search.target.required


def test_the_bound_is_raised_first_and_a_game_that_meets_it_ends_the_search() -> None:
    search = Search(target_of(Task.of(Picture.parse("rr\nrr", r=RED), "8x12")), SearchRun())
    assert climb(search, STAGES).drops == search.run.bound == 1
    assert search.incumbent.made_by == (Stage.PROOF,)
