"""The search for whole games, up the rows of their stack.

Every game has a stack (``docs/bounds.md``): the rows of the picture and, among them, those that
clear. Here the stack and the game are found together, from the lowest row to the highest, cell by
cell. What lies further down matters no more, so games that agree in the next four rows are one.
After each row some are kept for each number of rows that clear: there is no telling which number
is right for the rows below before those above are looked at.

This is a beam search. It is quick and misses much, so it is made again and again: the beam holds
the incumbent (the best game so far) and others, which are chosen otherwise each time and have
cleared no more rows than it at the same height. Each may join it again wherever it pleases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.game.levels import order_drops
from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.budgets import COMMON
from tetrisprinter.planners.games._kernel import DEPTH, swept
from tetrisprinter.planners.games._kernel import Room as Loops
from tetrisprinter.planners.games._kernel_states import Squares, advanced, chosen
from tetrisprinter.planners.games._kernel_uses import Uses, listed
from tetrisprinter.planners.games.uses import OUTLOOK_ROWS, uses
from tetrisprinter.printing.target import Target

__all__ = ["GameFound", "Room", "Upward"]

_INCUMBENT: Final = -2
"""In the place of a state's number: the best game so far leads there."""

_Words = NDArray[np.uint64]
_Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class _StackRow:
    """A row of a game's stack."""

    cleared: int  # rows that clear among all below it, itself and the three above it
    state: _Words  # the state before it
    steps: tuple[int, ...]  # the pieces that begin in it, as the search tells them
    clears: bool  # whether it clears


@dataclass(frozen=True, slots=True)
class GameFound:
    """A game."""

    lines: int  # rows that clear
    rows: tuple[_StackRow, ...]  # its stack from below, and what begins in each row

    def passes(self) -> tuple[Pass, ...]:
        """Draw what is dropped before the first row goes, then before the second, and so on."""
        clears = [row.clears for row in self.rows] + [False] * (2 * OUTLOOK_ROWS)
        rank = [sum(clears[:v]) for v in range(len(clears))]
        drawings: dict[int, list[tuple[Placement, int]]] = {}
        for v, row in enumerate(self.rows):
            for x, step in enumerate(row.steps):
                if step:
                    o = ORIENTATIONS[step - 1 & 31]
                    gone = (step - 1 >> 5 & 15) - DEPTH + rank[v]
                    left = min(o.cells, key=lambda cell: (cell[1], cell[0]))[0]
                    # its lowest row is still there, so only rows below it have gone
                    placement = Placement(o, x - left, v - min(gone, rank[v]))
                    drawings.setdefault(gone, []).append((placement, step - 1 >> 9))
        return tuple(_draw_pieces(pieces) for _, pieces in sorted(drawings.items()))


def _draw_pieces(pieces: Sequence[tuple[Placement, int]]) -> Pass:
    """Draw pieces, with 1 for the one that completes a row, in an order in which they drop."""
    order = order_drops([one.cells for one, _ in pieces], [level for _, level in pieces])
    return Pass.of(tuple(pieces[number][0] for number in order))


class Room:
    """Room to work in for one search at a time."""

    def __init__(self, width: int, beam: int) -> None:
        within = beam * COMMON.within
        self.beam, self.within = beam, within
        self.loops = Loops(width, max(20_000, 12 * within), within)
        self.origins = np.zeros(within + 1, np.int32)
        self.ways = np.zeros((within + 1, width), np.int32)


class Upward:
    """Looks for games that leave a picture."""

    def __init__(self, target: Target) -> None:
        self.rows, self.width, self.height = target.rows, target.width, target.height
        self.reached = 0
        self.left_out = True
        allowed = np.zeros((self.rows + OUTLOOK_ROWS + 1, self.width), np.int64)
        for x, y in target.required:
            allowed[y, x] = target.allowed[y][x]
        self.due = (allowed > 0).view("u1")
        self.uses = Uses([tuple(uses(outlook)) for outlook in range(1 << OUTLOOK_ROWS)])
        self.fits, self.covers = listed(self.uses, allowed, self.rows, self.height)

    def find(
        self,
        room: Room,
        seed: int,
        incumbent: GameFound | None = None,
        most: int = 1 << 30,
    ) -> GameFound | None:
        """Look for a game that clears no more rows than the incumbent, if there is one."""
        climb = _Climb(self, room, seed, incumbent, most)
        found = climb.found()
        self.left_out = climb.left_out
        return found


