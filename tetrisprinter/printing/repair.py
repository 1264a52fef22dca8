"""The printable picture that is nearest to an unprintable picture.

Four things are impossible for every planner, and each has a smallest repair (proofs in
:mod:`~tetrisprinter.printing.obstacles`):

- *an empty row below squares*: fill one pixel that joins the squares above and below;
- *a full row*: remove a pixel at one of its ends;
- *a run of odd length in a colour that only O has*: give the pixel at one end the colour beside
  it, or remove the pixel;
- *a number of pixels that the width cannot leave*: fill one to three background pixels that
  have the most neighbours, or remove pixels if that takes fewer changes.

Empty rows and all numbers of pixels are possible where a type may have the background's colour:
then a game leaves invisible squares there. The theorem *cut* has no such repair, because it
depends on the types of the colours as much as on the pixels. Every change is reported, so that
the artist can decide otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tetrisprinter.game.divisibility import find_unit
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import (
    TypeColors,
    assign_types_with_i_and_o,
    find_odd_runs,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed pixel of a picture."""

    x: int  # column, and row from the top of the image, both counted from 0
    y: int
    before: Color | None  # None is empty
    after: Color | None
    reason: str

    def __str__(self) -> str:
        before, after = self.before or "empty", self.after or "empty"
        return f"column {self.x}, row {self.y}: {before} -> {after} ({self.reason})"


_Grid = list[list[Color | None]]


def repair_task(task: Task) -> tuple[Picture, tuple[Change, ...]]:
    """Return the printable picture nearest to a task's picture, and the changes.

    A pixel may be added above the picture; then the task's board may be too low.
    """
    types: Mapping[PieceType, Color] | None = None
    if isinstance(task.types, TypeColors):
        types = task.types
    elif task.types == "auto" and 6 <= len(task.picture.colors()) <= len(PieceType):
        # Six colours need I, and seven also need O: give these the colours that suit them best.
        types = assign_types_with_i_and_o(task.picture)
    return repair_picture(
        task.picture,
        task.board.width,
        types,
        unseen=task.has_dont_care_squares,
        background=task.background,
    )


def repair_picture(
    picture: Picture,
    width: int,
    types: Mapping[PieceType, Color] | None = None,
    *,
    unseen: bool = False,
    background: Color | None = None,
) -> tuple[Picture, tuple[Change, ...]]:
    """Return the picture with as few changes as make it printable, and the changes.

    ``unseen`` allows don't-care squares, so that empty rows and all numbers of pixels are possible.
    No square gets the colour of the ``background``.
    """
    grid: _Grid = [list(row) for row in picture.rows]
    changes: list[Change] = []

    def change_pixel(x: int, y: int, color: Color | None, reason: str) -> None:
        changes.append(Change(x, picture.image_row(y), grid[y][x], color, reason))
        grid[y][x] = color

    # Empty rows below squares.
    forbidden_colors = _find_o_only_colors(types or {})
    for y, row in enumerate(grid):
        if not unseen and all(color is None for color in row):
            x, color = _choose_joint(grid, y, forbidden_colors)
            change_pixel(x, y, color, "the row was empty below squares")
    # Odd runs of a colour that only O has.
    unusable = {*forbidden_colors, background}
    spare_color = next((color for color in (types or {}).values() if color not in unusable), None)
    for color in forbidden_colors:
        for y, x, length in find_odd_runs(grid, color):
            end_x, new_color = _choose_run_end(grid, y, x, length, forbidden_colors, spare_color)
            if new_color != grid[y][end_x]:
                change_pixel(end_x, y, new_color, "an O leaves squares in pairs only")
    # Full rows.
    for y, row in enumerate(grid):
        if len(row) == width and None not in row:
            columns = sorted(
                range(width), key=lambda x: (row[x] in forbidden_colors, min(x, width - 1 - x))
            )
            change_pixel(columns[0], y, None, "a full row vanishes")
    # The number of pixels.
    unit = find_unit(width)
    squares = sum(color is not None for row in grid for color in row)
    reason = f"a board of {width} columns cannot leave {squares} squares"
    surplus, missing = (0, 0) if unseen else (squares % unit, -squares % unit)
    above = picture.rows_above
    fill = choose_cells_to_fill(_make_picture(grid, picture), missing, width, forbidden_colors)
    remove = _choose_cells_to_remove(grid, surplus, forbidden_colors)
    if len(remove) == surplus and (surplus < missing or len(fill) < missing):
        for x, y in remove:
            change_pixel(x, y, None, reason)
    else:
        for _ in range(missing):
            if len(fill) == missing:
                break
            # The picture is full: add a row above it.
            grid.append([None] * len(grid[0]))
            above -= 1
            fill = choose_cells_to_fill(
                _make_picture(grid, picture), missing, width, forbidden_colors
            )
        for (x, y), new_color in fill:
            change_pixel(x, y, new_color, reason)
    return Picture(tuple(map(tuple, grid)), picture.name, above), tuple(changes)


