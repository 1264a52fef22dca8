"""Still pictures: the finished picture as PNG, and a poster of the game as PNG, SVG or PDF.

A poster shows the finished picture with its pieces, six moments of the game, and figures. It is a
list of *items*: rectangles and lines of text, in units of which the poster is 1,200 wide. SVG
contains the items; PNG and PDF are drawn from the items.
"""

from __future__ import annotations

import html
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture, make_field_picture, parse_rgb
from tetrisprinter.render import Renderer, Rendering, Report
from tetrisprinter.render.colors import AUTO, BACKGROUND, choose_field_for
from tetrisprinter.render.frames import (
    Frame,
    Schedule,
    make_last_frame,
    make_painter,
    mark_frames,
    play_frames,
    shrink_board,
)
from tetrisprinter.render.paint import Look, Painter, make_shades
from tetrisprinter.support.files import check_writable, encode_text, write_bytes

if TYPE_CHECKING:
    from PIL import Image

    from tetrisprinter.render.frames import Pieces
    from tetrisprinter.render.paint import Pixels


_MAX_COLORS = 80


def draw_png(
    picture: Picture, scale: int = 8, *, look: Look | None = None, transparent: bool = False
) -> bytes:
    """Return a picture as PNG."""
    from PIL import Image

    colors = picture.colors()
    if len(colors) > _MAX_COLORS:
        raise ValueError(f"too many colours: {len(colors)}; at most {_MAX_COLORS} are possible")
    look = look or Look(scale)
    if transparent and look.field == AUTO:
        look = replace(look, field=BACKGROUND)
    painter = Painter(picture.width, picture.height, colors, look)
    tiles = dict(zip([None, *colors], painter.tiles, strict=True))
    # Joining bytes is fast enough for one picture and avoids loading numpy.
    last_grid_line = b"\1" * painter.look.grid
    lines = [
        b"".join(tiles[color][line] for color in row) + last_grid_line
        for row in reversed(picture.rows)
        for line in range(painter.scale)
    ]
    lines.append(last_grid_line * painter.size[0])
    image = Image.frombytes("P", painter.size, b"".join(lines))
    image.putpalette(b"".join(bytes(parse_rgb(color)) for color in painter.palette))
    if transparent:
        image.info["transparency"] = 0
    out = io.BytesIO()
    image.convert("RGBA" if transparent else "RGB").save(out, "PNG", optimize=True)
    return out.getvalue()


def crop_picture(picture: Picture, margin: int | None = None) -> Picture:
    """Return a picture cropped to its figure, with ``margin`` empty squares around it (default: 1).

    A figure that fills its rectangle, such as a photograph, gets no border by default.
    """
    cells = picture.cells()
    if not cells:
        return picture
    left, right = min(x for x, _ in cells), max(x for x, _ in cells)
    bottom, top = min(y for _, y in cells), max(y for _, y in cells)
    if margin is None and len(cells) == (right - left + 1) * (top - bottom + 1):
        rows = [row[left : right + 1] for row in picture.rows[bottom : top + 1]]
        return Picture(tuple(rows), picture.name)
    border = 1 if margin is None else margin
    empty_cells = (None,) * border
    empty_rows = ((None,) * (right - left + 1 + 2 * border),) * border
    rows = [
        (*empty_cells, *row[left : right + 1], *empty_cells)
        for row in picture.rows[bottom : top + 1]
    ]
    return Picture((*empty_rows, *rows, *empty_rows), picture.name)


def draw_outlines(plan: Plan, rendering: Rendering) -> tuple[Pixels, list[str]]:
    """Return the finished picture with lines between its pieces: palette indices and palette.

    The picture is cropped like any still picture, unless ``rendering.full`` is set.
    """
    import numpy as np

    from tetrisprinter.render.frames import make_last_frame, make_painter

    frame = make_last_frame(plan)
    squares, pieces = frame.squares, frame.pieces
    assert pieces is not None
    if not rendering.full and squares.any():
        rows, columns = (np.unique(indices) for indices in squares.nonzero())
        inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        squares, pieces = squares[inside], pieces[inside]
        border = int(not squares.all()) if rendering.margin is None else rendering.margin
        squares, pieces = np.pad(squares, border), np.pad(pieces, border)
    height, width = squares.shape
    painter = make_painter(plan, rendering.look, (width, height))
    return painter.paint(squares, pieces), painter.palette


