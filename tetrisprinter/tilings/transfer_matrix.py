"""Counting tilings with unlimited pieces by the transfer matrix method, cell by cell.

The sweep of :mod:`~tetrisprinter.tilings.sweep` keeps a graph in order to list tilings. Counting
only needs, for the current cell, the number of partial tilings that lead to each profile. Numbers
longer than a machine word are split into several, so they stay exact and numpy still adds whole
arrays. If a row looks like the row before, the steps between profiles are reused, and only the
numbers are added again.

Limited pieces are not possible here, since the pieces used so far would matter, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.tilings.board import MEMORY_LIMIT, format_memory
from tetrisprinter.tilings.placements import TilingProblem
from tetrisprinter.tilings.sweep import BitBoard, SweepLimitError

if TYPE_CHECKING:
    from tetrisprinter.tilings.sweep import Numbers, Words


_BYTES_PER_STATE: Final = 64


@dataclass(frozen=True, slots=True)
class _CellPlan:
    """The steps between the profiles at a cell, without the numbers."""

    signature: object  # the cell's surroundings: placements, blocked cells, column
    arriving: list[Words]  # the profiles that arrive from each earlier cell
    order: Numbers  # sorts the arriving profiles
    starts: Numbers  # where each distinct profile begins in that order
    kept: Numbers  # the distinct profiles that can be completed
    # Steps: the indices of their profiles, the distance to the next cell, the new profiles
    steps: list[tuple[Numbers, int, Words]]

    def is_valid_for(self, signature: object, arriving: list[Words]) -> bool:
        """Return whether the plan is valid for a cell with these surroundings and profiles."""
        import numpy as np

        return (
            self.signature == signature
            and len(self.arriving) == len(arriving)
            and all(
                one is other or np.array_equal(one, other)
                for one, other in zip(self.arriving, arriving, strict=True)
            )
        )


def count_unlimited(
    problem: TilingProblem, report: Callable[[int, int], None] | None = None
) -> int:
    """Count the tilings of a problem whose pieces have no limits."""
    import numpy as np

    if any(limit is not None for limit in problem.limits) or problem.pieces.use_all:
        raise ValueError("this method counts unlimited pieces only")
    bit_board = BitBoard(problem, report)
    # Each part of a number has so few bits that a sum over all placements fits into a word.
    bits = 63 - len(problem.placements).bit_length()
    begin = bit_board.next_free[0]
    waiting: dict[int, list[tuple[Words, Any]]] = {
        begin: [(np.array([bit_board.get_window(begin)], np.uint64), np.ones((1, 1), np.uint64))]
    }
    plans: dict[int, _CellPlan] = {}
    for cell in range(begin, bit_board.cells):
        if cell not in waiting:
            continue
        bit_board.report(cell, bit_board.cells)
        parts = waiting.pop(cell)
        arriving = [words for words, _ in parts]
        signature = bit_board.describe_surroundings(cell)
        column = cell % bit_board.width
        plan = plans.get(column)
        if plan is None or not plan.is_valid_for(signature, arriving):
            plan = plans[column] = _plan_cell(bit_board, cell, signature, arriving)
        total = sum(map(len, arriving)) * bit_board.width  # plans are kept for a row
        if total * _BYTES_PER_STATE > MEMORY_LIMIT:
            raise SweepLimitError(
                f"counting would need more memory than the limit of {format_memory(MEMORY_LIMIT)}: "
                f"there are over {len(plan.order)} partial tilings up to cell {cell} of "
                f"{bit_board.cells}"
            )
        numbers = _join_counts([counts for _, counts in parts])[:, plan.order]
        numbers = _carry_counts(np.add.reduceat(numbers, plan.starts, axis=1), bits)[:, plan.kept]
        for origin, ahead, profile in plan.steps:
            waiting.setdefault(cell + ahead, []).append((profile, numbers[:, origin]))
    ends = waiting.get(bit_board.cells, [])
    return sum(
        int(part) << (bits * place)
        for _, counts in ends
        for place, row in enumerate(counts.tolist())
        for part in row
    )


def _plan_cell(
    bit_board: BitBoard, cell: int, signature: object, arriving: list[Words]
) -> _CellPlan:
    """Sort and filter the profiles at a cell, and list the steps to later cells."""
    import numpy as np

    words = np.concatenate(arriving)
    order = np.argsort(words, kind="stable")
    words = words[order]
    new = np.ones(len(words), np.bool_)
    np.not_equal(words[1:], words[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    words = words[starts]
    alive = bit_board.filter_fillable(cell, words)
    kept = np.searchsorted(words, alive)
    steps = [
        (origin, after - cell, profile)
        for origin, _, after, profile in bit_board.list_steps(cell, alive)
    ]
    return _CellPlan(signature, arriving, order, starts, kept, steps)


def _join_counts(parts: list[Any]) -> Any:
    """Concatenate arrays of counts, padded to the same number of parts."""
    import numpy as np

    longest = max(len(part) for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, longest - len(part)), (0, 0))) for part in parts], axis=1
    )


def _carry_counts(numbers: Any, bits: int) -> Any:
    """Carry the bits beyond ``bits`` of each part to the next part."""
    import numpy as np

    mask, shift = np.uint64((1 << bits) - 1), np.uint64(bits)
    for place in range(len(numbers)):
        carry = numbers[place] >> shift
        numbers[place] &= mask
        if place + 1 < len(numbers):
            numbers[place + 1] += carry
        elif carry.any():
            numbers = np.concatenate([numbers, carry[None]])
    return numbers
