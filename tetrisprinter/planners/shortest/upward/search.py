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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.rows.passes import drop_order
from tetrisprinter.planners.rows.target import RowTarget
from tetrisprinter.planners.shortest.upward.uses import ROWS, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

__all__ = ["WIDEST", "GameFound", "Room", "Upward"]

WIDEST: Final = 12
"""Columns of a board that a state has room for."""
_WITHIN: Final = 3
"""How many times as many states are kept within a row."""
_SPAN: Final = 6
"""How many rows more may have cleared than in the game with the fewest at that height."""
_FEWER: Final = 8
"""How many rows fewer than in the best game; those with fewer lead nowhere."""
_MORE_ROWS: Final = 50
"""How many rows a stack may have beside those of the picture."""
_PENALTIES: Final = ((0, 2, 1, 0, 0), (0, 2, 1, 0, 0), (0, 0, 0, 0, 0))
"""What a square of the next three rows costs a state, by how many pieces can still cover it."""
_INCUMBENT: Final = -2
"""In the place of a state's number: the best game so far leads there."""


@dataclass(frozen=True, slots=True, eq=False)
class _StackRow:
    """A row of a game's stack.

    Attributes
    ----------
    cleared : int
        Rows that clear among all below it, itself and the three above it.
    state : array
        The state before it.
    steps : tuple of int
        The pieces that begin in it, as the search tells them.
    clears : bool
        Whether it clears.
    """

    cleared: int
    state: Words
    steps: tuple[int, ...]
    clears: bool


@dataclass(frozen=True, slots=True)
class GameFound:
    """A game.

    Attributes
    ----------
    lines : int
        Rows that clear.
    rows : tuple
        Its stack from below, and what begins in each row.
    """

    lines: int
    rows: tuple[_StackRow, ...]

    def passes(self) -> tuple[Pass, ...]:
        """Draw what is dropped before the first row goes, then before the second, and so on."""
        from tetrisprinter.planners.shortest.upward._kernel import DEPTH

        clears = [row.clears for row in self.rows] + [False] * (2 * ROWS)
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
        return tuple(Pass.of(drop_order(tuple(pieces))) for _, pieces in sorted(drawings.items()))


class Room:
    """Room to work in for one search at a time."""

    def __init__(self, width: int, beam: int) -> None:
        import numpy as np

        from tetrisprinter.planners.shortest.upward import _kernel

        within = beam * _WITHIN
        most = max(20_000, 12 * within)
        self.beam, self.within = beam, within
        self.loops = _kernel.Room(width, most, within)
        self.origins = np.zeros(within + 1, np.int32)
        self.ways = np.zeros((within + 1, width), np.int32)


class Upward:
    """Looks for games that leave a picture.

    Parameters
    ----------
    target : RowTarget
        The end of the game, in which nothing is left to choose.
    height : int
        Rows of the board.

    Attributes
    ----------
    reached : int
        How many rows of the picture came into sight so far.
    left_out : bool
        Whether the last search left out what it had no room for. If not, no game of its kind
        clears fewer rows than the one it found, or as few as it might: rows go one at a time
        and from below, no four in a row, a piece lies in four rows of the stack, and drops
        when at most three rows below it are still to go, or two of the next three have gone.
    """

    def __init__(self, target: RowTarget, height: int) -> None:
        import numpy as np

        from tetrisprinter.planners.shortest.upward import _kernel, _kernel_lists

        self.rows, self.width, self.height = target.rows, target.width, height
        self.reached = 0
        self.left_out = True
        more = ((0, ROWS + 1), (0, 0))
        allowed = np.pad(np.where(target.required > 0, target.allowed, 0), more)
        self._due = np.pad(target.required > 0, more)
        uses, counts = table()
        fits, self._covers = _kernel_lists.listed(allowed, self.rows, height, uses, counts)
        self._uses = _kernel.Uses(uses, fits)
        self._penalties = np.array(_PENALTIES, np.int64)

    def squares(self, y_of: Any, chance: int) -> Any:
        """Return what must be filled, for the compiled loops.

        Parameters
        ----------
        y_of : array
            For each outlook the next row of the picture.
        chance : int
            What decides between equals.
        """
        from tetrisprinter.planners.shortest.upward import _kernel_states

        due = self._due.view("u1")
        return _kernel_states.Squares(due, self._covers, self._penalties, y_of, chance)

    def find(
        self,
        room: Room,
        seed: int,
        incumbent: GameFound | None = None,
        most: int = 1 << 30,
    ) -> GameFound | None:
        """Look for a game that clears no more rows than the incumbent, if there is one.

        Parameters
        ----------
        room : Room
            How many states are kept, too.
        seed : int
            Which of equally good states are kept.
        incumbent : GameFound or None
            The best game so far; the beam keeps it beside others.
        most : int
            Rows that may clear.
        """
        climb = _Climb(self, room, seed, incumbent, most)
        found = climb.found()
        self.left_out = climb.left_out
        return found


