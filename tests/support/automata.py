"""Any small automaton."""

from __future__ import annotations

from hypothesis import strategies as st

from tetrisprinter.packings.automaton.dfa import Dfa

__all__ = ["automata"]


@st.composite
def automata(draw: st.DrawFn, letters: int = 2) -> Dfa:
    size = draw(st.integers(1, 6))
    state = st.integers(0, size - 1)
    table = draw(st.lists(st.tuples(*[state] * letters), min_size=size, max_size=size))
    final = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return Dfa(tuple(table), tuple(final))
