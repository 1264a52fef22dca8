"""Renderers: they write a game as a picture, an animation or a page.

:data:`RENDERERS` lists one renderer for each kind of file. A new renderer needs a module with an
object that implements :class:`Renderer`, and a line in the list. Commands, help texts and messages
then name the new kind of file. ``docs/extending.md`` adds a renderer.

Words: docs/glossary.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Final, Protocol, runtime_checkable

from tetrisprinter.errors import InputError
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look
from tetrisprinter.support.files import check_extension
from tetrisprinter.support.registry import Registry

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.render.animation import Animation

__all__ = [
    "RENDERERS",
    "Animator",
    "Renderer",
    "Rendering",
    "Report",
    "find_renderer",
    "list_extensions",
]

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
        "gif": "tetrisprinter.render.gif:GIF",
        "apng": "tetrisprinter.render.apng:APNG",
        "webp": "tetrisprinter.render.webp:WEBP",
        "mp4": "tetrisprinter.render.video:MP4",
        "webm": "tetrisprinter.render.video:WEBM",
        "html": "tetrisprinter.render.page:HTML",
    },
)
"""All renderers by name."""


def list_extensions() -> tuple[str, ...]:
    """List the extensions of all renderers.

    >>> list_extensions()
    ('.png', '.gif', '.apng', '.webp', '.mp4', '.webm', '.html', '.htm')
    """
    return tuple(ext for renderer in RENDERERS.values() for ext in renderer.extensions)


def find_renderer(path: str | PurePath) -> Renderer:
    """Return the renderer for the extension of a file's name."""
    suffix = check_extension(path, list_extensions())
    return next(renderer for renderer in RENDERERS.values() if suffix in renderer.extensions)
