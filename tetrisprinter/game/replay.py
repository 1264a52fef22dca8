"""Playing a plan drop by drop.

Pictures, animations and logs are all made from the :class:`Drop` objects of :func:`play`, so they
agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tetrisprinter.game.field import Landing, Playfield, TopOutError
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.game.start import draw_start
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.displays import PNG


@dataclass(frozen=True, slots=True)
class Drop:
    """One drop of a game."""

    index: int  # the number of the drop, from 0
    pass_index: int  # the number of its pass, from 0
    landing: Landing  # the resting place and the cleared rows


@dataclass(frozen=True, slots=True, repr=False)
class Game:
    """A played game: its drops and the field that it leaves."""

    drops: tuple[Drop, ...]
    field: Playfield

    @property
    def lines(self) -> int:
        """The number of cleared rows."""
        return sum(len(drop.landing.cleared) for drop in self.drops)

    def __repr__(self) -> str:
        size = f"{self.field.width}x{self.field.height}"
        drops, lines = format_count(len(self.drops), "drop"), format_count(self.lines, "line")
        return f"<Game {drops}, {lines} on {size}>"

    def _repr_png_(self) -> bytes | None:
        """Return a picture of the final field for a notebook."""
        return PNG["field"](self.field)


def play(plan: Plan, field: Playfield) -> Iterator[Drop]:
    """Drop the pieces of a plan onto a field; yield each drop after it happened."""
    slides = dict(plan.slides)
    for index, (pass_index, piece) in enumerate(plan.iterate_with_pass()):
        try:
            landing = field.drop(piece.orientation, piece.x, slides.get(index))
        except TopOutError as error:
            raise TopOutError(
                f"the plan tops out at drop {index + 1} (pass {pass_index + 1}): {error}"
            ) from error
        yield Drop(index, pass_index, landing)


def play_through(plan: Plan | HasPlan) -> Game:
    """Play a plan, or the plan of a result, from its start."""
    plan = Plan.unwrap(plan)
    field = plan.make_field()
    return Game(tuple(play(plan, field)), field)


def make_drop_log(plan: Plan, game: Game) -> dict[str, object]:
    """Return the played game as plain data, for an independent check: the content of ``--drops``.

    ``cells`` is the resting place of a piece before any row clears, y from the bottom. Some entries
    are optional: ``queue`` has the pieces of the queue, ``hold`` says whether hold is allowed,
    ``start`` is the board before the first drop (top row first), and ``stops`` has the numbers of
    drops after which each picture of a slideshow is complete.
    """
    queue = {} if plan.queue is None else {"queue": str(plan.queue), "hold": plan.queue.hold}
    start = {"start": draw_start(plan.start)} if plan.start else {}
    stops = {"stops": list(plan.stops)} if plan.stops else {}
    return {
        **queue,
        "width": plan.width,
        "height": plan.height,
        "colors": {piece.name: color for piece, color in plan.colors},
        **({} if plan.background is None else {"background": plan.background}),
        **start,
        **stops,
        "drops": [
            {
                "piece": drop.landing.orientation.piece.name,
                "cells": [list(cell) for cell in drop.landing.cells],
            }
            for drop in game.drops
        ],
    }
