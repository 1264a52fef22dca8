"""Theorems that forbid some pictures, and the nearest picture that they allow.

Each theorem is stated here with its proof and is an entry of :data:`OBSTACLES`. To add a theorem,
write a function that finds where it forbids a target and a function that explains it to the user.
:func:`find_obstacle` returns the first obstacle of a task, with hints to avoid the obstacle; no
search is needed.

Where a type may have the background's colour, squares of that colour are don't-care squares: a
game may leave them or not, also in the rows above the picture.

**Full row.** A row that is full vanishes, so no row of the picture may be full.

**Gap row.** A piece comes to rest on the floor or on a square. So if a piece leaves a square
in row ``y > 0``, then row ``y - 1`` already had a square, or the piece itself reaches down to
that row. Full rows vanish, and the rows above move down. By induction over the drops no game ever
has an empty row below a square: a drop cannot create one, and deleting full rows from a stack
of non-empty rows leaves non-empty rows.

**Count.** ``4 * drops = squares + width * lines``, so the squares left over are divisible
by ``gcd(width, 4)``.

**O alone.** An O has two neighbouring squares in each row it touches. If only O shows a
colour, the squares of that colour in a row are a union of such pairs. So every maximal run of
squares that must hold an O has even length.

**Cut.** Cut the game just above a row of the picture. Rows never change their order. So the
squares that ever lay above the cut are the picture's squares there, plus ``width`` for every
row that vanished there. A piece wholly above the cut has four squares above it, a piece wholly
below has none, and a piece that touches the row has those cells above it that its shape has. With
``g = gcd(width, 4)`` the picture's squares above the row must therefore be congruent modulo
``g`` to the squares above it of some row of pieces, of types that may stay there.
Example: a single square of a T in a row has 0 or 3 cells of its piece above it. So on 8 or 12
columns the picture above that row cannot have 1, 2, 5, 6, ... squares.

**From another picture.** *Full row* and *gap row* hold unchanged, since a start has no gap row.
*Count* concerns the difference: ``4 * drops = squares left - squares at the start + width *
lines``. Only rows of the start ever lie below a row of the start. So the rows of the start that
stay are the picture's lowest rows; at least
:func:`~tetrisprinter.printing.task.count_rows_to_clear` of the start vanish, below all other
rows. So *O alone* and *cut* hold above the rows that stay: there all squares come from pieces.

**Repair.** Four things are impossible for every planner, and each has a smallest repair:

- *an empty row below squares*: fill one pixel that joins the squares above and below;
- *a full row*: remove a pixel at one of its ends;
- *a run of odd length in a colour that only O has*: give the pixel at one end the colour beside
  it, or remove the pixel;
- *a number of pixels that the width cannot leave*: fill or remove one to three pixels, whichever
  takes fewer changes; of as many changes, those that an eye sees least.

An eye sees a notch, a hole, a thin line and a rare colour change before it sees a corner or a flat
edge change, and it sees where a symmetric figure is no longer symmetric.

Empty rows and all numbers of pixels are possible where a type may have the background's colour:
then a game leaves invisible squares there. The theorem *cut* has no such repair, because it
depends on the types of the colours as much as on the pixels. Every change is reported, so that
the artist can decide otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate
from operator import and_
from typing import Final, Literal

from tetrisprinter.errors import Hint, Obstacle, Setting
from tetrisprinter.game.field import can_leave, find_unit
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.task import (
    Target,
    Task,
    choose_board,
    count_rows_to_clear,
    extend_upwards,
    find_next_width,
    find_smallest_width,
)
from tetrisprinter.printing.types import (
    find_color_obstacle,
    find_isolated_pixels,
    find_odd_runs,
)
from tetrisprinter.support import format_count, format_size

_MAX_NAMED: Final = 8
"""A sentence names at most this many squares."""

Place = tuple[Cell, ...]
"""Squares of the board, row 0 at the bottom; empty if a theorem concerns no single squares."""


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem of the form "no game leaves a target with ..."."""

    name: str  # its name in the documentation
    # Returns the squares that break the theorem; None if a target breaks it nowhere
    find_place: Callable[[Target], Place | None]
    # Returns the sentence and the hints for a task, its target and the forbidden place
    explain: Callable[[Task, Target, Place], tuple[str, tuple[Hint, ...]]]


