"""Single squares printed from above: the last pieces of a matrix that stick out of its top.

The row must be empty. The matrix is left with dents for these pieces, the *caps*; when they
fall into them, all its rows vanish and what stuck out comes down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tetrisprinter.game.counting import makes_pieces
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.direct.emitters import CAPS

__all__ = ["ATTEMPTS", "RETRIES", "Caps"]

ATTEMPTS = 300
RETRIES = 20
"""How many placements a search tries from one start, and how many starts it makes."""
_Row = dict[int, Color]


@dataclass(frozen=True, slots=True)
class Caps:
    """Passes that print from above.

    Attributes
    ----------
    types : mapping of PieceType to str
        The colour of each type.
    width : int
        Columns of the board.
    seed : int
        Same seed, same pass.
    """

    types: Mapping[PieceType, Color]
    width: int
    seed: int

    def above(self, squares: _Row, ground: frozenset[int], rows: int) -> Pass | None:
        """Return the pass that leaves these squares, by column; None if none was found.

        Parameters
        ----------
        squares : dict of int to str
            The colours of the squares.
        ground : frozenset of int
            Columns that hold a square of the row from below.
        rows : int
            How many rows of the board are above it.
        """
        caps = self._chosen(squares, ground)
        if not caps:
            return None
        deepest = max(o.height - 1 for o, _ in caps)
        for lines in range(deepest + 1, min(rows, deepest + 9)):
            if not makes_pieces(self.width * lines + len(squares)):
                continue
            filling = self._filling(caps, ground, lines)
            if filling is not None:
                tops = [Placement(o, x, lines + 1 - o.height) for o, x in caps]
                return Pass(lines + 1, (*filling, *tops))
        return None

    def _chosen(
        self, squares: _Row, ground: frozenset[int]
    ) -> list[tuple[Orientation, int]] | None:
        """Choose pieces side by side that leave exactly these squares on top.

        When they fall, the rows below their feet have gone. A piece that is not flat is
        held by the row it completes itself, a flat one only by what the matrix stood on.
        """
        caps: list[tuple[Orientation, int]] = []
        left, taken = dict(squares), -1
        while left:
            first = min(left)
            for orientation in CAPS:
                on_top = [x for x, top in enumerate(orientation.top) if top == orientation.height]
                x = first - on_top[0]
                feet = range(x, x + orientation.width)
                if (
                    taken < x <= self.width - orientation.width
                    and not (orientation.is_flat and ground.isdisjoint(feet))
                    and all(
                        left.get(x + dx) == self.types.get(orientation.piece, "") for dx in on_top
                    )
                ):
                    caps.append((orientation, x))
                    taken = x + orientation.width - 1
                    for dx in on_top:
                        del left[x + dx]
                    break
            else:
                return None
        return caps

    def _filling(
        self, caps: Sequence[tuple[Orientation, int]], ground: frozenset[int], lines: int
    ) -> tuple[Placement, ...] | None:
        import numpy as np

        from tetrisprinter.packings.finders import _kernel

        ceilings = np.full(self.width, lines, np.int64)
        for orientation, x in caps:
            for dx, bottom in enumerate(orientation.bottom):
                ceilings[x + dx] = lines + 1 - orientation.height + bottom
        placed = np.array(
            [
                o.index * self.width + x
                for o in ORIENTATIONS
                for x in range(self.width - o.width + 1)
            ],
            np.int64,
        )
        out = np.zeros(int(ceilings.sum()) // 4 + 1, np.int64)
        held = np.array([x in ground for x in range(self.width)])
        for start in range(RETRIES):
            order = np.random.default_rng((self.seed, start)).permutation(placed)
            order = order[np.argsort(order % self.width, kind="stable")]
            heights = np.zeros(self.width, np.int64)
            status, _ = _kernel.search(
                heights, ceilings, held, order, ATTEMPTS, np.zeros(1, np.bool_), out
            )
            if status == _kernel.FOUND:
                break
        else:
            return None
        tops = [0] * self.width
        pieces: list[Placement] = []
        for code in out[: int(ceilings.sum()) // 4]:
            index, x = divmod(int(code), self.width)
            orientation = ORIENTATIONS[index]
            y = tops[x] - orientation.bottom[0]
            pieces.append(Placement(orientation, x, y))
            for dx, top in enumerate(orientation.top):
                tops[x + dx] = y + top
        return tuple(pieces)
