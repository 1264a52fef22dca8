"""Attempts side by side: which of them counts, and what is stopped; the last resort."""

from __future__ import annotations

import time
from functools import partial

import pytest

from tests.planners.shortest.test_shortest import judge
from tests.strategies import PALETTE
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.shortest import plan_shortest
from tetrisprinter.planners.shortest.game import Played
from tetrisprinter.planners.shortest.ladder import Climbed, _in_order
from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.planners.shortest.session import Session


def plan_of(drops: int) -> Climbed:
    part = tuple(Placement(ORIENTATIONS[0], 0, i) for i in range(drops))
    return Climbed((Played(Slice(0, 0, "c"), (part,), frozenset()),))


def made_at_once(drops: int, session: Session) -> Climbed:
    return plan_of(drops)


def made_when_stopped(drops: int, session: Session) -> Climbed:
    until = time.monotonic() + 10
    while not session.stopped:
        assert time.monotonic() < until, "nobody stopped it"
        time.sleep(0.01)
    return plan_of(drops)


def made_unless_stopped(drops: int, session: Session) -> Climbed:
    time.sleep(0.1)
    return Climbed(None) if session.stopped else plan_of(drops)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_attempt_at_the_bound_stops_those_after_it(workers: int) -> None:
    session = Session(workers=workers, bound=5)
    attempts = [partial(made_at_once, 5), partial(made_when_stopped, 5)]
    assert _in_order(session, attempts)[0] == plan_of(5)
    assert not session.stopped


@pytest.mark.parametrize("workers", [1, 2])
def test_an_attempt_at_the_bound_lets_those_before_it_end(workers: int) -> None:
    session = Session(workers=workers, bound=5)
    attempts = [partial(made_unless_stopped, 5), partial(made_at_once, 5)]
    assert [one.drops for one in _in_order(session, attempts)] == [5, 5]


def test_the_shortest_comes_first_and_of_equals_the_first() -> None:
    session = Session(bound=3)
    made = [partial(made_at_once, drops) for drops in (7, 6, 6)]
    found = _in_order(session, [lambda session: Climbed(None), *made])
    assert [one.played is None for one in found] == [False] * 3 + [True]
    assert [one.drops for one in found[:3]] == [6, 6, 7]
    assert found[0].played == plan_of(6).played


def test_stopping_the_run_stops_its_branches() -> None:
    session = Session()
    branches = [session.branch(), session.branch()]
    branches[0].stop()
    assert [branch.stopped for branch in branches] == [True, False]
    session.stop()
    assert [branch.stopped for branch in (*branches, session.branch())] == [True] * 3


def test_a_branch_tells_the_run_what_was_found() -> None:
    session = Session(bound=2)
    branch = session.branch()
    branch.found(9)
    session.found(12)
    assert session.best == 9
    assert branch.bound == 2


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
