"""The lazy search: solutions one by one, with masks as plain Python integers.

Backtracking over the first free cell: try every remaining piece in every orientation whose first
cell it is. Two tests prune the search. After each placement every connected part of the free
cells must have a size that is a sum of piece sizes. A position (free cells and remaining pieces)
without a solution is remembered and never entered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tetrisprinter.tilings.board import TilingBoard
from tetrisprinter.tilings.placements import TilingProblem

_REMEMBERED: Final = 2_000_000  # positions; some 200 MB


def search(problem: TilingProblem) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as tuples of placement numbers, ascending.

    The solutions come in lexicographic order.
    """
    size = problem.board.width * problem.board.height
    step, field, remaining, used_up = problem.counters
    use_all = problem.pieces.use_all
    moves = [
        [
            (
                number,
                problem.placements[number].mask,
                step[problem.placements[number].kind],
                field[problem.placements[number].kind],
            )
            for number in problem.by_cell[size - 1 - bit]
        ]
        for bit in range(size)
    ]
    can_fill_parts = make_parts_test(problem.board, problem.coverable_areas)
    dead: set[tuple[int, int]] = set()
    free = problem.board.free
    if not can_fill_parts(free):
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
            rest = free ^ mask
            after = remaining - step_of_piece
            if not rest:
                if not use_all or after == used_up:
                    yield (*chosen, number)
                    frame[3] = True
                continue
            if (rest, after) in dead:
                continue
            if not can_fill_parts(rest):
                continue
            chosen.append(number)
            frames.append([rest, after, iter(moves[rest.bit_length() - 1]), False])
            break
        else:
            frames.pop()
            if frames:
                chosen.pop()
                if frame[3]:
                    frames[-1][3] = True
                elif len(dead) < _REMEMBERED:
                    dead.add((free, remaining))


def make_parts_test(board: TilingBoard, sums: list[bool]) -> Callable[[int], bool]:
    """Return a test whether all connected parts of a mask have sizes that pieces can fill."""
    width = board.width
    size = width * board.height
    left_edge = sum(1 << (width * y + width - 1) for y in range(board.height))
    right_edge = left_edge >> (width - 1)
    if all(sums[1:]):
        return lambda free: True
    inner = ((1 << size) - 1) & ~left_edge
    inner_right = ((1 << size) - 1) & ~right_edge

    def test(free: int) -> bool:
        while free:
            part = 1 << (free.bit_length() - 1)
            while True:
                grown = (
                    part
                    | (part & inner) << 1
                    | (part & inner_right) >> 1
                    | part << width
                    | part >> width
                ) & free
                if grown == part:
                    break
                part = grown
            if not sums[part.bit_count()]:
                return False
            free ^= part
        return True

    return test
