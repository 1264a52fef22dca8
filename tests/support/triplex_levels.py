"""Levels made by plain search, so that the page is tested without the generator."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

KINDS = (
    ((0, 0), (1, 0)),
    ((0, 0), (0, 1)),
    ((0, 0), (1, 0), (2, 0)),
    ((0, 0), (0, 1), (0, 2)),
    ((0, 0), (0, 1), (1, 1)),
    ((0, 0), (1, 0), (0, 1)),
    ((0, 0), (1, 0), (1, 1)),
    ((1, 0), (0, 1), (1, 1)),
)


def turned(kind: int, times: int = 1) -> int:
    """Return what a kind becomes by clockwise quarter turns."""
    for _ in range(times):
        kind = kind ^ 1 if kind < 4 else 4 + (kind - 3) % 4
    return kind


@dataclass(frozen=True)
class Made:
    """A level as the page needs it."""

    width: int
    height: int
    solution: tuple[str, ...]
    rotatable: int | None = None
    turns: int = 0
    difficulty: int = 1

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
def made_levels(width: int, height: int) -> tuple[Made, ...]:
    """Return the levels of a size, without regard to symmetry or straight cuts."""
    tilings: dict[tuple[int, ...], list[str]] = defaultdict(list)
    board, counts = ["."] * (width * height), [0] * 8

    def fill(number: int) -> None:
        if "." not in board:
            tilings[tuple(counts)].append("".join(board))
            return
        at = board.index(".")
        for kind, cells in enumerate(KINDS):
            spots = [(at % width + x - cells[0][0], at // width + y) for x, y in cells]
            if all(0 <= x < width and y < height and board[y * width + x] == "." for x, y in spots):
                for x, y in spots:
                    board[y * width + x] = chr(65 + number)
                counts[kind] += 1
                fill(number + 1)
                counts[kind] -= 1
                for x, y in spots:
                    board[y * width + x] = "."

    fill(0)
    levels: list[Made] = []
    for key, found in sorted(tilings.items()):
        if len(found) > 1 or sum(key) < 3:
            continue
        solution = tuple(found[0][y * width : (y + 1) * width] for y in range(height))
        mark = None
        for kind in range(8):
            ways = {turned(kind, times) for times in (1, 2, 3)} - {kind}
            swapped = (
                tuple(n - (k == kind) + (k == way) for k, n in enumerate(key)) for way in ways
            )
            if key[kind] and not any(other in tilings for other in swapped):
                mark = kind
        turns = 1 + len(levels) % 3 if mark is not None else 0
        levels.append(Made(width, height, solution, mark, turns, 10 * sum(key) + len(levels)))
    return tuple(levels)
