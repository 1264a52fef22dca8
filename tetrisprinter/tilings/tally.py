"""Counting tilings without keeping them: the sweep, forwards only, with exact numbers.

The sweep of :mod:`~tetrisprinter.tilings.sweep` keeps a graph, because it lists what it
finds. To count, it is enough to know for the cell where the sweep is how many partial tilings
lead to each profile: the *transfer matrix* method, cell by cell. Numbers longer than a
machine word are kept as several, so that they stay exact and whole arrays are still added at
once. On an open board one row is swept like the one before it; which profile leads to which
is then found out once, and what is left of the work is adding.

Without limits of pieces only: with them it also matters what has been used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.tilings.board import MEMORY_LIMIT, format_memory
from tetrisprinter.tilings.placements import TilingProblem
from tetrisprinter.tilings.sweep import Lines, SweepLimitError

if TYPE_CHECKING:
    from tetrisprinter.tilings.sweep import Numbers, Words

__all__ = ["count_unlimited"]

_BYTES_PER_STATE: Final = 64


@dataclass(frozen=True, slots=True)
class _CellPlan:
    """What is done at a cell, whatever the numbers are."""

    signature: object  # what the cell's surroundings look like: placements, blocked cells, column
    arriving: list[Words]  # the profiles that arrive from each cell before
    order: Numbers  # how equal profiles among them come to lie side by side, and where each begins
    starts: Numbers
    kept: Numbers  # the distinct profiles that can be completed
    # For each distance ahead, the profiles that continue to that cell, and their new profiles
    ways: list[tuple[Numbers, int, Words]]

    def suits(self, signature: object, arriving: list[Words]) -> bool:
        """Return whether it is the plan for another cell, too."""
        import numpy as np

        return (
            self.signature == signature
            and len(self.arriving) == len(arriving)
            and all(
                one is other or np.array_equal(one, other)
                for one, other in zip(self.arriving, arriving, strict=True)
            )
        )


def count_unlimited(problem: TilingProblem, tell: Callable[[int, int], None] | None = None) -> int:
    """Count the tilings of a problem whose pieces have no limits."""
    import numpy as np

    if any(limit is not None for limit in problem.limits) or problem.pieces.use_all:
        raise ValueError("only pieces without limits can be counted like this")
    lines = Lines(problem, tell)
    # A part of a number has as many bits as let the sums of all placements fit into a word.
    bits = 63 - len(problem.placements).bit_length()
    begin = lines.next_free[0]
    waiting: dict[int, list[tuple[Words, Any]]] = {
        begin: [(np.array([lines.word(begin)], np.uint64), np.ones((1, 1), np.uint64))]
    }
    plans: dict[int, _CellPlan] = {}
    for cell in range(begin, lines.cells):
        if cell not in waiting:
            continue
        lines.tell(cell, lines.cells)
        parts = waiting.pop(cell)
        arriving = [words for words, _ in parts]
        signature = lines.surroundings(cell)
        column = cell % lines.width
        plan = plans.get(column)
        if plan is None or not plan.suits(signature, arriving):
            plan = plans[column] = _plan_cell(lines, cell, signature, arriving)
        total = sum(map(len, arriving)) * lines.width  # plans are kept for a row
        if total * _BYTES_PER_STATE > MEMORY_LIMIT:
            raise SweepLimitError(
                f"more than {len(plan.order)} partial tilings up to cell {cell} of {lines.cells}: "
                f"counting them would need more than {format_memory(MEMORY_LIMIT)} of memory"
            )
        numbers = _join_profiles([counts for _, counts in parts])[:, plan.order]
        numbers = _carry_counts(np.add.reduceat(numbers, plan.starts, axis=1), bits)[:, plan.kept]
        for origin, ahead, profile in plan.ways:
            waiting.setdefault(cell + ahead, []).append((profile, numbers[:, origin]))
    ends = waiting.get(lines.cells, [])
    return sum(
        int(part) << (bits * place)
        for _, counts in ends
        for place, row in enumerate(counts.tolist())
        for part in row
    )


def _plan_cell(lines: Lines, cell: int, signature: object, arriving: list[Words]) -> _CellPlan:
    import numpy as np

    words = np.concatenate(arriving)
    order = np.argsort(words, kind="stable")
    words = words[order]
    new = np.ones(len(words), np.bool_)
    np.not_equal(words[1:], words[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    words = words[starts]
    alive = lines.fillable(cell, words)
    kept = np.searchsorted(words, alive)
    ways = [
        (origin, after - cell, profile) for origin, _, after, profile in lines.steps(cell, alive)
    ]
    return _CellPlan(signature, arriving, order, starts, kept, ways)


def _join_profiles(parts: list[Any]) -> Any:
    """Set numbers side by side, each with as many parts as the longest."""
    import numpy as np

    longest = max(len(part) for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, longest - len(part)), (0, 0))) for part in parts], axis=1
    )


def _carry_counts(numbers: Any, bits: int) -> Any:
    """Let no part of a number have more bits than it should."""
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