@lru_cache(maxsize=2)
def find_obstacle(task: Task) -> Obstacle | None:
    """Return the reason why a task is impossible; None if no reason is known.

    A contradiction in the request comes first: a picture beyond the board, a colour without a
    type. Then come the theorems.
    """
    if task.pieces is not None:
        return Obstacle(
            "is printed with a piece queue, and only the planner dealt can do that",
            (Hint("choose {}", Setting.OTHER_PLANNER),),
        )
    if not task.fits:
        return _explain_outside(task)
    if not task.colors:
        return Obstacle("has no square to print")
    color_obstacle = find_color_obstacle(task.picture, task.types, task.background)
    if color_obstacle is not None:
        return color_obstacle
    target = task.target
    if task.start:
        obstacle = _check_count_from_start(task, target)
        if obstacle is not None:
            return obstacle
    kept_rows = len(task.start) - count_rows_to_clear(task.start, target)
    for theorem in OBSTACLES:
        if task.start and theorem.find_place is _check_count:
            continue  # checked above, with the squares at the start
        place = _find_place_above(theorem, target, kept_rows)
        if place is not None:
            sentence, hints = theorem.explain(task, target, place)
            cells = tuple((x - task.column, y) for x, y in place)
            return Obstacle(sentence, hints, theorem.name, cells)
    return None


def _explain_outside(task: Task) -> Obstacle:
    """Return the obstacle of a picture that does not fit on its board."""
    picture, board = task.picture, task.board
    if picture.width <= board.width and picture.height <= board.height:
        return Obstacle(
            f"the picture has {picture.width} columns and starts at column {task.column}, so it "
            f"exceeds the board of {board.width} columns"
        )
    factor = min((board.width - 1) / picture.width, board.height / picture.height)
    scaled = format_size(*(max(1, int(factor * side)) for side in (picture.width, picture.height)))
    return Obstacle(
        f"a picture of {picture.width}x{picture.height} squares does not fit on a board of {board}",
        (
            Hint(
                f"the smallest board for it is {find_smallest_width(picture)}x{picture.height}, "
                f"{{}} takes {_format_chosen_board(task)}",
                Setting.AUTO_BOARD,
            ),
            Hint(f"{{}} {scaled} and {{}} make it fit", Setting.FIT, Setting.REPAIR),
        ),
    )


def _format_chosen_board(task: Task) -> str:
    """Return, as text, the size of the board that is chosen for a picture by default."""
    return format_size(*choose_board(task.picture))


def _name_row(task: Task, y: int) -> str:
    """Return the name of a board row in messages, which count the picture's rows from the top."""
    return f"row {task.picture.image_row(y)} from the top (counted from 0)"


def _count_used_rows(target: Target) -> int:
    """Return the number of rows up to the highest required square."""
    return max((y for _, y in target.required), default=-1) + 1


def _list_row(target: Target, y: int) -> Place:
    """Return all squares of a row of the board."""
    return tuple((x, y) for x in range(target.width))


def _find_full_row(target: Target) -> Place | None:
    """Return the squares of the highest row that must be full; None if there is none."""
    for y in reversed(range(_count_used_rows(target))):
        row = _list_row(target, y)
        if target.required.issuperset(row):
            return row
    return None


def _explain_full_row(task: Task, target: Target, place: Place) -> tuple[str, tuple[Hint, ...]]:
    """Return the sentence and the hints for a full row."""
    min_width = find_smallest_width(task.picture)
    return (
        f"{_name_row(task, place[0][1])} fills the whole width of {target.width}, and a full row "
        "vanishes (theorem 'full row')",
        (
            Hint(
                f"use a board of at least {min_width} columns "
                f"({{}} takes {_format_chosen_board(task)})",
                Setting.AUTO_BOARD,
            ),
            Hint("or leave a square of it empty ({})", Setting.REPAIR),
        ),
    )


