"""The options of a print, and the defaults for options that are not given.

What is named is kept. What is not named is chosen for the picture, whatever else is named: the
planner *auto* compares boards and types.
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
from tetrisprinter.pictures.convert import USUAL, Adjustments, Conversion, Usual, parse_color
from tetrisprinter.pictures.images import Box, parse_crop
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.pictures.scaling import Resampling
from tetrisprinter.planners.budgets import seconds_of_photo
from tetrisprinter.printing.boards import MARGIN, ROOM_ABOVE
from tetrisprinter.printing.task import CLASSIC_WIDTH, Task
from tetrisprinter.printing.types import TypeColors, TypesOption, list_colors_to_show, read_types
from tetrisprinter.support.sizes import parse_size

CLASSIC_HEIGHT: Final = CLASSIC_BOARD.height - ROOM_ABOVE
"""Rows of the highest picture that the article prints on its board."""

_SMALL: Final = 12
"""Columns and rows up to which a board has no margin to spare."""

BLACK: Final = "000000"
"""What empty squares are drawn in, if nothing is said."""

_UNSAID: Final = Conversion(usual=USUAL)


class PrintOptions(TypedDict, total=False):
    """What can be asked for beside a picture; what is left out is chosen for the picture."""

    exact: bool  # print the picture as it is, or raise; do what is asked for and nothing else
    repair: bool  # with ``exact``: still print the nearest picture where no game leaves this one
    # Scale a larger image down to this width and height, keeping its proportions: ``48``, ``(64,
    # 64)`` or ``"64x64"``
    fit: int | tuple[int, int] | str | None
    resample: Resampling  # how to scale
    colors: int | None  # reduce the image to this number of colours, not counting the background
    # How much of what suits the image, from 0 to 4: 0.5 is half as much, 2 is twice as much
    contrast: float
    saturation: float
    sharpness: float
    dither: bool  # reduce colours with Floyd-Steinberg dithering
    original: bool  # change neither contrast nor edges, and keep specks
    # The part of the image that is printed, in pixels: left, top, width and height, or
    # ``"300x200+40+10"``
    crop: tuple[int, int, int, int] | str | None
    # What stays empty, and may hold a piece type of that colour all the same: a colour, ``"auto"``
    # (the default: found by looking at an opaque image) or ``"transparent"`` (nothing else)
    background: Color | None
    frame: int | None  # which frame of an animated image, from 0
    # All that may be done to the image in one object, instead of all of these
    convert: Conversion | None
    # The playfield, such as ``"21x42"``; ``"auto"`` makes one for the picture
    board: Board | str | tuple[int, int] | None
    # Which piece type shows which colour: ``"classic"``, ``"auto"``, or such as
    # ``"J=ff0000,T=ffffff"``
    types: str | Mapping[PieceType, Color] | None
    column: int | None  # where the picture's leftmost column stands
    # Which pieces come: ``"bag"``, ``"bag:SEED"``, a queue such as ``"TIJLOSZ"``, or an object that
    # also says how many are seen and whether one may be held. None: whichever are liked
    pieces: QueueRules | str | None


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """The options as given; None means that a suitable value is chosen."""

    # What may be done to the image; its ``usual`` is what suits the board
    conversion: Conversion = _UNSAID
    # The playfield; auto is one made for the picture, None may also be the usual 21x42
    board: Board | Literal["auto"] | None = None
    types: TypesOption | None = None  # which type shows which colour
    repairs: bool = True  # whether pixels may be changed where no game leaves the picture
    column: int | None = None  # where the picture's leftmost column stands
    # The colour that empty squares are drawn in; None if another program draws them
    field: Color | None = BLACK
    # How pieces come; None: as the player likes. They come on ten columns if no board is named
    pieces: QueueRules | None = None

    def __post_init__(self) -> None:
        if self.pieces is not None and self.board in (None, "auto"):
            object.__setattr__(self, "board", GUIDELINE_BOARD)

    @classmethod
    def of(cls, asked: Mapping[str, Any], known: Iterable[str] = ()) -> PictureRequest:
        """Read the arguments of a call."""
        names = [*PrintOptions.__annotations__, *known]
        for name in asked:
            if name not in PrintOptions.__annotations__:
                near = difflib.get_close_matches(name, names, 1)
                there = f"{near[0]!r} may be meant" if near else f"there are {', '.join(names)}"
                raise ArgumentError(f"there is no argument {name!r}; {there}")
        exact = bool(asked.get("exact", False))
        usual = None if exact else USUAL
        conversion = asked.get("convert")
        if conversion is None:
            conversion = _read_conversion(asked)
        elif not isinstance(conversion, Conversion):
            raise ArgumentError(f"convert: expected a Conversion, got {_name_type(conversion)}")
        board, types, pieces = asked.get("board"), asked.get("types"), asked.get("pieces")
        return cls(
            replace(conversion, usual=conversion.usual or usual),
            board if board in (None, "auto") else Board.of(board),
            None if types is None else read_types(types),
            bool(asked.get("repair", False)) or not exact,
            _check_number("column", asked.get("column"), 0),
            pieces=read_pieces(pieces) if isinstance(pieces, str) else pieces,
        )

    @property
    def is_exact(self) -> bool:
        """Whether the picture is to be printed as it is, or not at all."""
        return self.conversion.usual is None

    @property
    def names_board(self) -> bool:
        """Whether the board was named, so that no other may be chosen."""
        return isinstance(self.board, Board)

    @property
    def names_types(self) -> bool:
        """Whether it was said which type shows which colour."""
        return self.types not in (None, "auto")

    @property
    def keeps_board(self) -> bool:
        """Whether the board was named, or a column, which is one of a board."""
        return self.names_board or self.column is not None

    def task(self, picture: Picture, background: Color | None = None) -> Task:
        """Return the task for a picture, with what is not said chosen."""
        colors = list_colors_to_show(picture, background)
        few = len(colors) <= len(CLASSIC_TYPES)
        board = self.board
        if board is None:
            small = picture.width <= CLASSIC_WIDTH and picture.height <= CLASSIC_HEIGHT
            classic = small and few and self.types in (None, "classic")
            board = CLASSIC_BOARD if classic else "auto"
        types = self.types
        if types is None:
            types = "classic" if board == CLASSIC_BOARD and few else "auto"
        return Task.of(picture, board, types, background, self.column, self.pieces)


def _read_conversion(asked: Mapping[str, Any]) -> Conversion:
    fit: Any = asked.get("fit")
    if isinstance(fit, str):
        fit = parse_size(fit) or fit
    elif isinstance(fit, int) and not isinstance(fit, bool):
        fit = (fit, fit)
    whole = isinstance(fit, tuple | list) and len(fit) == 2
    if fit is not None and not (whole and all(isinstance(n, int) and n > 0 for n in fit)):
        raise InputError(f"fit: invalid size {fit!r}; expected e.g. 64, (64, 64) or '64x64'")
    background = asked.get("background")
    if background not in (None, "auto", "transparent"):
        if not isinstance(background, str):
            raise ArgumentError(f"background: expected a colour, got {_name_type(background)}")
        background = parse_color(background)
    resample = asked.get("resample", "auto")
    if resample not in get_args(Resampling):
        raise InputError(
            f"resample: invalid value {resample!r}; choose from {', '.join(get_args(Resampling))}"
        )
    colors, frame = asked.get("colors"), asked.get("frame")
    adjust = Adjustments(
        _check_factor("contrast", asked.get("contrast", 1.0)),
        _check_factor("saturation", asked.get("saturation", 1.0)),
        _check_factor("sharpness", asked.get("sharpness", 1.0)),
        bool(asked.get("dither", False)),
        bool(asked.get("original", False)),
    )
    return Conversion(
        None if fit is None else tuple(fit),
        resample,
        _check_number("colors", colors, 1, 7),
        background,
        _check_number("frame", frame, 0),
        adjust=adjust,
        crop=_read_crop(asked.get("crop")),
    )


def _check_factor(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 4:
        raise InputError(f"{name}: {value!r} is out of range; expected 0 to 4")
    return float(value)


def _read_crop(value: Any) -> Box | None:
    if value is None:
        return None
    if isinstance(value, str):
        return parse_crop(value)
    if isinstance(value, tuple | list) and len(value) == 4 and all(type(n) is int for n in value):
        return value[0], value[1], value[2], value[3]
    raise InputError(f"crop: invalid part {value!r}; expected (left, top, width, height) in pixels")


def _check_number(name: str, value: object, least: int, most: int | None = None) -> int | None:
    if value is None:
        return None
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        to = "" if most is None else f" to {most}"
        raise InputError(
            f"{name}: {value!r} is out of range; expected a whole number, {least}{to or ' or more'}"
        )
    return value  # type: ignore[return-value]


def _name_type(value: object) -> str:
    return f"{type(value).__name__}"


def find_usual(board: Board | Literal["auto"] | None, types: TypesOption | None) -> Usual:
    """Return what happens to an image that does not fit what is asked for."""
    usual = replace(USUAL, costs=seconds_of_photo)
    if isinstance(board, Board):
        width = board.width - (MARGIN if board.width > _SMALL else 1)
        height = board.height - (ROOM_ABOVE if board.height >= 2 * ROOM_ABOVE else MARGIN)
        side, all_of_it = (max(1, width), max(1, height)), (board.width, board.height)
        usual = replace(usual, side=side, as_is=all_of_it, flat=all_of_it, holds=all_of_it)
    if types == "classic":
        few = len(CLASSIC_TYPES)
        usual = replace(usual, most=few)
    elif isinstance(types, TypeColors):
        # Whether the colours are those of the types is another question.
        usual = replace(usual, most=len(set(types.values())))
    return usual
