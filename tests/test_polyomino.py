from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.errors import InputError
from tetrisprinter.tilings.polyomino import (
    Polyomino,
    fixed_polyominoes,
    free_polyominoes,
    name_of,
    named,
    names,
)

pieces = st.sampled_from([p for size in range(1, 7) for p in fixed_polyominoes(size)])


def test_known_numbers() -> None:
    # OEIS A000105, A000988 and A001168.
    assert [len(free_polyominoes(n)) for n in range(1, 8)] == [1, 1, 2, 5, 12, 35, 108]
    one_sided = [
        sum(len(p.orientations()) // len(p.orientations("rotations")) for p in free_polyominoes(n))
        for n in range(1, 7)
    ]
    assert one_sided == [1, 1, 2, 7, 18, 60]
    assert [len(fixed_polyominoes(n)) for n in range(1, 8)] == [1, 2, 6, 19, 63, 216, 760]


@given(pieces, st.sampled_from(["fixed", "rotations", "all"]))
def test_turning(piece: Polyomino, allowed: Any) -> None:
    assert piece.rotated(4) == piece.rotated(1).rotated(3) == piece.reflected().reflected() == piece
    assert (piece.rotated().width, piece.rotated().height) == (piece.height, piece.width)
    around = piece.orientations(allowed)
    assert around[0] == piece
    assert len(set(around)) == len(around)
    assert all(set(p.orientations(allowed)) == set(around) for p in around)
    assert {p.free for p in piece.orientations()} == {piece.free}
    assert Polyomino.parse(str(piece)) == piece
    assert piece.is_chiral == (len(piece.orientations()) > len(piece.orientations("rotations")))


@given(pieces, st.integers(-5, 5), st.integers(-5, 5), st.randoms())
def test_equal_wherever_and_in_whatever_order(
    piece: Polyomino, x: int, y: int, random: Any
) -> None:
    cells = list(piece.at(x, y))
    random.shuffle(cells)
    moved = Polyomino(tuple(cells))
    assert moved == piece
    assert hash(moved) == hash(piece)
    assert moved.cells == tuple(sorted(moved.cells, key=lambda cell: (cell[1], cell[0])))


def test_every_free_polyomino_has_one_name() -> None:
    for size in range(1, 7):
        assert {named(name).free for name in names(size)} == set(free_polyominoes(size))
        assert all(name_of(named(name)) == name for name in names(size))
    assert name_of(free_polyominoes(7)[0]) is None
    assert names(7) == ()


def test_named() -> None:
    # The eight pieces of two and three cells, as puzzles list them.
    drawings = ["##", "#\n#", "###", "#\n#\n#", "#.\n##", "##\n#.", "##\n.#", ".#\n##"]
    known = ["I2", "I2@1", "I3", "I3@1", "V3", "V3@1", "V3@2", "V3@3"]
    assert [str(named(name)) for name in known] == drawings
    assert named("S5").reflected() == named("Z5")
    assert named("J5'") == named("L5")
    assert named("I6").cells == named("H01").cells == tuple((x, 0) for x in range(6))
    assert str(named("F5'@1")) == str(named("F5").reflected().rotated())


@pytest.mark.parametrize(
    "name", ["", "I7", "Q5", "H36", "H1", "H00", "V3@4", "V3@", "v3", "T4''", "F"]
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match=r"known are I1, .*H01 to H35"):
        named(name)


def test_what_is_no_polyomino() -> None:
    with pytest.raises(InputError, match="do not hang together"):
        Polyomino.parse("#.\n.#")
    with pytest.raises(InputError, match="at least one cell"):
        Polyomino.parse("..")
    with pytest.raises(InputError, match="row 2, column 1 of a piece is 'x'"):
        Polyomino.parse("##/x#")
    with pytest.raises(InputError, match="each of its cells once"):
        Polyomino(((0, 0), (0, 0)))
    with pytest.raises(InputError, match="1 or more"):
        fixed_polyominoes(0)
    with pytest.raises(InputError, match="one of fixed, rotations, all"):
        named("I2").orientations("some")  # type: ignore[arg-type]
