"""Still pictures: of a finished game, posters, tilings, and what a notebook shows.

The picture that a game leaves is a PNG. A poster shows it with its pieces, six moments of the game,
and figures. It is a list of *items*: rectangles and lines of text, in units of which the poster is
1,200 wide. SVG contains the items; PNG and PDF are drawn from the items.
"""

from __future__ import annotations

import html
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import IO, TYPE_CHECKING, Final

from tetrisprinter.errors import InputError, TetrisPrinterError
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import GREY, Cell, PieceType
from tetrisprinter.game.plan import GREY_COLOR, HasPlan, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.packings.problem import Packing
from tetrisprinter.pictures.picture import Picture, make_field_picture, parse_rgb
from tetrisprinter.pictures.text import draw_label
from tetrisprinter.render import Renderer, Rendering, Report, frames, paint
from tetrisprinter.render.frames import Frame, Schedule
from tetrisprinter.render.page import make_page
from tetrisprinter.render.paint import Look, Painter
from tetrisprinter.support import LazyModule, format_count, format_size
from tetrisprinter.support.files import check_writable, write_bytes, write_text

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    from tetrisprinter.render.frames import Pieces, Squares
    from tetrisprinter.render.terminal import ColorMode
    from tetrisprinter.tilings.placements import Tiling
    from tetrisprinter.tilings.polyomino import GridCell
else:
    np = LazyModule("numpy")
    Image = LazyModule("PIL.Image")

_MAX_COLORS = 80


def draw_png(picture: Picture, look: Look, *, transparent: bool = False) -> bytes:
    """Return a picture as PNG."""
    colors = picture.colors()
    if len(colors) > _MAX_COLORS:
        raise ValueError(f"too many colours: {len(colors)}; at most {_MAX_COLORS} are possible")
    field = look.field
    if field == paint.AUTO:
        field = paint.BACKGROUND if transparent else paint.choose_field(colors)
    painter = Painter(picture.width, picture.height, field, colors, look)
    number = {color: n for n, color in enumerate([None, *colors])}
    squares = np.array([[number[color] for color in row] for row in picture.rows], np.uint8)
    return _encode_squares(painter, squares, transparent=transparent)


def _encode_squares(
    painter: Painter, squares: Squares, pieces: Pieces | None = None, *, transparent: bool
) -> bytes:
    """Return the squares of a board as PNG, with lines between pieces if ``pieces`` has them."""
    pixels = painter.paint(squares, pieces)
    table = np.array([parse_rgb(color) for color in painter.palette], dtype=np.uint8)
    image = Image.fromarray(table[pixels])
    if transparent:
        image.putalpha(Image.fromarray(((pixels != 0) * 255).astype(np.uint8)))
    return _encode_png(image)


def _encode_png(image: Image.Image) -> bytes:
    """Return an image as PNG, as small as Pillow can make it."""
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def crop_picture(picture: Picture) -> Picture:
    """Return a picture cropped to its figure, with one empty square around it.

    A figure that fills its rectangle, such as a photograph, gets no border.
    """
    figure = picture.trim().trim_columns()
    if not figure.rows:
        return picture
    border = int(any(color is None for row in figure.rows for color in row))
    beside = (None,) * border
    rows = [(*beside, *row, *beside) for row in figure.rows]
    empty_rows = ((None,) * (figure.width + 2 * border),) * border
    return Picture((*empty_rows, *rows, *empty_rows), picture.name)


def _write_png(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None) -> None:
    """Play to the end and draw the finished picture, on its board or cropped.

    A cropped one has a border as :func:`crop_picture` makes it.
    """
    frame = frames.make_last_frame(plan)
    squares, pieces = frame.squares, frame.pieces
    assert pieces is not None
    if not rendering.full and squares.any():
        rows, columns = (np.unique(indices) for indices in squares.nonzero())
        inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        squares, pieces = squares[inside], pieces[inside]
        border = int(not squares.all()) if rendering.margin is None else rendering.margin
        squares, pieces = np.pad(squares, border), np.pad(pieces, border)
    height, width = squares.shape
    painter = frames.make_painter(plan, rendering.look, (width, height))
    outlined = pieces if rendering.look.style == "outlines" else None
    file.write(_encode_squares(painter, squares, outlined, transparent=rendering.transparent))


