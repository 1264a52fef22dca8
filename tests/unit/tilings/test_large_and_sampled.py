"""Tilings of very large boards, tilings that differ, and advice where there is none."""

import random
import shlex

import pytest

from tests.support.commands import Run
from tetrisprinter.tilings import PieceSet, TilingBoard, placements, solve
from tetrisprinter.tilings.placements import TilingProblem, draw_tilings
from tetrisprinter.tilings.solve import iterate_covers, sample_covers, search_covers


@pytest.mark.slow
def test_a_very_large_board_is_tiled_in_seconds(run: Run) -> None:
    """Before, there was nothing after 40 s."""
    rows = run("tile", "150x150", "dominoes").stdout.split()
    assert [len(row) for row in rows] == [150] * 150


@pytest.mark.parametrize("seed", range(12))
def test_large_boards_have_the_tilings_of_small_ones(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The tests of large boards leave out no tiling and change no order."""
    rng = random.Random(seed)
    blocked = {(rng.randrange(5), rng.randrange(6)) for _ in range(rng.randrange(4))}
    board = TilingBoard(5, 6, sorted(blocked))
    pieces = PieceSet.parse(rng.choice(["dominoes", "trominoes*inf", "V3*inf,I2*3", "T4*inf,I1*2"]))
    small = TilingProblem(board, pieces)
    expected = [str(small.make_tiling(cover)) for cover in search_covers(small)]
    monkeypatch.setattr(solve, "_LARGE_AREA", 0)
    monkeypatch.setattr(solve, "_SMALL_REGION", rng.choice([1, 3, 64]))
    monkeypatch.setattr(placements, "_MAX_AREA_FOR_POCKETS", 0)
    monkeypatch.setattr(placements, "_MAX_AREA_FOR_MASKS", 0)
    large = TilingProblem(board, pieces)
    covers = list(search_covers(large))
    assert [str(large.make_tiling(cover)) for cover in covers] == expected
    assert list(draw_tilings(large, covers)) == expected


def test_samples_differ_everywhere() -> None:
    problem = TilingProblem(TilingBoard(10, 6), PieceSet.parse("pentominoes"))
    drawings = []
    for cover in sample_covers(problem, 12):
        tiling = problem.make_tiling(cover)
        assert len(tiling.owners) == 60  # twelve pieces of five cells do not overlap
        drawings.append(str(tiling))
    assert len(set(drawings)) == 12
    assert len({drawing.split("\n")[0] for drawing in drawings}) > 6
    assert sample_covers(problem, 3, 5) == sample_covers(problem, 3, 5)
    assert sample_covers(problem, 3, 5) != sample_covers(problem, 3, 6)


def test_samples_are_all_tilings_if_there_are_few() -> None:
    for pieces in ("dominoes", "V3*inf"):
        problem = TilingProblem(TilingBoard(3, 4), PieceSet.parse(pieces))
        covers = list(iterate_covers(problem))
        assert sample_covers(problem, 10**9) == covers
        classes = list(iterate_covers(problem, up_to_symmetry=True))
        assert sample_covers(problem, 50, up_to_symmetry=True) == classes
    assert sample_covers(TilingProblem(TilingBoard(3, 3), PieceSet.parse("dominoes")), 5) == []


@pytest.mark.parametrize(
    ("board", "pieces"),
    [
        ("5x5", "dominoes"),
        ("8x8", "pentominoes"),
        ("7x9", "tetrominoes*9"),
        ("7x7", "I3*inf,I2*1"),
        ("4x5", "tetrominoes"),  # the chessboard argument
    ],
)
@pytest.mark.parametrize("use_all", [False, True])
def test_advice_works(run: Run, board: str, pieces: str, use_all: bool) -> None:
    options = ("--use-all",) if use_all else ()
    done = run("tile", board, pieces, *options, code=1)
    sentence = done.stderr.splitlines()[0]
    if use_all and "; with " not in sentence:
        assert "tetrominoes" in pieces  # too many pieces, and monominoes do not help
        return
    assert "; with " in sentence
    (advice,) = shlex.split(sentence.partition("; with ")[2].removesuffix(" there is one"))
    assert advice.startswith(f"{pieces},monominoes*")
    run("tile", board, advice, *options)
