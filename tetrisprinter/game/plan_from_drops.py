"""Make a plan from a list of drops, such as the games of other programs.

A plan draws its pieces as they lie on each other. So this module plays the game and draws the
pieces with all rows of the stack, including the cleared rows. A piece may lie in rows that became
neighbours because rows between them cleared. Such a piece cannot be drawn, so it begins a new
pass. A new pass also begins when a drawing has used all letters.
"""

from __future__ import annotations

from collections.abc import Iterable

from tetrisprinter.errors import InputError
from tetrisprinter.game.drawing import MAX_PIECES
from tetrisprinter.game.field import Playfield, TopOutError, remove_row_numbers
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.start import Rows


def make_plan_from_drops(
    drops: Iterable[tuple[Orientation, int] | Placement],
    colors: tuple[tuple[PieceType, str], ...],
    width: int,
    height: int,
    background: str | None = None,
    start: Rows = (),
) -> Plan:
    """Play drops, as (orientation, column) or as placements, and return their plan."""
    field = Playfield.from_rows(width, height, start)
    slides: list[tuple[int, int]] = []
    drawn_rows = list(range(height))  # for each row of the field: its row in the drawing
    pieces: list[Placement] = []
    passes: list[Pass] = []
    for number, drop in enumerate(drops, 1):
        orientation, column = (drop.orientation, drop.x) if isinstance(drop, Placement) else drop
        tuck_row = drop.y if isinstance(drop, Placement) and not field.can_hard_drop(drop) else None
        if tuck_row is not None:
            slides.append((number - 1, tuck_row))
        try:
            landing = field.drop(orientation, column, tuck_row)
        except TopOutError as error:
            raise InputError(f"drop {number}: {error}") from error
        rows = drawn_rows[landing.y : landing.y + orientation.height]
        if len(pieces) == MAX_PIECES or rows[-1] - rows[0] != orientation.height - 1:
            passes.append(Pass.make(pieces))
            pieces = []
            drawn_rows = list(range(height))
            rows = drawn_rows[landing.y :]
        pieces.append(Placement(orientation, column, rows[0]))
        remove_row_numbers(drawn_rows, landing.cleared)
    if pieces:
        passes.append(Pass.make(pieces))
    return Plan(tuple(passes), colors, width, height, background, start=start, slides=tuple(slides))
