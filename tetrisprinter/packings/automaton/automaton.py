"""The automaton of a height: its file format, and walks through it.

The minimal deterministic automaton decides whether a row can be printed. The *core*
(:mod:`tetrisprinter.packings.automaton.core`) knows the pieces: its transitions carry the moves
that fill a column, and every row of the language has a path through the core. Both automata are
small enough for plain text and plain Python.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton.columns import ColumnMove
from tetrisprinter.packings.automaton.dfa import Dfa
from tetrisprinter.support.files import parse_json

SHIPPED: Final = range(1, 7)
"""The heights whose automata come with the package; those of up to five rows handle squares."""

_FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Sizes:
    """The number of states at each stage of the construction.

    ``classes`` counts the classes of bisimilar states. It is None if they were not computed, as for
    the tallest matrices.
    """

    reachable: int
    trim: int
    classes: int | None
    minimal: int


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition of the core: a column and the pieces that fill it."""

    source: int  # a state of the core
    letter: int  # see :mod:`tetrisprinter.packings.automaton.columns`
    target: int
    # The moves that fill the column, lowest first; files write them in full for other checkers
    pieces: tuple[ColumnMove, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnAutomaton:
    """The automaton of a height: the rows that can be printed, and a packing for each."""

    rows: int
    squares: bool  # whether letters mark the columns over a square
    sizes: Sizes
    dfa: Dfa  # the minimal deterministic automaton of the printable rows
    core: tuple[Transition, ...]  # the paths from state 0 to state 1 spell all printable rows
    _walker: _CoreWalker = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_walker", _CoreWalker(self.core, self.dfa.letters))

    def find_path(self, word: Sequence[int]) -> list[tuple[ColumnMove, ...]] | None:
        """Return the pieces that begin in each column of a row; None if it has no packing."""
        return self._walker.find_path(word)

    def to_text(self) -> str:
        """Return the text that :func:`read` reads."""
        sizes = self.sizes
        lines = [
            "{",
            f' "format": {_FORMAT}, "rows": {self.rows}, "squares": {json.dumps(self.squares)},',
            f' "sizes": {json.dumps(list(astuple(sizes)))},',
            f' "final": {[state for state, final in enumerate(self.dfa.final) if final]},',
            ' "table": [',
            ",\n".join(f"  {list(row)}" for row in self.dfa.table),
            " ],",
            ' "core": [',
            ",\n".join(
                f"  {json.dumps([t.source, t.letter, t.target, *map(str, t.pieces)])}"
                for t in self.core
            ),
            " ]",
            "}",
        ]
        return "\n".join(lines) + "\n"


class _CoreWalker:
    """A finder of paths through the core, with a cache of the sets of states on the way.

    The first walk, from right to left, finds the states that can still complete the matrix. The
    second walk goes from left to right, always into such a state. The sets of the first walk recur,
    so they are numbered and cached.
    """

    def __init__(self, core: Sequence[Transition], letters: int) -> None:
        states = 2 + max((max(t.source, t.target) for t in core), default=0)
        # By letter and state: the sources of the transitions into the state, and the targets and
        # pieces of those out of it
        self.into: list[list[list[int]]] = [[[] for _ in range(states)] for _ in range(letters)]
        self.out: list[list[list[tuple[int, tuple[ColumnMove, ...]]]]]
        self.out = [[[] for _ in range(states)] for _ in range(letters)]
        for t in core:
            self.into[t.letter][t.target].append(t.source)
            self.out[t.letter][t.source].append((t.target, t.pieces))
        self.sets: list[frozenset[int]] = [frozenset([1])]  # by number
        self.numbers: dict[frozenset[int], int] = {self.sets[0]: 0}
        # For each set and letter the number of the set of sources; -1 if not computed yet
        self.before: list[list[int]] = [[-1] * letters]
        # By state, letter and number of the next set: a state of that set and the pieces
        self.steps: dict[tuple[int, int, int], tuple[int, tuple[ColumnMove, ...]]] = {}

    def find_path(self, word: Sequence[int]) -> list[tuple[ColumnMove, ...]] | None:
        """Return the pieces that begin in each column; None if no path spells the word."""
        number = 0
        numbers = [0]
        for letter in reversed(word):
            earlier_number = self.before[number][letter]
            if earlier_number < 0:
                earlier_number = self._step_back(number, letter)
            numbers.append(earlier_number)
            number = earlier_number
        if 0 not in self.sets[number]:
            return None
        state = 0
        fillings = []
        for letter, goal in zip(word, reversed(numbers[:-1]), strict=True):
            key = (state, letter, goal)
            step = self.steps.get(key)
            if step is None:
                allowed = self.sets[goal]
                step = next(s for s in self.out[letter][state] if s[0] in allowed)
                self.steps[key] = step
            state, pieces = step
            fillings.append(pieces)
        return fillings

    def _step_back(self, number: int, letter: int) -> int:
        """Find the states that lead into a set by a letter; return the number of their set."""
        sources_of = self.into[letter]
        earlier_set = frozenset(
            source for target in self.sets[number] for source in sources_of[target]
        )
        if earlier_set not in self.numbers:
            self.numbers[earlier_set] = len(self.sets)
            self.sets.append(earlier_set)
            self.before.append([-1] * len(self.before[0]))
        self.before[number][letter] = self.numbers[earlier_set]
        return self.numbers[earlier_set]


def read(text: str, source: str) -> ColumnAutomaton:
    """Read an automaton; raise an InputError, which names ``source``, if the text is not one."""
    data = parse_json(text, source)
    try:
        if data["format"] != _FORMAT:
            raise ValueError
        final = set(data["final"])
        parse_move = cache(ColumnMove.parse)  # only a few different moves occur
        table = tuple(map(tuple, data["table"]))
        return ColumnAutomaton(
            int(data["rows"]),
            bool(data["squares"]),
            Sizes(*data["sizes"]),
            Dfa(table, tuple(int(state in final) for state in range(len(table)))),
            tuple(
                Transition(source, letter, target, tuple(map(parse_move, pieces)))
                for source, letter, target, *pieces in data["core"]
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{source}: not an automaton file of this version of tetrisprinter"
        ) from error


@cache
def load(rows: int) -> ColumnAutomaton:
    """Load the automaton of a height in :data:`SHIPPED`."""
    if rows not in SHIPPED:
        raise InputError(
            f"no automaton of {rows} rows; expected {SHIPPED[0]} to {SHIPPED[-1]} rows"
        )
    path = files("tetrisprinter.packings.automaton") / "data" / format_file_name(rows)
    try:
        return read(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise InputError(
            f"{path}: this file of the package is missing; rebuild it with "
            "'tetrisprinter proofs automaton build'"
        ) from error


def format_file_name(rows: int) -> str:
    """Return the file name of the automaton of a height."""
    return f"rows{rows}.json"
