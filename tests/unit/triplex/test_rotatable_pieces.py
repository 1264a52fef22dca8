import pytest

from tests.oracles import brute_triplex as brute
from tetrisprinter.triplex.generator import (
    choose_rotatable_piece,
    find_rotatable_pieces,
    generate,
    solve,
)
from tetrisprinter.triplex.levels import Puzzle

FAMILIES = [(0, 1), (2, 3), (4, 5, 6, 7)]


@pytest.mark.parametrize("size", [(4, 2), (3, 3), (4, 3), (5, 3), (4, 4), (6, 3), (5, 4), (5, 5)])
def test_rotatable_is_what_leaves_no_second_solution(size: tuple[int, int]) -> None:
    fillable = brute.all_counts(*size)
    none = 0
    for level in generate(*size):
        expected = []
        for kind in range(8):
            if level.counts[kind]:
                (family,) = (f for f in FAMILIES if kind in f)
                replaced = []
                for other in family:
                    counts = list(level.counts)
                    counts[kind] -= 1
                    counts[other] += 1
                    replaced.append(tuple(counts))
                if [counts for counts in replaced if counts in fillable] == [level.counts]:
                    expected.append(kind)
        found = find_rotatable_pieces(level.puzzle)
        assert [piece.kind for piece in found] == expected
        assert (level.rotatable is None) == (not expected)
        none += not expected
        for piece in found:
            chosen = choose_rotatable_piece(level.puzzle)
            assert chosen is not None
            assert chosen.kind == level.rotatable
            assert piece.steps <= chosen.steps
            assert 0 <= level.turns <= len(chosen.others)
    if size == (5, 4):
        assert none > 0


def test_steps_are_those_of_the_other_orientations() -> None:
    (piece,) = find_rotatable_pieces(Puzzle.parse("4x3 I2h I2v*2 V1 V2"))
    assert (piece.kind, piece.others) == (0, (1,))
    other = Puzzle.parse("4x3 I2v*3 V1 V2")
    assert solve(other).solutions == ()
    assert piece.steps == solve(other).steps
