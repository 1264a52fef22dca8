"""Questions about all widths at once: the atlas of least heights, the census, and sets of widths.

Such a question is a set of words: rows with some emitter pieces, rows that divisibility allows, or
rows that a matrix of some height can print. All these sets are regular, so differences, smallest
counterexamples and sets of widths are computed exactly from the minimal automata. A set of widths
is a regular language of unary words, which is eventually periodic (Parikh 1966).

The *atlas* has the least matrix heights for every width and number of emitted squares. Counting
enumerates nothing: the automaton of least heights runs on all rows at once, column by column, with
the exact number of rows in each state (transfer-matrix method). Listing walks through the same
automaton, only through states that lead to unprintable rows.

The *census* of one width and height is an entry with this height only: it says which sets of
emitter positions have a matrix. :func:`explain_unprintable` says why others do not. Divisibility
comes first, because it excludes most cases and is easy to check. All matrices are gap-free.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import comb
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import can_make_pieces
from tetrisprinter.packings.automaton import (
    SHIPPED,
    SQUARE,
    Dfa,
    Word,
    build_divisible,
    build_emitters,
    combine,
    find_differences,
    load,
    minimise,
    number_states,
)
from tetrisprinter.packings.problem import list_emitter_positions
from tetrisprinter.support.executors import HERE, Machines, run_units


@dataclass(frozen=True, slots=True)
class PeriodicSet:
    """An eventually periodic set of numbers.

    >>> print(PeriodicSet((3,), 6, 4, (1, 2)))
    3 and every number from 6 with remainder 1 or 2 modulo 4
    >>> 10 in PeriodicSet((3,), 6, 4, (1, 2)), 5 in PeriodicSet((3,), 6, 4, (1, 2))
    (True, False)
    """

    early: tuple[int, ...]  # members below ``start``
    start: int  # from here on, membership repeats with this period
    period: int
    residues: tuple[int, ...]  # remainders modulo ``period`` of the members from ``start`` on

    def __contains__(self, number: int) -> bool:
        if number < self.start:
            return number in self.early
        return number % self.period in self.residues

    def __str__(self) -> str:
        parts = [", ".join(map(str, self.early))] if self.early else []
        if self.residues:
            first = next(n for n in range(self.start, self.start + self.period) if n in self)
            if self.period == 1:
                parts.append(f"every number from {first}")
            else:
                remainders = " or ".join(map(str, self.residues))
                parts.append(
                    f"every number from {first} with remainder {remainders} modulo {self.period}"
                )
        return " and ".join(parts) or "none"

    def to_data(self) -> dict[str, object]:
        """Return the set as plain data."""
        return {
            "early": list(self.early),
            "start": self.start,
            "period": self.period,
            "residues": list(self.residues),
        }


def find_widths(dfa: Dfa) -> PeriodicSet:
    """Return the widths that an automaton accepts: the lengths of its words.

    >>> find_widths(build_emitters(2))
    PeriodicSet(early=(), start=6, period=1, residues=(0,))
    """
    targets = [frozenset(row) for row in dfa.table]
    current = frozenset([0])
    seen: dict[frozenset[int], int] = {}
    is_member: list[bool] = []
    while current not in seen:
        seen[current] = len(is_member)
        is_member.append(any(dfa.final[state] for state in current))
        current = frozenset().union(*(targets[state] for state in current))
    start = seen[current]
    cycle = is_member[start:]
    period = next(
        p
        for p in range(1, len(cycle) + 1)
        if len(cycle) % p == 0 and cycle == cycle[:p] * (len(cycle) // p)
    )
    # Sets of states repeat later than the widths do, if different sets accept.
    while start and is_member[start - 1] == is_member[start - 1 + period]:
        start -= 1
    repeating = range(start, start + period)
    return PeriodicSet(
        tuple(w for w in range(start) if is_member[w]),
        start,
        period,
        tuple(sorted(w % period for w in repeating if is_member[w])),
    )


@cache
def build_printable(rows: int) -> Dfa:
    """Return the automaton of the rows over no squares that a matrix of ``rows`` rows can print.

    For one row this includes the rows that the presets fill: no piece has to be added.
    """
    dfa = load(rows).dfa
    # The letters below SQUARE are those of columns over no square.
    dfa = minimise(Dfa(tuple(row[:SQUARE] for row in dfa.table), dfa.final))
    if rows > 1:
        return dfa
    full = Dfa(((2, 1), (2, 1), (2, 2)), (0, 1, 0))
    return combine([dfa, full], any)


@cache
def build_least_height(heights: tuple[int, ...] = tuple(SHIPPED)) -> Dfa:
    """Return the automaton that outputs the least of the heights that prints a row; 0 if none."""
    return combine(
        [build_printable(rows) for rows in heights],
        lambda outputs: next((rows for rows, yes in zip(heights, outputs, strict=True) if yes), 0),
    )


def find_emitter_widths(emitted: int, rows: int) -> dict[str, PeriodicSet]:
    """Return the widths at which matrices of a height print some number of squares.

    They are, by name: the widths that divisibility allows (``allowed``), and of these the widths at
    which some and all sets of positions can be printed (``some``, ``all``).

    >>> print(find_emitter_widths(1, 4)["allowed"])
    none
    """
    allowed, printable = _build_emitter_rows(emitted, rows)
    unprintable = combine([allowed, printable], lambda outputs: int(outputs[0] > outputs[1]))
    # The widths at which divisibility allows a row, and none of the allowed rows is unprintable
    lengths = [_forget_letters(allowed), _forget_letters(unprintable)]
    always_printable = combine(lengths, lambda outputs: int(outputs[0] > outputs[1]))
    return {
        "allowed": find_widths(allowed),
        "some": find_widths(printable),
        "all": find_widths(always_printable),
    }


def find_counterexamples(emitted: int, rows: int) -> list[Word]:
    """Return the smallest rows that divisibility allows and no matrix prints, at most four."""
    return list(islice(find_differences(*_build_emitter_rows(emitted, rows)), 4))


def _build_emitter_rows(emitted: int, rows: int) -> tuple[Dfa, Dfa]:
    """Return the automata of the emitter rows that divisibility allows, and of the printable."""
    allowed = combine([build_emitters(emitted), build_divisible(rows)], all)
    return allowed, combine([allowed, build_printable(rows)], all)


def _forget_letters(dfa: Dfa) -> Dfa:
    """Return the automaton, over a single letter, of the lengths of the words."""
    states, table = number_states(
        frozenset([0]), 1, lambda state, _: frozenset(t for s in state for t in dfa.table[s])
    )
    return minimise(Dfa(table, tuple(int(any(dfa.final[s] for s in state)) for state in states)))


def find_single_positions(rows: int) -> Iterator[tuple[PeriodicSet, PeriodicSet]]:
    """Yield where a single square can be printed, for all widths at once.

    Each pair holds numbers of columns to the left and to the right of the emitter piece; every
    number of one set works with every number of the other. No other position works.
    """
    dfa = build_printable(rows)
    states_before, left_start = _follow_free_columns(dfa, 0)
    lefts_by_rights: dict[PeriodicSet, set[int]] = {}
    for left_count, state in enumerate(states_before):
        states_after, right_start = _follow_free_columns(dfa, dfa.run((1, 1, 1), state))
        rights = _find_counts([bool(dfa.final[s]) for s in states_after], right_start)
        lefts_by_rights.setdefault(rights, set()).add(left_count)
    for rights, lefts in lefts_by_rights.items():
        if rights.early or rights.residues:
            holds = [left_count in lefts for left_count in range(len(states_before))]
            yield _find_counts(holds, left_start), rights


def _follow_free_columns(dfa: Dfa, state: int) -> tuple[list[int], int]:
    """Return the states after 0, 1, 2, ... free columns, and where they begin to repeat."""
    seen: dict[int, int] = {}
    while state not in seen:
        seen[state] = len(seen)
        state = dfa.table[state][0]
    return list(seen), seen[state]


def _find_counts(holds: Sequence[bool], start: int) -> PeriodicSet:
    """Return the numbers ``n`` with ``holds[n]``; the list continues again at ``start``."""
    table = tuple((next_count,) for next_count in (*range(1, len(holds)), start))
    return find_widths(Dfa(table, tuple(map(int, holds))))


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
        return comb(max(0, self.width - 2 * self.emitted), self.emitted)

    @property
    def printable_count(self) -> int:
        """Number of position sets that some of the heights can print."""
        return sum(self.by_height)

    @property
    def unprintable_count(self) -> int:
        """Number of position sets that none of the heights can print."""
        return self.total - self.printable_count

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

    def list_printable(self) -> Iterator[tuple[int, ...]]:
        """Yield the position sets that a height can print, each as the pieces' leftmost columns."""
        if not self.printable_count:
            return
        rows = build_least_height(self.heights)
        for positions in list_emitter_positions(self.emitted, self.width):
            covered = {x + i for x in positions for i in range(3)}
            if rows.accepts(int(x in covered) for x in range(self.width)):
                yield positions

    def list_unprintable(self) -> Iterator[tuple[int, ...]]:
        """Yield the position sets that none of the heights can print, in lexicographic order.

        >>> [entry] = build_atlas([21], [1], [3])
        >>> list(entry.list_unprintable())
        [(3,), (7,), (11,), (15,)]
        """
        if not self.printable_count:
            yield from list_emitter_positions(self.emitted, self.width)
            return
        width, emitted = self.width, self.emitted
        height_dfa = build_least_height(self.heights)
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
            if key[0] != dead:  # such a row can no longer end with whole emitter pieces
                new_counts[key] = new_counts.get(key, 0) + row_count
    return new_counts


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


