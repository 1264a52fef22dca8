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

    before: api.PreparedTask  # the task before any repair, and the steps that led to it
    found: api.PreparedTask  # the task to print: repaired if the user wants the repair
    original_obstacle: Obstacle | None  # why the unrepaired picture cannot be printed
    changes: tuple[Change, ...]  # what the repair changes, whether it is wanted or not
    remaining_obstacle: Obstacle | None  # why the task to print cannot be printed

    @property
    def task(self) -> Task:
        """The task to print."""
        return self.found.task


@functools.lru_cache(maxsize=8)
def _open_picture(path: Path, modified: int) -> Image.Image:
    """Open an uploaded or example picture; ``modified`` only makes the cache notice a new file."""
    from PIL import Image

    with Image.open(path) as image:
        image.load()  # metadata may follow the pixels in the file
        return image.convert("RGBA")


@functools.lru_cache(maxsize=32)
def _convert(
    wanted: PrintRequest, path: Path | None, modified: int, how: Conversion
) -> ConvertedPicture:
    """Convert the picture of a request; the cache serves requests that differ in the board only."""
    if path is not None:
        image = _open_picture(path, modified)
        was = image.info.get(SIZE_READ, "")
        if wanted.crop is not None:
            image, was = _crop(image, wanted.crop), ""
        return convert_image(image, how, wanted.name, was)
    if wanted.kind == "text":
        picture = set_text(wanted.source, color=wanted.text_color)
    else:
        picture = Picture.parse(wanted.source, wanted.name)
    return make_drawn_source(picture).read(how)


def find_picture_file(wanted: PrintRequest, store: Store) -> Path | None:
    """Return the file of a picture; None for a text or a drawing."""
    if wanted.kind in ("text", "drawing"):
        return None
    path = list_examples().get(wanted.source)
    if wanted.kind == "upload":
        path = store.get_upload_path(wanted.source)
    if path is None or not path.is_file():
        raise InputError(f"{wanted.name}: this picture is no longer stored; open it again")
    return path


def make_source(wanted: PrintRequest, path: Path | None) -> Source:
    """Return the picture of a request as a source; drawings and texts keep their size."""
    key = replace(wanted, board=None, types="auto", repair=False)
    modified = 0 if path is None else path.stat().st_mtime_ns
    read = functools.partial(_convert, key, path, modified)
    return Source(wanted.name, wanted.name, read, scales=path is not None)


def make_picture_request(wanted: PrintRequest) -> PictureRequest:
    """Convert a studio request into options of the library."""
    fit = None if wanted.fit is None else (wanted.fit, wanted.fit)
    types = None if wanted.types == "auto" else wanted.types
    # Keep a colour that no piece shows yet, so that the user can drag it onto a piece.
    defaults = replace(find_default_limits(wanted.board, types), palette=frozenset())
    how = Conversion(
        fit,
        colors=wanted.colors,
        background=wanted.background,
        defaults=defaults,
        adjust=wanted.adjust,
    )
    return PictureRequest(how, wanted.board, types, pieces=wanted.dealt)


def _crop(image: Image.Image, crop: tuple[float, float, float, float]) -> Image.Image:
    left, top = round(crop[0] * image.width), round(crop[1] * image.height)
    right = max(left + 1, round((crop[0] + crop[2]) * image.width))
    bottom = max(top + 1, round((crop[1] + crop[3]) * image.height))
    left, top = min(left, image.width - 1), min(top, image.height - 1)
    return image.crop((left, top, min(right, image.width), min(bottom, image.height)))


def prepare(wanted: PrintRequest, source: Source) -> PreviewPicture:
    """Prepare the picture of a source, with its obstacles and repairs."""
    request = make_picture_request(wanted)
    plain = prepare_source(source, replace(request, repairs=False))
    found = prepare_source(source, request)
    if not found.changes:  # printed as it is, perhaps with don't-care squares
        remaining_obstacle = _find_obstacle(found.task)
        return PreviewPicture(plain, found, remaining_obstacle, (), remaining_obstacle)
    original_obstacle = _find_obstacle(plain.task)
    if not wanted.repair:
        return PreviewPicture(plain, plain, original_obstacle, found.changes, original_obstacle)
    return PreviewPicture(
        plain, found, original_obstacle, found.changes, _find_obstacle(found.task)
    )


