"""The solver of puzzles, and the generator, which finds all levels of a size at once.

The solver backtracks over the first free cell, along the shorter side of the rectangle: it tries
every remaining piece there. Dead ends (taken cells and remaining pieces) are remembered, so that
even the proof that there is no second solution is short. The *difficulty* of a level is the number
of pieces placed until this proof is complete.

A level gets harder if the player must first turn one of its pieces (:func:`find_rotatable_pieces`).
The level must still have exactly one solution: with this piece in any other orientation the pieces
do not fill the rectangle. Equal pieces are interchangeable, so a kind is chosen and one piece of
this kind is turned.

The generator sweeps along the shorter side and fills the rectangle cell by cell. The free part
depends only on the *state*: the first free cell, and which cells after it are taken. A state holds
the count vectors of the pieces placed so far as a sorted array, with one number per vector. So
placing a piece adds a constant to the array, and arrays that meet in a state are merged.

**A vector that reaches a state in two ways is dropped.** Two tilings of the same cells with the
same pieces can be exchanged, so no solution that contains either is unique, and no level is lost.
But a dropped vector can no longer show that a later vector is ambiguous. So the vectors at the end
are a superset of the uniquely solvable vectors. The superset is small, because nearly all vectors
are reached in thousands of ways. Marking vectors instead of dropping them would need several times
the memory.
Two filters make the result exact:

1. Images. A vector is unique if and only if all its rotations and reflections are, and those
   are swept separately. If one of them is missing at the end, none is a level. The sweep treats
   directions differently, so this removes nearly all ambiguous vectors.
2. The solver searches for a second solution of each remaining vector.

Memory: the area of the placed pieces follows from the state, so the count of one kind (``I2h``)
follows from the others. With the other seven as digits of one number, 32 bits suffice for
rectangles of up to 64 cells. A state's array is shared with its successors and freed when the
last of them has been merged.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.support import LazyModule
from tetrisprinter.tilings.polyomino import GridCell
from tetrisprinter.triplex.levels import (
    KINDS,
    MAX_CELLS,
    SIZES,
    TRANSPOSED,
    Counts,
    Level,
    Puzzle,
    apply_symmetry,
    draw_solution,
    find_cut,
    list_images,
    list_other_turns,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Key = np.unsignedinteger[Any]
    Keys = NDArray[Key]
else:
    np = LazyModule("numpy")


FEWEST_PIECES = 3
"""The minimum number of pieces of a level."""

SHORT_SEARCH_STEPS = 1 << 20
"""A search with more steps is restarted in another thread, so that Ctrl-C works."""


@dataclass(frozen=True, slots=True)
class SolverResult:
    """The solutions of a puzzle and the steps of the search.

    With up to two solutions it also says whether the puzzle is a level, and why it is not.

    Attributes
    ----------
    puzzle : Puzzle
        The puzzle.
    solutions : tuple of tuple of str
        The different solutions as drawings, where equal pieces are interchangeable: all of them, or
        as many as the limit allows.
    steps : int
        The number of pieces placed during the search.
    """

    puzzle: Puzzle
    solutions: tuple[tuple[str, ...], ...]
    steps: int

    @property
    def cut(self) -> str | None:
        """Where a straight line crosses the only solution and cuts no piece; None: nowhere."""
        return find_cut(self.solutions[0]) if len(self.solutions) == 1 else None

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons why the puzzle is not a level, as clauses."""
        faults = []
        if not self.solutions:
            faults.append("it has no solution")
        elif len(self.solutions) > 1:
            faults.append("it has more than one solution")
        elif self.cut:
            faults.append(f"its solution has a straight cut {self.cut}")
        if self.puzzle.pieces < FEWEST_PIECES:
            faults.append(f"it has fewer than {FEWEST_PIECES} pieces")
        return tuple(faults)

    @property
    def is_level(self) -> bool:
        """Whether the puzzle has one solution, no straight cut, and enough pieces."""
        return not self.faults


