"""The sweep: all partial tilings at once, to count or list all tilings without dead ends.

The cells are swept row by row, so the board should be higher than wide. At the first free cell all
cells before it are covered, and pieces reach only a bounded distance beyond it. So a *profile*,
the covered cells of a window that fits into one machine word, determines how a partial tiling can
be completed. There are three stages:

1. Forwards, with arrays of profiles (numpy). Limits of pieces are ignored. Profiles are
   dropped if they have a *closed region* (free cells that are not connected with any beyond the
   window) whose size is no sum of piece sizes. Nearly all others can be completed.
2. Backwards. Only profiles that can be completed remain, with the placements between them: a
   graph whose paths are the tilings.
3. Backwards again, if pieces have limits. The numbers of used pieces are the digits, in
   mixed radix, of one number, the *code*. A *set* of codes is one long integer. For each profile
   the set of codes from which it can be completed is a union of shifted sets of the next profiles.

After this a walk from the start never meets a dead end, and counting adds up paths.

Tilings with unlimited pieces are counted by the transfer matrix method, cell by cell, without that
graph. Counting only needs, for the current cell, the number of partial tilings that lead to each
profile. Numbers longer than a machine word are split into several limbs, so they stay exact and
numpy still adds arrays. If a row looks like the row before, the steps between profiles are reused,
and only the numbers are added again.

Limited pieces are not possible here, since the pieces used so far would be part of the state.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.support import LazyModule
from tetrisprinter.tilings.placements import MEMORY_LIMIT, TilingProblem, format_memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Profiles = NDArray[np.uint64]
    Counts = NDArray[np.uint64]  # the lowest limbs of all numbers in the first row, and so on
    Indices = NDArray[np.int64]
    _Advance = Callable[[list[Counts]], Iterator[tuple[int, Profiles, Counts]]]
else:
    np = LazyModule("numpy")

_MAX_PROFILE_BITS: Final = 63
_BYTES_PER_PROFILE: Final = 40
_BYTES_PER_EDGE: Final = 200
_BYTES_PER_STATE: Final = 64


def sweep(problem: TilingProblem, report: Callable[[int, int], None] | None = None) -> TilingGraph:
    """Build the graph of all partial tilings that can be completed.

    Raises a JobError if the board is too wide, or has too many partial tilings.
    """
    radix, code_count = _encode_limits(problem)
    bit_board = BitBoard(problem, report)
    profiles = bit_board.sweep_forwards()
    edges, start = bit_board.sweep_backwards(profiles)
    needed_memory = len(edges) * code_count / 8
    if needed_memory > MEMORY_LIMIT:
        raise JobError(
            f"the sweep would need about {format_memory(needed_memory)} of memory for {code_count} "
            f"combinations of used pieces; the limit is {format_memory(MEMORY_LIMIT)}"
        )
    allowed_of_kind = [_find_codes_below_limit(step, limit, code_count) for step, limit in radix]
    steps = [radix[placement.kind][0] for placement in problem.placements]
    allowed = [allowed_of_kind[placement.kind] for placement in problem.placements]
    # The covered board ends a tiling with any code; if pieces must be used up, only with the last.
    feasible = [1 << (code_count - 1) if problem.pieces.use_all else (1 << code_count) - 1]
    for profile_edges in edges[1:]:
        completable = 0
        for number, next_profile in profile_edges:
            completable |= feasible[next_profile] >> steps[number] & allowed[number]
        feasible.append(completable)
    if start >= 0 and not feasible[start] & 1:
        start = -1
    return TilingGraph(edges, start, feasible, steps, allowed)


@dataclass(frozen=True, slots=True)
class TilingGraph:
    """The partial tilings that can be completed."""

    # For each profile its (placement, next profile), ascending; the next profile has a smaller
    # number. Profile 0 is the covered board
    edges: list[list[tuple[int, int]]]
    start: int  # the number of the empty board's profile; -1 if there is no tiling
    # For each profile the set of codes from which it can be completed, as bits
    feasible: list[int]
    # For each placement what it adds to the code (0 if its piece is unlimited), and the codes in
    # which the number of uses of its piece is below its limit, as bits
    steps: list[int]
    allowed: list[int]

    def count(self) -> int:
        """Return the number of tilings."""
        if self.start < 0:
            return 0
        counts_of: list[dict[int, int] | None] = [None] * len(self.edges)
        counts_of[self.start] = {0: 1}
        for profile in range(self.start, 0, -1):
            counts = counts_of[profile]
            counts_of[profile] = None
            if counts is None:
                continue
            for number, next_profile in self.edges[profile]:
                step, feasible = self.steps[number], self.feasible[next_profile]
                next_counts = counts_of[next_profile]
                if next_counts is None:
                    next_counts = counts_of[next_profile] = {}
                allowed = self.allowed[number]
                for code, count in counts.items():
                    if allowed >> code & 1 and feasible >> (code + step) & 1:
                        next_counts[code + step] = next_counts.get(code + step, 0) + count
        return sum((counts_of[0] or {}).values())

    def iterate_paths(self) -> Iterator[tuple[int, ...]]:
        """Yield all tilings as tuples of placement numbers, in the order of the sweep."""
        if self.start < 0:
            return
        if self.start == 0:
            yield ()
            return
        edges, feasible, steps, allowed = self.edges, self.feasible, self.steps, self.allowed
        chosen: list[int] = []
        frames = [(0, iter(edges[self.start]))]
        while frames:
            code, untried = frames[-1]
            for number, next_profile in untried:
                next_code = code + steps[number]
                if feasible[next_profile] >> next_code & 1 and allowed[number] >> code & 1:
                    if next_profile:
                        chosen.append(number)
                        frames.append((next_code, iter(edges[next_profile])))
                        break
                    yield (*chosen, number)
            else:
                frames.pop()
                if frames:
                    chosen.pop()


def _encode_limits(problem: TilingProblem) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the step and the limit of each piece, and the number of codes."""
    steps = []
    code_count = 1
    for limit in problem.limits:
        if limit is None:
            steps.append((0, 0))
        else:
            steps.append((code_count, limit))
            code_count *= limit + 1
            if code_count > 1 << 40:  # too many for any number of profiles
                raise JobError(
                    "the sweep would need more memory than the limit of "
                    f"{format_memory(MEMORY_LIMIT)}: there are over 10^12 combinations of used "
                    "pieces"
                )
    return tuple(steps), code_count


