"""The sweep: all partial tilings at once, to count or list all tilings without dead ends.

The cells are swept row by row, so the board should be higher than wide. At the first free cell all
cells before it are covered, and pieces reach only a bounded distance beyond it. So a *profile*,
the covered cells of a window that fits into one machine word, determines how a partial tiling can
be completed. There are three passes:

1. Forwards, with arrays of profiles (numpy). Limits of pieces are ignored. Profiles with a
   closed part whose size is no sum of piece sizes are dropped; nearly all others can be
   completed.
2. Backwards. Only profiles that can be completed remain, with the placements between them: a
   graph whose paths are the tilings.
3. Backwards again, if pieces have limits. The numbers of used pieces form one number with mixed
   radix, and a *set* of such numbers is one long integer. For each profile the set of numbers
   from which it can be completed is a union of shifted sets of the profiles after it.

Then a walk from the start never meets a dead end, and counting adds up paths.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.support.word_ops import count_ones
from tetrisprinter.tilings.board import MEMORY_LIMIT, format_memory
from tetrisprinter.tilings.placements import TilingProblem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Numbers = NDArray[np.int64]


_WORD: Final = 63
_BYTES_PER_PROFILE: Final = 40
_BYTES_PER_EDGE: Final = 200


class SweepLimitError(JobError):
    """The board is too wide, or has too many partial tilings, to sweep it."""


@dataclass(frozen=True, slots=True)
class TilingGraph:
    """The partial tilings that can be completed."""

    # For each profile its (placement, next profile), ascending; the next profile has a smaller
    # number. Profile 0 is the covered board
    edges: list[list[tuple[int, int]]]
    start: int  # the number of the empty board's profile; -1 if there is no tiling
    # For each piece its step in the number of used pieces (0 if unlimited), and its limit
    radix: tuple[tuple[int, int], ...]
    # For each profile the set of numbers of used pieces from which it can be completed
    feasible: list[int]
    kinds: tuple[int, ...]  # for each placement its piece

    def _list_uses(self) -> tuple[list[int], list[int]]:
        """Return each placement's step, and for each piece the numbers below its limit, as bits."""
        allowed = [_find_below_limit(self.radix, kind) for kind in range(len(self.radix))]
        return [self.radix[kind][0] for kind in self.kinds], allowed

    def count(self) -> int:
        """Return the number of tilings."""
        if self.start < 0:
            return 0
        if not any(step for step, _ in self.radix):
            ways = [1]
            for edges in self.edges[1:]:
                ways.append(sum(ways[after] for _, after in edges))
            return ways[self.start]
        steps, allowed_of = self._list_uses()
        reached: list[dict[int, int] | None] = [None] * len(self.edges)
        reached[self.start] = {0: 1}
        for profile in range(self.start, 0, -1):
            here = reached[profile]
            reached[profile] = None
            if here is None:
                continue
            for number, after in self.edges[profile]:
                step, feasible = steps[number], self.feasible[after]
                there = reached[after]
                if there is None:
                    there = reached[after] = {}
                allowed = allowed_of[self.kinds[number]]
                for used, ways_here in here.items():
                    if allowed >> used & 1 and feasible >> (used + step) & 1:
                        there[used + step] = there.get(used + step, 0) + ways_here
        return sum((reached[0] or {}).values())

    def iterate_paths(self) -> Iterator[tuple[int, ...]]:
        """Yield all tilings as tuples of placement numbers, in the order of the sweep."""
        if self.start < 0 or not self.feasible[self.start] & 1:
            return
        if self.start == 0:
            yield ()
            return
        steps, allowed = self._list_uses()
        edges, feasible, kinds = self.edges, self.feasible, self.kinds
        chosen: list[int] = []
        frames = [(0, iter(edges[self.start]))]
        while frames:
            used, untried = frames[-1]
            for number, after in untried:
                then = used + steps[number]
                if feasible[after] >> then & 1 and allowed[kinds[number]] >> used & 1:
                    if after:
                        chosen.append(number)
                        frames.append((then, iter(edges[after])))
                        break
                    yield (*chosen, number)
            else:
                frames.pop()
                if frames:
                    chosen.pop()


def sweep(problem: TilingProblem, report: Callable[[int, int], None] | None = None) -> TilingGraph:
    """Build the graph of all partial tilings that can be completed."""
    radix, codes = _encode_limits(problem)
    bit_board = BitBoard(problem, report)
    profiles = bit_board.sweep_forwards()
    edges, start = bit_board.sweep_backwards(profiles)
    needed = len(edges) * codes / 8
    if needed > MEMORY_LIMIT:
        raise SweepLimitError(
            f"the sweep would need about {format_memory(needed)} of memory for {codes} "
            f"combinations of used pieces; the limit is {format_memory(MEMORY_LIMIT)}"
        )
    kinds = tuple(placement.kind for placement in problem.placements)
    last = 1 << (codes - 1) if problem.pieces.use_all else (1 << codes) - 1
    feasible = _find_feasible(edges, radix, kinds, last)
    if start >= 0 and not feasible[start] & 1:
        start = -1
    return TilingGraph(edges, start, radix, feasible, kinds)


