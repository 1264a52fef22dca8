"""Tilings by brute force, on sets of cells; shares no code with the package."""

from collections.abc import Iterator
from itertools import product

Cell = tuple[int, int]
Shape = frozenset[Cell]
Solution = frozenset[Shape]


def _normal(cells: Iterator[Cell]) -> Shape:
    listed = list(cells)
    x0, y0 = min(x for x, _ in listed), min(y for _, y in listed)
    return frozenset((x - x0, y - y0) for x, y in listed)


def list_turns(shape: Shape, orientations: str) -> set[Shape]:
    """All orientations of a shape."""
    found = set()
    for mirrored in (False, True) if orientations == "all" else (False,):
        now = frozenset((-x, y) for x, y in shape) if mirrored else shape
        for _ in range(1 if orientations == "fixed" else 4):
            found.add(_normal(iter(now)))
            now = frozenset((y, -x) for x, y in now)
    return found


def tilings(
    free: frozenset[Cell], pieces: list[tuple[Shape, int | None]], orientations: str, use_all: bool
) -> set[Solution]:
    """All ways to cover cells with pieces, each up to a number of times (None: no limit).

    A piece that is given twice is one piece; where pieces lie is all that counts.
    """
    shapes = [list_turns(shape, orientations) for shape, _ in pieces]
    left = [most for _, most in pieces]
    found: set[Solution] = set()

    def go(rest: frozenset[Cell], placed: Solution) -> None:
        if not rest:
            if not use_all or not any(left):
                found.add(placed)
            return
        cell = min(rest)
        for kind, most in enumerate(left):
            if most == 0:
                continue
            for shape in shapes[kind]:
                for dx, dy in shape:
                    moved = frozenset((x - dx + cell[0], y - dy + cell[1]) for x, y in shape)
                    if moved <= rest:
                        if most is not None:
                            left[kind] = most - 1
                        go(rest - moved, placed | {moved})
                        left[kind] = most

    go(free, frozenset())
    return found


def classes(
    found: set[Solution],
    width: int,
    height: int,
    free: frozenset[Cell],
    pieces: list[tuple[Shape, int | None]],
    orientations: str,
) -> int:
    """How many classes of solutions there are under the symmetries of board and pieces."""
    limit: dict[Shape, int | None] = {}
    for shape, most in pieces:
        for one in list_turns(shape, orientations):
            before = limit.get(one, 0)
            limit[one] = None if most is None or before is None else before + most
    maps = []
    for swap, flip_x, flip_y in product((False, True), repeat=3):

        def image(cell: Cell, swap: bool = swap, fx: bool = flip_x, fy: bool = flip_y) -> Cell:
            x, y = cell
            x, y = (width - 1 - x if fx else x), (height - 1 - y if fy else y)
            return (y, x) if swap else (x, y)

        if {image(cell) for cell in free} != free:
            continue
        usable = True
        for (shape, most), px, py in product(limit.items(), range(width), range(height)):
            moved = frozenset((x + px, y + py) for x, y in shape)
            if moved <= free:  # only what fits into the free cells matters
                there = _normal(image(cell) for cell in moved)
                usable &= there in limit and limit[there] == most
        if usable:
            maps.append(image)
    return len(
        {
            min(
                tuple(sorted(tuple(sorted(map(image, shape))) for shape in solution))
                for image in maps
            )
            for solution in found
        }
    )
