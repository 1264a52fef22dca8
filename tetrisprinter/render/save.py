"""Save a game: the extension of the file's name chooses the renderer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.render import (
    RENDERERS,
    Renderer,
    Rendering,
    Report,
    find_renderer,
    list_extensions,
)
from tetrisprinter.support.files import check_writable, open_atomically


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

    Raises
    ------
    InputError
        If the file cannot be written, or its format cannot have the options.
    TopOutError
        If the plan tops out.
    """
    plan_to_play = Plan.unwrap(plan)
    options = rendering or Rendering()
    options = replace(options, title=title or options.title or Path(path).stem)
    renderer = check_output(path, options)
    with open_atomically(path) as file:
        renderer.write(file, plan_to_play, options, report)


class _ImageWriter:
    """The :class:`tetrisprinter.printing.writers.Writer` of all renderers."""

    save = staticmethod(save)

    @property
    def extensions(self) -> tuple[str, ...]:
        return list_extensions()

    def can_write(self, path: Path) -> bool:
        return path.suffix.lower() in list_extensions()


WRITER: Final = _ImageWriter()
"""The writer of pictures, animations and pages."""
