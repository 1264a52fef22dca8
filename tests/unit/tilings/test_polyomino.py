from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.errors import InputError
from tetrisprinter.tilings.polyomino import (
    Polyomino,
    find_name,
    get_polyomino,
    list_fixed,
    list_free,
    list_names,
)

pieces = st.sampled_from([p for size in range(1, 7) for p in list_fixed(size)])


def test_known_numbers() -> None:
    # OEIS A000105, A000988 and A001168.
    assert [len(list_free(n)) for n in range(1, 8)] == [1, 1, 2, 5, 12, 35, 108]
    one_sided = [
        sum(
            len(p.list_orientations()) // len(p.list_orientations("rotations"))
            for p in list_free(n)
        )
        for n in range(1, 7)
    ]
    assert one_sided == [1, 1, 2, 7, 18, 60]
    assert [len(list_fixed(n)) for n in range(1, 8)] == [1, 2, 6, 19, 63, 216, 760]


@given(pieces, st.sampled_from(["fixed", "rotations", "all"]))
def test_turning(piece: Polyomino, allowed: Any) -> None:
    assert piece.rotate(4) == piece.rotate(1).rotate(3) == piece.reflect().reflect() == piece
    assert (piece.rotate().width, piece.rotate().height) == (piece.height, piece.width)
    around = piece.list_orientations(allowed)
    assert around[0] == piece
    assert len(set(around)) == len(around)
    assert all(set(p.list_orientations(allowed)) == set(around) for p in around)
    assert {p.free for p in piece.list_orientations()} == {piece.free}
    assert Polyomino.parse(str(piece)) == piece
    assert piece.is_chiral == (
        len(piece.list_orientations()) > len(piece.list_orientations("rotations"))
    )


def test_every_free_polyomino_has_one_name() -> None:
    for size in range(1, 7):
        assert {get_polyomino(name).free for name in list_names(size)} == set(list_free(size))
        assert all(find_name(get_polyomino(name)) == name for name in list_names(size))
    assert find_name(list_free(7)[0]) is None
    assert list_names(7) == ()


def test_named() -> None:
    # The eight pieces of two and three cells, as puzzles list them.
    drawings = ["##", "#\n#", "###", "#\n#\n#", "#.\n##", "##\n#.", "##\n.#", ".#\n##"]
    known = ["I2", "I2@1", "I3", "I3@1", "V3", "V3@1", "V3@2", "V3@3"]
    assert [str(get_polyomino(name)) for name in known] == drawings
    assert get_polyomino("S5").reflect() == get_polyomino("Z5")
    assert get_polyomino("J5'") == get_polyomino("L5")
    assert (
        get_polyomino("I6").cells == get_polyomino("H01").cells == tuple((x, 0) for x in range(6))
    )
    assert str(get_polyomino("F5'@1")) == str(get_polyomino("F5").reflect().rotate())


@pytest.mark.parametrize(
    "name", ["", "I7", "Q5", "H36", "H1", "H00", "V3@4", "V3@", "v3", "T4''", "F"]
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match=r"choose from I1, .*H01 to H35"):
        get_polyomino(name)


def test_what_is_no_polyomino() -> None:
    with pytest.raises(InputError, match="are not connected"):
        Polyomino.parse("#.\n.#")
    with pytest.raises(InputError, match="at least one cell"):
        Polyomino.parse("..")
    with pytest.raises(InputError, match="invalid cell 'x' in row 2, column 1 of a piece"):
        Polyomino.parse("##/x#")
    with pytest.raises(InputError, match="has a cell twice"):
        Polyomino(((0, 0), (0, 0)))
    with pytest.raises(InputError, match="1 or more"):
        list_fixed(0)
    with pytest.raises(InputError, match="choose from fixed, rotations, all"):
        get_polyomino("I2").list_orientations("some")  # type: ignore[arg-type]
