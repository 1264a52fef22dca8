import pytest

from tests.oracles.game import ROTATIONS
from tetrisprinter.game.pieces import (
    ORIENTATIONS,
    Orientation,
    PieceType,
    Placement,
    list_orientations,
)


def test_nineteen_orientations_of_seven_types() -> None:
    assert len(ORIENTATIONS) == 19
    counts = {piece.name: len(list_orientations(piece)) for piece in PieceType}
    assert counts == {"I": 2, "J": 4, "L": 4, "O": 1, "S": 2, "T": 4, "Z": 2}


def test_shapes_are_those_of_an_independent_drawing() -> None:
    for piece in PieceType:
        shapes = {frozenset(o.cells) for o in list_orientations(piece)}
        assert shapes == ROTATIONS[piece.name]


@pytest.mark.parametrize("orientation", ORIENTATIONS, ids=str)
def test_profiles_describe_the_cells(orientation: Orientation) -> None:
    cells = {
        (x, y)
        for x in range(orientation.width)
        for y in range(orientation.bottom[x], orientation.top[x])
    }
    assert cells == set(orientation.cells)
    assert sum(orientation.row_widths) == 4
    assert len(orientation.row_widths) == orientation.height


@pytest.mark.parametrize("orientation", ORIENTATIONS, ids=str)
def test_each_turn_is_a_clockwise_quarter_of_the_one_before(orientation: Orientation) -> None:
    family = list_orientations(orientation.piece)
    assert family[orientation.turns] is orientation
    turned = Placement.find([(y, -x) for x, y in orientation.cells])
    assert turned is not None
    assert turned.orientation is family[(orientation.turns + 1) % len(family)]


def test_what_is_not_a_tetromino_is_not_recognised() -> None:
    assert Placement.find([]) is None
    assert Placement.find([(0, 0), (1, 0), (2, 0)]) is None
    assert Placement.find([(0, 0), (1, 0), (3, 0), (4, 0)]) is None
    assert Placement.find([(x, 0) for x in range(5)]) is None
