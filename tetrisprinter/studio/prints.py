"""A print as the browser asks for it: the fields of its request, and the preview of its picture.

Every value from outside is checked for its kind and bounds before any other code sees it. No
field is a path: uploads are named by random numbers, examples and formats by names in a list.

A preview needs no search, so the page requests one for every move of a slider. Messages name the
settings as the page shows them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter import api
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import PictureRequest, find_default_limits
from tetrisprinter.errors import InputError, Obstacle, Setting, TetrisPrinterError
from tetrisprinter.game.board import Board
from tetrisprinter.game.divisibility import count_least_drops
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture, convert_image
from tetrisprinter.pictures.palettes import PALETTES
from tetrisprinter.pictures.picture import Color, Picture, read_color
from tetrisprinter.pictures.reduction import UNADJUSTED, Adjustments
from tetrisprinter.pictures.sources import Source, make_drawn_source
from tetrisprinter.pictures.text import set_text
from tetrisprinter.planners.dealt import DEALT
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.repair import Change
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypesOption, read_types, share_types
from tetrisprinter.render.colors import choose_field
from tetrisprinter.render.page import make_player_data
from tetrisprinter.support.files import find_shipped_folder, read_text
from tetrisprinter.support.options import Option, list_options, read_options
from tetrisprinter.support.sizes import parse_size

if TYPE_CHECKING:
    from PIL import Image

IDENTIFIER: Final = re.compile(r"[0-9a-f]{16}")
"""The identifier of an upload or a job."""

SIZE_READ: Final = "size read"
"""The text key in a stored PNG for the size in pixels that the uploaded image had."""

MAX_SIDE: Final = 320
"""Columns and rows of the largest picture that the studio prints."""

MAX_PICTURES: Final = 40
"""Pictures of the longest slideshow: a job can plan it within its time limit, an hour."""

USUAL_HOLD: Final = 2.0
"""The default seconds for each picture of a slideshow, as on the command line."""

_MAX_TEXT: Final = 400
_MAX_DRAWING: Final = 2 * MAX_SIDE * (MAX_SIDE + 1)
_MAX_BOARD: Final = 400
_MAX_PIECES: Final = 2000
"""Letters of the longest queue."""
_SOURCES: Final = ("upload", "example", "text", "drawing")

_SHOWN_ELSEWHERE: Final = (Setting.BOARD, Setting.TYPES)  # not in the list of steps

_SETTING_NAMES: Final = {
    Setting.AUTO_BOARD: "the board “Automatic”",
    Setting.BOARD: "a board of",
    Setting.AUTO_TYPES: "types left to the planner",
    Setting.TYPES: "colours dragged onto pieces",
    Setting.BACKGROUND: "a background colour",
    Setting.FIT: "a smaller size",
    Setting.FRAME: "another frame",
    Setting.FIELD: "another colour of the empty field",
    Setting.EXACT: "the picture as it is",
    Setting.FONT: "another font",
    Setting.COLORS: "reducing the colours to",
    Setting.REPAIR: "the repair",
    Setting.PIECES: "another queue",
    Setting.OTHER_PLANNER: "another effort",
    Setting.SHORTEST: "the effort “fewest drops”",
    Setting.EFFORT: "more effort",
    Setting.NO_HOLD: "a hold of 0",
    Setting.UNSEEN: "a colour for unseen types",
}
"""The names of settings on the page."""


# ---- Messages.


def describe_error(error: TetrisPrinterError) -> dict[str, str | int]:
    """Return an error for the browser: its message and the HTTP status code."""
    return {"error": format_message(error), "code": 400 if isinstance(error, InputError) else 409}


def format_message(message: TetrisPrinterError | Obstacle) -> str:
    """Return the message of an error or an obstacle, as the page shows it.

    >>> from tetrisprinter.errors import InputError, Hint
    >>> format_message(InputError("too large", Hint("{} is needed", Setting.FIT)))
    'too large; a smaller size is needed'
    """
    if isinstance(message, Obstacle):
        message = TetrisPrinterError(message.sentence, *message.hints)
    return message.format_with(_SETTING_NAMES)


# ---- Requests.


class Fields:
    """The fields of a request; each is read with its kind and bounds."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

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
        return self.values.get(name) is not None

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Return a field as a whole number within the limits; a text of digits is accepted, too."""
        value = self.values.get(name, default)
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value, re.ASCII):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise InputError(f"{name}: expected a whole number from {low} to {high}")
        return value

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        """Return a field as a number within the limits."""
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            value = None
        if value is None or not low <= value <= high:
            raise InputError(f"{name}: expected a number from {low:g} to {high:g}")
        return float(value)

    def read(self, options: Mapping[str, Option], *names: str) -> dict[str, Any]:
        """Return the values of declared options, by default of all, by their fields' names."""
        return read_options({name: options[name] for name in names or options}, self.values)

    def flag(self, name: str) -> bool:
        """Return a flag; False if the field is missing."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise InputError(f"{name}: expected true or false")
        return value

    def choice(self, name: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return a field whose value must be one of the choices."""
        allowed = list(choices)
        value = self.values.get(name, default)
        if not isinstance(value, str) or value not in allowed:
            raise InputError(f"{name}: choose from {', '.join(allowed)}")
        return value

    def text(self, name: str, max_length: int, default: str | None = None) -> str:
        """Return a field as text of limited length."""
        value = self.values.get(name, default)
        if not isinstance(value, str) or "\0" in value:
            raise InputError(f"{name}: expected text")
        if len(value) > max_length:
            raise InputError(
                f"{name}: {len(value)} characters are too many; expected at most {max_length}"
            )
        return value

    def identifier(self, name: str) -> str:
        """Return the identifier of an upload or a job."""
        value = self.values.get(name)
        if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
            raise InputError(f"{name}: expected sixteen hex digits")
        return value

    def identifiers(self, name: str, low: int, high: int) -> list[str]:
        """Return identifiers of uploads or jobs in their order; repetitions are allowed."""
        value = self.values.get(name)
        if not isinstance(value, list) or not low <= len(value) <= high:
            raise InputError(f"{name}: expected a list of {low} to {high}")
        return [Fields({name: item}).identifier(name) for item in value]

    def integers(self, name: str, low: int, high: int, count: int) -> tuple[int, ...]:
        """Return at most ``count`` different whole numbers, ascending."""
        value = self.values.get(name, [])
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
        value = self.values.get(name)
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
    palette: tuple[Color, ...] = ()  # the only colours of the picture; empty: any colours
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
    if "palette" in fields:
        fields.choice("palette", PALETTES)  # a page names no files
    conversion = fields.read(list_options(Conversion), "colors", "palette")
    request = PrintRequest(
        kind,
        source,
        _clean_name(fields.text("name", 200, "")) or source.split("\n")[0][:40],
        _read_crop(fields.get_object("crop")) if "crop" in fields else None,
        fields.integer("fit", 1, MAX_SIDE) if "fit" in fields else None,
        conversion.get("colors"),
        Adjustments(**fields.read(list_options(Adjustments))),
        conversion.get("palette", ()),
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
    """Return the name and the job of a slideshow of prints, given by their names and pictures."""
    board = fields.text("board", 9, "")
    backgrounds = {picture.get("background") for _, picture in prints}
    options = {
        "pictures": [(name, picture["drawing"]) for name, picture in prints],
        "loop": fields.flag("loop"),
        "hold": fields.number("hold", 0.1, 60, USUAL_HOLD),
        "board": str(Board.convert(board)) if board else None,
        # The thumbnail shows the first picture, on the background if all pictures have the same.
        "drawing": prints[0][1]["drawing"],
        "background": backgrounds.pop() if len(backgrounds) == 1 else None,
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


# ---- The picture and its preview.


@functools.cache
def list_examples() -> dict[str, Path]:
    """Return the pictures that come with the package, by name."""
    return {path.stem: path for path in sorted(find_shipped_folder("examples").glob("*.png"))}


@functools.cache
def make_demo_data() -> str:
    """Return the player's data of a known game, which plays until a picture is chosen."""
    plan = find_shipped_folder("examples") / "plans" / "mushroom.txt"
    return make_player_data(Plan.parse(read_text(plan)))


@dataclass(frozen=True, slots=True)
class PreviewPicture:
    """The picture of a request before and after its repair, with the obstacles."""

    unrepaired: api.PreparedTask  # the task before any repair, and the steps that led to it
    prepared: api.PreparedTask  # the task to print, repaired if the user wants the repair
    original_obstacle: Obstacle | None  # why the unrepaired picture cannot be printed
    changes: tuple[Change, ...]  # changes of the repair, even if the user does not want it
    remaining_obstacle: Obstacle | None  # why the task to print cannot be printed

    @property
    def task(self) -> Task:
        """The task to print."""
        return self.prepared.task


@functools.lru_cache(maxsize=8)
def _open_picture(path: Path, modified: int) -> Image.Image:
    """Open an uploaded or example picture; ``modified`` only makes the cache notice a new file."""
    from PIL import Image

    with Image.open(path) as image:
        image.load()  # metadata may follow the pixels in the file
        return image.convert("RGBA")


@functools.lru_cache(maxsize=32)
def _convert(
    print_request: PrintRequest, path: Path | None, modified: int, conversion: Conversion
) -> ConvertedPicture:
    """Convert the picture of a request; the cache serves requests that differ in the board only."""
    if path is not None:
        image = _open_picture(path, modified)
        full_size = image.info.get(SIZE_READ, "")
        if print_request.crop is not None:
            image, full_size = _crop(image, print_request.crop), ""
        return convert_image(image, conversion, print_request.name, full_size)
    if print_request.kind == "text":
        picture = set_text(print_request.source, color=print_request.text_color)
    else:
        picture = Picture.parse(print_request.source, print_request.name)
    return make_drawn_source(picture).read(conversion)


def find_picture_file(print_request: PrintRequest, uploads: Path) -> Path | None:
    """Return the file of a picture; None for a text or a drawing."""
    if print_request.kind == "upload":
        return uploads / f"{print_request.source}.png"
    return list_examples()[print_request.source] if print_request.kind == "example" else None


def make_source(print_request: PrintRequest, path: Path | None) -> Source:
    """Return the picture of a request as a source; drawings and texts keep their size."""
    if path is not None and not path.is_file():
        raise InputError(f"{print_request.name}: this picture is no longer stored; open it again")
    key = replace(print_request, board=None, types="auto", repair=False)
    modified = 0 if path is None else path.stat().st_mtime_ns
    read = functools.partial(_convert, key, path, modified)
    return Source(print_request.name, print_request.name, read, scales=path is not None)


def make_picture_request(print_request: PrintRequest) -> PictureRequest:
    """Convert a studio request into options of the library."""
    fit = None if print_request.fit is None else (print_request.fit, print_request.fit)
    types = None if print_request.types == "auto" else print_request.types
    # Keep a colour that no piece shows yet, so that the user can drag it onto a piece.
    defaults = replace(find_default_limits(print_request.board, types), palette=frozenset())
    conversion = Conversion(
        fit,
        colors=print_request.colors,
        background=print_request.background,
        defaults=defaults,
        adjust=print_request.adjust,
        palette=print_request.palette,
    )
    return PictureRequest(conversion, print_request.board, types, pieces=print_request.queue_rules)


def _crop(image: Image.Image, crop: tuple[float, float, float, float]) -> Image.Image:
    """Return a rectangle of an image: left, top, width and height as shares of the image."""
    left, top = round(crop[0] * image.width), round(crop[1] * image.height)
    right = max(left + 1, round((crop[0] + crop[2]) * image.width))
    bottom = max(top + 1, round((crop[1] + crop[3]) * image.height))
    left, top = min(left, image.width - 1), min(top, image.height - 1)
    return image.crop((left, top, min(right, image.width), min(bottom, image.height)))


def prepare(print_request: PrintRequest, source: Source) -> PreviewPicture:
    """Prepare the picture of a source, with its obstacles and repairs."""
    request = make_picture_request(print_request)
    plain = prepare_source(source, replace(request, repairs=False))
    prepared = prepare_source(source, request)
    if not prepared.changes:  # printed as it is, perhaps with don't-care squares
        remaining_obstacle = _find_obstacle(prepared.task)
        return PreviewPicture(plain, prepared, remaining_obstacle, (), remaining_obstacle)
    original_obstacle = _find_obstacle(plain.task)
    if not print_request.repair:
        return PreviewPicture(plain, plain, original_obstacle, prepared.changes, original_obstacle)
    return PreviewPicture(
        plain, prepared, original_obstacle, prepared.changes, _find_obstacle(prepared.task)
    )


def make_print_job(print_request: PrintRequest, source: Source) -> dict[str, Any]:
    """Return the picture of a print as plain data; raise the obstacle if it cannot be printed."""
    result = prepare(print_request, source)
    if result.remaining_obstacle is not None:
        raise result.remaining_obstacle.error(print_request.name)
    background = result.task.background or result.unrepaired.background
    return {"drawing": str(result.task.picture), "background": background}


def _find_obstacle(task: Task) -> Obstacle | None:
    """Return why a task cannot be printed; None if it can be."""
    try:
        return find_obstacle(task) if task.pieces is None else DEALT.find_refusal(task)
    except InputError as error:  # a colour without a type, and the like
        return error.obstacle or Obstacle(error.message, error.hints)


def _find_board(prepared: api.PreparedTask) -> list[int] | None:
    """Return the size of the board; None if the search chooses it."""
    if prepared.request.keeps_board or prepared.request.pieces is not None:
        return [prepared.task.board.width, prepared.task.board.height]
    return None


def describe_picture(picture: Picture) -> dict[str, object]:
    """Return a picture for the browser: each square's colour index, -1 if empty; top row first."""
    colors = picture.colors()
    number: dict[Color | None, int] = {None: -1, **{color: k for k, color in enumerate(colors)}}
    return {
        "width": picture.width,
        "height": picture.height,
        "colors": list(colors),
        "squares": [number[color] for row in reversed(picture.rows) for color in row],
    }


def _describe_obstacle(obstacle: Obstacle | None, picture: Picture) -> dict[str, object] | None:
    """Return an obstacle with its squares for the browser, y counted downwards from the top."""
    if obstacle is None:
        return None
    return {
        "theorem": obstacle.theorem,
        "sentence": format_message(obstacle),
        "cells": [
            [x, picture.height - 1 - y]
            for x, y in obstacle.cells
            if 0 <= x < picture.width and 0 <= y < picture.height
        ],
    }


def make_quick_preview(print_request: PrintRequest, source: Source) -> dict[str, object]:
    """Return the picture and its board without a search for obstacles."""
    unrepaired = prepare_source(source, replace(make_picture_request(print_request), repairs=False))
    picture = unrepaired.task.picture
    return {
        "picture": describe_picture(picture),
        "drawing": _format_drawing(picture),
        "background": unrepaired.background,
        "field": choose_field(picture.colors(), unrepaired.background),
        "board": _find_board(unrepaired),
        "column": unrepaired.task.column,
    }


def preview(print_request: PrintRequest, source: Source) -> dict[str, object]:
    """Return the preview that the browser shows; errors as :func:`prepare`."""
    result = prepare(print_request, source)
    original, task, steps = result.unrepaired.task.picture, result.task, result.unrepaired.steps
    is_repaired = print_request.repair and result.changes
    type_colors = {}
    with contextlib.suppress(TetrisPrinterError):
        type_colors = {
            piece.name: color for piece, color in share_types(task.picture, task.background).items()
        }
    answer: dict[str, object] = {
        "picture": describe_picture(original),
        "drawing": _format_drawing(task.picture),
        "background": result.unrepaired.background,
        "field": choose_field(original.colors(), result.unrepaired.background),
        "done": [str(step) for step in steps if step.setting not in _SHOWN_ELSEWHERE],
        "board": _find_board(result.prepared),
        "column": task.column,
        "pixels": task.pixels,
        "types": type_colors,
        "obstacle": _describe_obstacle(result.original_obstacle, original),
        "still": _describe_obstacle(result.remaining_obstacle, task.picture),
        "changes": [
            {
                "x": change.x - original.columns_left,
                "y": change.y - original.rows_above,
                "before": change.before,
                "after": change.after,
                "reason": change.reason,
            }
            for change in result.changes
        ],
        "repaired": describe_picture(task.picture) if is_repaired else None,
        "bound": None,
    }
    if result.remaining_obstacle is None and answer["board"] is None:
        answer["bound"] = -(-task.pixels // 4)
    elif result.remaining_obstacle is None:
        max_squares = (task.board.width - 1) * task.board.height
        extra_squares = max_squares - task.pixels if task.background is not None else 0
        answer["bound"] = count_least_drops(task.board.width, task.pixels, extra_squares)
    return answer


def _format_drawing(picture: Picture) -> str | None:
    """Return the text of a picture for the editor; None if it has too many colours."""
    try:
        return str(picture)
    except ValueError:
        return None
