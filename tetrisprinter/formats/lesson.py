"""Fumens for lessons on Jstris, in which the player must place each piece.

Users of Jstris make lessons as *user modes* with the *tutor maker*
(github.com/TSTnb/jstris-tutor-maker), which reads a fumen. According to its source, version 0.3.2:

* Each page is a piece to place. A last page without a piece, as in an ordinary fumen, would stop
  the player.
* A page's comment is a quiz, ``#Q=[hold](current)next``; text after a semicolon is ignored. A
  piece that is not the current piece comes out of the hold. Without a quiz the pieces of the pages
  are the queue.
* Only the lowest twenty rows are used, and the board starts empty.
"""

from __future__ import annotations

from typing import Final

from tetrisprinter.errors import JobError
from tetrisprinter.formats.fumen import format_fumen
from tetrisprinter.game.plan import Plan

_ROWS: Final = 20


def format_lesson(plan: Plan, source: str = "plan") -> str:
    """Write a game as a fumen for the tutor maker."""
    if plan.start:
        raise JobError(
            f"{source}: the game begins with squares on the board; a lesson begins with none"
        )
    return format_fumen(plan, source, _ROWS, with_end=False)