def _find_gap_row(target: Target) -> Place | None:
    """Return the lowest row that must be empty below a square; None if there is none."""
    for y in range(_count_used_rows(target)):
        if not any(target.allowed[y]):
            return _list_row(target, y)
    return None


def _explain_gap_row(task: Task, target: Target, place: Place) -> tuple[str, tuple[Hint, ...]]:
    """Return the sentence and the hints for a gap row."""
    return (
        f"{_name_row(task, place[0][1])} is transparent but has squares above it, and a game never "
        "leaves an empty row below a square (theorem 'gap row')",
        (Hint("{} fills a square of the row", Setting.REPAIR), *_suggest_dont_care(task, target)),
    )


def _suggest_dont_care(task: Task, target: Target) -> tuple[Hint, ...]:
    """Return hints to give a type the background's colour, which allows don't-care squares."""
    if target.above:
        return ()
    if task.background is None:
        if task.types != "auto":
            return ()
        if len(task.colors) == len(PieceType):
            return (Hint("{} 6 and {} leave a type free", Setting.COLORS, Setting.BACKGROUND),)
        return (Hint("{} lets a type have the colour of empty squares", Setting.BACKGROUND),)
    if task.types == "classic":
        return (Hint("with {} a type may also get the background colour", Setting.AUTO_TYPES),)
    if task.types == "auto":
        return (Hint("{} 6 leaves a type for the background", Setting.COLORS),)
    return (Hint("{} may give a type the colour of the background", Setting.TYPES),)


def _check_count(target: Target) -> Place | None:
    """Return a place without cells if no game leaves this number of squares, else None."""
    possible = can_leave(target.width, len(target.required), target.count_spare())
    return None if possible else ()


def _explain_count(task: Task, target: Target, place: Place) -> tuple[str, tuple[Hint, ...]]:
    """Return the sentence and the hints for the number of squares."""
    width, squares = target.width, len(target.required)
    unit = find_unit(width)
    lower = squares - squares % unit
    allowed_counts = "an even number of squares" if unit == 2 else "a multiple of four squares"
    cells = choose_cells_to_fill(task.picture, lower + unit - squares, width)
    cells_to_fill = _format_places(task, (cell for cell, _ in cells), "column {}, row {}")
    repair_hint = f"{{}} would fill {cells_to_fill} (counted from the top left)"
    return (
        f"has {squares} square{'' if squares == 1 else 's'}, but every game on a board of "
        f"{width} columns leaves {allowed_counts} (4 x drops - {width} x cleared rows)",
        (
            Hint(
                f"the nearest numbers are {lower} and {lower + unit}, or use a board of "
                f"{find_next_width(width, squares)} columns"
            ),
            *([Hint(repair_hint, Setting.REPAIR)] if cells_to_fill else []),
            *_suggest_dont_care(task, target),
        ),
    )


def _find_place_above(theorem: Theorem, target: Target, kept_rows: int) -> Place | None:
    """Return where a theorem forbids a target whose lowest ``kept_rows`` may be the start's."""
    if theorem.find_place in (_find_full_row, _find_gap_row) or not kept_rows:
        return theorem.find_place(target)
    upper_target = replace(
        target,
        height=target.height - kept_rows,
        allowed=target.allowed[kept_rows:],
        required=frozenset((x, y - kept_rows) for x, y in target.required if y >= kept_rows),
        shades=target.shades and target.shades[kept_rows:],
    )
    place = theorem.find_place(upper_target)
    return None if place is None else tuple((x, y + kept_rows) for x, y in place)


def _check_count_from_start(task: Task, target: Target) -> Obstacle | None:
    """Return the obstacle of the theorem 'count' if the game starts with squares; else None."""
    start_squares, squares, width = task.squares_at_start, len(target.required), target.width
    if can_leave(width, squares - start_squares, target.count_spare()):
        return None
    odd_width = width + 1 - width % 2
    return Obstacle(
        f"has {format_count(squares, 'square')}, and the board starts with {start_squares}; on "
        f"{width} columns every game changes their number by a multiple of {find_unit(width)} "
        "(theorem 'count')",
        (
            Hint(f"an odd width, such as {odd_width} columns, leaves any number"),
            *_suggest_dont_care(task, target),
        ),
        "count",
    )


