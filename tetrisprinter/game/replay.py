"""Plays a plan, drop by drop, and says what happened.

Everything that shows a print (a picture, an animation, a log) is made from the one
stream of :class:`Drop` events that :func:`play` yields, so all of them agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tetrisprinter.game.field import Landing, Playfield, TopOutError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture

__all__ = ["Drop", "Game", "drop_log", "play", "play_through", "shown"]


@dataclass(frozen=True, slots=True)
class Drop:
    """One drop of a game.

    Attributes
    ----------
    index : int
        Number of the drop, from 0.
    pass_index : int
        Number of the pass it belongs to, from 0.
    landing : Landing
        Where the piece came to rest and which rows cleared.
    """

    index: int
    pass_index: int
    landing: Landing


@dataclass(frozen=True, slots=True)
class Game:
    """A whole game: its drops and the field it leaves."""

    drops: tuple[Drop, ...]
    field: Playfield

    @property
    def lines(self) -> int:
        """How many rows were cleared."""
        return sum(len(drop.landing.cleared) for drop in self.drops)


def play(plan: Plan, field: Playfield) -> Iterator[Drop]:
    """Drop every piece of a plan onto a field, yielding each drop once it happened.

    Raises
    ------
    TopOutError
        Naming the drop and the pass whose piece cannot enter.
    """
    for index, (pass_index, piece) in enumerate(plan.drops()):
        try:
            landing = field.drop(piece.orientation, piece.x)
        except TopOutError as error:
            raise TopOutError(
                f"the plan tops out at drop {index + 1} (pass {pass_index + 1}): {error}"
            ) from error
        yield Drop(index, pass_index, landing)


def play_through(plan: Plan) -> Game:
    """Play a plan on an empty board; errors as :func:`play`."""
    field = Playfield(plan.width, plan.height)
    return Game(tuple(play(plan, field)), field)


def shown(plan: Plan, field: Playfield) -> Picture:
    """Return what the field shows in the plan's colours; uncoloured types are empty."""
    color_of = {int(piece): color for piece, color in plan.colors}
    return Picture(tuple(tuple(color_of.get(v) for v in row) for row in field.rows))


def drop_log(plan: Plan, game: Game) -> dict[str, object]:
    """Return the game as played, for anyone to check: the content of ``--drops``.

    Cells are where a piece came to rest before any row cleared, y from the bottom.
    """
    return {
        "width": plan.width,
        "height": plan.height,
        "colors": {piece.name: color for piece, color in plan.colors},
        "drops": [
            {
                "piece": drop.landing.orientation.piece.name,
                "cells": [list(cell) for cell in drop.landing.cells],
            }
            for drop in game.drops
        ],
    }
