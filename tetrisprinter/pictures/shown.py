"""What a field looks like in the colours of a plan: a game, seen as a picture.

The game knows types, pictures know colours. This is the one place where one is turned into
the other, and it stands on the pictures' floor so that the game need not know of pictures.
"""

from __future__ import annotations

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture

__all__ = ["shown"]


def shown(plan: Plan, field: Playfield) -> Picture:
    """Return what the field shows in the plan's colours; uncoloured types are empty."""
    color_of = {int(piece): color for piece, color in plan.colors}
    return Picture(tuple(tuple(color_of.get(v) for v in row) for row in field.rows))
