"""The event stream of a game, turned into something to look at.

What a print can be written as is listed in :data:`RENDERERS`: a renderer is one kind of
file. A new one is a module with an object that does what :class:`Renderer` says, and a line
here; commands, help texts and messages follow. ``docs/extending.md`` adds one.

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
from tetrisprinter.support.registry import Registry

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.render.animation import Animation

__all__ = [
    "RENDERERS",
    "Animator",
    "Renderer",
    "Rendering",
    "Tell",
    "find_renderer",
    "list_extensions",
]

Tell = Callable[[int, int], None]
"""A progress callback: frames done, frames in all."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a print is shown, whatever it is written to.

    Attributes
    ----------
    look : Look
        Scale, style and grid of the squares.
    timing : Timing
        Which frames an animation has, and how fast they go.
    loop : int
        How many times an animation plays; 0 is for ever.
    transparent : bool
        Leave empty squares transparent, in what can.
    title : str
        Heading of what has one.
    rules : "classic" or "srs"
        srs: a page lists the keys that a player of today's games presses for each piece.
    full : bool
        Show the whole board, not only the rows that the game uses; in a still picture not only
        one square around the figure.
    margin : int or None
        Empty squares around a still picture or a film; None: one around a figure, none around
        a film.
    shape : (int, int) or None
        Width to height of an animation, such as (1, 1) or (9, 16): the field goes on around the
        board. None: the shape of the board.
    sound : bool
        Let a video be heard, too.

    Raises
    ------
    InputError
        If the format cannot repeat that often.
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
            raise InputError(f"an animation cannot play {self.loop} times: 0 (for ever) to 65535")


class Renderer(Protocol):
    """One kind of file that a print can be written as."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """How names of such files end: lower case, with the dot, the usual one first."""

    @property
    def summary(self) -> str:
        """What it is, with its article, for a list: ``"an animation"``."""

    @property
    def transparent(self) -> bool:
        """Whether it can leave empty squares transparent."""

    def check(self, how: Rendering) -> None:
        """Refuse what it cannot do, before anything is planned or played."""

    def write(self, file: IO[bytes], plan: Plan, how: Rendering, tell: Tell | None = None) -> None:
        """Play a plan on an empty board and write what it looks like.

        Same arguments, same bytes. What ends the file, a last frame or all of it, is the picture
        that the game leaves, in the plan's colours.
        """


@runtime_checkable
class Animator(Renderer, Protocol):
    """A kind of file that can hold any film, not only that of one game."""

    def draw(self, file: IO[bytes], film: Animation) -> None:
        """Write a film; what ends the file is its last frame."""


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
"""What a print can be written as, by name."""


def list_extensions() -> tuple[str, ...]:
    """List how names of files may end.

    >>> list_extensions()
    ('.png', '.gif', '.apng', '.webp', '.mp4', '.webm', '.html', '.htm')
    """
    return tuple(ext for renderer in RENDERERS.values() for ext in renderer.extensions)


def find_renderer(path: str | PurePath) -> Renderer:
    """Return the renderer that the extension of a file's name asks for."""
    suffix = PurePath(path).suffix.lower()
    for renderer in RENDERERS.values():
        if suffix in renderer.extensions:
            return renderer
    what = f"the extension {suffix}" if suffix else "a name without an extension"
    raise InputError(f"{path}: {what} says nothing; one of {' '.join(list_extensions())} is needed")
