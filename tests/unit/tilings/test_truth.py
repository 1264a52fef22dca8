"""Numbers that others have published, and formulas."""

from math import cos, pi, prod

import pytest

from tetrisprinter.tilings import Piece, PieceSet, TilingBoard, TilingProblem, count_tilings
from tetrisprinter.tilings.polyomino import list_fixed
from tetrisprinter.tilings.solve import find_symmetries, iterate_covers, yield_representatives

PENTOMINOES = PieceSet.parse("pentominoes")
CHESS = TilingBoard(8, 8, [(3, 3), (3, 4), (4, 3), (4, 4)])


@pytest.mark.parametrize(
    ("board", "different", "in_all"),
    [
        (TilingBoard(3, 20), 2, 8),
        (TilingBoard(20, 3), 2, 8),
        (TilingBoard(4, 15), 368, 1472),
        (TilingBoard(12, 5), 1010, 4040),
        pytest.param(CHESS, 65, 520, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_pentominoes(board: TilingBoard, different: int, in_all: int) -> None:
    problem = TilingProblem(board, PENTOMINOES)
    listed = list(iterate_covers(problem))
    assert len(set(listed)) == len(listed) == in_all
    # By leaving out images, and by Burnside's lemma.
    assert len(list(yield_representatives(listed, find_symmetries(problem)))) == different
    assert count_tilings(board, PENTOMINOES, up_to_symmetry=True) == different


def dominoes(m: int, n: int) -> int:
    """Kasteleyn, Temperley and Fisher, 1961."""
    return round(
        prod(
            4 * cos(pi * j / (m + 1)) ** 2 + 4 * cos(pi * k / (n + 1)) ** 2
            for j in range(1, (m + 1) // 2 + 1)
            for k in range(1, (n + 1) // 2 + 1)
        )
    )


@pytest.mark.parametrize("width", range(1, 9))
def test_dominoes(width: int) -> None:
    pieces = PieceSet.parse("dominoes")
    for height in range(1, 9):
        expected = dominoes(width, height) if width * height % 2 == 0 else 0
        assert count_tilings(TilingBoard(width, height), pieces) == expected
        if expected <= 40:
            assert count_tilings(TilingBoard(width, height), pieces, method="search") == expected


def test_other_known_numbers() -> None:
    # OEIS A099390 up to symmetry is A068920: 8x8 dominoes.
    assert (
        count_tilings(TilingBoard(8, 8), PieceSet.parse("dominoes"), up_to_symmetry=True) == 1629189
    )
    # Trominoes of the V form in 9x9 (OEIS A165791: squares of side 3n).
    assert count_tilings(TilingBoard(6, 6), PieceSet.parse("V3*inf")) == 162
    assert count_tilings(TilingBoard(9, 9), PieceSet.parse("V3*inf")) == 1193600
    # T-tetrominoes: Walkup 1965, only rectangles with both sides divisible by 4; 4x4 in 2 ways.
    sides = [(w, h) for w in range(1, 9) for h in range(1, 9)]
    possible = [s for s in sides if count_tilings(TilingBoard(*s), PieceSet.parse("T4*inf"))]
    assert possible == [(4, 4), (4, 8), (8, 4), (8, 8)]
    assert count_tilings(TilingBoard(4, 4), PieceSet.parse("T4*inf")) == 2
    # Every fixed tromino tiles; of them 2x3 is covered by two V in two ways, and by bars.
    trominoes = tuple(Piece(str(n), shape, None) for n, shape in enumerate(list_fixed(3)))
    assert count_tilings(TilingBoard(3, 2), PieceSet(trominoes, "fixed")) == 3
