"""The real-time planner for any board, any picture and up to seven colours.

It prints row by row like the article's planners (:mod:`~tetrisprinter.planners.article`),
but lets every orientation be an *emitter*: whatever leaves its lowest cells in the row and
has its other cells, if any, begin in the row above, is a way to print one, two, three or
four equal squares at once. Which emitters share a pass is a shortest path along the
columns, one for each remainder that their presets can have modulo 4, because the
remainder decides how many rows the matrix needs; the pass with the most squares for its
cells wins, and a randomized search fills its matrix.

A pixel with nothing below it need not have a platform: an emitter may also hang, with a
cell above a square of the same row that is printed already. A row of which that does not
reach every pixel is left to whoever prints a row from a clean state.

Every row is printed for itself, so on even widths each must hold a number of squares that
the width can leave, and none may be empty. Where a type may have the background's colour,
rows that are not so are given squares of that colour first, which nobody sees.

The result is far from the shortest game, but it is there at once: about a millisecond
for a pass, whatever the width. It is the first complete plan of a large picture, and each
row is finished before the next, so an interrupted plan is a plan of the rows below.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tetrisprinter.errors import JobError, Obstacle
from tetrisprinter.game.counting import makes_pieces
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.article import SEARCH
from tetrisprinter.planners.begun import check_begun, rows_done
from tetrisprinter.planners.budgets import COMMON
from tetrisprinter.planners.direct.evening import evened
from tetrisprinter.planners.emitters import SHAPES, emitter_pass, left_by, most_squares, packed
from tetrisprinter.planners.run import ROW_REMEDY, Run
from tetrisprinter.printing.obstacles import obstacle, risk_of_i
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types, too_many_colors

__all__ = ["DirectPlanner", "Otherwise"]

_EASY: Final = (PieceType.J, PieceType.L, PieceType.T)

Types = Mapping[PieceType, Color]


_Shown = dict[int, Color]


Otherwise = Callable[[Task, Types, int], Sequence[Pass] | None]
"""Prints a row of a task's picture, all its rows below being there, or returns None."""


@dataclass(frozen=True, slots=True)
class DirectPlanner:
    """The planners ``direct`` and ``realtime``.

    Attributes
    ----------
    otherwise : callable
        Who prints a row that emitters do not reach.
    article : bool
        Whether the article's search prints what is on its board and in its types.
    """

    otherwise: Otherwise
    article: bool = True
    name: str = "realtime"
    summary: str = "searches its packings"
    resumes: bool = True
    starts: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Return what forbids the picture to everybody, or leaves a colour without a type."""
        return SEARCH.refuses(task) if self.article and task.is_classic else obstacle(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Print a picture row by row; the article's search does not go on from a plan."""
        if self.article and task.is_classic and run.begun is None:
            return SEARCH.plan(task, run)
        began = time.monotonic()
        risk = risk_of_i(task)
        if risk is not None:
            run.note(risk)
        plan = self._printed(task, run)
        return PrintResult.of(task, plan, self.name, time.monotonic() - began)

    def _printed(self, task: Task, run: Run) -> Plan:
        """Plan a picture, in any types: :func:`share_types` where they are left open.

        Squares of the task's background may be empty or hold a type of its colour; where the
        types are left open, some are given it if the picture cannot do without. Told the plan so
        far after each row, and goes on from the rows of ``run.begun``.
        """
        begun, board = run.begun, task.board
        types = dict(task.type_colors or (begun.colors if begun else ()))
        picture, column = task.picture, task.column
        if task.background is not None:
            picture, column = evened(task, types)
        types = types or share_types(picture)
        task = replace(task, picture=picture, column=column)
        if begun is not None:
            check_begun(begun, task, types, run.begun_name)
        missing = too_many_colors(picture, TypeColors.of(types))
        if missing is not None:
            raise missing.error(picture.name)
        job = _Job(task, types, run, self.otherwise)
        plan = Plan((), tuple(types.items()), board.width, board.height)
        first = 0
        if begun is not None:
            plan = replace(plan, passes=begun.passes)
            first = rows_done(plan, task, run.begun_name)
        keep = run.each_row(picture, first)
        for y in range(first, picture.height):
            plan = replace(plan, passes=(*plan.passes, *job.row(y)))
            keep(plan)
        return plan


