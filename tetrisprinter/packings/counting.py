"""The exact number of packings of a matrix, without a list of them.

The matrix is filled column by column, and packings that leave the same frontier are counted
together (the transfer-matrix method). The states are those of the column automaton
(:mod:`tetrisprinter.packings.automaton.automaton`), which know the levels of the pieces. One
packing can have several levels, because it can be dropped in several orders. So a frontier is the
*set* of states that the same pieces can reach: then each packing has one path, and is counted once.

States that cannot reach the end are left out beforehand. For four rows and 21 columns 700 frontiers
remain, and the count takes a fifth of a second; for five rows they are 20,000, and half a minute.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

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
    if not problem.is_divisible:
        return 0
    if not problem.free_cells:
        return 1
    if explain_listing(problem) is not None:
        return count_by_listing(SAT, problem)
    moves = ColumnMoves.build(problem.rows, bool(problem.squares))
    layers = _list_live_moves(moves, encode_as_word(problem))
    allowed = {orientation.index for orientation in problem.orientations}
    frontiers = {frozenset((0,)): 1}
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


_Layer = dict[int, list[tuple[tuple[int, ...], int]]]
"""For each state before a column: the pieces that can begin there, and the state after it."""


def _list_live_moves(moves: ColumnMoves, word: Sequence[int]) -> list[_Layer]:
    """Return the moves of each column that lie on a path from the begin to the end of a word."""
    fillings: dict[tuple[int, int], list[tuple[int, int]]] = {}
    reached = {0}
    tables: list[dict[int, list[tuple[int, int]]]] = []
    for letter in word:
        for state in reached:
            if (state, letter) not in fillings:
                fillings[state, letter] = moves.list_fillings(state, letter)
        tables.append({state: fillings[state, letter] for state in reached})
        reached = {after for ways in tables[-1].values() for after, _ in ways}
    pieces_of: dict[int, tuple[int, ...]] = {}
    live = {encode_complete(moves.rows)}
    layers: list[_Layer] = []
    for table in reversed(tables):
        layer: _Layer = {}
        for state, ways in table.items():
            live_ways = []
            for after, trail in ways:
                if after in live:
                    if trail not in pieces_of:
                        pieces_of[trail] = tuple(
                            move.orientation.index * MAX_ROWS + move.y
                            for move in moves.decode_trail(trail)
                        )
                    live_ways.append((pieces_of[trail], after))
            if live_ways:
                layer[state] = live_ways
        live = set(layer)
        layers.append(layer)
    return layers[::-1] if 0 in live else [{0: []}]