def _draw_outlined_png(plan: Plan, rendering: Rendering) -> bytes:
    """Return the finished picture with lines between its pieces as PNG."""
    import numpy as np
    from PIL import Image

    pixels, palette = draw_outlines(plan, rendering)
    table = np.array([parse_rgb(color) for color in palette], dtype=np.uint8)
    image = Image.fromarray(table[pixels])
    if rendering.transparent:
        image.putalpha(Image.fromarray(((pixels != 0) * 255).astype(np.uint8)))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


class _PngRenderer:
    extensions = (".png",)
    summary = "the finished picture"
    has_transparency = True

    def check(self, rendering: Rendering) -> None:
        """Accept all options."""

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Play to the end and draw the finished picture, cropped or on its board."""
        if rendering.look.style == "outlines":
            file.write(_draw_outlined_png(plan, rendering))
            return
        picture = make_field_picture(plan, play_through(plan).field)
        if not rendering.full:
            picture = crop_picture(picture, rendering.margin)
        look = replace(rendering.look, field=choose_field_for(plan, rendering.look.field))
        file.write(draw_png(picture, look=look, transparent=rendering.transparent))


PNG: Final[Renderer] = _PngRenderer()


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
        write_bytes(path, encode_text(_format_svg(items, height)))
        return
    out = io.BytesIO()
    image = _draw_image(items, height, 2 if suffix == ".pdf" else 1)
    if suffix == ".pdf":
        image.save(out, "PDF", resolution=2 * _DPI)
    else:
        image.save(out, "PNG", optimize=True)
    write_bytes(path, out.getvalue())


def _lay_out(plan: Plan, title: str) -> tuple[list[_Item], float]:
    """Return the items of the poster of a game, and the height of the poster."""
    import numpy as np

    shown_plan = shrink_board(plan)
    painter = make_painter(shown_plan, Look(1))
    colors = [painter.palette[tile[0][0]] for tile in painter.tiles]
    inner_width = _WIDTH - 2 * _MARGIN
    last_frame = make_last_frame(shown_plan)
    last_frame = replace(
        last_frame, squares=np.pad(last_frame.squares, 1), pieces=_add_border(last_frame.pieces)
    )
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
    figures = f"{len(plan):,} pieces  ·  {game.lines:,} lines cleared  ·  {squares:,} squares left"
    items.append(_Label(_MARGIN, y + 34, 44, title, _TEXT))
    items.append(_Label(_MARGIN, y + 84, 26, figures, _PALE_TEXT))
    items.append(
        _Label(
            _MARGIN, y + 122, 20, "A game of Tetris, every piece turned and dropped.", _PALE_TEXT
        )
    )
    return items, y + 122 + _MARGIN


def _add_border(pieces: Pieces | None) -> Pieces | None:
    """Pad an array of piece numbers by one cell on each side; None stays None."""
    import numpy as np

    return None if pieces is None else np.pad(pieces, 1)


def _play_moments(plan: Plan) -> Iterator[Frame]:
    """Yield the board after a sixth of the drops, two sixths, ..., all of them."""
    marks = tuple(max(1, round(len(plan) * share / _MOMENTS)) for share in range(1, _MOMENTS + 1))
    frames = list(play_frames(plan, Schedule(1.0, 0.0, mark_frames(marks))))[1:]
    yield from frames[: _MOMENTS - 1]
    yield frames[-1]


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
            line_color = make_shades(colors[value])[2]
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
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (round(scale * _WIDTH), round(scale * height)), f"#{_BACKGROUND}")
    draw = ImageDraw.Draw(image)
    for item in items:
        if isinstance(item, _Rect):
            left, top = round(scale * item.x), round(scale * item.y)
            right = max(left + 1, round(scale * (item.x + item.width))) - 1
            bottom = max(top + 1, round(scale * (item.y + item.height))) - 1
            draw.rectangle((left, top, right, bottom), fill=f"#{item.color}")
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
