"""Formats of other Tetris programs, and one door to all of them.

:func:`read_game` reads a game in any format it recognises by its content,
:func:`write_game` writes the format that the extension names. Each format has a module
of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tetrisprinter.game.plan import Plan
from tetrisprinter.support.files import read_text, write_text

__all__ = ["EXTENSIONS", "game_text", "read_game", "write_game"]

EXTENSIONS: Final = {".json": "art file", ".fumen": "fumen"}
"""What an extension means; any other is a plan."""


def read_game(path: str | Path, board: tuple[int, int] | None = None) -> Plan:
    """Read a plan, an art file or a fumen as a plan.

    Parameters
    ----------
    path : str or Path
        The file; its content decides what it is.
    board : (int, int), optional
        Width and height of the board of an art file that does not say.

    Raises
    ------
    InputError
        If it cannot be read, naming the place.
    """
    text = read_text(path)
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        from tetrisprinter.formats.art import parse_art

        return parse_art(text, str(path), board)
    if "115@" in start.partition("\n")[0] or "110@" in start.partition("\n")[0]:
        from tetrisprinter.formats.fumen import parse_fumen

        return parse_fumen(start, str(path))
    return Plan.parse(text, str(path))


def game_text(plan: Plan, suffix: str, source: str = "plan") -> str:
    """Return a game in the format of an extension.

    Raises
    ------
    JobError
        If the format cannot express it; see the format's module.
    """
    if suffix.lower() == ".json":
        from tetrisprinter.formats.art import art_text

        return art_text(plan, source)
    if suffix.lower() == ".fumen":
        from tetrisprinter.formats.fumen import fumen_text

        return fumen_text(plan, source) + "\n"
    return str(plan)


def write_game(plan: Plan, path: str | Path) -> None:
    """Write a game to a file in the format that its extension names.

    Raises
    ------
    InputError
        If the file cannot be written.
    JobError
        If the format cannot express the game.
    """
    write_text(path, game_text(plan, Path(path).suffix, str(path)))
