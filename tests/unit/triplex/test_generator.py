import math
import tracemalloc

import pytest

from tests.oracles import brute_triplex as brute
from tetrisprinter.tilings import Piece, PieceSet, TilingBoard, is_unique, iterate_tilings
from tetrisprinter.triplex.generator import (
    estimate_memory,
    find_survivors,
    find_unique_puzzles,
    generate,
    list_sizes,
)
from tetrisprinter.triplex.levels import (
    KINDS,
    NAMES,
    TRANSPOSED,
    apply_symmetry,
    draw_solution,
    list_images,
)

# As published, sizes of up to 36 cells without those that have no level. The author did
# not finish 12x3: "at least 20".
PUBLISHED = {
    "4x2": 2, "3x3": 1, "5x2": 1, "4x3": 4, "5x3": 6, "4x4": 5, "6x3": 8, "5x4": 48, "7x3": 16,
    "6x4": 27, "8x3": 16, "5x5": 22, "9x3": 19, "7x4": 45, "6x5": 55, "10x3": 19, "8x4": 112,
    "11x3": 22, "7x5": 158, "6x6": 46, "9x4": 69,
}  # fmt: skip


def test_published_numbers() -> None:
    found = {f"{w}x{h}": len(find_unique_puzzles(w, h)) for w, h in list_sizes(36)}
    assert found.pop("12x3") == 23 >= 20
    assert {size: count for size, count in found.items() if count} == PUBLISHED


@pytest.mark.parametrize(("width", "height"), [(w, h) for w, h in list_sizes(25)])
def test_every_level_and_nothing_else(width: int, height: int) -> None:
    """Against all tilings, one by one, with the definition taken literally."""
    found = find_unique_puzzles(width, height)
    orbits = {frozenset(list_images(p.counts, square=width == height)) for p in found}
    assert len(orbits) == len(found)
    assert orbits == brute.levels(width, height)
    assert all(p.counts == min(list_images(p.counts, square=width == height)) for p in found)
    assert find_unique_puzzles(height, width) == found


@pytest.mark.parametrize(
    ("width", "height"), [(7, 4), (12, 3), pytest.param(13, 3, marks=pytest.mark.slow)]
)
def test_larger_sizes_with_all_ambiguous_counts_kept(width: int, height: int) -> None:
    marked = brute.marked_counts(height, width)
    unique = {apply_symmetry(counts, TRANSPOSED) for counts, many in marked.items() if not many}
    assert unique <= {
        apply_symmetry(counts, TRANSPOSED) for counts in find_survivors(height, width)
    }
    found = {p.counts for p in find_unique_puzzles(width, height)}
    levels = set().union(*(list_images(counts, square=False) for counts in found))
    assert levels <= unique
    for counts in unique - levels:  # the rest is cut, so it repeats: see docs/triplex.md
        assert math.gcd(*counts) > 1


def test_the_marked_counts_agree_with_all_tilings() -> None:
    for width, height in [(3, 4), (4, 4), (4, 5)]:
        ways = brute.all_counts(width, height)
        assert brute.marked_counts(width, height) == {c: n > 1 for c, (n, _) in ways.items()}


@pytest.mark.parametrize("size", [(4, 2), (4, 3), (5, 3), (4, 4), (6, 3), (5, 4), (7, 3), (6, 4)])
def test_the_tiling_engine_finds_one_solution(size: tuple[int, int]) -> None:
    for level in generate(*size):
        pieces = PieceSet(
            tuple(
                Piece(name, kind, count)
                for name, kind, count in zip(NAMES, KINDS, level.counts, strict=True)
                if count
            ),
            "fixed",
            use_all=True,
        )
        board = TilingBoard(*size)
        assert is_unique(board, pieces)
        (tiling,) = iterate_tilings(board, pieces)
        drawn = draw_solution(*size, [placement.cells for placement in tiling.placements])
        assert drawn == level.solution


def test_levels_are_ordered_and_turned_by_the_seed() -> None:
    levels = generate(5, 4)
    assert levels == sorted(levels, key=lambda level: (level.difficulty, level.counts))
    assert levels == generate(4, 5, seed=0)
    others = generate(5, 4, seed=1)
    assert [lv.puzzle for lv in others] == [lv.puzzle for lv in levels]
    assert {lv.turns for lv in levels} == {0, 1, 2, 3}
    assert [lv.turns for lv in others] != [lv.turns for lv in levels]


def test_progress_is_told() -> None:
    reported: list[tuple[int, int | None]] = []
    generate(4, 3, report=lambda done, total: reported.append((done, total)))
    assert reported[0] == (0, 12)
    assert (12, 12) in reported
    assert reported[-1] == (3, 4)


def test_sizes_without_levels() -> None:
    for width, height in [(1, 1), (1, 2), (7, 1), (2, 2), (7, 2)]:
        assert generate(width, height) == []
    assert find_survivors(1, 1) == []
    assert find_survivors(1, 3) == [(0, 0, 0, 1, 0, 0, 0, 0)]


def test_estimates() -> None:
    for side, length in [(5, 6), (4, 10)]:
        tracemalloc.start()
        find_survivors(side, length)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        at_rest = estimate_memory(2, 2)
        assert 0.4 < (estimate_memory(side, length) - at_rest) / peak < 2.5, (side, length, peak)
    assert estimate_memory(8, 8) == pytest.approx(1796 * 2**20, rel=0.1)  # as measured
    assert 4 << 30 < estimate_memory(9, 8) < 12 << 30
    assert estimate_memory(3, 12) < 200 << 20
    assert estimate_memory(20, 20) > 1 << 50
