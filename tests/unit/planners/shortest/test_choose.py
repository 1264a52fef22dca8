"""Attempts side by side: which of them counts, and what is stopped; the last resort."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.support.judge import judge
from tests.support.planned import plan_shortest
from tests.support.strategies import PALETTE
from tests.support.waiting import never, wait_until
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.shortest.problem import PlacedPass
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import PassShape, Stack
from tetrisprinter.planners.shortest.strategies import choose
from tetrisprinter.planners.shortest.strategies.attempts import NONE, Candidate, in_order
from tetrisprinter.printing.target import Target, mask_of


def plan_of(drops: int) -> Candidate:
    part = tuple(Placement(ORIENTATIONS[0], 0, i) for i in range(drops))
    return Candidate((PlacedPass(PassShape(0, 0, Stack.parse("c")), (part,), frozenset()),))


def made_at_once(drops: int, run: SolverRun) -> Candidate:
    return plan_of(drops)


def made_when_stopped(drops: int, run: SolverRun) -> Candidate:
    wait_until(lambda: run.stopped, "that somebody stops it")
    return plan_of(drops)


def made_unless_stopped(drops: int, run: SolverRun) -> Candidate:
    return plan_of(drops) if never(lambda: run.stopped, 0.1) else Candidate(None)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_attempt_at_the_bound_stops_those_after_it(workers: int) -> None:
    run = SolverRun(workers=workers, bound=5)
    attempts = [partial(made_at_once, 5), partial(made_when_stopped, 5)]
    assert in_order(run, attempts)[0] == plan_of(5)
    assert not run.stopped


@pytest.mark.parametrize("workers", [1, 2])
def test_an_attempt_at_the_bound_lets_those_before_it_end(workers: int) -> None:
    run = SolverRun(workers=workers, bound=5)
    attempts = [partial(made_unless_stopped, 5), partial(made_at_once, 5)]
    assert [one.drops for one in in_order(run, attempts)] == [5, 5]


def test_the_shortest_comes_first_and_of_equals_the_first() -> None:
    run = SolverRun(bound=3)
    made = [partial(made_at_once, drops) for drops in (7, 6, 6)]
    found = in_order(run, [lambda run: Candidate(None), *made])
    assert [one.passes is None for one in found] == [False] * 3 + [True]
    assert [one.drops for one in found[:3]] == [6, 6, 7]
    assert found[0].passes == plan_of(6).passes


def test_stopping_the_run_stops_its_branches() -> None:
    run = SolverRun()
    branches = [run.branch(), run.branch()]
    branches[0].stop()
    assert [branch.stopped for branch in branches] == [True, False]
    run.stop()
    assert [branch.stopped for branch in (*branches, run.branch())] == [True] * 3


def test_a_branch_tells_the_run_what_was_found() -> None:
    run = SolverRun(bound=2)
    branch = run.branch()
    branch.found(9)
    run.found(12)
    assert run.best == 9
    assert branch.bound == 2


@pytest.mark.slow
def test_rows_that_go_in_an_order_of_their_own_print_what_nothing_else_does() -> None:
    # No game has fewer drops; four rows go as 0, 2, 3, 1, or as 0, 3, 2, 1.
    a, b = PALETTE[:2]
    colors = {"a": a, "b": b, ".": None}
    rows = tuple(tuple(colors[c] for c in row) for row in ("...b.b", "ba...."))
    types = dict.fromkeys(PieceType, b) | dict.fromkeys(
        (PieceType.I, PieceType.L, PieceType.S, PieceType.Z), a
    )
    result = plan_shortest(Picture(rows), types=types, width=6, height=8, effort=0.5)
    assert result.drops == 7
    judge(result, Picture(rows))


@pytest.mark.parametrize(
    ("width", "rows", "is_known", "way"),
    [
        (10, 6, True, "middle"),
        (10, 5, True, "tiny"),
        (8, 8, True, "tiny"),
        (10, 6, False, "tiny"),
        (10, 9, True, "middle"),
    ],
)
def test_where_whole_games_come_before_what_is_tried_for_tiny_pictures(
    width: int, rows: int, is_known: bool, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []

    def noted(name: str) -> Callable[..., Candidate]:
        def went(*_: object, **__: object) -> Candidate:
            gone.append(name)
            return NONE

        return went

    for name in ("tiny", "middle", "large"):
        monkeypatch.setattr(choose, f"_{name}", noted(name))
    shades = ((1,) * (width - 2) + (0, 0),) * rows
    allowed = tuple(tuple(mask_of(PieceType) if s else 0 for s in row) for row in shades)
    cells = frozenset((x, y) for y in range(rows) for x in range(width - 2))
    target = Target(width, 22, allowed, cells, shades)
    known = plan_of(500) if is_known else NONE
    choose._by_size(target, NONE, SolverRun(), known, resorts=True)
    assert gone == [way]
