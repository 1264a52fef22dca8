"""The options of a print, and the defaults of options that are not given.

Given options are always kept. The others are chosen for the picture; for board and types the
planner *auto* compares several.

A *preset* has the print options for one destination, such as a game, an editor or a phone. They are
defaults, which other options override. Commands and studio both offer the presets of
:data:`PRESETS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, Literal

from tetrisprinter.errors import ArgumentError, Hint, InputError, Setting
from tetrisprinter.formats import read_pieces
from tetrisprinter.game.field import CLASSIC_BOARD, GUIDELINE_BOARD, LARGEST, Board
from tetrisprinter.game.piece_queue import STANDARD_COLORS, QueueRules
from tetrisprinter.game.plan import CLASSIC_TYPES
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, DefaultLimits, Step
from tetrisprinter.pictures.picture import GUIDELINE, PALETTES, Color, Picture
from tetrisprinter.pictures.reduction import Adjustments
from tetrisprinter.planners.rows import estimate_photo_seconds
from tetrisprinter.printing.task import CLASSIC_WIDTH, MARGIN, ROOM_ABOVE, Task
from tetrisprinter.printing.types import TypeColors, TypesOption, list_colors_to_show, read_types
from tetrisprinter.support.files import read_text
from tetrisprinter.support.options import (
    Option,
    list_options,
    option,
    read_flag,
    read_options,
    read_whole,
    refuse_unknown,
)

CLASSIC_HEIGHT: Final = CLASSIC_BOARD.height - ROOM_ABOVE
"""The height, in rows, of the tallest picture that the article prints on its board."""

_NARROW: Final = 12
"""On a board of at most this number of columns, one column stays free instead of a margin."""

BLACK: Final = "000000"
"""The default colour of empty squares."""

_DEFAULT_CONVERSION: Final = Conversion(defaults=DEFAULT_LIMITS)


def _read_board(value: Any) -> Board | Literal["auto"]:
    """Read a board, or ``"auto"``."""
    if value == "auto":
        return "auto"
    if not isinstance(value, str):
        return Board.convert(value)
    try:
        return Board.parse(value)
    except InputError as error:
        raise InputError(
            f"invalid board {value!r}; expected auto or WxH, e.g. {CLASSIC_BOARD} or 10x22, "
            f"up to {LARGEST}x{LARGEST}"
        ) from error


def _read_pieces(value: Any) -> QueueRules:
    """Read a piece queue: text, a map of TETR.IO (FILE.tetrio), or rules."""
    if isinstance(value, QueueRules):
        return value
    if not isinstance(value, str):
        raise ArgumentError(f"expected QueueRules, bag or a queue, got {type(value).__name__}")
    if value.lower().endswith(".tetrio"):
        value = read_text(value)
    return read_pieces(value)


def _read_conversion(value: Any) -> Conversion:
    if not isinstance(value, Conversion):
        raise ArgumentError(f"expected a Conversion, got {type(value).__name__}")
    return value


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """The options as given; None means that a suitable value is chosen."""

    conversion: Conversion = _DEFAULT_CONVERSION  # how the image is converted
    board: Board | Literal["auto"] | None = option(
        None,
        "Size of the board; auto chooses it for the picture. [default: the best of several]",
        _read_board,
        "WxH|auto",
        "Board, str or (int, int)",
    )
    types: TypesOption | None = option(
        None,
        "Colour of each piece type. [default: chosen for the picture]",
        read_types,
        "classic|auto|J=RRGGBB,...",
        "str or mapping of PieceType to str",
    )
    repairs: bool = True  # whether pixels may change so that the picture becomes printable
    column: int | None = option(
        None, "The board column of the image's leftmost column.", read_whole(0), "N", "int"
    )
    # The colour in which empty squares are drawn; None if another program draws them
    field: Color | None = BLACK
    pieces: QueueRules | None = option(
        None,
        "Play the pieces of a queue in order, on ten columns unless a board is named: 7-bags from "
        "a seed, a given queue, or a TETR.IO map (FILE.tetrio). [default: any piece at any time]",
        _read_pieces,
        "bag|bag:SEED|TIJ...",
        "str or QueueRules",
    )

    def __post_init__(self) -> None:
        if self.pieces is not None and self.board in (None, "auto"):
            object.__setattr__(self, "board", GUIDELINE_BOARD)
        if self.types is None and self.conversion.palette == PALETTES[GUIDELINE]:
            object.__setattr__(self, "types", TypeColors.of(STANDARD_COLORS))

    @classmethod
    def of(
        cls,
        options: Mapping[str, Any],
        other_names: Iterable[str] = (),
        field: Color | None = BLACK,
    ) -> PictureRequest:
        """Read options by name (:data:`OPTIONS`); ``other_names`` are other parameters of a call.

        Values may be text, numbers or objects; None stands for the default.
        """
        refuse_unknown((n for n in options if n not in OPTIONS), [*OPTIONS, *other_names])
        is_exact, repairs = (
            OPTIONS[name].read_named(name, options.get(name) or False) for name in _RULES
        )
        conversion = options.get("convert")
        if conversion is None:
            adjust = Adjustments(**read_options(list_options(Adjustments), options))
            fields = read_options(list_options(Conversion), options)
            conversion = Conversion(**fields, adjust=adjust)
        conversion = OPTIONS["convert"].read_named("convert", conversion)
        defaults = conversion.defaults or (None if is_exact else DEFAULT_LIMITS)
        return cls(
            replace(conversion, defaults=defaults),
            repairs=repairs or not is_exact,
            field=field,
            **read_options(list_options(cls), options),
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

    def is_place_meant(self, width: int) -> bool:
        """Whether an image of this width says where on the board its figure stands.

        It does if the user chose a column for it, or a board that is exactly as wide.
        """
        return self.column is not None or (
            isinstance(self.board, Board) and self.board.width == width
        )

    def find_limits(self) -> DefaultLimits | None:
        """Return the limits of an image that must be changed; None: such an image is refused."""
        limits = self.conversion.defaults
        if limits == DEFAULT_LIMITS:
            return find_default_limits(self.board, self.types)
        return limits

    def make_task(
        self, picture: Picture, background: Color | None = None, types: TypesOption | None = None
    ) -> Task:
        """Return the task for a picture, with default board and types where none were given."""
        colors = list_colors_to_show(picture, background)
        has_few_colors = len(colors) <= len(CLASSIC_TYPES)
        board, types = self.board, types or self.types
        if board is None:
            is_small = picture.width <= CLASSIC_WIDTH and picture.height <= CLASSIC_HEIGHT
            is_classic = is_small and has_few_colors and types in (None, "classic")
            board = CLASSIC_BOARD if is_classic else "auto"
        if types is None:
            types = "classic" if board == CLASSIC_BOARD and has_few_colors else "auto"
        return Task.of(picture, board, types, background, self.column, self.pieces)


_RULES: Final = {
    "exact": Option("Print the image unchanged, or explain why that is impossible.", read_flag),
    "repair": Option(
        "With exact: change squares if no game leaves the picture, but nothing else.", read_flag
    ),
}
"""The options that say what may be changed."""

OPTIONS: Final = {
    **_RULES,
    **list_options(Conversion),
    **list_options(Adjustments),
    "convert": Option(
        "All options of the conversion in one object.", _read_conversion, "", "Conversion"
    ),
    **list_options(PictureRequest),
}
"""The options of a print, for commands, studio and library."""


def document_options(text: str) -> str:
    """Replace the line ``**options`` of a docstring by the options of a print."""
    lines = []
    for name, one in OPTIONS.items():
        lines += [f"    {name} : {one.type}", *wrap(one.help, 92, initial_indent=" " * 8,
                                                    subsequent_indent=" " * 8)]  # fmt: skip
    return text.replace("    **options\n", "\n".join(lines) + "\n", 1)


def choose_default_effort(planner: object, seconds: float | None) -> float:
    """Return the default effort: unlimited for *auto* with a time limit, otherwise 1."""
    return inf if planner == "auto" and seconds is not None else 1.0


def _estimate_print_seconds(picture: Picture) -> float:
    """Estimate the seconds that printing a photo takes, for each 48x48 squares of a larger one.

    So a larger picture may take longer, instead of losing the colours that a small one has. A
    portrait of 128x128 squares kept two colours before; its face is lost below five.
    """
    box = DEFAULT_LIMITS.side
    return estimate_photo_seconds(picture) / max(1.0, len(picture.cells()) / (box[0] * box[1]))


def find_default_limits(
    board: Board | Literal["auto"] | None, types: TypesOption | None, *, any_colors: bool = False
) -> DefaultLimits:
    """Return the limits to which an image is reduced for a board and types.

    With ``any_colors`` it may have as many colours as the types, but others.
    """
    chosen: dict[str, Any] = {}
    if isinstance(board, Board):
        width = board.width - (MARGIN if board.width > _NARROW else 1)
        height = board.height - (ROOM_ABOVE if board.height >= 2 * ROOM_ABOVE else MARGIN)
        chosen["side"] = max(1, width), max(1, height)
        chosen |= dict.fromkeys(("as_is", "flat", "holds"), (board.width, board.height))
    if types == "classic":
        chosen["max_colors"] = len(CLASSIC_TYPES)
    elif isinstance(types, TypeColors):
        colors = frozenset(types.values())
        chosen |= {"max_colors": len(colors), "palette": frozenset() if any_colors else colors}
    return DefaultLimits(costs=_estimate_print_seconds, **chosen)


_FORMAT_BOARDS: Final = {".lesson": Board(10, 20), ".fumen": Board(10, 22)}
"""The boards of formats with ten columns, the lowest board first."""

TEN_COLUMNS: Final = (".fumen", ".lesson", ".tetrio")
"""Extensions of formats whose boards have ten columns."""


def adapt_to_formats(
    request: PictureRequest, games: Sequence[Path]
) -> tuple[PictureRequest, tuple[Step, ...]]:
    """Return a request with the board and the piece queue that the files' formats require."""
    games_by_suffix = {game.suffix.lower(): game for game in games}
    board, pieces, steps = request.board, request.pieces, list[Step]()
    suffixes = [suffix for suffix in _FORMAT_BOARDS if suffix in games_by_suffix]
    if suffixes and not isinstance(board, Board):
        board = _FORMAT_BOARDS[suffixes[0]]
        steps.append(Step(f"board {board} for a {suffixes[0]} file", Setting.BOARD))
    for suffix in TEN_COLUMNS:
        if (
            suffix in games_by_suffix
            and isinstance(board, Board)
            and board.width != GUIDELINE_BOARD.width
        ):
            raise InputError(
                f"{games_by_suffix[suffix]}: the board has {board.width} columns; a {suffix} file "
                "has 10",
                Hint(f"use {{}} 10x{min(board.height, 22)}", Setting.BOARD),
            )
    if ".tetrio" in games_by_suffix and pieces is None:
        pieces = QueueRules.parse("bag")
        steps.append(Step("pieces from a 7-bag", Setting.PIECES))
    return replace(request, board=board, pieces=pieces), tuple(steps)