PNG: Final = Renderer((".png",), "the finished picture", _write_png, has_transparency=True)


KINDS: Final = (".png", ".svg", ".pdf")
"""The file extensions of posters."""

_WIDTH, _MARGIN, _GAP = 1200.0, 80.0, 24.0
_MOMENTS: Final = 6
_BACKGROUND, _TEXT, _PALE_TEXT = "faf8f3", "22262e", "6b7280"
_DPI: Final = 150.0


@dataclass(frozen=True, slots=True)
class _Rect:
    """A filled rectangle; ``x`` and ``y`` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True, slots=True)
class _Label:
    """A line of text; ``x`` and ``y`` are the left end of its baseline."""

    x: float
    y: float
    size: float
    text: str
    color: str


_Item = _Rect | _Label


def check_poster(path: str | Path) -> None:
    """Refuse a file that cannot be written, before the game is played."""
    if Path(path).suffix.lower() not in KINDS:
        raise InputError(
            f"{path}: unknown poster type {Path(path).suffix!r}; use one of {' '.join(KINDS)}"
        )
    check_writable(path)


def save_poster(plan: Plan | HasPlan, path: str | Path, title: str = "") -> None:
    """Write a poster of a game; the extension of the file chooses PNG, SVG or PDF."""
    check_poster(path)
    played_plan, suffix = Plan.unwrap(plan), Path(path).suffix.lower()
    items, height = _lay_out(played_plan, title or Path(path).stem)
    if suffix == ".svg":
        write_text(path, _format_svg(items, height))
        return
    if suffix == ".png":
        write_bytes(path, _encode_png(_draw_image(items, height, 1)))
        return
    out = io.BytesIO()
    _draw_image(items, height, 2).save(out, "PDF", resolution=2 * _DPI)
    write_bytes(path, out.getvalue())


def _lay_out(plan: Plan, title: str) -> tuple[list[_Item], float]:
    """Return the items of the poster of a game, and the height of the poster."""
    from PIL import ImageFont

    shown_plan = frames.shrink_board(plan)
    painter = frames.make_painter(shown_plan, Look(1))
    colors = [painter.palette[index] for index in painter.tiles[:, 0, 0]]
    inner_width = _WIDTH - 2 * _MARGIN
    last_frame = frames.make_last_frame(shown_plan)
    assert last_frame.pieces is not None
    last_frame = Frame(np.pad(last_frame.squares, 1), 0.0, None, np.pad(last_frame.pieces, 1))
    rows, columns = (np.unique(indices) for indices in last_frame.squares.nonzero())
    fills_rectangle = len(columns) * len(rows) == (last_frame.squares > 0).sum()
    border = 0 if fills_rectangle else 1  # squares around the picture
    left, right = (
        (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (1, shown_plan.width + 1)
    )
    bottom, top = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (1, shown_plan.height + 1)
    area = (left - border, right + border, bottom - border, top + border)
    columns_shown, rows_shown = area[1] - area[0], area[3] - area[2]
    square = min(inner_width / columns_shown, inner_width * 1.1 / rows_shown)
    y = _MARGIN
    left_edge = _MARGIN + (inner_width - square * columns_shown) / 2
    # The finished picture.
    items: list[_Item] = []
    items += _draw_board(last_frame, area, (left_edge, y), square, colors)
    y += square * rows_shown + 2 * _GAP
    # The moments, in one row.
    moment_width = (inner_width - (_MOMENTS - 1) * _GAP) / _MOMENTS
    moment_square = min(moment_width / shown_plan.width, 1.6 * moment_width / shown_plan.height)
    for number, moment in enumerate(_play_moments(shown_plan)):
        x = (
            _MARGIN
            + number * (moment_width + _GAP)
            + (moment_width - moment_square * shown_plan.width) / 2
        )
        items += _draw_board(
            moment, (0, shown_plan.width, 0, shown_plan.height), (x, y), moment_square, colors
        )
    y += moment_square * shown_plan.height + 2.5 * _GAP
    # The figures.
    game = play_through(plan)
    squares = int((last_frame.squares > 0).sum())
    figures = "  ·  ".join(
        f"{number:,} {noun}{'s' * (number != 1)}{rest}"
        for number, noun, rest in (
            (len(plan), "piece", ""),
            (game.lines, "line", " cleared"),
            (squares, "square", " left"),
        )
    )
    title_size = min(44.0, 44 * inner_width / max(1.0, ImageFont.load_default(44).getlength(title)))
    items.append(_Label(_MARGIN, y + 34, title_size, title, _TEXT))
    items.append(_Label(_MARGIN, y + 84, 26, figures, _PALE_TEXT))
    items.append(
        _Label(
            _MARGIN, y + 122, 20, "A game of Tetris, every piece turned and dropped.", _PALE_TEXT
        )
    )
    return items, y + 122 + _MARGIN


def _play_moments(plan: Plan) -> Iterator[Frame]:
    """Yield the board after a sixth of the drops, two sixths, ..., all of them.

    A game of less than six drops has a moment for each.
    """
    marks = tuple(max(1, round(len(plan) * share / _MOMENTS)) for share in range(1, _MOMENTS + 1))
    *moments, last = list(frames.play_frames(plan, Schedule(1.0, 0.0, frames.mark_frames(marks))))[
        1:
    ]
    yield from moments[:-1]  # without the board after the last drop, which is the picture
    yield last


def _draw_board(
    frame: Frame,
    area: tuple[int, int, int, int],
    corner: tuple[float, float],
    square: float,
    colors: list[str],
) -> Iterator[_Item]:
    """Yield the items of an area of a board (left, right, bottom, top): squares, then lines."""
    left, right, bottom, top = area
    x0, y0 = corner
    yield _Rect(x0, y0, (right - left) * square, (top - bottom) * square, colors[0])
    for row in range(bottom, top):
        y = y0 + (top - 1 - row) * square
        column = left
        for value, run in itertools.groupby(frame.squares[row, left:right].tolist()):
            length = len(list(run))
            if value:
                x = x0 + (column - left) * square
                yield _Rect(x, y, length * square, square, colors[value])
            column += length
    if frame.pieces is None:
        return
    thickness = max(0.4, square / 14)
    for row in range(bottom, top):
        for column in range(left, right):
            value, piece = int(frame.squares[row, column]), frame.pieces[row, column]
            if not value:
                continue
            x, y = x0 + (column - left) * square, y0 + (top - 1 - row) * square
            line_color = paint.make_shades(colors[value])[2]
            above = row + 1 < top and frame.squares[row + 1, column]
            if above and frame.pieces[row + 1, column] != piece:
                yield _Rect(x, y, square, thickness, line_color)
            beside = column > left and frame.squares[row, column - 1]
            if beside and frame.pieces[row, column - 1] != piece:
                yield _Rect(x, y, thickness, square, line_color)


def _format_svg(items: list[_Item], height: float) -> str:
    """Return the items of a poster of this height as SVG."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" '
        'shape-rendering="crispEdges">',
        f'<rect width="100%" height="100%" fill="#{_BACKGROUND}"/>',
    ]
    for item in items:
        if isinstance(item, _Rect):
            lines.append(
                f'<rect x="{item.x:.2f}" y="{item.y:.2f}" width="{item.width:.2f}" '
                f'height="{item.height:.2f}" fill="#{item.color}"/>'
            )
        else:
            lines.append(
                f'<text x="{item.x:g}" y="{item.y:g}" font-family="sans-serif" '
                f'font-size="{item.size:g}" fill="#{item.color}">{html.escape(item.text)}</text>'
            )
    return "\n".join([*lines, "</svg>", ""])


