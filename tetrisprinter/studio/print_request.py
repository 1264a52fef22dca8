"""Requests of the browser: fields with their kinds and bounds, and the options of a print.

Every value from outside is checked for its kind and bounds before any other code sees it. No
field is a path: uploads are named by random numbers, examples and formats by names in a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.board import Board
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.pictures.picture import Color, read_color
from tetrisprinter.pictures.reduction import UNADJUSTED, Adjustments
from tetrisprinter.printing.types import TypesOption, read_types
from tetrisprinter.support.sizes import parse_size

IDENTIFIER: Final = re.compile(r"[0-9a-f]{16}")
"""The identifier of an upload or a job."""

MAX_SIDE: Final = 320
"""Columns and rows of the largest picture that the studio prints."""

MAX_PICTURES: Final = 40
"""Pictures of the longest slideshow: a job can plan it within its time limit, an hour."""

USUAL_HOLD: Final = 2.0
"""The default seconds for each picture of a slideshow, as on the command line."""

_MAX_TEXT: Final = 400
_MAX_DRAWING: Final = 2 * MAX_SIDE * (MAX_SIDE + 1)
_MAX_BOARD: Final = 400


class Fields:
    """The fields of a request; each is read with its kind and bounds."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    @classmethod
    def parse(cls, body: bytes) -> Fields:
        """Read the body of a request."""
        try:
            values = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise InputError("the request is not JSON") from error
        if not isinstance(values, dict):
            raise InputError("the request is not a JSON object")
        return cls(values)

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Return a field as a whole number within the limits; a text of digits is accepted, too."""
        value = self._values.get(name, default)
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value, re.ASCII):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise InputError(f"{name}: expected a whole number from {low} to {high}")
        return value

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        """Return a field as a number within the limits."""
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            value = None
        if value is None or not low <= value <= high:
            raise InputError(f"{name}: expected a number from {low:g} to {high:g}")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return a flag; False if the field is missing."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise InputError(f"{name}: expected true or false")
        return value

    def choice(self, name: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return a field whose value must be one of the choices."""
        allowed = list(choices)
        value = self._values.get(name, default)
        if not isinstance(value, str) or value not in allowed:
            raise InputError(f"{name}: choose from {', '.join(allowed)}")
        return value

    def text(self, name: str, max_length: int, default: str | None = None) -> str:
        """Return a field as text of limited length."""
        value = self._values.get(name, default)
        if not isinstance(value, str) or "\0" in value:
            raise InputError(f"{name}: expected text")
        if len(value) > max_length:
            raise InputError(
                f"{name}: {len(value)} characters are too many; expected at most {max_length}"
            )
        return value

    def identifier(self, name: str) -> str:
        """Return the identifier of an upload or a job."""
        value = self._values.get(name)
        if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
            raise InputError(f"{name}: expected sixteen hex digits")
        return value

    def identifiers(self, name: str, low: int, high: int) -> list[str]:
        """Return identifiers of uploads or jobs in their order; repetitions are allowed."""
        value = self._values.get(name)
        if not isinstance(value, list) or not low <= len(value) <= high:
            raise InputError(f"{name}: expected a list of {low} to {high}")
        return [Fields({name: item}).identifier(name) for item in value]

    def integers(self, name: str, low: int, high: int, count: int) -> tuple[int, ...]:
        """Return at most ``count`` different whole numbers, ascending."""
        value = self._values.get(name, [])
        if isinstance(value, str):
            value = [int(v) for v in value.split(",") if re.fullmatch(r"[0-9]{1,9}", v, re.ASCII)]
        is_valid = isinstance(value, list) and all(
            isinstance(v, int) and not isinstance(v, bool) and low <= v <= high for v in value
        )
        if not is_valid or len(value) > count or len(set(value)) < len(value):
            raise InputError(
                f"{name}: expected up to {count} different whole numbers from {low} to {high}"
            )
        return tuple(sorted(value))

    def get_object(self, name: str) -> Fields:
        """Return a field that is a JSON object, as :class:`Fields`."""
        value = self._values.get(name)
        if not isinstance(value, dict):
            raise InputError(f"{name}: expected an object")
        return Fields(value)


@dataclass(frozen=True, slots=True)
class PrintRequest:
    """The options of a print: the source of its picture and all settings."""

    kind: str  # where the picture comes from: upload, example, text or drawing
    source: str  # the number of the upload, the name of the example, the text, or the drawing
    name: str  # what the print is called
    # Left, top, width and height of the area to print, as shares of the picture
    crop: tuple[float, float, float, float] | None = None
    fit: int | None = None  # largest width and height; None: chosen for the picture
    colors: int | None = None  # largest number of colours; None: chosen for the picture
    adjust: Adjustments = UNADJUSTED  # changes of contrast, saturation and edges
    repair: bool = False  # whether squares may be changed so that a game can leave the picture
    background: Color | None = None  # ``rrggbb``, ``"auto"`` or ``"transparent"``
    board: Board | None = None  # None: chosen for the picture
    types: TypesOption = field(default="auto")  # which type shows which colour
    text_color: Color = "d03020"  # the colour of a text
    # The piece queue, as on the command line: ``bag:7`` or pieces; empty: any piece at any time
    pieces: str = ""
    # Whether a piece may be held; whether guideline rules (SRS) move the pieces
    hold: bool = True
    steered: bool = False

    @property
    def queue_rules(self) -> QueueRules | None:
        """The piece queue; None means any piece at any time."""
        if not self.pieces:
            return None
        return replace(QueueRules.parse(self.pieces, hold=self.hold), steered=self.steered)

    def data(self) -> dict[str, Any]:
        """Return plain data for a job; :meth:`of` reads it again."""
        values = asdict(replace(self, board=None, types="auto"))
        return values | {"board": self.board and str(self.board), "types": str(self.types)}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PrintRequest:
        """Make a request from the plain data that :meth:`data` returns."""
        board, crop = values["board"], values["crop"]
        arguments = dict(values) | {
            "board": None if board is None else Board.parse(board),
            "types": read_types(values["types"]),
            "crop": None if crop is None else tuple(crop),
            "adjust": Adjustments(**values["adjust"]),
        }
        return cls(**arguments)


