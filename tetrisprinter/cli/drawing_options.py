"""The options for drawing a game, shared by `print`, `play`, `text` and `qr`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.cli.options import PATH, ParsedType, Real, Whole, add_group, flag, option
from tetrisprinter.cli.progress import show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.render import RENDERERS, Animator, Rendering, find_renderer

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.render.paint import Style


STDOUT: Final = "-"
"""The file name that means standard output."""

_WITH_SOUND: Final = (".mp4", ".webm")
"""The extensions of files with sound."""

_STDOUT_NAME: Final = "print.gif"
"""A file name that stands for standard output: its extension is the format."""


def _format_transparent_extensions() -> str:
    """Return as text the extensions of formats that can have transparent squares."""
    renderers = [renderer for renderer in RENDERERS.values() if renderer.has_transparency]
    return " ".join(ext for renderer in renderers for ext in renderer.extensions)


def _describe_extensions() -> str:
    """Return as text what each extension means: ``.png (the picture), .gif .apng (...)``."""
    groups = groupby(RENDERERS.values(), lambda renderer: renderer.summary)
    return ", ".join(
        " ".join(ext for renderer in renderers for ext in renderer.extensions) + f" ({summary})"
        for summary, renderers in groups
    )


def _read_shape(text: str) -> tuple[int, int]:
    """Read the value of ``--shape``."""
    width, separator, height = text.partition(":")
    if not (separator and width.isdecimal() and height.isdecimal()):
        raise InputError(f"invalid value {text!r}; expected W:H, such as 1:1 or 9:16")
    shape = int(width), int(height)
    if not (min(shape) > 0 and max(shape) <= 4 * min(shape)):
        raise InputError(f"{text} is out of range; expected 1:4 to 4:1")
    return shape


_OPTIONS: Final = (
    option("--scale", Whole(1, 64), "Pixels per square. [default: at least 8, and enough for "
           "480 on the longer side]"),
    option("--style", ["plain", "bevel", "outlines"], "plain: flat squares; bevel: blocks with "
           "edges; outlines: lines between the pieces also in the finished picture.",
           default="plain"),
    option("--outlines/--no-outlines", None, "Draw lines between the pieces during the game.",
           default=True),
    option("--field", ParsedType("pictures.convert:parse_color", "auto"), "Colour of empty "
           "squares; auto: black, or another colour if the picture is hard to see on black.",
           metavar="COLOUR|auto", default="auto"),
    flag("--full", "Show the whole board; by default an animation shows the rows that the game "
         "uses, and a still image the picture."),
    flag("--transparent", f"Make empty squares transparent ({_format_transparent_extensions()})."),
    option("--every", None, "A frame after every K drops, or after every pass. [default: every "
           "drop]", metavar="K|drop|pass"),
    flag("--smooth", "Show how each piece falls."),
    option("--seconds", Real(), "How long the game plays. [default: 16; two drops per second if "
           "it has fewer than 60; smooth: four drops per second]", metavar="SECONDS"),
    option("--first", Real(), "How long the finished picture is shown before the game; 0: not "
           "at all.", default=1.0, metavar="SECONDS"),
    option("--last", Real(), "How long the finished picture is shown after the game.", default=3.0,
           metavar="SECONDS"),
    option("--shape", ParsedType(_read_shape), "The shape of an animation, such as 1:1 or 9:16, "
           "with empty squares around the board. [default: the shape of the board]", metavar="W:H"),
    option("--rules", ["classic", "srs"], "srs: a page (.html) lists the keys for each piece "
           "under the guideline rules.", default="classic"),
    option("--loop", Whole(0, 65535), "How many times an animation plays; 0: forever.", default=0),
    flag("--sound", "Add sound to a video: a tick for each piece, a chord for each line clear."),
)  # fmt: skip
output_option = option(
    "-o --output outputs",
    PATH,
    f"The file to write; its extension chooses the format: {_describe_extensions()}; - writes a "
    "GIF to standard output. May be given several times.",
    multiple=True,
    metavar="FILE",
)


poster_option = option(
    "--poster",
    PATH,
    "Also write a poster (.png .svg .pdf): the finished picture with its pieces, six moments "
    "of the game, and its figures.",
    metavar="FILE",
)


def _build_rendering(
    scale: int | None,
    style: Style,
    outlines: bool,
    field: str,
    full: bool,
    transparent: bool,
    every: str | None,
    smooth: bool,
    seconds: float | None,
    first: float,
    last: float,
    rules: str,
    loop: int,
    sound: bool,
    shape: tuple[int, int] | None,
) -> Rendering:
    """Build the rendering from the values of the command line."""
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look

    if smooth and every is not None:
        raise InputError("--smooth and --every cannot be used together; leave one out")
    frame_step: Any = every
    if every == "drop":
        frame_step = 1
    elif every not in (None, "pass"):
        if not every.isdecimal():
            raise InputError(
                f"--every: invalid value {every!r}; expected a number of drops, 'drop' or 'pass'"
            )
        frame_step = int(every)
    timing = Timing(every=frame_step, smooth=smooth, seconds=seconds, hold=last, first=first)
    look = Look(scale, style, False, field, outlines)
    return Rendering(
        look, timing, loop, transparent, full=full, rules=rules, shape=shape, sound=sound
    )


add_drawing_options = add_group("rendering", _build_rendering, _OPTIONS)
"""The decorator that adds the drawing options."""


def check_outputs(paths: Sequence[str | Path], rendering: Rendering) -> None:
    """Refuse output names and options that cannot be used, before anything is computed."""
    from tetrisprinter.render.save import check_output

    if STDOUT in map(str, paths) and sys.stdout.isatty():
        raise InputError("-o -: standard output is a terminal; redirect it, e.g. -o - > print.gif")
    can_be_transparent = [
        (
            find_renderer(_STDOUT_NAME) if path == STDOUT else check_output(path, supported)
        ).has_transparency
        for path, supported in _pair_with_options(paths, rendering)
    ]
    if rendering.transparent and not any(can_be_transparent):
        raise InputError(
            "--transparent: not supported by this file type; use "
            + _format_transparent_extensions()
        )
    if rendering.sound and not any(Path(path).suffix.lower() in _WITH_SOUND for path in paths):
        raise InputError(
            f"--sound: not supported by this file type; use {' '.join(_WITH_SOUND)} (pages always "
            "have sound)"
        )


def find_animator(path: Path, subject: str) -> Animator:
    """Return the renderer of a file; refuse a file that is no animation."""
    animator = find_renderer(path)
    if not isinstance(animator, Animator):
        raise InputError(f"{path}: {subject} is an animation; use a name such as {path.stem}.gif")
    return animator


def write_outputs(
    plan: Plan, paths: Sequence[str | Path], rendering: Rendering, title: str = ""
) -> None:
    """Draw a plan to every file; errors are those of :func:`tetrisprinter.render.save.save`."""
    from tetrisprinter.render.save import save

    for path, supported_rendering in _pair_with_options(paths, rendering):
        with show_measured_progress(f"drawing {Path(path).name}") as report:
            if path != STDOUT:
                save(plan, path, supported_rendering, title=title, report=report)
                continue
            buffer = io.BytesIO()
            find_renderer(_STDOUT_NAME).write(buffer, plan, supported_rendering, report)
        sys.stdout.buffer.write(buffer.getvalue())
        sys.stdout.flush()


def _pair_with_options(
    paths: Sequence[str | Path], rendering: Rendering
) -> Iterator[tuple[str | Path, Rendering]]:
    """Yield each path with the rendering options that its format supports."""
    for path in paths:
        has_transparency = find_renderer(_STDOUT_NAME if path == STDOUT else path).has_transparency
        yield path, replace(rendering, transparent=rendering.transparent and has_transparency)