def _draw_image(items: list[_Item], height: float, scale: int) -> Image.Image:
    """Return the items of a poster of this height as an image, with ``scale`` pixels per unit."""
    from PIL import ImageDraw, ImageFont

    max_width = scale * (_WIDTH - 2 * _MARGIN)
    image = Image.new("RGB", (round(scale * _WIDTH), round(scale * height)), f"#{_BACKGROUND}")
    draw = ImageDraw.Draw(image)
    for item in items:
        if isinstance(item, _Rect):
            left, top = round(scale * item.x), round(scale * item.y)
            right = max(left + 1, round(scale * (item.x + item.width))) - 1
            bottom = max(top + 1, round(scale * (item.y + item.height))) - 1
            draw.rectangle((left, top, right, bottom), fill=f"#{item.color}")
        elif label := draw_label(item.text, scale * item.size, max_width):
            mask, baseline = label
            corner = (round(scale * item.x), round(scale * item.y) - baseline)
            image.paste(f"#{item.color}", corner, mask)
        else:
            font = ImageFont.load_default(scale * item.size)
            draw.text(
                (scale * item.x, scale * item.y),
                item.text,
                f"#{item.color}",
                font=font,
                anchor="ls",
            )
    return image


# What a notebook shows: plans, games, pictures and packings, as HTML, SVG or PNG. The _repr_*_
# methods of these objects load the functions by name, so they do not import this
# module. The functions raise no errors: a plan that cannot be played becomes a message.

