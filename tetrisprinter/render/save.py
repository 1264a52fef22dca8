"""Saving a print: the extension of the file's name chooses the renderer."""

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
    """Return the renderer for an output file; refuse early what cannot be written."""
    renderer = find_renderer(path)
    check_writable(path)
    how = rendering or Rendering()
    if how.transparent and not renderer.transparent:
        able = [ext for r in RENDERERS.values() if r.transparent for ext in r.extensions]
        raise InputError(
            f"{path}: this format has no transparency; for transparent squares use {' '.join(able)}"
        )
    renderer.check(how)
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
        The heading, in formats that have one; default: the rendering's, else the file's name.
    report : callable, optional
        Called with the frames done and the frames in total.

    Raises
    ------
    InputError
        If the file cannot be written, or its format cannot have the options.
    TopOutError
        If the plan tops out.
    """
    played = Plan.unwrap(plan)
    how = rendering or Rendering()
    how = replace(how, title=title or how.title or Path(path).stem)
    renderer = check_output(path, how)
    with open_atomically(path) as file:
        renderer.write(file, played, how, report)


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
