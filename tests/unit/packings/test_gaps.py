"""Heights are least among gap-free games; here is what games with holes can do."""

from itertools import pairwise, product

import pytest

from tests.oracles.brute_packing import Brute
from tests.oracles.gaps import BruteWithGaps, can_clear
from tests.support.automata import make_row
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS
from tetrisprinter.packings.automaton import load
from tetrisprinter.packings.finders import FINDERS
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem


def impossible(emitted: int, rows: int) -> list[list[int]]:
    """The rows of width 21 that a height that divides does not print without gaps."""
    dfa = load(rows).dfa
    found = [make_row(21, positions) for positions in list_emitter_positions(emitted, 21)]
    return [row for row in found if not dfa.accepts(row)]


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


GAIN = "T0 3 T0 8 L0 1 T2 4 L0 7 Z0 10 T1 12 I0 9 J3 0 L0 6 L0 2"  # orientation, column


def test_gaps_can_help() -> None:
    """Two squares at width 14: no 3 rows without gaps, but here is a game with two holes."""
    names = {f"{o.piece.name}{o.turns}": o for o in ORIENTATIONS}
    field = Playfield(14, 4)
    moves = GAIN.split()
    cleared, over_holes = [], 0
    for name, x in zip(moves[::2], map(int, moves[1::2]), strict=True):
        tops = field.tops
        landing = field.drop(names[name], x)
        cleared.append(len(landing.cleared))
        if len(cleared) in (3, 4):  # the L and the T that cover row 0 beside the presets
            lows = [landing.y + low for low in landing.orientation.bottom]
            over_holes += any(tops[x + i] == 0 and low == 2 for i, low in enumerate(lows))
    assert over_holes == 2
    assert cleared == [0] * 8 + [1, 0, 2]  # the middle row vanishes first
    assert str(field).split() == ["." * 14] * 3 + ["....T....T...."]
    row = make_row(14, (3, 8))
    assert not load(3).dfa.accepts(row)
    assert not isinstance(FINDERS["automaton"].find(make_emitter_problem(14, 3, (3, 8))), Packing)
    assert can_clear(row, [], 3)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "widest", "count", "gains"), [(2, 13, 59, 0), (3, 18, 10, 3)])
def test_which_emitter_rows_gain_by_gaps(rows: int, widest: int, count: int, gains: int) -> None:
    """With 3 rows those in which exactly two columns are somewhere between emitter pieces."""
    dfa = load(rows).dfa
    tried = gained = 0
    for width in range(3, widest + 1):
        for emitted in range(1, width // 3 + 1):
            if (width * rows - 3 * emitted) % 4:
                continue
            for positions in list_emitter_positions(emitted, width):
                row = make_row(width, positions)
                if all(row) or dfa.accepts(row):
                    continue
                tried += 1
                gain = rows == 3 and any(b - a == 5 for a, b in pairwise(positions))
                gained += gain
                assert can_clear(row, [], rows) == gain, row
                if not dfa.accepts([3 * preset for preset in row]):  # over squares
                    beside = [x for x in range(width) if row[x]]
                    assert can_clear(row, beside, rows) == gain
    assert (tried, gained) == (count, gains)
