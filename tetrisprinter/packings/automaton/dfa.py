"""Deterministic automata, and languages of rows as minimal automata.

Minimisation, products and differences of languages. Plain tuples suffice, because the minimal
automata are small: the rows that four rows of matrix can print, at every width, need 25 states.

A word is a row of columns. The **letter** of a column says how it is before any piece drops:
:data:`PRESET` if its bottom cell is filled, plus :data:`SQUARE` if it stands on a square of row -1.
Automata of two letters describe rows over no squares.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

PRESET: Final = 1
SQUARE: Final = 2

Word = tuple[int, ...]
State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Dfa:
    """A complete deterministic automaton; its states are numbers, and state 0 is the initial one.

    >>> even = Dfa(((1,), (0,)), (1, 0))
    >>> even.accepts([0, 0]), even.accepts([0])
    (True, False)
    """

    table: tuple[tuple[int, ...], ...]  # for each state and letter the next state
    # The output of each state at the end of a word: 0 rejects, anything else accepts
    final: tuple[int, ...]

    @property
    def letters(self) -> int:
        """Number of letters."""
        return len(self.table[0])

    def run(self, word: Iterable[int], state: int = 0) -> int:
        """Return the state that a word leads to from ``state``."""
        table = self.table
        for letter in word:
            state = table[state][letter]
        return state

    def accepts(self, word: Iterable[int]) -> bool:
        """Return whether a word is in the language."""
        return bool(self.final[self.run(word)])

    def restrict_letters(self, letters: int) -> Dfa:
        """Return the minimal automaton of the words that use only the first ``letters`` letters."""
        return minimise(Dfa(tuple(row[:letters] for row in self.table), self.final))


def minimise(dfa: Dfa) -> Dfa:
    """Drop unreachable states and merge equivalent ones (Moore 1956).

    A breadth-first search numbers the states, so two automata of the same language become equal.
    """
    reached, _ = number_states(0, dfa.letters, lambda state, letter: dfa.table[state][letter])
    classes = {state: dfa.final[state] for state in reached}
    count = len(set(classes.values()))
    while True:
        class_numbers: dict[tuple[int, ...], int] = {}
        refined = {}
        for state in reached:
            signature = (classes[state], *(classes[target] for target in dfa.table[state]))
            refined[state] = class_numbers.setdefault(signature, len(class_numbers))
        classes = refined
        if len(class_numbers) == count:
            break
        count = len(class_numbers)
    # Classes are numbered by their first state, and states come breadth-first.
    first: dict[int, int] = {}
    for state in reached:
        first.setdefault(classes[state], state)
    return Dfa(
        tuple(tuple(classes[t] for t in dfa.table[first[c]]) for c in range(count)),
        tuple(dfa.final[first[c]] for c in range(count)),
    )


def combine(automata: Sequence[Dfa], combine_outputs: Callable[[tuple[int, ...]], int]) -> Dfa:
    """Run automata in parallel and combine their outputs; return the minimal automaton."""

    def step(state: tuple[int, ...], letter: int) -> tuple[int, ...]:
        return tuple(a.table[s][letter] for a, s in zip(automata, state, strict=True))

    states, table = number_states((0,) * len(automata), automata[0].letters, step)
    final = (
        int(combine_outputs(tuple(a.final[s] for a, s in zip(automata, state, strict=True))))
        for state in states
    )
    return minimise(Dfa(table, tuple(final)))


def number_states(
    start: State, letters: int, step: Callable[[State, int], State]
) -> tuple[list[State], tuple[tuple[int, ...], ...]]:
    """Find the states reached from ``start``, breadth first; return them and their table."""
    numbers = {start: 0}
    states = [start]
    table = []
    for state in states:  # grows on the way
        row = []
        for letter in range(letters):
            target = step(state, letter)
            if target not in numbers:
                numbers[target] = len(states)
                states.append(target)
            row.append(numbers[target])
        table.append(tuple(row))
    return states, tuple(table)


def build_finite_language(words: Iterable[Word], letters: int) -> Dfa:
    """Return the minimal automaton of a finite language.

    >>> dfa = build_finite_language([(0, 1), (1,)], 2)
    >>> dfa.accepts([1]), dfa.accepts([1, 1])
    (True, False)
    """
    words = set(words)
    prefixes = sorted({word[:i] for word in words for i in range(len(word) + 1)} | {()}, key=len)
    numbers = {prefix: number for number, prefix in enumerate(prefixes)}
    dead = len(prefixes)
    table = [
        tuple(numbers.get((*prefix, letter), dead) for letter in range(letters))
        for prefix in prefixes
    ]
    table.append((dead,) * letters)
    return minimise(Dfa(tuple(table), (*(int(prefix in words) for prefix in prefixes), 0)))


def find_differences(automaton: Dfa, reference: Dfa) -> Iterator[Word]:
    """Yield words that ``automaton`` accepts and ``reference`` does not, shortest first.

    Each pair of states where this happens gives one word. The iterator is empty if and only if
    ``reference`` accepts every word that ``automaton`` accepts.

    >>> even, all_words = Dfa(((1,), (0,)), (1, 0)), Dfa(((0,),), (1,))
    >>> list(find_differences(all_words, even)), list(find_differences(even, all_words))
    ([(0,)], [])
    """
    words: dict[tuple[int, int], Word] = {(0, 0): ()}
    queue = deque(words)
    while queue:
        pair = queue.popleft()
        if automaton.final[pair[0]] and not reference.final[pair[1]]:
            yield words[pair]
        for letter in range(automaton.letters):
            successor = (automaton.table[pair[0]][letter], reference.table[pair[1]][letter])
            if successor not in words:
                words[successor] = (*words[pair], letter)
                queue.append(successor)


def build_divisible(rows: int, letters: int = 2) -> Dfa:
    """Return the automaton of rows that leave a multiple of 4 free cells in ``rows`` rows.

    >>> build_divisible(3).accepts([0, 1, 1, 1, 0])
    True
    """
    table = (
        tuple((r + rows - (letter & PRESET)) % 4 for letter in range(letters)) for r in range(4)
    )
    return minimise(Dfa(tuple(table), (1, 0, 0, 0)))


def build_fillable(rows: int, letters: int = 2) -> Dfa:
    """Return the automaton of divisible rows that have a column without a preset."""
    free = tuple(
        tuple(int(bool(state) or not letter & PRESET) for letter in range(letters))
        for state in (0, 1)
    )
    return combine([build_divisible(rows, letters), Dfa(free, (0, 1))], all)


def build_isolated(letters: int = 2) -> Dfa:
    """Return the automaton of isolated rows, which no number of rows can print.

    The presets of an isolated row are single cells with three or more free columns between them and
    two or more at either end. No free column is over a square. A row without any preset or square
    is isolated too. ``docs/automaton.md`` proves the lemma.
    """
    # 0 to 2: free columns since the left edge; 3 to 6: free columns since a preset, plus 3.
    dead = 7
    free = {0: 1, 1: 2, 2: 2, 3: 4, 4: 5, 5: 6, 6: 6}
    preset = {2: 3, 6: 3}
    table = []
    for state in range(7):
        row = []
        for letter in range(letters):
            if letter & PRESET:
                row.append(preset.get(state, dead))
            else:
                row.append(dead if letter & SQUARE else free[state])
        table.append(tuple(row))
    table.append((dead,) * letters)
    # Accept if the row has no preset at all, or at least two free columns after the last preset.
    return minimise(Dfa(tuple(table), (0, 1, 1, 0, 0, 1, 1, 0)))


def build_emitters(count: int) -> Dfa:
    """Return the automaton of rows with the presets of ``count`` emitter pieces, nub down.

    >>> build_emitters(2).accepts([1, 1, 1, 0, 1, 1, 1]), build_emitters(2).accepts([1] * 6)
    (True, True)
    """
    # 3 k + i: k pieces are complete, i columns of the next one have been read.
    dead = 3 * count + 1
    table = [(state if state % 3 == 0 else dead, state + 1) for state in range(3 * count)]
    table += [(3 * count, dead), (dead, dead)]
    return Dfa(tuple(table), (*[0] * (3 * count), 1, 0))
