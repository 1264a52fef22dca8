"""Packing by trying every drop order: slow, plain, and sharing no code with the package.

The state is the tuple of column heights. What can still be reached from it does not
depend on how it came about, so one memo serves all presets over the same squares.
"""

from functools import cache

from tests.oracles.game import ROTATIONS

Profile = tuple[tuple[int, int], ...]
"""A tetromino as the lowest cell and the number of cells of each of its columns."""


def _profile(cells: frozenset[tuple[int, int]]) -> Profile:
    columns = [[y for x, y in cells if x == column] for column in sorted({x for x, _ in cells})]
    return tuple((min(rows), len(rows)) for rows in columns)


SHAPES = {_profile(cells) for turned in ROTATIONS.values() for cells in turned}


def count_with_holes(
    width: int, rows: int, holes: frozenset[tuple[int, int]], squares: frozenset[int]
) -> int:
    """How many ways there are to lie around holes that stay, by dropping each piece onto a board.

    A row without holes vanishes when it is full. A piece rests on filled cells or holes in each
    column, and a filled cell of a row that is still there, or a square of row -1, holds it.
    """
    goal = frozenset((x, y) for x in range(width) for y in range(rows)) - holes
    shapes = [cells for turned in ROTATIONS.values() for cells in turned]
    places = {
        frozenset((x + dx, y + dy) for dx, dy in shape)
        for shape in shapes
        for x in range(width)
        for y in range(rows)
    }
    places = {place for place in places if place <= goal}

    def can_drop(place: frozenset[tuple[int, int]], filled: frozenset[tuple[int, int]]) -> bool:
        gone = {y for y in range(rows) if all((x, y) in filled for x in range(width))}
        held = False
        for x in {x for x, _ in place}:
            low = min(y for other, y in place if other == x)
            if any((x, y) in filled for y in range(low, rows)):
                return False
            if any((x, y) not in filled | holes for y in range(low)):
                return False
            rest = [y for y in range(low) if y not in gone]
            held = held or ((x, rest[-1]) in filled if rest else x in squares)
        return held

    @cache
    def ways(
        filled: frozenset[tuple[int, int]],
    ) -> set[frozenset[frozenset[tuple[int, int]]]]:
        if filled == goal:
            return {frozenset()}
        return {
            packing | {place}
            for place in places
            if not place & filled and can_drop(place, filled)
            for packing in ways(filled | place)
        }

    return len(ways(frozenset()))


class Brute:
    """All questions about matrices of one size over the same squares."""

    def __init__(self, width: int, rows: int, squares: frozenset[int] = frozenset()) -> None:
        self.width, self.rows, self.squares = width, rows, squares
        self.can_fill = cache(self._can_fill)

    def drops(self, heights: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The heights after each possible drop."""
        gone = min(heights)  # rows that have been completed and removed
        after = []
        for shape in SHAPES:
            for x in range(self.width - len(shape) + 1):
                y = heights[x] - shape[0][0]
                held = False
                new = list(heights)
                for i, (low, length) in enumerate(shape, x):
                    if heights[i] != y + low or y + low + length > self.rows:
                        break
                    held = held or heights[i] > gone or i in self.squares
                    new[i] = y + low + length
                else:
                    if held:
                        after.append(tuple(new))
        return after

    def _can_fill(self, heights: tuple[int, ...]) -> bool:
        if min(heights) == self.rows:
            return True
        return any(self.can_fill(after) for after in self.drops(heights))

    def can_fill_around(self, presets: frozenset[tuple[int, ...]]) -> bool:
        """Whether it can be filled if some runs of row 0 may be filled at any time.

        Nothing else may use their cells, and nothing needs to hold them.
        """

        @cache
        def can(heights: tuple[int, ...], waiting: frozenset[tuple[int, ...]]) -> bool:
            if min(heights) == self.rows:
                return True
            for run in waiting:
                after = tuple(h + (x in run) for x, h in enumerate(heights))
                if can(after, waiting - {run}):
                    return True
            reserved = {x for run in waiting for x in run}
            return any(
                can(after, waiting)
                for after in self.drops(heights)
                if not any(after[x] for x in reserved)
            )

        return can((0,) * self.width, presets)

    def tilings(self, heights: tuple[int, ...]) -> int:
        """How many ways there are to lie, whatever the order of the drops."""
        full = tuple([self.rows] * self.width)
        seen: dict[tuple[int, ...], set[frozenset[tuple[tuple[int, ...], ...]]]] = {}

        def ways(state: tuple[int, ...]) -> set[frozenset[tuple[tuple[int, ...], ...]]]:
            if state == full:
                return {frozenset()}
            if state not in seen:
                found = set()
                for after in self.drops(state):
                    piece = tuple(
                        (x, a, b)
                        for x, (a, b) in enumerate(zip(state, after, strict=True))
                        if a != b
                    )
                    found |= {rest | {piece} for rest in ways(after)}
                seen[state] = found
            return seen[state]

        return len(ways(heights))
