"""The solver: the solutions of a puzzle, and its difficulty.

Backtracking over the first free cell, along the shorter side of the rectangle: try every remaining
piece there. Dead ends (taken cells and remaining pieces) are remembered, so that even the proof
that there is no second solution is short. The *difficulty* of a level is the number of pieces
placed until that is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tetrisprinter.tilings.polyomino import GridCell
from tetrisprinter.triplex.levels import Puzzle, draw_solution, find_cut
from tetrisprinter.triplex.pieces import KINDS, TRANSPOSED, apply_symmetry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FEWEST_PIECES = 3
"""The least number of pieces of a level."""

SHORT_SEARCH_STEPS = 1 << 20
"""Steps of a search in the main thread; longer ones run in another, so that Ctrl-C works."""


@dataclass(frozen=True, slots=True)
class SolverResult:
    """The solutions of a puzzle and the steps of the search.

    Attributes
    ----------
    solutions : tuple of tuple of str
        The solutions as drawings: all of them, or as many as the limit allows.
    steps : int
        The number of pieces placed during the search.
    """

    solutions: tuple[tuple[str, ...], ...]
    steps: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer whether a puzzle is a level, with the reasons if it is not.

    Attributes
    ----------
    puzzle : Puzzle
        The checked puzzle.
    solutions : tuple of tuple of str
        Up to two of its solutions.
    cut : str or None
        Where a straight line crosses the only solution without cutting a piece; None: nowhere.
    steps : int
        The number of pieces that the solver placed.
    """

    puzzle: Puzzle
    solutions: tuple[tuple[str, ...], ...]
    cut: str | None
    steps: int

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons why it is not a level, as clauses."""
        found = []
        if not self.solutions:
            found.append("it has no solution")
        elif len(self.solutions) > 1:
            found.append("it has more than one solution")
        elif self.cut:
            found.append(f"its solution has a straight cut {self.cut}")
        if self.puzzle.pieces < FEWEST_PIECES:
            found.append(f"it has fewer than {FEWEST_PIECES} pieces")
        return tuple(found)

    @property
    def is_level(self) -> bool:
        """Whether it has one solution, no straight cut, and enough pieces."""
        return not self.faults


def solve(puzzle: Puzzle, limit: int = 2) -> SolverResult:
    """Find the solutions of a puzzle.

    Parameters
    ----------
    puzzle : Puzzle
        The puzzle.
    limit : int
        The number of solutions after which to stop; 2 show whether there is exactly one.

    Returns
    -------
    SolverResult
        The different solutions, where equal pieces are interchangeable.

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
    found, steps = _search(puzzle, limit)
    return SolverResult(tuple(_draw(puzzle, codes) for codes in found), steps)


def check(puzzle: Puzzle) -> Verdict:
    """Check whether a puzzle is a level.

    Parameters
    ----------
    puzzle : Puzzle
        Any puzzle.

    Returns
    -------
    Verdict
        The answer, with up to two solutions.

    Examples
    --------
    >>> check(Puzzle.parse("4x3 I2h I2v*2 V1 V2")).is_level
    True
    >>> check(Puzzle.parse("4x2 I2h*4")).faults
    ('its solution has a straight cut between columns 2 and 3',)
    >>> check(Puzzle.parse("3x2 I2h*2 I2v")).faults
    ('it has more than one solution',)
    """
    found = solve(puzzle)
    only = found.solutions[0] if len(found.solutions) == 1 else None
    return Verdict(puzzle, found.solutions, find_cut(only) if only else None, found.steps)


@cache
def _make_masks(side: int, length: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the cells of each kind as masks, and whether it can begin in each cell."""
    import numpy as np

    masks, inside = [], np.zeros((side * length + 1, 8), np.uint8)
    for number, kind in enumerate(KINDS):
        first = kind.cells[0][0]
        cells = [(x - first, y) for x, y in kind.cells]
        masks.append(sum(1 << side * y + x for x, y in cells))
        right, down = max(x for x, _ in cells), kind.height - 1
        for y in range(length - down):
            inside[y * side + first : y * side + max(0, side - right), number] = 1
    return np.array(masks, np.uint64), inside


def _search(puzzle: Puzzle, limit: int) -> tuple[list[list[int]], int]:
    """Return solutions, as the kernel writes them, and the number of steps."""
    import numpy as np

    from tetrisprinter.triplex import _kernel

    upright = puzzle.width <= puzzle.height
    side, length = sorted((puzzle.width, puzzle.height))
    counts = np.array(puzzle.counts if upright else apply_symmetry(puzzle.counts, TRANSPOSED))
    stop = np.zeros(1, np.bool_)
    out = np.zeros((limit, side * length // 2 + 1), np.int64)
    rectangle = _kernel.Rectangle(side, length, counts, *_make_masks(side, length))
    found, steps = _kernel.search(rectangle, limit, SHORT_SEARCH_STEPS, stop, out)
    if found == _kernel.GAVE_UP:
        # Compiled code cannot be interrupted. So a longer search runs in a thread of its own
        # while this thread waits for Ctrl-C. Thousands of short searches need no threads.
        with ThreadPoolExecutor(1) as pool:
            try:
                found, steps = pool.submit(_kernel.search, rectangle, limit, -1, stop, out).result()
            finally:
                stop[0] = True
    return [out[i, : puzzle.pieces].tolist() for i in range(found)], int(steps)


def _draw(puzzle: Puzzle, codes: Sequence[int]) -> tuple[str, ...]:
    """Draw a solution from the kernel's codes: 8 times the first cell, plus the kind."""
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
