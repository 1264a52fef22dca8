"""A row printed on a platform: the way out where squares have nothing to stand on.

A **platform** is some rows built over what lies there, full but for a **slot** that is as large
as one piece. On it every square of a row stands on something, so the row can be printed in
several passes, as if on the floor. The slot lies where the row leaves columns free; in the end
its piece falls through them, the platform vanishes, and the row comes down.

The lowest row of a platform whose slot is for a hooked J or L vanishes before it carries
anything, so the slot needs nothing below it. One for an upright I must be over a square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import PLATFORM_ROWS, Pass
from tetrisprinter.planners.rows.parts import Part, Parts
from tetrisprinter.planners.rows.passes import Columns, Finder, Pieces, Squares, drop_order
from tetrisprinter.planners.rows.stacks import stack_of
from tetrisprinter.planners.rows.steps import State
from tetrisprinter.planners.rows.target import RowTarget
from tetrisprinter.planners.run import Work

__all__ = ["Platform", "row_in_parts"]

_SLOTS: Final = 6
"""How many places for a slot are tried."""
_HOOKS: Final = tuple(o for o in ORIENTATIONS if o.row_widths == (1, 1, 2) and o.width == 2)
_UPRIGHT: Final = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)


@dataclass(frozen=True, slots=True)
class Platform:
    """Rows that are taken away again.

    Attributes
    ----------
    word : str
        Its stack: the rows that vanish at once, then those that carry.
    slot : Placement
        The piece that completes it.
    """

    word: str
    slot: Placement

    @property
    def rows(self) -> int:
        """Rows that carry."""
        return self.word.count("b")

    @property
    def columns(self) -> Columns:
        """Columns that must be free above it."""
        return frozenset(x for x, _ in self.slot.cells)

    def pieces(self, finder: Finder, ground: Columns, beam: int) -> Pieces | None:
        """Return its pieces over what lies below; None if there are none."""
        import numpy as np

        stack, width = stack_of(self.word), finder.width
        allowed = np.full((width, len(self.word)), sum(1 << piece for piece in PieceType), np.int64)
        must = np.full(width, (1 << len(self.word)) - 1, np.int64)
        for x, y in self.slot.cells:
            allowed[x, y] = 0
            must[x] &= ~(1 << y)
        below = np.zeros(width, np.int64)
        below[list(ground)] = 1
        graph = finder.explore(stack, Squares(np.zeros_like(must), must, allowed, below), beam)
        found = finder.meet(graph, frozenset(), None, 1)
        return None if found is None else found[0]


def row_in_parts(
    target: RowTarget, height: int, state: State, beam: int, work: Work | None = None
) -> tuple[tuple[Pass, ...], State] | None:
    """Print a row from a clean row to a clean row, pass by pass: on a platform if need be.

    Parameters
    ----------
    target : RowTarget
        The end of the game.
    height : int
        Rows of the board.
    state : State
        Where nothing is begun.
    beam : int
        States kept per column.
    work : Work, optional
        Where it is counted how much is searched.

    Returns
    -------
    (tuple of Pass, State) or None
        None if these searches find no way.
    """
    row, ground = state.rows, state.ground
    finder = Finder(target.width, beam, work)
    parts = Parts(finder, target, height, row, ground, beam, clean=True).found(frozenset(), True)
    if parts:
        return _played(parts), State(row + 1, parts[-1].left, frozenset())
    tried = 0
    for platform in _platforms(target.columns(row), ground, target.width):
        if row + PLATFORM_ROWS > height or tried == _SLOTS:
            return None
        base = platform.pieces(finder, ground, beam)
        if base is None:
            continue
        tried += 1
        # What is not seen must not lie in the slot's way either.
        allowed = target.allowed.copy()
        allowed[row, sorted(platform.columns)] = 0
        full = frozenset(range(target.width)) - platform.columns
        search = Parts(
            finder, replace(target, allowed=allowed), height - platform.rows, row, full, beam,
            clean=True,
        )  # fmt: skip
        parts = search.found(frozenset(), True)
        if parts:
            first = Pass(PLATFORM_ROWS, drop_order(base))
            last = Pass(PLATFORM_ROWS, (platform.slot,))
            return (first, *_played(parts), last), State(row + 1, parts[-1].left, frozenset())
    return None


def _played(parts: Sequence[Part]) -> tuple[Pass, ...]:
    return tuple(Pass(len(part.word), drop_order(part.pieces)) for part in parts)


def _platforms(squares: Columns, ground: Columns, width: int) -> Iterator[Platform]:
    """Yield platforms whose slot lies below columns without squares, those at the walls first."""
    word = "c" + "b" * (PLATFORM_ROWS - 1)
    places = [
        (min(x, width - 2 - x), hook, x)
        for x in range(width - 1)
        for hook in _HOOKS
        if squares.isdisjoint((x, x + 1))
    ]
    for _, hook, x in sorted(places, key=lambda place: (place[0], place[2])):
        yield Platform(word, Placement(hook, x, 1))
    for x in sorted(ground - squares):
        yield Platform("b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0))
