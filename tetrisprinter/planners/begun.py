"""A plan that was begun, looked at before it is gone on with.

The file may be anything: the plan of another picture, for another board, in other
colours, or one that somebody edited. Only complete lowest rows of the picture can be
built upon, and whoever gave something else is told what it leaves instead.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.comparing import differences

__all__ = ["check_begun", "rows_done"]


def check_begun(
    begun: Plan,
    picture: Picture,
    board: tuple[int, int],
    types: Mapping[PieceType, Color],
    name: str,
) -> None:
    """Refuse to go on from a plan that was made for something else.

    Parameters
    ----------
    begun : Plan
        The plan to go on from.
    picture : Picture
        What is to be printed.
    board : (int, int)
        Width and height of the board it is to be printed on.
    types : mapping of PieceType to str
        Which type is to have which colour.
    name : str
        What messages call the plan.

    Raises
    ------
    InputError
        If board or colours are others.
    """
    if (begun.width, begun.height) != board:
        raise InputError(
            f"{name}: is a plan for a board of {begun.width}x{begun.height}, but {picture.name} is "
            f"to be printed on one of {board[0]}x{board[1]}; only a plan for the same board can be "
            "continued"
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
                f"{name}: {piece.name} has {_named(begun.color_of.get(piece))} there, but "
                f"{picture.name} is to be printed with {piece.name} as {color}; only a plan of the "
                "same colours can be continued"
            )


def _named(color: Color | None) -> str:
    return "no colour" if color is None else f"the colour {color}"


def rows_done(
    plan: Plan, picture: Picture, column: int, name: str = "the plan to go on from"
) -> int:
    """Return how many of a picture's lowest rows a plan prints.

    Parameters
    ----------
    plan : Plan
        As an interrupted run leaves it.
    picture : Picture
        Trimmed.
    column : int
        Where the picture's leftmost column stands.
    name : str
        What messages call the plan.

    Raises
    ------
    InputError
        If the picture does not fit on the plan's board, the plan tops out, or leaves
        anything but complete rows of the picture.
    """
    field = Playfield(plan.width, plan.height)
    try:
        for _ in play(plan, field):
            pass
    except TopOutError as error:
        raise InputError(f"{name}: cannot be played: {error}") from error
    if picture.height > plan.height or column + picture.width > plan.width:
        raise InputError(
            f"{name}: is a plan for a board of {plan.width}x{plan.height}, on which "
            f"{picture.name} does not fit"
        )
    rows = max(field.tops)  # a game leaves no empty row below a square
    lowest = Picture(picture.rows[:rows], picture.name)
    for x, y in differences(field, plan.color_of, lowest, column):
        # A type without a colour is in the way, though it is not shown.
        value, asked = field[x, y], lowest.placed(plan.width, plan.height, column).rows[y][x]
        seen = plan.color_of.get(PieceType(value), "a square without colour") if value else None
        raise InputError(
            f"{name}: does not leave the lowest rows of {picture.name}: at column {x}, row {y} of "
            f"the board lies {seen or 'nothing'} instead of {asked or 'nothing'}; only what an "
            "interrupted print of the same picture left can be continued"
        )
    return rows
