"""Column automata: for a fixed height, they decide at every width whether a row can be packed.

Read column by column, a matrix of a fixed height has finitely many states: the cells that the
pieces so far occupy in the next three columns, their levels, and the rows whose completing piece
is placed. So the rows that matrices of this height can print gap-free form a regular language, and
a small deterministic automaton decides it for every width.

This module has a height's automaton: columns and their moves, its file, and walks through it.

It is the model of :mod:`tetrisprinter.packings.model` read from left to right. Levels and support
come from the candidates of that model; this module adds no rule.

A **state** is one integer. With ``h`` rows its bits are, from the lowest:

- ``9 h`` bits: the next three columns, nearest first, rows from the bottom, three bits
  each: 0 if no piece so far covers that cell, otherwise the piece's level plus one;
- ``h`` bits: the rows whose completing piece is placed;
- ``2 h`` bits: for each row the number of further columns that a flat piece with its bottom
  in that row covers, if no column of the piece so far is over a square; otherwise 0.

One number for each row is enough: two such pieces with their bottoms in the same row would overlap
in the next column.

The minimal deterministic automaton (:class:`Dfa`) decides whether a row can be printed. The *core*
(:mod:`tetrisprinter.packings.automaton.build`) knows the pieces: its transitions carry the moves
that fill a column, and every row of the language has a path through the core. Both automata are
small enough for plain text, plain tuples and plain Python: the rows that four rows of matrix can
print, at every width, need 25 states.

A word is a row of columns. The **letter** of a column says how it is before any piece drops:
:data:`PRESET` if its bottom cell is filled, plus :data:`SQUARE` if it stands on a square of row -1.
Automata of two letters describe rows over no squares.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, TypeVar

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation
from tetrisprinter.packings.model import list_candidates
from tetrisprinter.packings.problem import PackingProblem
from tetrisprinter.support.files import parse_json

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


MAX_ROWS: Final = 6
"""The greatest height: a level plus one must fit into three bits."""

_TRAIL_BITS: Final = 10
"""Bits for each move in a trail."""

_BY_NAME: Final = {f"{o.piece.name}{o.turns}": o for o in ORIENTATIONS}


@dataclass(frozen=True, slots=True)
class ColumnMove:
    """A piece with its level; its leftmost column is the column that is being filled.

    Its text is the type, the clockwise turns from the spawn orientation, the lowest row of its
    bounding box, and the level.

    >>> move = ColumnMove.parse("T2 0 1")
    >>> print(move.orientation)
    .#.
    ###
    >>> str(move)
    'T2 0 1'
    """

    orientation: Orientation
    y: int
    level: int

    def __str__(self) -> str:
        return f"{self.orientation.piece.name}{self.orientation.turns} {self.y} {self.level}"

    @classmethod
    def parse(cls, text: str) -> ColumnMove:
        """Read the text of a move; raise a ValueError if the text is not a move."""
        name, y, level = text.split(" ")
        if name not in _BY_NAME:
            raise ValueError(f"invalid orientation {name!r}")
        return cls(_BY_NAME[name], int(y), int(level))


@cache
def list_moves(
    rows: int, squares: bool
) -> tuple[tuple[ColumnMove, ...], tuple[Sequence[int], ...]]:
    """Return the moves of a height up to :data:`MAX_ROWS`, sorted by the row that they enter.

    ``squares`` says whether row -1 can have squares. The second value has the moves as the tables
    that the compiled loops read. The first table has for each row the index of its first move. Each
    other table has an item for each move: the bits of its cells in the column; its level plus one;
    the bits of the next state that must be clear; the bits that the move sets; the bits that it
    also sets if the column is over no square (-1 if the move needs a square in this column).
    """
    problem = PackingProblem(4, rows)
    over_squares = PackingProblem(4, rows, squares=frozenset(range(4) if squares else ()))
    latest_over_no_squares = list_candidates(problem)
    entries: list[tuple[int, ...]] = []
    moves: list[ColumnMove] = []
    for piece, latest_over_squares in list_candidates(over_squares).items():
        if piece.x != 0:
            continue
        latest = latest_over_no_squares.get(piece, -1)
        entry_row = piece.y + piece.orientation.bottom[0]
        for level in range(latest_over_squares + 1):
            next_cells = occupied = completed_rows = column_cells = 0
            for x, y in piece.cells:
                if x == 0:
                    column_cells |= 7 << 3 * y
                else:
                    shift = 3 * ((x - 1) * rows + y)
                    next_cells |= (level + 1) << shift
                    occupied |= 7 << shift
                if level > y:
                    completed_rows |= 1 << (9 * rows + y)
            columns_left = piece.orientation.width - 1
            unsupported = 0
            if level > latest:
                unsupported = columns_left << (10 * rows + 2 * piece.y) if columns_left else -1
            entries.append(
                (
                    entry_row,
                    len(moves),
                    column_cells,
                    level + 1,
                    occupied | completed_rows,
                    next_cells | completed_rows,
                    unsupported,
                )
            )
            moves.append(ColumnMove(piece.orientation, piece.y, level))
    entries.sort()
    first = [sum(1 for entry in entries if entry[0] < row) for row in range(rows + 1)]
    tables = (first, *([entry[k] for entry in entries] for k in range(2, 7)))
    return tuple(moves[entry[1]] for entry in entries), tables


def decode_trail(moves: Sequence[ColumnMove], trail: int) -> tuple[ColumnMove, ...]:
    """Return the moves of a trail (those that fill a column, as one integer), lowest first."""
    pieces = []
    while trail:
        pieces.append(moves[(trail & ((1 << _TRAIL_BITS) - 1)) - 1])
        trail >>= _TRAIL_BITS
    return tuple(pieces)


def encode_complete(rows: int) -> int:
    """Return the code of the state of a complete matrix."""
    return ((1 << rows) - 1) << 9 * rows


SHIPPED: Final = range(1, 7)
"""The heights whose automata come with the package; those of up to five rows handle squares."""

_FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition of the core: a column and the pieces that fill it."""

    source: int  # a state of the core
    letter: int  # see :mod:`tetrisprinter.packings.automaton`
    target: int
    # The moves that fill the column, lowest first; files write them in full for other checkers
    pieces: tuple[ColumnMove, ...]


