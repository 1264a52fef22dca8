"""Renderers: they write a game as a picture, an animation or a page.

:data:`RENDERERS` lists one renderer for each kind of file. A new one needs a module with a
:class:`Renderer`, and a line in the list. Commands, help texts and messages then name the new kind
of file. ``docs/extending.md`` adds a renderer.

Words: docs/glossary.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePath
from typing import IO, Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.render.frames import Animation, Timing
from tetrisprinter.render.paint import Look
from tetrisprinter.support import LazyDict
from tetrisprinter.support.files import check_extension, check_writable, open_atomically
from tetrisprinter.support.options import (
    check_options,
    list_options,
    option,
    read_choice,
    read_flag,
    read_options,
    read_string,
    read_whole,
    refuse_unknown,
)

Report = Callable[[int, int], None]
"""A progress callback: frames done, frames in total."""


def _read_shape(value: object) -> tuple[int, int]:
    """Read the proportions of an animation, as text or as width and height."""
    if isinstance(value, tuple):
        value = ":".join(map(str, value))
    width, separator, height = str(value).partition(":")
    if not (separator and width.isdecimal() and height.isdecimal()):
        raise InputError(f"invalid value {value!r}; expected W:H, such as 1:1 or 9:16")
    shape = int(width), int(height)
    if not (min(shape) > 0 and max(shape) <= 4 * min(shape)):
        raise InputError(f"{value} is out of range; expected 1:4 to 4:1")
    return shape


@dataclass(frozen=True, slots=True)
class Rendering:
    """The options of a rendering, for all kinds of file.

    Raises
    ------
    InputError
        If an option is out of range.
    """

    look: Look = field(default_factory=Look)
    timing: Timing = field(default_factory=Timing)
    loop: int = option(
        0,
        "How many times an animation plays; 0: forever.",
        read_whole(0, 65535),
        "0..65535",
        "int",
    )
    transparent: bool = option(False, "Leave empty squares transparent.", read_flag)
    title: str = ""  # the heading, in formats that have one
    caption: str = option(
        "", "A line of text below the board of an animation.", read_string(1000), "TEXT", "str"
    )
    rules: str = option(
        "classic",
        "srs: a page (.html) lists the keys for each piece under the guideline rules.",
        read_choice(("classic", "srs")),
        "[classic|srs]",
        "str",
    )
    full: bool = option(
        False,
        "Show the whole board; by default an animation shows the rows that the game uses, and a "
        "still image the picture.",
        read_flag,
    )
    margin: int | None = option(
        None,
        "Empty squares around the picture. [default: one around a still picture, none around an "
        "animation]",
        read_whole(0),
        "N",
        "int",
    )
    shape: tuple[int, int] | None = option(
        None,
        "The shape of an animation, such as 1:1 or 9:16, with empty squares around the board. "
        "[default: the shape of the board]",
        _read_shape,
        "W:H",
        "str or (int, int)",
    )
    sound: bool = option(
        False,
        "Add sound to a video: a tick for each piece, a chord for each line clear.",
        read_flag,
    )

    def __post_init__(self) -> None:
        check_options(self)

    def with_options(self, **options: Any) -> Rendering:
        """Return this rendering with other options (:data:`RENDERING`) of its look and timing, too.

        >>> Rendering().with_options(seconds=10, style="outlines", loop=1).timing.seconds
        10.0
        """
        refuse_unknown(options, list(RENDERING))
        values = read_options(RENDERING, options)
        for name, part in (("look", self.look), ("timing", self.timing)):
            own_names = {one.name for one in fields(part)} & set(values)
            values[name] = replace(part, **{one: values.pop(one) for one in own_names})
        return replace(self, **values)


RENDERING: Final = {**list_options(Look), **list_options(Timing), **list_options(Rendering)}
"""The options of a rendering by name, for commands and library."""


def _accept(rendering: Rendering) -> None:
    """Accept all options."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """A writer of one kind of file, such as GIF."""

    extensions: tuple[str, ...]  # lower case, with the dot, the usual one first
    summary: str  # a noun phrase with its article, for lists: "an animation"
    # Plays a plan and writes the file. The same arguments give the same bytes. The last frame, or
    # the only one, is the picture that the game leaves, in the plan's colours
    write_game: Callable[[IO[bytes], Plan, Rendering, Report | None], None]
    # Refuses options that the format cannot have, before planning begins
    check: Callable[[Rendering], None] = _accept
    has_transparency: bool = False  # whether the format can leave empty squares transparent
    # Writes any animation, not only that of one game; None if the file shows none
    draw: Callable[[IO[bytes], Animation], None] | None = None

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Play a plan and write the file; ``report`` is called for each frame."""
        self.write_game(file, plan, rendering, report)


