import re
from itertools import product as words_of

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.brute_packing import Brute
from tests.support.automata import automata, make_row
from tetrisprinter.packings.automaton.atlas import (
    answer_emitters,
    build_printable,
    find_single_positions,
    find_widths,
)
from tetrisprinter.packings.automaton.automaton import (
    SHIPPED,
    Dfa,
    build_divisible,
    build_emitters,
    build_fillable,
    build_isolated,
    combine,
    load,
    minimise,
)
from tetrisprinter.packings.problem import list_emitter_positions


@given(automata())
def test_widths_are_the_lengths_of_words(dfa: Dfa) -> None:
    found = find_widths(dfa)
    reached = {0}
    for length in range(40):
        assert (length in found) == any(dfa.final[s] for s in reached)
        reached = {t for s in reached for t in dfa.table[s]}
    assert all(w < found.start for w in found.early)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_emitters_are_all_the_ways_to_set_pieces(count: int) -> None:
    dfa = build_emitters(count)
    for width in range(11):
        expected = set()
        for positions in list_emitter_positions(count, width) if width >= 2 * count else ():
            expected.add(tuple(make_row(width, positions)))
        assert {w for w in words_of((0, 1), repeat=width) if dfa.accepts(w)} == expected


@given(st.lists(st.integers(0, 1)), st.integers(1, 6))
def test_divisible(word: list[int], rows: int) -> None:
    assert build_divisible(rows).accepts(word) == ((len(word) * rows - sum(word)) % 4 == 0)


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_the_statement_about_single_squares_holds_where_it_can_be_tried(rows: int) -> None:
    stated = list(find_single_positions(rows))
    fine = 0
    for width in range(3, 10):
        brute = Brute(width, rows)
        for x in range(width - 2):
            start = tuple(int(x <= c < x + 3) for c in range(width))
            expected = brute.can_fill(start)
            fine += expected
            assert any(x in left and width - 3 - x in right for left, right in stated) == expected
    assert fine or rows != 3


def test_single_squares_under_three_rows() -> None:
    """Never with three columns, or four more, or ..., left of the piece; else always."""
    dfa = build_printable(3)
    for width in range(3, 200):
        for x in range(width - 2):
            word = [0] * x + [1, 1, 1] + [0] * (width - 3 - x)
            assert dfa.accepts(word) == (width % 4 == 1 and x % 4 != 3)


@pytest.mark.parametrize(("emitted", "rows"), [(2, 2), (2, 3), (4, 4), (1, 5)])
def test_answers_about_all_widths_at_small_ones(emitted: int, rows: int) -> None:
    answer = answer_emitters(emitted, rows)
    dfa = build_printable(rows)
    for width in range(3 * emitted, 26):
        every = list_emitter_positions(emitted, width)
        can = [dfa.accepts(make_row(width, positions)) for positions in every]
        allowed = (width * rows - 3 * emitted) % 4 == 0
        assert (width in answer.allowed) == allowed
        assert (width in answer.some) == any(can)
        assert (width in answer.all) == (allowed and all(can))
        if width < len(answer.failing[0]):
            assert not allowed or all(can)


@given(st.lists(st.sampled_from("...#o@")))
def test_isolated(row: list[str]) -> None:
    text = "".join(row)
    expected = "o" not in text and bool(
        re.fullmatch(r"\.*|\.\.+#(\.\.\.+#)*\.\.+", text.replace("@", "#"))
    )
    word = [".#o@".index(letter) for letter in row]
    assert build_isolated(4).accepts(word) == (expected and bool(row))
    if max(word, default=0) < 2:
        assert build_isolated(2).accepts(word) == build_isolated(4).accepts(word)


@pytest.mark.parametrize("rows", [rows for rows in SHIPPED if rows >= 4])
def test_from_four_rows_on_only_isolated_presets_cannot_be_printed(rows: int) -> None:
    dfa = load(rows).dfa
    expected = combine(
        [build_fillable(rows, dfa.letters), build_isolated(dfa.letters)],
        lambda said: int(said[0] > said[1]),
    )
    assert dfa == expected


@pytest.mark.parametrize(("width", "rows"), [(5, 5), (7, 4), (5, 6), (6, 5)])
def test_isolated_presets_cannot_be_printed(width: int, rows: int) -> None:
    """Over no squares, and over squares that only presets stand on."""
    alone = [w for w in words_of(range(4), repeat=width) if build_isolated(4).accepts(w)]
    for word in alone:
        squares = frozenset(x for x, letter in enumerate(word) if letter & 2)
        assert not Brute(width, rows, squares).can_fill(tuple(letter & 1 for letter in word))


def test_three_rows_print_all_emitter_rows_but_one_family() -> None:
    """However many pieces: they fail iff the outer gaps leave 3 and the inner ones 2 by 4."""
    pieces = Dfa(((0, 1), (3, 2), (3, 0), (3, 3)), (1, 0, 0, 0))
    some_piece = Dfa(((0, 1), (1, 1)), (0, 1))
    # 0 to 3: the left gap; 4, 5: in a piece; 6 to 9: the gap after one; 10: no such row.
    table = [(1, 10), (2, 10), (3, 10), (0, 4), (10, 5), (10, 6)]
    table += [(7, 10), (8, 10), (9, 4), (6, 10), (10, 10)]
    family = minimise(Dfa(tuple(table), tuple(int(state == 9) for state in range(11))))
    failing = combine(
        [pieces, some_piece, build_fillable(3), build_printable(3)],
        lambda said: int(all(said[:3]) and not said[3]),
    )
    assert failing == family


def gapped(before: str, after: str) -> Dfa:
    """Accept what begins and ends like this, with an even number of free columns between."""
    length = len(before + after)
    odd, dead = length + 1, length + 2
    table = [[dead, dead] for _ in range(dead + 1)]
    for state, letter in enumerate(before + after):
        table[state][".#".index(letter)] = state + 1
    table[len(before)][0], table[odd][0] = odd, len(before)
    return Dfa(tuple(map(tuple, table)), tuple(int(s == length) for s in range(dead + 1)))


def test_two_squares_under_two_rows_at_all_widths() -> None:
    """Only these: two at width 7, three at each odd width from 9, none at even widths."""
    family = [gapped("###", "###."), gapped(".###", "###"), gapped(".###.", "###.")]
    assert combine([build_emitters(2), build_printable(2)], all) == combine(family, any)
    assert gapped("###", "###.").accepts([1, 1, 1, 0, 0, 1, 1, 1, 0])
    assert not gapped("###", "###.").accepts([1, 1, 1, 0, 1, 1, 1, 0])
