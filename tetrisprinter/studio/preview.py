"""The preview of a print: the picture, its obstacles, and the repairs that would help.

A preview needs no search, so the page requests one for every move of a slider.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter import api
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import PictureRequest, find_default_limits
from tetrisprinter.errors import InputError, Obstacle, Setting, TetrisPrinterError
from tetrisprinter.game.divisibility import count_least_drops
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture, convert_image
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.pictures.sources import Source, make_drawn_source
from tetrisprinter.pictures.text import set_text
from tetrisprinter.planners.dealt import DEALT
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.repair import Change
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import share_types
from tetrisprinter.render.field_color import choose_field
from tetrisprinter.studio.messages import format_message
from tetrisprinter.studio.print_request import PrintRequest
from tetrisprinter.studio.store import SIZE_READ
from tetrisprinter.support.files import find_shipped_folder

if TYPE_CHECKING:
    from PIL import Image

    from tetrisprinter.studio.store import Store

_SHOWN_ELSEWHERE: Final = (Setting.BOARD, Setting.TYPES)  # not in the list of steps


@functools.cache
def list_examples() -> dict[str, Path]:
    """Return the pictures that come with the package, by name."""
    return {path.stem: path for path in sorted(find_shipped_folder("examples").glob("*.png"))}


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


def find_picture_file(print_request: PrintRequest, store: Store) -> Path | None:
    """Return the file of a picture; None for a text or a drawing."""
    if print_request.kind in ("text", "drawing"):
        return None
    path = list_examples().get(print_request.source)
    if print_request.kind == "upload":
        path = store.get_upload_path(print_request.source)
    if path is None or not path.is_file():
        raise InputError(f"{print_request.name}: this picture is no longer stored; open it again")
    return path


def make_source(print_request: PrintRequest, path: Path | None) -> Source:
    """Return the picture of a request as a source; drawings and texts keep their size."""
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


def make_print_job(
    print_request: PrintRequest, source: Source, path: Path | None = None
) -> dict[str, Any]:
    """Return the job of a print as plain data; raise the obstacle if it cannot be printed."""
    result = prepare(print_request, source)
    if result.remaining_obstacle is not None:
        raise result.remaining_obstacle.error(print_request.name)
    task = {
        "drawing": str(result.task.picture),
        "board": str(result.task.board),
        "types": str(result.task.types),
        "background": result.task.background or result.unrepaired.background,
    }
    return {"task": task, "wanted": print_request.data(), "path": path and str(path)}


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
                "x": change.x,
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
