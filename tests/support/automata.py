"""Small random automata, the language of a core, and rows of presets."""

from collections.abc import Iterable

from hypothesis import strategies as st

from tetrisprinter.packings.automaton import ColumnAutomaton, Dfa, minimise


@st.composite
def automata(draw: st.DrawFn, letters: int = 2) -> Dfa:
    """Draw deterministic automata of up to six states."""
    size = draw(st.integers(1, 6))
    state = st.integers(0, size - 1)
    table = draw(st.lists(st.tuples(*[state] * letters), min_size=size, max_size=size))
    final = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return Dfa(tuple(table), tuple(final))


def build_core_language(automaton: ColumnAutomaton) -> Dfa:
    """Return the minimal automaton of the words of a core, by plain subset construction."""
    targets: dict[tuple[int, int], set[int]] = {}
    for t in automaton.core:
        targets.setdefault((t.source, t.letter), set()).add(t.target)
    states = [frozenset([0])]
    names = {states[0]: 0}
    table = []
    for state in states:
        row = []
        for letter in range(automaton.dfa.letters):
            target = frozenset().union(*(targets.get((s, letter), set()) for s in state))
            if target not in names:
                names[target] = len(states)
                states.append(target)
            row.append(names[target])
        table.append(tuple(row))
    return minimise(Dfa(tuple(table), tuple(int(1 in state) for state in states)))


def make_row(width: int, positions: Iterable[int]) -> list[int]:
    """Return the word of a row with the presets of emitter pieces at some columns."""
    row = [0] * width
    for x in positions:
        row[x : x + 3] = [1, 1, 1]
    return row
