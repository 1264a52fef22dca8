"""Counting tilings with unlimited pieces by the transfer matrix method, cell by cell.

The sweep of :mod:`~tetrisprinter.tilings.sweep` keeps a graph in order to list tilings. Counting
only needs, for the current cell, the number of partial tilings that lead to each profile. Numbers
longer than a machine word are split into several limbs, so they stay exact and numpy still adds
arrays. If a row looks like the row before, the steps between profiles are reused, and only the
numbers are added again.

Limited pieces are not possible here, since the pieces used so far would be part of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.tilings.board import MEMORY_LIMIT, format_memory
from tetrisprinter.tilings.placements import TilingProblem
from tetrisprinter.tilings.sweep import BitBoard, SweepLimitError

if TYPE_CHECKING:
    from tetrisprinter.tilings.sweep import Indices, Profiles


_BYTES_PER_STATE: Final = 64


@dataclass(frozen=True, slots=True)
class _CellPlan:
    """The steps between the profiles at a cell, without the numbers."""

    signature: object  # the cell's surroundings: placements, blocked cells, column
    arriving: list[Profiles]  # the profiles that arrive from each earlier cell
    order: Indices  # sorts the arriving profiles
    starts: Indices  # where each distinct profile begins in this order
    fillable: Indices  # the indices of those that pass filter_fillable
    # Steps: the indices of their profiles, the distance to the next cell, the new profiles
    steps: list[tuple[Indices, int, Profiles]]

    def is_valid_for(self, signature: object, arriving: list[Profiles]) -> bool:
        """Return whether the plan is valid for a cell with these surroundings and profiles."""
        import numpy as np

        return (
            self.signature == signature
            and len(self.arriving) == len(arriving)
            and all(
                old is new or np.array_equal(old, new)
                for old, new in zip(self.arriving, arriving, strict=True)
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
    # Each limb of a number has so few bits that a sum over all placements fits into a word.
    bits = 63 - len(problem.placements).bit_length()
    first_cell = bit_board.next_free[0]
    waiting: dict[int, list[tuple[Profiles, Any]]] = {
        first_cell: [
            (np.array([bit_board.get_window(first_cell)], np.uint64), np.ones((1, 1), np.uint64))
        ]
    }
    plans: dict[int, _CellPlan] = {}
    for cell in range(first_cell, bit_board.cells):
        if cell not in waiting:
            continue
        bit_board.report(cell, bit_board.cells)
        batches = waiting.pop(cell)
        arriving = [profiles for profiles, _ in batches]
        signature = bit_board.describe_surroundings(cell)
        column = cell % bit_board.width
        plan = plans.get(column)
        if plan is None or not plan.is_valid_for(signature, arriving):
            plan = plans[column] = _plan_cell(bit_board, cell, signature, arriving)
        profile_count = sum(map(len, arriving)) * bit_board.width  # plans are kept for a row
        if profile_count * _BYTES_PER_STATE > MEMORY_LIMIT:
            raise SweepLimitError(
                f"counting would need more memory than the limit of {format_memory(MEMORY_LIMIT)}: "
                f"there are over {len(plan.order)} partial tilings up to cell {cell} of "
                f"{bit_board.cells}"
            )
        numbers = _join_counts([counts for _, counts in batches])[:, plan.order]
        numbers = _carry_counts(np.add.reduceat(numbers, plan.starts, axis=1), bits)[
            :, plan.fillable
        ]
        for origins, distance, new_profiles in plan.steps:
            waiting.setdefault(cell + distance, []).append((new_profiles, numbers[:, origins]))
    final_batches = waiting.get(bit_board.cells, [])
    return sum(
        int(limb) << (bits * place)
        for _, counts in final_batches
        for place, row in enumerate(counts.tolist())
        for limb in row
    )


def _plan_cell(
    bit_board: BitBoard, cell: int, signature: object, arriving: list[Profiles]
) -> _CellPlan:
    """Sort and filter the profiles at a cell, and list the steps to later cells."""
    import numpy as np

    profiles = np.concatenate(arriving)
    order = np.argsort(profiles, kind="stable")
    profiles = profiles[order]
    is_first = np.ones(len(profiles), np.bool_)
    np.not_equal(profiles[1:], profiles[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    profiles = profiles[starts]
    fillable_profiles = bit_board.filter_fillable(cell, profiles)
    fillable = np.searchsorted(profiles, fillable_profiles)
    steps = [
        (origin, next_cell - cell, profile)
        for origin, _, next_cell, profile in bit_board.iterate_steps(cell, fillable_profiles)
    ]
    return _CellPlan(signature, arriving, order, starts, fillable, steps)


def _join_counts(counts: list[Any]) -> Any:
    """Concatenate arrays of counts, padded to the same number of limbs."""
    import numpy as np

    longest = max(len(count_array) for count_array in counts)
    return np.concatenate(
        [np.pad(count_array, ((0, longest - len(count_array)), (0, 0))) for count_array in counts],
        axis=1,
    )


def _carry_counts(numbers: Any, bits: int) -> Any:
    """Carry the bits beyond the lowest ``bits`` of each limb to the next limb."""
    import numpy as np

    mask, shift = np.uint64((1 << bits) - 1), np.uint64(bits)
    for limb in range(len(numbers)):
        carry = numbers[limb] >> shift
        numbers[limb] &= mask
        if limb + 1 < len(numbers):
            numbers[limb + 1] += carry
        elif carry.any():
            numbers = np.concatenate([numbers, carry[None]])
    return numbers
