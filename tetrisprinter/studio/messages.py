"""Messages of the library, with settings named as the studio shows them."""

from __future__ import annotations

from typing import Final

from tetrisprinter.errors import InputError, Obstacle, Setting, TetrisPrinterError

_SETTING_NAMES: Final = {
    Setting.AUTO_BOARD: "the board “Automatic”",
    Setting.BOARD: "a board of",
    Setting.AUTO_TYPES: "types left to the planner",
    Setting.TYPES: "colours dragged onto pieces",
    Setting.BACKGROUND: "a background colour",
    Setting.FIT: "a smaller size",
    Setting.FRAME: "another frame",
    Setting.FIELD: "another colour of the empty field",
    Setting.EXACT: "the picture as it is",
    Setting.FONT: "another font",
    Setting.COLORS: "reducing the colours to",
    Setting.REPAIR: "the repair",
    Setting.PIECES: "another queue",
    Setting.OTHER_PLANNER: "another effort",
    Setting.SHORTEST: "the effort “fewest drops”",
    Setting.EFFORT: "more effort",
    Setting.NO_HOLD: "a hold of 0",
    Setting.UNSEEN: "a colour for unseen types",
}


def describe_error(error: TetrisPrinterError) -> dict[str, str | int]:
    """Return an error for the browser: its message and the HTTP status code."""
    return {"error": format_message(error), "code": 400 if isinstance(error, InputError) else 409}


def format_message(message: TetrisPrinterError | Obstacle) -> str:
    """Return the message of an error or an obstacle, as the page shows it.

    >>> from tetrisprinter.errors import InputError, Hint
    >>> format_message(InputError("too large", Hint("{} is needed", Setting.FIT)))
    'too large; a smaller size is needed'
    """
    if isinstance(message, Obstacle):
        message = TetrisPrinterError(message.sentence, *message.hints)
    return message.format_with(_SETTING_NAMES)