def _find_codes_below_limit(step: int, limit: int, code_count: int) -> int:
    """Return, as bits, the codes in which the number of uses of a piece is below its limit."""
    if not step:
        return -1
    # Repeated: step * limit codes below the limit, then step codes in which the piece is used up.
    below = (1 << (step * limit)) - 1
    length = step * (limit + 1)
    while length < code_count:
        below |= below << length
        length *= 2
    return below & ((1 << code_count) - 1)


class BitBoard:
    """A board as machine words, row by row.

    Bit ``i`` of the word at cell ``c`` is cell ``c + i``. It is set if the cell is covered,
    blocked, or after the end of the board.
    """

    def __init__(
        self, problem: TilingProblem, report: Callable[[int, int], None] | None = None
    ) -> None:
        self.report = report or (lambda done, total: None)
        board = problem.board
        self.width = board.width
        self.cells = board.width * board.height
        self.coverable_areas = problem.coverable_areas
        self.smallest_piece = problem.pieces.sizes[0]
        self.moves: list[list[tuple[int, int]]] = [[] for _ in range(self.cells)]
        reach = 0
        for number, placement in enumerate(problem.placements):
            covered = sorted(y * self.width + x for x, y in placement.cells)
            reach = max(reach, covered[-1] - covered[0])
            mask = sum(1 << (cell - covered[0]) for cell in covered)
            self.moves[covered[0]].append((number, mask))
        self.reach = reach
        # Pieces cover cells up to ``reach`` cells ahead. One more row shows which free cells there
        # are connected with others below.
        self.bits = reach + 1 + self.width
        if self.bits > _MAX_PROFILE_BITS:
            raise JobError(
                f"{board.width}x{board.height} is too wide to sweep with pieces of this size: "
                f"a profile would have {self.bits} bits; at most {_MAX_PROFILE_BITS} are possible"
            )
        # Blocked cells and cells after the end as one number: bit i is cell i.
        self.blocked = ((1 << (self.cells + 2 * self.bits)) - 1) ^ ((1 << self.cells) - 1)
        for x, y in board.list_cells(board.blocked):
            self.blocked |= 1 << y * self.width + x
        self.next_free = [self.cells] * (self.cells + self.bits + 2)
        for cell in range(self.cells - 1, -1, -1):
            self.next_free[cell] = self.next_free[cell + 1] if self.blocked >> cell & 1 else cell

    def get_window(self, cell: int) -> int:
        """Return the blocked cells of the window that begins at a cell, as bits."""
        return self.blocked >> cell & ((1 << self.bits) - 1)

    def describe_surroundings(self, cell: int) -> object:
        """Return a value that is equal for cells with the same possible placements."""
        masks = tuple(mask for _, mask in self.moves[cell])
        blocked_ahead = self.blocked >> cell & ((1 << 2 * self.bits) - 1)
        return cell % self.width, masks, blocked_ahead, cell + self.bits >= self.cells

    def sweep_forwards(self) -> dict[int, Profiles]:
        """Return for each cell the sorted profiles whose first free cell is this cell."""
        first_cell = self.next_free[0]
        waiting: dict[int, list[Profiles]] = {
            first_cell: [np.array([self.get_window(first_cell)], np.uint64)]
        }
        profiles: dict[int, Profiles] = {}
        total = 0
        for cell in range(first_cell, self.cells):
            if cell not in waiting:
                continue
            self.report(cell, 2 * self.cells)
            cell_profiles = np.unique(np.concatenate(waiting.pop(cell)))
            cell_profiles = self.filter_fillable(cell, cell_profiles)
            profiles[cell] = cell_profiles
            total += len(cell_profiles)
            if total * _BYTES_PER_PROFILE > MEMORY_LIMIT:
                raise JobError(
                    f"more than {total} partial tilings up to cell {cell} of {self.cells}: "
                    f"the sweep would need more than {format_memory(MEMORY_LIMIT)} of memory"
                )
            for _, _, next_cell, new_profiles in self.iterate_steps(cell, cell_profiles):
                waiting.setdefault(next_cell, []).append(np.unique(new_profiles))
        return profiles

    def iterate_steps(
        self, cell: int, profiles: Profiles
    ) -> Iterator[tuple[Indices, Indices, int, Profiles]]:
        """Yield the placements at a cell, grouped by the next free cell.

        Each group has the indices of its profiles, the placements, the next free cell, and the new
        profiles.
        """
        if not len(profiles):
            return
        origins: list[Indices] = []
        numbers: list[Indices] = []
        new_profiles: list[Profiles] = []
        for number, mask in self.moves[cell]:
            placed_cells = np.uint64(mask)
            origin = np.flatnonzero((profiles & placed_cells) == 0)
            if len(origin):
                origins.append(origin)
                numbers.append(np.full(len(origin), number, np.int64))
                new_profiles.append(profiles[origin] | placed_cells)
        if not new_profiles:
            return
        sources, placed, all_new_profiles = (
            np.concatenate(origins),
            np.concatenate(numbers),
            np.concatenate(new_profiles),
        )
        one = np.uint64(1)
        lowest = ~all_new_profiles & (all_new_profiles + one)  # the first bit that is not set
        distance = np.frexp(lowest.astype(np.float64))[1] - 1
        for steps_ahead in np.flatnonzero(np.bincount(distance)).tolist():
            chosen = np.flatnonzero(distance == steps_ahead)
            next_cell = self.next_free[cell + steps_ahead]
            profile = (all_new_profiles[chosen] >> np.uint64(steps_ahead)) | np.uint64(
                self.get_window(cell + steps_ahead)
            )
            # If the window is full, skip the blocked cells after it.
            if next_cell != cell + steps_ahead:
                profile = np.full(len(chosen), self.get_window(next_cell), np.uint64)
            yield sources[chosen], placed[chosen], next_cell, profile

    def filter_fillable(self, cell: int, profiles: Profiles) -> Profiles:
        """Return the profiles without a closed region whose size is no sum of piece sizes."""
        if all(self.coverable_areas[1:]):
            return profiles
        one, width = np.uint64(1), np.uint64(self.width)
        window = np.uint64((1 << self.bits) - 1)
        has_left = np.uint64(sum(1 << i for i in range(self.bits) if (cell + i) % self.width))
        free = ~profiles & window
        if self.smallest_piece > 1:
            beside = (free << one) & has_left | (free & has_left) >> one
            lonely = free & ~(beside | free << width | free >> width)
            # The last row of the window may continue below, so it is not tested.
            is_fillable = (lonely & np.uint64((1 << (self.reach + 1)) - 1)) == 0
            profiles, free = profiles[is_fillable], free[is_fillable]
        at_end = cell + self.bits >= self.cells
        open_cells = 1 if at_end else ((1 << self.bits) - 1) ^ ((1 << (self.reach + 1)) - 1)
        open_region = free & np.uint64(open_cells)
        while len(open_region):
            grown = open_region | (open_region << one) & has_left | (open_region & has_left) >> one
            grown = (grown | grown << width | grown >> width) & free
            if np.array_equal(grown, open_region):
                break
            open_region = grown
        closed = open_region if at_end else free & ~open_region
        is_possible = np.array((self.coverable_areas + [False] * (self.bits + 1))[: self.bits + 1])
        fillable: Profiles = profiles[is_possible[count_ones(closed)]]
        return fillable

    def sweep_backwards(
        self, profiles: dict[int, Profiles]
    ) -> tuple[list[list[tuple[int, int]]], int]:
        """Return the edges between completable profiles, and the start profile's number (or -1)."""
        # For each cell its profiles that can be completed, and the number of the first one.
        completable: dict[int, tuple[Profiles, int]] = {
            self.cells: (np.array([self.get_window(self.cells)], np.uint64), 0)
        }
        edges: list[list[tuple[int, int]]] = [[]]
        total = 0
        for cell in sorted(profiles, reverse=True):
            self.report(2 * self.cells - cell, 2 * self.cells)
            steps: list[tuple[Indices, Indices, Indices]] = []
            for origin, number, next_cell, new_profiles in self.iterate_steps(cell, profiles[cell]):
                if next_cell not in completable:
                    continue
                next_profiles, offset = completable[next_cell]
                position = np.searchsorted(next_profiles, new_profiles)
                position[position == len(next_profiles)] = 0
                known_steps = np.flatnonzero(next_profiles[position] == new_profiles)
                if len(known_steps):
                    steps.append(
                        (origin[known_steps], number[known_steps], position[known_steps] + offset)
                    )
            if not steps:
                continue
            origin, number, after_number = (
                np.concatenate(part) for part in zip(*steps, strict=True)
            )
            total += len(origin)
            if total * _BYTES_PER_EDGE > MEMORY_LIMIT:
                raise JobError(
                    f"the sweep would need more memory than the limit of "
                    f"{format_memory(MEMORY_LIMIT)}: it has over {total} steps between partial "
                    "tilings"
                )
            order = np.lexsort((number, origin))
            origin = origin[order]
            sources, begins = np.unique(origin, return_index=True)
            completable[cell] = (profiles[cell][sources], len(edges))
            pairs: list[Any] = list(
                zip(number[order].tolist(), after_number[order].tolist(), strict=True)
            )
            bounds = [*begins.tolist(), len(pairs)]
            edges += [pairs[a:b] for a, b in itertools.pairwise(bounds)]
            del profiles[cell]
        first = self.next_free[0]
        return edges, completable[first][1] if first in completable else -1


