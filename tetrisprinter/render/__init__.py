"""Renderers: they write a game as a picture, an animation or a page.

:data:`RENDERERS` lists one renderer for each kind of file. A new renderer needs a module with an
object that implements :class:`Renderer`, and a line in the list. Commands, help texts and messages
then name the new kind of file. ``docs/extending.md`` adds a renderer.

Words: docs/glossary.md
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePath
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    Protocol,
    TypedDict,
    Unpack,
    runtime_checkable,
)

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look, Style
from tetrisprinter.support.files import check_extension, check_writable, open_atomically
from tetrisprinter.support.registry import Registry

if TYPE_CHECKING:
    from tetrisprinter.render.frames import Animation

__all__ = [
    "RENDERERS",
    "Animator",
    "Renderer",
    "Rendering",
    "RenderingOptions",
    "Report",
    "find_renderer",
    "list_extensions",
]


class RenderingOptions(TypedDict, total=False):
    """The options of a rendering by name, as :func:`~tetrisprinter.render.save` takes them."""

    scale: int | None  # pixels per square
    style: Style  # "plain", "flat", "bevel" or "outlines"
    grid: bool  # whether a line separates the squares
    field: str  # the colour of empty squares, or "auto"
    every: int | Literal["pass"] | None  # a frame after this many drops, or after every pass
    smooth: bool  # whether each piece is seen falling
    fps: float | None  # frames per second
    seconds: float | None  # how long the game plays
    hold: float  # how many seconds the finished picture is shown after the game
    first: float  # how many seconds the finished picture is shown before the game
    loop: int  # how many times an animation plays; 0 is forever
    transparent: bool  # whether empty squares are transparent
    rules: str  # "srs": a page lists the keys for each piece under the guideline rules
    full: bool  # whether the whole board is shown
    margin: int | None  # empty squares around the picture
    shape: tuple[int, int] | None  # width to height of an animation
    sound: bool  # whether a video has sound
    caption: str  # a line of text below the board of an animation


Report = Callable[[int, int], None]
"""A progress callback: frames done, frames in total."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The options of a rendering, for all kinds of file.

    Attributes
    ----------
    look : Look
        Scale, style and grid of the squares.
    timing : Timing
        The frames of an animation and their speed.
    loop : int
        How many times an animation plays; 0 is forever.
    transparent : bool
        Leave empty squares transparent, where the format can.
    title : str
        The heading, in formats that have one.
    caption : str
        A line of text below the board of an animation.
    rules : "classic" or "srs"
        With "srs" a page lists the keys for each piece under the guideline rules.
    full : bool
        Show the whole board. Otherwise an animation shows the rows that the game uses, and a
        still picture one square around the figure.
    margin : int or None
        Empty squares around a still picture or an animation. None: one around a still picture, none
        around an animation.
    shape : (int, int) or None
        Width to height of an animation, such as (1, 1) or (9, 16): the field is extended around
        the board. None: the shape of the board.
    sound : bool
        Add sound to a video.

    Raises
    ------
    InputError
        If the loop count is out of range.
    """

    look: Look = field(default_factory=Look)
    timing: Timing = field(default_factory=Timing)
    loop: int = 0
    transparent: bool = False
    title: str = ""
    caption: str = ""
    rules: str = "classic"
    full: bool = False
    margin: int | None = None
    shape: tuple[int, int] | None = None
    sound: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.loop < 65536:
            raise InputError(
                f"the loop count {self.loop} is out of range; expected 0 (forever) to 65535"
            )

    def with_options(self, **options: Unpack[RenderingOptions]) -> Rendering:
        """Return this rendering with other options, of its look and its timing, too.

        >>> Rendering().with_options(seconds=10, style="outlines", loop=1).timing.seconds
        10
        """
        for name in options:
            if name not in RenderingOptions.__annotations__:
                names = list(RenderingOptions.__annotations__)
                matches = difflib.get_close_matches(name, names, 1)
                raise ArgumentError(
                    f"unknown argument {name!r}; "
                    + (
                        f"did you mean {matches[0]!r}?"
                        if matches
                        else f"choose from {', '.join(names)}"
                    )
                )
        parts: dict[str, Any] = dict(options)
        for name, part in (("look", self.look), ("timing", self.timing)):
            own_names = {one.name for one in fields(part)} & set(parts)
            parts[name] = replace(part, **{one: parts.pop(one) for one in own_names})
        return replace(self, **parts)


class Renderer(Protocol):
    """A writer of one kind of file, such as GIF."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """The file extensions: lower case, with the dot, the usual one first."""

    @property
    def summary(self) -> str:
        """A noun phrase with its article, for lists: ``"an animation"``."""

    @property
    def has_transparency(self) -> bool:
        """Whether the format can leave empty squares transparent."""

    def check(self, rendering: Rendering) -> None:
        """Refuse options that the format cannot have, before planning begins."""

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Play a plan and write the file.

        The same arguments give the same bytes. The last frame, or the only one, is the picture
        that the game leaves, in the plan's colours.
        """


@runtime_checkable
class Animator(Renderer, Protocol):
    """A renderer that can write any animation, not only that of one game."""

    def draw(self, file: IO[bytes], animation: Animation) -> None:
        """Write an animation."""


RENDERERS: Final = Registry[Renderer](
    "renderer",
    {
        "png": "tetrisprinter.render.still:PNG",
        "gif": "tetrisprinter.render.encoders:GIF",
        "apng": "tetrisprinter.render.encoders:APNG",
        "webp": "tetrisprinter.render.encoders:WEBP",
        "mp4": "tetrisprinter.render.encoders:MP4",
        "webm": "tetrisprinter.render.encoders:WEBM",
        "html": "tetrisprinter.render.page:HTML",
        "h": "tetrisprinter.render.c_header:C_HEADER",
    },
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
    **options: Unpack[RenderingOptions],
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
