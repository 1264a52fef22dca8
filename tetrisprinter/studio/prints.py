"""A print as the browser asks for it: its options and its picture, and the preview.

The body of a request is read as the library's options are (:mod:`~tetrisprinter.support.options`).
No value is a path: uploads are named by random numbers, examples and formats by names in a list.

A preview needs no search, so the page requests one for every move of a slider. Messages name the
settings as the page shows them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter import api
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import PictureRequest, find_default_limits
from tetrisprinter.errors import InputError, Obstacle, Setting, TetrisPrinterError
from tetrisprinter.game.field import Board, count_least_drops
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.pieces import Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.packings import tables
from tetrisprinter.packings.automaton import SHIPPED
from tetrisprinter.packings.finders import AUTOMATON
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem
from tetrisprinter.pictures.convert import (
    Conversion,
    ConvertedPicture,
    Step,
    convert_image,
    parse_color,
)
from tetrisprinter.pictures.picture import PALETTES, Color, Picture
from tetrisprinter.pictures.reduction import Adjustments
from tetrisprinter.pictures.sources import Source, make_drawn_source
from tetrisprinter.pictures.text import set_text
from tetrisprinter.planners.dealt import DEALT
from tetrisprinter.printing.obstacles import Change, find_obstacle
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypesOption, read_types, share_types
from tetrisprinter.render.page import make_player_data
from tetrisprinter.render.paint import choose_field
from tetrisprinter.support import parse_size
from tetrisprinter.support.files import find_shipped_folder, read_text
from tetrisprinter.support.options import (
    list_options,
    read_choice,
    read_field,
    read_flag,
    read_number,
    read_string,
    read_whole,
)

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

Crop = tuple[float, float, float, float]
"""The part of a picture that is printed: left, top, width and height as shares of the picture."""

read_hold: Final = read_number(0.1, 60)
"""Reads the seconds for each picture of a slideshow."""

_TEXT_COLOR: Final = "d03020"
_MAX_TEXT: Final = 400
_MAX_DRAWING: Final = 2 * MAX_SIDE * (MAX_SIDE + 1)
_MAX_BOARD: Final = 400
_MAX_PIECES: Final = 2000  # letters of the longest queue
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
    Setting.FONT: "a font of the command `text --font`",
    Setting.COLORS: "reducing the colours to",
    Setting.REPAIR: "the repair",
    Setting.PIECES: "another queue",
    Setting.OTHER_PLANNER: "another effort",
    Setting.SHORTEST: "the game “shortest”",
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


def parse_body(body: bytes) -> dict[str, Any]:
    """Read the body of a request: a JSON object."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError("the request is not JSON") from error
    return read_object(values, "the request")


def read_object(value: Any, name: str = "this") -> dict[str, Any]:
    """Read a JSON object."""
    if not isinstance(value, dict):
        raise InputError(f"{name} is not a JSON object")
    return value


def read_identifier(value: Any) -> str:
    """Read the identifier of an upload or a job."""
    if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
        raise InputError("expected sixteen hex digits")
    return value


def read_print_name(values: Mapping[str, Any]) -> str:
    """Return what a print is called: its name, or the beginning of its source."""
    text = read_field(values, "name", read_string(200), "")
    # Without control characters and characters that file names forbid
    plain = "".join(c if c.isprintable() and c not in '\\/:*?"<>|' else " " for c in text)
    name = " ".join(plain.split()).lstrip(". ")[:80]
    return name or str(values.get("source", "")).split("\n")[0][:40]


def read_print(values: Mapping[str, Any]) -> PictureRequest:
    """Read the options of a print as the command and the library do.

    No option may name a file: a palette is one of the list, a queue is its letters.
    """
    options: dict[str, Any] = {name: values.get(name) for name in _OPTIONS}
    for name, read in _NARROWER.items():
        options[name] = read_field(values, name, read, None)
    options["pieces"] = _read_pieces(values)
    if options["background"] is None:
        options["background"] = "auto"
    request = PictureRequest.of(options)
    # Keep a colour that no piece shows yet, so that the user can drag it onto a piece.
    defaults = find_default_limits(request.board, request.types, any_colors=True)
    conversion = replace(request.conversion, defaults=defaults)
    return replace(request, conversion=conversion)