# Bright enough for dark letters on these colours, on a light page and on a dark page.
_TYPE_COLORS: Final = {
    PieceType.I: "7cc7d9",
    PieceType.J: "8ea6e6",
    PieceType.L: "efb072",
    PieceType.O: "ecd66f",
    PieceType.S: "93cf8b",
    PieceType.T: "c79be0",
    PieceType.Z: "ea8f8a",
}
_PRESET: Final = "b9b9bd"
_LETTER: Final = "1d1e22"


def draw_picture_png(picture: Picture) -> bytes | None:
    """Return a picture as PNG, transparent where it is empty; None if it has no rows."""
    if not picture.rows:
        return None
    scale = _choose_scale(picture.width, picture.height)
    image = Image.new("RGBA", (picture.width, picture.height))
    image.putdata(
        [
            (*parse_rgb(color), 255) if color else (0, 0, 0, 0)
            for row in picture.rows[::-1]
            for color in row
        ]
    )
    size = (picture.width * scale, picture.height * scale)
    return _encode_png(image.resize(size, Image.Resampling.NEAREST))


def draw_field_png(field: Playfield) -> bytes:
    """Return a field as PNG, each piece type in its own colour."""
    colors = {GREY: GREY_COLOR} | {int(piece): color for piece, color in _TYPE_COLORS.items()}
    rows = tuple(tuple(colors.get(v) for v in row) for row in field.rows)
    return draw_png(Picture(rows), Look(_choose_scale(field.width, field.height)))


def draw_plan_png(plan: Plan) -> bytes | None:
    """Return the finished picture of a plan as PNG; None if the plan cannot be played."""
    try:
        picture = make_field_picture(plan, play_through(plan).field)
        return draw_png(
            picture,
            Look(_choose_scale(plan.width, plan.height), field=paint.choose_field_for(plan)),
        )
    except TetrisPrinterError:
        return None


