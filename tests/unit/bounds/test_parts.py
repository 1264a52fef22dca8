"""How few parts make up a picture, against brute force and against games."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import pytest

from tests.oracles.game import ROTATIONS
from tests.support.processes import run_python
from tetrisprinter.bounds.parts import (
    find_drop_bound,
    find_part_bound,
    iterate_drop_bounds,
    iterate_part_bounds,
    round_drops_up,
)
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Target, Task

Square = tuple[int, int]


def list_parts(name: str) -> Iterator[frozenset[Square]]:
    """Yield what a piece may leave: its rows that stay, brought together."""
    for shape in ROTATIONS[name]:
        rows = sorted({y for _, y in shape})
        for many in range(1, len(rows) + 1):
            for kept in combinations(rows, many):
                yield frozenset((x, kept.index(y)) for x, y in shape if y in kept)


PARTS = {name: frozenset(list_parts(name)) for name in ROTATIONS}


def fewest(squares: frozenset[Square], names: str) -> int | None:
    """Partition squares into the fewest parts of some types; None if there is no way."""
    shapes = {shape for name in names for shape in PARTS[name]}

    @cache
    def rest(left: frozenset[Square]) -> int | None:
        if not left:
            return 0
        x, y = min(left)
        found = []
        for shape in shapes:
            for dx, dy in shape:
                cells = frozenset((x + a - dx, y + b - dy) for a, b in shape)
                if cells <= left and (more := rest(left - cells)) is not None:
                    found.append(1 + more)
        return min(found, default=None)

    return rest(squares)


def random_target(rng: random.Random) -> Target:
    width, high = rng.randint(2, 5), rng.randint(1, 4)
    shades = tuple(tuple(rng.choice((0, 1, 1, 2)) for _ in range(width)) for _ in range(high))
    masks = [0, *(rng.randrange(2, 256, 2) for _ in range(2))]
    masks[2] &= ~masks[1]
    required = frozenset((x, y) for y, row in enumerate(shades) for x, s in enumerate(row) if s)
    if rng.random() < 0.5:
        allowed = tuple(tuple(masks[s] for s in row) for row in shades)
        return Target(
            width, high + 4, allowed, frozenset(q for q in required if allowed[q[1]][q[0]])
        )
    allowed = tuple(tuple(254 if s else 0 for s in row) for row in shades)
    return Target(width, high + 4, allowed, required, shades)


def count_by_brute_force(target: Target) -> int | None:
    """Try every set of types for each colour."""
    colours: dict[int, set[Square]] = {}
    for x, y in target.required:
        shade = target.shades[y][x] if target.shades else target.allowed[y][x]
        colours.setdefault(shade, set()).add((x, y))
    names = [piece.name for piece in PieceType]
    found: list[int] = []
    if target.shades is None:
        sets = [{mask: "".join(p.name for p in PieceType if mask >> p & 1) for mask in colours}]
    else:
        ways = product(colours, repeat=len(names)) if len(colours) > 1 else [tuple(colours) * 7]
        sets = [
            {c: "".join(n for n, its in zip(names, way, strict=True) if its == c) for c in colours}
            for way in ways
        ]
    known: dict[tuple[int, str], int | None] = {}
    for one in sets:
        for colour, its in one.items():
            if (colour, its) not in known:
                known[colour, its] = fewest(frozenset(colours[colour]), its)
        counts = [known[item] for item in one.items()]
        if None not in counts:
            found.append(sum(count or 0 for count in counts))
    return min(found, default=None)


@pytest.mark.parametrize("seed", range(12))
def test_small_pictures_have_exactly_so_many_parts(seed: int) -> None:
    """Their areas are solved, so the bound is the minimum."""
    rng = random.Random(seed)
    for _ in range(4):
        target = random_target(rng)
        expected = count_by_brute_force(target)
        if expected is not None:
            assert find_part_bound(target) == expected, target


def bound_of(task: Task) -> int:
    last = 0
    for _, parts in iterate_part_bounds(task.target):
        assert parts >= last
        last = parts
    return round_drops_up(task.target, last)


def noise(size: int) -> Task:
    rng = random.Random(size)
    colors = ("d03020", "20a040", "3060c0", "f0c040", "20b0b0")
    rows = tuple(tuple(rng.choice(colors) for _ in range(size)) for _ in range(size))
    return Task.of(Picture(rows), (size + 5, size + 20))


def test_noise_needs_far_more_than_a_drop_for_four_squares() -> None:
    task = noise(24)
    assert find_part_bound(task.target) > 24 * 24 / 4 * 2.5
    assert find_drop_bound(task.target) == bound_of(task)


def test_over_squares_that_lie_there_nothing_is_said() -> None:
    task = Task.of(Picture.parse("rr\nrr"), "5x8").with_start([[1, 1, 1, 1, 0]])
    assert list(iterate_drop_bounds(task)) == [(0.0, 0)]


def test_it_needs_no_library() -> None:
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('numpy', 'pysat', 'ortools', 'PIL')))\n"
        "from tetrisprinter.bounds.parts import iterate_drop_bounds\n"
        "from tetrisprinter.pictures.picture import Picture\n"
        "from tetrisprinter.printing.task import Task\n"
        "print(list(iterate_drop_bounds(Task.of(Picture.parse('r.b'), '5x8')))[-1][1])\n"
    )
    output = run_python("-c", program, check=True).stdout
    assert output.strip() == "3"
