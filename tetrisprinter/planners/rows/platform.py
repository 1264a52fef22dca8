"""A row printed on a platform: what goes on from any state if nothing else does.

A platform is some rows over what lies there, full but for a **slot** as large as one piece. On it
every square of the row stands on something, as on the floor. The slot lies where the row leaves
columns free; in the end its piece falls through them, the platform vanishes, and the row comes
down, with what lies above it.

What is carried becomes a part of the platform's lowest row. So that the number of its cells comes
out even, some squares may lie on the platform, which are carried in their turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import PLATFORM_ROWS, Pass
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.parts import Part, RowInParts
from tetrisprinter.planners.rows.passes import (
    Columns,
    Finder,
    Graph,
    Pieces,
    Squares,
    drop_order,
    fullest,
)
from tetrisprinter.planners.rows.stacks import stack_of
from tetrisprinter.planners.rows.target import RowTarget, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["on_platform"]

_HOOKS: Final = tuple(o for o in ORIENTATIONS if o.row_widths == (1, 1, 2) and o.width == 2)
_UPRIGHT: Final = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)


def on_platform(
    finder: Finder, target: RowTarget, height: int, beam: int, state: State
) -> tuple[tuple[Pass, ...], State] | None:
    """Print the next row on a platform; after the last row nothing is left above.

    Where no platform goes over what is carried, a pass before leaves more beside it.

    Parameters
    ----------
    finder : Finder
        Of the board's width.
    target : RowTarget
        The end of the game.
    height : int
        Rows of the board.
    beam : int
        States kept per column.
    state : State
        What lies there.

    Returns
    -------
    (tuple of Pass, State) or None
        What is dropped, and what lies there then.
    """
    search = _Search(finder, target, height, beam)
    found = search.printed(state)
    if found is None and state.carried:
        for first, wider in search.wider(state):
            after = search.printed(wider)
            if after is not None:
                return (first, *after[0]), after[1]
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    """A search for a platform; see :func:`on_platform`."""

    finder: Finder
    target: RowTarget
    height: int
    beam: int

    def printed(self, state: State) -> tuple[tuple[Pass, ...], State] | None:
        """Print a row on the first platform on which that is possible."""
        row, tried = state.rows, 0
        over = "b" if len(state.carried) % 4 else ""
        if row + PLATFORM_ROWS + len(over) > self.height:
            return None
        for word, slot in _platforms(self.target.columns(row), state, self.target.width):
            base = self._base(word + over, slot, state)
            if base is None:
                continue
            parts = self._parts(word, slot, row, base)
            if parts:
                passes = (
                    Pass(len(word + over), drop_order(base)),
                    *(Pass(len(part.word), drop_order(part.pieces)) for part in parts),
                    Pass(PLATFORM_ROWS, (slot,)),
                )
                return passes, State(row + 1, parts[-1].left, parts[-1].above)
            tried += 1
            if tried == BUDGETS.slots:
                break
        return None

    def _parts(self, word: str, slot: Placement, row: int, base: Pieces) -> list[Part] | None:
        """Print a row on a platform; the slot stays open to the sky."""
        # What is not seen must not lie in the slot's way either.
        free = frozenset(x for x, _ in slot.cells)
        allowed = self.target.allowed.copy()
        allowed[row, sorted(free)] = 0
        full = frozenset(range(self.target.width)) - free
        carried = frozenset(x for one, _ in base for x, y in one.cells if y == len(word))
        above = self.height - word.count("b")
        target = replace(self.target, allowed=allowed)
        is_last = row + 1 == target.rows
        return RowInParts(
            self.finder, target, above, State(row, full, carried), self.beam, is_last, closed=free
        ).found()

    def _base(self, word: str, slot: Placement, state: State) -> Pieces | None:
        """Return the pieces of a platform over what lies below; None if there are none."""
        import numpy as np

        must = np.full(self.target.width, (1 << PLATFORM_ROWS) - 1, np.int64)
        allowed = self._anything(len(word))
        for x, y in slot.cells:
            allowed[x, y:] = 0
            must[x] &= ~(1 << y)
        graph = self._explored(word, state, must, allowed)
        found = self.finder.meet(graph, state.carried, None, 1)
        return None if found is None else found[0]

    def wider(self, state: State) -> Iterator[tuple[Pass, State]]:
        """Yield passes after which more is carried: rows vanish over what is."""
        import numpy as np

        width = self.target.width
        for lines in range(1, BUDGETS.most_lines + 1):
            word = "p" + "c" * lines
            if state.rows + len(word) > self.height:
                return
            must = np.full(width, (1 << len(word)) - 2, np.int64)
            graph = self._explored(word, state, must, self._anything(len(word)))
            pieces = fullest(graph, 0, frozenset(range(width)))
            if pieces is not None:
                more = frozenset(x for one, _ in pieces for x, y in one.cells if not y)
                if more and len(more | state.carried) < width:
                    wider = replace(state, carried=more | state.carried, stays=False)
                    yield Pass(len(word), drop_order(pieces)), wider

    def _anything(self, rows: int) -> Ints:
        import numpy as np

        return np.full((self.target.width, rows), sum(1 << one for one in PieceType), np.int64)

    def _explored(self, word: str, state: State, must: Ints, allowed: Ints) -> Graph:
        import numpy as np

        before, below = np.zeros_like(must), np.zeros_like(must)
        before[sorted(state.carried)] = 1
        below[sorted(state.ground)] = 1
        squares = Squares(before, must & ~before, np.zeros_like(must), allowed, below)
        return self.finder.explore(stack_of(word), squares, self.beam)


def _platforms(squares: Columns, state: State, width: int) -> Iterator[tuple[str, Placement]]:
    """Yield the stacks of platforms and their slots, below columns without squares.

    The lowest row of a platform whose slot is for a hooked J or L vanishes before it carries
    anything, so the slot needs nothing below it. One for an upright I must be over a square.
    """
    hooked = [x for x in range(width - 1) if squares.isdisjoint((x, x + 1))]
    for x in sorted(hooked, key=lambda x: min(x, width - 2 - x)):
        for hook in _HOOKS:
            yield "c" + "b" * (PLATFORM_ROWS - 1), Placement(hook, x, 1)
    for x in sorted(state.ground - squares - state.carried):
        yield "b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0)