def _read_pieces(values: Mapping[str, Any]) -> QueueRules | None:
    """Read a piece queue; None means any piece at any time."""
    hold = not read_field(values, "no_hold", read_flag, False)
    steered = read_field(values, "steered", read_flag, False)

    def parse(value: Any) -> QueueRules | None:
        text = "".join(read_string(_MAX_PIECES)(value).split())
        return QueueRules.parse(text, hold=hold, steered=steered) if text else None

    pieces: QueueRules | None = read_field(values, "pieces", parse, None)
    return pieces


def _read_board(value: Any) -> Board | None:
    """Read the size of a board; None if the search chooses it."""
    text = read_string(9)(value)
    size = parse_size(text, _MAX_BOARD)
    if size is None and text not in ("", "auto"):
        raise InputError(
            f"invalid board {text!r}; expected auto or a size up to {_MAX_BOARD}x{_MAX_BOARD}"
        )
    return None if size is None else Board(*size)


def _read_print_types(value: Any) -> TypesOption | None:
    """Read which types show which colours; None if the search chooses them."""
    types = read_types(read_string(200)(value))
    return None if types == "auto" else types


_OPTIONS: Final = ("colors", "background", *list_options(Adjustments))
"""The options of the library that the page sets without narrower limits."""

_NARROWER: Final[dict[str, Callable[[Any], Any]]] = {
    "fit": read_whole(1, MAX_SIDE),
    "palette": read_choice(list(PALETTES)),
    "board": _read_board,
    "types": _read_print_types,
}
"""The options that the page sets within limits of its own."""


def read_tiling(values: Mapping[str, Any]) -> dict[str, Any]:
    """Read the options of a tiling: board, pieces and the number of tilings to show."""
    orientations = read_choice(("all", "rotations", "fixed"))
    return {
        "board": read_field(values, "board", read_string(5000)),
        "pieces": read_field(values, "pieces", read_string(1000)),
        "orientations": read_field(values, "orientations", orientations, "all"),
        "use_all": read_field(values, "use_all", read_flag, False),
        "up_to_symmetry": read_field(values, "up_to_symmetry", read_flag, False),
        "count": read_field(values, "count", read_flag, False),
        "first": read_field(values, "first", read_whole(1, 200), 1),
    }


