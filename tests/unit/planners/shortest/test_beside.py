"""What is made beside the first attempt: plans to begin with, bands that go another way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from tests.support.judge import judge
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.rows import RowsPlanner
from tetrisprinter.planners.shortest import ShortestPlanner
from tetrisprinter.planners.shortest.model import solve
from tetrisprinter.planners.shortest.problem import PassProblem, PassSolution, SolveLimits
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import plain
from tetrisprinter.planners.shortest.slices import passes_of
from tetrisprinter.planners.shortest.strategies import attempts, bands
from tetrisprinter.planners.shortest.strategies.bands import print_by_bands
from tetrisprinter.planners.shortest.tuning import DEFAULT, Offers, Trial
from tetrisprinter.printing.obstacles import target_of
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

LOW = (Trial(plain(2, 1), 2.0, rows=2), Trial(plain(3, 2, 1), 2.0, rows=2))
BANDS = replace(
    DEFAULT,
    tiny_cells=0,
    whole_cells=0,
    dense_bands=LOW,
    sparse_bands=LOW,
    windows=(),
    merging_budget=0.0,
    proof_work_large=0.0,
    dead_ends=1,
    row_lists=1,
    band_budget_second=4.0,
    band_budget_otherwise=3.0,
    abreast=(),
)
RED, BLUE = "d03030", "3060c0"
TYPES: dict[PieceType, Color] = {PieceType.J: RED, PieceType.L: BLUE, PieceType.T: BLUE}
ROWS = ("rb.brr.", ".brrb.b", "br.bbrb")
SHOWN = {"r": RED, "b": BLUE}
PICTURE = Picture(tuple(tuple(SHOWN.get(c) for c in row) for row in ROWS), "odd rows")
TASK = Task.of(PICTURE, (7, 30), TYPES)


@pytest.fixture(scope="module")
def by_rows() -> Plan:
    """Return a plan to beat."""
    return make_plan(TASK, "rows", Limit()).plan


@pytest.mark.parametrize(
    ("effort", "types", "expected"),
    [(1.0, TYPES, [1.0, 2.5]), (0.1, TYPES, [0.1]), (1.0, "auto", [1.0])],
)
def test_rows_makes_plans_to_begin_with(
    monkeypatch: pytest.MonkeyPatch, effort: float, types: object, expected: list[float]
) -> None:
    efforts: list[float] = []
    plan = RowsPlanner.plan

    def noted(self: RowsPlanner, task: Task, run: Run) -> PrintResult:
        efforts.append(run.limit.effort)
        return plan(self, task, run)

    monkeypatch.setattr(RowsPlanner, "plan", noted)
    task = replace(TASK, types="auto") if types == "auto" else TASK
    tuning = replace(BANDS, band_budget_second=0.0, band_budget_otherwise=0.0, abreast=(2.5,))
    run = Run(Limit(effort=effort))
    plans = ShortestPlanner(tuning=tuning)._candidates(task, run)
    assert efforts == expected
    assert len(plans) == len(expected)
    assert min(map(len, plans)) <= len(plans[0])


def test_bands_beside_each_other_do_not_depend_on_the_workers(by_rows: Plan) -> None:
    plans = []
    for workers in (1, 2):
        run = Run(Limit(workers=workers), candidates=(by_rows,))
        result = ShortestPlanner(tuning=BANDS).plan(TASK, run)
        judge(result, TASK.picture)
        plans.append(result.plan)
    assert plans[0] == plans[1]
    assert len(plans[0]) <= len(by_rows)


def test_bands_end_when_what_is_known_cannot_be_beaten(by_rows: Plan) -> None:
    target = target_of(TASK)
    passes = passes_of(by_rows)
    run = SolverRun(tuning=BANDS)
    one_drop = replace(passes[0], parts=(passes[0].parts[0][:1],))
    assert print_by_bands(target, run, known=(one_drop,)) is None
    assert run.spent == 0
    print_by_bands(target, run, known=passes, budget=1.0)
    assert run.spent > 0


def test_bands_end_when_they_fall_behind(by_rows: Plan) -> None:
    target = target_of(TASK)
    passes = passes_of(by_rows)
    at_once = SolverRun(tuning=replace(BANDS, band_behind=-1.0))
    assert print_by_bands(target, at_once, known=passes) is None
    assert at_once.spent == 0
    spent = [bands._drops_until(target, passes, row) for row in range(target.rows + 1)]
    assert spent == sorted(spent)
    assert spent[0] == 0
    assert 0 < spent[-1] <= len(by_rows)  # what is begun above the last row goes after that


@pytest.mark.parametrize(("filled", "limited"), [(0.0, True), (1.0, False)])
def test_only_bands_of_sparse_pictures_are_given_up_after_a_time(
    monkeypatch: pytest.MonkeyPatch, by_rows: Plan, filled: float, limited: bool
) -> None:
    budgets: list[float] = []

    def noted(*_: object, budget: float, **__: object) -> None:
        budgets.append(budget)

    monkeypatch.setattr(attempts, "print_by_bands", noted)
    # What is filled less than this counts as sparse: all of it, or nothing.
    tuning = replace(BANDS, sparse_filled=1.0 - filled)
    ShortestPlanner(tuning=tuning).plan(TASK, Run(Limit(), candidates=(by_rows,)))
    expected = BANDS.band_budget_second if limited else float("inf")
    assert budgets[0] == expected
    assert BANDS.band_budget_otherwise in budgets


def test_a_band_that_was_solved_to_its_end_is_not_solved_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []
    every = SolverRun.solve_all

    def noted(
        self: SolverRun, jobs: Sequence[tuple[PassProblem, float, bool]]
    ) -> list[PassSolution]:
        asked.extend(work for _, work, _ in jobs)
        return every(self, jobs)

    monkeypatch.setattr(SolverRun, "solve_all", noted)
    horizon = bands._Horizon(target_of(TASK), SolverRun(tuning=BANDS), LOW, 1)
    short, ended = (2, plain(3, 2, 1)), (2, plain(2, 1))
    first = horizon._solved(0, {short: 0.001, ended: 2.0})
    assert [one.complete for one in first] == [False, True]
    assert horizon._solved(0, {short: 0.001, ended: 3.0}) == first  # with no more time
    assert asked == [0.001, 2.0]
    (again,) = horizon._solved(0, {short: 2.0})
    assert again.complete
    assert asked == [0.001, 2.0, 2.0]


def test_a_late_solution_that_is_good_enough_is_taken() -> None:
    horizon = bands._Horizon(target_of(TASK), SolverRun(tuning=BANDS), LOW, 1)
    problem = horizon._problem(0, 2, plain(3, 2, 1))
    assert problem.enough < 0  # there is no plan to beat
    best = solve(problem, SolveLimits())
    taken = solve(replace(problem, enough=1000), SolveLimits(late=0))
    assert best.complete
    assert best.cost < taken.cost < float("inf")
    assert not taken.complete
    assert taken.work < best.work
    assert solve(replace(problem, enough=1000), SolveLimits(late=1e9)) == best
    assert solve(replace(problem, enough=int(best.cost) - 1), SolveLimits(late=0)) == best


def test_a_band_clearly_shorter_than_the_plan_to_beat_is_good_enough(by_rows: Plan) -> None:
    target, passes = target_of(TASK), passes_of(by_rows)
    horizon = bands._Horizon(target, SolverRun(tuning=BANDS), LOW, 1, passes)
    cells = target.width * sum(one.shape.lines for one in passes)
    share = horizon.run.tuning.band_enough
    assert horizon._problem(0, target.rows, plain(2, 1)).enough == int(share * cells)
    assert horizon._problem(0, 1, plain(2, 1)).enough == int(share * cells / target.rows)


def test_tall_matrices_wait_for_a_look_further_ahead(by_rows: Plan) -> None:
    target, passes = target_of(TASK), passes_of(by_rows)
    asked: list[Offers] = []

    class Refuted(bands._Horizon):
        def _solved(self, row: int, some: Mapping[bands._Band, float]) -> list[PassSolution]:
            asked.extend(offers for _, offers in some)
            return [PassSolution(None, True, 0, 0.0) for _ in some]

    for known, steps, extra, tried in ((passes, 1, 0, 1), (passes, 1, 1, 2), (passes, 0, 0, 2)):
        asked.clear()
        run = SolverRun(tuning=BANDS)
        back = [(0, frozenset[Cell]())] * steps
        horizon = Refuted(target, run, LOW, 1, known, back=back, extra=extra)
        assert horizon._band(0) is None
        assert asked == [one.offers for one in LOW][:tried]
