"""The compiled loops of the search, one by one, against plain Python."""

from __future__ import annotations

import random
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from tests.support.uncompiled import uncompiled
from tetrisprinter.planners.rows import _kernel_paths
from tetrisprinter.planners.rows.stacks import stack_of

Steps = list[list[tuple[int, int]]]
"""For each cell its steps, from a state before it to one after it."""


def graph(rng: random.Random, cells: int) -> tuple[list[int], Steps]:
    """Return how many states there are before each cell and at the end, and steps."""
    states = [1, *(rng.randint(1, 5) for _ in range(cells))]
    steps = [
        sorted((rng.randrange(a), rng.randrange(b)) for _ in range(rng.randint(1, 8)))
        for a, b in pairwise(states)
    ]
    return states, steps


def ways(states: list[int], steps: Steps, goal: int) -> list[list[int]]:
    """Return for each state how many ways there are from it to the goal."""
    counts = [[int(state == goal) for state in range(states[-1])]]
    for number, here in zip(states[-2::-1], steps[::-1], strict=True):
        from_each = [0] * number
        for before, after in here:
            from_each[before] += counts[0][after]
        counts.insert(0, from_each)
    return counts


@pytest.mark.parametrize("seed", range(30))
def test_what_leads_nowhere_is_left_out(seed: int) -> None:
    rng = random.Random(seed)
    states, steps = graph(rng, rng.randint(2, 7))
    goal = rng.randrange(states[-1])
    counts = ways(states, steps, goal)
    starts = np.array([0, *np.cumsum(states)], np.int64)
    ends = np.cumsum([len(here) for here in steps]).astype(np.int64)
    flat = [step for here in steps for step in here]
    source = np.array([a for a, _ in flat], np.int32)
    target = np.array([b for _, b in flat], np.int32)
    numbers = np.arange(len(flat), dtype=np.int16)
    weights = np.zeros(sum(states), np.float64)
    met = SimpleNamespace(
        starts=starts, ends=ends, source=source, target=target, step=numbers, goal=goal
    )
    free = np.full(len(steps), -1)
    ways_to = _kernel_paths.Ways(1, met, free, False, 0.3, weights)
    _kernel_paths.weigh(ways_to)
    for here, first in zip(counts, starts.tolist(), strict=False):
        most = max(here) or 1
        assert weights[first : first + len(here)] == pytest.approx([n / most for n in here])

    names = np.empty(2 * max(states), np.int32)
    left = _kernel_paths.thin(ways_to, names)
    alive = [[state for state, n in enumerate(here) if n] for here in counts]
    expected: list[tuple[int, int, int]] = []
    number = 0
    for cell, those in enumerate(steps):
        for before, after in those:
            if counts[cell][before] and counts[cell + 1][after]:
                new = (alive[cell].index(before), alive[cell + 1].index(after), number)
                expected.append(new)
            number += 1
        assert ends[cell] == len(expected)
    assert left == len(expected)
    assert list(zip(source[:left], target[:left], numbers[:left], strict=True)) == expected
    assert starts.tolist() == [0, *np.cumsum([len(here) for here in alive])]
    kept = [n / max(here) for here in counts for n in here if n]
    assert weights[: starts[-1]] == pytest.approx(kept)


@pytest.mark.parametrize("word", ["ccpb", "pb", "ccccccp"])
def test_states_with_fewer_holes_are_kept(word: str) -> None:
    """As by counting the holes and the squares that are left out, and sorting."""
    rng = random.Random(word)
    rows, bits = len(word), stack_of(word).level_bits
    count, beam = 400, 90
    firsts = np.array([rng.randrange(1 << 2 * rows * bits) for _ in range(count)], np.int64)
    seconds = np.array([rng.randrange(1 << rows * bits) for _ in range(count)], np.int64)
    codes = np.array([rng.randrange(1 << 64) for _ in range(count)], np.uint64)
    needed = [rng.randrange(1 << rows) for _ in range(2)]
    missed = [rng.choice((3, 4, 5, 20)) for _ in range(count)]

    def score(number: int) -> int:
        columns = (int(firsts[number]) >> rows * bits, int(seconds[number]))
        holes = 0
        for column, must in zip(columns, needed, strict=True):
            full = [column >> r * bits & ((1 << bits) - 1) > 0 for r in range(rows)]
            holes += sum(must >> r & 1 and not full[r] and any(full[r + 1 :]) for r in range(rows))
        fewer = min(7, missed[number] - min(missed))
        return (holes + 4 * fewer << 58) + (int(codes[number]) >> 2)

    expected = sorted(sorted(range(count), key=score)[:beam])
    keys = list(zip(firsts.tolist(), seconds.tolist(), strict=True))
    kernel = uncompiled()["tetrisprinter.planners.rows._kernel"]
    records = uncompiled()["tetrisprinter.planners.rows._kernel_records"]
    stack = stack_of(word)
    shape = records.Shape(rows, bits, word.count("c"), stack.begin, stack.fields, stack.masks)
    none = np.zeros(3, np.int64)
    squares = SimpleNamespace(
        before=none,
        must=np.array([0, *needed]),
        wanted=none,
        allowed=np.zeros(3 * rows, np.int64),
        ground=none,
    )
    room = records.Room(3, beam)
    at = records.Place()
    at.x = at.v = at.now = at.steps = 0
    at.met = count
    for i in range(count):
        room.states[1, 0, i], room.states[1, 1, i] = int(firsts[i]), int(seconds[i])
        room.codes[0, i] = int(codes[i])
        room.missed[1, i] = missed[i]
    steps = records.Steps(1)
    kernel._select_states(
        shape, records.Question(squares, none, beam, beam, False), room, steps, at, beam
    )
    assert at.met == beam
    assert [i for i in range(count) if room.names[i] >= 0] == expected
    kept = [(room.states[1, 0, i], room.states[1, 1, i]) for i in range(beam)]
    assert kept == [keys[i] for i in expected]


@pytest.mark.parametrize("word", ["cpb", "ccpcb", "p"])
def test_masks_are_the_cells(word: str) -> None:
    """A piece takes its cells but the one it begins with, at its level plus one."""
    stack = stack_of(word)
    rows, bits = len(word), stack.level_bits
    full = (1 << bits) - 1
    for one, masks, fields in zip(
        stack.variants, stack.masks.tolist(), stack.fields.tolist(), strict=True
    ):
        cells = sorted((dx, one.y + dy) for dx, dy in one.orientation.cells)[1:]
        near = {(dx, y) for dx, y in cells if dx < 2}
        taken = [masks[1] >> (dx * rows + y) * bits & full for dx in (0, 1) for y in range(rows)]
        assert taken == [(one.level + 1) * ((dx, y) in near) for dx in (0, 1) for y in range(rows)]
        far = [masks[3] >> y * bits & full for y in range(rows)]
        assert far == [(one.level + 1) * ((2, y) in cells) for y in range(rows)]
        farther = masks[3] >> rows * bits
        assert [farther >> y & 1 for y in range(rows)] == [(3, y) in cells for y in range(rows)]
        assert masks[1] >> 2 * rows * bits == one.level | fields[2] << bits
        assert masks[0] >> 2 * rows * bits == fields[2] << bits
        for r in range(2 * rows):
            assert masks[0] >> r * bits & full in (0, full)
            assert (masks[0] >> r * bits & full > 0) == (masks[1] >> r * bits & full > 0)