def count_unlimited(
    problem: TilingProblem, report: Callable[[int, int], None] | None = None
) -> int:
    """Count the tilings of a problem whose pieces have no limits."""
    if any(limit is not None for limit in problem.limits) or problem.pieces.use_all:
        raise ValueError("this method counts unlimited pieces only")
    bit_board = BitBoard(problem, report)
    # Each limb of a number has so few bits that a sum over all placements fits into a word.
    bits = 63 - len(problem.placements).bit_length()
    first_cell = bit_board.next_free[0]
    waiting: dict[int, list[tuple[Profiles, Counts]]] = {
        first_cell: [
            (np.array([bit_board.get_window(first_cell)], np.uint64), np.ones((1, 1), np.uint64))
        ]
    }
    # By column: the surroundings and the arriving profiles of a cell, and how they advance
    plans: dict[int, tuple[object, list[Profiles], _Advance]] = {}
    for cell in range(first_cell, bit_board.cells):
        if cell not in waiting:
            continue
        bit_board.report(cell, bit_board.cells)
        batches = waiting.pop(cell)
        arriving = [profiles for profiles, _ in batches]
        signature = bit_board.describe_surroundings(cell)
        column = cell % bit_board.width
        plan = plans.get(column)
        if plan is None or plan[0] != signature or not _is_same(plan[1], arriving):
            plan = signature, arriving, _plan_cell(bit_board, cell, arriving, bits)
            plans[column] = plan
        profile_count = sum(map(len, arriving))
        if profile_count * bit_board.width * _BYTES_PER_STATE > MEMORY_LIMIT:  # kept for a row
            raise JobError(
                f"counting would need more memory than the limit of {format_memory(MEMORY_LIMIT)}: "
                f"there are over {profile_count} partial tilings up to cell {cell} of "
                f"{bit_board.cells}"
            )
        for distance, new_profiles, counts in plan[2]([counts for _, counts in batches]):
            waiting.setdefault(cell + distance, []).append((new_profiles, counts))
    final_batches = waiting.get(bit_board.cells, [])
    return sum(
        int(limb) << (bits * place)
        for _, counts in final_batches
        for place, row in enumerate(counts.tolist())
        for limb in row
    )