RENDERERS: Final = LazyDict[Renderer](
    {
        "png": "tetrisprinter.render.still:PNG",
        "gif": "tetrisprinter.render.encoders:GIF",
        "apng": "tetrisprinter.render.encoders:APNG",
        "webp": "tetrisprinter.render.encoders:WEBP",
        "mp4": "tetrisprinter.render.encoders:MP4",
        "webm": "tetrisprinter.render.encoders:WEBM",
        "html": "tetrisprinter.render.page:HTML",
        "h": "tetrisprinter.render.encoders:C_HEADER",
    }
)
"""All renderers by name."""


def list_extensions() -> tuple[str, ...]:
    """List the extensions of all renderers.

    >>> list_extensions()
    ('.png', '.gif', '.apng', '.webp', '.mp4', '.webm', '.html', '.htm', '.h')
    """
    return tuple(ext for renderer in RENDERERS.values() for ext in renderer.extensions)


def find_renderer(path: str | PurePath) -> Renderer:
    """Return the renderer for the extension of a file's name."""
    suffix = check_extension(path, list_extensions())
    return next(renderer for renderer in RENDERERS.values() if suffix in renderer.extensions)


def check_output(path: str | Path, rendering: Rendering | None = None) -> Renderer:
    """Return the renderer for an output file; raise an error if the file cannot be written."""
    renderer = find_renderer(path)
    check_writable(path)
    options = rendering or Rendering()
    if options.transparent and not renderer.has_transparency:
        extensions = [
            extension
            for other in RENDERERS.values()
            if other.has_transparency
            for extension in other.extensions
        ]
        raise InputError(
            f"{path}: this format has no transparency; "
            f"for transparent squares use {' '.join(extensions)}"
        )
    renderer.check(options)
    return renderer


def save(
    plan: Plan | HasPlan,
    path: str | Path,
    rendering: Rendering | None = None,
    *,
    title: str = "",
    report: Report | None = None,
    **options: Any,
) -> None:
    """Play a plan and write it as a picture, an animation or a page.

    Parameters
    ----------
    plan : Plan or PrintResult
        The plan, or a result that has one.
    path : str or Path
        The file; its extension chooses one of :data:`tetrisprinter.render.RENDERERS`.
    rendering : Rendering, optional
        Options of the rendering.
    title : str
        The heading, in formats that have one. The default is the title of ``rendering`` or, if that
        is empty, the file's name.
    report : callable, optional
        Called with the frames done and the frames in total.
    scale, style, grid, field
        Options of the :class:`~tetrisprinter.render.paint.Look`.
    every, smooth, fps, seconds, hold, first
        Options of the :class:`~tetrisprinter.render.frames.Timing`.
    loop, transparent, rules, full, margin, shape, sound, caption
        Other options of the :class:`~tetrisprinter.render.Rendering`.

    Raises
    ------
    InputError
        If the file cannot be written, or its format cannot have the options.
    TopOutError
        If the plan tops out.
    """
    plan_to_play = Plan.unwrap(plan)
    rendering = (rendering or Rendering()).with_options(**options)
    rendering = replace(rendering, title=title or rendering.title or Path(path).stem)
    renderer = check_output(path, rendering)
    with open_atomically(path) as file:
        renderer.write(file, plan_to_play, rendering, report)