def _encode_limits(problem: TilingProblem) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return step and limit of each piece, and the number of combinations of used pieces."""
    steps = []
    codes = 1
    for limit in problem.limits:
        if limit is None:
            steps.append((0, 0))
        else:
            steps.append((codes, limit))
            codes *= limit + 1
            if codes > 1 << 40:  # too many for any number of profiles
                raise SweepLimitError(
                    "the sweep would need more memory than the limit of "
                    f"{format_memory(MEMORY_LIMIT)}: there are over 10^12 combinations of used "
                    "pieces"
                )
    return tuple(steps), codes


def _find_below_limit(radix: tuple[tuple[int, int], ...], kind: int) -> int:
    """Return, as bits, the numbers of used pieces in which a piece is below its limit."""
    step, limit = radix[kind]
    if not step:
        return -1
    total = 1
    for _, most in radix:
        total *= most + 1
    # A run of step * limit such numbers, then step numbers in which it is used up; repeated.
    run = (1 << (step * limit)) - 1
    length = step * (limit + 1)
    while length < total:
        run |= run << length
        length *= 2
    return run & ((1 << total) - 1)


def _find_feasible(
    edges: list[list[tuple[int, int]]],
    radix: tuple[tuple[int, int], ...],
    kinds: tuple[int, ...],
    last: int,
) -> list[int]:
    """Return for each profile the set of numbers of used pieces from which it can be completed."""
    steps = [step for step, _ in radix]
    allowed = [_find_below_limit(radix, kind) for kind in range(len(radix))]
    feasible = [last]
    for profile_edges in edges[1:]:
        completable = 0
        for number, after in profile_edges:
            kind = kinds[number]
            completable |= feasible[after] >> steps[kind] & allowed[kind]
        feasible.append(completable)
    return feasible


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
        self.sums = problem.coverable_areas
        self.smallest = problem.pieces.sizes[0]
        self.moves: list[list[tuple[int, int]]] = [[] for _ in range(self.cells)]
        reach = 0
        for number, placement in enumerate(problem.placements):
            covered = sorted(self._get_index(x, y) for x, y in placement.cells)
            reach = max(reach, covered[-1] - covered[0])
            mask = sum(1 << (cell - covered[0]) for cell in covered)
            self.moves[covered[0]].append((number, mask))
        self.reach = reach
        self.bits = reach + 1 + self.width
        if self.bits > _WORD:
            raise SweepLimitError(
                f"{board.width}x{board.height} is too wide to sweep with pieces of this size: "
                f"a profile would have {self.bits} bits; at most {_WORD} are possible"
            )
        # Blocked cells and cells after the end as one number: bit i is cell i.
        self.blocked = ((1 << (self.cells + 2 * self.bits)) - 1) ^ ((1 << self.cells) - 1)
        for x, y in board.list_cells(board.blocked):
            self.blocked |= 1 << self._get_index(x, y)
        self.next_free = [self.cells] * (self.cells + self.bits + 2)
        for cell in range(self.cells - 1, -1, -1):
            self.next_free[cell] = self.next_free[cell + 1] if self.blocked >> cell & 1 else cell

    def _get_index(self, x: int, y: int) -> int:
        return y * self.width + x

    def get_window(self, cell: int) -> int:
        """Return the blocked cells of the window at a cell."""
        return self.blocked >> cell & ((1 << self.bits) - 1)

    def describe_surroundings(self, cell: int) -> object:
        """Return a value that is equal for cells with the same possible placements."""
        masks = tuple(mask for _, mask in self.moves[cell])
        sight = self.blocked >> cell & ((1 << 2 * self.bits) - 1)
        return cell % self.width, masks, sight, cell + self.bits >= self.cells

    def sweep_forwards(self) -> dict[int, Words]:
        """Return for each cell the profiles whose first free cell it is."""
        import numpy as np

        begin = self.next_free[0]
        waiting: dict[int, list[Words]] = {begin: [np.array([self.get_window(begin)], np.uint64)]}
        profiles: dict[int, Words] = {}
        total = 0
        for cell in range(begin, self.cells):
            if cell not in waiting:
                continue
            self.report(cell, 2 * self.cells)
            words = np.unique(np.concatenate(waiting.pop(cell)))
            words = self.filter_fillable(cell, words)
            profiles[cell] = words
            total += len(words)
            if total * _BYTES_PER_PROFILE > MEMORY_LIMIT:
                raise SweepLimitError(
                    f"more than {total} partial tilings up to cell {cell} of {self.cells}: "
                    f"the sweep would need more than {format_memory(MEMORY_LIMIT)} of memory"
                )
            for _, _, after, profile in self.list_steps(cell, words):
                waiting.setdefault(after, []).append(np.unique(profile))
        return profiles

    def list_steps(self, cell: int, words: Words) -> Iterator[tuple[Numbers, Numbers, int, Words]]:
        """Yield the placements at a cell, grouped by the next free cell.

        Each group: indices of profiles, placements, the next free cell, the new profiles.
        """
        import numpy as np

        if not len(words):
            return
        origins: list[Numbers] = []
        numbers: list[Numbers] = []
        results: list[Words] = []
        for number, mask in self.moves[cell]:
            word = np.uint64(mask)
            origin = np.flatnonzero((words & word) == 0)
            if len(origin):
                origins.append(origin)
                numbers.append(np.full(len(origin), number, np.int64))
                results.append(words[origin] | word)
        if not results:
            return
        starts, placed, result = (
            np.concatenate(origins),
            np.concatenate(numbers),
            np.concatenate(results),
        )
        one = np.uint64(1)
        lowest = ~result & (result + one)  # the first bit that is not set
        distance = np.frexp(lowest.astype(np.float64))[1] - 1
        for steps_ahead in np.flatnonzero(np.bincount(distance)).tolist():
            chosen = np.flatnonzero(distance == steps_ahead)
            after = self.next_free[cell + steps_ahead]
            profile = (result[chosen] >> np.uint64(steps_ahead)) | np.uint64(
                self.get_window(cell + steps_ahead)
            )
            if (
                after != cell + steps_ahead
            ):  # the whole window is filled: skip the blocked cells after it
                profile = np.full(len(chosen), self.get_window(after), np.uint64)
            yield starts[chosen], placed[chosen], after, profile

    def filter_fillable(self, cell: int, words: Words) -> Words:
        """Drop profiles with a closed part whose size is no sum of piece sizes."""
        import numpy as np

        if all(self.sums[1:]):
            return words
        one, width = np.uint64(1), np.uint64(self.width)
        window = np.uint64((1 << self.bits) - 1)
        has_left = np.uint64(sum(1 << i for i in range(self.bits) if (cell + i) % self.width))
        free = ~words & window
        if self.smallest > 1:
            beside = (free << one) & has_left | (free & has_left) >> one
            lonely = free & ~(beside | free << width | free >> width)
            # The last row of the window may continue below, so it is not tested.
            keep = (lonely & np.uint64((1 << (self.reach + 1)) - 1)) == 0
            words, free = words[keep], free[keep]
        at_end = cell + self.bits >= self.cells
        beyond = 1 if at_end else ((1 << self.bits) - 1) ^ ((1 << (self.reach + 1)) - 1)
        part = free & np.uint64(beyond)
        while len(part):
            grown = part | (part << one) & has_left | (part & has_left) >> one
            grown = (grown | grown << width | grown >> width) & free
            if np.array_equal(grown, part):
                break
            part = grown
        closed = part if at_end else free & ~part
        possible = np.array((self.sums + [False] * (self.bits + 1))[: self.bits + 1])
        kept: Words = words[possible[count_ones(closed)]]
        return kept

    def sweep_backwards(
        self, profiles: dict[int, Words]
    ) -> tuple[list[list[tuple[int, int]]], int]:
        """Return the graph of the profiles that can be completed, and the number of its start."""
        import numpy as np

        # Per cell the profiles that can be completed; their numbers begin at an offset.
        alive: dict[int, tuple[Words, int]] = {
            self.cells: (np.array([self.get_window(self.cells)], np.uint64), 0)
        }
        edges: list[list[tuple[int, int]]] = [[]]
        total = 0
        for cell in sorted(profiles, reverse=True):
            self.report(2 * self.cells - cell, 2 * self.cells)
            found: list[tuple[Numbers, Numbers, Numbers]] = []
            for origin, number, after, profile in self.list_steps(cell, profiles[cell]):
                if after not in alive:
                    continue
                known, offset = alive[after]
                position = np.searchsorted(known, profile)
                position[position == len(known)] = 0
                hit = np.flatnonzero(known[position] == profile)
                if len(hit):
                    found.append((origin[hit], number[hit], position[hit] + offset))
            if not found:
                continue
            origin, number, after_number = (
                np.concatenate(part) for part in zip(*found, strict=True)
            )
            total += len(origin)
            if total * _BYTES_PER_EDGE > MEMORY_LIMIT:
                raise SweepLimitError(
                    f"the sweep would need more memory than the limit of "
                    f"{format_memory(MEMORY_LIMIT)}: it has over {total} steps between partial "
                    "tilings"
                )
            order = np.lexsort((number, origin))
            origin = origin[order]
            kept, begins = np.unique(origin, return_index=True)
            alive[cell] = (profiles[cell][kept], len(edges))
            pairs: list[Any] = list(
                zip(number[order].tolist(), after_number[order].tolist(), strict=True)
            )
            bounds = [*begins.tolist(), len(pairs)]
            edges += [pairs[a:b] for a, b in itertools.pairwise(bounds)]
            del profiles[cell]
        first = self.next_free[0]
        return edges, alive[first][1] if first in alive else -1
