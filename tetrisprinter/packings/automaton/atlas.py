"""The atlas: the least matrix heights for every width and number of emitted squares.

All matrices are gap-free. Counting enumerates nothing: the automaton of least heights runs on all
rows at once, column by column, with the exact number of rows in each state (transfer-matrix
method). Listing walks through the same automaton, only through states that lead to unprintable
rows.

The *census* of one width and height says which sets of emitter positions have a matrix, and why
others do not. Divisibility comes first, because it excludes most cases and is easy to check.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.board import can_make_pieces
from tetrisprinter.packings.automaton.automaton import SHIPPED
from tetrisprinter.packings.automaton.dfa import Dfa, build_emitters
from tetrisprinter.packings.automaton.query import build_least_height
from tetrisprinter.packings.problem import list_emitter_positions
from tetrisprinter.support.executors import HERE, Machines, run_units


@dataclass(frozen=True, slots=True)
class AtlasEntry:
    """The heights of one width and number of emitted squares."""

    width: int
    emitted: int  # number of emitter pieces, and of squares that they emit
    heights: tuple[int, ...]  # the heights considered
    by_height: tuple[int, ...]  # number of position sets for which each height is the least

    @property
    def total(self) -> int:
        """Number of position sets."""
        return comb(self.width - 2 * self.emitted, self.emitted)

    @property
    def unprintable_count(self) -> int:
        """Number of position sets that none of the heights can print."""
        return self.total - sum(self.by_height)

    @property
    def divisible_heights(self) -> tuple[int, ...]:
        """The heights that divisibility allows."""
        return tuple(h for h in self.heights if can_make_pieces(self.width * h - 3 * self.emitted))

    @property
    def least_height(self) -> int | None:
        """The least height that prints at least one position set; None if no height does."""
        return next((h for h, n in zip(self.heights, self.by_height, strict=True) if n), None)

    @property
    def sufficient_height(self) -> int | None:
        """The greatest least height of a position set; None if some sets cannot be printed."""
        if self.unprintable_count:
            return None
        return max(h for h, n in zip(self.heights, self.by_height, strict=True) if n)

    def to_data(self) -> dict[str, object]:
        """Return the entry as plain data."""
        return {
            "width": self.width,
            "emitted": self.emitted,
            "rows": self.total,
            "divisible": list(self.divisible_heights),
            "by_height": {str(h): n for h, n in zip(self.heights, self.by_height, strict=True)},
            "without": self.unprintable_count,
            "least": self.least_height,
            "enough": self.sufficient_height,
        }


def build_atlas(
    widths: Iterable[int],
    emitted: Iterable[int],
    heights: Iterable[int] = SHIPPED,
    *,
    machines: Machines = HERE,
    on_count: Callable[[], None] = lambda: None,
) -> list[AtlasEntry]:
    """Count the position sets of each width and number of squares by their least heights.

    Widths that are too small for the emitter pieces are left out. ``on_count`` is called after each
    number of squares, which is one unit of work for the machines.

    >>> [entry] = build_atlas([21], [1], [3])
    >>> entry.by_height, entry.unprintable_count
    ((15,), 4)
    """
    all_heights = tuple(heights)
    sorted_widths = tuple(sorted(set(widths)))
    units = [(count, sorted_widths, all_heights) for count in emitted]
    counts = run_units(_count_rows, units, machines=machines, on_result=lambda _i, _r: on_count())
    entries = [
        AtlasEntry(width, unit[0], all_heights, by_height)
        for unit, counts_by_width in zip(units, counts, strict=True)
        for width, by_height in counts_by_width
    ]
    return sorted(entries, key=lambda entry: (entry.width, entry.emitted))


def _count_rows(
    unit: tuple[int, tuple[int, ...], tuple[int, ...]],
) -> list[tuple[int, tuple[int, ...]]]:
    """Count the position sets with each least height; return pairs (width, counts by height)."""
    count, widths, heights = unit
    emitter_dfa, height_dfa = build_emitters(count), build_least_height(heights)
    row_counts: dict[tuple[int, int], int] = {(0, 0): 1}
    counts_by_width = []
    for width in range(max(widths, default=0) + 1):
        if width in widths and width >= 3 * count:
            least_counts = dict.fromkeys(heights, 0)
            for (emitter_state, height_state), row_count in row_counts.items():
                if emitter_dfa.final[emitter_state] and height_dfa.final[height_state]:
                    least_counts[height_dfa.final[height_state]] += row_count
            counts_by_width.append((width, tuple(least_counts.values())))
        row_counts = _append_column(row_counts, emitter_dfa, height_dfa)
    return counts_by_width


def _append_column(
    row_counts: dict[tuple[int, int], int], emitter_dfa: Dfa, height_dfa: Dfa
) -> dict[tuple[int, int], int]:
    """Append a column to all rows; return the new number of rows in each pair of states."""
    new_counts: dict[tuple[int, int], int] = {}
    dead = len(emitter_dfa.table) - 1
    for (emitter_state, height_state), row_count in row_counts.items():
        for letter in (0, 1):
            key = (emitter_dfa.table[emitter_state][letter], height_dfa.table[height_state][letter])
            if key[0] != dead:
                new_counts[key] = new_counts.get(key, 0) + row_count
    return new_counts


def list_unprintable(
    width: int, emitted: int, heights: Iterable[int] = SHIPPED
) -> Iterator[tuple[int, ...]]:
    """Yield the position sets that none of the heights can print, in lexicographic order.

    >>> list(list_unprintable(21, 1, [3]))
    [(3,), (7,), (11,), (15,)]
    """
    height_dfa = build_least_height(tuple(heights))
    # unfinished[w]: pairs (number of pieces still to come, state) from which w more columns can
    # make an unprintable row.
    unfinished: list[set[tuple[int, int]]] = [
        {(0, state) for state, height in enumerate(height_dfa.final) if not height}
    ]
    states = range(len(height_dfa.table))
    for w in range(1, width + 1):
        unfinished.append(
            {
                (k, s)
                for k in range(emitted + 1)
                for s in states
                if (k, height_dfa.table[s][0]) in unfinished[w - 1]
                or (k and w >= 3 and (k - 1, height_dfa.run((1, 1, 1), s)) in unfinished[w - 3])
            }
        )

    def walk(x: int, pieces_left: int, state: int) -> Iterator[tuple[int, ...]]:
        """Yield the positions from column x on that make the row unprintable."""
        if (pieces_left, state) not in unfinished[width - x]:
            return
        if x == width:
            yield ()
            return
        if pieces_left and width - x >= 3:
            for rest in walk(x + 3, pieces_left - 1, height_dfa.run((1, 1, 1), state)):
                yield (x, *rest)
        yield from walk(x + 1, pieces_left, height_dfa.table[state][0])

    yield from walk(0, emitted, 0)


def format_table(entries: Iterable[AtlasEntry]) -> str:
    """Format the entries as a table in plain text."""
    entry_list = list(entries)
    if not entry_list:
        return ""
    heights = entry_list[0].heights
    header = ["width", "emitted", "rows", *(f"h={h}" for h in heights), "none", "divisible"]
    lines = [header]
    for e in entry_list:
        counts = [
            str(n) if h in e.divisible_heights else "-"
            for h, n in zip(heights, e.by_height, strict=True)
        ]
        fitting = ",".join(map(str, e.divisible_heights)) or "no height"
        lines.append(
            [str(e.width), str(e.emitted), str(e.total), *counts, str(e.unprintable_count), fitting]
        )
    cell_widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(word.rjust(size) for word, size in zip(line, cell_widths, strict=True))
        for line in lines
    )


def format_csv(entries: Iterable[AtlasEntry]) -> str:
    """Format the entries as CSV, with a header."""
    entry_list = list(entries)
    heights = entry_list[0].heights if entry_list else ()
    lines = [["width", "emitted", "rows", *(f"rows{h}" for h in heights), "without"]]
    lines += [
        [str(n) for n in (e.width, e.emitted, e.total, *e.by_height, e.unprintable_count)]
        for e in entry_list
    ]
    return "".join(",".join(line) + "\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Census:
    """The numbers of position sets, and of those that matrices of one size can print."""

    width: int
    emitted: int
    rows: int
    positions: int  # number of position sets
    printable: int  # number of position sets with a gap-free matrix of exactly ``rows`` rows

    @property
    def cells(self) -> int:
        """Number of matrix cells that the emitter pieces leave free."""
        return self.width * self.rows - 3 * self.emitted

    @property
    def is_divisible(self) -> bool:
        """Whether the number of free cells is a multiple of 4."""
        return self.cells >= 0 and self.cells % 4 == 0

    @property
    def reason(self) -> str:
        """Why some positions have no matrix; empty if all have one."""
        if self.printable == self.positions:
            return "" if self.positions else "the pieces do not fit side by side"
        if not self.is_divisible:
            allowed = [n for n in range(1, 5) if (self.width * n - 3 * self.emitted) % 4 == 0]
            return (
                f"divisibility: {self.width} x {self.rows} - {3 * self.emitted} = {self.cells} "
                "cells are left to fill, which is not a multiple of 4; "
                + (
                    f"it is with {', '.join(map(str, allowed))}, and so on in steps of 4 rows"
                    if allowed
                    else "no number of rows makes it one"
                )
            )
        return (
            f"the column automaton of {self.rows} rows, which covers all gap-free games, "
            "rejects them"
        )

    def list_printable(self) -> Iterator[tuple[int, ...]]:
        """Yield the position sets that have a matrix, each as the pieces' leftmost columns."""
        if not self.printable:
            return
        rows = build_least_height((self.rows,))
        for positions in list_emitter_positions(self.emitted, self.width):
            covered = {x + i for x in positions for i in range(3)}
            if rows.final[rows.run(int(x in covered) for x in range(self.width))]:
                yield positions

    def list_unprintable(self) -> Iterator[tuple[int, ...]]:
        """Yield the position sets that have no matrix."""
        if self.printable == 0:
            return list_emitter_positions(self.emitted, self.width)
        return list_unprintable(self.width, self.emitted, [self.rows])


