"""Boards, piece sets and their placements: what is read, written and left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.tilings import Piece, PieceSet, TilingBoard, TilingProblem, find_tiling
from tetrisprinter.tilings.polyomino import get_polyomino
from tetrisprinter.tilings.sweep import sweep


@st.composite
def boards(draw: st.DrawFn) -> TilingBoard:
    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    return TilingBoard(width, height, draw(st.integers(0, (1 << (width * height)) - 1)))


@given(boards())
def test_board_text_round_trip(board: TilingBoard) -> None:
    assert TilingBoard.parse(str(board)) == board
    assert TilingBoard.parse("\n" + str(board).replace("\n", "  \r\n") + "\n\n") == board
    cells = list(board.list_cells(board.blocked))
    assert TilingBoard(board.width, board.height, cells) == board
    assert board.make_mask(cells) == board.blocked
    assert board.area + len(cells) == board.width * board.height
    assert cells == sorted(cells, key=lambda cell: (cell[1], cell[0]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b: empty"),
        ("0x4", "expected a positive size"),
        ("...\n..\n...", "b:2: this row has 2 cells, but the first has 3"),
        ("\n...\n.x.", "b:3: invalid cell 'x' in column 2"),
        ("999999999x999999999", r"would need about 1.42e\+04 PiB of memory; the limit is 2 GiB"),
    ],
)
def test_bad_boards(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TilingBoard.parse(text, "b")


def test_blocked_cells_outside_the_board() -> None:
    with pytest.raises(InputError, match="outside 2x2"):
        TilingBoard(2, 2, [(2, 0)])
    with pytest.raises(InputError, match="bits outside"):
        TilingBoard(2, 2, 16)


def test_grammar() -> None:
    pieces = PieceSet.parse("I5, V3*4 ,T4*inf, ##/.#*2")
    assert [(p.name, p.most) for p in pieces.pieces] == [("I5", 1), ("V3", 6), ("T4", None)]
    assert PieceSet.parse(str(pieces)) == pieces
    fixed = PieceSet.parse("V3*4,##/.#*2", "fixed")
    assert [(p.name, p.most) for p in fixed.pieces] == [("V3", 4), ("##/.#", 2)]
    assert PieceSet.parse(str(fixed), "fixed") == fixed
    assert [p.most for p in PieceSet.parse("dominoes,trominoes*inf").pieces] == [None] * 3
    assert [p.most for p in PieceSet.parse("dominoes*3,monominoes").pieces] == [3, None]
    assert str(PieceSet.parse("I2*inf,I2")) == "I2*inf"
    assert len(PieceSet.parse("L4,J4", "rotations").pieces) == 2
    assert len(PieceSet.parse("L4,J4", "all").pieces) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("I5,Q5", "unknown piece 'Q5'; choose from I1"),
        ("pentomino", r"or a set \(monominoes, dominoes"),
        ("I5,,T4", "a piece is missing"),
        ("I5*0", r"'I5\*0': invalid number after"),
        ("I5*many", "expected 1 to 999999999, or inf"),
        ("#./.#", "are not connected"),
    ],
)
def test_bad_pieces(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PieceSet.parse(text)


def test_drawings() -> None:
    text = "; a puzzle\n##\n#.\n\nbar*2\n###\n\n*inf\n#\n\n\nH09\n##.\n.##\n..#  ; stairs\n"
    pieces = PieceSet.parse_drawings(text, "f")
    assert [str(p) for p in pieces.pieces] == ["V3@1", "bar*2", "I1*inf", "H09"]
    drawn = "\n\n".join(f"{piece}\n{piece.shape}" for piece in pieces.pieces)
    assert PieceSet.parse_drawings(drawn) == pieces
    for bad, message in (
        ("", "f: has no drawing"),
        ("##\n\nx y z\n##", "f:3: 'x y z'"),
        ("name\n\n##", "f:1: the name 'name' has no drawing"),
        ("##\n\n#.\n.#", "f:3: .*not connected"),
        ("bar*0\n##", "f:1: .*after"),
        ("a\n#x", "f:1: invalid cell 'x' in row 1, column 2"),
    ):
        with pytest.raises(InputError, match=message):
            PieceSet.parse_drawings(bad, "f")
    with pytest.raises(InputError, match="no pieces"):
        PieceSet(())
    with pytest.raises(InputError, match="invalid number of uses"):
        PieceSet((Piece("I1", get_polyomino("I1"), 0),))


def test_too_large() -> None:
    with pytest.raises(InputError, match=r"on 3000x3000 cells would need about .* TiB"):
        TilingProblem(TilingBoard(3000, 3000), PieceSet.parse("pentominoes*inf"))
    with pytest.raises(JobError, match="a profile would have 101 bits; at most 63"):
        sweep(TilingProblem(TilingBoard(20, 20), PieceSet.parse("I5*inf,L5*inf")))
    many = PieceSet.parse("one-sided-hexominoes", "rotations")
    with pytest.raises(JobError, match="combinations of used pieces"):
        sweep(TilingProblem(TilingBoard(6, 12), many))


def test_letters_of_touching_pieces_differ() -> None:
    tiling = find_tiling(TilingBoard(12, 12), PieceSet.parse("dominoes"))
    assert tiling is not None
    owner = tiling.owners
    assert len(tiling.placements) == 72
    for (x, y), mine in owner.items():
        for cell in ((x + 1, y), (x, y + 1)):
            if cell in owner and owner[cell] != mine:
                assert tiling.letters[owner[cell]] != tiling.letters[mine]
