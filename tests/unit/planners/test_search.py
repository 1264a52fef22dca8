"""The search: verified plans, each shorter than the one before, and what ends it."""

import math
import random
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.judge import judge
from tests.support.scenes import SCENES
from tests.support.shared_solvers import list_solver_processes
from tetrisprinter.api import print_picture
from tetrisprinter.bounds.parts import iterate_drop_bounds
from tetrisprinter.errors import InternalError, JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan, search
from tetrisprinter.planners.auto import AUTO, SHORTEST
from tetrisprinter.planners.first_game import (
    Choices,
    Trial,
    TrialResult,
    list_first_rounds,
    print_rows,
)
from tetrisprinter.planners.from_below import BandPrint, join_halves
from tetrisprinter.planners.run import Progress, Run, Stage, TimeUpError
from tetrisprinter.planners.search import estimate_default_work, improve
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import Assignments
from tetrisprinter.support.signals import Stop

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")
SMALL = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb")
SMALL_TYPES = {piece: SMALL.colors()[number % 3] for number, piece in enumerate(PieceType)}
TALL = Picture(FLAG.rows * 12, "tall")


def on_open_board(
    picture: Picture = SMALL, effort: float = 0.1, workers: int = 1, **settings: Any
) -> tuple[Task, Run]:
    """Return a task whose board and types are open, and the run of its search."""
    limit = Limit(workers=workers, effort=effort)
    return Task.of(picture), Run(limit, any_board=True, **settings)


# -- plans -----------------------------------------------------------------------------------------


def test_each_plan_is_verified_and_shorter() -> None:
    found = list(improve(*on_open_board()))
    for one in found:
        judge(one, SMALL)
    drops = [one.drops for one in found]
    assert drops[:-1] == sorted(set(drops), reverse=True)
    assert found[-1].plan == found[-2].plan, "the last comes twice"
    assert [one.work for one in found] == sorted(one.work for one in found)
    assert any("board:" in str(step) for step in found[-1].steps)


@pytest.mark.parametrize("picture", [SMALL, pytest.param(FLAG, marks=pytest.mark.slow)])
def test_the_order_depends_neither_on_the_effort_nor_on_the_workers(picture: Picture) -> None:
    """So more effort is never worse: one run shows what all smaller efforts come to."""
    longest, by_two, shorter = (
        [(one.plan, one.work) for one in improve(*on_open_board(picture, effort, workers))]
        for effort, workers in ((0.1, 1), (0.1, 2), (0.03, 1))
    )
    assert by_two == longest
    assert shorter[:-1] == longest[: len(shorter) - 1]
    assert len(longest) > 2


def test_what_is_named_is_kept() -> None:
    fixed = Task.of(SMALL, "11x20", "classic")
    *_, found = improve(fixed, Run(Limit(workers=1, effort=0.05)))
    assert (found.task, found.steps) == (fixed, ())
    judge(found, SMALL)


def test_the_chosen_board_is_described_by_how_many_were_tried() -> None:
    """It said "11 columns, the narrowest", though the first plan had 9."""
    found = list(improve(*on_open_board(FLAG, effort=0.1)))
    assert len({one.task.board for one in found}) > 1
    assert "the best of" in str(found[-1].steps[0])


def test_known_plans_are_begun_with_unless_they_are_wrong() -> None:
    known = make_plan(Task.of(SMALL), "rows").plan
    other = make_plan(Task.of(Picture.parse("rr\nrr")), "rows").plan
    found = next(improve(*on_open_board(known=(other, known))))
    assert (found.made_by, found.plan) == ((Stage.KNOWN,), known)


def test_a_wrong_plan_of_the_search_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(Task.of(SMALL), "rows").plan
    wrong = TrialResult(Task.of(SMALL), 0.1, replace(plan, passes=plan.passes[:-1]))
    monkeypatch.setattr(search, "print_rows", lambda *_: wrong)
    with pytest.raises(InternalError):
        list(improve(*on_open_board()))


def test_a_plan_that_can_be_played_is_better_than_a_shorter_one() -> None:
    """The first plan is too short for the rule; others are found and then shortened."""
    known = make_plan(Task.of(SMALL), "rows").plan

    def can_play(plan: Plan) -> bool:
        return plan != known and len(plan) % 2 != len(known) % 2

    found = list(improve(*on_open_board(effort=0.03, can_play=can_play, known=(known,))))
    playable = [can_play(one.plan) for one in found]
    assert playable == sorted(playable), "once it can be played, it stays so"
    assert playable[-1]
    judge(found[-1], SMALL)


# -- what rows cannot print ------------------------------------------------------------------------


