"""What the command line calls the things that the library's messages name."""

from __future__ import annotations

from typing import Final

from tetrisprinter.errors import TetrisPrinterError, Thing

__all__ = ["OPTIONS", "counted", "told"]

OPTIONS: Final = {
    Thing.AUTO_BOARD: "--board auto",
    Thing.BOARD: "--board",
    Thing.AUTO_TYPES: "--types auto",
    Thing.TYPES: "--types",
    Thing.BACKGROUND: "--background",
    Thing.FIT: "--fit",
    Thing.FRAME: "--frame",
    Thing.FIELD: "--field",
    Thing.EXACT: "--exact",
    Thing.FONT: "--font FILE",
    Thing.COLORS: "--colors",
    Thing.REPAIR: "--repair",
    Thing.OTHER_PLANNER: "another --planner",
    Thing.SHORTEST: "--planner shortest",
    Thing.EFFORT: "a larger --effort",
}
"""Every thing that can be asked for, as an option."""


def told(error: TetrisPrinterError) -> str:
    """Return the sentence of an error for whoever typed the command."""
    return error.told(OPTIONS)


def counted(number: int, what: str, plural: str = "") -> str:
    """Return a number of things as people say it.

    >>> counted(1, "level"), counted(1200, "level"), counted(2, "match", "matches")
    ('1 level', '1,200 levels', '2 matches')
    """
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
