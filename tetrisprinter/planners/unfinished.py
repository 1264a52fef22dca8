"""Check the plan of an unfinished print before it is continued.

The file may be anything: the plan of another picture, for another board, in other
colours, or one that was edited. Only complete lowest rows of the picture can be
continued; any other plan raises an error that says why.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.task import Task


def check_unfinished_plan(
    unfinished: Plan, task: Task, types: Mapping[PieceType, Color], name: str
) -> None:
    """Raise an error if an unfinished plan was made for another task."""
    picture = task.picture
    if unfinished.board != task.board:
        raise InputError(
            f"{name}: the plan has a board of {unfinished.board}, {picture.name} one of "
            f"{task.board}; only a plan for the same board can be continued"
        )
    for color in picture.colors():
        if color not in unfinished.color_of.values():
            raise InputError(
                f"{name}: no piece type has the colour {color} of {picture.name}; only a plan with "
                "the same colours can be continued"
            )
    for piece, color in types.items():
        if unfinished.color_of.get(piece) != color:
            raise InputError(
                f"{name}: the colour of {piece.name} differs: "
                f"{unfinished.color_of.get(piece, 'none')} in the plan, {color} in "
                f"{picture.name}; only a plan with the same colours can be continued"
            )


def play_unfinished_plan(unfinished: Plan, name: str) -> Playfield:
    """Return the field after an unfinished plan was played."""
    try:
        return play_through(unfinished).field
    except TopOutError as error:
        raise InputError(f"{name}: the plan cannot be played: {error}") from error