@dataclass(frozen=True, slots=True)
class _Job:
    task: Task
    types: Types
    run: Run
    otherwise: Otherwise

    @property
    def width(self) -> int:
        return self.task.board.width

    def wanted(self, y: int) -> _Shown:
        """Return the squares of a row of the picture, by column of the board."""
        row, column = self.task.picture.rows[y], self.task.column
        return {column + x: color for x, color in enumerate(row) if color is not None}

    def row(self, y: int) -> Sequence[Pass]:
        """Print a row: by emitters if they reach all of it, else from the clean state below it.

        Raises
        ------
        JobError
            If it cannot be printed.
        """
        for way in (self.directly, lambda y: self.otherwise(self.task, self.types, y)):
            passes = way(y)
            if passes is not None and self.leaves_row(passes, y):
                return passes
        picture = self.task.picture
        raise JobError(
            f"{picture.name}: row {picture.image_row(y)} from the top could not be "
            f"printed in real time on a board of {self.task.board}",
            ROW_REMEDY,
        )

    def leaves_row(self, passes: Sequence[Pass], y: int) -> bool:
        """Play the passes on the rows below and look at what they leave."""
        names = {color: int(piece) for piece, color in self.types.items()}
        rows = [
            [names[row[x]] if x in row else 0 for x in range(self.width)]
            for row in map(self.wanted, range(y))
        ]
        field = Playfield.from_rows(self.width, self.task.board.height, rows)
        try:
            for pass_ in passes:
                for piece in pass_.pieces:
                    field.drop(piece.orientation, piece.x)
        except TopOutError:
            return False
        colors = {int(piece): color for piece, color in self.types.items()}
        left = {x: colors.get(v) for x, v in enumerate(field.rows[y]) if v}
        return left == self.wanted(y) and max(field.tops) == y + 1

    def directly(self, y: int) -> list[Pass] | None:
        """Print a row pass by pass; None if emitters do not reach all of it."""
        wanted = self.wanted(y)
        ground = frozenset(self.wanted(y - 1) if y else range(self.width))
        left = dict(wanted)
        passes: list[Pass] = []
        while left:
            done = frozenset(wanted) - frozenset(left)
            room = self.task.board.height - y - 1
            found = self.best_pass(self.emitters(left, ground, done), done, room)
            if found is None:
                return None
            chosen, pass_ = found
            passes.append(pass_)
            for emitter in chosen:
                for column in left_by(emitter):
                    del left[column]
        return passes

    def emitters(
        self, left: _Shown, ground: frozenset[int], done: frozenset[int]
    ) -> list[Placement]:
        """List what can print some of the squares that are left and is held there.

        Presets of two or three rows make matrices that are hard to pack, so they are left
        to colours that have no other way.
        """
        found: list[Placement] = []
        others = {c for piece, c in self.types.items() if piece is not PieceType.O}
        pairs_only = set(self.types.values()) - others
        easy = {self.types[piece] for piece in _EASY if piece in self.types}
        for shape in SHAPES:
            color = self.types.get(shape.piece)
            if color is None or (shape.height > 2 and color in easy):
                continue
            for x in range(self.width - shape.width + 1):
                emitter = Placement(shape, x, 0)
                columns = left_by(emitter)
                if any(left.get(column) != color for column in columns):
                    continue
                if color in pairs_only and _run_before(left, x) % 2:
                    continue  # would leave a single square that an O cannot
                held = any(column in ground for column in columns) or any(
                    x + dx in done for dx, bottom in enumerate(shape.bottom) if bottom
                )
                if held:
                    found.append(emitter)
        return found

    def best_pass(
        self, emitters: Sequence[Placement], done: frozenset[int], rows: int
    ) -> tuple[list[Placement], Pass] | None:
        """Choose emitters side by side and pack the matrix above them."""
        lying = most_squares([e for e in emitters if e.orientation.height == 1], self.width)[0]
        if lying:
            return lying, Pass(1, tuple(lying))
        options: list[tuple[float, int, list[Placement]]] = []
        halves: list[tuple[float, int, list[Placement]]] = []
        for chosen in most_squares(emitters, self.width):
            options.extend(self.options(chosen, rows))
            for half in (chosen[: len(chosen) // 2], chosen[len(chosen) // 2 :]):
                halves.extend(self.options(half, rows))
        by_yield = [sorted(some, key=lambda option: -option[0]) for some in (options, halves)]
        # When none of these can be packed, single emitters are the last resort.
        alone = [option for emitter in emitters for option in self.options([emitter], rows)]
        for _, lines, chosen in itertools.chain(*by_yield, alone):
            self.run.check_time(self.task.name)
            finder = Backtracker(retries=COMMON.starts)
            packing = packed(chosen, done, (self.width, lines), finder, self.run.limit)
            if packing is not None:
                return chosen, emitter_pass(packing, chosen)
        return None

    def options(
        self, chosen: list[Placement], rows: int
    ) -> Iterator[tuple[float, int, list[Placement]]]:
        """Yield the heights of the matrix that the count allows, with their yield."""
        if not chosen:
            return
        least = max(e.orientation.height - 1 for e in chosen)
        squares = sum(len(left_by(e)) for e in chosen)
        cells = squares - 4 * len(chosen)  # less those that the emitters preset
        fitting = (n for n in range(least, rows + 1) if makes_pieces(self.width * n + cells))
        for lines in itertools.islice(fitting, COMMON.heights):
            yield squares / (self.width * lines + squares), lines, chosen


def _run_before(row: _Shown, column: int) -> int:
    """Return how many squares of the same colour lie right before a square of a row."""
    count = 0
    while row.get(column - count - 1) == row[column]:
        count += 1
    return count
