"""All tilings with dominoes and trominoes, one by one: no code of the package, no tricks.

What a level is comes straight from the definition: drawings are turned and mirrored
cell by cell, and a cut is looked for in the drawing.
"""

from collections import Counter
from functools import cache
from itertools import pairwise

Drawing = tuple[tuple[int, ...], ...]
Counts = tuple[int, ...]

# Rows from the top; the order in which the package and its files count them.
SHAPES = (
    ["##"],
    ["#", "#"],
    ["###"],
    ["#", "#", "#"],
    ["#.", "##"],
    ["##", "#."],
    ["##", ".#"],
    [".#", "##"],
)
CELLS = [
    frozenset((x, y) for y, row in enumerate(shape) for x, mark in enumerate(row) if mark == "#")
    for shape in SHAPES
]


@cache
def all_counts(width: int, height: int) -> dict[Counts, tuple[int, Drawing]]:
    """For all counts that fill a rectangle: in how many ways, and one of them.

    Every tiling is met once: its pieces in the order of their first free cells.
    """
    placements: list[list[tuple[int, int]]] = [[] for _ in range(width * height)]
    for kind, cells in enumerate(CELLS):
        for top in range(height):
            for left in range(width):
                there = [(left + x, top + y) for x, y in cells]
                if all(x < width and y < height for x, y in there):
                    mask = sum(1 << (y * width + x) for x, y in there)
                    first = (mask & -mask).bit_length() - 1
                    placements[first].append((kind, mask))
    full = (1 << (width * height)) - 1
    ways: Counter[Counts] = Counter()
    examples: dict[Counts, list[int]] = {}
    counts = [0] * len(SHAPES)
    placed: list[int] = []

    def fill(taken: int) -> None:
        if taken == full:
            ways[tuple(counts)] += 1
            examples[tuple(counts)] = placed.copy()
            return
        hole = (~taken & (taken + 1)).bit_length() - 1
        for kind, mask in placements[hole]:
            if not taken & mask:
                counts[kind] += 1
                placed.append(mask)
                fill(taken | mask)
                placed.pop()
                counts[kind] -= 1

    fill(0)
    return {
        found: (number, _draw(examples[found], width, height)) for found, number in ways.items()
    }


def _draw(masks: list[int], width: int, height: int) -> Drawing:
    return tuple(
        tuple(
            next(i for i, mask in enumerate(masks) if mask >> (y * width + x) & 1)
            for x in range(width)
        )
        for y in range(height)
    )


def is_cut(drawing: Drawing) -> bool:
    """Whether a line passes from side to side between the pieces."""
    return any(
        all(a != b for a, b in zip(one, other, strict=True))
        for lines in (drawing, list(zip(*drawing, strict=True)))
        for one, other in pairwise(lines)
    )


def counts_of(drawing: Drawing) -> Counts:
    """The counts of a drawing, from its cells."""
    pieces: dict[int, list[tuple[int, int]]] = {}
    for y, row in enumerate(drawing):
        for x, number in enumerate(row):
            pieces.setdefault(number, []).append((x, y))
    counts = [0] * len(SHAPES)
    for cells in pieces.values():
        left, top = min(x for x, _ in cells), min(y for _, y in cells)
        counts[CELLS.index(frozenset((x - left, y - top) for x, y in cells))] += 1
    return tuple(counts)


def turn(drawing: Drawing) -> Drawing:
    """A drawing after a clockwise quarter turn."""
    return tuple(zip(*drawing[::-1], strict=True))


def list_orbit(drawing: Drawing) -> frozenset[Counts]:
    """The counts of all turned and mirrored drawings of the same size."""
    found = set()
    for start in (drawing, drawing[::-1]):
        image = start
        for _ in range(4):
            if len(image) == len(drawing):
                found.add(counts_of(image))
            image = turn(image)
    return frozenset(found)


def levels(width: int, height: int) -> set[frozenset[Counts]]:
    """All levels of a size, each as the counts of its rotations and reflections."""
    return {
        list_orbit(drawing)
        for counts, (ways, drawing) in all_counts(width, height).items()
        if ways == 1 and sum(counts) >= 3 and not is_cut(drawing)
    }
