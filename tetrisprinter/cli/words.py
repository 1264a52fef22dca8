"""What the command line calls the things that the library's messages name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tetrisprinter.errors import TetrisPrinterError, Thing

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Step

__all__ = ["OPTIONS", "STEPS", "counted", "taken", "told"]

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


STEPS: Final = {
    Thing.FRAME: "--frame N|all",
    Thing.FIT: "--fit WxH",
    Thing.COLORS: "--colors N",
    Thing.BACKGROUND: "--background COLOUR|transparent",
    Thing.EXACT: "--exact refuses instead",
    Thing.BOARD: "--board WxH",
    Thing.TYPES: "--types",
    Thing.FIELD: "--field COLOUR",
}
"""What would have a step done otherwise, as an option."""


def taken(steps: Iterable[Step]) -> str:
    """Return in one line what was done to an image, each with the option that changes it."""
    return ", ".join(f"{step} ({STEPS.get(step.thing, step.thing)})" for step in steps)


def told(error: TetrisPrinterError) -> str:
    """Return the sentence of an error for whoever typed the command."""
    return error.told(OPTIONS)


def counted(number: int, what: str, plural: str = "") -> str:
    """Return a number of things as people say it.

    >>> counted(1, "level"), counted(1200, "level"), counted(2, "pass", "passes")
    ('1 level', '1200 levels', '2 passes')
    """
    return f"{number} {what if number == 1 else plural or what + 's'}"
