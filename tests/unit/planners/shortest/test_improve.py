"""Shorter plans from longer ones: rows that are printed together instead of apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.support.judge import judge
from tests.support.planned import plan_shortest
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.shortest.problem import PassSolution
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.strategies import bands
from tetrisprinter.planners.shortest.strategies.improve import improve
from tetrisprinter.planners.shortest.tuning import Tuning
from tetrisprinter.printing.target import make_target

J, T, L = "d03030", "3060c0", "f0c040"
TYPES: dict[PieceType, Color] = {PieceType.J: J, PieceType.T: T, PieceType.L: L}


def sparse(*rows: str) -> Picture:
    """Return a picture, drawn from its top."""
    colors = {"J": J, "T": T, "L": L, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(rows)))


# Printed row by row, the two rows need five and six clearing rows.
PICTURE = sparse("...T..J..", ".......T.", ".T.......")


def row_by_row(monkeypatch: pytest.MonkeyPatch, picture: Picture) -> tuple[int, int]:
    """Return the drops of a plan made row by row, before and after it was improved."""
    monkeypatch.setattr(bands._Horizon, "_band", lambda *_: None)
    target = make_target(picture, TYPES, picture.width, 20, 0, None)
    played = bands.print_by_bands(target, SolverRun())
    assert played is not None
    shorter = improve(target, SolverRun(), played)
    printed = frozenset().union(*(p.printed for p in shorter))
    assert printed == target.required
    return sum(p.drops for p in played), sum(p.drops for p in shorter)


def test_two_sparse_rows_take_fewer_drops_in_one_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = row_by_row(monkeypatch, PICTURE)
    assert after <= before - 9


@pytest.mark.parametrize(("patience", "most"), [(0.0, 2), (2.0, 6)])
def test_windows_end_when_none_gives_anything(
    monkeypatch: pytest.MonkeyPatch, patience: float, most: int
) -> None:
    target = make_target(PICTURE, TYPES, PICTURE.width, 20, 0, None)
    monkeypatch.setattr(bands._Horizon, "_band", lambda *_: None)
    played = bands.print_by_bands(target, SolverRun())
    assert played is not None
    looked: list[int] = []

    def in_vain(_: SolverRun, jobs: Sequence[object]) -> list[PassSolution]:
        looked.append(len(jobs))
        return [PassSolution(None, True, 0, 0.0) for _ in jobs]

    monkeypatch.setattr(SolverRun, "solve_all", in_vain)
    tuning = Tuning(window_patience=patience, merging_budget=0.0)
    assert improve(target, SolverRun(tuning=tuning), played) == played
    assert 0 < sum(looked) <= most


@pytest.mark.slow
def test_the_planner_prints_sparse_rows_together() -> None:
    result = plan_shortest(PICTURE, types=TYPES, width=9, height=20, column=0)
    judge(result, PICTURE)
    assert result.drops <= 19
