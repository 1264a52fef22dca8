"""One print, written to any file: the extension says what it becomes."""

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
    Tell,
    find_renderer,
    list_extensions,
)
from tetrisprinter.support.files import check_writable, open_atomically

__all__ = ["WRITER", "check_output", "save"]


def check_output(path: str | Path, rendering: Rendering | None = None) -> Renderer:
    """Return who writes an output file, refusing early what cannot be written."""
    renderer = find_renderer(path)
    check_writable(path)
    how = rendering or Rendering()
    if how.transparent and not renderer.transparent:
        able = [ext for r in RENDERERS.values() if r.transparent for ext in r.extensions]
        raise InputError(f"{path}: empty squares can be transparent in {' '.join(able)} only")
    renderer.check(how)
    return renderer


def save(
    plan: Plan | HasPlan,
    path: str | Path,
    rendering: Rendering | None = None,
    *,
    title: str = "",
    tell: Tell | None = None,
) -> None:
    """Play a plan and write what it looks like.

    Parameters
    ----------
    plan : Plan or PrintResult
        What is played.
    path : str or Path
        Where to; the extension says as what, see :data:`tetrisprinter.render.RENDERERS`.
    rendering : Rendering, optional
        How it is shown.
    title : str
        Heading of what has one; the rendering's, else the file's name, if empty.
    tell : callable, optional
        Called with the frames done and the frames in all.

    Raises
    ------
    InputError
        If the file cannot be written, or its format cannot do what is asked for.
    TopOutError
        If the plan tops out.
    """
    played = Plan.of(plan)
    how = rendering or Rendering()
    how = replace(how, title=title or how.title or Path(path).stem)
    renderer = check_output(path, how)
    with open_atomically(path) as file:
        renderer.write(file, played, how, tell)


class _Shown:
    """Writes what a print looks like, as :class:`tetrisprinter.printing.writers.Writer` says."""

    save = staticmethod(save)

    @property
    def extensions(self) -> tuple[str, ...]:
        return list_extensions()

    def writes(self, path: Path) -> bool:
        return path.suffix.lower() in list_extensions()


WRITER: Final = _Shown()
"""Writes pictures, animations and pages."""
