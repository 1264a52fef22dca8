"""Checking the plan of an unfinished print before it is continued.

The file may be anything: the plan of another picture, for another board, in other
colours, or one that was edited. Only complete lowest rows of the picture can be
continued; for any other plan the error names what it leaves instead.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.task import Task


def check_begun(begun: Plan, task: Task, types: Mapping[PieceType, Color], name: str) -> None:
    """Raise an error if an unfinished plan was made for another task."""
    picture = task.picture
    if begun.board != task.board:
        raise InputError(
            f"{name}: is a plan for a board of {begun.board}, but {picture.name} is to be printed "
            f"on one of {task.board}; only a plan for the same board can be continued"
        )
    for color in picture.colors():
        if color not in begun.color_of.values():
            raise InputError(
                f"{name}: no piece type has the colour {color} of {picture.name} there; only a "
                "plan of the same colours can be continued"
            )
    for piece, color in types.items():
        if begun.color_of.get(piece) != color:
            raise InputError(
                f"{name}: {piece.name} has {_name_format(begun.color_of.get(piece))} there, but "
                f"{picture.name} is to be printed with {piece.name} as {color}; only a plan of the "
                "same colours can be continued"
            )


def _name_format(color: Color | None) -> str:
    return "no colour" if color is None else f"the colour {color}"


def play_begun(begun: Plan, name: str) -> Playfield:
    """Return the field after an unfinished plan was played."""
    field = begun.make_field()
    try:
        for _ in play(begun, field):
            pass
    except TopOutError as error:
        raise InputError(f"{name}: the plan cannot be played: {error}") from error
    return field