def _format_places(task: Task, cells: Iterable[Cell], template: str = "column {} row {}") -> str:
    """Return the first cells of a list as text; the rows count from the top of the picture."""
    picture = task.picture
    places = [template.format(picture.image_column(x), picture.image_row(y)) for x, y in cells]
    return ", ".join(places[:_MAX_NAMED]) + (", ..." if len(places) > _MAX_NAMED else "")


def _find_o_runs(target: Target) -> Place | None:
    """Return the first squares of odd runs in a colour that only O can show; None: no such run."""
    o_mask = 1 << PieceType.O
    if target.shades is None:
        return _find_odd_runs(target, target.allowed, o_mask) or None
    shades = {shade for row in target.shades for shade in row if shade}
    if len(shades) < len(PieceType):
        return None  # any colour may have another type
    runs = [_find_odd_runs(target, target.shades, shade) for shade in sorted(shades)]
    return min(runs, key=len) if all(runs) else None


def _find_odd_runs(target: Target, rows: tuple[tuple[int, ...], ...], value: int) -> Place:
    """Return the first square of each odd run of ``value`` that O pieces cannot fill exactly."""
    run_starts: list[Cell] = []
    o_mask = 1 << PieceType.O
    for y, start, length in find_odd_runs(rows, value):
        end = start + length
        is_extensible = any((x, y) not in target.required for x in range(start, end)) or (
            target.shades is None
            and any(0 <= x < target.width and rows[y][x] & o_mask for x in (start - 1, end))
        )
        if not is_extensible:
            run_starts.append((start, y))
    return tuple(run_starts)


def _explain_o_alone(task: Task, target: Target, place: Place) -> tuple[str, tuple[Hint, ...]]:
    """Return the sentence and the hints for a run of odd length."""
    cells = [(x - task.column, y) for x, y in place]
    color: Color | None = task.picture.rows[cells[0][1]][cells[0][0]]
    is_open = target.shades is not None
    return (
        f"only O can show {color}, and it fills two squares side by side (theorem 'O alone'), but "
        f"the picture has odd runs of it ({len(cells)}): {_format_places(task, cells)}",
        (
            *([Hint("all seven types are in use, and no colour has fewer odd runs")] * is_open),
            Hint("{} changes one square of each", Setting.REPAIR),
        ),
    )


def _find_cut(target: Target) -> Place | None:
    """Return the squares of the highest row that the theorem 'cut' forbids; else None."""
    y = find_cut_row(target)
    return None if y is None else _list_row(target, y)


def _explain_cut(task: Task, target: Target, place: Place) -> tuple[str, tuple[Hint, ...]]:
    """Return the sentence and the hints for the row that the theorem 'cut' forbids."""
    y, has_fixed_types = place[0][1], target.shades is None
    above = sum(row > y for _, row in target.required)
    squares = f"{above} square{'' if above == 1 else 's'}"
    return (
        f"{_name_row(task, y)} has {squares} above it, but modulo {find_unit(target.width)} the "
        "pieces that can form this row never leave this number there (theorem 'cut')",
        (
            *(
                [Hint("give one of its colours J, L or I instead ({})", Setting.TYPES)]
                * has_fixed_types
            ),
            Hint(
                f"{'or ' * has_fixed_types}change the number of squares above, or use an odd width"
            ),
        ),
    )


def describe_i_risk(task: Task) -> str | None:
    """Return a warning about single squares that only I can show; None if there are none.

    Such squares are expensive. Pictures of six colours need I. If the planner chooses the types, I
    gets the colour with the fewest such squares.
    """
    types = task.known_types
    color = types.get(PieceType.I)
    if color is None or any(c == color for p, c in types.items() if p is not PieceType.I):
        return None
    cells = find_isolated_pixels(task.picture, color)
    if not cells:
        return None
    return (
        f"{task.name}: colour {color} has only the I piece, so single squares of it are expensive: "
        f"{len(cells)} at {_format_places(task, cells)}"
    )


