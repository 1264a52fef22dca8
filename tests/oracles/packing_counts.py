"""The number of packings of every matrix of a height, from the last drop to the first.

It shares no code with the package, and no idea: no levels, no search for an order of drops.

A matrix is filled gap-free, so its state is the heights of its columns, and its complete rows are
those below the lowest height. Take pieces off again, last drop first. A piece can be taken off if
nothing lies on it and it was supported: it is not flat, or it lies over a square, or its lowest row
``y`` is above the lowest height that is left. Taking off a piece never forbids another, because
heights only fall. So the order does not matter, and a packing is possible if pieces can be taken
off until none is left.

Take them off in *rounds*. A round has a number ``m``, the lowest height at its beginning: pieces go
one after another until none is left that can go while flat pieces need ``y > m``. The next round
begins at the lowest height that is then left. So each packing has one sequence of rounds, which
begins with the number of rows and falls, and each piece has one round: the lowest of its own limit
(the first round; for a flat piece the first round below ``y``) and of the rounds of the pieces that
lie on it.

For each sequence of rounds the packings are counted column by column. The state before a column is
the pieces that reach into it, each with its round and whether the round is explained: by its own
limit, or by a piece on it. A bit for each round says whether it went down to where the next round
begins; the last one must have a piece.

All sets of presets in row 0 are counted at once: each first half of the columns is a vector of
states, so is each second half, and a product of two matrices has the numbers of all pairs.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

DRAWINGS = (
    *("####", "#/#/#/#", "##/##", ".##/##.", "#./##/.#", "##./.##", ".#/##/#."),
    *("###/.#.", ".#/##/.#", ".#./###", "#./##/#.", "###/#..", "##/.#/.#", "..#/###", "#./#./##"),
    *("###/..#", ".#/.#/##", "#../###", "##/#./#."),
)


def _read(drawing: str) -> tuple[tuple[int, int], ...]:
    """Return for each column of a piece the row of its lowest cell and the row above its top."""
    rows = drawing.split("/")[::-1]
    columns = ([y for y, row in enumerate(rows) if row[x] == "#"] for x in range(len(rows[0])))
    return tuple((min(column), max(column) + 1) for column in columns)


PIECES = tuple(map(_read, DRAWINGS))

Open = tuple[tuple[tuple[int, int], ...], int, bool]
"""A piece that reaches into the next column: its columns from there on, its round, and whether the
round is explained: by the piece's own limit, or by a piece on it in an earlier column."""

State = tuple[tuple[Open, ...], int]
"""The open pieces, and as bits the rounds that have reached the row where the next one begins."""


def _fill(state: State, preset: bool, rows: int, rounds: tuple[int, ...]) -> Iterator[State]:
    """Yield the states after a column, one for each way to fill it."""
    pieces, reached = state
    start = {piece[0][0][0]: piece for piece in pieces}  # by their lowest rows in the column
    after_round = dict(zip(rounds, (*rounds[1:], -1), strict=True))
    bits = {m: 1 << number for number, m in enumerate(rounds)}

    def stack(y: int, column: list[Open], reached: int) -> Iterator[tuple[list[Open], int]]:
        """Yield the pieces of the column from row ``y`` up, lowest first."""
        if y == rows:
            yield column, reached
            return
        if y in start:
            yield from stack(start[y][0][0][1], [*column, start[y]], reached)
            return
        for shape in PIECES:
            base = y - shape[0][0]
            if base < 0 or base + max(top for _, top in shape) > rows:
                continue
            columns = tuple((base + low, base + top) for low, top in shape)
            if any(columns[0][0] < low < columns[0][1] for low in start):
                continue
            is_flat = not any(low for low, _ in shape)
            own = max((m for m in rounds if m < base), default=None) if is_flat else rows
            if own is None:
                continue
            for m in rounds:
                # A round ends above the row where the next one begins, and one piece reaches it.
                if m > own or base < after_round[m]:
                    continue
                bit = bits[m] if base == after_round[m] or after_round[m] < 0 else 0
                piece = columns, m, m == own
                yield from stack(columns[0][1], [*column, piece], reached | bit)

    if preset and 0 in start:
        return
    for column, now_reached in stack(int(preset), [], reached):
        left: list[Open] = []
        for number, (columns, m, explained) in enumerate(column):
            if number + 1 < len(column):
                above = column[number + 1][1]
                if above < m:
                    break  # the piece would go before the one that lies on it
                explained = explained or above == m
            if len(columns) > 1:
                left.append((columns[1:], m, explained))
            elif not explained:
                break
        else:
            cells = sorted(columns[0] for columns, _, _ in left)
            if all(top <= low for (_, top), (low, _) in pairwise(cells)):
                yield tuple(sorted(left)), now_reached


def count_all(rows: int, widest: int) -> list[NDArray[np.int64]]:
    """Return for each width up to ``widest`` the numbers of packings of all sets of presets.

    The number at index ``i`` is that of the presets whose columns are the ones of ``i`` in binary,
    from the left; it has as many digits as the matrix has columns.
    """
    totals = [np.zeros(1 << width, np.int64) for width in range(widest + 1)]
    for size in range(rows + 1):
        for lower in combinations(range(rows), size):
            rounds = (rows, *sorted(lower, reverse=True))
            first, last = _count_halves(rounds, rows, (widest + 1) // 2)
            for width in range(1, widest + 1):
                totals[width] += (first[width // 2] @ last[width - width // 2]).ravel()
    return totals


def _count_halves(
    rounds: tuple[int, ...], rows: int, columns: int
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return the numbers of all first halves in each state, and of all second halves from it."""
    states: list[State] = [((), 0), ((), (1 << len(rounds)) - 1)]
    numbers = {state: number for number, state in enumerate(states)}
    moves: list[list[tuple[int, int]]] = [[], []]
    for number, state in enumerate(states):  # grows on the way
        for preset in (0, 1):
            for after in _fill(state, bool(preset), rows, rounds):
                if after not in numbers:
                    numbers[after] = len(states)
                    states.append(after)
                moves[preset].append((number, numbers[after]))
    first = [np.zeros((1, len(states)), np.int64)]
    last = [np.zeros((len(states), 1), np.int64)]
    first[0][0, 0] = last[0][1, 0] = 1
    for _ in range(columns):
        longer_first, longer_last = [], []
        for sources, targets in (np.array(pairs, np.int64).reshape(-1, 2).T for pairs in moves):
            reached = np.zeros_like(first[-1].T)
            np.add.at(reached, targets, first[-1].T[sources])
            longer_first.append(reached.T)
            reached = np.zeros_like(last[-1])
            np.add.at(reached, sources, last[-1][targets])
            longer_last.append(reached)
        first.append(np.stack(longer_first, axis=1).reshape(-1, len(states)))
        last.append(np.concatenate(longer_last, axis=1))
    return first, last
