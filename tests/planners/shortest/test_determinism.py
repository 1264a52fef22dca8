"""Same seed, same plan, whatever the number of workers, at every step of the ladder."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.strategies import PALETTE
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.shortest import Step, ladder, plan_shortest

GREY = "808080"


def drawn(seed: int, width: int, rows: int, colors: int, density: float) -> Picture:
    rng = random.Random(seed)
    grid = [
        [rng.choice(PALETTE[:colors]) if rng.random() < density else None for _ in range(width)]
        for _ in range(rows)
    ]
    for row in grid:
        row[rng.randrange(width)] = None
        if not any(row):
            row[0] = PALETTE[0]
    return Picture(tuple(map(tuple, grid)))


BACKGROUND = Picture(((PALETTE[0], GREY, GREY, PALETTE[1], GREY, None, PALETTE[0]),) * 2)

CASES: dict[str, tuple[Picture, dict[str, Any], str]] = {
    "whole picture": (drawn(1, 7, 3, 2, 0.6), {"width": 7, "height": 16}, "whole picture"),
    "auto": (drawn(2, 7, 2, 3, 0.6), {"types": "auto", "width": 7, "height": 16}, "whole picture"),
    "background": (
        BACKGROUND,
        {
            "types": dict.fromkeys(PieceType, PALETTE[0])
            | {PieceType.O: GREY, PieceType.T: PALETTE[1], PieceType.S: PALETTE[1]},
            "background": GREY,
            "width": 7,
            "height": 16,
        },
        "whole picture",
    ),
    "middle, fixed": (
        drawn(5, 7, 4, 2, 0.8),
        {
            "types": {p: PALETTE[p in (PieceType.J, PieceType.S, PieceType.O)] for p in PieceType},
            "width": 7,
            "height": 18,
        },
        "rolling horizon",
    ),
    "middle, auto": (
        drawn(6, 7, 4, 3, 0.8),
        {"types": "auto", "width": 7, "height": 18},
        "rolling horizon",
    ),
    "large": (
        drawn(4, 5, 3, 1, 0.6),
        {"types": dict.fromkeys(PieceType, PALETTE[0]), "width": 5, "height": 20},
        "rolling horizon",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_same_seed_same_plan(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    picture, options, stage = CASES[case]
    if stage == "rolling horizon":  # as if the picture were larger than it is
        monkeypatch.setattr(ladder, "_TINY_CELLS", 0)
    if case == "large":
        monkeypatch.setattr(ladder, "_WHOLE_CELLS", 0)
    effort = 0.2 if case.startswith("middle") else 0.05
    stages: list[str] = []

    def collect(step: Step) -> None:
        stages.append(step.stage)

    texts = [
        str(
            plan_shortest(
                picture, effort=effort, seed=3, workers=workers, progress=collect, **options
            ).plan
        )
        for workers in (1, 2)
    ]
    assert texts[0] == texts[1]
    assert any(stage in told for told in stages)