class _States(NamedTuple):
    """States before a row, and where each comes from."""

    words: _Words  # the states, see the module ``bits``
    sources: _Ints  # the number of the state after the row below, or what no state has
    beginnings: _Ints  # how many rows were cleared in it: which of the lists there it stands in

    @classmethod
    def of(cls, words: _Words, source: int | _Ints, beginning: int) -> _States:
        """Return states that all come from the same list."""
        count = words.shape[1]
        return cls(words, np.full(count, source, np.int32), np.full(count, beginning, np.int32))

    @classmethod
    def together(cls, parts: Sequence[_States]) -> _States:
        """Put states of several kinds together."""
        words, sources, beginnings = zip(*parts, strict=True)
        joined = np.ascontiguousarray(np.concatenate(words, axis=1))
        return cls(joined, np.concatenate(sources), np.concatenate(beginnings))


class _RowStep(NamedTuple):
    """What was done in a row: the states before it and, for each one after it, the way there."""

    before: _States
    origins: _Ints
    ways: _Ints
    clears: NDArray[np.bool_]


class _Climb:
    """A single search."""

    def __init__(
        self, task: Upward, room: Room, seed: int, incumbent: GameFound | None, most: int
    ) -> None:
        self.task, self.room = task, room
        self.begun = () if incumbent is None else incumbent.rows
        self.chance = (seed * 2654435761 * 7919 | 1) & (1 << 64) - 1
        self.history: list[dict[int, _RowStep]] = []
        # Any number will do; far more than a game needs.
        self.most = min(most, task.rows * task.width) if incumbent is None else incumbent.lines
        self.left_out = incumbent is not None

    def found(self) -> GameFound | None:
        """Go up row by row until nothing is left."""
        layer = self._lowest()
        best: GameFound | None = None
        while layer and len(self.history) <= self.task.rows + self.most:
            v, fewest = len(self.history), min(layer)
            self.history.append({})
            above: dict[int, list[_States]] = defaultdict(list)
            for cleared in sorted(layer):
                if cleared > self.most:
                    continue
                if not self._is_near(v, cleared, fewest):
                    self.left_out = True
                    continue
                squares, y_of = self._squares(v, cleared)
                before = self._keep_states(v, cleared, layer[cleared], squares)
                end = self._end(before.words, y_of) if v >= self.task.rows else None
                if end is not None:
                    start = int(before.sources[end]), int(before.beginnings[end])
                    best = self._trace_game(v, cleared, *start)
                    self.most = cleared - 1
                elif before.words.shape[1]:
                    for clearing, after in self._grow_row(v, cleared, squares, y_of, before):
                        above[cleared + clearing].append(after)
            layer = {cleared: _States.together(parts) for cleared, parts in above.items()}
            if layer and v + 1 < len(self.begun):
                nothing = _States.of(np.zeros((5, 0), np.uint64), 0, 0)
                layer.setdefault(self.begun[v + 1].cleared, nothing)
        self.left_out |= any(cleared <= self.most for cleared in layer)
        return best

    def _lowest(self) -> dict[int, _States]:
        """Return the states before the lowest row: one for each outlook."""
        layer: dict[int, list[_States]] = defaultdict(list)
        for outlook in range(1 << OUTLOOK_ROWS):
            cleared = outlook.bit_count()
            if outlook.bit_length() - cleared <= self.task.rows:
                words = np.zeros((5, 1), np.uint64)
                words[4] = outlook << 49
                layer[cleared].append(_States.of(words, -1, -1))
        return {cleared: _States.together(parts) for cleared, parts in layer.items()}

    def _is_near(self, v: int, cleared: int, fewest: int) -> bool:
        """Return whether a number of cleared rows is worth looking at."""
        if v < len(self.begun):
            return cleared <= self.begun[v].cleared
        return cleared <= fewest + COMMON.span

    def _squares(self, v: int, cleared: int) -> tuple[Squares, NDArray[np.int64]]:
        """Return what must be filled, and for each outlook the next row of the picture."""
        task = self.task
        below = [max(0, v - cleared + outlook.bit_count()) for outlook in range(1 << OUTLOOK_ROWS)]
        y_of = np.array(below, np.int64)
        return Squares(task.due, task.fits, task.covers, y_of, self.chance), y_of

    def _keep_states(self, v: int, cleared: int, states: _States, squares: Squares) -> _States:
        """Choose states, that of the incumbent among them."""
        words, sources, beginnings = states
        kept = chosen(squares, words, self.room.beam, sources, beginnings)
        self.left_out |= kept >= self.room.beam
        states = _States(words[:, :kept], sources[:kept], beginnings[:kept])
        if v < len(self.begun) and self.begun[v].cleared == cleared:
            its = self.begun[v].state[:, None]
            if not (states.words == its).all(axis=0).any():
                return _States.together([states, _States.of(its, _INCUMBENT, _INCUMBENT)])
        return states

    def _end(self, states: _Words, y_of: NDArray[np.int64]) -> int | None:
        """Return the number of a state in which all is done."""
        outlooks = (states[4] >> 49 & 15).astype(int)
        is_done = (outlooks == 0) & (y_of[outlooks] >= self.task.rows) & ~states[:4].any(axis=0)
        return int(is_done.argmax()) if is_done.any() else None

    def _grow_row(
        self, v: int, cleared: int, squares: Squares, y_of: NDArray[np.int64], before: _States
    ) -> Iterator[tuple[int, _States]]:
        """Go through a row; yield what follows, with 1 if the row that comes into sight clears."""
        task, room = self.task, self.room
        count = before.words.shape[1]
        words = np.zeros((5, max(count, room.within) + 1), np.uint64)
        words[:, :count] = before.words
        live, is_cut = swept(
            task.uses, squares, room.loops, (v, task.height), words, count,
            (room.origins, room.ways),
        )  # fmt: skip
        self.left_out |= is_cut
        if not live:
            return
        task.reached = max(task.reached, v + OUTLOOK_ROWS - cleared)
        clears = (words[4, :live] >> 49 & 1).astype(bool)
        self.history[v][cleared] = _RowStep(
            before, room.origins[:live].copy(), room.ways[:live].copy(), clears
        )
        for clearing in (0, 1):
            may = np.ones(1 << OUTLOOK_ROWS, np.bool_)
            if clearing:
                for outlook in range(1 << OUTLOOK_ROWS):
                    placed = y_of[outlook] + OUTLOOK_ROWS - outlook.bit_count()
                    may[outlook] = placed <= task.rows and outlook >> 1 != 7
            out, sources = np.zeros((5, live), np.uint64), np.zeros(live, np.int32)
            n = advanced(words, live, bool(clearing), may, task.width, out, sources)
            if n:
                yield clearing, _States.of(out[:, :n], sources[:n], cleared)

    def _trace_game(self, v: int, cleared: int, at: int, bucket: int) -> GameFound:
        """Return the game that leads to an end."""
        rows: list[_StackRow] = []
        while v and at != _INCUMBENT:
            v -= 1
            step = self.history[v][bucket]
            origin = step.origins[at]
            state = step.before.words[:, origin].copy()
            its = tuple(step.ways[at].tolist())
            rows.append(_StackRow(bucket, state, its, bool(step.clears[at])))
            at, bucket = int(step.before.sources[origin]), int(step.before.beginnings[origin])
        return GameFound(cleared, (*self.begun[:v], *reversed(rows)))
