"""Paint squares as pixels, in the colours of a game.

A plan colours only the types that may stay; types of the background's colour look like empty
squares. All other types are on the field for a while, too. They get *muted* colours: tinted greys,
as far from the plan's colours, the background and each other as a fixed list allows. The last frame
never shows muted colours. The *field*, the colour of empty squares, differs visibly from all
colours of the picture: a picture with a background is drawn on that background, any other picture
on the first suitable colour of a short list. The list begins with black, on which a picture with
black outlines would not be recognised.

A painter turns an array of small integers, one per square, into an array of palette indices, one
per pixel. It looks up a *tile* for each square: the pixels of a square with that integer. The
palette has only a few shades per colour, so GIF and APNG use the indices directly; other formats
look up the colours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import TopOutError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture, parse_rgb
from tetrisprinter.pictures.reduction import Point, to_oklab
from tetrisprinter.support import LazyModule
from tetrisprinter.support.options import check_options, option, read_choice, read_flag, read_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Squares = NDArray[np.uint8]
    Pixels = NDArray[np.uint8]
else:
    np = LazyModule("numpy")


BACKGROUND: Final = "000000"
"""The colour of an empty square, unless the picture has black squares (``field_color``)."""

GRID: Final = "26262b"
"""The colour of the lines between squares on this background."""

# Slate, taupe, sage, mauve, steel, clay, olive, indigo: dim first, then lighter.
_MUTED: Final = (
    *("545d6a", "6a6055", "566459", "655a6b", "4a6272", "70574f", "60664a", "56587a"),
    *("8a93a0", "9c9286", "8b998e", "978ca0", "8099a8", "a58d86", "959b80", "8c8eae"),
)


def shade(color: str, amount: float) -> str:
    """Move a colour towards white (``amount > 0``) or black (``amount < 0``).

    >>> shade("804000", 0.5), shade("804000", -0.5)
    ('c0a080', '402000')
    """
    target_channel = 255 if amount > 0 else 0
    return bytes(round(c + (target_channel - c) * abs(amount)) for c in parse_rgb(color)).hex()


def _compute_distance(a: str, b: str) -> float:
    """Return the "redmean" distance, which is closer to perception than plain RGB."""
    (r1, g1, b1), (r2, g2, b2) = parse_rgb(a), parse_rgb(b)
    mean = (r1 + r2) / 2
    return (
        (2 + mean / 256) * (r1 - r2) ** 2
        + 4 * (g1 - g2) ** 2
        + (2 + (255 - mean) / 256) * (b1 - b2) ** 2
    )


def choose_muted(count: int, taken: Sequence[str]) -> list[str]:
    """Choose ``count`` muted colours, far from the taken colours and from each other."""
    chosen: list[str] = []
    for _ in range(count):
        used = [*taken, *chosen]
        unused = [color for color in _MUTED if color not in chosen]
        chosen.append(
            max(unused, key=lambda c: min((_compute_distance(c, u) for u in used), default=0))
        )
    return chosen


def choose_display_colors(plan: Plan, field_color: str = BACKGROUND) -> dict[int, str]:
    """Return a colour for every value of a square: the plan's, the field's, or a muted one."""
    # Types of the background's colour must not be visible on any field.
    plan_colors = dict(plan.square_colors)
    plan_colors |= {piece: plan.visible_colors.get(piece, field_color) for piece, _ in plan.colors}
    other_types = [piece for piece in PieceType if piece not in plan_colors]
    muted = choose_muted(len(other_types), [field_color, *plan_colors.values()])
    return {**plan_colors, **dict(zip(other_types, muted, strict=True))}


AUTO: Final = "auto"
"""The value of an option that lets the program choose the field."""

FIELDS: Final = (
    BACKGROUND,
    *("f4f1e8", "39404d", "9aa3ae", "d9cba8", "5f7a8c", "7d8f6a", "a58a97", "2f4f4a"),
    *("c9d6e2", "6b5a4e", "e8d5dc"),
)
"""Possible fields in the order of preference: black, off-white, slate, grey, sand, ..."""

_DISTINCT: Final = 0.2  # the least distance in OKLab at which two colours differ at a glance


def choose_field(colors: Iterable[str], background: str | None = None) -> str:
    """Choose the colour of empty squares for a picture with these colours."""
    if background is not None:
        return background
    points = [to_oklab(parse_rgb(color)) for color in colors]
    distances = [_find_least_distance(field, points) for field in FIELDS]
    return next(
        (field for field, distance in zip(FIELDS, distances, strict=True) if distance >= _DISTINCT),
        FIELDS[distances.index(max(distances))],
    )


def choose_field_for(plan: Plan, field: str = AUTO) -> str:
    """Choose the colour of empty squares for a game, unless one is given."""
    if field != AUTO:
        return field
    if plan.background is not None:
        return plan.background
    field = choose_field(color for _, color in plan.colors)
    if field == BACKGROUND:
        return field
    try:
        return choose_field(make_field_picture(plan, play_through(plan).field).colors())
    except TopOutError:  # the renderer reports it
        return field


def is_distinct(color: str, field: str) -> bool:
    """Return whether a colour differs from the field at a glance."""
    return _find_least_distance(field, [to_oklab(parse_rgb(color))]) >= _DISTINCT


def choose_grid(field: str) -> str:
    """Choose the colour of grid lines on a field.

    >>> choose_grid("000000")
    '26262b'
    """
    if field == BACKGROUND:
        return GRID
    return shade(field, -0.18 if sum(parse_rgb(field)) > 384 else 0.18)


def _find_least_distance(field: str, points: list[Point]) -> float:
    """Return the distance in OKLab from a colour to the nearest of some points; 1 if none."""
    field_point = to_oklab(parse_rgb(field))
    return min(
        (
            sum((a - b) ** 2 for a, b in zip(field_point, point, strict=True)) ** 0.5
            for point in points
        ),
        default=1.0,
    )


Style = Literal["plain", "flat", "bevel", "outlines"]

_LIGHT: Final = 0.38
_DARK: Final = -0.38
_MAX_SIDE: Final = 16_384
_MIN_SIDE: Final = 480
"""The least number of pixels of an image's longer side, ..."""
_MIN_SCALE: Final = 8
"""... and of a square, if the image does not become too large."""
_PIXELS_PER_LINE: Final = 12
"""A line between two pieces is one pixel thick for each 12 pixels of a square."""
MIN_OUTLINED_SCALE: Final = 4
"""The least number of pixels per square at which lines between pieces are drawn."""


