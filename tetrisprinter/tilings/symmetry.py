"""Tilings up to symmetry: turns and mirror images count as one.

A symmetry of a problem is one of the eight symmetries of the square that maps the board to itself
and all placements of a piece to placements of one piece with the same limit: the same piece or, for
example, its mirror image.

Each class of images is represented by its first solution in the order of the search. A solution's
images show whether it is the first, so earlier solutions need not be stored. Counting uses
Burnside's lemma: the number of classes is the mean, over all symmetries, of the number of solutions
that a symmetry fixes. With each placement, these solutions contain its complete orbit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from tetrisprinter.errors import JobError
from tetrisprinter.tilings.board import MEMORY_LIMIT, TilingBoard, format_memory
from tetrisprinter.tilings.placements import TilingProblem
from tetrisprinter.tilings.polyomino import GridCell

Symmetry = tuple[int, ...]
"""For each placement the number of its image; -1 if the image is in no tiling."""

_MAX_POSITIONS: Final = MEMORY_LIMIT // 200


def _list_board_symmetries(board: TilingBoard) -> list[Callable[[int, int], GridCell]]:
    """Return the symmetries of the rectangle as functions of (x, y), the identity first."""
    right, bottom = board.width - 1, board.height - 1
    symmetries: list[Callable[[int, int], GridCell]] = [
        lambda x, y: (x, y),
        lambda x, y: (right - x, y),
        lambda x, y: (x, bottom - y),
        lambda x, y: (right - x, bottom - y),
    ]
    if right == bottom:
        symmetries += [
            lambda x, y: (y, x),
            lambda x, y: (right - y, x),
            lambda x, y: (y, right - x),
            lambda x, y: (right - y, right - x),
        ]
    return symmetries


def find_symmetries(problem: TilingProblem) -> list[Symmetry]:
    """Return the symmetries of a problem, the identity first."""
    board = problem.board
    number_of = {(p.kind, p.mask): n for n, p in enumerate(problem.placements)}
    kind_of = {p.mask: p.kind for p in problem.all_placements}
    symmetries = []
    blocked = set(board.list_cells(board.blocked))
    for map_cell in _list_board_symmetries(board):
        if any(map_cell(x, y) not in blocked for x, y in blocked):
            continue
        image_of_cell = {
            (x, y): board.get_bit(*map_cell(x, y))
            for y in range(board.height)
            for x in range(board.width)
        }
        image = {
            p.mask: sum(image_of_cell[cell] for cell in p.cells) for p in problem.all_placements
        }
        # All placements of a piece must be mapped to placements of one piece.
        image_kind: dict[int, int] = {}
        for p in problem.all_placements:
            mapped_kind = kind_of.get(image[p.mask], -1)
            if mapped_kind < 0 or image_kind.setdefault(p.kind, mapped_kind) != mapped_kind:
                break
        else:
            pieces = problem.pieces.pieces
            if all(pieces[k].most == pieces[target].most for k, target in image_kind.items()):
                symmetries.append(
                    tuple(
                        number_of.get((image_kind[p.kind], image[p.mask]), -1)
                        for p in problem.placements
                    )
                )
    return symmetries


def yield_representatives(
    covers: Iterable[tuple[int, ...]], group: Sequence[Symmetry]
) -> Iterator[tuple[int, ...]]:
    """Yield the first solution of each class of images."""
    nontrivial = group[1:]
    for cover in covers:
        for symmetry in nontrivial:
            image = [symmetry[number] for number in cover]
            # The placement at the first cell distinguishes most images.
            if cover and min(image) <= cover[0] and tuple(sorted(image)) < cover:
                break
        else:
            yield cover


def count_fixed(problem: TilingProblem, symmetry: Symmetry) -> int:
    """Count the solutions that a symmetry maps to themselves: exact covers by orbits."""
    steps, fields, remaining, used_up = problem.counters
    orbits: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    seen: set[int] = set()
    for start in range(len(symmetry)):
        if start in seen:
            continue
        orbit, number = [start], symmetry[start]
        while number not in (start, -1):
            orbit.append(number)
            number = symmetry[number]
        seen.update(orbit)
        masks = [problem.placements[n].mask for n in orbit]
        covered = sum(masks)
        if number == start and covered.bit_count() == sum(mask.bit_count() for mask in masks):
            kinds = tuple(problem.placements[n].kind for n in orbit)
            orbits.setdefault(covered.bit_length(), []).append((covered, kinds))
    # By the bit length of the free cells: how many covers lead to (free cells, pieces left).
    counts_by_length: dict[int, dict[tuple[int, int], int]] = {}
    free = problem.board.free
    counts_by_length[free.bit_length()] = {(free, remaining): 1}
    for length in range(free.bit_length(), 0, -1):
        for (free, pieces_left), cover_count in counts_by_length.pop(length, {}).items():
            for covered, kinds in orbits.get(length, ()):
                if covered & ~free:
                    continue
                pieces_after = pieces_left
                for kind in kinds:
                    if not pieces_after & fields[kind]:
                        break
                    pieces_after -= steps[kind]
                else:
                    rest = free ^ covered
                    counts_after = counts_by_length.setdefault(rest.bit_length(), {})
                    counts_after[rest, pieces_after] = (
                        counts_after.get((rest, pieces_after), 0) + cover_count
                    )
        if sum(map(len, counts_by_length.values())) > _MAX_POSITIONS:
            raise JobError(
                "counting symmetric tilings would need more memory than the limit of "
                f"{format_memory(MEMORY_LIMIT)}"
            )
    finished = counts_by_length.get(0, {})
    return sum(
        cover_count
        for (_, pieces_left), cover_count in finished.items()
        if not problem.pieces.use_all or pieces_left == used_up
    )
