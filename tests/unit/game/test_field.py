"""Pieces and the field they are dropped on, compared with the oracle's game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.game import ROTATIONS, replay
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import (
    ORIENTATIONS,
    Orientation,
    PieceType,
    Placement,
    list_orientations,
)
from tetrisprinter.game.replay import order_drops

(I_FLAT, I_UP) = list_orientations(PieceType.I)


def test_shapes_are_those_of_an_independent_drawing() -> None:
    assert len(ORIENTATIONS) == 19
    for piece in PieceType:
        shapes = {frozenset(o.cells) for o in list_orientations(piece)}
        assert shapes == ROTATIONS[piece.name]
    for cells in ((), ((0, 0), (1, 0), (3, 0), (4, 0)), [(x, 0) for x in range(5)]):
        assert Placement.find(cells) is None


def test_a_field_can_start_with_squares_and_a_top_out_leaves_it_unchanged() -> None:
    field = Playfield.from_rows(4, 5, [[0, 6, 6, 6], [6, 0, 0, 0]])
    assert field.tops == (2, 1, 1, 1)
    assert field.drop(I_UP, 3).cleared == ()
    before = field.rows
    for orientation, x, why in ((I_UP, 0, "row 5"), (I_FLAT, 0, "row 5"), (I_FLAT, 1, "columns")):
        with pytest.raises(TopOutError, match=why):
            field.drop(orientation, x)
        assert field.rows == before


@given(
    width=st.integers(4, 9),
    height=st.integers(4, 14),
    choices=st.lists(st.tuples(st.sampled_from(ORIENTATIONS), st.floats(0, 1)), max_size=60),
)
def test_random_games_agree_with_the_oracle(
    width: int, height: int, choices: list[tuple[Orientation, float]]
) -> None:
    field = Playfield(width, height)
    drops = []
    for orientation, where in choices:
        try:
            landing = field.drop(orientation, int(where * (width - orientation.width)))
        except TopOutError:
            continue
        drops.append(
            {"piece": orientation.piece.name, "cells": [list(cell) for cell in landing.cells]}
        )
    left = replay({"width": width, "height": height, "drops": drops})
    assert left == {
        (x, y): PieceType(value).name
        for y, row in enumerate(field.rows)
        for x, value in enumerate(row)
        if value
    }
    tops = [max((y + 1 for cx, y in left if cx == x), default=0) for x in range(width)]
    assert field.tops == tuple(tops)


def test_pieces_of_a_level_come_from_below_and_else_in_their_order() -> None:
    pieces = [[(0, 2), (1, 2)], [(1, 0)], [(0, 0), (0, 1)], [(2, 0)]]
    assert order_drops(pieces, [1, 1, 1, 0]) == [3, 1, 2, 0]
    assert order_drops(pieces, [1, 2, 1, 1]) == [2, 0, 3, 1]
