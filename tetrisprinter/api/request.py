"""The options of a print, and the defaults of options that are not given.

Given options are always kept. The others are chosen for the picture; for board and types the
planner *auto* compares several.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypedDict, get_args

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.formats.tetrio import read_pieces
from tetrisprinter.game.board import CLASSIC_BOARD, GUIDELINE_BOARD, Board
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import CLASSIC_TYPES
from tetrisprinter.pictures.convert import (
    DEFAULT_LIMITS,
    Adjustments,
    Conversion,
    DefaultLimits,
    parse_color,
)
from tetrisprinter.pictures.images import Box, parse_crop
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.pictures.scaling import Resampling
from tetrisprinter.planners.budgets import estimate_photo_seconds
from tetrisprinter.printing.boards import MARGIN, ROOM_ABOVE
from tetrisprinter.printing.task import CLASSIC_WIDTH, Task
from tetrisprinter.printing.types import TypeColors, TypesOption, list_colors_to_show, read_types
from tetrisprinter.support.sizes import parse_size

CLASSIC_HEIGHT: Final = CLASSIC_BOARD.height - ROOM_ABOVE
"""The height, in rows, of the tallest picture that the article prints on its board."""

_NARROW: Final = 12
"""On a board of at most this number of columns, one column stays free instead of a margin."""

BLACK: Final = "000000"
"""The default colour of empty squares."""

_DEFAULT_CONVERSION: Final = Conversion(defaults=DEFAULT_LIMITS)


class PrintOptions(TypedDict, total=False):
    """The options of a print; those that are not given are chosen for the picture."""

    exact: bool  # print the picture unchanged, or raise an error
    repair: bool  # with ``exact``: change pixels if no game leaves the picture, but nothing else
    # Scale a larger image down to this width and height, keeping its proportions: ``48``, ``(64,
    # 64)`` or ``"64x64"``
    fit: int | tuple[int, int] | str | None
    resample: Resampling  # the method of scaling
    colors: int | None  # reduce the image to this number of colours, not counting the background
    # Multiples, from 0 to 4, of the adjustment that is computed for the image
    contrast: float
    saturation: float
    sharpness: float
    dither: bool  # reduce colours with Floyd-Steinberg dithering
    original: bool  # change neither contrast nor edges, and keep specks
    # The rectangle of the image that is printed, in pixels: left, top, width and height, or
    # ``"300x200+40+10"``
    crop: tuple[int, int, int, int] | str | None
    # The colour of squares that need not be printed: a colour, ``"auto"`` (the default: found in an
    # opaque image) or ``"transparent"`` (only transparent pixels)
    background: Color | None
    frame: int | None  # the frame of an animated image, from 0
    # All options of the conversion in one object, instead of the options above
    convert: Conversion | None
    # The playfield, such as ``"21x42"``; ``"auto"``: chosen for the picture
    board: Board | str | tuple[int, int] | None
    # The colour of each piece type: ``"classic"``, ``"auto"``, or such as ``"J=ff0000,T=ffffff"``
    types: str | Mapping[PieceType, Color] | None
    column: int | None  # the board column of the picture's leftmost column
    # The piece queue: ``"bag"``, ``"bag:SEED"``, a queue such as ``"TIJLOSZ"``, or its rules with
    # preview and hold. None: any piece at any time
    pieces: QueueRules | str | None


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """The options as given; None means that a suitable value is chosen."""

    conversion: Conversion = _DEFAULT_CONVERSION  # how the image is converted
    # The playfield; "auto": chosen for the picture; None: 21x42 or chosen for the picture
    board: Board | Literal["auto"] | None = None
    types: TypesOption | None = None  # the colours of the piece types
    repairs: bool = True  # whether pixels may change so that the picture becomes printable
    column: int | None = None  # the board column of the picture's leftmost column
    # The colour in which empty squares are drawn; None if another program draws them
    field: Color | None = BLACK
    # The piece queue, by default on GUIDELINE_BOARD; None: any piece at any time
    pieces: QueueRules | None = None

    def __post_init__(self) -> None:
        if self.pieces is not None and self.board in (None, "auto"):
            object.__setattr__(self, "board", GUIDELINE_BOARD)

    @classmethod
    def of(cls, options: Mapping[str, Any], other_names: Iterable[str] = ()) -> PictureRequest:
        """Read the keyword arguments of a call; ``other_names`` are its other parameters."""
        names = [*PrintOptions.__annotations__, *other_names]
        for name in options:
            if name not in PrintOptions.__annotations__:
                matches = difflib.get_close_matches(name, names, 1)
                hint = (
                    f"did you mean {matches[0]!r}?"
                    if matches
                    else f"choose from {', '.join(names)}"
                )
                raise ArgumentError(f"unknown argument {name!r}; {hint}")
        is_exact = bool(options.get("exact", False))
        defaults = None if is_exact else DEFAULT_LIMITS
        conversion = options.get("convert")
        if conversion is None:
            conversion = _read_conversion(options)
        elif not isinstance(conversion, Conversion):
            raise ArgumentError(f"convert: expected a Conversion, got {type(conversion).__name__}")
        board, types, pieces = options.get("board"), options.get("types"), options.get("pieces")
        if isinstance(pieces, str):
            pieces = read_pieces(pieces)
        elif not (pieces is None or isinstance(pieces, QueueRules)):
            name = type(pieces).__name__
            raise ArgumentError(f"pieces: expected QueueRules, bag or a queue, got {name}")
        return cls(
            replace(conversion, defaults=conversion.defaults or defaults),
            board if board in (None, "auto") else Board.convert(board),
            None if types is None else read_types(types),
            bool(options.get("repair", False)) or not is_exact,
            _check_number("column", options.get("column"), 0),
            pieces=pieces,
        )

    @property
    def is_exact(self) -> bool:
        """Whether the picture must be printed unchanged."""
        return self.conversion.defaults is None

    @property
    def has_named_board(self) -> bool:
        """Whether the user chose the board."""
        return isinstance(self.board, Board)

    @property
    def has_named_types(self) -> bool:
        """Whether the user chose the colours of the types."""
        return self.types not in (None, "auto")

    @property
    def keeps_board(self) -> bool:
        """Whether no other board may be chosen: the user chose a board or a column on it."""
        return self.has_named_board or self.column is not None

    def make_task(self, picture: Picture, background: Color | None = None) -> Task:
        """Return the task for a picture, with default board and types where none were given."""
        colors = list_colors_to_show(picture, background)
        has_few_colors = len(colors) <= len(CLASSIC_TYPES)
        board = self.board
        if board is None:
            is_small = picture.width <= CLASSIC_WIDTH and picture.height <= CLASSIC_HEIGHT
            is_classic = is_small and has_few_colors and self.types in (None, "classic")
            board = CLASSIC_BOARD if is_classic else "auto"
        types = self.types
        if types is None:
            types = "classic" if board == CLASSIC_BOARD and has_few_colors else "auto"
        return Task.of(picture, board, types, background, self.column, self.pieces)


def _read_conversion(options: Mapping[str, Any]) -> Conversion:
    """Return the conversion that the options of a print request describe."""
    fit: Any = options.get("fit")
    if isinstance(fit, str):
        fit = parse_size(fit) or fit
    elif isinstance(fit, int) and not isinstance(fit, bool):
        fit = (fit, fit)
    is_pair = isinstance(fit, tuple | list) and len(fit) == 2
    if fit is not None and not (is_pair and all(isinstance(n, int) and n > 0 for n in fit)):
        raise InputError(f"fit: invalid size {fit!r}; expected e.g. 64, (64, 64) or '64x64'")
    background = options.get("background")
    if background not in (None, "auto", "transparent"):
        if not isinstance(background, str):
            name = type(background).__name__
            raise ArgumentError(f"background: expected a colour, got {name}")
        background = parse_color(background)
    resample = options.get("resample", "auto")
    if resample not in get_args(Resampling):
        raise InputError(
            f"resample: invalid value {resample!r}; choose from {', '.join(get_args(Resampling))}"
        )
    colors, frame = options.get("colors"), options.get("frame")
    contrast, saturation, sharpness = (
        _check_factor(name, options.get(name, 1.0))
        for name in ("contrast", "saturation", "sharpness")
    )
    dither, original = (bool(options.get(name, False)) for name in ("dither", "original"))
    adjust = Adjustments(contrast, saturation, sharpness, dither, original)
    return Conversion(
        None if fit is None else tuple(fit),
        resample,
        _check_number("colors", colors, 1, 7),
        background,
        _check_number("frame", frame, 0),
        adjust=adjust,
        crop=_read_crop(options.get("crop")),
    )


def _check_factor(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 4:
        raise InputError(f"{name}: {value!r} is out of range; expected 0 to 4")
    return float(value)


def _read_crop(value: Any) -> Box | None:
    """Read a rectangle of an image from text or four numbers; None: the full image."""
    if value is None:
        return None
    if isinstance(value, str):
        return parse_crop(value)
    if isinstance(value, tuple | list) and len(value) == 4 and all(type(n) is int for n in value):
        return value[0], value[1], value[2], value[3]
    raise InputError(f"crop: invalid part {value!r}; expected (left, top, width, height) in pixels")


def _check_number(name: str, value: object, minimum: int, maximum: int | None = None) -> int | None:
    """Return the value if it is None or a whole number from ``minimum`` to ``maximum``."""
    if value is None:
        return None
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or value < minimum or (maximum is not None and value > maximum):  # type: ignore[operator]
        end = "" if maximum is None else f" to {maximum}"
        raise InputError(
            f"{name}: {value!r} is out of range; expected a whole number, "
            f"{minimum}{end or ' or more'}"
        )
    return value  # type: ignore[return-value]


def find_default_limits(
    board: Board | Literal["auto"] | None, types: TypesOption | None
) -> DefaultLimits:
    """Return the limits to which an image is reduced for a board and types."""
    defaults = replace(DEFAULT_LIMITS, costs=estimate_photo_seconds)
    if isinstance(board, Board):
        width = board.width - (MARGIN if board.width > _NARROW else 1)
        height = board.height - (ROOM_ABOVE if board.height >= 2 * ROOM_ABOVE else MARGIN)
        side, full_size = (max(1, width), max(1, height)), (board.width, board.height)
        defaults = replace(defaults, side=side, as_is=full_size, flat=full_size, holds=full_size)
    if types == "classic":
        defaults = replace(defaults, max_colors=len(CLASSIC_TYPES))
    elif isinstance(types, TypeColors):
        colors = frozenset(types.values())
        defaults = replace(defaults, max_colors=len(colors), palette=colors)
    return defaults