def test_what_rows_cannot_print_is_found_by_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "list_first_rounds", lambda *_: iter(()))
    *_, found = improve(Task.of(Picture.parse("rr\nrr"), "8x12"), Run(Limit(workers=1)))
    assert found.made_by[0] in (Stage.BANDS, Stage.WHOLE)
    assert found.drops == 1


def test_a_small_picture_without_a_row_by_row_print_is_left_to_the_solver() -> None:
    """With less work it was simplified, though a game exists."""
    picture = Picture.parse("2.\n..\n12", **{"1": "d03020", "2": "308040"})
    result = print_picture(picture, board="6x4", limit=Limit(workers=1, effort=0.4))
    judge(result, picture, result.task.background)
    assert not any("repaired" in str(step) for step in result.steps)


def test_an_impossible_picture_is_given_up() -> None:
    """No theorem forbids it, and no game is found."""
    task = Task.of(Picture.parse(".gb\n.b."), "5x3")
    with pytest.raises(JobError, match=r"no plan was found|no game on a board") as raised:
        list(improve(task, Run(Limit(workers=1, effort=0.01))))
    assert not isinstance(raised.value, TimeUpError)


def list_failing_trials(choices: Choices, gives_up: bool = False) -> list[Trial]:
    """Return all trials of a first game if none succeeds."""
    rounds, trials = list_first_rounds(choices, gives_up), list[Trial]()
    asked = next(rounds, ())
    while asked:
        trials += asked
        try:
            asked = rounds.send([TrialResult(trial.task, 0.1) for trial in asked])
        except StopIteration:
            break
    return trials


def test_without_an_assignment_of_types_there_is_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Assignments, "next", lambda *_: None)
    task = replace(Task.of(TALL), types="auto")
    assert list_failing_trials(Choices(task, any_board=True)) == []


def test_a_picture_with_simpler_versions_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """An emoji of 48x48 squares took 200 s before a version in fewer colours was tried."""
    task = replace(Task.of(TALL), types="auto")
    choices = Choices(task, any_board=True)
    trials, every = list_failing_trials(choices, True), list_failing_trials(choices)
    assert trials == every[: len(trials)]
    assert max(trial.effort for trial in trials) < max(trial.effort for trial in every)
    run = Run(Limit(workers=1), any_board=True, gives_up=True)
    assert AUTO.scale_run(run).gives_up
    assert not SHORTEST.scale_run(run).gives_up, "it searches twenty times as long"
    monkeypatch.setattr(search, "list_first_rounds", lambda *_: iter(()))
    reports: list[Progress] = []
    with pytest.raises(JobError, match="no plan was found"):
        list(improve(task, replace(run, report=reports.append)))
    assert {one.stage for one in reports} == {Stage.FIRST}


def test_on_a_narrow_board_a_game_without_a_clear_is_found_and_ends_the_search() -> None:
    task = Task.of(Picture.parse("rrrrgggg\nrrrrgggg"), "10x12")
    result = make_plan(task, "auto", Limit(workers=1))
    assert (result.drops, result.lines, result.proof) == (4, 0, Proof.ALL_GAMES)


@pytest.mark.slow
def test_where_the_first_types_resist_others_are_tried_before_all_work_is_theirs() -> None:
    """Six colours on ten columns took five units, all of them for the first plan."""
    stripes = Picture.parse("rg\nby\npc\nrg\nby\npc")
    first = next(improve(Task.of(stripes, "10x22", "auto"), Run(Limit(workers=1))))
    assert first.work < 2.5


# -- sizes -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_bands_print_a_tall_picture_with_far_fewer_drops() -> None:
    """The first plan comes at once; bands that stand when the work ends get their upper rows."""
    six, seen = Picture(FLAG.rows * 6, "six"), list[Progress]()
    found = list(improve(*on_open_board(six, 0.4, report=seen.append)))
    judge(found[-1], six)
    assert found[0].made_by == (Stage.FIRST,)
    assert found[0].work < found[-1].work / 3
    assert found[-1].made_by[0] in (Stage.BANDS, Stage.WINDOWS)
    assert found[-1].drops < 0.8 * found[0].drops
    assert all(0 <= news.fraction <= 1 for news in seen)
    assert seen[0].drops is None, "the first report comes before the first game"
    drops = [news.drops for news in seen if news.drops is not None]
    assert drops == sorted(drops, reverse=True)


@pytest.mark.parametrize("effort", [0.02, 0.2])
def test_a_picture_is_printed_in_two_halves(monkeypatch: pytest.MonkeyPatch, effort: float) -> None:
    """With too little work for both, the lower half is continued."""
    monkeypatch.setattr(search, "_SPLIT", (0, 0))
    monkeypatch.setattr(search, "_WHOLE_CELLS", 0)
    joined = list[BandPrint]()

    def join(*halves: BandPrint) -> BandPrint:
        joined.append(join_halves(*halves))
        return joined[-1]

    monkeypatch.setattr(search, "join_halves", join)
    found = list(improve(*on_open_board(Picture(FLAG.rows * 2, "two"), effort)))
    judge(found[-1], Picture(FLAG.rows * 2, "two"))
    assert [print_.is_complete for print_ in joined] == [effort == 0.2]