_MAX_PIECES: Final = 2000
"""Letters of the longest queue."""
_SOURCES: Final = ("upload", "example", "text", "drawing")


def read_print_request(fields: Fields, examples: Iterable[str]) -> PrintRequest:
    """Read the options of a print."""
    kind = fields.choice("kind", _SOURCES)
    if kind == "upload":
        source = fields.identifier("source")
    elif kind == "example":
        source = fields.choice("source", examples)
    elif kind == "text":
        source = fields.text("source", _MAX_TEXT)
    else:
        source = fields.text("source", _MAX_DRAWING)
    board = fields.text("board", 9, "auto")
    request = PrintRequest(
        kind,
        source,
        _clean_name(fields.text("name", 200, "")) or source.split("\n")[0][:40],
        _read_crop(fields.get_object("crop")) if "crop" in fields else None,
        fields.integer("fit", 1, MAX_SIDE) if "fit" in fields else None,
        fields.integer("colors", 1, 7) if "colors" in fields else None,
        Adjustments(
            fields.number("contrast", 0, 4, 1),
            fields.number("saturation", 0, 4, 1),
            fields.number("sharpness", 0, 4, 1),
            fields.flag("dither"),
            fields.flag("original"),
        ),
        fields.flag("repair"),
        _read_background(fields.text("background", 20, "auto")),
        None if board == "auto" else _read_board(board),
        read_types(fields.text("types", 200, "auto")),
        _read_color("text_color", fields.text("text_color", 7, "d03020")),
        "".join(fields.text("pieces", _MAX_PIECES, "").split()),
        not fields.flag("no_hold"),
        fields.flag("steered"),
    )
    try:
        _ = request.queue_rules
    except InputError as error:
        raise InputError(f"pieces: {error}") from error
    return request


def read_tiling(fields: Fields) -> dict[str, Any]:
    """Read the options of a tiling: board, pieces and the number of tilings to show."""
    return {
        "board": fields.text("board", 5000),
        "pieces": fields.text("pieces", 1000),
        "orientations": fields.choice("orientations", ("all", "rotations", "fixed"), "all"),
        "use_all": fields.flag("use_all"),
        "up_to_symmetry": fields.flag("up_to_symmetry"),
        "count": fields.flag("count"),
        "first": fields.integer("first", 1, 200, 1),
    }


def read_slideshow(
    fields: Fields, prints: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[str, dict[str, Any]]:
    """Return the name and the job of a slideshow of prints, given by their names and tasks."""
    board = fields.text("board", 9, "")
    drawings = [(name, task["drawing"]) for name, task in prints]
    backgrounds = {task.get("background") for _, task in prints}
    options = {
        "pictures": drawings,
        "loop": fields.flag("loop"),
        "hold": fields.number("hold", 0.1, 60, USUAL_HOLD),
        "board": str(Board.convert(board)) if board else None,
        # The thumbnail shows the first picture, on the background if all pictures have the same.
        "task": {
            "drawing": drawings[0][1],
            "background": backgrounds.pop() if len(backgrounds) == 1 else None,
        },
    }
    return ", ".join(name for name, _ in prints)[:80], options


def _clean_name(text: str) -> str:
    """Return a name without control characters and characters that file names forbid."""
    plain = "".join(c if c.isprintable() and c not in '\\/:*?"<>|' else " " for c in text)
    return " ".join(plain.split()).lstrip(". ")[:80]


def _read_crop(fields: Fields) -> tuple[float, float, float, float] | None:
    """Read a crop as left, top, width and height; None if it is the complete picture."""
    left, top = fields.number("x", 0, 1), fields.number("y", 0, 1)
    width, height = fields.number("width", 0, 1), fields.number("height", 0, 1)
    if not width or not height or left + width > 1.001 or top + height > 1.001:
        raise InputError("crop: the part lies outside the picture")
    is_complete = (left, top, width, height) == (0, 0, 1, 1)
    return None if is_complete else (left, top, width, height)


def _read_background(text: str) -> str | None:
    if text in ("auto", "transparent"):
        return text
    return _read_color("background", text)


def _read_color(name: str, text: str) -> Color:
    color = read_color(text)
    if color is None:
        raise InputError(f"{name}: invalid colour {text!r}; expected six hex digits")
    return color


def _read_board(text: str) -> Board:
    size = parse_size(text, _MAX_BOARD)
    if size is None:
        raise InputError(f"board: expected auto or a size up to {_MAX_BOARD}x{_MAX_BOARD}")
    return Board(*size)