def _is_same(old: list[Profiles], new: list[Profiles]) -> bool:
    """Return whether the same profiles arrive from the same earlier cells."""
    return len(old) == len(new) and all(
        one is other or np.array_equal(one, other) for one, other in zip(old, new, strict=True)
    )


def _plan_cell(bit_board: BitBoard, cell: int, arriving: list[Profiles], bits: int) -> _Advance:
    """Find the steps from the profiles at a cell; return the function that adds up numbers.

    It takes the numbers of the arriving profiles, in limbs of ``bits`` bits, and yields for each
    step its distance, the new profiles and their numbers.
    """
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

    def advance(counts: list[Counts]) -> Iterator[tuple[int, Profiles, Counts]]:
        numbers = np.add.reduceat(_join_counts(counts)[:, order], starts, axis=1)
        numbers = _carry_counts(numbers, bits)[:, fillable]
        for origins, distance, new_profiles in steps:
            yield distance, new_profiles, numbers[:, origins]

    return advance


def _join_counts(counts: list[Counts]) -> Counts:
    """Concatenate arrays of counts, padded to the same number of limbs."""
    longest = max(len(count_array) for count_array in counts)
    return np.concatenate(
        [np.pad(count_array, ((0, longest - len(count_array)), (0, 0))) for count_array in counts],
        axis=1,
    )


def _carry_counts(numbers: Counts, bits: int) -> Counts:
    """Carry the bits beyond the lowest ``bits`` of each limb to the next limb."""
    mask, shift = np.uint64((1 << bits) - 1), np.uint64(bits)
    for limb in range(len(numbers)):
        carry = numbers[limb] >> shift
        numbers[limb] &= mask
        if limb + 1 < len(numbers):
            numbers[limb + 1] += carry
        elif carry.any():
            numbers = np.concatenate([numbers, carry[None]])
    return numbers


def count_ones(words: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of set bits of each word."""
    bit_counts: NDArray[np.int64]
    if hasattr(np, "bitwise_count"):
        bit_counts = np.bitwise_count(words).astype(np.int64)
        return bit_counts
    # Before numpy 2: add up pairs, then fours, then bytes (Warren, Hacker's Delight, 5-1).
    words = words - (words >> 1 & 0x5555555555555555)
    words = (words & 0x3333333333333333) + (words >> 2 & 0x3333333333333333)
    words = words + (words >> 4) & 0x0F0F0F0F0F0F0F0F
    bit_counts = (words * 0x0101010101010101 >> 56).astype(np.int64)
    return bit_counts
