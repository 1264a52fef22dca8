"""Automata are built from the placement model, and what is shipped is what they are."""

import pytest

from tests.support.automata import build_core_language
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.automaton.automaton import (
    SHIPPED,
    format_file_name,
    load,
    minimise,
    read,
)
from tetrisprinter.packings.automaton.build import build, explore


@pytest.mark.parametrize("rows", SHIPPED)
def test_the_core_spells_the_whole_language(rows: int) -> None:
    automaton = load(rows)
    assert build_core_language(automaton) == automaton.dfa == minimise(automaton.dfa)


@pytest.mark.parametrize(("rows", "squares"), [(0, False), (7, False), (6, True)])
def test_heights_that_do_not_fit(rows: int, squares: bool) -> None:
    with pytest.raises(InputError, match="expected 1 to 6"):
        explore(rows, squares=squares)


def test_giving_up_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrisprinter.packings.automaton.build._MAX_STATES", 100)
    with pytest.raises(JobError, match="more than 100 states"):
        explore(3, squares=False)


def test_one_row_without_squares_prints_nothing() -> None:
    with pytest.raises(JobError, match="no matrix"):
        build(1, squares=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "here:1: invalid JSON"),
        *(
            (text, "here: not an automaton")
            for text in (
                "{}",
                "[1]",
                '{"format": 1}',
                '{"format": 2, "rows": 2}',
                load(2).to_text().replace('"format": 2', '"format": 1'),
                load(2).to_text().replace("S0 0 1", "S7 0 1"),
                load(2).to_text().replace('"S0 0 1"', "1"),
            )
        ),
    ],
)
def test_files_that_are_no_automata(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text, "here")


def test_text_and_back() -> None:
    automaton = load(2)
    again = read(automaton.to_text(), format_file_name(2))
    assert (again.dfa, again.core) == (automaton.dfa, automaton.core)
    assert (again.reachable, again.trim, again.classes) == (455, 428, 202)