def take_census(width: int, emitted: int, rows: int) -> Census:
    """Count the position sets of emitter pieces that have a matrix of ``rows`` rows.

    Raises an InputError if divisibility gives no answer and no automaton of that height exists.

    >>> census = take_census(21, 1, 3)
    >>> census.printable, census.positions, list(census.list_unprintable())
    (15, 19, [(3,), (7,), (11,), (15,)])
    >>> print(take_census(21, 1, 4).reason)  # doctest: +ELLIPSIS
    divisibility: 21 x 4 - 3 = 81 cells are left to fill, which is not a multiple of 4; it is ...
    """
    free = width - 2 * emitted
    positions = comb(free, emitted) if free >= emitted else 0
    census = Census(width, emitted, rows, positions, 0)
    if not census.is_divisible or not positions:
        return census
    if rows not in SHIPPED:
        raise InputError(
            f"{rows} rows is out of range; automata exist for {SHIPPED[0]} to {SHIPPED[-1]} rows; "
            "to search each set of positions instead: tetrisprinter patterns find "
            f"--emitted {emitted} --rows {rows} --width {width}"
        )
    (entry,) = build_atlas([width], [emitted], [rows])
    return Census(width, emitted, rows, positions, entry.by_height[0])


_CELL: Final = 14  # pixels from one square to the next
_LEFT: Final = 30  # left margin in pixels
_TOP: Final = 20  # top margin in pixels
_NO_HEIGHT: Final = (238, 238, 238)  # colour if divisibility excludes every height
_NOT_ALL: Final = (60, 60, 70)  # colour if some position sets need more rows
_OF_HEIGHT: Final = {  # colour by height
    1: (255, 255, 204),
    2: (199, 233, 180),
    3: (127, 205, 187),
    4: (65, 182, 196),
    5: (29, 145, 192),
    6: (34, 94, 168),
}


