"""Levels made by plain search, so that the page is tested without the generator."""

from dataclasses import dataclass
from functools import cache

from tests.oracles import brute_triplex as brute
from tetrisprinter.triplex.levels import Level, count_pieces

KINDS = tuple(tuple(sorted(cells, key=lambda cell: cell[::-1])) for cells in brute.CELLS)
"""The cells of each kind, in reading order."""


def turn_kind(kind: int, times: int = 1) -> int:
    """Return what a kind becomes by clockwise quarter turns."""
    for _ in range(times):
        kind = kind ^ 1 if kind < 4 else 4 + (kind - 3) % 4
    return kind


@dataclass(frozen=True)
class MadeLevel:
    """A level as the page needs it."""

    width: int
    height: int
    solution: tuple[str, ...]
    rotatable: int | None = None
    turns: int = 0
    difficulty: int = 1

    @property
    def level(self) -> Level:
        """The level of the package."""
        counts = count_pieces(self.solution, self.width, self.height)
        more = self.solution, self.difficulty, self.rotatable, self.turns
        return Level(self.width, self.height, counts, *more)

    def places(self) -> list[tuple[int, int, int]]:
        """Return (kind, x, y) of every piece, in reading order."""
        cells: dict[str, list[tuple[int, int]]] = {}
        for y, row in enumerate(self.solution):
            for x, letter in enumerate(row):
                cells.setdefault(letter, []).append((x, y))
        found = []
        for spots in cells.values():
            left, top = min(x for x, _ in spots), min(y for _, y in spots)
            shape = sorted((x - left, y - top) for x, y in spots)
            kind = next(k for k, cells_ in enumerate(KINDS) if sorted(cells_) == shape)
            found.append((kind, left, top))
        return found


@cache
def make_levels(width: int, height: int) -> tuple[MadeLevel, ...]:
    """Return the levels of a size, without regard to symmetry or straight cuts."""
    tilings = brute.all_counts(width, height)
    levels: list[MadeLevel] = []
    for key, (number, drawing) in sorted(tilings.items()):
        if number > 1 or sum(key) < 3:
            continue
        solution = tuple("".join(chr(65 + piece) for piece in row) for row in drawing)
        mark = None
        for kind in range(8):
            ways = {turn_kind(kind, times) for times in (1, 2, 3)} - {kind}
            swapped = (
                tuple(n - (k == kind) + (k == way) for k, n in enumerate(key)) for way in ways
            )
            if key[kind] and not any(other in tilings for other in swapped):
                mark = kind
        turns = 1 + len(levels) % 3 if mark is not None else 0
        levels.append(MadeLevel(width, height, solution, mark, turns, 10 * sum(key) + len(levels)))
    return tuple(levels)
