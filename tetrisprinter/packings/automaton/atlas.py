"""The atlas: the least matrix heights for every width and number of emitted squares.

All matrices are gap-free. Counting enumerates nothing: the automaton of least heights runs on all
rows at once, column by column, with the exact number of rows in each state (transfer-matrix
method). Listing walks through the same automaton, only through states that lead to unprintable
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import comb

from tetrisprinter.game.divisibility import can_make_pieces
from tetrisprinter.packings.automaton.automaton import SHIPPED
from tetrisprinter.packings.automaton.dfa import Dfa
from tetrisprinter.packings.automaton.languages import build_emitters
from tetrisprinter.packings.automaton.query import build_least_height
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
