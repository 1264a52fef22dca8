"""Levels found by plain search, so that tests of the page do not need the generator."""

from dataclasses import dataclass
from functools import cache

from tests.oracles import brute_triplex as brute
from tetrisprinter.triplex.levels import Level, count_pieces

KINDS = tuple(tuple(sorted(cells, key=lambda cell: cell[::-1])) for cells in brute.CELLS)
"""The cells of each kind of piece, in reading order."""


def turn_kind(kind: int, times: int = 1) -> int:
    """Return the kind of a piece after some clockwise quarter turns."""
    for _ in range(times):
        kind = kind ^ 1 if kind < 4 else 4 + (kind - 3) % 4
    return kind


@dataclass(frozen=True)
class MadeLevel:
    """A level with the fields that the page needs."""

    width: int
    height: int
    solution: tuple[str, ...]
    rotatable: int | None = None
    turns: int = 0
    difficulty: int = 1

    @property
    def level(self) -> Level:
        """The same level as an object of the package."""
        counts = count_pieces(self.solution, self.width, self.height)
        other_fields = self.solution, self.difficulty, self.rotatable, self.turns
        return Level(self.width, self.height, counts, *other_fields)

    def places(self) -> list[tuple[int, int, int]]:
        """Return (kind, x, y) of every piece, in reading order."""
        cells: dict[str, list[tuple[int, int]]] = {}
        for y, row in enumerate(self.solution):
            for x, letter in enumerate(row):
                cells.setdefault(letter, []).append((x, y))
        pieces = []
        for spots in cells.values():
            left, top = min(x for x, _ in spots), min(y for _, y in spots)
            shape = sorted((x - left, y - top) for x, y in spots)
            kind = next(k for k, cells_ in enumerate(KINDS) if sorted(cells_) == shape)
            pieces.append((kind, left, top))
        return pieces


@cache
def make_levels(width: int, height: int) -> tuple[MadeLevel, ...]:
    """Return all levels of a size; symmetric levels and straight cuts are allowed."""
    tilings = brute.all_counts(width, height)
    levels: list[MadeLevel] = []
    for piece_counts, (number, drawing) in sorted(tilings.items()):
        if number > 1 or sum(piece_counts) < 3:
            continue
        solution = tuple("".join(chr(65 + piece) for piece in row) for row in drawing)
        rotatable = None
        for kind in range(8):
            turned_kinds = {turn_kind(kind, times) for times in (1, 2, 3)} - {kind}
            swapped_counts = (
                tuple(
                    count - (k == kind) + (k == turned_kind) for k, count in enumerate(piece_counts)
                )
                for turned_kind in turned_kinds
            )
            if piece_counts[kind] and not any(counts in tilings for counts in swapped_counts):
                rotatable = kind
        turns = 1 + len(levels) % 3 if rotatable is not None else 0
        levels.append(
            MadeLevel(
                width, height, solution, rotatable, turns, 10 * sum(piece_counts) + len(levels)
            )
        )
    return tuple(levels)
