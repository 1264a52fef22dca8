"""Wells filled from below, judged by an independent simulator."""

import random

from tests.support.dropping import drop_pieces
from tetrisprinter.planners.rows.from_board import fill_wells, find_open_cells


def test_only_what_is_open_between_two_rows_is_filled_and_nothing_is_covered() -> None:
    pieces = 0
    for seed in range(200):
        chance = random.Random(seed)
        width, height = chance.randint(5, 14), chance.randint(2, 9)
        share = [1.0, *(chance.choice((0, 0, 0.1, 0.5)) for _ in range(width - 2)), 0.0]
        drawn = [[int(chance.random() < one) for one in share] for _ in range(height)]
        rows = tuple(map(bytes, drawn))
        first = chance.randrange(height)
        last = chance.randint(first, height)
        passes, after, lines = fill_wells(rows, first, last)
        placed = [piece for one in passes for piece in one.pieces]
        start = {(x, y): "?" for y, row in enumerate(rows) for x, v in enumerate(row) if v}
        _, field = drop_pieces(placed, start, (width, height))
        left = {(x, y) for y, row in enumerate(after) for x, v in enumerate(row) if v}
        assert field.keys() == left
        assert len(left) == len(start) + 4 * len(placed) - width * lines
        assert after[:first] == rows[:first]
        if not lines:
            gaps = find_open_cells(rows)
            new = left - start.keys()
            assert all(first <= y < last and gaps[y][x] for x, y in new)
            still = find_open_cells(after)
            covered = {(x, y) for y in range(height) for x in range(width)
                       if gaps[y][x] and not still[y][x] and (x, y) not in left}  # fmt: skip
            assert not covered
        pieces += len(placed)
    assert pieces > 60