class _States(NamedTuple):
    """States before a row, and where each comes from.

    Attributes
    ----------
    words : array of shape (5, states)
        The states, see the module ``bits``.
    sources : array
        The number of the state after the row below, or what no state has.
    beginnings : array
        How many rows were cleared in it: which of the lists there it stands in.
    """

    words: Any
    sources: Any
    beginnings: Any

    @classmethod
    def of(cls, words: Any, source: int, beginning: int) -> _States:
        """Return states that all come from the same."""
        import numpy as np

        count = words.shape[1]
        return cls(words, np.full(count, source, np.int32), np.full(count, beginning, np.int32))

    @classmethod
    def together(cls, parts: Sequence[_States]) -> _States:
        """Put states of several kinds together."""
        import numpy as np

        words, sources, beginnings = zip(*parts, strict=True)
        joined = np.ascontiguousarray(np.concatenate(words, axis=1))
        return cls(joined, np.concatenate(sources), np.concatenate(beginnings))


class _RowStep(NamedTuple):
    """What was done in a row: the states before it and, for each one after it, the way there."""

    before: _States
    origins: Any
    ways: Any
    clears: Any


class _Climb:
    """A single search."""

    def __init__(
        self, task: Upward, room: Room, seed: int, incumbent: GameFound | None, most: int
    ) -> None:
        self.task, self.room = task, room
        self.begun = () if incumbent is None else incumbent.rows
        self.chance = (seed * 2654435761 * 7919 | 1) & (1 << 64) - 1
        self.history: list[dict[int, _RowStep]] = []
        self.most = most if incumbent is None else incumbent.lines
        self.left_out = incumbent is not None

    def found(self) -> GameFound | None:
        """Go up row by row until nothing is left."""
        import numpy as np

        layer = self._lowest()
        best: GameFound | None = None
        while layer and len(self.history) < self.task.rows + _MORE_ROWS:
            v, steps = len(self.history), dict[int, _RowStep]()
            above: dict[int, list[_States]] = {}
            fewest = min(layer)
            for cleared in sorted(layer):
                if cleared > self.most:
                    continue
                if not self._is_near(v, cleared, fewest):
                    self.left_out = True
                    continue
                y_of = np.array(
                    [max(0, v - cleared + one.bit_count()) for one in range(1 << ROWS)], np.int64
                )  # for each outlook the next row of the picture
                before = self._kept(v, cleared, layer[cleared], y_of)
                self.left_out |= before.words.shape[1] >= self.room.beam
                if not before.words.shape[1]:
                    continue
                end = self._end(before.words, y_of) if v >= self.task.rows else None
                if end is None:
                    self._grow(v, cleared, y_of, before, steps, above)
                else:
                    start = int(before.sources[end]), int(before.beginnings[end])
                    best = self._traced(v, cleared, *start)
                    self.most = cleared - 1
            self.history.append(steps)
            layer = {cleared: _States.together(parts) for cleared, parts in above.items()}
            if layer and v + 1 < len(self.begun):
                nothing = _States.of(np.zeros((5, 0), np.uint64), 0, 0)
                layer.setdefault(self.begun[v + 1].cleared, nothing)
        self.left_out |= any(cleared <= self.most for cleared in layer)
        return best

    def _lowest(self) -> dict[int, _States]:
        """Return the states before the lowest row: one for each outlook."""
        import numpy as np

        layer: dict[int, list[_States]] = {}
        for outlook in range(1 << ROWS):
            cleared = outlook.bit_count()
            if outlook.bit_length() - cleared <= self.task.rows:
                words = np.zeros((5, 1), np.uint64)
                words[4] = outlook << 49
                layer.setdefault(cleared, []).append(_States.of(words, -1, -1))
        return {cleared: _States.together(parts) for cleared, parts in layer.items()}

    def _is_near(self, v: int, cleared: int, fewest: int) -> bool:
        """Whether a number of cleared rows is worth looking at."""
        if v < len(self.begun):
            return self.begun[v].cleared - _FEWER <= cleared <= self.begun[v].cleared
        return cleared <= fewest + _SPAN

    def _kept(self, v: int, cleared: int, states: _States, y_of: Any) -> _States:
        """Choose states, that of the incumbent among them."""
        from tetrisprinter.planners.shortest.upward import _kernel_states

        words, sources, beginnings = states
        squares = self.task.squares(y_of, self.chance)
        kept = _kernel_states.chosen(squares, words, self.room.beam, sources, beginnings)
        states = _States(words[:, :kept], sources[:kept], beginnings[:kept])
        if v < len(self.begun) and self.begun[v].cleared == cleared:
            its = self.begun[v].state[:, None]
            if not (states.words == its).all(axis=0).any():
                return _States.together([states, _States.of(its, _INCUMBENT, _INCUMBENT)])
        return states

    def _end(self, states: Any, y_of: Any) -> int | None:
        """Return the number of a state in which all is done."""
        outlooks = (states[4] >> 49 & 15).astype(int)
        is_done = (outlooks == 0) & (y_of[outlooks] >= self.task.rows) & ~states[:4].any(axis=0)
        return int(is_done.argmax()) if is_done.any() else None

    def _grow(
        self,
        v: int,
        cleared: int,
        y_of: Any,
        before: _States,
        steps: dict[int, _RowStep],
        above: dict[int, list[_States]],
    ) -> None:
        """Go through a row, and let one that clears or one of the picture come into sight."""
        import numpy as np

        from tetrisprinter.planners.shortest.upward import _kernel, _kernel_states

        task, room = self.task, self.room
        count = before.words.shape[1]
        words = np.zeros((5, max(count, room.within) + 1), np.uint64)
        words[:, :count] = before.words
        live, is_cut = _kernel.swept(
            task._uses, task.squares(y_of, self.chance), room.loops, (v, task.height),
            words, count, (room.origins, room.ways),
        )  # fmt: skip
        self.left_out |= is_cut
        if not live:
            return
        task.reached = max(task.reached, v + ROWS - cleared)
        clears = (words[4, :live] >> 49 & 1).astype(bool)
        steps[cleared] = _RowStep(
            before, room.origins[:live].copy(), room.ways[:live].copy(), clears
        )
        for clearing in (0, 1):
            may = np.ones(1 << ROWS, np.bool_)
            if clearing:
                for outlook in range(1 << ROWS):
                    placed = y_of[outlook] + ROWS - outlook.bit_count()
                    may[outlook] = placed <= task.rows and outlook >> 1 != 7
            out, come_from = np.zeros((5, live), np.uint64), np.zeros(live, np.int32)
            n = _kernel_states.advanced(
                words, live, bool(clearing), may, task.width, out, come_from
            )
            if n:
                new = _States.of(out[:, :n], 0, cleared)._replace(sources=come_from[:n])
                above.setdefault(cleared + clearing, []).append(new)

    def _traced(self, v: int, cleared: int, at: int, bucket: int) -> GameFound:
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
