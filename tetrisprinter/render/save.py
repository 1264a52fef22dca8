"""One print, written to any file: the extension says what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through, shown
from tetrisprinter.render import animation, video
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.page import html_page
from tetrisprinter.render.paint import Look
from tetrisprinter.render.still import png_bytes
from tetrisprinter.support.files import check_writable, writing

__all__ = ["EXTENSIONS", "Rendering", "check_output", "save"]

_STILL: Final = (".png",)
_PAGES: Final = (".html", ".htm")

EXTENSIONS: Final = (*_STILL, *animation.FORMATS, *video.FORMATS, *_PAGES)
"""What :func:`save` can write."""


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
        Leave empty squares of a PNG transparent.
    """

    look: Look = field(default_factory=Look)
    timing: Timing = field(default_factory=Timing)
    loop: int = 0
    transparent: bool = False


def check_output(path: str | Path) -> str:
    """Return the extension of an output file, refusing early what cannot be written.

    Raises
    ------
    InputError
        If the extension is unknown, the place cannot be written to, or a video is
        wanted without PyAV.

    Examples
    --------
    >>> check_output("print.GIF")
    '.gif'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in EXTENSIONS:
        what = f"the extension {suffix}" if suffix else "a name without an extension"
        raise InputError(f"{path}: {what} says nothing; one of {' '.join(EXTENSIONS)} is needed")
    check_writable(path)
    if suffix in video.FORMATS:
        video.require_video()
    return suffix


def save(
    plan: Plan,
    path: str | Path,
    rendering: Rendering | None = None,
    *,
    title: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Play a plan and write what it looks like.

    Parameters
    ----------
    plan : Plan
        What is played.
    path : str or Path
        Where to; ``.png`` is the finished picture, ``.gif``, ``.apng``, ``.webp``,
        ``.mp4`` and ``.webm`` are animations, ``.html`` is a page that plays the print.
    rendering : Rendering, optional
        How it is shown.
    title : str
        Heading of a page; the file's name if empty.
    progress : callable, optional
        Told how many frames of how many are done.

    Raises
    ------
    InputError
        If the file cannot be written, or its format cannot do what is asked for.
    TopOutError
        If the plan tops out.
    """
    suffix = check_output(path)
    how = rendering or Rendering()
    with writing(path) as file:
        if suffix in _STILL:
            picture = shown(plan, play_through(plan).field)
            file.write(png_bytes(picture, look=how.look, transparent=how.transparent))
        elif suffix in _PAGES:
            page = html_page(plan, title=title or Path(path).stem, look=how.look)
            file.write(page.encode("utf-8"))
        elif suffix in video.FORMATS:
            video.write_video(
                file, suffix, plan, look=how.look, timing=how.timing, progress=progress
            )
        else:
            animation.write_animation(
                file,
                suffix,
                plan,
                look=how.look,
                timing=how.timing,
                loop=how.loop,
                progress=progress,
            )
