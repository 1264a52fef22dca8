from itertools import product as words_of

from hypothesis import given

from tests.support.automata import automata
from tetrisprinter.packings.automaton.automaton import Dfa, combine, find_differences, minimise


def said(dfa: Dfa, length: int) -> dict[tuple[int, ...], int]:
    return {
        word: dfa.final[dfa.run(word)]
        for n in range(length + 1)
        for word in words_of(range(2), repeat=n)
    }


@given(automata())
def test_minimise_says_the_same_in_fewer_states(dfa: Dfa) -> None:
    small = minimise(dfa)
    assert said(small, 7) == said(dfa, 7)
    assert len(small.table) <= len(dfa.table)
    # No two states are equivalent: some word of length < size tells them apart.
    size = len(small.table)
    tails = [w for n in range(size) for w in words_of(range(2), repeat=n)]
    seen = {tuple(small.final[small.run(w, state)] for w in tails) for state in range(size)}
    assert len(seen) == size


@given(automata(), automata())
def test_equal_languages_become_equal(one: Dfa, other: Dfa) -> None:
    # Words shorter than the sum of the sizes distinguish any two languages.
    assert (minimise(one) == minimise(other)) == (said(one, 11) == said(other, 11))


@given(automata(), automata())
def test_difference(one: Dfa, other: Dfa) -> None:
    missing = [w for w, yes in said(one, 11).items() if yes and not other.accepts(w)]
    found = list(find_differences(one, other))
    assert all(one.accepts(word) and not other.accepts(word) for word in found)
    assert bool(found) == bool(missing)
    if missing:
        assert len(found[0]) == min(map(len, missing))


@given(automata(), automata())
def test_product(one: Dfa, other: Dfa) -> None:
    both = combine([one, other], lambda values: 3 * values[0] + values[1])
    left, right = said(one, 6), said(other, 6)
    assert said(both, 6) == {word: 3 * left[word] + right[word] for word in left}
