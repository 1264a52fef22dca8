"""Passes: slices of a whole game, and the placements that a pass could use.

Stack all rows of a game, picture rows and clearing rows, in one vertical order (theory:
*virtual rows*). A **pass** is a slice of that stack around the picture row ``base``: a
few picture rows below it (the lower window), then clearing rows with picture rows above
or between them (the upper window), whose squares come down when the clearing rows go.
When the pass begins, nothing lies in ``base`` or above; when it ends, all its clearing
rows are gone. A pass without clearing rows drops pieces that lie wholly in the picture;
it is the only kind that may begin with squares above its base.

The clearing rows of a pass complete in their order from below (any other order would
need a piece to fall past a square of a row that is still there). A piece is given a
**level**: at least ``r + 1`` means "dropped when or after clearing row ``r`` completes".
A piece that covers clearing row ``r`` and has level ``r + 1`` or more is the one that
completes it. Sorted by level and then by what lies on what, the pieces are in an order
in which they can be dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tetrisprinter.planners.shortest.target import Target
from tetrisprinter.tetromino import ORIENTATIONS, Cell, Placement

__all__ = ["Slice", "Spot", "drop_order", "spots"]


@dataclass(frozen=True, slots=True)
class Slice:
    """The shape of a pass.

    Attributes
    ----------
    base : int
        The lowest picture row above a clearing row; the first that must be empty.
    below : int
        Picture rows below the base that the pass can print in.
    stack : str
        The rows from the base upwards: ``c`` a clearing row, ``p`` the next picture row.
    """

    base: int
    below: int
    stack: str

    @property
    def lines(self) -> int:
        """How many rows the pass clears."""
        return self.stack.count("c")

    @property
    def lowest(self) -> int:
        """The picture row at the bottom of the slice."""
        return self.base - self.below

    def rows(self) -> tuple[int, ...]:
        """Return the virtual rows, lowest first: picture row ``y >= 0``, or ``~r``.

        >>> Slice(5, 2, "ccp").rows()
        (3, 4, -1, -2, 5)
        """
        listed = list(range(self.base - self.below, self.base))
        picture, clearing = self.base, 0
        for kind in self.stack:
            if kind == "c":
                listed.append(~clearing)
                clearing += 1
            else:
                listed.append(picture)
                picture += 1
        return tuple(listed)

    def fitted(self, height: int, rows: int) -> Slice | None:
        """Return the slice cut to a picture and to the ceiling; None if nothing is left.

        Parameters
        ----------
        height : int
            No square may lie in this row or above.
        rows : int
            Rows of the picture.
        """
        below = min(self.below, self.base)
        stack = self.stack
        while stack and (
            stack[-1] == "p" and (self.base + stack.count("p") > rows or _tall(self, stack, height))
        ):
            stack = stack[:-1]
        if _tall(self, stack, height) or (not stack and not below):
            return None
        return Slice(self.base, below, stack)


def _tall(cut: Slice, stack: str, height: int) -> bool:
    return cut.base + len(stack) > height


@dataclass(frozen=True, slots=True)
class Spot:
    """A placement in the virtual rows of a slice, at all levels it could have.

    Attributes
    ----------
    placement : Placement
        The piece, y counted from the bottom of the slice.
    matrix : tuple of (int, int)
        Its cells in clearing rows: (x, number of the clearing row).
    picture : tuple of (int, int)
        Its cells in picture rows: (x, y).
    levels : range
        The levels that keep its geometry true.
    feet : tuple of (int, int)
        For each column: x and the virtual row of its lowest cell.
    shade : int
        The number of its squares' colour, if types have no colours yet.
    """

    placement: Placement
    matrix: tuple[Cell, ...]
    picture: tuple[Cell, ...]
    levels: range
    feet: tuple[Cell, ...]
    shade: int = 0


@lru_cache(maxsize=256)
def _shapes(width: int, below: int, stack: str) -> tuple[tuple[Placement, tuple[Cell, ...]], ...]:
    """List the placements of a slice: those that belong to it, wherever the base is."""
    rows = below + len(stack)
    clearing = "c" in stack
    first = below + stack.find("c") if clearing else 0
    listed = []
    for o in ORIENTATIONS:
        for v in range(rows - o.height + 1):
            # What lies wholly below the matrix belongs to a pass without clearing rows.
            if clearing and v + o.height <= first:
                continue
            for x in range(width - o.width + 1):
                feet = tuple((x + dx, v + b) for dx, b in enumerate(o.bottom))
                listed.append((Placement(o, x, v), feet))
    return tuple(listed)


def spots(cut: Slice, target: Target, closed: frozenset[Cell] = frozenset()) -> list[Spot]:
    """Return every placement a pass may use.

    Parameters
    ----------
    cut : Slice
        The shape of the pass.
    target : Target
        What may stay where.
    closed : frozenset of (int, int)
        Picture squares that are filled already.
    """
    rows = cut.rows()
    listed: list[Spot] = []
    for placement, feet in _shapes(target.width, cut.below, cut.stack):
        matrix: list[Cell] = []
        picture: list[Cell] = []
        for x, v in placement.cells:
            y = rows[v]
            if y < 0:
                matrix.append((x, ~y))
            elif (x, y) in closed or not target.may_hold(x, y, placement.orientation.piece):
                break
            else:
                picture.append((x, y))
        else:
            shade = 0
            if target.shades is not None and picture:
                shades = {target.shades[y][x] for x, y in picture}
                if len(shades) > 1:
                    continue
                (shade,) = shades
            levels = range(max((r for _, r in matrix), default=cut.lines - 1) + 2)
            listed.append(Spot(placement, tuple(matrix), tuple(picture), levels, feet, shade))
    return listed


def drop_order(pieces: Sequence[tuple[Placement, int]]) -> tuple[Placement, ...]:
    """Sort placements with their levels into an order in which they can be dropped.

    Within a level a piece follows whatever it has a cell above of; that relation has no
    cycle for column-convex pieces, so repeated selection always ends.
    """
    ordered: list[Placement] = []
    for level in sorted({level for _, level in pieces}):
        left = sorted(
            (p for p, own in pieces if own == level), key=lambda p: (p.y, p.x, p.orientation.index)
        )
        while left:
            ready = next(p for p in left if not any(_on(p, q) for q in left if q is not p))
            left.remove(ready)
            ordered.append(ready)
    return tuple(ordered)


def _on(upper: Placement, lower: Placement) -> bool:
    """Whether ``upper`` has a cell over one of ``lower``'s."""
    low = max(upper.x, lower.x)
    high = min(upper.x + upper.orientation.width, lower.x + lower.orientation.width)
    return any(
        upper.y + upper.orientation.bottom[x - upper.x]
        >= lower.y + lower.orientation.top[x - lower.x]
        for x in range(low, high)
    )
