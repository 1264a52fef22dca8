import pytest

from tetrisprinter.tilings import PieceSet, TilingBoard, TilingProblem, count_tilings, find_argument

RING = TilingBoard(3, 3, [(1, 1)])
SPLIT = TilingBoard.parse("..#...\n..#...\n..#...\n..#...")


@pytest.mark.parametrize(
    ("board", "pieces", "name", "words"),
    [
        ("5x5", "I5,V3*4", "area", "all pieces together have 17 cells, but the board has 25"),
        ("1x1", "I2", "area", "the board has 1 cell, but no choice of pieces has this area"),
        ("4x4", "I3*inf", "area", "the board has 16 cells, but no choice of pieces has this area"),
        (RING, "O4*inf", "cell", "row 1, column 1"),
        (SPLIT, "P5*inf", "region", "row 1, column 1 has 8 cells"),
        (
            TilingBoard(8, 8, [(0, 0), (7, 7)]),
            "dominoes",
            "chessboard",
            "2 more cells of one colour",
        ),
        ("5x4", "tetrominoes", "chessboard", "no more cells of one colour"),
        ("14x15", "hexominoes", "chessboard", "no more cells"),
        ("10x10", "T4*inf", "chessboard", "no more cells"),
        ("6x10", "L4*inf", "rows", "coloured by rows"),
        ("10x10", "I4*inf", "weights mod 2", "multiple of 2"),
        ("6x6", "I4*inf", "weights mod 2", "multiple of 2"),
    ],
)
def test_which_argument(board: str | TilingBoard, pieces: str, name: str, words: str) -> None:
    field = board if isinstance(board, TilingBoard) else TilingBoard.parse(board)
    argument = find_argument(TilingProblem(field, PieceSet.parse(pieces)))
    assert argument is not None
    assert argument.name == name
    assert words in argument.reason
    assert str(argument).startswith(f"{name}: ")


def test_use_all() -> None:
    def name(board: TilingBoard, pieces: str) -> str | None:
        argument = find_argument(TilingProblem(board, PieceSet.parse(pieces, use_all=True)))
        return None if argument is None else argument.name

    assert name(TilingBoard(3, 3), "V3*4") == "area"
    assert name(TilingBoard(3, 3), "I4,I2*inf") == "area"
    assert name(TilingBoard(2, 3), "V3*2") is None
    # Four T and one O: balanced in colours only if the number of T is even.
    assert name(TilingBoard(4, 5), "T4*3,O4*2") == "chessboard"
    assert name(TilingBoard(4, 5), "T4*4,O4") is None
    # Without use_all four O would do.
    assert name(TilingBoard(4, 4), "T4,O4*inf") == "chessboard"


@pytest.mark.parametrize(
    ("board", "pieces"),
    [
        (TilingBoard(10, 10), "I4*inf"),
        (TilingBoard(6, 6), "I4*inf"),
        (TilingBoard(9, 5, [(0, 0), (1, 0), (8, 4)]), "I3*inf"),
        (TilingBoard(7, 7, [(3, 3)]), "I6*inf"),
        (TilingBoard(10, 10), "I5*inf,I5"),
    ],
)
def test_weights_can_be_checked_by_hand(board: TilingBoard, pieces: str) -> None:
    problem = TilingProblem(board, PieceSet.parse(pieces))
    argument = find_argument(problem)
    if argument is None:
        assert count_tilings(board, problem.pieces) > 0
        return
    assert count_tilings(board, problem.pieces, method="search") == 0
    if not argument.name.startswith("weights"):
        return
    prime = int(argument.name.removeprefix("weights mod "))
    for p in problem.all_placements:
        assert sum(argument.weights[y][x] for x, y in p.cells) % prime == 0
    assert sum(map(sum, argument.weights)) % prime


def test_weights_with_known_numbers_of_pieces() -> None:
    # Area and surplus fit, and any number of these pieces would do; not this number.
    found = set()
    for first in range(13):
        text = ",".join(f"{n}*{k}" for n, k in (("I4", first), ("O4", 12 - first)) if k)
        pieces = PieceSet.parse(text, use_all=True)
        argument = find_argument(TilingProblem(TilingBoard(6, 8), pieces))
        if argument is not None:
            assert count_tilings(TilingBoard(6, 8), pieces, method="sweep") == 0
            found.add(argument.name)
    assert "weights mod 2" in found
    assert argument is None or first == 12
