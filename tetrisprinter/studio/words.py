"""What the studio calls the things that the library's messages name."""

from __future__ import annotations

from typing import Final

from tetrisprinter.errors import Obstacle, Setting, TetrisPrinterError

__all__ = ["told"]

_WORDS: Final = {
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
    Setting.COLORS: "a number of colours of",
    Setting.REPAIR: "the repair",
    Setting.PIECES: "other pieces that come",
    Setting.OTHER_PLANNER: "another effort",
    Setting.SHORTEST: "the effort “fewest drops”",
    Setting.EFFORT: "more effort",
}


def told(said: TetrisPrinterError | Obstacle) -> str:
    """Return the sentence of an error, or of what is in the way, for whoever reads the page.

    >>> from tetrisprinter.errors import InputError, Hint
    >>> told(InputError("too large", Hint("{} is needed", Setting.FIT)))
    'too large; a smaller size is needed'
    """
    if isinstance(said, Obstacle):
        said = TetrisPrinterError(said.sentence, *said.hints)
    return said.format_with(_WORDS)
