"""The automaton of a height as it is kept in a file, and as it is walked.

Two parts. The minimal deterministic automaton says whether a row can be printed. The
*core* (see :mod:`tetrisprinter.packings.automaton.core`) knows the pieces: its transitions carry
what fills a column, and every row of the language has a path through it. Both are small
enough for plain text and for plain Python.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton.columns import Move
from tetrisprinter.packings.automaton.dfa import Dfa
from tetrisprinter.support.files import parse_json

__all__ = ["SHIPPED", "ColumnAutomaton", "Sizes", "Transition", "load", "read"]

SHIPPED: Final = range(1, 7)
"""The heights whose automata come with the package; up to five rows with squares."""

_FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many states there are at each stage of making an automaton.

    ``classes`` of bisimilar states are not counted (None) for the tallest.
    """

    reachable: int
    trim: int
    classes: int | None
    minimal: int


@dataclass(frozen=True, slots=True)
class Transition:
    """A filled column of the core.

    Attributes
    ----------
    source, target : int
        States of the core.
    letter : int
        What the column is like; see :mod:`tetrisprinter.packings.automaton.columns`.
    pieces : tuple of Move
        The moves that fill it, lowest first. Files write them in full, so that somebody
        else's program can check them.
    """

    source: int
    letter: int
    target: int
    pieces: tuple[Move, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnAutomaton:
    """Every packed matrix of a height over presets in its bottom row, whatever its width.

    Attributes
    ----------
    rows : int
        Height of the matrix.
    squares : bool
        Whether letters tell which columns stand on a square.
    sizes : Sizes
        How large it was before it was reduced.
    dfa : Dfa
        The minimal deterministic automaton of the rows that can be printed.
    core : tuple of Transition
        Transitions from state 0 to state 1 that spell all those rows.
    """

    rows: int
    squares: bool
    sizes: Sizes
    dfa: Dfa
    core: tuple[Transition, ...]
    _memory: _Memory = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_memory", _Memory(self.core, self.dfa.letters))

    def path(self, word: Sequence[int]) -> list[tuple[Move, ...]] | None:
        """Fill a matrix column by column.

        Parameters
        ----------
        word : sequence of int
            The letter of each column.

        Returns
        -------
        list of tuple of Move, or None
            For each column the pieces that begin in it; None if there is no packing.
        """
        return self._memory.path(word)

    def text(self) -> str:
        """Return what :func:`read` reads."""
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


class _Memory:
    """The core, ready to be walked, and what walking it has shown so far.

    From the right end to the left: which states can still complete the matrix? Then from
    the left to the right, always into such a state. The sets of the first walk come
    again and again, so they are numbered and looked up.
    """

    def __init__(self, core: Sequence[Transition], letters: int) -> None:
        states = 2 + max((max(t.source, t.target) for t in core), default=0)
        self.into: list[list[list[int]]] = [[[] for _ in range(states)] for _ in range(letters)]
        self.out: list[list[list[tuple[int, tuple[Move, ...]]]]]
        self.out = [[[] for _ in range(states)] for _ in range(letters)]
        for t in core:
            self.into[t.letter][t.target].append(t.source)
            self.out[t.letter][t.source].append((t.target, t.pieces))
        self.sets: list[frozenset[int]] = [frozenset([1])]
        self.numbers: dict[frozenset[int], int] = {self.sets[0]: 0}
        self.before: list[list[int]] = [[-1] * letters]
        self.steps: dict[tuple[int, int, int], tuple[int, tuple[Move, ...]]] = {}

    def path(self, word: Sequence[int]) -> list[tuple[Move, ...]] | None:
        number = 0
        numbers = [0]
        for letter in reversed(word):
            following = self.before[number][letter]
            if following < 0:
                following = self._before(number, letter)
            numbers.append(following)
            number = following
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

    def _before(self, number: int, letter: int) -> int:
        into = self.into[letter]
        found = frozenset(source for target in self.sets[number] for source in into[target])
        if found not in self.numbers:
            self.numbers[found] = len(self.sets)
            self.sets.append(found)
            self.before.append([-1] * len(self.before[0]))
        self.before[number][letter] = self.numbers[found]
        return self.numbers[found]


def read(text: str, source: str) -> ColumnAutomaton:
    """Read an automaton.

    Raises
    ------
    InputError
        If the text is none.
    """
    data = parse_json(text, source)
    try:
        if data["format"] != _FORMAT:
            raise ValueError
        final = set(data["final"])
        move = cache(Move.parse)  # the same few come again and again
        table = tuple(map(tuple, data["table"]))
        return ColumnAutomaton(
            int(data["rows"]),
            bool(data["squares"]),
            Sizes(*data["sizes"]),
            Dfa(table, tuple(int(state in final) for state in range(len(table)))),
            tuple(
                Transition(source, letter, target, tuple(map(move, pieces)))
                for source, letter, target, *pieces in data["core"]
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{source}: is not an automaton of this version") from error


@cache
def load(rows: int) -> ColumnAutomaton:
    """Load the automaton of a height.

    Parameters
    ----------
    rows : int
        One of :data:`SHIPPED`.

    Raises
    ------
    InputError
        If there is none.
    """
    if rows not in SHIPPED:
        raise InputError(f"automata have {SHIPPED[0]} to {SHIPPED[-1]} rows, not {rows}")
    path = files("tetrisprinter.packings.automaton") / "data" / file_name(rows)
    try:
        return read(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise InputError(
            f"{path}: this file of the package is missing; rebuild it with "
            "'tetrisprinter automaton build'"
        ) from error


def file_name(rows: int) -> str:
    """Return the name of the file of a height.

    >>> file_name(3)
    'rows3.json'
    """
    return f"rows{rows}.json"
