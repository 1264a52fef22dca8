"""What the studio calls the things that the library's messages name."""

from __future__ import annotations

from typing import Final

from tetrisprinter.errors import Obstacle, TetrisPrinterError, Thing

__all__ = ["told"]

_WORDS: Final = {
    Thing.AUTO_BOARD: "the board “Automatic”",
    Thing.BOARD: "a board of",
    Thing.AUTO_TYPES: "types left to the planner",
    Thing.TYPES: "colours dragged onto pieces",
    Thing.BACKGROUND: "a background colour",
    Thing.FIT: "a smaller size",
    Thing.FRAME: "another frame",
    Thing.FIELD: "another colour of the empty field",
    Thing.EXACT: "the picture as it is",
    Thing.FONT: "another font",
    Thing.COLORS: "a number of colours of",
    Thing.REPAIR: "the repair",
    Thing.PIECES: "other pieces that come",
    Thing.OTHER_PLANNER: "another effort",
    Thing.SHORTEST: "the effort “fewest drops”",
    Thing.EFFORT: "more effort",
}


def told(said: TetrisPrinterError | Obstacle) -> str:
    """Return the sentence of an error, or of what is in the way, for whoever reads the page.

    >>> from tetrisprinter.errors import InputError, Remedy
    >>> told(InputError("too large", Remedy("{} is needed", Thing.FIT)))
    'too large; a smaller size is needed'
    """
    if isinstance(said, Obstacle):
        said = TetrisPrinterError(said.sentence, *said.remedies)
    return said.told(_WORDS)