def read_slideshow(
    values: Mapping[str, Any], prints: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[str, dict[str, Any]]:
    """Return the name and the job of a slideshow of prints, given by their names and pictures."""
    board = read_field(values, "board", _read_board, None)
    backgrounds = {picture.get("background") for _, picture in prints}
    options = {
        "pictures": [(name, picture["drawing"]) for name, picture in prints],
        "loop": read_field(values, "loop", read_flag, False),
        "hold": read_field(values, "hold", read_hold, USUAL_HOLD),
        "board": None if board is None else str(board),
        # The thumbnail shows the first picture, on the background if all pictures have the same.
        "drawing": prints[0][1]["drawing"],
        "background": backgrounds.pop() if len(backgrounds) == 1 else None,
    }
    return ", ".join(name for name, _ in prints)[:80], options


def _read_crop(value: Any) -> Crop | None:
    """Read a crop as left, top, width and height; None if it is the complete picture."""
    share, shares = read_number(0, 1), read_object(value)
    left, top, width, height = (
        read_field(shares, name, share) for name in ("x", "y", "width", "height")
    )
    if not width or not height or left + width > 1.001 or top + height > 1.001:
        raise InputError("the part lies outside the picture")
    is_complete = (left, top, width, height) == (0, 0, 1, 1)
    return None if is_complete else (left, top, width, height)


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


@functools.lru_cache(maxsize=8)
def _open_picture(path: Path, modified: int) -> Image.Image:
    """Open an uploaded or example picture; ``modified`` only makes the cache notice a new file."""
    from PIL import Image

    with Image.open(path) as image:
        image.load()  # metadata may follow the pixels in the file
        return image.convert("RGBA")


@functools.lru_cache(maxsize=32)
def _convert_file(
    path: Path, modified: int, crop: Crop | None, name: str, conversion: Conversion
) -> ConvertedPicture:
    """Convert a stored picture; the cache serves requests that differ in the board only."""
    image = _open_picture(path, modified)
    full_size = image.info.get(SIZE_READ, "")
    if crop is not None:
        image, full_size = _crop(image, crop), ""
    return convert_image(image, conversion, name, full_size)


def find_picture_file(values: Mapping[str, Any], uploads: Path) -> Path | None:
    """Return the file of a picture; None for a text or a drawing."""
    kind = read_field(values, "kind", read_choice(_SOURCES))
    if kind == "upload":
        return uploads / f"{read_field(values, 'source', read_identifier)}.png"
    if kind == "example":
        return list_examples()[read_field(values, "source", read_choice(list(list_examples())))]
    return None


def make_source(values: Mapping[str, Any], path: Path | None) -> Source:
    """Return the picture of a request as a source; drawings and texts keep their size."""
    name, kind = read_print_name(values), read_field(values, "kind", read_choice(_SOURCES))
    if kind in ("upload", "example"):
        if path is None or not path.is_file():
            raise InputError(f"{name}: this picture is no longer stored; open it again")
        crop = read_field(values, "crop", _read_crop, None)
        modified = path.stat().st_mtime_ns
        return Source(name, name, functools.partial(_convert_file, path, modified, crop, name))
    if kind == "text":
        color = read_field(
            values, "text_color", lambda value: parse_color(read_string(20)(value)), _TEXT_COLOR
        )
        picture = set_text(read_field(values, "source", read_string(_MAX_TEXT)), color=color)
    else:
        picture = Picture.parse(read_field(values, "source", read_string(_MAX_DRAWING)), name)
    return make_drawn_source(picture, name, name)


def _crop(image: Image.Image, crop: Crop) -> Image.Image:
    """Return a rectangle of an image: left, top, width and height as shares of the image."""
    left, top = round(crop[0] * image.width), round(crop[1] * image.height)
    right = max(left + 1, round((crop[0] + crop[2]) * image.width))
    bottom = max(top + 1, round((crop[1] + crop[3]) * image.height))
    left, top = min(left, image.width - 1), min(top, image.height - 1)
    return image.crop((left, top, min(right, image.width), min(bottom, image.height)))


def prepare(
    request: PictureRequest, source: Source, *, repair: bool
) -> tuple[api.PreparedTask, api.PreparedTask, tuple[Change, ...]]:
    """Return the task of a source without any repair, the task to print, and the repairs.

    If the user does not want the repair, the task to print is the unrepaired one. Without repairs
    it is printed as it is, perhaps with don't-care squares.
    """
    unrepaired = prepare_source(source, request, may_repair=False)
    prepared = prepare_source(source, request)
    is_kept = prepared.changes and not repair
    return unrepaired, unrepaired if is_kept else prepared, prepared.changes


def make_print_job(values: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """Return the picture of a print as plain data; raise the obstacle if it cannot be printed.

    The data hold the converted picture, so that the job does not convert it again.
    """
    request = read_print(values)
    unrepaired, prepared, _ = prepare(request, source, repair=_wants_repair(values))
    obstacle = _find_obstacle(prepared.task)
    if obstacle is not None:
        raise obstacle.error(source.name)
    converted = source.read(request.conversion)
    return {
        "drawing": str(prepared.task.picture),
        "background": prepared.task.background or unrepaired.background,
        "converted": {
            **describe_picture(converted.picture),
            "background": converted.background,
            "steps": [(step.text, step.setting.name) for step in converted.steps],
        },
    }


def _wants_repair(values: Mapping[str, Any]) -> bool:
    """Whether squares may be changed so that a game can leave the picture."""
    return bool(read_field(values, "repair", read_flag, False))


def remember_conversion(source: Source, request: PictureRequest, data: Any) -> Source:
    """Return a source that need not convert its picture as requested, because that is done."""
    numbers, colors = iter(data["squares"]), [*data["colors"], None]  # -1 is the last: empty
    rows = [
        tuple(colors[next(numbers)] for _ in range(data["width"])) for _ in range(data["height"])
    ]
    steps = tuple(Step(text, Setting[name]) for text, name in data["steps"])
    picture = Picture(tuple(reversed(rows)), source.name)
    converted = ConvertedPicture(picture, data["background"], steps)

    def read(conversion: Conversion) -> ConvertedPicture:
        return converted if conversion == request.conversion else source.read(conversion)

    return replace(source, read=read)


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


def make_preview(values: Mapping[str, Any], source: Source) -> dict[str, object]:
    """Return the preview of a request; at a glance without a search for obstacles."""
    is_quick = read_field(values, "glance", read_flag, False)
    return make_quick_preview(values, source) if is_quick else _make_full_preview(values, source)


def make_quick_preview(values: Mapping[str, Any], source: Source) -> dict[str, object]:
    """Return the picture and its board without a search for obstacles."""
    unrepaired = prepare_source(source, read_print(values), may_repair=False)
    return _describe_task(unrepaired, unrepaired)


def _describe_task(unrepaired: api.PreparedTask, prepared: api.PreparedTask) -> dict[str, object]:
    """Return the picture before any repair, and the drawing and the place of the task to print."""
    picture, background = unrepaired.task.picture, unrepaired.background
    return {
        "picture": describe_picture(picture),
        "drawing": _format_drawing(prepared.task.picture),
        "background": background,
        "field": choose_field(picture.colors(), background),
        "board": _find_board(prepared),
        "column": prepared.task.column,
    }


def _make_full_preview(values: Mapping[str, Any], source: Source) -> dict[str, object]:
    """Return the preview that the browser shows; errors as :func:`prepare`."""
    repair = _wants_repair(values)
    unrepaired, prepared, changes = prepare(read_print(values), source, repair=repair)
    original, task = unrepaired.task.picture, prepared.task
    is_repaired = bool(repair and changes)
    obstacle = _find_obstacle(task)
    original_obstacle = _find_obstacle(unrepaired.task) if is_repaired else obstacle
    type_colors = {}
    with contextlib.suppress(TetrisPrinterError):
        type_colors = {
            piece.name: color for piece, color in share_types(task.picture, task.background).items()
        }
    answer = _describe_task(unrepaired, prepared)
    bound = None
    if obstacle is None and answer["board"] is None:
        bound = -(-task.pixels // 4)
    elif obstacle is None:
        max_squares = (task.board.width - 1) * task.board.height
        extra_squares = max_squares - task.pixels if task.background is not None else 0
        bound = count_least_drops(task.board.width, task.pixels, extra_squares)
    return answer | {
        "done": [str(step) for step in unrepaired.steps if step.setting not in _SHOWN_ELSEWHERE],
        "pixels": task.pixels,
        "types": type_colors,
        "obstacle": _describe_obstacle(original_obstacle, original),
        "still": _describe_obstacle(obstacle, task.picture),
        "changes": [
            {
                "x": change.x - original.columns_left,
                "y": change.y - original.rows_above,
                "before": change.before,
                "after": change.after,
                "reason": change.reason,
            }
            for change in changes
        ],
        "repaired": describe_picture(task.picture) if is_repaired else None,
        "bound": bound,
    }


def _format_drawing(picture: Picture) -> str | None:
    """Return the text of a picture for the editor; None if it has too many colours."""
    try:
        return str(picture)
    except ValueError:
        return None


# Packed matrices for the pattern pages: queries, drawings, the atlas, the tables.

TALLEST: Final = 7
"""Rows of the tallest matrix of the tables."""

WIDEST: Final = 200
"""Columns of the widest row of a query."""

_ATLAS_WIDTHS: Final = range(5, 65)
_EMITTED_COLOR: Final = "d03020"


def read_row(values: Mapping[str, Any]) -> tuple[int, tuple[int, ...]]:
    """Read a row: its width, and the first columns of its emitters, which fit beside each other."""
    width: int = read_field(values, "width", read_whole(1, WIDEST))
    columns: tuple[int, ...] = read_field(values, "at", _read_columns, ())
    if not columns:
        raise InputError("at: expected the column of an emitter")
    for x, following in zip(columns, (*columns[1:], width), strict=True):
        if following - x < 3:
            raise InputError(f"at: no room for the emitter at column {x}, which reaches to {x + 2}")
    return width, columns


def _read_columns(value: Any) -> tuple[int, ...]:
    """Read different columns, from a list or from text with commas; return them ascending."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or len(items) > WIDEST // 3:
        raise InputError("expected the columns of emitters, such as 0,3,7")
    columns = [read_whole(0, WIDEST)(item) for item in items]
    if len(set(columns)) < len(columns):
        raise InputError("two emitters begin in the same column")
    return tuple(sorted(columns))


def find_matrix(width: int, rows: int, columns: Sequence[int]) -> Packing | None:
    """Find a matrix over a row of emitters; return None if no matrix exists.

    Heights without an automaton are looked up in the tables.
    """
    if rows not in SHIPPED:
        packing = _look_up_matrix(width, columns)
        return packing if packing is not None and packing.problem.rows == rows else None
    try:
        answer = AUTOMATON.find(make_emitter_problem(width, rows, columns))
    except InputError:  # the emitters alone complete a row
        return None
    return answer if isinstance(answer, Packing) else None


def _look_up_matrix(width: int, columns: Sequence[int]) -> Packing | None:
    """Return the matrix over a row of emitters from the tables; None if the tables lack it."""
    if width != tables.TABLE_WIDTH or len(columns) not in tables.EMITTED:
        return None
    return tables.look_up_emitters(tuple(columns))


def query_heights(width: int, columns: Sequence[int]) -> dict[str, Any]:
    """Return for every height whether a matrix over a row of emitters exists, and the matrix."""
    heights = []
    table_packing = _look_up_matrix(width, columns)
    for rows in range(1, TALLEST + 1):
        free = width * rows - 3 * len(columns)
        answer: dict[str, Any] = {"rows": rows, "free": free, "status": "none"}
        if free % 4:
            answer["status"] = "indivisible"
        elif rows not in SHIPPED and (table_packing is None or table_packing.problem.rows < rows):
            # No automaton decides this height. The tables hold the least height of a row only.
            answer["status"] = "undecided" if table_packing is None else "enough"
        else:
            packing = find_matrix(width, rows, columns)
            if packing is not None:
                answer |= {"status": "matrix", "drawing": str(packing).split("\n")}
        heights.append(answer)
    return {"width": width, "at": list(columns), "heights": heights}


def make_matrix_plan(packing: Packing, emitter_name: str = "T") -> Plan:
    """Return the game that drops a matrix, emitters first; only the emitted squares stay."""
    emitter = next(shape for shape in tables.EMITTERS if shape.piece.name == emitter_name)
    rows = packing.problem.rows + 1
    pieces = [Placement(emitter, x, 0) for x in tables.read_positions(packing)]
    pieces += [Placement(p.orientation, p.x, p.y + 1) for p in packing.pieces]
    drop_pass = Pass(rows, tuple(pieces))
    width = packing.problem.width
    return Plan((drop_pass,), ((emitter.piece, _EMITTED_COLOR),), width, rows + 4)


def make_requested_matrix_plan(values: Mapping[str, Any]) -> tuple[Plan, str]:
    """Return the game that drops the matrix of a request, and its title."""
    width, columns = read_row(values)
    rows: int = read_field(values, "rows", read_whole(1, TALLEST))
    emitter_name: str = read_field(values, "piece", read_choice(("J", "T", "L")), "T")
    packing = find_matrix(width, rows, columns)
    if packing is None:
        raise InputError("rows: no matrix has this height")
    return make_matrix_plan(packing, emitter_name), f"{width} × {rows}"


@functools.cache
def make_atlas() -> list[dict[str, Any]]:
    """Return the atlas for all widths that the page shows."""
    from tetrisprinter.packings.automaton.atlas import build_atlas

    return [entry.to_data() for entry in build_atlas(_ATLAS_WIDTHS, tables.EMITTED)]


def read_table(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return some entries of the table for a number of emitters."""
    emitted = read_field(values, "emitted", read_whole(1, 7))
    first = read_field(values, "first", read_whole(0, 2000), 0)
    count = read_field(values, "count", read_whole(1, 48), 12)
    positions = list(list_emitter_positions(emitted))
    entries = []
    for columns in positions[first : first + count]:
        packing = tables.look_up_emitters(columns)
        drawing = str(packing).split("\n")
        entries.append({"at": list(columns), "rows": packing.problem.rows, "drawing": drawing})
    return {
        "emitted": emitted,
        "width": tables.TABLE_WIDTH,
        "total": len(positions),
        "entries": entries,
    }
