"""The lazy search, which yields solutions one by one.

Backtracking over the first free cell: try every placement of a remaining piece that has this first
cell. Two tests prune the search. After each placement every connected region of the free cells must
have a size that is a sum of piece sizes. A position (free cells and remaining pieces) without a
solution is remembered and never entered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from tetrisprinter.tilings.board import TilingBoard
from tetrisprinter.tilings.placements import TilingProblem

_MAX_DEAD_BYTES: Final = 200_000_000  # of positions that are remembered
_LARGE_AREA: Final = 1_000
"""On a larger board only the regions beside the last piece are tested, and only small ones."""
_SMALL_REGION: Final = 64
"""A region that grows for this number of steps is not small."""


def search(
    problem: TilingProblem, rng: Random | None = None, max_moves: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in lexicographic order.

    With ``rng`` the placements at each cell are tried in a random order. After ``max_moves`` moves
    the search ends.
    """
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
    if rng is not None:
        for moves_of_cell in moves:
            rng.shuffle(moves_of_cell)
    can_fill_regions = make_region_test(problem.board, problem.coverable_areas)
    can_fill_beside = make_local_region_test(problem.board, problem.coverable_areas)
    is_large = problem.board.area > _LARGE_AREA
    max_dead_positions = _MAX_DEAD_BYTES // (100 + size // 7)
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
            if max_moves is not None:
                max_moves -= 1
                if max_moves < 0:
                    return
            free_after = free ^ mask
            pieces_after = remaining - step_of_piece
            if not free_after:
                if not use_all or pieces_after == used_up:
                    yield tuple(sorted((*chosen, number)))
                    frame[3] = True
                continue
            if (free_after, pieces_after) in dead_positions:
                continue
            if not (
                can_fill_beside(free_after, mask) if is_large else can_fill_regions(free_after)
            ):
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
                elif len(dead_positions) < max_dead_positions:
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


def make_local_region_test(
    board: TilingBoard, fillable_areas: list[bool]
) -> Callable[[int, int], bool]:
    """Return a predicate for free cells and the piece that was just placed on a large board.

    It tests the areas of the small regions beside the piece. All regions of a board of 200 x 200
    would have to be flooded for every piece, which takes some milliseconds.
    """
    width, size = board.width, board.width * board.height
    left_edge = sum(1 << (width * y + width - 1) for y in range(board.height))
    inner = ((1 << size) - 1) & ~left_edge
    inner_right = ((1 << size) - 1) & ~(left_edge >> (width - 1))

    def grow(cells: int) -> int:
        return (
            cells
            | (cells & inner) << 1
            | (cells & inner_right) >> 1
            | cells << width
            | cells >> width
        )

    def can_fill_beside(free: int, piece: int) -> bool:
        frontier = grow(piece) & free
        while frontier:
            region = frontier & -frontier
            for _ in range(_SMALL_REGION):
                grown = grow(region) & free
                if grown == region:
                    if not fillable_areas[region.bit_count()]:
                        return False
                    break
                region = grown
                if not frontier & ~region:
                    break  # the piece separates nothing
            frontier &= ~region
        return True

    return can_fill_beside
