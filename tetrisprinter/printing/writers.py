"""The registry of writers: the modules that save a plan as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Unpack

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.support.registry import Registry

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering, RenderingOptions


class Writer(Protocol):
    """A writer of plans as files of certain types."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """The extensions of the files that the writer writes: lower case, with the dot."""

    def can_write(self, path: Path) -> bool:
        """Return whether the writer can write a file of this name."""

    def save(
        self,
        plan: Plan,
        path: str | Path,
        rendering: Rendering | None = None,
        *,
        title: str = "",
        report: Callable[[int, int], None] | None = None,
        **options: Unpack[RenderingOptions],
    ) -> None:
        """Write a plan to a file; the arguments are those of ``PrintResult.save``."""


WRITERS: Final = Registry[Writer](
    "writer",
    {
        "picture": "tetrisprinter.render:WRITER",
        "game": "tetrisprinter.formats:WRITER",
    },
)
"""All writers; the first one that writes a file of the given name is used."""


def find_writer(path: str | Path) -> Writer:
    """Return the writer for a file of this name."""
    for writer in WRITERS.values():
        if writer.can_write(Path(path)):
            return writer
    extensions = " ".join(ext for writer in WRITERS.values() for ext in writer.extensions)
    raise InputError(
        f"{path}: unknown file type {Path(path).suffix.lower()!r}; use one of {extensions}"
    )
