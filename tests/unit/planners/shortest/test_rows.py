"""Rows that do not come out even carry what is left to the next row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracles.game import replay
from tests.support.judge import judge
from tests.support.planned import plan_shortest
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.shortest.model import solve
from tetrisprinter.planners.shortest.problem import (
    PassProblem,
    PlacedPass,
    SolveLimits,
    state_after,
)
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import PassShape, Stack, is_carried
from tetrisprinter.planners.shortest.strategies.improve import improve
from tetrisprinter.planners.shortest.strategies.rows import print_by_rows
from tetrisprinter.printing.target import Target, make_target

J, T, L = "d03030", "3060c0", "f0c040"
TYPES: dict[PieceType, Color] = {PieceType.J: J, PieceType.T: T, PieceType.L: L}


def drawn(*rows: str) -> Picture:
    """Return a picture, drawn from its top."""
    colors = {"J": J, "T": T, "L": L, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(rows)))


def target_of(picture: Picture, height: int = 22) -> Target:
    return make_target(picture, TYPES, picture.width, height, 0, None)


def left(played: Sequence[PlacedPass], target: Target) -> dict[Cell, str]:
    """Drop everything into an empty field, by rules of its own; say what lies there."""
    passes = [Pass(30, part) for one in played for part in one.parts]
    plan = Plan(tuple(passes), (), target.width, target.height)
    log = drop_log(plan, play_through(plan))
    return replay(log)


def shows(played: Sequence[PlacedPass], target: Target, picture: Picture) -> bool:
    wanted = {
        (x, y): next(piece.name for piece, color in TYPES.items() if color == shown)
        for y, row in enumerate(picture.rows)
        for x, shown in enumerate(row)
        if shown
    }
    return left(played, target) == wanted


# Each pass leaves a multiple of four squares on eight columns, these rows one to two.
EIGHT = drawn("...J.T..", "J.......", ".T......", "J.......", ".L.....T", ".T......")


def test_rows_that_do_not_come_out_even() -> None:
    target = target_of(EIGHT)
    played = print_by_rows(target, SolverRun())
    assert played is not None
    assert shows(played, target, EIGHT)
    carried = [one for one in played if one.shape.stack.carries]
    assert any(is_carried(y) for one in carried for _, y in one.printed)
    assert state_after(frozenset(), played) == target.required


def test_a_background_above_the_picture() -> None:
    # The row on top need not hold anything, so nothing may be carried into it.
    picture = drawn("........", "J..T...L", "....T...")
    target = replace(target_of(picture), allowed=(*target_of(picture).allowed[:2], (4,) * 8))
    assert target.rows == 3
    played = print_by_rows(target, SolverRun())
    assert played is not None
    assert state_after(frozenset(), played) == target.required
    assert shows(played, target, picture)


@pytest.mark.slow
def test_improving_keeps_what_is_carried() -> None:
    target = target_of(EIGHT)
    played = print_by_rows(target, SolverRun())
    assert played is not None
    better = improve(target, SolverRun(), played)
    assert shows(better, target, EIGHT)
    assert sum(p.drops for p in better) <= sum(p.drops for p in played)


@pytest.mark.slow
def test_the_planner_prints_them() -> None:
    result = plan_shortest(EIGHT, types=TYPES, width=8, height=22, column=0, effort=0.3)
    judge(result, EIGHT)


@pytest.mark.parametrize(
    "rows",
    [
        # L has one cell above its row (theorem "cut"), so a matrix stands on a single square.
        pytest.param((".....T..", "...L....", "JJ......"), marks=pytest.mark.slow),
        # J and T need the same cells below.
        ("......JT", "..T...L."),
    ],
)
def test_with_patience_rows_complete_in_another_order(rows: tuple[str, ...]) -> None:
    picture = drawn(*rows)
    target = target_of(picture)
    played = print_by_rows(target, SolverRun(), 50.0)
    assert played is not None
    assert shows(played, target, picture)
    assert any(not one.shape.stack.completes_from_below for one in played)


@pytest.mark.parametrize("all_used", [True, False])
def test_one_model_begins_a_row_and_clears_it(all_used: bool) -> None:
    # On eight columns one square and three do not come out of passes of their own.
    picture = drawn("J..T...L", "....T...")
    target = target_of(picture)
    shapes = (PassShape(1, 1, Stack.parse("b")), PassShape(1, 0, Stack.parse("cccccp")))
    game = PassProblem(target, shapes, frozenset(), target.required, exact=True, all_used=all_used)
    found = solve(game, SolveLimits(20.0, core=False))
    assert found.passes is not None
    first, second = found.passes
    begun = {cell for cell in first.printed if is_carried(cell[1])}
    assert begun
    assert begun <= state_after(frozenset(), [first])
    assert state_after(frozenset(), [first, second]) == target.required
    assert shows(found.passes, target, picture)


def test_an_exact_end_leaves_no_row_begun() -> None:
    target = target_of(drawn("J..T...L", "....T..."))
    half = frozenset(cell for cell in target.required if cell[1] == 0)
    shapes = (PassShape(1, 1, Stack.parse("b")),)
    game = PassProblem(target, shapes, frozenset(), half, all_used=True)
    assert solve(game, SolveLimits(20.0)).passes is not None
    found = solve(replace(game, exact=True), SolveLimits(20.0))
    assert found.complete
    assert found.passes is None


@settings(deadline=None, max_examples=8, suppress_health_check=[*HealthCheck])
@given(st.data())
def test_whatever_is_carried_leaves_the_picture(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from([7, 8, 9, 10]))
    random = data.draw(st.randoms(use_true_random=False))
    rows = [["."] * width for _ in range(data.draw(st.integers(2, 3)))]
    for row in rows:
        for x in random.sample(range(width), 2 if width < 10 else 4):
            row[x] = random.choice("JTL")
    if width == 8 and len(rows) == 3:
        rows.pop()
    picture = drawn(*map("".join, rows))
    target = target_of(picture)
    played = print_by_rows(target, SolverRun(effort=0.3))
    assert played is not None  # None of these needs patience.
    assert shows(played, target, picture)
