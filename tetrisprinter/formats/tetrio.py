"""TETR.IO maps: a field to begin with, and the pieces that come.

A map is a string of 400 characters, ten columns of forty rows from the top row down: ``_`` is
empty, ``z l o s i j t`` are squares of the types, ``#`` is garbage and ``@`` such garbage as
does not clear. After a ``?`` come the pieces of the queue, and after another one what is held.
Once the queue is used up, the game deals as it likes.

A map has no drops, so it is no game and no format of games. Written from a plan whose pieces were
dealt, it is an empty field and these pieces, so that a player gets the queue of the plan; read, it
says how pieces come.

Source: the Tetris wiki (https://tetris.wiki/User:ZaptorZap).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import Hint, InputError, JobError, Setting
from tetrisprinter.game.piece_queue import PieceQueue, QueueRules, spell_pieces
from tetrisprinter.game.plan import Plan
from tetrisprinter.support.files import write_text

__all__ = ["WRITER", "format_map", "parse_map", "read_pieces"]

_WIDTH: Final = 10
_CELLS: Final = 400
_MAP: Final = re.compile(r"([_#@zlosijt]{400})(?:\?([zlosijt]*))?(?:\?([zlosijt]?))?", re.I)


def format_map(plan: Plan, source: str = "plan") -> str:
    """Write the pieces of a plan as a map with an empty field."""
    if plan.queue is None:
        raise JobError(
            f"{source}: a map of TETR.IO says which pieces come, but this game takes any it likes"
        )
    if plan.width != _WIDTH or plan.height > _CELLS // _WIDTH:
        raise JobError(
            f"{source}: a map of TETR.IO has 10x40 squares, but the board is "
            f"{plan.width}x{plan.height}",
            Hint("plan the picture for {} 10x20", Setting.BOARD),
        )
    return "_" * _CELLS + "?" + spell_pieces(plan.queue.pieces).lower()


def parse_map(text: str, source: str = "map") -> PieceQueue:
    """Read the pieces that a map with an empty field and an empty hold deals."""
    found = _MAP.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"{source}: is no map of TETR.IO: 400 squares _ z l o s i j t # @, then ? and a queue"
        )
    filled = _CELLS - found[1].count("_")
    if filled:
        raise InputError(
            f"{source}: has {filled} squares on its field; a print begins on an empty board"
        )
    if not found[2]:
        raise InputError(f"{source}: names no piece of a queue after its field")
    if found[3]:
        raise InputError(f"{source}: holds a piece; a print begins with an empty hold")
    return PieceQueue.parse(found[2].upper())


def read_pieces(text: str, preview: int | None = None, hold: bool = True) -> QueueRules:
    """Read how pieces come: a map, or what :meth:`QueueRules.parse` reads.

    >>> read_pieces("_" * 400 + "?tio") == read_pieces("TIO") == QueueRules.parse("TIO")
    True
    """
    if len(text) < _CELLS or "?" not in text:
        return QueueRules.parse(text, preview, hold)
    return QueueRules(parse_map(text).pieces, 0, preview, hold)


class _Maps:
    """Writes maps, as :class:`tetrisprinter.printing.writers.Writer` says."""

    extensions = (".tetrio",)

    def writes(self, path: Path) -> bool:
        return path.suffix.lower() in self.extensions

    def save(self, plan: Plan, path: str | Path, *_: Any, **__: Any) -> None:
        """Write a map; how the plan would be shown does not matter."""
        write_text(path, format_map(plan, str(path)) + "\n")


WRITER: Final = _Maps()
"""Writes the pieces of a print as a map."""
