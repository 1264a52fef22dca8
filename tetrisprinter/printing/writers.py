"""Who writes a print to a file: a list of what there is, by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.support.registry import Registry

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering

__all__ = ["WRITERS", "Writer", "find_writer"]


class Writer(Protocol):
    """Writes plans as files of some kinds."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """How names of its files end: lower case, with the dot."""

    def writes(self, path: Path) -> bool:
        """Say whether a file of this name is one of its files."""

    def save(
        self,
        plan: Plan,
        path: str | Path,
        rendering: Rendering | None = None,
        *,
        title: str = "",
        tell: Callable[[int, int], None] | None = None,
    ) -> None:
        """Write a plan to a file; the arguments are those of ``PrintResult.save``."""


WRITERS: Final = Registry[Writer](
    "writer",
    {
        "picture": "tetrisprinter.render.save:WRITER",
        "game": "tetrisprinter.formats:WRITER",
        "map": "tetrisprinter.formats.tetrio:WRITER",
        "lesson": "tetrisprinter.formats.lesson:WRITER",
    },
)
"""Who writes prints; the first who writes a file of that name does."""


def find_writer(path: str | Path) -> Writer:
    """Return who writes a file of this name."""
    for writer in WRITERS.values():
        if writer.writes(Path(path)):
            return writer
    known = " ".join(ext for writer in WRITERS.values() for ext in writer.extensions)
    raise InputError(
        f"{path}: the extension {Path(path).suffix.lower()} says nothing; one of {known} is needed"
    )
