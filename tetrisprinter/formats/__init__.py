"""Games as text, ours and those of other Tetris programs, and one door to all of them.

:func:`read_game` reads a game in any format it recognises by its content,
:func:`write_game` writes the format that the name of the file asks for. A new format is a
module with an object that does what :class:`Format` says, and a line in :data:`FORMATS`;
commands and help texts follow. ``docs/extending.md`` adds one.

Words: docs/glossary.md
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any, Final, Protocol

from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.support.files import read_text, write_text
from tetrisprinter.support.registry import Registry

__all__ = [
    "FORMATS",
    "WRITER",
    "Format",
    "count_skipped_moves",
    "find_format",
    "game_text",
    "read_game",
    "write_game",
]

_START: Final = 4096
"""How many characters of a text say what it is."""


class Format(Protocol):
    """A text form of games."""

    @property
    def name(self) -> str:
        """What it is called; its name in :data:`FORMATS`."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """How names of such files end: lower case, with the dot, the usual one first."""

    @property
    def summary(self) -> str:
        """What such a file is, with its article: ``"a fumen"``."""

    def recognises(self, start: str) -> bool:
        """Say whether a text is meant to be of this format and of no other."""

    def parse(self, text: str, source: str = "game", board: tuple[int, int] | None = None) -> Plan:
        """Read a game."""

    def text(self, plan: Plan, source: str = "plan") -> str:
        """Write a game; reading it again gives the same drops on the same board."""


FORMATS: Final = Registry[Format](
    "format",
    {
        "text": "tetrisprinter.formats.plan_text:TEXT",
        "art": "tetrisprinter.formats.art:ART",
        "fumen": "tetrisprinter.formats.fumen:FUMEN",
        "drop_log": "tetrisprinter.formats.drop_log:DROP_LOG",
    },
)
"""The formats by name, the plan's own first: it is what no other claims to be."""


def find_format(path: str | PurePath) -> Format | None:
    """Return the format that a file's name asks for; None if it asks for none.

    The longest extension counts.

    >>> find_format("game.FUMEN").summary, find_format("a.drops.json").name, find_format("game")
    ('a fumen', 'drop_log', None)
    """
    name = PurePath(path).name.lower()
    fitting = [
        (len(ext), form)
        for form in FORMATS.values()
        for ext in form.extensions
        if name.endswith(ext)
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def read_game(path: str | Path, board: tuple[int, int] | None = None) -> Plan:
    """Read a game of any format as a plan.

    Parameters
    ----------
    path : str or Path
        The file; its content decides what it is, else its name, else it is a plan.
    board : (int, int), optional
        Width and height of the board, for a file that does not say.

    Raises
    ------
    InputError
        If it cannot be read, naming the place.
    """
    text = read_text(path)
    return _find_meant(text, path).parse(text, str(path), board)


def _find_meant(text: str, path: str | Path) -> Format:
    start = text.lstrip("\ufeff \t\r\n")[:_START]
    meant = next((form for form in FORMATS.values() if form.recognises(start)), None)
    return meant or find_format(path) or FORMATS["text"]


def count_skipped_moves(path: str | Path, board: tuple[int, int] | None = None) -> list[str]:
    """Say which moves of a game its own program does not make, a sentence each.

    Only art files have such moves; parameters and errors are those of :func:`read_game`.
    """
    text = read_text(path)
    if _find_meant(text, path) is not FORMATS["art"]:
        return []
    from tetrisprinter.formats.art import read_art

    return read_art(text, str(path), board)[1]


def game_text(plan: Plan, path: str | PurePath, source: str = "plan") -> str:
    """Return a game in the format that a file's name asks for; else it is a plan.

    A name that ends with ``.tetrio`` asks for the pieces of the game alone, as a map, one that ends
    with ``.lesson`` for the fumen that lessons are made from.
    """
    match PurePath(path).suffix.lower():
        case ".tetrio":
            from tetrisprinter.formats.tetrio import format_map

            return format_map(plan, source) + "\n"
        case ".lesson":
            from tetrisprinter.formats.lesson import format_lesson

            return format_lesson(plan, source) + "\n"
    return (find_format(path) or FORMATS["text"]).text(plan, source)


def write_game(plan: Plan | HasPlan, path: str | Path) -> None:
    """Write a game, a plan or a result's, to a file in the format that its name asks for.

    Raises
    ------
    ArgumentError
        If it is neither.
    InputError
        If the file cannot be written.
    JobError
        If the format cannot express the game.
    """
    write_text(path, game_text(Plan.of(plan), path, str(path)))


class _GameWriter:
    """Writes games, as :class:`tetrisprinter.printing.writers.Writer` says."""

    @property
    def extensions(self) -> tuple[str, ...]:
        return tuple(ext for form in FORMATS.values() for ext in form.extensions)

    def writes(self, path: Path) -> bool:
        return not path.suffix or find_format(path) is not None

    def save(self, plan: Plan, path: str | Path, *_: Any, **__: Any) -> None:
        """Write a game; how it would be shown does not matter."""
        write_game(plan, path)


WRITER: Final = _GameWriter()
"""Writes games as text: our own where the name of the file has no extension."""
