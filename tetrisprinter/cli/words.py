"""What the command line calls the things that the library's messages name."""

from __future__ import annotations

from typing import Final

from tetrisprinter.errors import TetrisPrinterError, Thing

__all__ = ["OPTIONS", "told"]

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
    Thing.NO_HOLD: "--hold 0",
    Thing.UNSEEN: "--unseen RRGGBB",
}
"""Every thing that can be asked for, as an option."""


def told(error: TetrisPrinterError) -> str:
    """Return the sentence of an error for whoever typed the command."""
    return error.told(OPTIONS)