OBSTACLES: Final = (
    Theorem("full row", _find_full_row, _explain_full_row),
    Theorem("gap row", _find_gap_row, _explain_gap_row),
    Theorem("count", _check_count, _explain_count),
    Theorem("O alone", _find_o_runs, _explain_o_alone),
    Theorem("cut", _find_cut, _explain_cut),
)
"""All theorems that forbid pictures, in the order in which they are tried."""


def find_cut_row(target: Target) -> int | None:
    """Return the highest row that the theorem 'cut' forbids; None if it forbids no row.

    Invariant of the loop, from the top row down: ``above`` has the numbers of cells, modulo the
    unit, that the rows above can have.
    """
    unit = find_unit(target.width)
    above = set(range(unit)) if extend_upwards(target, 1) is not target else {0}
    for y in reversed(range(target.rows)):
        row_counts = _count_row_cells(target, y, unit)
        above = {
            (n + squares) % unit
            for n in above
            for cells_above, squares in row_counts
            if cells_above == n
        }
        if not above:
            return y
    return None


def _count_row_cells(target: Target, y: int, unit: int) -> list[tuple[int, int]]:
    """Return the possible pairs (cells above a row, cells in the row) of the pieces that touch it.

    Both numbers are modulo ``unit``. Dynamic programming over the columns: bit ``unit * a + n`` of
    ``pairs[x]`` says that the pieces before column ``x`` may have ``a`` cells above the row and
    ``n`` in it. Steps are cached, because most rows of a large picture have the same few steps.
    """
    width = target.width
    pairs = [1] + [0] * width
    row = target.allowed[y] if y < target.rows else (0,) * width
    for x in range(width):
        if not pairs[x]:
            continue
        if (x, y) not in target.required:
            pairs[x + 1] |= pairs[x]
        if not row[x]:
            continue
        # Bit sets of the types that may stay in the next 0, 1, ... 4 squares.
        type_masks = tuple(accumulate(row[x : x + 4], and_, initial=-1))
        for length, cells_above in _list_piece_steps(
            type_masks, min(x, 3), min(width - x, 7), unit
        ):
            pairs[x + length] |= _add_piece(pairs[x], cells_above, length, unit)
    return [divmod(bit, unit) for bit in range(unit * unit) if pairs[-1] >> bit & 1]


@lru_cache(maxsize=1 << 12)
def _list_piece_steps(
    type_masks: tuple[int, ...], columns_left: int, columns_right: int, unit: int
) -> tuple[tuple[int, int], ...]:
    """List what one piece can add: pairs (cells in a row, cells above it modulo ``unit``).

    The piece may use ``columns_left`` columns before its first cell in the row, and
    ``columns_right`` from that cell on. ``type_masks[n]`` is the bit set of types that may stay in
    all of the next ``n`` squares.
    """
    steps = {
        (length, cells_above % unit)
        for piece, left, length, right, cells_above in _list_orientation_rows()
        if left <= columns_left
        and length + right <= columns_right
        and type_masks[length] >> piece & 1
    }
    return tuple(sorted(steps))


@lru_cache(maxsize=1 << 12)
def _add_piece(pairs: int, cells_above: int, cells: int, unit: int) -> int:
    """Return the bit set of pairs after another piece; see :func:`_count_row_cells`."""
    shifted = 0
    for a in range(unit):
        for n in range(unit):
            if pairs >> (unit * a + n) & 1:
                shifted |= 1 << (unit * ((a + cells_above) % unit) + (n + cells) % unit)
    return shifted


