"""Text formats of games: the format of plans, and the formats of other Tetris programs.

:func:`read_game` recognises the format of a file by its content. :func:`write_game` writes the
format of the file's extension. A new format is a module with an object that implements
:class:`Format`, and a line in :data:`FORMATS`; commands and help texts then include it.
``docs/extending.md`` has an example.

Words: docs/glossary.md
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, Final, Protocol

from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.support.files import read_text, write_text
from tetrisprinter.support.registry import Registry

__all__ = [
    "FORMATS",
    "WRITER",
    "Format",
    "find_format",
    "format_game",
    "list_skipped_moves",
    "read_game",
    "write_game",
]

_START: Final = 4096
"""The number of leading characters by which a format is recognised."""


class Format(Protocol):
    """A text form of games."""

    @property
    def name(self) -> str:
        """The name of the format in :data:`FORMATS`."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """The file extensions, in lower case and with the dot; the usual extension is first."""

    @property
    def summary(self) -> str:
        """A noun phrase with its article: ``"a fumen"``."""

    def can_parse(self, start: str) -> bool:
        """Return whether the start of a text shows that it has this format."""

    def parse(self, text: str, source: str = "game", board: tuple[int, int] | None = None) -> Plan:
        """Read a game."""

    def format(self, plan: Plan, source: str = "plan") -> str:
        """Write a game as text that :meth:`parse` reads as the same drops on the same board."""


FORMATS: Final = Registry[Format](
    "format",
    {
        "text": "tetrisprinter.formats.plan_text:TEXT",
        "art": "tetrisprinter.formats.art:ART",
        "fumen": "tetrisprinter.formats.fumen:FUMEN",
        "drop_log": "tetrisprinter.formats.drop_log:DROP_LOG",
    },
)
"""All formats by name; the first, the format of plans, is the default if no format fits a text."""

_EXPORTS: Final = Registry[Callable[[Plan, str], str]](
    "export",
    {
        ".tetrio": "tetrisprinter.formats.tetrio:format_map",
        ".lesson": "tetrisprinter.formats.lesson:format_lesson",
    },
)
"""Functions that write a format which cannot be read, by extension."""


def find_format(path: str | PurePath) -> Format | None:
    """Return the format with the longest extension that ends a file's name, or None.

    >>> find_format("game.FUMEN").summary, find_format("a.drops.json").name, find_format("game")
    ('a fumen', 'drop_log', None)
    """
    name = PurePath(path).name.lower()
    matches = [
        (len(ext), format_)
        for format_ in FORMATS.values()
        for ext in format_.extensions
        if name.endswith(ext)
    ]
    return max(matches, key=lambda pair: pair[0])[1] if matches else None


def read_game(path: str | Path, board: tuple[int, int] | None = None) -> Plan:
    """Read a game of any format as a plan.

    Parameters
    ----------
    path : str or Path
        The file. Its content decides the format, or else its name; the default is a plan.
    board : (int, int), optional
        Width and height of the board, for a file that does not give its board.

    Raises
    ------
    InputError
        If the file cannot be read; the message names the line or drop.
    """
    text = read_text(path)
    return _recognise_format(text, path).parse(text, str(path), board)


def _recognise_format(text: str, path: str | Path) -> Format:
    """Return the format of a text, by its content or else by the name of its file."""
    start = text.lstrip("\ufeff \t\r\n")[:_START]
    recognised = next((form for form in FORMATS.values() if form.can_parse(start)), None)
    return recognised or find_format(path) or FORMATS["text"]


def list_skipped_moves(path: str | Path, board: tuple[int, int] | None = None) -> list[str]:
    """List the moves of an art file (see ``art``) that its game skips, one sentence each.

    The list is empty for all other formats.
    """
    text = read_text(path)
    if _recognise_format(text, path) is not FORMATS["art"]:
        return []
    from tetrisprinter.formats.art import read_art

    return read_art(text, str(path), board)[1]


def format_game(plan: Plan, path: str | PurePath, source: str = "plan") -> str:
    """Return a game in the format of a file's name; the default is a plan.

    ``.tetrio`` gives a TETR.IO map with the pieces only, ``.lesson`` a fumen for Jstris lessons.
    """
    extension = PurePath(path).suffix.lower()
    if extension in _EXPORTS:
        return _EXPORTS[extension](plan, source) + "\n"
    return (find_format(path) or FORMATS["text"]).format(plan, source)


def write_game(plan: Plan | HasPlan, path: str | Path) -> None:
    """Write a plan, or the plan of a result, to a file in the format of its name.

    Raises
    ------
    ArgumentError
        If ``plan`` is neither a plan nor a result.
    InputError
        If the file cannot be written.
    JobError
        If the format cannot express the game.
    """
    write_text(path, format_game(Plan.unwrap(plan), path, str(path)))


class _GameWriter:
    """The :class:`tetrisprinter.printing.writers.Writer` of all text formats."""

    @property
    def extensions(self) -> tuple[str, ...]:
        return (*(ext for form in FORMATS.values() for ext in form.extensions), *_EXPORTS)

    def can_write(self, path: Path) -> bool:
        extension = path.suffix.lower()
        return not extension or extension in _EXPORTS or find_format(path) is not None

    def save(self, plan: Plan, path: str | Path, *_: Any, **__: Any) -> None:
        """Write a game; rendering options are ignored."""
        write_game(plan, path)


WRITER: Final = _GameWriter()
"""The writer of games as text; a name without an extension gets a plan."""