def draw_heatmap(entries: Sequence[AtlasEntry]) -> bytes:
    """Draw the atlas as a heat map (PNG).

    The colour of a square shows the height that suffices for every set of positions. Grey means
    that divisibility allows none of the heights; dark means that some positions need more rows. A
    dot has the colour of the least height that prints any set of positions, if that height differs.
    """
    from PIL import Image, ImageDraw

    widths = sorted({e.width for e in entries})
    emitted = sorted({e.emitted for e in entries})
    legend = 3 * _CELL
    size = (
        _LEFT + _CELL * max(len(widths), 30) + _CELL,
        _TOP + _CELL * (len(emitted) + 1) + legend,
    )
    image = Image.new("RGB", size, (255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.text((4, 4), "squares emitted (down) in rows of a width (across)", (0, 0, 0))
    for row, count in enumerate(emitted):
        draw.text((_LEFT - 14, _TOP + _CELL * row), str(count), (0, 0, 0))
    bottom = _TOP + _CELL * len(emitted)
    for column, width in enumerate(widths):
        if width % 5 == 0:
            draw.text((_LEFT + _CELL * column, bottom), str(width), (0, 0, 0))
    for e in entries:
        x = _LEFT + _CELL * widths.index(e.width)
        y = _TOP + _CELL * emitted.index(e.emitted)
        if not e.divisible_heights:
            color = _NO_HEIGHT
        elif e.sufficient_height is None:
            color = _NOT_ALL
        else:
            color = _OF_HEIGHT[e.sufficient_height]
        draw.rectangle((x, y, x + _CELL - 2, y + _CELL - 2), color)
        if e.least_height is not None and e.least_height != e.sufficient_height:
            draw.ellipse((x + 3, y + 3, x + _CELL - 5, y + _CELL - 5), _OF_HEIGHT[e.least_height])
    x, y = _LEFT, bottom + 2 * _CELL
    keys = [(f"{h}", c) for h, c in _OF_HEIGHT.items() if h in entries[0].heights]
    keys += [("more for some", _NOT_ALL), ("not divisible", _NO_HEIGHT)]
    draw.text((4, y), "rows:", (0, 0, 0))
    x += 10
    for name, color in keys:
        draw.rectangle((x, y, x + _CELL - 2, y + _CELL - 2), color)
        draw.text((x + _CELL + 2, y), name, (0, 0, 0))
        x += _CELL + 14 + 6 * len(name)
    stream = io.BytesIO()
    image.save(stream, "PNG", optimize=True)
    return stream.getvalue()
