"""The fumen that place-it-yourself lessons of Jstris are made from.

Jstris has no lessons of its own; its users make them from *user modes*, with the *tutor maker*
(github.com/TSTnb/jstris-tutor-maker) that reads a fumen. As its source reads, version 0.3.2:

* Each page is a piece to place, so there must be none that only shows what is left in the
  end, as an ordinary fumen has: a player could never get past it.
* A page's comment is a quiz, ``#Q=[hold](current)next``; what follows a semicolon does not
  matter. A piece other than the current one comes out of the hold. Without a quiz the pieces are
  those of the pages, in their order.
* Only the lowest twenty rows count, and the board is empty before the first piece.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.formats.fumen import format_drops
from tetrisprinter.game.plan import Plan
from tetrisprinter.support.files import write_text

__all__ = ["WRITER", "format_lesson"]

_ROWS: Final = 20


def format_lesson(plan: Plan, source: str = "plan") -> str:
    """Write a game as a fumen for the tutor maker."""
    if plan.start:
        raise JobError(f"{source}: a lesson begins on an empty board, not on squares")
    return format_drops(plan, source, _ROWS)


class _Lessons:
    """Writes lessons, as :class:`tetrisprinter.printing.writers.Writer` says."""

    extensions = (".lesson",)

    def writes(self, path: Path) -> bool:
        return path.suffix.lower() in self.extensions

    def save(self, plan: Plan, path: str | Path, *_: Any, **__: Any) -> None:
        """Write a lesson; how the plan would be shown does not matter."""
        write_text(path, format_lesson(plan, str(path)) + "\n")


WRITER: Final = _Lessons()
"""Writes a print as a fumen for lessons."""
