"""The exact number of packings of a matrix, without a list of them.

The matrix is filled column by column, and packings that leave the same frontier are counted
together (the transfer-matrix method). The states are those of the column automaton
(:mod:`tetrisprinter.packings.automaton.automaton`), which know the levels of the pieces. One
packing can have several levels, because it can be dropped in several orders. So a frontier is the
*set* of states that the same pieces can reach: then each packing has one path, and is counted once.

States that cannot reach the end are left out beforehand, and states before a column that have the
same moves are one state. For five rows, 21 columns and emitter pieces at 0, 9 and 18 this leaves
3,000 states and 4,000 frontiers in the widest column instead of 13,000 and 19,000. The frontiers
take 1.5 instead of 9.8 seconds. To find the moves takes 5 seconds, but only once for many matrices
(:func:`count_each`). Tried instead: to drop the states of a frontier that others simulate, which
leaves a third of the frontiers and takes twice as long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tetrisprinter.game.pieces import ORIENTATIONS
from tetrisprinter.packings.automaton.automaton import MAX_ROWS, ColumnMoves, encode_complete
from tetrisprinter.packings.finders import SAT, count_by_listing, encode_as_word
from tetrisprinter.packings.problem import PackingProblem


def count_packings(problem: PackingProblem) -> int:
    """Count the packings of a problem.

    Two packings are the same if their pieces lie in the same places, in any drop order.

    Parameters
    ----------
    problem : PackingProblem
        The matrix to pack. Matrices of more than six rows, and problems with holes, presets above
        row 0, required pieces or a last piece are counted by listing, which only suits small
        numbers.

    Returns
    -------
    int
        The exact number.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import make_emitter_problem
    >>> count_packings(make_emitter_problem(21, 4, [0, 5, 9, 16]))
    7408462
    """
    return next(count_each([problem]))


def count_each(problems: Iterable[PackingProblem]) -> Iterator[int]:
    """Yield the number of packings of each problem, as :func:`count_packings` returns it."""
    counters: dict[tuple[int, bool], _Counter] = {}
    for problem in problems:
        if not problem.is_divisible:
            yield 0
        elif not problem.free_cells:
            yield 1
        elif explain_listing(problem) is not None:
            yield count_by_listing(SAT, problem)
        else:
            key = problem.rows, bool(problem.squares)
            if key not in counters:
                counters[key] = _Counter(ColumnMoves.build(*key))
            yield counters[key].count(problem)


def explain_listing(problem: PackingProblem) -> str | None:
    """Return why the packings of a problem must be counted one by one; None if they need not be."""
    if problem.rows > MAX_ROWS:
        return f"it has more than {MAX_ROWS} rows"
    if problem.last is not None or problem.required:
        return "some of its pieces are given"
    if problem.holes:
        return "it has holes"
    if any(y > 0 for preset in problem.presets for _, y in preset):
        return "it has presets above the lowest row"
    return None


_Ways = list[tuple[tuple[int, ...], int]]
"""The moves from a state over a column: the pieces that begin there, and the state after it."""


class _Counter:
    """Counts for matrices of one height; it keeps the moves that it has found."""

    def __init__(self, moves: ColumnMoves) -> None:
        self._moves = moves
        self._fillings: dict[tuple[int, int], list[tuple[int, int]]] = {}  # by state and letter
        self._pieces_of: dict[int, tuple[int, ...]] = {}  # by trail
        self._known: dict[tuple[int, ...], int] = {}  # numbers of packings, by word

    def count(self, problem: PackingProblem) -> int:
        """Count the packings of a problem."""
        word = encode_as_word(problem)
        if problem.orientations != ORIENTATIONS:
            return self._walk(word, {orientation.index for orientation in problem.orientations})
        key = min(tuple(word), tuple(word[::-1]))  # the mirror image has as many packings
        if key not in self._known:
            self._known[key] = self._walk(word, set(range(len(ORIENTATIONS))))
        return self._known[key]

    def _walk(self, word: Sequence[int], allowed: set[int]) -> int:
        """Count the packings of a word that use the allowed orientations only."""
        layers = self._list_layers(word)
        frontiers = {frozenset(layers[0]): 1}
        for layer in layers:
            next_frontiers: dict[frozenset[int], int] = defaultdict(int)
            for frontier, number in frontiers.items():
                # The next states for each choice of pieces, whatever their levels
                states_by_pieces: dict[tuple[int, ...], set[int]] = defaultdict(set)
                for state in frontier:
                    for pieces, next_state in layer[state]:
                        states_by_pieces[pieces].add(next_state)
                for pieces, states in states_by_pieces.items():
                    if allowed.issuperset(piece // MAX_ROWS for piece in pieces):
                        next_frontiers[frozenset(states)] += number
            frontiers = next_frontiers
        return sum(frontiers.values())

    def _list_layers(self, word: Sequence[int]) -> list[dict[int, _Ways]]:
        """Return for each column the states on a path from the begin to the end of a word.

        Of the states with the same moves one remains.
        """
        reached = {0}
        reached_before: list[set[int]] = []
        for letter in word:
            reached_before.append(reached)
            reached = {after for state in reached for after, _ in self._fill(state, letter)}
        end = encode_complete(self._moves.rows)
        merged = {end: end}  # for each state that reaches the end: the state that stands for it
        layers: list[dict[int, _Ways]] = []
        for letter, states in zip(reversed(word), reversed(reached_before), strict=True):
            state_of: dict[frozenset[tuple[tuple[int, ...], int]], int] = {}
            merged_before: dict[int, int] = {}
            for state in states:
                ways = frozenset(
                    (self._decode(trail), merged[after])
                    for after, trail in self._fill(state, letter)
                    if after in merged
                )
                if ways:
                    merged_before[state] = state_of.setdefault(ways, state)
            layers.append({state: list(ways) for ways, state in state_of.items()})
            merged = merged_before
        return layers[::-1] if merged else [{}]

    def _fill(self, state: int, letter: int) -> list[tuple[int, int]]:
        """Return the moves from a state over a letter, each as the state after it and a trail."""
        key = state, letter
        if key not in self._fillings:
            self._fillings[key] = self._moves.list_fillings(state, letter)
        return self._fillings[key]

    def _decode(self, trail: int) -> tuple[int, ...]:
        """Return the pieces of a trail: orientation and row of each as one number."""
        if trail not in self._pieces_of:
            self._pieces_of[trail] = tuple(
                move.orientation.index * MAX_ROWS + move.y
                for move in self._moves.decode_trail(trail)
            )
        return self._pieces_of[trail]
