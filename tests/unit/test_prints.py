"""What is said before a search, and what is proved after it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tetrisprinter.api import prepare, prints
from tetrisprinter.api.preparation import Version
from tetrisprinter.api.prints import Export, describe_long_job, print_prepared, prove_further
from tetrisprinter.bounds import bound_search
from tetrisprinter.bounds.bound_search import WindowAnswer, solve_window
from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.result import DropBound, PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.options import Limit

HUGE = Task.of(Picture((("d03020", "2050c0") * 150,) * 300, "huge"))
PICTURE = Picture.parse("r.b.r.\n.b.r.b")
TYPES = {piece: PICTURE.colors()[number % 2] for number, piece in enumerate(PieceType)}
SHORT = Task.of(PICTURE, (6, 12), TYPES, None, 0)


def test_a_long_job_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrisprinter.planners.auto._measure_speed", lambda: 1.0)

    def describe(task: Task, limit: Limit) -> str:
        version = Version(replace(prepare(PICTURE), task=task))
        return describe_long_job(version, "auto", Run(limit), None)

    assert describe(Task.of(Picture.parse("rr")), Limit(effort=20)) == ""
    assert describe(HUGE, Limit(9, effort=20)) == ""
    assert describe(HUGE, Limit(effort=20)).startswith("a long job, probably over 5 minutes")


def test_a_proof_that_was_interrupted_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    long = make_plan(SHORT, "rows", Limit(workers=1))
    notes: list[str] = []

    def prove(plan_file: Path) -> PrintResult:
        run = Run(note=notes.append)
        return prove_further(long, run, Machines(), lambda *_: None, plan_file)

    looked: list[Any] = []

    most = [100]

    def count_question(*asked: Any, **limit: Any) -> WindowAnswer:
        if len(looked) == most[0]:
            raise KeyboardInterrupt
        looked.append(asked)
        return solve_window(*asked, **limit)

    monkeypatch.setattr(bound_search, "solve_window", count_question)
    whole = prove(tmp_path / "whole.txt")
    assert (whole.drops, whole.proof) == (6, Proof.ALL_GAMES)
    assert not list(tmp_path.iterdir())  # it came to its end
    alone = len(looked)
    plan = tmp_path / "plan.txt"
    most[0] = 2 * alone - 1
    begun = prove(plan)
    assert begun.stopped
    assert begun.drops == long.drops
    assert begun.proof is not Proof.ALL_GAMES
    assert "continues from there" in notes[0]
    assert (tmp_path / "plan.txt.bound").is_dir()
    looked.clear()
    most[0] = 100
    ended = prove(plan)
    assert (ended.drops, ended.proof) == (6, Proof.ALL_GAMES)
    assert len(looked) <= alone
    assert not list(tmp_path.iterdir())


def test_half_of_the_time_is_left_for_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    halves: list[float] = []

    def plan(_version: Version, _planner: str, run: Run, _cache: object) -> Iterator[PrintResult]:
        halves.append(run.stop.seconds_left / 100)
        yield make_plan(SHORT, "rows", Limit(workers=1))

    monkeypatch.setattr(prints, "find_plans", plan)
    list(print_prepared(prepare(PICTURE), "auto", Run(Limit(100.0)), keeps_time=True))
    assert 0.4 < halves[0] <= 0.5


def test_a_game_of_a_lower_board_has_a_bound_of_the_full_one() -> None:
    """Another program refuses the first game; it accepts that of a board one row lower."""
    written: list[Plan] = []

    def write(plan: Plan) -> str:
        written.append(plan)
        if len(written) == 1:
            raise JobError("a piece cannot be steered")
        return "game"

    prepared = prepare("rr.\nrr.", board="10x20", exact=True, background="transparent")
    export = Export(write, "game", lambda *_: True)
    *_, last = print_prepared(prepared, "rows", Run(), export=export)
    assert last.result is not None
    board = Board(10, 20)
    assert (last.result.task.board, last.result.plan.board) == (board, board)
    assert (last.result.drops, last.result.drop_bound) == (1, DropBound(1, board))
