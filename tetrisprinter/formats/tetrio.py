"""TETR.IO maps: a starting field and a piece queue.

A map is a string of 400 characters, ten columns by forty rows from the top row down: ``_`` is
empty, ``z l o s i j t`` are squares of the types, ``#`` is garbage, and ``@`` is garbage that does
not clear. The queue follows after a ``?``, and the held piece after another ``?``. After the queue
the game deals its own pieces.

A map has no drops, so it is not a format of games. A plan with a piece queue is written as an empty
field with this queue, so that a player gets the same pieces. Reading a map gives its queue. The
drops of a map are in a plan beside it: ``print --for tetrio`` writes ``heart.tetrio.txt`` beside
``heart.tetrio``.

Source: the Tetris wiki (https://tetris.wiki/User:ZaptorZap).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tetrisprinter.errors import Hint, InputError, JobError, Setting
from tetrisprinter.game.piece_queue import PieceQueue, QueueRules, spell_pieces
from tetrisprinter.game.plan import Plan
from tetrisprinter.support.files import is_file

_WIDTH: Final = 10
_CELLS: Final = 400
_MAP: Final = re.compile(r"([_#@zlosijt]{400})(?:\?([zlosijt]*))?(?:\?([zlosijt]?))?", re.I)


def format_map(plan: Plan, source: str = "plan") -> str:
    """Write the pieces of a plan as a map with an empty field."""
    if plan.queue is None:
        raise JobError(
            f"{source}: the game has no piece queue; a TETR.IO map needs one (plan it with "
            "--pieces)"
        )
    if plan.start:
        raise JobError(
            f"{source}: the game begins with squares on the board; a TETR.IO map of a print begins "
            "with none"
        )
    if plan.width != _WIDTH or plan.height > _CELLS // _WIDTH:
        raise JobError(
            f"{source}: the board is {plan.width}x{plan.height}; a TETR.IO map has 10x40 squares",
            Hint("plan the picture for {} 10x20", Setting.BOARD),
        )
    return "_" * _CELLS + "?" + spell_pieces(plan.queue.pieces).lower()


def is_map(text: str) -> bool:
    """Return whether a text is a map, apart from its piece queue."""
    return _MAP.match(text.strip()) is not None


def read_plan_beside(text: str, path: str | Path) -> Plan:
    """Return the plan that lies beside a map and plays the map's pieces."""
    queue = parse_map(text, str(path))
    plan_files = [Path(f"{path}.txt"), Path(path).with_suffix(".txt")]
    for plan_file in filter(is_file, plan_files):
        try:
            plan = Plan.read(plan_file)
        except InputError:
            continue  # another text of the same name
        if plan.queue is not None and plan.queue.pieces == queue.pieces:
            return plan
    raise InputError(
        f"{path}: a TETR.IO map has pieces but no drops; expected the plan of its game in "
        f"{' or '.join(map(str, plan_files))}"
    )


def parse_map(text: str, source: str = "map") -> PieceQueue:
    """Read the queue of a map with an empty field and an empty hold."""
    match = _MAP.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"{source}: not a TETR.IO map; expected 400 squares _ z l o s i j t # @, then ? and a "
            "queue"
        )
    filled = _CELLS - match[1].count("_")
    if filled:
        raise InputError(
            f"{source}: {filled} squares on the field; a print begins with an empty board"
        )
    if not match[2]:
        raise InputError(f"{source}: no queue; expected pieces after the field")
    if match[3]:
        raise InputError(f"{source}: a piece in hold; a print begins with an empty hold")
    return PieceQueue.parse(match[2].upper())


def read_pieces(text: str, preview: int | None = None, hold: bool = True) -> QueueRules:
    """Read a queue from a map or from a text that :meth:`QueueRules.parse` reads.

    >>> read_pieces("_" * 400 + "?tio") == read_pieces("TIO") == QueueRules.parse("TIO")
    True
    """
    if len(text) < _CELLS or "?" not in text:
        return QueueRules.parse(text, preview, hold)
    return QueueRules(parse_map(text).pieces, 0, preview, hold)