@pytest.mark.slow
def test_a_photo_is_printed_without_a_simpler_picture() -> None:
    photo = SCENES["flower"][1]()
    found = print_picture(photo, fit=(22, 22), limit=Limit(workers=2, effort=0.1))
    assert found.task.picture.width == 22, "no simpler picture was needed"


def test_a_large_picture_that_lies_there_from_the_start_takes_no_work() -> None:
    """Its progress is a share of its work."""
    large = Picture.parse("\n".join(["r" * 64] * 60), r="ff0000")
    task = Task.of(large, "65x80", {PieceType.O: "ff0000"}, column=0)
    lying = replace(task, start=(bytes([PieceType.O] * 64 + [0]),) * 60)
    seen = list[Progress]()
    *_, found = improve(lying, Run(report=seen.append))
    assert (found.drops, found.proof) == (0, Proof.ALL_GAMES)
    assert all(0 <= news.fraction <= 1 for news in seen)


def test_over_another_picture_the_board_is_cleared_first_if_that_is_shorter() -> None:
    """Row by row the lowest rows are kept; here none of them is right."""
    two = Picture(FLAG.rows * 2, "two")
    task = Task.of(two, "9x20", SMALL_TYPES, column=0)
    start = (b"\7\0\7\0\7\0\7\0\0", b"\0\7\7\0\7\7\0\0\7", b"\0\0\7\0\0\7\0\0\7")
    lying = task.with_start(start)
    kept = make_plan(lying, "rows", Limit(workers=1))
    found = make_plan(lying, "auto", Limit(workers=1, effort=0.3))
    assert found.drops < kept.drops
    assert found.plan.start == start
    judge(found, two)


def test_over_another_picture_a_time_limit_is_all_that_ends_the_search() -> None:
    """With a time limit the effort is infinite."""
    task = Task.of(FLAG, "9x16", SMALL_TYPES, column=0).with_start((b"\7\0\7\0\7\0\7\0\0",))
    found = make_plan(task, "auto", Limit(workers=1, effort=math.inf, seconds=1.0))
    judge(found, FLAG)


def test_over_another_picture_the_first_game_outlives_a_failed_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = Task.of(FLAG, "9x16", SMALL_TYPES, column=0).with_start((b"\7\0\7\0\7\0\7\0\0",))
    whole = search.improve

    def fail(*_: object) -> Iterator[PrintResult]:
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "improve", fail)
    *_, found = whole(task, Run(Limit(workers=1, effort=0.1)))
    judge(found, FLAG)


def test_an_unfinished_print_is_completed_within_a_time_limit() -> None:
    three = Picture(FLAG.rows * 3, "three")
    whole = make_plan(Task.of(three, "9x25", SMALL_TYPES, column=0), "rows", Limit(workers=1))
    lowest = replace(whole.plan, passes=whole.plan.passes[:5])
    endless = Limit(workers=1, effort=math.inf, seconds=60.0)
    found = next(improve(whole.task, Run(endless, unfinished=lowest)))
    judge(found, three)


def test_the_default_work_grows_with_the_picture() -> None:
    works = [estimate_default_work(*on_open_board(Picture(FLAG.rows * n))) for n in (1, 4, 12, 40)]
    assert works == sorted(works)
    assert works[0] > 0


# -- stops -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_solvers")
@pytest.mark.parametrize("wait", [0.05, 0.7])
def test_a_stop_from_outside_ends_it_at_once(wait: float) -> None:
    stop, asked_at = Stop(), [0.0]

    def ask() -> None:
        asked_at[0] = time.process_time()  # a busy machine makes no difference
        stop.request()

    timer = threading.Timer(wait, ask)
    timer.start()
    try:
        incumbents = improve(*on_open_board(TALL, 1000.0, 2, stop=stop))
        found = [one.drops for one in incumbents]
    except KeyboardInterrupt:
        found = []
    timer.join()
    assert time.process_time() - asked_at[0] < 1, "0.2 s of its own time; a machine may be slow"
    assert found == sorted(found, reverse=True)
    assert list_solver_processes() == []


@pytest.mark.usefixtures("own_solvers")
def test_no_process_is_left_if_the_caller_stops_listening() -> None:
    found = improve(*on_open_board(TALL, 10.0))
    next(found)
    assert isinstance(found, Generator)
    found.close()
    assert list_solver_processes() == []