def make_print_job(
    wanted: PrintRequest, source: Source, path: Path | None = None
) -> dict[str, Any]:
    """Return the job of a print as plain data; raise the obstacle if it cannot be printed."""
    ready = prepare(wanted, source)
    if ready.remaining_obstacle is not None:
        raise ready.remaining_obstacle.error(wanted.name)
    task = {
        "drawing": str(ready.task.picture),
        "board": str(ready.task.board),
        "types": str(ready.task.types),
        "background": ready.task.background or ready.before.background,
    }
    return {"task": task, "wanted": wanted.data(), "path": path and str(path)}


def _find_obstacle(task: Task) -> Obstacle | None:
    try:
        return find_obstacle(task) if task.pieces is None else DEALT.find_refusal(task)
    except InputError as error:  # a colour without a type, and the like
        return error.obstacle or Obstacle(error.message, error.hints)


def _find_board(found: api.PreparedTask) -> list[int] | None:
    """Return the size of the board; None if the search chooses it."""
    if found.request.keeps_board or found.request.pieces is not None:
        return [found.task.board.width, found.task.board.height]
    return None


def describe_picture(picture: Picture) -> dict[str, object]:
    """Return a picture for the browser: each square's colour index, -1 if empty; top row first."""
    colors = picture.colors()
    number: dict[Color | None, int] = {None: -1, **{c: n for n, c in enumerate(colors)}}
    return {
        "width": picture.width,
        "height": picture.height,
        "colors": list(colors),
        "squares": [number[color] for row in reversed(picture.rows) for color in row],
    }


def _describe_obstacle(obstacle: Obstacle | None, picture: Picture) -> dict[str, object] | None:
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


def make_quick_preview(wanted: PrintRequest, source: Source) -> dict[str, object]:
    """Return the picture and its board without a search for obstacles."""
    plain = prepare_source(source, replace(make_picture_request(wanted), repairs=False))
    picture = plain.task.picture
    return {
        "picture": describe_picture(picture),
        "background": plain.background,
        "field": choose_field(picture.colors(), plain.background),
        "board": _find_board(plain),
        "column": plain.task.column,
    }


def preview(wanted: PrintRequest, source: Source) -> dict[str, object]:
    """Return the preview that the browser shows; errors as :func:`prepare`."""
    ready = prepare(wanted, source)
    before, task = ready.before.task.picture, ready.task
    shared = {}
    with contextlib.suppress(TetrisPrinterError):
        shared = {
            piece.name: color for piece, color in share_types(task.picture, task.background).items()
        }
    answer: dict[str, object] = {
        "picture": describe_picture(before),
        "drawing": _format_drawing(task.picture),
        "background": ready.before.background,
        "field": choose_field(before.colors(), ready.before.background),
        "done": [str(step) for step in ready.before.steps if step.setting not in _SHOWN_ELSEWHERE],
        "board": _find_board(ready.found),
        "column": task.column,
        "pixels": task.pixels,
        "types": shared,
        "obstacle": _describe_obstacle(ready.original_obstacle, before),
        "still": _describe_obstacle(ready.remaining_obstacle, task.picture),
        "changes": [
            {
                "x": change.x,
                "y": change.y - before.rows_above,
                "before": change.before,
                "after": change.after,
                "reason": change.reason,
            }
            for change in ready.changes
        ],
        "repaired": describe_picture(task.picture) if wanted.repair and ready.changes else None,
        "bound": None,
    }
    if ready.remaining_obstacle is None and answer["board"] is None:
        answer["bound"] = -(-task.pixels // 4)
    elif ready.remaining_obstacle is None:
        most = (task.board.width - 1) * task.board.height
        spare = most - task.pixels if task.background is not None else 0
        answer["bound"] = count_least_drops(task.board.width, task.pixels, spare)
    return answer


def _format_drawing(picture: Picture) -> str | None:
    """Return the text of a picture for the editor; None if it has too many colours."""
    try:
        return str(picture)
    except ValueError:
        return None
