"""Passes: slices of a whole game, and the placements that a pass could use.

Stack all rows of a game, picture rows and clearing rows, in one vertical order (theory:
*virtual rows*). A **pass** is a slice of that stack around the picture row ``base``: a
few picture rows below it (the lower window), then clearing rows with picture rows above
or between them (the upper window), whose squares come down when the clearing rows go.
When the pass begins, nothing lies in ``base`` or above; when it ends, all its clearing
rows are gone. A pass without clearing rows drops pieces that lie wholly in the picture;
it is the only kind that may begin with squares above its base.

The clearing rows of a pass complete in an order that the slice fixes, usually from below;
they are numbered in that order. A piece is given a
**level**: at least ``r + 1`` means "dropped when or after clearing row ``r`` completes".
A piece that covers clearing row ``r`` and has level ``r + 1`` or more is the one that
completes it. Sorted by level and then by what lies on what, the pieces are in an order
in which they can be dropped.

Once the ``k`` lowest clearing rows have gone, rows that were apart are neighbours. A piece
that lies across such a seam **bridges** ``gap = k`` rows: it comes after row ``k - 1`` has
completed and before row ``k`` does (unless it completes that itself), and in its columns
it passes through what used to lie in the rows that have gone. So does a piece that lies
wholly under a row that has gone. Without such pieces each square below the matrix must be
reached before the matrix closes over it, which on small boards can cost more than twice
the drops (measured against all games; ``tests/oracles/truth.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Placement
from tetrisprinter.printing.target import Target

__all__ = ["BEGUN", "Slice", "Spot", "drawings", "drop_order", "spots"]

BEGUN = 1 << 16
"""Squares in row ``y`` that a later pass will clear are called ``(x, BEGUN + y)``."""


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
        The rows from the base upwards: ``p`` the next picture row, ``c`` a clearing row.
        Clearing rows complete from below, unless they are written as digits that say in
        which order they do: in ``"10"`` the upper one is first. A ``b`` on top is a row that
        the pass begins and the next one, whose base it is, clears.
    bridging : bool
        Whether pieces may lie across or under rows that have gone.
    """

    base: int
    below: int
    stack: str
    bridging: bool = True

    @property
    def lines(self) -> int:
        """How many rows the pass clears."""
        return len(self.stack) - self.stack.count("p") - self.stack.count("b")

    @property
    def lowest(self) -> int:
        """The picture row at the bottom of the slice."""
        return self.base - self.below

    def rows(self) -> tuple[int, ...]:
        """Return the virtual rows, lowest first: picture row ``y >= 0``, or ``~r``.

        ``r`` numbers the clearing rows in the order in which they complete.

        >>> Slice(5, 2, "ccp").rows()
        (3, 4, -1, -2, 5)
        >>> Slice(5, 2, "10p").rows()
        (3, 4, -2, -1, 5)
        """
        listed = list(range(self.base - self.below, self.base))
        picture, clearing = self.base, 0
        for kind in self.stack:
            if kind == "p":
                listed.append(picture)
                picture += 1
            elif kind == "b":
                listed.append(BEGUN + picture)
            else:
                listed.append(~(clearing if kind == "c" else int(kind)))
                clearing += 1
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
        if stack.endswith("b") and self.base + stack.count("p") >= rows:
            return None
        while stack and (
            stack[-1] == "p" and (self.base + stack.count("p") > rows or _tall(self, stack, height))
        ):
            stack = stack[:-1]
        if _tall(self, stack, height) or (not stack and not below):
            return None
        return replace(self, below=below, stack=stack)


def _tall(cut: Slice, stack: str, height: int) -> bool:
    return cut.base + len(stack) > height