def test_a_time_limit_ends_the_search_with_the_best_plan() -> None:
    limit = Limit(workers=1, effort=1000, seconds=3)
    began = time.monotonic()
    *_, found = improve(Task.of(TALL), Run(limit, any_board=True))
    assert time.monotonic() - began < 20, "a machine may be slow"
    assert found.stopped
    judge(found, TALL)


def test_without_time_there_is_no_plan() -> None:
    with pytest.raises(TimeUpError):
        list(improve(Task.of(TALL), Run(Limit(workers=1, seconds=1e-9), any_board=True)))


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_print_of_noise_has_the_bound_of_its_parts() -> None:
    rng = random.Random(3)
    rows = tuple(tuple(rng.choice(("d03020", "3060c0")) for _ in range(9)) for _ in range(7))
    task = Task.of(Picture(rows), "11x22")
    *_, last = improve(task, Run(Limit(workers=1)))
    *_, (_, parts) = iterate_drop_bounds(last.task)
    assert 1.3 * (len(task.target.required) / 4) < parts
    assert parts <= last.bound <= last.drops


FALSE_BOUND = """
a.aa....... aaabbbbaa.. aaabb.aaaaa aaabbc.aaaa aaacccaa.ca
b.aaaaaaac. baaaaa.aacc baa.cccaaaa baaacbbbba.
"""
LEAK_36 = "aaa.a. aaa... a.aa.. aaa..a ...aa. ...aaa ..aa.."
LEAK_70 = "a.a.... aaa..aa a..aaaa ..aa.aa aa.a.aa aa.aaa. aaa.aa. .a..a.a"


def parse_rows(rows: str) -> Picture:
    return Picture.parse("\n".join(rows.split()), a="00ff00", b="0000ff", c="ff0000")


@pytest.mark.parametrize(
    ("rows", "shortest", "effort"),
    [
        # The drops of the shortest game on the board that the search chooses
        pytest.param(FALSE_BOUND, ("11x19", 23), 1, marks=pytest.mark.slow),
        (LEAK_36, ("7x17", 14), 0.05),
        pytest.param(LEAK_70, ("7x18", 19), 1, marks=pytest.mark.slow),
    ],
)
def test_no_bound_of_another_board_is_claimed(
    rows: str, shortest: tuple[str, int], effort: float
) -> None:
    """The search works on several boards, and a bound of 30 was claimed for a game of 23."""
    picture, seen = parse_rows(rows), list[Progress]()
    for found in improve(*on_open_board(picture, effort, report=seen.append)):
        judge(found, picture)
        if str(found.task.board) == shortest[0]:
            assert found.bound <= shortest[1]
    bounds = [news.bound for news in seen if news.bound]
    assert all(bound.drops <= shortest[1] for bound in bounds if str(bound.board) == shortest[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_what_is_claimed_on_an_open_board_holds_if_the_board_is_named(seed: int) -> None:
    rng = random.Random(seed)
    rows = ["".join(rng.choice("aaab..") for _ in range(7)) for _ in range(6)]
    picture = parse_rows(" ".join(row if set(row) > {"."} else "a" + row[1:] for row in rows))
    *_, found = improve(*on_open_board(picture, 0.05))
    *_, named = improve(found.task, Run(Limit(workers=1, effort=0.05)))
    assert found.bound <= named.drops
    assert named.bound <= found.drops


def test_a_false_bound_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that some game beats is a fault of the package, which no result may hide."""

    def iterate_false_bounds(*_: object) -> Iterator[tuple[float, int]]:
        yield 0.1, 1000

    monkeypatch.setattr("tetrisprinter.planners.proved.iterate_drop_bounds", iterate_false_bounds)
    with pytest.raises(InternalError, match=r"a game of \d+ drops on .*, but no game"):
        list(improve(*on_open_board(FLAG, 0.001)))


def prove_nothing(result: PrintResult, work: float) -> PrintResult:
    """Return the print as it is; another process must be able to find this function."""
    return result


def test_refuted_numbers_are_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """All smaller numbers are refuted, but only within the reach of the formula."""
    monkeypatch.setattr("tetrisprinter.planners.search.raise_bound_within", prove_nothing)
    rng = random.Random(10)
    picture = parse_rows(" ".join("".join(rng.choices("aaab..", k=6)) + "a" for _ in range(3)))
    task, run = Task.of(picture, "8x20"), Run(Limit(workers=1, effort=0.5))
    *_, found = improve(task, run)
    assert found.work < 0.3 * estimate_default_work(task, run), "nothing was left to ask"
    assert found.proof is Proof.NONE
    assert found.bound < found.drops


def test_the_first_trial_of_a_usual_picture_succeeds() -> None:
    first_trial, *_, last = list_failing_trials(Choices(Task.of(SMALL), any_board=True))
    first = print_rows(first_trial, Stop())
    assert first.plan is not None
    assert first.work > 0
    assert last.effort == 1.0, "the usual work comes last"
