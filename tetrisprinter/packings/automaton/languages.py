"""Languages of rows as minimal automata, for queries and for known impossibilities.

The letters are defined in :mod:`tetrisprinter.packings.automaton.columns`; automata of two letters
describe rows over no squares.
"""

from __future__ import annotations

from tetrisprinter.packings.automaton.columns import PRESET, SQUARE
from tetrisprinter.packings.automaton.dfa import Dfa, combine, minimise


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