@cache
def _list_orientation_rows() -> tuple[tuple[PieceType, int, int, int, int], ...]:
    """List all rows of orientations as (type, columns left, cells, columns right, cells above)."""
    strips = set()
    for orientation in ORIENTATIONS:
        for row in range(orientation.height):
            columns = [x for x, y in orientation.cells if y == row]
            columns_right = orientation.width - 1 - max(columns)
            cells_above = sum(y > row for _, y in orientation.cells)
            strips.add((orientation.piece, min(columns), len(columns), columns_right, cells_above))
    return tuple(sorted(strips))


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
_Shape = Literal["alone", "end", "corner", "line", "edge", "inside"]

# How visible a change is, by the shape of the filled squares around it. The order is reasoned: a
# corner is missed less than a line. It was looked at on 28 repairs of examples in 7 to 9 columns.
_FILLED: Final[dict[_Shape, int]] = {
    "alone": 9,
    "end": 4,  # a nub on an edge
    "corner": 3,  # the inner corner of a stair
    "line": 8,  # a gap between two squares
    "edge": 8,  # a notch
    "inside": 12,
}
_REMOVED: Final[dict[_Shape, int]] = {
    "alone": 10,
    "end": 6,  # the tip of a line
    "corner": 2,
    "line": 10,  # it breaks
    "edge": 4,  # a dent
    "inside": 12,
}
_HOLE: Final = 14
"""How visible it is that a hole, such as an eye, is filled."""
_DETAIL: Final = 6
"""The same of a pixel that is removed from a rare colour, or that lies alone in its colour."""
_ASYMMETRIC: Final = 4
"""The same of a change on one side of a symmetric picture."""
_RARE: Final = 4
"""A colour of at most this number of pixels is a detail."""


def repair_task(task: Task) -> tuple[Picture, tuple[Change, ...]]:
    """Return the printable picture nearest to a task's picture, and the changes.

    Don't-care squares make empty rows and all numbers of pixels possible. No square gets the colour
    of the background. A pixel may be added above the picture; then the task's board may be too low.
    """
    picture, width, types = task.picture, task.board.width, task.known_types
    grid: _Grid = [list(row) for row in picture.rows]
    changes: list[Change] = []

    def change_pixel(x: int, y: int, color: Color | None, reason: str) -> None:
        column, row = picture.image_column(x), picture.image_row(y)
        changes.append(Change(column, row, grid[y][x], color, reason))
        grid[y][x] = color

    # Empty rows below squares.
    forbidden_colors = _find_o_only_colors(types)
    for y, row in enumerate(grid):
        if not task.has_dont_care_squares and all(color is None for color in row):
            x, color = _choose_joint(grid, y, forbidden_colors)
            change_pixel(x, y, color, "the row was empty below squares")
    # Odd runs of a colour that only O has.
    unusable = {*forbidden_colors, task.background}
    spare_color = next((color for color in types.values() if color not in unusable), None)
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
    surplus, missing = squares % unit, -squares % unit
    if task.has_dont_care_squares:
        surplus = missing = 0
    above = picture.rows_above
    fill, fill_cost = _choose_cells_to_fill(grid, missing, width, forbidden_colors)
    remove, remove_cost = _choose_cells_to_remove(grid, surplus, forbidden_colors)
    if len(remove) == surplus and (
        len(fill) < missing or (surplus, remove_cost) < (missing, fill_cost)
    ):
        for x, y in remove:
            change_pixel(x, y, None, reason)
    else:
        for _ in range(missing):
            if len(fill) == missing:
                break
            # The picture is full: add a row above it.
            grid.append([None] * len(grid[0]))
            above -= 1
            fill, _ = _choose_cells_to_fill(grid, missing, width, forbidden_colors)
        for (x, y), new_color in fill:
            change_pixel(x, y, new_color, reason)
    repaired = replace(picture, rows=tuple(map(tuple, grid)), rows_above=above)
    return repaired, tuple(changes)


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


def choose_cells_to_fill(picture: Picture, count: int, width: int) -> list[tuple[Cell, Color]]:
    """Return the empty cells that are least visible when filled, each with its new colour.

    A crowded picture may have fewer than ``count`` such cells.
    """
    return _choose_cells_to_fill([list(row) for row in picture.rows], count, width, frozenset())[0]


