"""All methods against each other, against brute force, and against published numbers."""

from itertools import islice
from math import cos, pi, prod
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.oracles import tilings as oracle
from tetrisprinter.tilings import (
    Piece,
    PieceSet,
    Tiling,
    TilingBoard,
    TilingProblem,
    count_tilings,
    find_argument,
)
from tetrisprinter.tilings.placements import draw_tilings
from tetrisprinter.tilings.polyomino import get_polyomino, list_names
from tetrisprinter.tilings.solve import (
    find_covers_by_cpsat,
    find_symmetries,
    find_tiling,
    is_unique,
    iterate_covers,
    iterate_tilings,
    yield_representatives,
)
from tetrisprinter.tilings.sweep import count_unlimited, sweep

SMALL = [name for size in range(1, 5) for name in list_names(size)]
_MOST = 1_000


@st.composite
def problems(draw: st.DrawFn) -> tuple[TilingBoard, PieceSet]:
    width, height = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = [(x, y) for x in range(width) for y in range(height)]
    if draw(st.booleans()):
        height += draw(st.integers(0, 4))
        # A long run of blocked cells, more than one window of the sweep.
        run = [(i % width, i // width) for i in range(width * height)]
        begin = draw(st.integers(0, 8))
        blocked = run[begin : begin + draw(st.integers(0, 24))]
    else:
        blocked = draw(st.lists(st.sampled_from(cells), max_size=4))
    orientations: Any = draw(st.sampled_from(["fixed", "rotations", "all"]))
    turn = st.sampled_from(["", "@1", "'", "'@2"])
    piece = st.builds(
        lambda name, turn, most: Piece(name + turn, get_polyomino(name + turn), most),
        st.sampled_from(SMALL),
        turn,
        st.sampled_from([None, None, 1, 2, 3]),
    )
    pieces = tuple(draw(st.lists(piece, min_size=1, max_size=4)))
    board = TilingBoard(width, height, blocked)
    among = PieceSet(pieces, orientations, use_all=draw(st.booleans()))
    # They are listed one by one, and monominoes and dominoes alone make millions.
    assume(count_tilings(board, among, method="sweep") <= _MOST)
    return board, among


def brute(board: TilingBoard, pieces: PieceSet) -> set[oracle.Solution]:
    shapes = [(frozenset(piece.shape.cells), piece.most) for piece in pieces.pieces]
    free = frozenset(board.list_cells(board.free))
    return oracle.tilings(free, shapes, pieces.orientations, pieces.use_all)


def as_sets(tilings: list[Tiling]) -> set[oracle.Solution]:
    return {frozenset(frozenset(p.cells) for p in tiling.placements) for tiling in tilings}


@settings(max_examples=100, deadline=None)
@given(problems())
def test_search_and_sweep_agree_with_brute_force(asked: tuple[TilingBoard, PieceSet]) -> None:
    board, pieces = asked
    expected = brute(board, pieces)
    problem = TilingProblem(board, pieces)
    searched = list(iterate_covers(problem, "search"))
    assert list(iterate_covers(problem, "sweep")) == searched
    if board.width <= board.height:
        assert searched == sorted(searched)
    assert len(searched) == len(expected)
    assert as_sets([problem.make_tiling(cover) for cover in searched]) == expected
    assert count_tilings(board, pieces) == len(expected)
    assert is_unique(board, pieces) == (len(expected) == 1)
    one = find_tiling(board, pieces)
    assert (one is not None) == bool(expected)
    # What an argument excludes is not there; and text is text, however it is made.
    assert not (expected and find_argument(problem))
    assert list(draw_tilings(problem, searched)) == [
        str(problem.make_tiling(cover)) for cover in searched
    ]


@settings(max_examples=60, deadline=None)
@given(problems(), st.sets(st.sampled_from(SMALL), min_size=1))
@example((TilingBoard(7, 7, [(3, 3)]), PieceSet.parse("I1")), {"I2", "V3"})  # rows that repeat
@example((TilingBoard(6, 9), PieceSet.parse("I1")), {"I3", "T4"})
def test_counting_without_a_graph_agrees(
    asked: tuple[TilingBoard, PieceSet], used: set[str]
) -> None:
    board, _ = asked
    pieces = PieceSet.parse(",".join(f"{name}*inf" for name in sorted(used)))
    problem = TilingProblem(board, pieces)
    assert count_unlimited(problem) == sweep(problem).count()
    if board.area <= 12:
        assert count_unlimited(problem) == sum(1 for _ in iterate_covers(problem, "search"))


def test_numbers_of_many_words_are_exact() -> None:
    """Dominoes on two columns are counted by Fibonacci's numbers; the square is published."""
    before, now = 1, 1
    for _ in range(299):
        before, now = now, before + now
    assert count_unlimited(TilingProblem(TilingBoard(2, 300), PieceSet.parse("dominoes"))) == now
    assert (
        count_unlimited(TilingProblem(TilingBoard(12, 12), PieceSet.parse("dominoes")))
        == 53060477521960000
    )


@settings(max_examples=60, deadline=None)
@given(problems())
# Mirror images of these pieces are in the set, but may not be used as often.
@example((TilingBoard(4, 4), PieceSet.parse("L4*2,J4*4", "rotations")))
@example((TilingBoard(4, 4), PieceSet.parse("dominoes")))
def test_symmetry(asked: tuple[TilingBoard, PieceSet]) -> None:
    board, pieces = asked
    shapes = [(frozenset(piece.shape.cells), piece.most) for piece in pieces.pieces]
    free = frozenset(board.list_cells(board.free))
    expected = oracle.classes(
        brute(board, pieces), board.width, board.height, free, shapes, pieces.orientations
    )
    listed = list(iterate_tilings(board, pieces, up_to_symmetry=True))
    assert len(listed) == expected
    # Counting by fixed points, and by leaving out images.
    assert count_tilings(board, pieces, up_to_symmetry=True) == expected
    assert count_tilings(board, pieces, method="search", up_to_symmetry=True) == expected


@settings(max_examples=25, deadline=None)
@given(problems())
def test_cpsat_agrees(asked: tuple[TilingBoard, PieceSet]) -> None:
    board, pieces = asked
    problem = TilingProblem(board, pieces)
    searched = list(iterate_covers(problem, "search"))
    assert list(iterate_covers(problem, "cpsat")) == searched
    assert count_tilings(board, pieces, method="cpsat") == len(searched)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tetrisprinter.tilings.solve._SORTED_LIMIT", 1)
        one_by_one = list(islice(find_covers_by_cpsat(problem), 5))
    # The search may turn the board, which changes its order: compare with the sorted one.
    assert one_by_one == sorted(searched)[:5]


@pytest.mark.parametrize("method", ["auto", "search", "sweep", "cpsat"])
def test_nothing_to_cover(method: Any) -> None:
    board = TilingBoard(2, 1, [(0, 0), (1, 0)])
    assert count_tilings(board, PieceSet.parse("I2"), method=method) == 1
    assert count_tilings(board, PieceSet.parse("I2", use_all=True), method=method) == 0
    assert [*iterate_tilings(board, PieceSet.parse("I2*inf"), method=method)][-1].placements == ()


# ---- Numbers that others have published, and formulas.
PENTOMINOES = PieceSet.parse("pentominoes")
CHESS = TilingBoard(8, 8, [(3, 3), (3, 4), (4, 3), (4, 4)])


@pytest.mark.parametrize(
    ("board", "different", "in_all"),
    [
        (TilingBoard(20, 3), 2, 8),
        (TilingBoard(4, 15), 368, 1472),
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
