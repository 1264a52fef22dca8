"""Automata are built from the placement model, and what is shipped is what they are."""

import pytest

from tests.support.automata import spelled
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.automaton import dfa
from tetrisprinter.packings.automaton.automaton import (
    SHIPPED,
    Sizes,
    format_file_name,
    load,
    read,
)
from tetrisprinter.packings.automaton.build import build
from tetrisprinter.packings.automaton.columns import ColumnMoves, encode_complete
from tetrisprinter.packings.automaton.graph import determinise, explore, merge_bisimilar, trim


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(2, (41, 23, 18, 14)), (3, (676, 390, 209, 96)), (4, (13_933, 7_736, 3_137, 25))],
)
def test_sizes_without_squares(rows: int, expected: tuple[int, ...]) -> None:
    codes, graph = explore(rows, squares=False)
    reachable = graph.states
    _, trimmed = trim(codes, graph)
    _, classes = merge_bisimilar(trimmed)
    minimal = dfa.minimise(determinise(classes))
    sizes = (reachable, trimmed.states, classes.states, len(minimal.table))
    assert sizes == expected
    # Built without letters for squares, or with them and then restricted: one language.
    assert minimal == load(rows).dfa.restrict_letters(2)


@pytest.mark.parametrize("rows", [1, 2])
def test_shipped_automata_are_what_build_writes(rows: int) -> None:
    assert build(rows, squares=True).to_text() == load(rows).to_text()


@pytest.mark.parametrize("rows", SHIPPED)
def test_the_core_spells_the_whole_language(rows: int) -> None:
    automaton = load(rows)
    assert automaton.sizes.minimal == len(automaton.dfa.table)
    assert spelled(automaton) == automaton.dfa == dfa.minimise(automaton.dfa)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_what_fills_a_column_of_the_core_fills_it(rows: int) -> None:
    """From state 0 on, every transition is one of the ways to fill a column."""
    automaton = load(rows)
    columns = ColumnMoves.build(rows, squares=automaton.squares)
    codes = {0: {0}, 1: {encode_complete(rows)}}
    changed = True
    while changed:
        changed = False
        for t in automaton.core:
            for code in list(codes.get(t.source, ())):
                after = {
                    a
                    for a, trail in columns.list_fillings(code, t.letter)
                    if columns.decode_trail(trail) == t.pieces
                }
                assert after
                if not after <= codes.setdefault(t.target, set()):
                    codes[t.target] |= after
                    changed = True
    assert all(len(meaning) == 1 for meaning in codes.values())


@pytest.mark.parametrize(("rows", "squares"), [(0, False), (7, False), (6, True)])
def test_heights_that_do_not_fit(rows: int, squares: bool) -> None:
    with pytest.raises(InputError, match="expected 1 to 6"):
        explore(rows, squares=squares)


def test_giving_up_at_a_limit() -> None:
    with pytest.raises(JobError, match="more than 100 states"):
        explore(3, squares=False, limit=100)


def test_one_row_without_squares_prints_nothing() -> None:
    with pytest.raises(JobError, match="no matrix"):
        build(1, squares=False)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[1]",
        '{"format": 1}',
        '{"format": 2, "rows": 2}',
        load(2).to_text().replace('"format": 2', '"format": 1'),
        load(2).to_text().replace("S0 0 1", "S7 0 1"),
        load(2).to_text().replace('"S0 0 1"', "1"),
    ],
)
def test_files_that_are_no_automata(text: str) -> None:
    with pytest.raises(InputError, match="here: not an automaton"):
        read(text, "here")


def test_an_empty_file_is_no_automaton() -> None:
    with pytest.raises(InputError, match="here:1: invalid JSON"):
        read("", "here")


def test_text_and_back() -> None:
    automaton = load(2)
    again = read(automaton.to_text(), format_file_name(2))
    assert (again.dfa, again.core, again.sizes) == (automaton.dfa, automaton.core, automaton.sizes)
    assert again.sizes == Sizes(455, 428, 202, 32)
