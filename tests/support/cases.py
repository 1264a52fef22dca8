"""Pictures for every strategy, with their options."""

import random
from typing import Any

from tests.support.strategies import PALETTE
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture

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

CASES: dict[str, tuple[Picture, dict[str, Any]]] = {
    "whole picture": (drawn(1, 7, 3, 2, 0.6), {"width": 7, "height": 16}),
    "auto": (drawn(2, 7, 2, 3, 0.6), {"types": "auto", "width": 7, "height": 16}),
    "background": (
        BACKGROUND,
        {
            "types": dict.fromkeys(PieceType, PALETTE[0])
            | {PieceType.O: GREY, PieceType.T: PALETTE[1], PieceType.S: PALETTE[1]},
            "background": GREY,
            "width": 7,
            "height": 16,
        },
    ),
    "middle, fixed": (
        drawn(5, 7, 4, 2, 0.8),
        {
            "types": {p: PALETTE[p in (PieceType.J, PieceType.S, PieceType.O)] for p in PieceType},
            "width": 7,
            "height": 18,
        },
    ),
    "middle, auto": (drawn(6, 7, 4, 3, 0.8), {"types": "auto", "width": 7, "height": 18}),
    "large": (
        drawn(4, 5, 3, 1, 0.6),
        {"types": dict.fromkeys(PieceType, PALETTE[0]), "width": 5, "height": 20},
    ),
}