@dataclass(frozen=True, slots=True)
class Spot:
    """A placement in the virtual rows of a slice, at all levels it could have.

    Attributes
    ----------
    placement : Placement
        The piece; y counts the rows of the slice that are there when it drops.
    gap : int
        How many clearing rows it bridges; 0 if its rows are neighbours from the start.
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
    gap: int
    matrix: tuple[Cell, ...]
    picture: tuple[Cell, ...]
    levels: range
    feet: tuple[Cell, ...]
    shade: int = 0


@dataclass(frozen=True, slots=True)
class _Shape:
    """A placement in a slice, wherever the base is: cells and feet in virtual rows."""

    placement: Placement
    gap: int
    levels: range
    cells: tuple[Cell, ...]
    feet: tuple[Cell, ...]


@lru_cache(maxsize=256)
def _shapes(width: int, cut: Slice) -> tuple[_Shape, ...]:
    """List the placements of a slice that begins at the floor."""
    rows = cut.rows()
    clearing = sorted((~y, v) for v, y in enumerate(rows) if y < 0)
    first = min((v for _, v in clearing), default=0)
    listed = []
    for gap in range(max(1, len(clearing) if cut.bridging else 1)):
        gone = [v for r, v in clearing if r < gap]
        there = [v for v in range(len(rows)) if v not in gone]
        for o in ORIENTATIONS:
            for y in range(len(there) - o.height + 1):
                spanned = there[y : y + o.height]
                # Above all that has gone it is the same piece as before; what lies wholly
                # below the matrix belongs to a pass without clearing rows.
                if (gap > 0 and max(gone) < spanned[0]) or (clearing and spanned[-1] < first):
                    continue
                if gap == 0 and spanned[-1] - spanned[0] >= o.height:
                    continue
                covered = {~rows[v] for v in spanned if rows[v] < 0}
                under = {r for r, v in clearing if v < spanned[0]}
                levels = _levels(gap, covered, under, len(clearing))
                for x in range(width - o.width + 1):
                    cells = tuple((x + dx, spanned[dy]) for dx, dy in o.cells)
                    feet = tuple((x + dx, spanned[b]) for dx, b in enumerate(o.bottom))
                    listed.append(_Shape(Placement(o, x, y), gap, levels, cells, feet))
    return tuple(listed)


def _levels(gap: int, covered: set[int], under: set[int], lines: int) -> range:
    """Return the levels at which a piece has its geometry.

    Rows that go under it change nothing; then it can only complete what it covers itself.
    """
    end = gap
    while not gap and end in under:
        end += 1
    while end in covered:
        end += 1
    return range(gap, min(end, lines) + 1)


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
    for shape in _shapes(target.width, replace(cut, base=cut.below)):
        matrix: list[Cell] = []
        picture: list[Cell] = []
        for x, v in shape.cells:
            y = rows[v]
            if y < 0:
                matrix.append((x, ~y))
            elif (x, y) in closed or not (
                y >= BEGUN or target.may_hold(x, y, shape.placement.orientation.piece)
            ):
                break
            else:
                picture.append((x, y))
        else:
            shade = 0
            if target.shades is not None:
                shades = {target.shades[y][x] for x, y in picture if y < BEGUN}
                if len(shades) > 1:
                    continue
                shade = max(shades, default=0)
            listed.append(
                Spot(
                    shape.placement,
                    shape.gap,
                    tuple(matrix),
                    tuple(picture),
                    shape.levels,
                    shape.feet,
                    shade,
                )
            )
    return listed


def drop_order(pieces: Sequence[tuple[Spot, int]], cut: Slice) -> list[Spot]:
    """Sort placements with their levels into an order in which they can be dropped.

    If pieces bridge, the one that completes a row opens its level (the model then keeps
    everything else of that level from lying under it). Within a level a
    piece follows whatever it has a cell above of; that relation has no cycle for
    column-convex pieces, so repeated selection always ends.
    """
    height_of = {y: v for v, y in enumerate(cut.rows())}
    bridging = any(spot.gap for spot, _ in pieces)

    def columns(spot: Spot) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        for x, y in (*((x, ~r) for x, r in spot.matrix), *spot.picture):
            v = height_of[y]
            low, high = found.get(x, (v, v))
            found[x] = (min(low, v), max(high, v))
        return found

    ordered: list[Spot] = []
    for level in sorted({level for _, level in pieces}):
        own = [spot for spot, its in pieces if its == level]
        own.sort(key=lambda s: (s.placement.y, s.placement.x, s.placement.orientation.index))
        opening = [s for s in own if bridging and any(r == level - 1 for _, r in s.matrix)]
        ordered += opening
        left = [(spot, columns(spot)) for spot in own if spot not in opening]
        while left:
            ready = next(
                one
                for one in left
                if not any(_on(one[1], other[1]) for other in left if other is not one)
            )
            left.remove(ready)
            ordered.append(ready[0])
    return ordered


def _on(upper: dict[int, tuple[int, int]], lower: dict[int, tuple[int, int]]) -> bool:
    """Whether the first piece has a cell over one of the second's."""
    return any(x in lower and low > lower[x][1] for x, (low, _) in upper.items())


def drawings(order: Sequence[Spot], cut: Slice) -> tuple[tuple[Placement, ...], ...]:
    """Draw the pieces of a pass; where rows have gone that a piece bridges, draw anew."""
    height_of = {y: v for v, y in enumerate(cut.rows())}
    parts: list[list[Placement]] = [[]]
    gap = 0
    for spot in order:
        if spot.gap > gap:
            gap = spot.gap
            parts.append([])
        placement = spot.placement
        gone = sum(height_of[~r] < spot.feet[0][1] for r in range(spot.gap, gap))
        parts[-1].append(Placement(placement.orientation, placement.x, placement.y - gone))
    return tuple(map(tuple, parts))
