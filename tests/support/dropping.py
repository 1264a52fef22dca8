"""Drop pieces one after the other; the independent simulator checks each drop."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracles.game import Square, replay
from tetrisprinter.game.pieces import Placement


def drop_pieces(
    pieces: Iterable[Placement], start: Mapping[Square, str], size: tuple[int, int]
) -> tuple[list[dict[str, Any]], dict[Square, str]]:
    """Drop pieces on the squares of ``start``; return the drops and the field afterwards."""
    width, height = size
    drops: list[dict[str, Any]] = []
    field = dict(start)
    for piece in pieces:
        y = max(
            max((fy + 1 for fx, fy in field if fx == piece.x + dx), default=0) - bottom
            for dx, bottom in enumerate(piece.orientation.bottom)
        )
        cells = [(piece.x + dx, max(0, y) + dy) for dx, dy in piece.orientation.cells]
        drops.append({"piece": piece.orientation.piece.name, "cells": cells})
        field = replay({"width": width, "height": height, "drops": drops}, start)
    return drops, field
