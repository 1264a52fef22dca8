"""The studio without a server: it answers the requests of the page in a web worker.

``static/page_worker.js`` runs this module in Pyodide. A job has the same handler here as in a
process of the studio (:mod:`~tetrisprinter.studio.worker`), with a folder in memory. The news
of a better plan carries its text, because the page cannot read that folder.
"""

from __future__ import annotations

import functools
import itertools
import json
import shutil
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import TetrisPrinterError, describe_fault
from tetrisprinter.formats import format_game
from tetrisprinter.game.pieces import Cell
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.game.steering import MovedDrop, play_for_display
from tetrisprinter.pictures import convert
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture, Pixels
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.pictures.reduction import Rgb
from tetrisprinter.pictures.sources import Source
from tetrisprinter.render.frames import Schedule, follow_drop, list_open_columns, shrink_board
from tetrisprinter.render.page import make_page
from tetrisprinter.render.paint import choose_display_colors, choose_field, choose_field_for
from tetrisprinter.studio import prints, worker

_FOLDER: Final = Path("/job")  # the folder of the running job; each worker has its own file system

_Options = dict[str, Any]
Send = Callable[[str], None]


class _DecodedImage(Pixels):
    """An image decoded by the browser; the bytes stay in JavaScript."""

    def __init__(self, image: Any) -> None:
        self.width, self.height, self.was = image.width, image.height, image.was
        self.block, self.colors = image.block, image.colors
        self.clear, self.half = image.clear, image.half
        self.is_art, self.is_dithered = image.art, image.dithered
        self._decoded = image

    def rgba(self) -> bytes:
        data: bytes = self._decoded.rgba().to_bytes()
        return data

    def crop_visible(self, ground: Rgb | None) -> _DecodedImage:
        return _DecodedImage(self._decoded.cropVisible(*(ground or ())))

    def shrink(self, k: int) -> _DecodedImage:
        return _DecodedImage(self._decoded.shrink(k))

    def scale(self, width: int, height: int) -> bytes:
        data: bytes = self._decoded.scale(width, height).to_bytes()
        return data

    def sample(self, right: int, down: int) -> bytes:
        data: bytes = self._decoded.sample(right, down).to_bytes()
        return data

    def points(self, width: int, height: int, most: int) -> bytes:
        data: bytes = self._decoded.points(width, height, most).to_bytes()
        return data


def answer(request_name: str, options: str, send: Send, image: Any = None) -> str:
    """Answer a request of the page; return the answer or the error as JSON."""
    try:
        values = json.loads(options)
        if image is not None:
            values["pixels"] = _find_source(values, image)
        return json.dumps({"answer": _ANSWERS[request_name](values, send)})
    except TetrisPrinterError as error:
        return json.dumps(prints.describe_error(error))
    except (MemoryError, RecursionError):
        sentence = "out of memory: this is too large for a page; try something smaller"
        return json.dumps({"error": sentence, "code": 409})
    except Exception as error:
        traceback.print_exc()  # for the console of the browser
        return json.dumps({"error": describe_fault(error), "code": 500})


_last_source: dict[str, Source] = {}
"""The image of the last request, so that several requests for an image convert it only once."""


def make_pixel_source(pixels: Pixels, name: str) -> Source:
    """Return a source for an image of the browser; the source caches conversions."""

    def read(conversion: Conversion) -> ConvertedPicture:
        return convert.convert_pixels(pixels, conversion, name)

    return Source(name, name, functools.lru_cache(maxsize=8)(read))


def _find_source(values: _Options, image: Any) -> Source:
    """Return a source for an image of the browser; equal images and crops share one."""
    request = values.get("wanted", values)
    key = json.dumps([request.get(name) for name in ("kind", "source", "crop", "name")])
    if key not in _last_source:
        _last_source.clear()
        _last_source[key] = make_pixel_source(_DecodedImage(image), values.get("name") or "picture")
    return _last_source[key]


def _choose_source(options: _Options) -> Source:
    """Return the picture of a request: an image of the browser, a text or a drawing."""
    return options["pixels"] if "pixels" in options else prints.make_source(options, None)


def _prepare_print(options: _Options, send: Send) -> dict[str, Any]:
    """Return the job of a print."""
    wanted = {key: value for key, value in options.items() if key != "pixels"}
    return {"wanted": wanted, **prints.make_print_job(wanted, _choose_source(options))}


def _prepare_slideshow(options: _Options, send: Send) -> dict[str, object]:
    """Return the name and the job of a slideshow."""
    name, job = prints.read_slideshow(options, options["prints"])
    return {"name": name, "job": job}


def _run_job(options: _Options, send: Send) -> dict[str, Any]:
    """Run a job; each report of a better plan contains the text of the plan."""

    def report(news: dict[str, Any]) -> None:
        if news["event"] == "best":
            plan = _FOLDER / worker.name_plan_file(news["best"]["version"])
            news = {**news, "plan": plan.read_text("utf-8")}
        send(json.dumps(news))

    shutil.rmtree(_FOLDER, ignore_errors=True)
    _FOLDER.mkdir()
    if "best" in options:  # the job continues
        (_FOLDER / worker.name_plan_file(options["best"]["version"])).write_text(
            options["plan"], "utf-8"
        )
    if "text" in options:
        (_FOLDER / "given").write_text(options["text"], "utf-8")
        options["source"] = str(_FOLDER / "given") + options.get("suffix", "")
        (_FOLDER / "given").rename(options["source"])
    return worker.JOB_HANDLERS[options["work"]]({**options, "folder": str(_FOLDER)}, report)


