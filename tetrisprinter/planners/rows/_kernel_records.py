"""The data of the compiled search for passes; the types of the fields are in the ``.pxd``."""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython

from tetrisprinter.support.arrays import zeros

__all__ = ["ColumnFits", "PassMemory", "PassQuery", "SearchCursor", "Shape", "StepGraph"]

_FIRST = 1 << 16
"""The number of steps for which memory is reserved at first."""


@cython.cclass
class Shape:
    """A stack, and the layout of its states.

    - rows, bits, lines: the numbers of rows, of bits for a level plus one, and of clearing rows.
    - begin, fields, masks: its pieces; see ``PassStack``.
    - at_next, at_level, at_done, at_filled: bit positions, in the first number of a state, of the
      next column, the level, the complete lines, and the filled cells.
    - at_last, at_need: those, in the second number, of the last column and the squares relied on.
    - column, level: bit masks of a column and of a level.
    """

    def __init__(
        self, rows: int, bits: int, lines: int, begin: Any, fields: Any, masks: Any
    ) -> None:
        self.rows, self.bits, self.lines = rows, bits, lines
        self.begin, self.fields, self.masks = memoryview(begin), fields, masks
        self.at_next = self.at_last = rows * bits
        self.at_level = 2 * self.at_next
        self.at_done = self.at_level + bits
        self.at_filled = self.at_done + lines
        self.at_need = self.at_last + rows
        self.column = (1 << rows * bits) - 1
        self.level = (1 << bits) - 1


@cython.cclass
class PassQuery:
    """The input of a search: what the columns hold and may hold, and its limits.

    - before, must, wanted: for each column, bit sets of the rows that are filled before, that must
      be filled, and that should be filled (states that leave out few of them are preferred).
    - allowed: ``allowed[x, row]``: the types that may be left there, as a bit set.
    - ground: for each column, whether there is a square right below the stack.
    - free: for each column whether its lowest square may be filled before or by the pass.
    - beam, wide_beam: states kept after a column; the second applies to columns before a dead end.
    - exact: whether to give up instead of leaving out a state.
    - spread: the factor by which more states are kept within a column.
    """

    def __init__(
        self, squares: Any, free: Any, beam: int, wide_beam: int, exact: bool, spread: int = 4
    ) -> None:
        self.before, self.must = memoryview(squares.before), memoryview(squares.must)
        self.wanted, self.ground = memoryview(squares.wanted), memoryview(squares.ground)
        width = len(self.must)
        bits = memoryview(squares.allowed).cast("B")
        self.allowed = bits.cast("q", (width, len(squares.allowed) // width))
        self.free = memoryview(free)
        self.beam, self.wide_beam, self.exact, self.spread = beam, wide_beam, exact, spread


@cython.cclass
class StepGraph:
    """The graph of the search, in memory that grows with it.

    - counts, ends: for each cell the number of states before it, and the end of its steps;
      ``counts`` ends with the number of final states.
    - source, target, step: the steps: a state before the cell, one after it, and twice the number
      of the piece that begins there (0 if none), plus 1 if the cell is filled.
    - most_steps: the most steps that get memory; further steps are left out.
    - failure: the exception raised by the last attempt to enlarge the memory, or None.
    """

    def __init__(self, most_steps: int) -> None:
        self.counts = self.ends = zeros("q", 1)
        self.most_steps = most_steps
        self.failure: BaseException | None = None
        first = min(most_steps, _FIRST)
        self.source, self.target = zeros("i", first), zeros("i", first)
        self.step = zeros("h", first)

    def begin(self, counts: Any, ends: Any) -> None:
        """Begin a new graph, with its ``counts`` and ``ends``; the steps are overwritten."""
        self.counts, self.ends = counts, ends

    def grow(self) -> bool:
        """Double the memory for steps; return whether the limit allows it."""
        old = len(self.step)
        count = min(self.most_steps, 2 * old)
        if count <= old:
            return False
        source, target, step = zeros("i", count), zeros("i", count), zeros("h", count)
        source[:old], target[:old], step[:old] = self.source, self.target, self.step
        self.source, self.target, self.step = source, target, step
        return True

    def part(self, count: int) -> tuple[Any, Any, Any]:
        """Return the first ``count`` steps: arrays of sources, targets and codes."""
        steps = memoryview(self.source), memoryview(self.target), memoryview(self.step)
        return steps[0][:count], steps[1][:count], steps[2][:count]


@cython.cclass
class PassMemory:
    """Working memory for one search at a time.

    - states: the states before a cell and after it, in alternating order.
    - left_out: for each state the fewest wanted squares that a path to it leaves out.
    - codes: the hashes, then the penalties of states; the second row is scratch memory.
    - slots, stamp: a hash table of states; the upper half of an entry is the stamp of its cell.
    - histogram: the number of states in each bucket of penalties.
    - new_numbers: the new number of each state; -1 if the state is dropped.
    - saved, saved_counts: the states before each column with ``left_out``, and their number.
    - successors: for each successor of a state its two numbers and the step.
    """

    def __init__(self, width: int, beam: int) -> None:
        most_states = 16 * beam
        self.states = zeros("q", 2, 2, most_states)
        self.left_out = zeros("i", 2, most_states)
        self.codes = zeros("Q", 2, most_states)
        self.slots = zeros("q", 1 << (2 * most_states).bit_length())
        self.stamp = 0
        self.histogram = zeros("q", 1 << 13)
        self.new_numbers = zeros("i", most_states)
        self.saved = zeros("q", width, 3, beam)
        self.saved_counts = zeros("q", width)
        self.successors = zeros("q", 1, 3)

    def renew(self, pieces: int) -> None:
        """Make room for the successors of a state in a stack with this number of pieces."""
        if len(self.successors) <= pieces:
            self.successors = zeros("q", pieces + 1, 3)
        if self.stamp > 1 << 29:  # a larger stamp overflows the slots
            self.slots = zeros("q", len(self.slots))
            self.stamp = 0


@cython.cclass
class ColumnFits:
    """The pieces that may begin in each row of a column, whatever the state.

    - ends: the end of each row's pieces, after a zero.
    - cells, group_end: the cells in ``free1``; the end of the group of pieces with the same cells:
      if one piece of a group does not fit, none fits.
    - free1, free2: the bits that must not be set in the two numbers of a state.
    - sets1, sets2: the bits that the piece sets in the two numbers.
    - needed_bits: the bits that must be set in the first number.
    - level: the level of the piece.
    - level_rule: the last of ``PassStack.masks``: 0, 1 or 2.
    - step: the code of the step, see ``StepGraph``.
    """

    def __init__(self, rows: int, most_pieces: int) -> None:
        self.ends = zeros("q", rows + 1)
        arrays = [zeros("q", most_pieces) for _ in range(10)]
        self.free1, self.sets1, self.free2, self.sets2 = arrays[:4]
        self.needed_bits, self.level, self.level_rule, self.step = arrays[4:8]
        self.cells, self.group_end = arrays[8:]


@cython.cclass
class SearchCursor:
    """The cursor of the search: its cell and its counters.

    - x, v: the cell.
    - now: the index in ``PassMemory.states``, 0 or 1, of the states before the cell.
    - state_count, new_count: the numbers of states before the cell and after it.
    - steps, tried_steps: the number of steps kept; the number of all steps, dropped ones included.
    - is_lost: whether states were left out.
    - needed, wanted, was_filled: whether the cell must be filled by the pass; whether it should be
      filled; whether it was filled before.
    - filled_bit: the bit that records that the cell is filled; 0 if no later check needs it.
    - recorded_rows: the rows of the column whose filled cells are recorded.
    """