def solve(puzzle: Puzzle, limit: int = 2) -> SolverResult:
    """Find the solutions of a puzzle.

    Parameters
    ----------
    puzzle : Puzzle
        The puzzle.
    limit : int
        The number of solutions after which to stop; 2 show whether there is exactly one.

    Raises
    ------
    InputError
        If the limit is not positive.

    Examples
    --------
    >>> found = solve(Puzzle.parse("4x3 I2h I2v*2 V1 V2"))
    >>> len(found.solutions)
    1
    >>> print("\\n".join(found.solutions[0]))
    AABB
    CABD
    CEED
    """
    if limit < 1:
        raise InputError(f"invalid limit {limit}; expected at least one solution")
    solutions, steps = _search(puzzle, limit)
    return SolverResult(puzzle, tuple(_draw_codes(puzzle, codes) for codes in solutions), steps)


def check(puzzle: Puzzle) -> SolverResult:
    """Solve a puzzle as far as it takes to say whether it is a level.

    >>> check(Puzzle.parse("4x3 I2h I2v*2 V1 V2")).is_level
    True
    >>> check(Puzzle.parse("4x2 I2h*4")).faults
    ('its solution has a straight cut between columns 2 and 3',)
    >>> check(Puzzle.parse("3x2 I2h*2 I2v")).faults
    ('it has more than one solution',)
    """
    return solve(puzzle, limit=2)


