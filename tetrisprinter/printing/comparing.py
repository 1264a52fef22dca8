"""Whether a game left the picture: the one place where that is decided.

Every planner and every command asks here, so that what is accepted does not depend on who
asks. It is about squares, not about how they would look: a type without a colour must not
stay anywhere, even where an image of the field would show nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture

__all__ = ["differences"]


def differences(
    field: Playfield,
    colors: Mapping[PieceType, Color],
    picture: Picture,
    column: int,
    background: Color | None = None,
) -> list[Cell]:
    """Return the squares of the board that are not as the picture asks.

    Parameters
    ----------
    field : Playfield
        What the game left.
    colors : mapping of PieceType to str
        The colours of the types.
    picture : Picture
        What it was to leave, lowest row on the floor; no larger than the field.
    column : int
        Where the picture's leftmost column stands.
    background : str or None
        If given, squares of this colour, and all that the picture leaves transparent, may be
        empty or hold a type of this colour. If not, they must be empty.

    Returns
    -------
    list of (int, int)
        Row by row from the floor; empty if it is the picture.

    Examples
    --------
    >>> field = Playfield.from_rows(3, 2, [[PieceType.J, PieceType.L, 0]])
    >>> picture = Picture((("ff0000", None, None),))
    >>> differences(field, {PieceType.J: "ff0000"}, picture, 0)
    [(1, 0)]
    >>> differences(field, {PieceType.J: "ff0000", PieceType.L: "000000"}, picture, 0, "000000")
    []
    """
    wanted = picture.placed(field.width, field.height, column)
    wrong: list[Cell] = []
    for y, (there, asked) in enumerate(zip(field.rows, wanted.rows, strict=True)):
        for x, (value, color) in enumerate(zip(there, asked, strict=True)):
            shown = colors.get(PieceType(value)) if value else None
            if color is None or color == background:
                right = not value or (background is not None and shown == background)
            else:
                right = shown == color
            if not right:
                wrong.append((x, y))
    return wrong
