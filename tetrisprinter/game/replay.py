"""Playing a plan drop by drop, and making a plan from the drops of a game.

Pictures, animations and logs are all made from the :class:`Drop` objects of :func:`play`, so they
agree.

A plan draws its pieces as they lie on each other. So :func:`make_plan_from_drops` plays the game,
such as one of another program, and draws the pieces with all rows of the stack, including the
cleared rows. A piece may lie in rows that became neighbours because rows between them cleared. Such
a piece cannot be drawn, so it begins a new pass. A new pass also begins when a drawing has used all
letters.

Levels and times say when a piece can be dropped, and what supports it, without playing the game.
Stack all rows of a game, or of a pass, in one vertical order, including the rows that will clear.
The clearing rows complete one after the other; the row of **rank** ``k`` is the ``k``-th to
complete, counted from 0. Pieces cover some squares of the stack. Two descriptions of time decide
whether the pieces can be dropped, and in which order.

The **level** of a piece is the number of rows that are complete after it lands. So a level of
``r + 1`` or more means "dropped when or after the row of rank ``r`` completes". Planners and
finders use levels: there are few levels, and each condition concerns one column or one row.

The **time** of a piece is ``2k`` if ``k`` rows have cleared when it drops and it completes no row,
and ``2k + 1`` if it completes rows and ``k + 1`` have cleared after it. Formulas of bounds use
times, because their ranks are variables: which row a piece completes is not known beforehand.

In a game a piece of the time ``t`` has the level ``(t + 1) // 2``. A piece of the level ``l`` has
the time ``2l - 1`` if it completes a row, and ``2l`` if not. Both descriptions set the same
conditions, and pieces that meet them can be dropped: a test checks both against real drops on
random stacks. If a piece completes several rows at once, a model may give other pieces levels in
between; the pieces can be dropped in that order, too. The conditions:

* *columns*: a piece never drops before a piece below it in a column, unless the row of its cell
  there has cleared when the lower piece drops. So levels never decrease upwards in a column, even
  over holes;
* *completion*: exactly one piece of the row of rank ``r`` has a level above ``r`` (a time of
  ``2r + 1`` or more): the piece that completes the row;
* *support*: in some column of a piece, the cell on which it would rest is the floor or a square of
  an earlier piece. This cell is in the next row below the piece's lowest cell there that has not
  cleared (:func:`find_row_under`). A row that the piece itself covers has not cleared;
* *order*: by level, and within a level each piece after the pieces below it
  (:func:`order_drops`). If a piece spans rows that have cleared, the piece that completes the last
  of these rows comes before all others of its level.

``docs/encoding.md`` proves the conditions for packed matrices, ``docs/bounds.md`` for times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeVar

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import (
    Landing,
    Playfield,
    Rows,
    TopOutError,
    draw_start,
    remove_row_numbers,
)
from tetrisprinter.game.piece_queue import PieceQueue
from tetrisprinter.game.pieces import MAX_PIECES, Cell, Orientation, PieceType, Placement
from tetrisprinter.game.plan import HasPlan, Pass, Plan
from tetrisprinter.support import format_count, load


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
        png: bytes | None = load("tetrisprinter.render.still:draw_field_png")(self.field)
        return png


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
    """Return the played game as plain data, for an independent check: a drop log.

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


def make_plan_from_drops(  # noqa: PLR0913 - the fields of a plan
    drops: Iterable[tuple[Orientation, int] | Placement],
    colors: tuple[tuple[PieceType, str], ...],
    width: int,
    height: int,
    background: str | None = None,
    start: Rows = (),
    stops: tuple[int, ...] = (),
    queue: PieceQueue | None = None,
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
    return Plan(
        tuple(passes), colors, width, height, background, queue, start, stops, tuple(slides)
    )


Rank = TypeVar("Rank", int, tuple[int, bool])


def find_row_under(row: int, cleared: int) -> int:
    """Return the next row below ``row`` that is not in the bit set ``cleared``; -1 is the floor."""
    below = row - 1
    while below >= 0 and cleared >> below & 1:
        below -= 1
    return below


def order_drops(pieces: Sequence[Iterable[Cell]], levels: Sequence[Rank]) -> list[int]:
    """Return the pieces' indices in an order of drops: by level, and lower pieces first."""
    columns: dict[tuple[Rank, int], list[tuple[int, int]]] = defaultdict(list)
    for number, cells in enumerate(pieces):
        lowest: dict[int, int] = {}
        for x, y in cells:
            lowest[x] = min(y, lowest.get(x, y))
        for x, y in lowest.items():
            columns[levels[number], x].append((y, number))
    next_above: list[list[int]] = [[] for _ in pieces]
    waiting = [0] * len(pieces)  # the number of columns in which another piece must drop first
    for column in columns.values():
        column.sort()
        for (_, lower), (_, upper) in pairwise(column):
            next_above[lower].append(upper)
            waiting[upper] += 1
    ready = [(level, number) for number, level in enumerate(levels) if not waiting[number]]
    heapify(ready)
    ordered: list[int] = []
    while ready:
        level, number = heappop(ready)
        ordered.append(number)
        for upper in next_above[number]:
            waiting[upper] -= 1
            if not waiting[upper]:
                heappush(ready, (level, upper))
    return ordered
