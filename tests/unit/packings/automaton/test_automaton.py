"""Automata: minimal, of the right language, built from the placement model."""

import random
from dataclasses import replace
from itertools import product as words_of

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.brute_packing import Brute
from tests.support.automata import automata, build_core_language
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import ORIENTATIONS
from tetrisprinter.packings.automaton import (
    SHIPPED,
    Dfa,
    find_differences,
    format_file_name,
    load,
    minimise,
    read,
)
from tetrisprinter.packings.automaton.build import build, explore
from tetrisprinter.packings.finders import AUTOMATON, FASTEST, SAT
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Unknown,
    list_platform_problems,
    make_emitter_problem,
)


def list_verdicts(dfa: Dfa, length: int) -> dict[tuple[int, ...], int]:
    """Return whether each word of up to ``length`` letters is accepted, short words first."""
    states: dict[tuple[int, ...], int] = {(): 0}
    for word, state in ((w, states[w]) for n in range(length) for w in words_of((0, 1), repeat=n)):
        states |= {(*word, letter): dfa.table[state][letter] for letter in (0, 1)}
    return {word: dfa.final[state] for word, state in states.items()}


@given(automata())
def test_minimise_says_the_same_in_fewer_states(dfa: Dfa) -> None:
    small = minimise(dfa)
    assert list_verdicts(small, 7) == list_verdicts(dfa, 7)
    assert len(small.table) <= len(dfa.table)
    # No two states are equivalent: some word of length < size tells them apart.
    size = len(small.table)
    tails = [w for n in range(size) for w in words_of(range(2), repeat=n)]
    seen = {tuple(small.final[small.run(w, state)] for w in tails) for state in range(size)}
    assert len(seen) == size


@given(automata(), automata())
def test_equal_languages_become_equal(one: Dfa, other: Dfa) -> None:
    # Words shorter than the sum of the sizes distinguish any two languages.
    assert (minimise(one) == minimise(other)) == (
        list_verdicts(one, 11) == list_verdicts(other, 11)
    )


@given(automata(), automata())
def test_difference(one: Dfa, other: Dfa) -> None:
    others = list_verdicts(other, 11)
    missing = [w for w, yes in list_verdicts(one, 11).items() if yes and not others[w]]
    found = list(find_differences(one, other))
    assert all(one.accepts(word) and not other.accepts(word) for word in found)
    assert bool(found) == bool(missing)
    if missing:
        assert len(found[0]) == min(map(len, missing))


def problem_of(row: tuple[int, ...], rows: int, squares: frozenset[int]) -> PackingProblem:
    presets = tuple(((x, 0),) for x, filled in enumerate(row) if filled)
    return PackingProblem(len(row), rows, presets, squares)


def assert_says(expected: bool, problem: PackingProblem) -> None:
    result = AUTOMATON.find(problem)
    if isinstance(result, Packing):
        assert expected
        assert result.problem == problem
        result.check()
    else:
        assert not expected
        assert isinstance(result, Infeasible)


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (w, h)
        for h, widest in ((1, 8), (2, 8), (3, 7), (4, 6), (5, 5), (6, 5))
        for w in range(1, widest + 1)
    ],
)
def test_every_row_over_every_row_of_squares(width: int, rows: int) -> None:
    """Of wide or tall matrices only over no squares."""
    with_squares = rows <= 5 and width <= (5 if rows < 5 else 4)
    for under in range(1 << width if with_squares else 1):
        squares = frozenset(x for x in range(width) if under >> x & 1)
        brute = Brute(width, rows, squares)
        for bits in range(1 << width):
            row = tuple(bits >> x & 1 for x in range(width))
            if not all(row) or rows == 1:
                assert_says(brute.can_fill(row), problem_of(row, rows, squares))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), width=st.integers(8, 16), rows=st.integers(1, 4))
def test_agrees_with_sat(data: st.DataObject, width: int, rows: int) -> None:
    row = tuple(data.draw(st.lists(st.integers(0, 1), min_size=width, max_size=width)))
    row = (0, *row[1:])
    squares = data.draw(st.frozensets(st.integers(0, width - 1)))
    problem = problem_of(row, rows, squares)
    assert_says(isinstance(SAT.find(problem), Packing), problem)


def accepted_word(dfa: Dfa, width: int, seed: int) -> list[int]:
    """A random word of the language, by a walk that never leaves what can be completed."""
    alive = [{state for state, final in enumerate(dfa.final) if final}]
    for _ in range(width):
        alive.append({s for s, row in enumerate(dfa.table) if alive[-1] & set(row)})
    assert 0 in alive[width]
    choose = random.Random(seed).choice
    word: list[int] = []
    state = 0
    for left in reversed(range(width)):
        letters = [a for a, t in enumerate(dfa.table[state]) if t in alive[left]]
        word.append(choose(letters))
        state = dfa.table[state][word[-1]]
    return word


@pytest.mark.parametrize("rows", SHIPPED)
@pytest.mark.parametrize("width", [97, 1000])
def test_wide_rows_of_the_language_have_packings(width: int, rows: int) -> None:
    dfa = load(rows).dfa
    for seed in range(3):
        word = accepted_word(dfa, width, seed)
        assert_says(
            True,
            problem_of(
                tuple(letter & 1 for letter in word),
                rows,
                frozenset(x for x, letter in enumerate(word) if letter & 2),
            ),
        )


def test_what_is_no_problem_for_an_automaton() -> None:
    tall = PackingProblem(6, 3, (((1, 0), (1, 1), (2, 0)), ((4, 0), (5, 0), (3, 0))))
    fewer = replace(make_emitter_problem(9, 3, [0]), orientations=ORIENTATIONS[1:])
    problems = [
        (tall, "row 0 only"),
        (fewer, "all orientations"),
        (make_emitter_problem(13, 12, [0, 3, 6, 9]), "no automaton of 12 rows"),
        (list_platform_problems(21, 2)[0], "last"),
    ]
    for problem, reason in problems:
        result = AUTOMATON.find(problem)
        assert isinstance(result, Unknown)
        assert reason in result.reason


def test_squares_at_a_height_whose_automaton_knows_none() -> None:
    """They can only help: a packing without them counts, the opposite is not known."""
    rows = next(h for h in SHIPPED if not load(h).squares)
    for width in range(4, 9):
        for bits in range(1, (1 << width) - 1):
            row = tuple(bits >> x & 1 for x in range(width))
            problem = problem_of(row, rows, frozenset({0}))
            bare = AUTOMATON.find(problem_of(row, rows, frozenset()))
            result = AUTOMATON.find(problem)
            assert isinstance(result, Packing) == isinstance(bare, Packing)
            if not problem.is_divisible:
                assert isinstance(result, Infeasible)
            elif not isinstance(result, Packing):
                assert isinstance(result, Unknown)


def test_fastest_searches_where_no_automaton_knows() -> None:
    problem = make_emitter_problem(9, 7, [3])
    result = FASTEST.find(problem)
    assert isinstance(result, Packing)
    assert result.problem == problem
    assert isinstance(FASTEST.find(make_emitter_problem(9, 3, [3])), Infeasible)


# ---- They are built from the placement model, and what is shipped is what they are.
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
