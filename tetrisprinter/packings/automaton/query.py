"""Queries about all widths at once, answered from the minimal automata.

A query is a set of words: rows with some emitter pieces, rows that divisibility allows, or rows
that a matrix of some height can print. All these sets are regular, so differences, smallest
counterexamples and sets of widths are computed exactly. A set of widths is a regular language of
unary words, which is eventually periodic (Parikh 1966).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from tetrisprinter.packings.automaton.automaton import SHIPPED, load
from tetrisprinter.packings.automaton.dfa import (
    Dfa,
    build_divisible,
    build_emitters,
    combine,
    find_differences,
    minimise,
    number_states,
)


@dataclass(frozen=True, slots=True)
class PeriodicSet:
    """An eventually periodic set of numbers.

    >>> print(PeriodicSet((3,), 6, 4, (1, 2)))
    3 and every number from 6 with remainder 1 or 2 modulo 4
    >>> 10 in PeriodicSet((3,), 6, 4, (1, 2)), 5 in PeriodicSet((3,), 6, 4, (1, 2))
    (True, False)
    """

    early: tuple[int, ...]  # members below ``start``
    start: int  # from here on, membership repeats with this period
    period: int
    residues: tuple[int, ...]  # remainders modulo ``period`` of the members from ``start`` on

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
                remainders = " or ".join(map(str, self.residues))
                parts.append(
                    f"every number from {first} with remainder {remainders} modulo {self.period}"
                )
        return " and ".join(parts) or "none"

    def to_data(self) -> dict[str, object]:
        """Return the set as plain data."""
        return {
            "early": list(self.early),
            "start": self.start,
            "period": self.period,
            "residues": list(self.residues),
        }


def find_widths(dfa: Dfa) -> PeriodicSet:
    """Return the widths that an automaton accepts: the lengths of its words.

    >>> find_widths(build_emitters(2))
    PeriodicSet(early=(), start=6, period=1, residues=(0,))
    """
    targets = [frozenset(row) for row in dfa.table]
    current = frozenset([0])
    seen: dict[frozenset[int], int] = {}
    is_member: list[bool] = []
    while current not in seen:
        seen[current] = len(is_member)
        is_member.append(any(dfa.final[state] for state in current))
        current = frozenset().union(*(targets[state] for state in current))
    start = seen[current]
    cycle = is_member[start:]
    period = next(
        p
        for p in range(1, len(cycle) + 1)
        if len(cycle) % p == 0 and cycle == cycle[:p] * (len(cycle) // p)
    )
    while start and is_member[start - 1] == is_member[start - 1 + period]:
        start -= 1
    repeating = range(start, start + period)
    return PeriodicSet(
        tuple(w for w in range(start) if is_member[w]),
        start,
        period,
        tuple(sorted(w % period for w in repeating if is_member[w])),
    )


@cache
def build_printable(rows: int) -> Dfa:
    """Return the automaton of the rows over no squares that a matrix of ``rows`` rows can print.

    For one row this includes the rows that the presets fill: no piece has to be added.
    """
    dfa = load(rows).dfa.restrict_letters(2)
    if rows > 1:
        return dfa
    full = Dfa(((2, 1), (2, 1), (2, 2)), (0, 1, 0))
    return combine([dfa, full], any)


@cache
def build_least_height(heights: tuple[int, ...] = tuple(SHIPPED)) -> Dfa:
    """Return the automaton that outputs the least of the heights that prints a row; 0 if none."""
    return combine(
        [build_printable(rows) for rows in heights],
        lambda outputs: next((rows for rows, yes in zip(heights, outputs, strict=True) if yes), 0),
    )


@dataclass(frozen=True, slots=True)
class EmitterAnswer:
    """The widths and positions at which matrices of a height print some number of squares."""

    allowed: PeriodicSet  # widths that divisibility allows; the other fields are about these
    some: PeriodicSet  # widths at which some set of positions can be printed
    all: PeriodicSet  # widths at which every set of positions can be printed
    # The smallest counterexamples, each as the letters of its columns
    failing: tuple[tuple[int, ...], ...]


def answer_emitters(emitted: int, rows: int) -> EmitterAnswer:
    """Return for all widths which emitter rows can be printed, and some counterexamples.

    >>> answer = answer_emitters(1, 4)
    >>> print(answer.allowed)
    none
    """
    allowed = combine([build_emitters(emitted), build_divisible(rows)], all)
    printable = combine([allowed, build_printable(rows)], all)
    unprintable = combine(
        [allowed, build_printable(rows)], lambda outputs: int(bool(outputs[0] and not outputs[1]))
    )
    # The widths at which divisibility allows a row, and none of the allowed rows is unprintable
    lengths = [_forget_letters(allowed), _forget_letters(unprintable)]
    always_printable = combine(lengths, lambda outputs: int(outputs[0] > outputs[1]))
    return EmitterAnswer(
        find_widths(allowed),
        find_widths(printable),
        find_widths(always_printable),
        tuple(islice(find_differences(allowed, printable), 4)),
    )


def _forget_letters(dfa: Dfa) -> Dfa:
    """Return the automaton, over a single letter, of the lengths of the words."""
    states, table = number_states(
        frozenset([0]), 1, lambda state, _: frozenset(t for s in state for t in dfa.table[s])
    )
    return minimise(Dfa(table, tuple(int(any(dfa.final[s] for s in state)) for state in states)))


def find_single_positions(rows: int) -> Iterator[tuple[PeriodicSet, PeriodicSet]]:
    """Yield where a single square can be printed, for all widths at once.

    Each pair holds numbers of columns to the left and to the right of the emitter piece; every
    number of one set works with every number of the other. No other position works.
    """
    dfa = build_printable(rows)
    states_before, left_start = _follow_free_columns(dfa, 0)
    lefts_by_rights: dict[PeriodicSet, set[int]] = {}
    for left_count, state in enumerate(states_before):
        states_after, right_start = _follow_free_columns(dfa, dfa.run((1, 1, 1), state))
        rights = _find_counts([bool(dfa.final[s]) for s in states_after], right_start)
        lefts_by_rights.setdefault(rights, set()).add(left_count)
    for rights, lefts in lefts_by_rights.items():
        if rights.early or rights.residues:
            holds = [left_count in lefts for left_count in range(len(states_before))]
            yield _find_counts(holds, left_start), rights


def _follow_free_columns(dfa: Dfa, state: int) -> tuple[list[int], int]:
    """Return the states after 0, 1, 2, ... free columns, and where they begin to repeat."""
    seen: dict[int, int] = {}
    while state not in seen:
        seen[state] = len(seen)
        state = dfa.table[state][0]
    return list(seen), seen[state]


def _find_counts(holds: Sequence[bool], start: int) -> PeriodicSet:
    """Return the numbers ``n`` with ``holds[n]``; the list continues again at ``start``."""
    table = tuple((next_count,) for next_count in (*range(1, len(holds)), start))
    return find_widths(Dfa(table, tuple(map(int, holds))))