def take_census(width: int, emitted: int, rows: int) -> AtlasEntry:
    """Count the position sets of emitter pieces that have a matrix of ``rows`` rows.

    Raises an InputError if divisibility gives no answer and no automaton of that height exists.

    >>> census = take_census(21, 1, 3)
    >>> census.printable_count, census.total, list(census.list_unprintable())
    (15, 19, [(3,), (7,), (11,), (15,)])
    """
    census = AtlasEntry(width, emitted, (rows,), (0,))
    if not census.divisible_heights or not census.total:
        return census
    if rows not in SHIPPED:
        raise InputError(
            f"{rows} rows is out of range; automata exist for {SHIPPED[0]} to {SHIPPED[-1]} rows; "
            "to search each set of positions instead: tetrisprinter patterns find "
            f"--emitted {emitted} --rows {rows} --width {width}"
        )
    (entry,) = build_atlas([width], [emitted], [rows])
    return entry


def explain_unprintable(width: int, emitted: int, rows: int) -> str:
    """Return why a matrix of ``rows`` rows cannot print some sets of positions.

    >>> print(explain_unprintable(21, 1, 4))  # doctest: +ELLIPSIS
    divisibility: 21 x 4 - 3 = 81 cells are left to fill, which is not a multiple of 4; it is ...
    """
    if 3 * emitted > width:
        return "the pieces do not fit side by side"
    cells = width * rows - 3 * emitted
    if can_make_pieces(cells):
        return f"the column automaton of {rows} rows, which covers all gap-free games, rejects them"
    allowed = [n for n in range(1, 5) if (width * n - 3 * emitted) % 4 == 0]
    return (
        f"divisibility: {width} x {rows} - {3 * emitted} = {cells} cells are left to fill, which "
        "is not a multiple of 4; "
        + (
            f"it is with {', '.join(map(str, allowed))}, and so on in steps of 4 rows"
            if allowed
            else "no number of rows makes it one"
        )
    )


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
