"""The lazy search, which yields solutions one by one.

Backtracking over the first free cell: try every placement of a remaining piece that has this first
cell. Two tests prune the search. After each placement every connected region of the free cells must
have a size that is a sum of piece sizes. A position (free cells and remaining pieces) without a
solution is remembered and never entered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tetrisprinter.tilings.board import TilingBoard
from tetrisprinter.tilings.placements import TilingProblem

_MAX_DEAD_POSITIONS: Final = 2_000_000  # positions; some 200 MB


def search(problem: TilingProblem) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in lexicographic order."""
    size = problem.board.width * problem.board.height
    steps, fields, remaining, used_up = problem.counters
    use_all = problem.pieces.use_all
    moves = [
        [
            (
                number,
                problem.placements[number].mask,
                steps[problem.placements[number].kind],
                fields[problem.placements[number].kind],
            )
            for number in problem.by_cell[size - 1 - bit]
        ]
        for bit in range(size)
    ]
    can_fill_regions = make_region_test(problem.board, problem.coverable_areas)
    dead_positions: set[tuple[int, int]] = set()
    free = problem.board.free
    if not can_fill_regions(free):
        return
    chosen: list[int] = []
    # One frame per piece: free cells, remaining pieces, untried moves, whether it had a solution.
    frames = [[free, remaining, iter(moves[free.bit_length() - 1]), False]] if free else []
    if not free and (not use_all or remaining == used_up):
        yield ()
    while frames:
        frame = frames[-1]
        free, remaining, untried, _ = frame  # type: ignore[assignment]
        for number, mask, step_of_piece, field_mask in untried:  # type: ignore[attr-defined]
            if mask & ~free or not remaining & field_mask:
                continue
            free_after = free ^ mask
            pieces_after = remaining - step_of_piece
            if not free_after:
                if not use_all or pieces_after == used_up:
                    yield (*chosen, number)
                    frame[3] = True
                continue
            if (free_after, pieces_after) in dead_positions:
                continue
            if not can_fill_regions(free_after):
                continue
            chosen.append(number)
            frames.append(
                [free_after, pieces_after, iter(moves[free_after.bit_length() - 1]), False]
            )
            break
        else:
            frames.pop()
            if frames:
                chosen.pop()
                if frame[3]:
                    frames[-1][3] = True
                elif len(dead_positions) < _MAX_DEAD_POSITIONS:
                    dead_positions.add((free, remaining))


def make_region_test(board: TilingBoard, fillable_areas: list[bool]) -> Callable[[int], bool]:
    """Return a predicate: is the area of each connected region of a mask a fillable area?"""
    width = board.width
    size = width * board.height
    left_edge = sum(1 << (width * y + width - 1) for y in range(board.height))
    right_edge = left_edge >> (width - 1)
    if all(fillable_areas[1:]):
        return lambda free: True
    inner = ((1 << size) - 1) & ~left_edge
    inner_right = ((1 << size) - 1) & ~right_edge

    def can_fill_regions(free: int) -> bool:
        while free:
            region = 1 << (free.bit_length() - 1)
            while True:
                grown = (
                    region
                    | (region & inner) << 1
                    | (region & inner_right) >> 1
                    | region << width
                    | region >> width
                ) & free
                if grown == region:
                    break
                region = grown
            if not fillable_areas[region.bit_count()]:
                return False
            free ^= region
        return True

    return can_fill_regions