@dataclass(frozen=True, slots=True)
class Preset:
    """The print options for one destination."""

    summary: str  # the name of the destination in lists
    board: str | None = None  # WxH; None: chosen for the picture
    pieces: str | None = None  # the piece queue; None: any piece at any time
    plan: str | None = None  # the extension of the plan's file
    # The extension of a second plan, beside a file that does not contain the drops
    drops_plan: str | None = None
    outputs: tuple[str, ...] = ("gif",)  # the extensions of the animations and pages
    shape: str | None = None  # W:H of an animation; None: the shape of its board

    @property
    def proportions(self) -> tuple[int, int] | None:
        """The shape as two numbers, width and height; None if the board decides."""
        if self.shape is None:
            return None
        width, _, height = self.shape.partition(":")
        return int(width), int(height)

    def options(self) -> dict[str, Any]:
        """Return the options of ``tetrisprinter print`` by the names of its parameters."""
        options: dict[str, Any] = {
            "outputs": [f"{{}}-print.{extension}" for extension in self.outputs]
        }
        if self.board is not None:
            options["board"] = self.board
        if self.pieces is not None:
            options |= {"pieces": self.pieces, "rules": "srs"}
        if self.plan is not None:
            extensions = filter(None, (self.plan, self.drops_plan))
            options["plans"] = [f"{{}}.{extension}" for extension in extensions]
        if self.shape is not None:
            options["shape"] = self.shape
        return options


PRESETS: Final = {
    "tetrio": Preset("TETR.IO", "10x20", "bag:0", "tetrio", "tetrio.txt", ("gif", "html")),
    "jstris": Preset("Jstris lessons", "10x20", "bag:0", "lesson", outputs=("gif", "html")),
    "fumen": Preset("a fumen editor", "10x22", None, "fumen"),
    "10x20": Preset("ten columns, twenty rows", "10x20"),
    "square": Preset("a square animation", shape="1:1"),
    "9:16": Preset("a tall animation for phones", shape="9:16"),
}
"""The presets by name."""
