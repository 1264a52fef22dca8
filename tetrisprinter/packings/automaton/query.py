"""Questions about all widths at once, answered from the minimal automata.

What is asked for is always a set of words: rows with some emitter pieces, rows that
divisibility allows, rows that a number of rows of matrix can print. All of them are
regular, so differences, smallest counterexamples and the widths at which something
happens are computed exactly, and hold for every width there is. Widths are unary words,
and regular languages of unary words are eventually periodic (Parikh 1966).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from tetrisprinter.packings.automaton.automaton import SHIPPED, load
from tetrisprinter.packings.automaton.dfa import Dfa, difference, minimise, product
from tetrisprinter.packings.automaton.languages import divisible, emitters

__all__ = [
    "EmitterAnswer",
    "Widths",
    "emitter_answer",
    "least_height",
    "printable",
    "single_positions",
    "widths",
]


@dataclass(frozen=True, slots=True)
class Widths:
    """An eventually periodic set of numbers.

    Attributes
    ----------
    early : tuple of int
        Its members below ``start``.
    start, period : int
        From ``start`` on, membership repeats with this period.
    residues : tuple of int
        The remainders, divided by ``period``, of the members from ``start`` on.

    Examples
    --------
    >>> print(Widths((3,), 6, 4, (1, 2)))
    3 and every number from 6 that leaves 1 or 2 divided by 4
    >>> 10 in Widths((3,), 6, 4, (1, 2)), 5 in Widths((3,), 6, 4, (1, 2))
    (True, False)
    """

    early: tuple[int, ...]
    start: int
    period: int
    residues: tuple[int, ...]

    def __contains__(self, number: int) -> bool:
        if number < self.start:
            return number in self.early
        return number % self.period in self.residues

    def __str__(self) -> str:
        parts = [", ".join(map(str, self.early))] if self.early else []
        if self.residues:
            first = next(n for n in range(self.start, self.start + self.period) if n in self)
            if self.period == 1:
                parts.append(f"every number from {first}")
            else:
                left = " or ".join(map(str, self.residues))
                parts.append(
                    f"every number from {first} that leaves {left} divided by {self.period}"
                )
        return " and ".join(parts) or "none"

    def data(self) -> dict[str, object]:
        """The set as plain data."""
        return {
            "early": list(self.early),
            "start": self.start,
            "period": self.period,
            "residues": list(self.residues),
        }


def widths(dfa: Dfa) -> Widths:
    """Return the lengths of the words of a language.

    >>> widths(emitters(2))
    Widths(early=(), start=6, period=1, residues=(0,))
    """
    targets = [frozenset(row) for row in dfa.table]
    current = frozenset([0])
    seen: dict[frozenset[int], int] = {}
    member: list[bool] = []
    while current not in seen:
        seen[current] = len(member)
        member.append(any(dfa.final[state] for state in current))
        current = frozenset().union(*(targets[state] for state in current))
    start = seen[current]
    cycle = member[start:]
    period = next(
        p
        for p in range(1, len(cycle) + 1)
        if len(cycle) % p == 0 and cycle == cycle[:p] * (len(cycle) // p)
    )
    while start and member[start - 1] == member[start - 1 + period]:
        start -= 1
    repeating = range(start, start + period)
    return Widths(
        tuple(w for w in range(start) if member[w]),
        start,
        period,
        tuple(sorted(w % period for w in repeating if member[w])),
    )


@cache
def printable(rows: int) -> Dfa:
    """Return the rows over no squares that a number of rows can print.

    With one row that includes those that the presets fill: no piece has to be added.
    """
    dfa = load(rows).dfa.restricted(2)
    if rows > 1:
        return dfa
    full = Dfa(((2, 1), (2, 1), (2, 2)), (0, 1, 0))
    return product([dfa, full], any)


@cache
def least_height(heights: tuple[int, ...] = tuple(SHIPPED)) -> Dfa:
    """Return the automaton that says the least height for a row, 0 if there is none."""
    return product(
        [printable(rows) for rows in heights],
        lambda said: next((rows for rows, yes in zip(heights, said, strict=True) if yes), 0),
    )


@dataclass(frozen=True, slots=True)
class EmitterAnswer:
    """What a number of rows can print of all rows with so many emitted squares.

    Attributes
    ----------
    allowed : Widths
        Where divisibility allows it; everything else is about these widths.
    some, all : Widths
        Where some, and where all sets of positions can be printed.
    failing : tuple of tuple of int
        The smallest counterexamples, as letters of their columns.
    """

    emitted: int
    rows: int
    allowed: Widths
    some: Widths
    all: Widths
    failing: tuple[tuple[int, ...], ...]


def emitter_answer(emitted: int, rows: int, *, examples: int = 4) -> EmitterAnswer:
    """Say for all widths at once what can be printed.

    Parameters
    ----------
    emitted : int
        Squares to leave, each by a J, T or L nub down.
    rows : int
        Rows of the matrix.
    examples : int
        How many counterexamples to list at most.

    Examples
    --------
    >>> answer = emitter_answer(1, 4)
    >>> print(answer.allowed)
    none
    """
    right = product([emitters(emitted), divisible(rows)], all)
    fine = product([right, printable(rows)], all)
    wrong = product([right, printable(rows)], lambda said: int(bool(said[0] and not said[1])))
    return EmitterAnswer(
        emitted,
        rows,
        widths(right),
        widths(fine),
        widths(_unary_difference(right, wrong)),
        tuple(islice(difference(right, fine), examples)),
    )


def _unary_difference(one: Dfa, other: Dfa) -> Dfa:
    """Return the lengths at which ``one`` has words and ``other`` has none."""
    return product([_unary(one), _unary(other)], lambda said: int(said[0] > said[1]))


def _unary(dfa: Dfa) -> Dfa:
    """Forget the letters: the automaton of the lengths of the words."""
    states = [frozenset([0])]
    names = {states[0]: 0}
    table = []
    for state in states:  # grows on the way
        after = frozenset(target for s in state for target in dfa.table[s])
        if after not in names:
            names[after] = len(states)
            states.append(after)
        table.append((names[after],))
    final = (int(any(dfa.final[s] for s in state)) for state in states)
    return minimise(Dfa(tuple(table), tuple(final)))


def single_positions(rows: int) -> Iterator[tuple[Widths, Widths]]:
    """Say where a single square can be printed, for all widths at once.

    Yields
    ------
    (Widths, Widths)
        Numbers of columns to the left of the emitter piece, and to its right: each
        number of the one goes with each of the other. Together all that work.
    """
    dfa = printable(rows)
    left = _powers(dfa, 0)
    sets: dict[Widths, list[int]] = {}
    for x, state in enumerate(left.states):
        right = _powers(dfa, dfa.run((1, 1, 1), state))
        ys = right.where(lambda s: bool(dfa.final[s]))
        sets.setdefault(ys, []).append(x)
    for ys, xs in sets.items():
        if ys.early or ys.residues:
            yield left.at(set(xs)), ys


@dataclass(frozen=True, slots=True)
class _Powers:
    """The states after 0, 1, 2, ... free columns: a tail and a cycle."""

    states: tuple[int, ...]
    start: int

    def where(self, holds: object) -> Widths:
        assert callable(holds)
        return self.at({i for i, state in enumerate(self.states) if holds(state)})

    def at(self, chosen: set[int]) -> Widths:
        # A line of states is an automaton of one letter.
        last = len(self.states) - 1
        table = tuple((i + 1 if i < last else self.start,) for i in range(last + 1))
        return widths(Dfa(table, tuple(int(i in chosen) for i in range(last + 1))))


def _powers(dfa: Dfa, state: int) -> _Powers:
    seen: dict[int, int] = {}
    while state not in seen:
        seen[state] = len(seen)
        state = dfa.table[state][0]
    return _Powers(tuple(seen), seen[state])
