"""The options that say how a print is drawn: shared by `print` and `play`."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tetrisprinter.cli.options import Real, Whole, going_away
from tetrisprinter.cli.progress import show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.render import RENDERERS, Animator, Rendering, find_renderer

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.render.paint import Style

__all__ = [
    "STDOUT",
    "animator_for",
    "check_outputs",
    "output_option",
    "poster_option",
    "rendering",
    "rendering_options",
    "write_outputs",
]

STDOUT: Final = "-"
"""What stands for standard output."""

_HEARD: Final = (".mp4", ".webm")
"""What can be heard."""

_PIPED: Final = "print.gif"
"""As what a print goes to standard output, where no name says it."""

_F = TypeVar("_F", bound=Callable[..., Any])


def _transparent() -> str:
    """List the extensions of what can leave empty squares transparent."""
    able = [renderer for renderer in RENDERERS.values() if renderer.transparent]
    return " ".join(ext for renderer in able for ext in renderer.extensions)


def _by_extension() -> str:
    """Say what each extension means: ``.png (the picture), .gif .apng (an animation)``."""
    groups = groupby(RENDERERS.values(), lambda renderer: renderer.summary)
    return ", ".join(
        " ".join(ext for renderer in alike for ext in renderer.extensions) + f" ({summary})"
        for summary, alike in groups
    )


def _read_field(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if value == "auto":
        return value
    from tetrisprinter.pictures.convert import parse_color

    try:
        return parse_color(value)
    except InputError as error:
        raise InputError(f"--field: {error}; or say auto") from error


def _read_shape(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    width, separator, height = value.partition(":")
    if not (separator and width.isdecimal() and height.isdecimal()):
        raise InputError(f"--shape: invalid value {value!r}; expected W:H, such as 1:1 or 9:16")
    shape = int(width), int(height)
    if not (min(shape) > 0 and max(shape) <= 4 * min(shape)):
        raise InputError(f"--shape: {value} is out of range; expected 1:4 to 4:1")
    return shape


_OPTIONS = (
    click.option("--scale", type=Whole(1, 64), default=None,
                 help="Pixels per square. [default: 8, or what makes the longer side 480]"),
    click.option("--style", type=click.Choice(["plain", "bevel", "outlines"]), default="plain",
                 show_default=True,
                 help="Plain squares, bevelled blocks, or lines between the pieces in the "
                      "finished picture, too."),
    click.option("--grid", is_flag=True, hidden=True),
    click.option("--outlines/--no-outlines", default=True, show_default=True,
                 help="Lines between the pieces while a game is played."),
    click.option("--field", metavar="COLOUR|auto", default="auto", show_default=True,
                 callback=_read_field,
                 help="Colour of empty squares; auto: black, if no colour of the picture is lost "
                      "on it."),
    click.option("--full", is_flag=True,
                 help="Show the whole board, not only the rows that are used, or in a still "
                      "picture the figure."),
    click.option("--transparent", is_flag=True,
                 help=f"Leave empty squares transparent ({_transparent()})."),
    click.option("--every", metavar="K|drop|pass", default=None,
                 help="A frame after every K drops, or after every pass. [default: every drop]"),
    click.option("--smooth", is_flag=True, help="Show every piece on its way."),
    click.option("--seconds", type=Real(), default=None, metavar="SECONDS",
                 help="How long the game plays. [default: 16; two drops a second if it has less "
                      "than 60; smooth: four drops a second]"),
    click.option("--first", type=Real(), default=1.0, show_default=True, metavar="SECONDS",
                 help="How long the finished picture opens a film; 0 leaves it out."),
    click.option("--last", type=Real(), default=3.0, show_default=True, metavar="SECONDS",
                 help="How long the finished picture stays in the end."),
    click.option("--shape", metavar="W:H", default=None, callback=_read_shape,
                 help="The shape of an animation, such as 1:1 or 9:16: empty squares fill what "
                      "the board leaves. [default: that of the board]"),
    click.option("--rules", type=click.Choice(["classic", "srs"]), default="classic",
                 show_default=True,
                 help="srs: an .html lists the keys that bring each piece there by today's rules."),
    click.option("--loop", type=Whole(0, 65535), default=0, show_default=True,
                 help="How many times an animation plays; 0 is for ever."),
    click.option("--sound", is_flag=True,
                 help="Let a video be heard: a tick for each piece, a chord where lines go."),
    click.option("--fps", type=Real(), default=None, hidden=True),
    click.option("--hold", type=Real(), default=None, hidden=True),
)  # fmt: skip

output_option = click.option(
    "-o",
    "--output",
    "outputs",
    type=click.Path(),
    multiple=True,
    metavar="FILE",
    help=f"What to write, by extension: {_by_extension()}; - is a GIF on standard output; may be "
    "given several times.",
)


poster_option = click.option(
    "--poster",
    type=click.Path(),
    metavar="FILE",
    help="Write a poster too: the finished picture with its pieces, six moments, figures (.png "
    ".svg .pdf).",
)


def rendering_options(function: _F) -> _F:
    """Add the options to a command; it receives them as keyword arguments."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def rendering(
    *,
    scale: int | None,
    style: Style,
    grid: bool,
    outlines: bool,
    field: str,
    full: bool,
    transparent: bool,
    every: str | None,
    smooth: bool,
    fps: float | None,
    seconds: float | None,
    first: float,
    last: float,
    hold: float | None,
    rules: str,
    loop: int,
    sound: bool,
    shape: tuple[int, int] | None,
) -> Rendering:
    """Turn the options' values into a rendering."""
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look

    if smooth and every is not None:
        raise InputError("--smooth shows everything, so --every has no meaning with it")
    if fps is not None and seconds is not None and not smooth:
        raise InputError("--fps and --seconds say the same thing twice; only --smooth has both")
    step: Any = every
    if every == "drop":
        step = 1
    elif every not in (None, "pass"):
        if not every.isdecimal():
            raise InputError(f"--every {every}: a number of drops, 'drop' or 'pass' is needed")
        step = int(every)
    timing = Timing(
        every=step,
        smooth=smooth,
        fps=fps,
        seconds=seconds,
        hold=last if hold is None else hold,
        first=first,
    )
    look = Look(scale, style, grid, field, outlines)
    if fps is not None:
        going_away("--fps is going away: --seconds SECONDS says how long the game plays")
    if grid:
        going_away("--grid is going away: --style outlines draws lines between the pieces")
    if hold is not None:
        going_away("--hold is going away: --last SECONDS says how long the picture stays")
    return Rendering(
        look, timing, loop, transparent, full=full, rules=rules, shape=shape, sound=sound
    )