def _choose_scale(width: int, height: int) -> int:
    """Return the pixels per square of a picture in a notebook: at most 8, and 480 a side."""
    return max(1, min(8, 480 // max(width, height)))


def draw_plan_html(plan: Plan, title: str = "A print") -> str:
    """Return an inline player of a plan with a caption."""
    try:
        lines = play_through(plan).lines
    except TetrisPrinterError as error:
        return f"<p>Plan of {format_count(len(plan), 'drop')}: {html.escape(str(error))}</p>"
    caption = (
        f"{format_count(len(plan), 'drop')}, {format_count(lines, 'line')}, "
        f"{format_count(len(plan.passes), 'pass', 'passes')}, "
        f"board {plan.width} × {plan.height}"
    )
    page = make_page(plan, title=title, autoplay=False)
    # Sandboxed: the player needs no access to the notebook.
    return (
        '<figure style="margin:0;max-width:760px"><iframe sandbox="allow-scripts" '
        f'title="{html.escape(title)}" style="width:100%;height:520px;border:0" '
        f'srcdoc="{html.escape(page)}"></iframe>'
        f'<figcaption style="font-size:smaller;opacity:.75">{caption}</figcaption></figure>'
    )


def draw_packing_svg(packing: Packing, size: int = 22) -> str:
    """Draw a packing as SVG: each piece in its type's colour, with letters in drop order."""
    problem = packing.problem
    width, height = problem.width * size, problem.rows * size
    groups: list[tuple[Sequence[Cell], str]] = [(cells, _PRESET) for cells in problem.presets]
    groups += [(piece.cells, _TYPE_COLORS[piece.orientation.piece]) for piece in packing.pieces]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2}" height="{height + 2}" '
        f'viewBox="-1 -1 {width + 2} {height + 2}" role="img" '
        f'aria-label="A packing of {len(packing.pieces)} pieces">'
    ]
    for number, (cells, color) in enumerate(groups):
        parts.append(
            f'<path d="{_trace_outline(cells, problem.rows, size)}" fill="#{color}" '
            f'stroke="#{paint.shade(color, -0.6)}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
        if cells:
            x, y = min(cells, key=lambda c: (-c[1], c[0]))
            letter = _name_piece(number)
            parts.append(
                f'<text x="{(x + 0.5) * size:g}" y="{(problem.rows - y - 0.5) * size:g}" '
                f'font-family="monospace" font-size="{size * 0.7 / (0.2 + len(letter)):.3g}" '
                f'fill="#{_LETTER}" '
                f'text-anchor="middle" dominant-baseline="central">{letter}</text>'
            )
    return "".join([*parts, "</svg>"])


def _name_piece(number: int) -> str:
    """Return the name of a piece: A to Z, a to z, then AA, AB and so on."""
    names = ascii_uppercase + ascii_lowercase
    if number < len(names):
        return names[number]
    first, second = divmod(number - len(names), len(ascii_uppercase))
    return _name_piece(first) + ascii_uppercase[second]


def _trace_outline(cells: Iterable[Cell], rows: int, size: int) -> str:
    """Return an SVG path around some cells of a matrix with this many rows; row 0 is the lowest."""
    present = set(cells)
    # The edges of the shape, directed with the inside on the right. Where two cells touch only at
    # a corner, either of the two continuations closes a loop.
    next_corners: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for x, y in sorted(present):
        for dx, dy, begin, end in (
            (0, 1, (x, y + 1), (x + 1, y + 1)),
            (1, 0, (x + 1, y + 1), (x + 1, y)),
            (0, -1, (x + 1, y), (x, y)),
            (-1, 0, (x, y), (x, y + 1)),
        ):
            if (x + dx, y + dy) not in present:
                next_corners.setdefault(begin, []).append(end)
    loops = []
    while next_corners:
        start = corner = next(iter(next_corners))
        corners = [start]
        while True:
            continuations = next_corners[corner]
            next_corner = continuations.pop()
            if not continuations:
                del next_corners[corner]
            corner = next_corner
            if corner == start:
                break
            corners.append(corner)
        points = " L".join(f"{x * size} {(rows - y) * size}" for x, y in corners)
        loops.append(f"M{points}Z")
    return "".join(loops)


def draw_packings_html(packings: Sequence[Packing], max_shown: int = 12) -> str:
    """Draw the first packings of a table side by side, and the number of all packings."""
    drawn = "".join(
        f'<div style="margin:0 12px 12px 0">{draw_packing_svg(packing, 12)}</div>'
        for packing in packings[:max_shown]
    )
    rest = f", the first {max_shown} of them" if len(packings) > max_shown else ""
    return (
        f'<div><div style="font-size:smaller;opacity:.75">{len(packings)} packings{rest}</div>'
        f'<div style="display:flex;flex-wrap:wrap">{drawn}</div></div>'
    )


# Tilings, as PNG, as SVG, and as text for the terminal. Pieces that touch have different colours
# and a line between them. Several tilings become a sheet with several boards in a row. The space
# around the boards is transparent, for light and dark pages.

_TILE_COLORS: Final = (
    *("e6704f", "4f8fd0", "6fb55b", "e8bd4a", "9a6cc0", "4fb8b0"),
    *("d9699b", "a8794f", "8fa0ad", "b7cf5a", "5a63b0", "c94f4f"),
)
_TILE_LINE: Final = "1c1c22"
_BLOCKED: Final = "77777f"  # visible on white and on black
_MAX_SIDE: Final = 16_384
_MAX_PIXELS: Final = 64_000_000
_SPACE: Final = 1  # cells between the boards of a sheet, and around them


def choose_colors(tiling: Tiling) -> list[str]:
    """Choose a colour for each placement, ``rrggbb``: one per piece if no piece is used twice.

    >>> from tetrisprinter.tilings import TilingBoard, PieceSet, find_tiling
    >>> tiling = find_tiling(TilingBoard(2, 2), PieceSet.parse("dominoes"))
    >>> len(set(choose_colors(tiling)))
    2
    """
    used = [placement.kind for placement in tiling.placements]
    if len(tiling.pieces) <= len(_TILE_COLORS) and len(set(used)) == len(used):
        return [_TILE_COLORS[kind] for kind in used]
    return tiling.color_placements(_TILE_COLORS)


def _find_borders(tiling: Tiling) -> Iterator[tuple[GridCell, GridCell]]:
    """Yield the unit lines between pieces or at the board's edge, as pairs of end points."""
    width, height = tiling.board.width, tiling.board.height
    # A blocked square has the owner -1, and what is outside has none.
    owners = dict.fromkeys(itertools.product(range(width), range(height)), -1) | tiling.owners
    for y in range(height + 1):
        for x in range(width + 1):
            owner = owners.get((x, y))
            if x < width and owner != owners.get((x, y - 1)):
                yield (x, y), (x + 1, y)
            if y < height and owner != owners.get((x - 1, y)):
                yield (x, y), (x, y + 1)


def _lay_out_sheet(tilings: Sequence[Tiling]) -> tuple[int, int, list[GridCell]]:
    """Return the size of a sheet in cells, and the top left cell of each board."""
    width, height = tilings[0].board.width, tilings[0].board.height
    boards_across = max(1, math.isqrt(max(1, len(tilings) * (height + _SPACE) // (width + _SPACE))))
    boards_across = min(len(tilings), boards_across)
    boards_down = -(-len(tilings) // boards_across)
    places = [
        (
            _SPACE + n % boards_across * (width + _SPACE),
            _SPACE + n // boards_across * (height + _SPACE),
        )
        for n in range(len(tilings))
    ]
    return (
        boards_across * (width + _SPACE) + _SPACE,
        boards_down * (height + _SPACE) + _SPACE,
        places,
    )


def draw_tilings_png(tilings: Sequence[Tiling], scale: int = 24) -> bytes:
    """Return tilings of one board as PNG."""
    from PIL import ImageDraw

    width, height, places = _lay_out_sheet(tilings)
    size = (width * scale, height * scale)
    if max(size) > _MAX_SIDE or size[0] * size[1] > _MAX_PIXELS:
        raise InputError(
            f"the picture is too large: {format_count(len(tilings), 'tiling')} in "
            f"{format_size(*size)} pixels; choose fewer tilings or a smaller scale"
        )
    image = Image.new("RGBA", size)
    draw = ImageDraw.Draw(image)
    thickness = max(1, scale // 12)
    for tiling, (left, top) in zip(tilings, places, strict=True):
        colors = [parse_rgb(color) for color in choose_colors(tiling)]
        owners = tiling.owners
        for y in range(tiling.board.height):
            for x in range(tiling.board.width):
                number = owners.get((x, y))
                color = parse_rgb(_BLOCKED) if number is None else colors[number]
                x0, y0 = (left + x) * scale, (top + y) * scale
                draw.rectangle((x0, y0, x0 + scale - 1, y0 + scale - 1), color)
        if scale >= 3:
            for (xa, ya), (xb, yb) in _find_borders(tiling):
                x0, y0 = (left + xa) * scale - thickness // 2, (top + ya) * scale - thickness // 2
                x1 = (left + xb) * scale - thickness // 2 + thickness - 1
                y1 = (top + yb) * scale - thickness // 2 + thickness - 1
                draw.rectangle((x0, y0, x1, y1), parse_rgb(_TILE_LINE))
    return _encode_png(image)


def draw_tilings_svg(tilings: Sequence[Tiling], scale: int = 24) -> str:
    """Return tilings of one board as SVG; each piece is one path with its name as title."""
    width, height, places = _lay_out_sheet(tilings)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale}" '
        f'height="{height * scale}" viewBox="0 0 {width} {height}">\n'
    ]
    for tiling, (left, top) in zip(tilings, places, strict=True):
        parts.append(f'<g transform="translate({left} {top})" shape-rendering="crispEdges">\n')
        if tiling.board.blocked:
            cells = tiling.board.list_cells(tiling.board.blocked)
            parts.append(f'<path fill="#{_BLOCKED}" d="{_format_squares(cells)}"/>\n')
        for placement, color in zip(tiling.placements, choose_colors(tiling), strict=True):
            name = html.escape(tiling.pieces[placement.kind].name)
            parts.append(
                f'<path fill="#{color}" d="{_format_squares(placement.cells)}">'
                f"<title>{name}</title></path>\n"
            )
        lines = "".join(
            f"M{xa} {ya}{'h' if xb > xa else 'v'}1" for (xa, ya), (xb, _) in _find_borders(tiling)
        )
        parts.append(
            f'<path fill="none" stroke="#{_TILE_LINE}" stroke-width=".08" stroke-linecap="square" '
            f'd="{lines}"/>\n</g>\n'
        )
    return "".join((*parts, "</svg>\n"))


def _format_squares(cells: Sequence[GridCell] | Iterator[GridCell]) -> str:
    """Return an SVG path that fills cells."""
    return "".join(f"M{x} {y}h1v1h-1z" for x, y in cells)


def draw_lines(tiling: Tiling) -> str:
    """Draw the borders of the pieces with box-drawing characters.

    >>> from tetrisprinter.tilings import TilingBoard, PieceSet, find_tiling
    >>> print(draw_lines(find_tiling(TilingBoard(3, 2), PieceSet.parse("dominoes"))))
    ┌───────┬───┐
    │       │   │
    ├───────┤   │
    │       │   │
    └───────┴───┘
    """
    board = tiling.board
    borders = set(_find_borders(tiling))
    # The index is the sum of the lines that meet at a corner: 1 up, 2 right, 4 down, 8 left.
    joints = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
    owners = tiling.owners
    lines = []
    for y in range(board.height + 1):
        line = ""
        for x in range(board.width + 1):
            right = ((x, y), (x + 1, y)) in borders
            joint = (
                (((x, y - 1), (x, y)) in borders)
                + 2 * right
                + 4 * (((x, y), (x, y + 1)) in borders)
                + 8 * (((x - 1, y), (x, y)) in borders)
            )
            line += joints[joint] + ("───" if right else "   ")
        lines.append(line.rstrip())
        if y == board.height:
            break
        line = ""
        for x in range(board.width + 1):
            line += "│" if ((x, y), (x, y + 1)) in borders else " "
            blocked = x < board.width and (x, y) not in owners
            line += "░░░" if blocked else "   "
        lines.append(line.rstrip())
    return "\n".join(lines)


def draw_in_color(tiling: Tiling, mode: ColorMode) -> str:
    """Draw a tiling in colours, two rows per line; without colours, with box characters."""
    from tetrisprinter.render.terminal import draw_half_blocks

    if mode == "none":
        return draw_lines(tiling)
    colors = choose_colors(tiling)
    owners = tiling.owners
    rows = [
        [
            _BLOCKED if (number := owners.get((x, y))) is None else colors[number]
            for x in range(tiling.board.width)
        ]
        for y in reversed(range(tiling.board.height))
    ]
    return "\n".join(draw_half_blocks(rows, mode))
