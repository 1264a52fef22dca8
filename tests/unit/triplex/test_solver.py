import random

import pytest

from tests.oracles import brute_triplex as brute
from tetrisprinter.triplex.generator import SHORT_SEARCH_STEPS, check, solve
from tetrisprinter.triplex.levels import Puzzle

SIZES = [(2, 2), (3, 2), (4, 3), (3, 4), (1, 6), (5, 1), (4, 4), (6, 3), (3, 6), (5, 4)]


def counts_that_fit(cells: int) -> list[tuple[int, ...]]:
    """All vectors of the right area."""
    found: list[tuple[int, ...]] = [()]
    for size in (2, 2, 3, 3, 3, 3, 3, 3):
        found = [
            (*counts, count)
            for counts in found
            for count in range(1 + (cells - sum(map(_times, counts, range(8)))) // size)
        ]
    return [counts for counts in found if sum(map(_times, counts, range(8))) == cells]


def _times(count: int, kind: int) -> int:
    return count * (2 if kind < 2 else 3)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_numbers_of_solutions(width: int, height: int) -> None:
    truth = brute.all_counts(width, height)
    vectors = counts_that_fit(width * height)
    for counts in random.Random(1).sample(vectors, min(300, len(vectors))):
        ways = truth[counts][0] if counts in truth else 0
        puzzle = Puzzle(width, height, counts)
        assert len(solve(puzzle).solutions) == min(ways, 2)
        found = solve(puzzle, limit=50)
        assert len(found.solutions) == len(set(found.solutions)) == min(ways, 50)
        for solution in found.solutions:
            order = {letter: i for i, letter in enumerate(dict.fromkeys("".join(solution)))}
            drawing = tuple(tuple(order[letter] for letter in row) for row in solution)
            assert brute.counts_of(drawing) == counts


def test_verdicts_follow_the_definition() -> None:
    for width, height in [(4, 3), (4, 4), (5, 4), (2, 3), (6, 3)]:
        for counts, (ways, drawing) in brute.all_counts(width, height).items():
            puzzle = Puzzle(width, height, counts)
            verdict = check(puzzle)
            expected = ways == 1 and sum(counts) >= 3 and not brute.is_cut(drawing)
            assert verdict.is_level == expected, puzzle
            assert bool(verdict.faults) != expected
            if ways == 1:
                assert (verdict.cut is not None) == brute.is_cut(drawing)
    assert check(Puzzle.parse("3x2 V0*2")).faults == (
        "it has no solution",
        "it has fewer than 3 pieces",
    )


def test_a_cut_unique_solution_repeats_one_part() -> None:
    """A unique tiling is cut iff its counts are k times those of a k-th of the rectangle."""
    compared = 0
    for width, height in [(4, 2), (6, 2), (4, 3), (6, 3), (8, 3), (4, 4), (6, 4), (5, 5)]:
        for counts, (ways, drawing) in brute.all_counts(width, height).items():
            if ways > 1:
                continue
            repeats = False
            for k in range(2, max(width, height) + 1):
                if any(count % k for count in counts):
                    continue
                part = tuple(count // k for count in counts)
                if width % k == 0:
                    repeats |= part in brute.all_counts(width // k, height)
                if height % k == 0:
                    repeats |= part in brute.all_counts(width, height // k)
            assert repeats == brute.is_cut(drawing), (width, height, counts)
            compared += repeats
    assert compared > 20


def test_a_long_search_goes_on_in_a_thread() -> None:
    puzzle = Puzzle.parse("8x8 V1*7 I3h*4 I2v*5 I3v*7")
    short, long = solve(puzzle, limit=100), solve(puzzle, limit=400)
    assert 0 < short.steps < SHORT_SEARCH_STEPS < long.steps
    assert long.solutions[:100] == short.solutions
    assert len(set(long.solutions)) == 400


def test_larger_rectangles() -> None:
    truth = brute.marked_counts(4, 7)
    vectors = counts_that_fit(28)
    chosen = random.Random(2).sample(vectors, 100)
    chosen += random.Random(3).sample([c for c, many in truth.items() if not many], 20)
    steps = 0
    for counts in chosen:
        found = solve(Puzzle(4, 7, counts))
        assert len(found.solutions) == (0 if counts not in truth else 2 if truth[counts] else 1)
        steps = max(steps, found.steps)
    assert steps > 600


def test_the_memory_of_dead_ends_grows() -> None:
    """A level of 142 of 7x7, found and confirmed with all ambiguous counts kept."""
    found = solve(Puzzle.parse("7x7 I2h*2 I2v*3 I3v*4 V1 V2*8"))
    assert len(found.solutions) == 1
    assert 100_000 < found.steps < 200_000