def _format_file(options: _Options, send: Send) -> str:
    """Return the text of a print's file, such as a page or a plan."""
    plan = Plan.parse(options["plan"])
    if options["kind"] == "html":
        return make_page(plan, title=options["name"], hold=options["hold"])
    extension, _ = worker.DOWNLOADS[options["kind"]]
    return format_game(plan, Path("print" + extension), options["name"])


def _draw_final_picture(options: _Options, send: Send) -> dict[str, object]:
    """Return the final picture of a plan, or a drawing, as colours of squares."""
    from tetrisprinter.render.still import crop_picture

    if "drawing" in options:
        picture = Picture.parse(options["drawing"])
        return prints.describe_picture(picture) | {
            "field": choose_field(picture.colors(), options["background"])
        }
    plan = Plan.parse(options["plan"])
    picture = crop_picture(make_field_picture(plan, play_through(plan).field))
    return prints.describe_picture(picture) | {"field": choose_field_for(plan)}


def _make_animation(options: _Options, send: Send) -> dict[str, object]:
    """Return a game as frames for a GIF or MP4: one digit for each square, and the seconds."""
    plan = shrink_board(Plan.parse(options["plan"]))
    field_color = choose_field_for(plan)
    colors = choose_display_colors(plan, field_color)
    frames = _draw_frames(plan, worker.choose_timing(plan, options["hold"]).schedule(plan))
    width, height = plan.width, plan.height
    shape = worker.find_shape(options.get("place", ""))
    if shape is not None:
        width, height, frames = _pad_frames(width, height, frames, shape)
    return {
        "width": width,
        "height": height,
        "colors": [field_color, *(colors[value] for value in sorted(colors))],
        "frames": frames,
    }


def _draw_frames(plan: Plan, schedule: Schedule) -> list[tuple[str, float]]:
    """Return the boards after the beats of a game, each with its seconds."""
    frame_seconds, field = 1 / schedule.fps, plan.make_field()
    visible_types = set(plan.square_colors)

    def draw(*, finished: bool = False) -> str:
        squares = (square for row in reversed(field.rows) for square in row)
        return "".join(str(s if not finished or s in visible_types else 0) for s in squares)

    frames = [(draw(), frame_seconds)]
    drops, number = play_for_display(plan, field), 0
    for beat in schedule.beats:
        before, landed = draw(), list(itertools.islice(drops, beat.drops))
        number += len(landed)
        seconds = beat.frames * frame_seconds
        if beat.falls:
            falling = _draw_fall(before, plan, landed[0], beat.frames)
            frames += [(drawing, frame_seconds) for drawing in falling]
            seconds = frame_seconds
        if beat.frames:
            frames.append((draw(), seconds))
        if number in plan.stops and number < len(plan):
            frames.append((draw(finished=True), frame_seconds + schedule.hold))
    for _ in drops:  # those after the last marked one
        pass
    frames.append((draw(finished=True), frame_seconds + schedule.hold))
    if schedule.first and not plan.stops:
        frames.insert(0, (frames[-1][0], schedule.first))
    return frames


def _draw_fall(before: str, plan: Plan, moved: MovedDrop, count: int) -> Iterator[str]:
    """Yield the boards of a drop, all but the last of ``count``: it falls, and full rows vanish.

    Pieces stand on whole squares here, because a board has one digit for each square.
    """
    for number in range(1, count):
        place, landing, squares = (
            follow_drop(moved, number, count),
            moved.drop.landing,
            list(before),
        )
        cells: Iterable[Cell] = landing.cells
        if isinstance(place, tuple):
            orientation, left, bottom = place
            cells = orientation.place(round(left), round(bottom))
        for x, y in cells:
            if y < plan.height:
                squares[(plan.height - 1 - y) * plan.width + x] = str(
                    int(landing.orientation.piece)
                )
        if not isinstance(place, tuple):
            for x, y in itertools.product(list_open_columns(plan.width, place), landing.cleared):
                squares[(plan.height - 1 - y) * plan.width + x] = "0"
        yield "".join(squares)


def _pad_frames(
    width: int, height: int, frames: list[tuple[str, float]], shape: tuple[int, int]
) -> tuple[int, int, list[tuple[str, float]]]:
    """Pad frames with empty squares to about these proportions; return the new size and frames."""
    wide = max(width, round(height * shape[0] / shape[1]))
    high = max(height, round(width * shape[1] / shape[0]))
    left, above = (wide - width) // 2, (high - height) // 2
    padded = []
    for squares, seconds in frames:
        rows = [squares[k : k + width] for k in range(0, len(squares), width)]
        middle = "".join("0" * left + row + "0" * (wide - width - left) for row in rows)
        below = "0" * (wide * (high - height - above))
        padded.append(("0" * (wide * above) + middle + below, seconds))
    return wide, high, padded


def _make_matrix_page(options: _Options, send: Send) -> str:
    plan, title = prints.make_requested_matrix_plan(options)
    return make_page(plan, title=title)


def _tile(options: _Options, send: Send) -> dict[str, Any]:
    job_options = prints.read_tiling(options) | {"method": "search", "count": False}
    return worker.JOB_HANDLERS["tile"](job_options, lambda news: send(json.dumps(news)))


_ANSWERS: Final[dict[str, Callable[[_Options, Send], Any]]] = {
    "preview": lambda options, send: prints.make_preview(options, _choose_source(options)),
    "prepare": _prepare_print,
    "slideshow": _prepare_slideshow,
    "work": _run_job,
    "file": _format_file,
    "still": _draw_final_picture,
    "film": _make_animation,
    "query": lambda options, send: prints.query_heights(*prints.read_row(options)),
    "atlas": lambda options, send: prints.make_atlas(),
    "table": lambda options, send: prints.read_table(options),
    "matrix": _make_matrix_page,
    "tile": _tile,
}