def _read_field(value: Any) -> str:
    """Read the colour of empty squares, or ``"auto"``."""
    from tetrisprinter.pictures.convert import parse_color

    if value == AUTO:
        return AUTO
    try:
        return parse_color(value)
    except InputError as error:
        raise InputError(f"{error}, or {AUTO}") from error


@dataclass(frozen=True, slots=True)
class Look:
    """The look of the squares.

    Raises
    ------
    InputError
        If an option is out of range, or the scale is too small for a grid.
    """

    scale: int | None = option(
        None,
        "Pixels per square. [default: an animation has at most 480 pixels on the longer side, with "
        "a frame around the board]",
        read_whole(1, 64),
        "1..64",
        "int",
    )
    # Lines need 4 pixels per square and no grid, edges need 3
    style: Style = option(
        "plain",
        "plain: lines between the pieces during the game; flat: no lines; bevel: blocks with "
        "edges; outlines: lines also in the finished picture.",
        read_choice(get_args(Style)),
        f"[{'|'.join(get_args(Style))}]",
        "str",
    )
    grid: bool = option(
        False, "Separate the squares by lines, from 3 pixels per square on.", read_flag
    )
    field: str = option(
        AUTO,
        "Colour of empty squares; auto: black, or another colour if the picture is hard to see on "
        "black.",
        _read_field,
        "COLOUR|auto",
        "str",
    )

    def __post_init__(self) -> None:
        check_options(self, unchecked="scale")  # that of a small picture is larger than one may ask
        least, why = (3, " for a grid") if self.grid else (1, "")
        if self.scale is not None and self.scale < least:
            raise InputError(f"a scale of {self.scale} is too small{why}; expected {least} or more")

    @property
    def has_lines(self) -> bool:
        """Whether a line separates the pieces during the game."""
        return self.style != "flat"

    def choose_scale(self, width: int, height: int) -> int:
        """Return the pixels per square for a size in squares.

        >>> Look().choose_scale(16, 12), Look().choose_scale(300, 200), Look(2).choose_scale(16, 12)
        (30, 8, 2)
        """
        if self.scale is not None:
            return self.scale
        side = max(width, height, 1)
        return max(1, min(max(_MIN_SCALE, -(-_MIN_SIDE // side)), (_MAX_SIDE - 1) // side))


def make_shades(color: str) -> tuple[str, str, str]:
    """Return the colours of a light edge, of a dark edge, and of the line between two pieces."""
    light, dark = shade(color, _LIGHT), shade(color, _DARK)
    return light, dark, dark if is_distinct(color, "000000") else light


class Painter:
    """Draws boards of one size with one set of colours."""

    def __init__(
        self,
        width: int,
        height: int,
        field_color: str,
        colors: Sequence[str],
        look: Look,
        hidden_types: Collection[int] = (),
    ) -> None:
        scale = look.choose_scale(width, height)
        self.width, self.height, self.scale = width, height, scale
        self.look = look
        # The grid has the left and upper edges of the tiles, and a last line that closes the board.
        self.size = (width * scale + look.grid, height * scale + look.grid)
        if max(self.size) > _MAX_SIDE:
            raise InputError(
                f"{self.size[0]}x{self.size[1]} pixels are too many; "
                f"choose a scale of {max(1, _MAX_SIDE // max(width, height))} or less"
            )
        self.palette = [field_color, choose_grid(field_color)]
        # By the value of a square: its pixels, and the colour of the line between two pieces.
        self.tiles = np.zeros((1 + len(colors), scale, scale), np.uint8)
        self._edges = np.zeros(1 + len(colors), np.uint8)
        for value, color in enumerate(colors, 1):
            self._edges[value] = self._draw_tile(self.tiles[value], color)
        if look.has_lines and scale >= MIN_OUTLINED_SCALE:
            for value in hidden_types:  # a line along the four edges of their squares
                tile = self.tiles[value]
                tile[[0, -1]] = tile[:, [0, -1]] = self._edges[value]
        if look.grid:
            self.tiles[:, 0] = self.tiles[:, :, 0] = 1
        # Colours of what is not a square: the frame of a board, the ground around it, text on
        # this ground, and a full row that flashes.
        is_dark = sum(parse_rgb(field_color)) <= 384
        contrast = 1.0 if is_dark else -1.0
        self.frame_index = len(self.palette)
        self.ground_index, self.text_index, self.flash_index = range(
            self.frame_index + 1, self.frame_index + 4
        )
        self.palette += [
            shade(field_color, 0.45 * contrast),
            shade(field_color, 0.1 * contrast),
            shade(field_color, 0.85 * contrast),
            "ffffff" if is_dark else "000000",
        ]

    def _draw_tile(self, tile: Pixels, color: str) -> int:
        """Draw a square and add its colours to the palette; return the index of its line colour."""
        base_index = len(self.palette)
        self.palette.append(color)
        tile[:] = base_index
        light, dark, edge = make_shades(color)
        # With a grid the square is one pixel smaller: the grid line takes the tile's first pixels.
        inset = int(self.look.grid)
        if self.look.style == "bevel" and self.scale - inset >= 3:
            self.palette += [light, dark]
            for i in range(inset, inset + max(1, self.scale // 6)):
                last = self.scale - 1 - (i - inset)
                tile[i, i:last] = tile[i:last, i] = base_index + 1
                tile[last, i : last + 1] = tile[i : last + 1, last] = base_index + 2
        if edge not in self.palette[base_index:]:
            self.palette.append(edge)
        return self.palette.index(edge, base_index)

    def paint(
        self,
        squares: Squares,
        pieces: NDArray[np.int32] | None = None,
        flashing: Sequence[int] = (),
    ) -> Pixels:
        """Return the pixels of a board, with lines between pieces if ``pieces`` numbers them.

        The rows ``flashing`` have one bright colour.
        """
        scale = self.scale
        drawn = self.tiles[squares[::-1]]
        pixels = drawn.transpose(0, 2, 1, 3).reshape(self.height * scale, self.width * scale)
        if self.look.grid:
            return np.pad(pixels, ((0, 1), (0, 1)), constant_values=1)
        if pieces is not None and self.look.has_lines and scale >= MIN_OUTLINED_SCALE:
            self._draw_piece_lines(pixels, squares[::-1], pieces[::-1])
        for row in flashing:
            top = (self.height - 1 - row) * scale
            pixels[top : top + scale] = self.flash_index
        return pixels

    def _draw_piece_lines(
        self, pixels: Pixels, squares: Squares, pieces: NDArray[np.int32]
    ) -> None:
        """Draw a line above or to the left of each square that touches another piece there."""
        scale = self.scale
        tiles = pixels.reshape(self.height, scale, self.width, scale)
        edges = self._edges[squares]
        has_line = (pieces[1:] != pieces[:-1]) & (squares[1:] > 0) & (squares[:-1] > 0)
        thickness = max(1, scale // _PIXELS_PER_LINE)
        for line in range(thickness):
            tiles[1:, line][has_line] = edges[1:][has_line][:, None]
        has_line = (pieces[:, 1:] != pieces[:, :-1]) & (squares[:, 1:] > 0) & (squares[:, :-1] > 0)
        for line in range(thickness):
            pixel_columns = tiles.transpose(0, 2, 1, 3)[:, 1:, :, line]
            pixel_columns[has_line] = edges[:, 1:][has_line][:, None]

    def stamp(self, pixels: Pixels, value: int, x: float, y: float) -> None:
        """Draw one square into a painted board at any position, given in squares."""
        scale = self.scale
        left = round(x * scale)
        height = self.height * scale
        top = height - scale - round(y * scale)
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(self.width * scale, left + scale), min(height, top + scale)
        if x0 < x1 and y0 < y1:
            tile = self.tiles[value]
            pixels[y0:y1, x0:x1] = tile[y0 - top : y1 - top, x0 - left : x1 - left]
