"""Rows that do not come out even carry what is left to the next row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.oracles.game import replay
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
from tetrisprinter.planners.shortest.shape import PassShape, Stack, is_carried
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