def check_outputs(paths: Sequence[str | Path], how: Rendering) -> None:
    """Refuse what could not be written before anything is computed."""
    from tetrisprinter.render.save import check_output

    if STDOUT in map(str, paths) and sys.stdout.isatty():
        raise InputError("-o -: a picture cannot be shown as text; send it on: -o - > print.gif")
    able = [
        (find_renderer(_PIPED) if path == STDOUT else check_output(path, heeded)).transparent
        for path, heeded in _each(paths, how)
    ]
    if how.transparent and not any(able):
        raise InputError(f"--transparent works for {_transparent()} only")
    if how.sound and not any(Path(path).suffix.lower() in _HEARD for path in paths):
        raise InputError(f"--sound works for {' '.join(_HEARD)} only; a page has sound of its own")


def animator_for(path: Path, what: str) -> Animator:
    """Return what draws a film of some name."""
    animator = find_renderer(path)
    if not isinstance(animator, Animator):
        raise InputError(f"{path}: {what} is a film, such as {path.stem}.gif")
    return animator


def write_outputs(plan: Plan, paths: Sequence[str | Path], how: Rendering, title: str = "") -> None:
    """Write a plan's print to every path; errors as :func:`tetrisprinter.render.save.save`."""
    from tetrisprinter.render.save import save

    for path, heeded in _each(paths, how):
        with show_measured_progress(f"drawing {Path(path).name}") as report:
            if path != STDOUT:
                save(plan, path, heeded, title=title, tell=report)
                continue
            whole = io.BytesIO()
            find_renderer(_PIPED).write(whole, plan, heeded, report)
        sys.stdout.buffer.write(whole.getvalue())
        sys.stdout.flush()


def _each(paths: Sequence[str | Path], how: Rendering) -> Iterator[tuple[str | Path, Rendering]]:
    """Yield each path with what of the options concerns it: one command may write many kinds."""
    for path in paths:
        can = find_renderer(_PIPED if path == STDOUT else path).transparent
        yield path, replace(how, transparent=how.transparent and can)