def _make_picture(grid: _Grid, original: Picture) -> Picture:
    return Picture(tuple(map(tuple, grid)), original.name, original.rows_above)


def _find_o_only_colors(types: Mapping[PieceType, Color]) -> frozenset[Color]:
    """Return the colours that O has and no other type has."""
    other_colors = {color for piece, color in types.items() if piece is not PieceType.O}
    return frozenset(
        color
        for piece, color in types.items()
        if piece is PieceType.O and color not in other_colors
    )


def _get_color(grid: _Grid, y: int, x: int) -> Color | None:
    """Return the colour of a square; None if it is empty or outside the columns."""
    return grid[y][x] if 0 <= x < len(grid[y]) else None


def _choose_joint(grid: _Grid, y: int, forbidden_colors: frozenset[Color]) -> tuple[int, Color]:
    """Choose the column and colour of the pixel that best joins the rows around an empty row."""
    above = next(row for row in grid[y + 1 :] if any(row))
    below = grid[y - 1]
    scores = [(2 * (below[x] is not None) + (above[x] is not None), x) for x in range(len(grid[y]))]
    x = max(scores, key=lambda pair: (pair[0], -pair[1]))[1]
    color = below[x] or above[x]
    assert color is not None  # the row below has a square: a picture starts with one
    return x, color if color not in forbidden_colors else (
        _find_most_common(grid, forbidden_colors) or color
    )


def _find_most_common(grid: _Grid, forbidden_colors: frozenset[Color]) -> Color | None:
    """Return the most common colour that is not forbidden; None if there is none."""
    counts = Counter(c for row in grid for c in row if c is not None and c not in forbidden_colors)
    return counts.most_common(1)[0][0] if counts else None


def _choose_run_end(
    grid: _Grid,
    y: int,
    x: int,
    length: int,
    forbidden_colors: frozenset[Color],
    spare_color: Color | None,
) -> tuple[int, Color | None]:
    """Choose the column of the end of an odd run to change, and its new colour (None: empty).

    The only square of a row is never removed: it gets a colour of the picture, else
    ``spare_color``. If there is neither, the square keeps its colour.
    """
    for end_x, beside_x in ((x, x - 1), (x + length - 1, x + length)):
        color = _get_color(grid, y, beside_x)
        if color is not None and color not in forbidden_colors:
            return end_x, color
    end_x = x + length - 1
    neighbor_colors = [
        c for c in _list_neighbor_colors(grid, end_x, y) if c not in forbidden_colors
    ]
    if neighbor_colors:
        return end_x, neighbor_colors[0]
    if sum(color is not None for color in grid[y]) > 1:
        return end_x, None
    return end_x, _find_most_common(grid, forbidden_colors) or spare_color or grid[y][end_x]


def _list_neighbor_colors(grid: _Grid, x: int, y: int) -> list[Color]:
    """List the colours of the filled squares below, beside and above a square."""
    return [
        color
        for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1))
        if 0 <= y + dy < len(grid) and (color := _get_color(grid, y + dy, x + dx)) is not None
    ]


def choose_cells_to_fill(
    picture: Picture, count: int, width: int, forbidden_colors: frozenset[Color] = frozenset()
) -> list[tuple[Cell, Color]]:
    """Return the empty cells that are least visible when filled, each with its new colour.

    Cells with the most filled neighbours come first, then the lowest. A cell that would fill a row
    of the board is never chosen. A crowded picture may have fewer than ``count`` such cells.
    """
    grid: _Grid = [list(row) for row in picture.rows]
    filled_cells: list[tuple[Cell, Color]] = []
    for _ in range(count):
        best: tuple[tuple[int, int, int], Cell, Color] | None = None
        for y, row in enumerate(grid):
            if sum(color is not None for color in row) >= width - 1:
                continue
            for x, color in enumerate(row):
                neighbor_colors = [
                    c for c in _list_neighbor_colors(grid, x, y) if c not in forbidden_colors
                ]
                if color is None and neighbor_colors:
                    key = (len(neighbor_colors), -y, -x)
                    if best is None or key > best[0]:
                        best = (key, (x, y), Counter(neighbor_colors).most_common(1)[0][0])
        if best is None:
            break
        (x, y), new_color = best[1], best[2]
        grid[y][x] = new_color
        filled_cells.append(((x, y), new_color))
    return filled_cells


def _choose_cells_to_remove(
    grid: _Grid, count: int, forbidden_colors: frozenset[Color]
) -> list[Cell]:
    """Return up to ``count`` pixels with the fewest neighbours, never the only pixel of a row."""
    removed: list[Cell] = []
    for _ in range(count):
        candidates = [
            (len(_list_neighbor_colors(grid, x, y)), -y, x)
            for y, row in enumerate(grid)
            if sum(color is not None and (x, y) not in removed for x, color in enumerate(row)) > 1
            for x, color in enumerate(row)
            if color is not None and color not in forbidden_colors and (x, y) not in removed
        ]
        if not candidates:
            break
        _, negative_y, x = min(candidates)
        removed.append((x, -negative_y))
    return removed
