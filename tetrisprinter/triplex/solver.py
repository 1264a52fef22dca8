"""The solver: the solutions of a puzzle, and its difficulty.

Backtracking over the first free cell, along the shorter side of the rectangle: try every remaining
piece there. Dead ends (taken cells and remaining pieces) are remembered, so that even the proof
that there is no second solution is short. The *difficulty* of a level is the number of pieces
placed until this proof is complete.

A level gets harder if the player must first turn one of its pieces (:func:`find_rotatable_pieces`).
The level must still have exactly one solution: with this piece in any other orientation the pieces
do not fill the rectangle. Equal pieces are interchangeable, so a kind is chosen and one piece of
this kind is turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tetrisprinter.tilings.polyomino import GridCell
from tetrisprinter.triplex.levels import Puzzle, draw_solution, find_cut
from tetrisprinter.triplex.pieces import KINDS, TRANSPOSED, apply_symmetry, list_other_turns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FEWEST_PIECES = 3
"""The minimum number of pieces of a level."""

SHORT_SEARCH_STEPS = 1 << 20
"""A search with more steps is restarted in another thread, so that Ctrl-C works."""


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
    """The answer whether a puzzle is a level, and the reasons if it is not a level.

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
    solutions, steps = _search(puzzle, limit)
    return SolverResult(tuple(_draw_codes(puzzle, codes) for codes in solutions), steps)


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
    result = solve(puzzle)
    only_solution = result.solutions[0] if len(result.solutions) == 1 else None
    return Verdict(
        puzzle, result.solutions, find_cut(only_solution) if only_solution else None, result.steps
    )


@cache
def _make_masks(side: int, length: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the cells of each kind as a mask, and for each cell whether a kind can begin there."""
    import numpy as np

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
    import numpy as np

    from tetrisprinter.triplex import _kernel

    upright = puzzle.width <= puzzle.height
    side, length = sorted((puzzle.width, puzzle.height))
    counts = np.array(puzzle.counts if upright else apply_symmetry(puzzle.counts, TRANSPOSED))
    stop = np.zeros(1, np.bool_)
    out = np.zeros((limit, side * length // 2 + 1), np.int64)
    rectangle = _kernel.Rectangle(side, length, counts, *_make_masks(side, length))
    solution_count, steps = _kernel.search(rectangle, limit, SHORT_SEARCH_STEPS, stop, out)
    if solution_count == _kernel.GAVE_UP:
        # Compiled code cannot be interrupted. So a longer search runs in a thread of its own
        # while this thread waits for Ctrl-C. Thousands of short searches need no threads.
        with ThreadPoolExecutor(1) as pool:
            try:
                solution_count, steps = pool.submit(
                    _kernel.search, rectangle, limit, -1, stop, out
                ).result()
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


@dataclass(frozen=True, slots=True)
class RotatablePiece:
    """A kind of which one piece may start turned."""

    kind: int  # the kind of the piece in the solution
    others: tuple[int, ...]  # its other orientations, with which there is no solution
    steps: int  # the solver's steps to prove that the other orientations have no solution


def find_rotatable_pieces(puzzle: Puzzle) -> list[RotatablePiece]:
    """List the kinds of which one piece can start turned without a second solution.

    Parameters
    ----------
    puzzle : Puzzle
        A puzzle with exactly one solution.

    Returns
    -------
    list of RotatablePiece
        Sorted by kind.

    Examples
    --------
    >>> [piece.kind for piece in find_rotatable_pieces(Puzzle.parse("4x3 I2h I2v*2 V1 V2"))]
    [0]
    """
    rotatable_pieces = []
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
            rotatable_pieces.append(RotatablePiece(kind, list_other_turns(kind), steps))
    return rotatable_pieces


def choose_rotatable_piece(puzzle: Puzzle) -> RotatablePiece | None:
    """Return the rotatable piece with the longest search (on ties the first); None if none.

    Only the steps for the other orientations count: the steps for the original orientation are
    the same for all pieces.
    """
    return max(find_rotatable_pieces(puzzle), key=lambda piece: piece.steps, default=None)
