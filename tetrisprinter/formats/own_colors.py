"""Formats of programs that give each piece type a colour of their own.

Several types of a plan may share a colour. Such a program shows each of them in another colour, so
a part of the picture that has one colour here looks patchy there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tetrisprinter.game.pieces import PieceType

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan

OWN_COLORS: Final = (".fumen", ".lesson", ".tetrio")
"""The extensions of these formats."""


def list_color_pieces(plan: Plan) -> dict[str, tuple[PieceType, ...]]:
    """Return for each colour of the picture the types that show it, the most frequent first.

    >>> from tetrisprinter.game.plan import Plan
    >>> plan = Plan.parse("board 4x6 O=ff0000 I=ff0000\\n\\n.AA.\\n.AA.\\n")
    >>> list_color_pieces(plan)
    {'ff0000': (<PieceType.O: 4>,)}
    """
    from tetrisprinter.game.replay import play_through

    counts = Counter(square for row in play_through(plan).field.rows for square in row if square)
    shown: dict[str, tuple[PieceType, ...]] = {}
    for number, _ in counts.most_common():
        piece = PieceType(number)
        color = plan.visible_colors.get(piece)
        if color is not None:
            shown[color] = (*shown.get(color, ()), piece)
    return shown