@dataclass(slots=True, eq=False)
class ColumnAutomaton:
    """The automaton of a height: the rows that can be printed, and a packing for each."""

    rows: int
    squares: bool  # whether letters mark the columns over a square
    reachable: int  # number of states of the full automaton
    trim: int  # number of those from which a matrix can be completed
    # Number of their classes of bisimilar states; None if not computed, as for tall matrices
    classes: int | None
    dfa: Dfa  # the minimal deterministic automaton of the printable rows
    core: tuple[Transition, ...]  # the paths from state 0 to state 1 spell all printable rows
    # By letter and state: the sources of the transitions into the state, and the targets and pieces
    # of those out of it
    _into: list[list[list[int]]] = field(init=False, repr=False)
    _out: list[list[list[tuple[int, tuple[ColumnMove, ...]]]]] = field(init=False, repr=False)
    # Sets of states recur in walks, so the answers are kept: by set and letter the sources of the
    # transitions into the set; by state, letter and next set a state of that set and the pieces
    _sources: dict[tuple[frozenset[int], int], frozenset[int]] = field(init=False, repr=False)
    _steps: dict[tuple[int, int, frozenset[int]], tuple[int, tuple[ColumnMove, ...]]] = field(
        init=False, repr=False
    )

    def __post_init__(self) -> None:
        states = 2 + max((max(t.source, t.target) for t in self.core), default=0)
        letters = range(self.dfa.letters)
        self._into = [[[] for _ in range(states)] for _ in letters]
        self._out = [[[] for _ in range(states)] for _ in letters]
        for t in self.core:
            self._into[t.letter][t.target].append(t.source)
            self._out[t.letter][t.source].append((t.target, t.pieces))
        self._sources, self._steps = {}, {}

    def find_path(self, word: Sequence[int]) -> list[tuple[ColumnMove, ...]] | None:
        """Return the pieces that begin in each column of a row; None if it has no packing."""
        # From right to left: the states that can still complete the matrix.
        goals = [frozenset([1])]
        for letter in reversed(word):
            into = goals[-1], letter
            if into not in self._sources:
                sources_of = self._into[letter]
                self._sources[into] = frozenset(
                    source for target in goals[-1] for source in sources_of[target]
                )
            goals.append(self._sources[into])
        if 0 not in goals[-1]:
            return None
        # From left to right, always into such a state.
        state = 0
        fillings = []
        for letter, goal in zip(word, reversed(goals[:-1]), strict=True):
            key = state, letter, goal
            if key not in self._steps:
                self._steps[key] = next(s for s in self._out[letter][state] if s[0] in goal)
            state, pieces = self._steps[key]
            fillings.append(pieces)
        return fillings

    def to_text(self) -> str:
        """Return the text that :func:`read` reads."""
        sizes = [self.reachable, self.trim, self.classes, len(self.dfa.table)]
        lines = [
            "{",
            f' "format": {_FORMAT}, "rows": {self.rows}, "squares": {json.dumps(self.squares)},',
            f' "sizes": {json.dumps(sizes)},',
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


def read(text: str, source: str) -> ColumnAutomaton:
    """Read an automaton; raise an InputError, which names ``source``, if the text is not one."""
    data = parse_json(text, source)
    try:
        if data["format"] != _FORMAT:
            raise ValueError
        final = set(data["final"])
        parse_move = cache(ColumnMove.parse)  # only a few different moves occur
        table = tuple(map(tuple, data["table"]))
        reachable, trim, classes, _ = data["sizes"]
        return ColumnAutomaton(
            int(data["rows"]),
            bool(data["squares"]),
            reachable,
            trim,
            classes,
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
            "'tetrisprinter patterns automaton build'"
        ) from error


def format_file_name(rows: int) -> str:
    """Return the file name of the automaton of a height."""
    return f"rows{rows}.json"