@cache
def _make_masks(side: int, length: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the cells of each kind as a mask, and for each cell whether a kind can begin there."""
    masks, inside = [], np.zeros((side * length + 1, 8), np.uint8)
    for number, kind in enumerate(KINDS):
        first = kind.cells[0][0]
        cells = [(x - first, y) for x, y in kind.cells]
        masks.append(sum(1 << side * y + x for x, y in cells))
        max_x, max_y = max(x for x, _ in cells), kind.height - 1
        for y in range(length - max_y):
            inside[y * side + first : y * side + max(0, side - max_x), number] = 1
    return np.array(masks, np.uint64), inside


def _search(puzzle: Puzzle, limit: int) -> tuple[list[list[int]], int]:
    """Return the solutions, as codes of the kernel, and the number of steps."""

    from tetrisprinter.triplex import _kernel

    upright = puzzle.width <= puzzle.height
    side, length = sorted((puzzle.width, puzzle.height))
    counts = np.array(puzzle.counts if upright else apply_symmetry(puzzle.counts, TRANSPOSED))
    stop = np.zeros(1, np.bool_)
    out = np.zeros((limit, side * length // 2 + 1), np.int64)
    question = (side, length, counts, *_make_masks(side, length), limit)
    solution_count, steps = _kernel.search(*question, SHORT_SEARCH_STEPS, stop, out)
    if solution_count == _kernel.GAVE_UP:
        # Compiled code cannot be interrupted. So a longer search runs in a thread of its own
        # while this thread waits for Ctrl-C. Thousands of short searches need no threads.
        with ThreadPoolExecutor(1) as pool:
            try:
                search = pool.submit(_kernel.search, *question, -1, stop, out)
                solution_count, steps = search.result()
            finally:
                stop[0] = True
    return [out[i, : puzzle.pieces].tolist() for i in range(solution_count)], int(steps)


def _draw_codes(puzzle: Puzzle, codes: Sequence[int]) -> tuple[str, ...]:
    """Draw a solution from the kernel's codes; a code is 8 times the first cell plus the kind."""
    upright = puzzle.width <= puzzle.height
    side = min(puzzle.width, puzzle.height)
    pieces: list[list[GridCell]] = []
    for code in codes:
        position, kind = divmod(code, len(KINDS))
        y, x = divmod(position, side)
        first = KINDS[kind].cells[0][0]
        cells = [(x - first + cx, y + cy) for cx, cy in KINDS[kind].cells]
        pieces.append(cells if upright else [(y, x) for x, y in cells])
    return draw_solution(puzzle.width, puzzle.height, pieces)


def find_rotatable_pieces(puzzle: Puzzle) -> dict[int, int]:
    """Find the kinds of which one piece can start turned without a second solution.

    Parameters
    ----------
    puzzle : Puzzle
        A puzzle with exactly one solution.

    Returns
    -------
    dict of int to int
        For each kind, ascending, the solver's steps to prove that there is no solution with the
        piece in its other orientations.

    Examples
    --------
    >>> list(find_rotatable_pieces(Puzzle.parse("4x3 I2h I2v*2 V1 V2")))
    [0]
    """
    steps_by_kind = {}
    for kind, count in enumerate(puzzle.counts):
        if not count:
            continue
        steps = 0
        for turned_kind in list_other_turns(kind):
            counts = list(puzzle.counts)
            counts[kind] -= 1
            counts[turned_kind] += 1
            result = solve(Puzzle(puzzle.width, puzzle.height, tuple(counts)), limit=1)
            steps += result.steps
            if result.solutions:
                break
        else:
            steps_by_kind[kind] = steps
    return steps_by_kind


Report = Callable[[int, int | None], None]

# The kind of each digit, lowest digit first; the count of kind 0 follows from the area
_DIGITS: Final = (2, 3, 4, 5, 6, 7, 1)
_IDLE_BYTES: Final = 150 << 20  # bytes of an idle process with all modules loaded


def generate(
    width: int, height: int, *, seed: int = 0, report: Report | None = None
) -> list[Level]:
    """Find all levels of a size, the easiest first."""
    report = report or (lambda done, total: None)
    results = _solve_unique_puzzles(width, height, report)
    levels = []
    for done, result in enumerate(results):
        report(done, len(results))
        levels.append(_finish_level(result, seed))
    return sorted(levels, key=lambda level: level.order)


def _finish_level(result: SolverResult, seed: int) -> Level:
    """Make the level of a solved puzzle: its solution, difficulty and rotatable piece.

    The rotatable piece is the one with the longest search, on ties the first. Only the steps for
    its other orientations count: those for the original one are the same for all pieces.
    """
    puzzle, turns = result.puzzle, 0
    steps_by_kind = find_rotatable_pieces(puzzle)
    rotatable = max(steps_by_kind, key=lambda kind: steps_by_kind[kind], default=None)
    if rotatable is not None:
        # The seed depends on this level alone, not on other levels of the same run.
        turns = random.Random(f"{seed} {puzzle}").randrange(len(list_other_turns(rotatable)) + 1)
    return Level(
        puzzle.width,
        puzzle.height,
        puzzle.counts,
        result.solutions[0],
        result.steps,
        rotatable,
        turns,
    )


def find_unique_puzzles(width: int, height: int) -> list[Puzzle]:
    """Find the puzzles of all levels of a size."""
    results = _solve_unique_puzzles(width, height, lambda done, total: None)
    return [result.puzzle for result in results]


def _solve_unique_puzzles(width: int, height: int, report: Report) -> list[SolverResult]:
    """Sweep and apply both filters; return the solved puzzles of all levels, sorted by counts."""
    height, width = sorted((width, height))  # levels are at least as wide as high
    swept = find_survivors(height, width, report=report)
    survivors = set(swept)
    square = width == height
    candidates = set()
    for counts in swept:
        images = list_images(counts, square=square)
        if sum(counts) >= FEWEST_PIECES and images <= survivors:
            # The sweep runs along the shorter side, so its rows are columns here.
            candidates.add(min(apply_symmetry(image, TRANSPOSED) for image in images))
    results = []
    for done, counts in enumerate(sorted(candidates)):
        report(done, len(candidates))
        result = check(Puzzle(width, height, counts))
        if result.is_level:
            results.append(result)
    return results


def list_sizes(cells: int) -> list[tuple[int, int]]:
    """List the sizes with at least two rows and at most ``cells`` cells, smallest area first."""
    sizes = [(w, h) for h in range(2, cells + 1) for w in range(h, cells // h + 1)]
    return sorted(sizes, key=lambda size: (size[0] * size[1], size))


def estimate_memory(width: int, height: int) -> int:
    """Estimate the bytes of memory needed to find all levels of a size (fitted to measurements)."""
    side, length = sorted((width, height))
    cells = side * length
    dtype_bytes = 4 if _count_keys(cells) <= 1 << 32 else 8
    return round(_IDLE_BYTES + 476e3 * 2.2**side * (cells / 60) ** 7 * dtype_bytes)


def _count_keys(cells: int) -> int:
    """Return the number of possible keys for a rectangle of this area."""
    return math.prod(cells // SIZES[kind] + 1 for kind in _DIGITS)


def find_survivors(side: int, length: int, *, report: Report | None = None) -> list[Counts]:
    """Sweep a rectangle with rows of ``side`` cells; return the count vectors at the end."""
    cells = side * length
    if side < 1 or cells > MAX_CELLS:
        raise InputError(f"invalid size {length}x{side}; expected 1 to {MAX_CELLS} cells")
    bases = {kind: cells // SIZES[kind] + 1 for kind in _DIGITS}
    weights = dict.fromkeys(range(len(KINDS)), 0)
    weight = 1
    for kind in _DIGITS:
        weights[kind] = weight
        weight *= bases[kind]
    dtype = np.uint32 if _count_keys(cells) <= 1 << 32 else np.uint64
    steps = [dtype(weights[kind]) for kind in range(len(KINDS))]

    kind_masks, inside = _make_masks(side, length)
    masks = kind_masks.tolist()
    # By the first free cell and the mask of taken cells after it: arrays, each with a constant.
    waiting: list[defaultdict[int, list[tuple[Keys, Key]]]]
    waiting = [defaultdict(list) for _ in range(cells + 1)]
    vectors: Keys = np.zeros(1, dtype)
    waiting[0][0].append((vectors, dtype(0)))
    for position in range(cells + 1):
        if report is not None:
            report(position, cells)
        vectors = vectors[:0]
        fitting_kinds = [(kind, masks[kind]) for kind in np.flatnonzero(inside[position]).tolist()]
        states = waiting[position]
        while states:
            mask, arrays = states.popitem()
            vectors = _filter_reached_once(arrays)
            del arrays
            for kind, kind_mask in fitting_kinds:
                if not mask & kind_mask:
                    new_mask = mask | kind_mask
                    # The lowest zero of the mask is the next free cell.
                    skipped = (~new_mask & (new_mask + 1)).bit_length() - 1
                    waiting[position + skipped][new_mask >> skipped].append((vectors, steps[kind]))
    survivors = []
    for key in vectors.tolist():
        counts = [0] * len(KINDS)
        for kind in _DIGITS:
            key, counts[kind] = divmod(key, bases[kind])
        covered = sum(count * size for count, size in zip(counts, SIZES, strict=True))
        counts[0] = (cells - covered) // SIZES[0]
        survivors.append(tuple(counts))
    return survivors


def _filter_reached_once(arrays: list[tuple[Keys, Key]]) -> Keys:
    """Add its constant to each array; return, sorted, the numbers that occur only once."""
    if len(arrays) == 1:
        only: Keys = arrays[0][0] + arrays[0][1]
        return only
    merged = np.empty(sum(len(array) for array, _ in arrays), arrays[0][0].dtype)
    begin = 0
    for array, constant in arrays:
        np.add(array, constant, out=merged[begin : begin + len(array)])
        begin += len(array)
    # Sorted runs could be merged in linear time, but a vectorised sort is faster.
    merged.sort()
    differs = merged[1:] != merged[:-1]
    occurs_once = np.ones(len(merged), np.bool_)
    occurs_once[1:] = differs
    occurs_once[:-1] &= differs
    return merged[occurs_once]
