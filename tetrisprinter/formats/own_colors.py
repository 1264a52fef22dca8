"""Formats of programs that always show each piece type in a fixed colour.

Several types of a plan may share a colour. Such a program shows each type in another colour, so an
area of the picture that has one colour in the plan looks patchy there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tetrisprinter.game.pieces import PieceType

if TYPE_CHECKING:
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.plan import Plan

OWN_COLORS: Final = (".fumen", ".lesson", ".tetrio")
"""The extensions of formats whose programs fix the colour of each type."""


def find_patchy_colors(plan: Plan, field: Playfield) -> dict[str, tuple[PieceType, ...]]:
    """Return the colours that several types show on a plan's final field, with these types.

    >>> from tetrisprinter.game.plan import Plan
    >>> from tetrisprinter.game.replay import play_through
    >>> plan = Plan.parse("board 8x6 O=ff0000 I=ff0000 T=00ff00\\n\\n.....BB.\\nAAAA.BB.\\n")
    >>> find_patchy_colors(plan, play_through(plan).field)
    {'ff0000': (<PieceType.I: 1>, <PieceType.O: 4>)}
    """
    counts = Counter(square for row in field.rows for square in row if square)
    types_of_color: dict[str, tuple[PieceType, ...]] = {}
    for number, _ in counts.most_common():
        piece = PieceType(number)
        color = plan.visible_colors.get(piece)
        if color is not None:
            types_of_color[color] = (*types_of_color.get(color, ()), piece)
    return {color: pieces for color, pieces in types_of_color.items() if len(pieces) > 1}
