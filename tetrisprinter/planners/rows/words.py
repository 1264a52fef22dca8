"""Which stacks a pass may have: its word, see :mod:`~tetrisprinter.planners.rows.stacks`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_ROWS
from tetrisprinter.planners.rows.target import RowTarget, State

__all__ = ["cost_of", "fits", "one_row", "some_rows", "with_all_carried"]


def cost_of(word: str) -> float:
    """Return the rows that a stack clears, less what is usual for those it prints."""
    return word.count("c") - BUDGETS.usual * word.count("p")


def fits(state: State, word: str, height: int) -> bool:
    """Whether a stack fits a board of some height, and what is carried fits its lowest row."""
    if len(word) > min(MAX_ROWS, height - state.rows):
        return False
    return word[0] == "c" or state.stays or not state.carried


def with_all_carried(target: RowTarget, state: State, word: str) -> State:
    """Return what a pass may leave, all of the row above it filled."""
    rows = state.rows + word.count("p")
    ground = target.columns(rows - 1) if rows > state.rows else state.ground
    carried = frozenset(range(target.width) if word[-1] in CARRIED else ())
    return State(rows, ground, carried, word[-1] == "q")


def some_rows(target: RowTarget, height: int, state: State, most: int) -> list[str]:
    """Return the stacks that print some rows, the cheapest first for what they print."""
    left = target.rows - state.rows
    words = []
    for rows in range(1, min(left, most) + 1):
        ends = ("b", "q") if rows < left else ("",)
        for lines in range(BUDGETS.lines + 1):
            words += ["c" * lines + "p" * rows + end for end in ends]
            if lines:
                words += ["p" + "c" * lines + "p" * (rows - 1) + end for end in ends]
    words = [word for word in words if fits(state, word, height)]
    return sorted(words, key=lambda word: (cost_of(word), len(word)))


def one_row(
    target: RowTarget, height: int, state: State, lines: int, anything: bool = False
) -> Iterator[str]:
    """Yield the stacks that print the next row with so many lines, over what is carried.

    That may be ``anything``, too.
    """
    if anything:
        state = replace(state, carried=frozenset(range(target.width)), stays=True)
    last = state.rows + 1 == target.rows
    if last and not anything and target.is_exact(state.rows):
        cells = target.width * lines + len(target.columns(state.rows))
        if (cells - len(state.carried)) % 4:
            return
    for below in range(lines, -1, -1):
        word = "c" * below + "p" + "c" * (lines - below) + ("" if last else "b")
        if fits(state, word, height):
            yield word
