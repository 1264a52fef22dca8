"""Checking the plan of an unfinished print before it is continued.

The file may be anything: the plan of another picture, for another board, in other
colours, or one that was edited. Only complete lowest rows of the picture can be
continued; for any other plan the error names what it leaves instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.comparing import find_differences
from tetrisprinter.printing.task import Task

__all__ = ["check_begun", "field_after", "rows_done"]


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


def field_after(begun: Plan, name: str) -> Playfield:
    """Return the field after an unfinished plan was played."""
    field = begun.field()
    try:
        for _ in play(begun, field):
            pass
    except TopOutError as error:
        raise InputError(f"{name}: the plan cannot be played: {error}") from error
    return field


def rows_done(plan: Plan, task: Task, name: str = "the unfinished plan") -> int:
    """Return how many of a picture's lowest rows a plan prints."""
    field = field_after(plan, name)
    if not replace(task, board=plan.board).fits:
        raise InputError(
            f"{name}: the plan has a board of {plan.board}; {task.name} does not fit on it"
        )
    rows = max(field.tops)  # a game leaves no empty row below a square
    picture = Picture(task.picture.rows[:rows], task.name)
    lowest = replace(task, picture=picture, board=plan.board, background=None)
    for x, y in find_differences(lowest, field, plan.color_of):
        # A type without a colour is in the way, though it is not shown.
        value, asked = field[x, y], lowest.wanted.rows[y][x]
        seen = plan.color_of.get(PieceType(value), "a square without colour") if value else None
        raise InputError(
            f"{name}: does not leave the lowest rows of {task.name}: at column {x}, row {y} of "
            f"the board lies {seen or 'nothing'} instead of {asked or 'nothing'}; only what an "
            "interrupted print of the same picture left can be continued"
        )
    return rows