def _choose_cells_to_fill(
    grid: _Grid, count: int, width: int, forbidden_colors: frozenset[Color]
) -> tuple[list[tuple[Cell, Color]], int]:
    """Return the cells that are least visible when filled, their colours, and how visible they are.

    Of equally visible cells the lowest comes first. No cell is chosen that would fill a row of the
    board.
    """
    grid, cost = [list(row) for row in grid], 0
    filled_cells: list[tuple[Cell, Color]] = []
    for _ in range(count):
        outside, is_symmetric = _find_outside(grid), _is_symmetric(grid)
        candidates = []
        for y, row in enumerate(grid):
            if sum(color is not None for color in row) >= width - 1:
                continue
            for x, color in enumerate(row):
                neighbor_colors = [
                    c for c in _list_neighbor_colors(grid, x, y) if c not in forbidden_colors
                ]
                if color is None and neighbor_colors:
                    new_color = Counter(neighbor_colors).most_common(1)[0][0]
                    visible = _HOLE if (x, y) not in outside else _FILLED[_find_shape(grid, x, y)]
                    # Between two ears, or in a heart's notch
                    if any(row[:x]) and any(row[x + 1 :]):
                        visible = max(visible, _FILLED["edge"])
                    if is_symmetric and 2 * x != len(row) - 1:
                        visible += _ASYMMETRIC
                    candidates.append((visible, y, x, new_color))
        if not candidates:
            break
        visible, y, x, new_color = min(candidates)
        grid[y][x] = new_color
        filled_cells.append(((x, y), new_color))
        cost += visible
    return filled_cells, cost


def _choose_cells_to_remove(
    grid: _Grid, count: int, forbidden_colors: frozenset[Color]
) -> tuple[list[Cell], int]:
    """Return up to ``count`` pixels that are least visible when removed, and how visible they are.

    The only pixel of a row is never removed.
    """
    grid, cost = [list(row) for row in grid], 0
    removed: list[Cell] = []
    for _ in range(count):
        is_symmetric = _is_symmetric(grid)
        counts = Counter(color for row in grid for color in row)
        candidates = []
        for y, row in enumerate(grid):
            if sum(color is not None for color in row) < 2:
                continue
            for x, color in enumerate(row):
                if color is None or color in forbidden_colors:
                    continue
                visible = _REMOVED[_find_shape(grid, x, y)]
                if counts[color] <= _RARE or color not in _list_neighbor_colors(grid, x, y):
                    visible += _DETAIL
                if is_symmetric and 2 * x != len(row) - 1:
                    visible += _ASYMMETRIC
                candidates.append((visible, y, x))
        if not candidates:
            break
        visible, y, x = min(candidates)
        grid[y][x] = None
        removed.append((x, y))
        cost += visible
    return removed, cost


def _find_shape(grid: _Grid, x: int, y: int) -> _Shape:
    """Return how the filled squares beside, below and above a square lie."""
    left, right, below, above = (
        0 <= v < len(grid) and _get_color(grid, v, u) is not None
        for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    )
    count = left + right + below + above
    if count == 2:
        return "line" if left == right else "corner"
    shapes: tuple[_Shape, ...] = ("alone", "end", "corner", "edge", "inside")
    return shapes[count]


def _find_outside(grid: _Grid) -> set[Cell]:
    """Return the empty cells that are connected to the outside of a picture."""
    width, height = len(grid[0]), len(grid)
    new = [
        (x, y)
        for y in range(height)
        for x in range(width)
        if grid[y][x] is None and (x in (0, width - 1) or y in (0, height - 1))
    ]
    outside = set(new)
    while new:
        x, y = new.pop()
        for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if 0 <= u < width and 0 <= v < height and grid[v][u] is None and (u, v) not in outside:
                outside.add((u, v))
                new.append((u, v))
    return outside


def _is_symmetric(grid: _Grid) -> bool:
    """Return whether the left half of a figure's outline mirrors the right half.

    Colours do not count: a heart with a glint, or a ghost that looks aside, is symmetric.
    """
    outline = [[color is not None for color in row] for row in grid]
    return all(row == row[::-1] for row in outline)
