"""From a picture to a plan: three ways, from the article's table to the shortest games.

Words: docs/glossary.md
"""

from __future__ import annotations

__all__ = ["default_column"]

CLASSIC_WIDTH = 21
CLASSIC_PICTURE = 17


def default_column(picture_width: int, board_width: int) -> int:
    """Return the column of the board at which a picture's first column stands.

    On the classic board of 21 columns a sprite of up to 17 stands at column 2, as in the
    article; anything else stands in the middle.
    """
    if board_width == CLASSIC_WIDTH and picture_width <= CLASSIC_PICTURE:
        return 2
    return (board_width - picture_width) // 2
