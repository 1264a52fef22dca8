"""What every planner that is registered must do, judged by an independent simulator."""

import time

import pytest

from tests.support.judge import play_in_oracle
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import PLANNERS, Limit, Progress, Run, make_plan
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task

TASKS = {
    "classic": Task.of(Picture.parse("rgb\nrrr"), "21x42", "classic"),
    "tiny": Task.of(Picture.parse("rr\nrg"), "5x12"),
    "two colours": Task.of(Picture.parse("rg\nrr\ngg"), "9x16"),
    "types by hand": Task.of(Picture.parse("gr.\nrrg"), "9x14", "J=d03020,T=208040,L=d03020"),
    "dealt": Task.of(Picture.parse("rrrr\nggrg", "dealt"), pieces=QueueRules(seed=1)),
    "background": Task.of(Picture.parse("rwr\nrrr"), "9x14", background="f5f5f5"),
}
IMPOSSIBLE = {
    "a row of nothing": Task.of(Picture.parse("r\n.\nr"), "9x14"),
    "a full row": Task.of(Picture.parse("rrrrr\nr...."), "5x12"),
    "a number that is never left": Task.of(Picture.parse("r"), "8x12"),
    "too large": Task.of(Picture.parse("rrr\nrrr"), "2x9"),
    "more colours than types": Task.of(
        Picture((tuple(f"{n:02x}0000" for n in range(8)),), "many"), "13x20"
    ),
}


def quick(planner: str, workers: int = 2) -> Limit:
    """Limits for a short search; the planner ``shortest`` searches twenty times as long."""
    effort = 0.005 if planner == "shortest" else 0.05
    return Limit(effort=effort, workers=workers, seed=3)


@pytest.fixture(scope="module", autouse=True)
def _load_planners() -> None:
    """Load what is large before any clock runs: on a busy machine that alone takes a second."""
    make_plan(TASKS["types by hand"], "rows", Limit())


def rows_of(cells: dict[tuple[int, int], str], task: Task) -> list[dict[int, str]]:
    """The cells of each row of the board."""
    rows: list[dict[int, str]] = [{} for _ in range(task.board.height)]
    for (x, y), color in cells.items():
        rows[y][x] = color
    return rows


def plan_or_refuse(task: Task, planner: str, run: Run | Limit | None = None) -> PrintResult | None:
    """Plan a task; None if the planner says beforehand that it is none for it."""
    obstacle = PLANNERS[planner].find_refusal(task)
    if obstacle is None:
        return make_plan(task, planner, quick(planner) if run is None else run)
    with pytest.raises(TetrisPrinterError) as raised:
        make_plan(task, planner, quick(planner))
    assert raised.value.obstacle == obstacle
    assert str(raised.value) == f"{task.name}: {obstacle}"
    assert "--" not in str(obstacle)
    return None


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("name", TASKS)
def test_it_prints_what_is_asked_for_or_refuses(planner: str, name: str) -> None:
    task = TASKS[name]
    result = plan_or_refuse(task, planner)
    if result is None:
        return
    asked = task.wanted.cells()
    left = play_in_oracle(result.plan)
    unseen = {cell for cell, color in left.items() if color == task.background}
    assert {cell: color for cell, color in left.items() if cell not in unseen} == {
        cell: color for cell, color in asked.items() if color != task.background
    }
    for cell in unseen:
        assert asked.get(cell) in (None, task.background)
    assert result.task == task
    assert result.planner in PLANNERS
    assert result.drops == len(result.plan) >= result.bound > 0
    assert 4 * result.drops == len(left) + task.board.width * result.lines
    assert (result.drops == result.bound) == (result.proof is Proof.ALL_GAMES)
    if not isinstance(task.types, str):
        assert all(task.types[piece] == color for piece, color in result.plan.colors)


def test_every_task_is_printed_by_somebody_and_every_planner_prints_some() -> None:
    takes = [
        (planner.name, name)
        for planner in PLANNERS.values()
        for name, task in TASKS.items()
        if planner.find_refusal(task) is None
    ]
    assert {name for _, name in takes} == set(TASKS)
    assert {planner for planner, _ in takes} == set(PLANNERS)


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_nobody_can_print_is_refused_with_a_sentence(planner: str, name: str) -> None:
    task = IMPOSSIBLE[name]
    with pytest.raises((InputError, JobError)) as raised:
        make_plan(task, planner, quick(planner))
    assert str(raised.value).startswith(f"{task.name}: ")
    assert "\n" not in str(raised.value)
    assert "--" not in str(raised.value)


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_number_of_workers_does_not_change_the_plan(planner: str) -> None:
    """On the first task that the planner does not refuse: a tiny one, if it takes that."""
    tasks = (TASKS[name] for name in ("tiny", "classic", "dealt"))
    task = next(task for task in tasks if PLANNERS[planner].find_refusal(task) is None)
    plans = {str(make_plan(task, planner, quick(planner, workers)).plan) for workers in (1, 3)}
    assert len(plans) == 1


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_plans_it_keeps_print_the_lowest_rows(planner: str) -> None:
    task = TASKS["two colours"]
    kept: list[Plan] = []
    reports: list[Progress] = []
    result = plan_or_refuse(task, planner, Run(quick(planner), reports.append, keep=kept.append))
    if result is None:
        return
    assert all(0 <= news.fraction <= 1 and str(news) for news in reports)
    asked = rows_of(task.wanted.cells(), task)
    for number, plan in enumerate(kept, 1):
        left = rows_of(play_in_oracle(plan), task)
        rows = next((y for y, row in enumerate(asked) if left[y] != row), len(asked))
        assert rows >= min(number, task.picture.height)
        # Squares that the next row clears may lie above, but no higher.
        assert not any(left[rows + 1 :])
    if kept:
        assert kept[-1].passes == result.plan.passes
    if PLANNERS[planner].resumes:
        for unfinished in kept[:-1]:
            run = Run(quick(planner), unfinished=unfinished)
            assert plan_or_refuse(task, planner, run) is not None


class Clock:
    """A clock that stands still until it was looked at so often, and is then past every limit."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.looks_after = 0

    def __call__(self) -> float:
        if self.looks:
            self.looks -= 1
            return 0.0
        self.looks_after += 1
        return 1e9


@pytest.mark.parametrize("looks", [2, 40])
@pytest.mark.parametrize("planner", PLANNERS)
def test_it_goes_home_when_the_time_is_up(
    planner: str, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(looks)
    task = TASKS["classic"]
    monkeypatch.setattr(time, "monotonic", clock)
    try:
        result = plan_or_refuse(task, planner, Limit(seconds=60, workers=1))
    except JobError:
        assert clock.looks_after
    else:
        assert result is None or play_in_oracle(result.plan) == task.wanted.cells()
        # The last look only tells how long it took.
        assert result is None or result.stopped or clock.looks_after <= 1
    assert clock.looks_after < 50
