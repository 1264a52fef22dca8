"""A poster of a game: the finished picture with its pieces, six moments, and figures.

A poster is a list of rectangles and lines of text in its own units. SVG contains these items;
PNG and PDF are drawn from them.
"""

from __future__ import annotations

import html
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.render.animation import make_painter
from tetrisprinter.render.frames import Frame, Schedule, make_last_frame, play_frames, shrink_board
from tetrisprinter.render.paint import Look, make_shades
from tetrisprinter.support.files import check_writable, encode_text, write_bytes

if TYPE_CHECKING:
    from PIL import Image

    from tetrisprinter.render.frames import Pieces


KINDS: Final = (".png", ".svg", ".pdf")
"""The file extensions of posters."""

_WIDTH, _MARGIN, _GAP = 1200.0, 80.0, 24.0
_MOMENTS: Final = 6
_PAPER, _INK, _PALE = "faf8f3", "22262e", "6b7280"
_DPI: Final = 150.0


@dataclass(frozen=True, slots=True)
class _Rect:
    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True, slots=True)
class _Label:
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
    """Write a poster of a game."""
    check_poster(path)
    played, suffix = Plan.unwrap(plan), Path(path).suffix.lower()
    items, height = _lay_out(played, title or Path(path).stem)
    if suffix == ".svg":
        write_bytes(path, encode_text(_format_svg(items, height)))
        return
    out = io.BytesIO()
    drawn = _draw(items, height, 2 if suffix == ".pdf" else 1)
    if suffix == ".pdf":
        drawn.save(out, "PDF", resolution=2 * _DPI)
    else:
        drawn.save(out, "PNG", optimize=True)
    write_bytes(path, out.getvalue())


def _lay_out(plan: Plan, title: str) -> tuple[list[_Item], float]:
    """Return the items of the poster, and its height."""
    low = shrink_board(plan)
    painter = make_painter(low, Look(1))
    colors = [painter.palette[tile[0][0]] for tile in painter.tiles]
    inner = _WIDTH - 2 * _MARGIN
    end = make_last_frame(low)
    end = replace(end, squares=np.pad(end.squares, 1), pieces=_pad(end.pieces))
    rows, columns = (np.unique(along) for along in end.squares.nonzero())
    full = len(columns) * len(rows) == (end.squares > 0).sum()
    side = 0 if full else 1  # squares around the picture; none around a photograph
    left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (1, low.width + 1)
    bottom, top = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (1, low.height + 1)
    part = (left - side, right + side, bottom - side, top + side)
    across, down = part[1] - part[0], part[3] - part[2]
    square = min(inner / across, inner * 1.1 / down)
    y = _MARGIN
    start = _MARGIN + (inner - square * across) / 2
    # The finished picture.
    items: list[_Item] = []
    items += _draw_board(end, part, (start, y), square, colors)
    y += square * down + 2 * _GAP
    # The moments, in one row.
    wide = (inner - (_MOMENTS - 1) * _GAP) / _MOMENTS
    small = min(wide / low.width, 1.6 * wide / low.height)
    for number, moment in enumerate(_play_moments(low)):
        at = _MARGIN + number * (wide + _GAP) + (wide - small * low.width) / 2
        items += _draw_board(moment, (0, low.width, 0, low.height), (at, y), small, colors)
    y += small * low.height + 2.5 * _GAP
    # The figures.
    game = play_through(plan)
    squares = int((end.squares > 0).sum())
    said = f"{len(plan):,} pieces  ·  {game.lines:,} lines cleared  ·  {squares:,} squares left"
    items.append(_Label(_MARGIN, y + 34, 44, title, _INK))
    items.append(_Label(_MARGIN, y + 84, 26, said, _PALE))
    items.append(
        _Label(_MARGIN, y + 122, 20, "A game of Tetris, every piece turned and dropped.", _PALE)
    )
    return items, y + 122 + _MARGIN


def _pad(pieces: Pieces | None) -> Pieces | None:
    return None if pieces is None else np.pad(pieces, 1)


def _play_moments(plan: Plan) -> Iterator[Frame]:
    """Yield the board after a sixth of the drops, two sixths, ..., all of them."""
    marks = tuple(max(1, round(len(plan) * share / _MOMENTS)) for share in range(1, _MOMENTS + 1))
    shown = list(play_frames(plan, Schedule(1.0, 0.0, marks)))[1:]
    yield from shown[: _MOMENTS - 1]
    yield shown[-1]


def _draw_board(
    frame: Frame,
    part: tuple[int, int, int, int],
    corner: tuple[float, float],
    square: float,
    colors: list[str],
) -> Iterator[_Item]:
    """Yield the items of a part of a board (left, right, bottom, top): squares, then lines."""
    left, right, bottom, top = part
    x0, y0 = corner
    yield _Rect(x0, y0, (right - left) * square, (top - bottom) * square, colors[0])
    for row in range(bottom, top):
        y = y0 + (top - 1 - row) * square
        column = left
        for value, run in itertools.groupby(frame.squares[row, left:right].tolist()):
            number = len(list(run))
            if value:
                x = x0 + (column - left) * square
                yield _Rect(x, y, number * square, square, colors[value])
            column += number
    if frame.pieces is None:
        return
    thick = max(0.4, square / 14)
    for row in range(bottom, top):
        for column in range(left, right):
            value, owner = int(frame.squares[row, column]), frame.pieces[row, column]
            if not value:
                continue
            x, y = x0 + (column - left) * square, y0 + (top - 1 - row) * square
            edge = make_shades(colors[value])[2]
            above = row + 1 < top and frame.squares[row + 1, column]
            if above and frame.pieces[row + 1, column] != owner:
                yield _Rect(x, y, square, thick, edge)
            beside = column > left and frame.squares[row, column - 1]
            if beside and frame.pieces[row, column - 1] != owner:
                yield _Rect(x, y, thick, square, edge)


def _format_svg(items: list[_Item], height: float) -> str:
    """Return the items of a poster as SVG."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" '
        'shape-rendering="crispEdges">',
        f'<rect width="100%" height="100%" fill="#{_PAPER}"/>',
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


def _draw(items: list[_Item], height: float, scale: int) -> Image.Image:
    """Draw the items of a poster as an image."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (round(scale * _WIDTH), round(scale * height)), f"#{_PAPER}")
    draw = ImageDraw.Draw(image)
    for item in items:
        if isinstance(item, _Rect):
            left, top = round(scale * item.x), round(scale * item.y)
            right = max(left + 1, round(scale * (item.x + item.width))) - 1
            low = max(top + 1, round(scale * (item.y + item.height))) - 1
            draw.rectangle((left, top, right, low), fill=f"#{item.color}")
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
