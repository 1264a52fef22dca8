"""Minimal heights are those of gap-free games; that holes do not help is checked here."""

from __future__ import annotations

from itertools import product

import pytest
from pysat.solvers import Solver

from tests.oracles.brute_packing import Brute
from tests.oracles.gaps import BruteWithGaps, can_clear, clauses, orders
from tetrisprinter.automaton.automaton import load
from tetrisprinter.patterns import emitter_positions


def row_of(width: int, positions: tuple[int, ...]) -> list[int]:
    row = [0] * width
    for x in positions:
        row[x : x + 3] = [1, 1, 1]
    return row


def impossible(emitted: int, rows: int) -> list[list[int]]:
    """The rows of width 21 that a height that divides does not print without gaps."""
    dfa = load(rows).dfa
    found = [row_of(21, positions) for positions in emitter_positions(emitted, 21)]
    return [row for row in found if not dfa.accepts(row)]


def test_orders_in_which_rows_vanish() -> None:
    assert [len(list(orders(range(rows)))) for rows in range(1, 5)] == [1, 3, 13, 75]


@pytest.mark.parametrize(("rows", "widest"), [(1, 5), (2, 4), (3, 4)])
def test_with_gaps_brute_force_and_sat_agree_and_nothing_more_is_possible(
    rows: int, widest: int
) -> None:
    possible = 0
    for width in range(1, widest + 1):
        for below in product((0, 1), repeat=width):
            squares = frozenset(x for x in range(width) if below[x])
            with_gaps, without = BruteWithGaps(width, squares), Brute(width, rows, squares)
            for presets in product((0, 1), repeat=width):
                if all(presets) or (width * rows - sum(presets)) % 4:
                    continue
                field = (sum(1 << x for x in range(width) if presets[x]), *[0] * (rows - 1))
                answer = with_gaps.can_clear(field)
                assert can_clear(presets, squares, rows) == answer
                assert without.can_fill(presets) == answer
                possible += answer
    assert possible > 5


def test_gaps_are_really_allowed() -> None:
    """Two I over holes of row 0, then the row above vanishes, and an I hangs on a square."""
    brute = BruteWithGaps(8, frozenset({3}))
    start = (0b11000011, 0)
    over_holes = (0b11000011, 0b00001111)
    assert over_holes in brute.drops(start)
    assert (0b11000011,) in brute.drops(over_holes)
    assert () in brute.drops((0b11000011,))
    presets = (1, 1, 0, 0, 0, 0, 1, 1)
    for squares, expected in ((), False), ((3,), True):
        with Solver("cadical153", bootstrap_with=clauses(presets, squares, 2, ((1,), (0,)))) as s:
            assert s.solve() == expected


@pytest.mark.parametrize("beside", [False, True])
def test_one_square_needs_seven_rows_at_four_columns_with_gaps_too(beside: bool) -> None:
    """Also if pieces may hang on all three squares below the emitter piece."""
    rows = impossible(1, 3)
    assert [row.index(1) for row in rows] == [3, 7, 11, 15]
    for row in rows:
        assert not can_clear(row, [x for x in range(21) if row[x]] if beside else [], 3)
    assert can_clear(row_of(21, (4,)), [], 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("emitted", "rows", "count"), [(1, 3, 4), (2, 2, 133), (3, 1, 455), (6, 2, 49)]
)
def test_no_smaller_height_at_width_21_with_gaps(emitted: int, rows: int, count: int) -> None:
    listed = impossible(emitted, rows)
    assert len(listed) == count
    for row in listed:
        assert not can_clear(row, [], rows)
        assert not can_clear(row, [x for x in range(21) if row[x]], rows)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "widest", "count"), [(2, 19, 533), (3, 33, 126)])
def test_no_emitter_row_gains_by_gaps(rows: int, widest: int, count: int) -> None:
    """All that divisibility allows and gap-free games do not print, nothing below row 0."""
    dfa = load(rows).dfa
    tried = 0
    for width in range(3, widest + 1):
        for emitted in range(1, width // 3 + 1):
            if (width * rows - 3 * emitted) % 4:
                continue
            for positions in emitter_positions(emitted, width):
                row = row_of(width, positions)
                if not all(row) and not dfa.accepts(row):
                    assert not can_clear(row, [], rows), row
                    tried += 1
    assert tried == count
