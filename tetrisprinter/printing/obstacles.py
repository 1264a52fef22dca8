"""Theorems that forbid some pictures, and the reason why a task is impossible.

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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate
from operator import and_
from typing import Final

from tetrisprinter.errors import Hint, Obstacle, Setting
from tetrisprinter.game.field import can_leave, find_unit
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, PieceType
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.repair import choose_cells_to_fill
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
from tetrisprinter.support.counts import format_count, format_size

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
