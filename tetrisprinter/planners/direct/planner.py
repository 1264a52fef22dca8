"""The real-time planner for any board, any picture and up to seven colours.

It prints row by row like the article's planners (:mod:`~tetrisprinter.planners.article.rows`),
but lets every orientation be an *emitter*: whatever leaves its lowest cells in the row and
has its other cells, if any, begin in the row above, is a way to print one, two, three or
four equal squares at once. Which emitters share a pass is a shortest path along the
columns, one for each remainder that their presets can have modulo 4, because the
remainder decides how many rows the matrix needs; the pass with the most squares for its
cells wins, and a randomized search fills its matrix.

A pixel with nothing below it need not have a platform: an emitter may also hang, with a
cell above a square of the same row that is printed already. Only when that does not
reach every pixel is the row printed on a platform of four rows, built for the place by
the same search, whose last piece falls through two columns beside the picture.

Every row is printed for itself, so on even widths each must hold a number of squares that
the width can leave, and none may be empty. Where a type may have the background's colour,
rows that are not so are given squares of that colour first, which nobody sees.

The result is far from the shortest game, but it is there at once: about a millisecond
for a pass, whatever the width. It is the first complete plan of a large picture, and each
row is finished before the next, so an interrupted plan is a plan of the rows below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tetrisprinter.errors import InputError, JobError, Remedy, Thing
from tetrisprinter.game.counting import makes_pieces
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.packings.problem import PLATFORM_ROWS, Packing, PackingProblem
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.article.rows import emitter_pass
from tetrisprinter.planners.begun import check_begun, rows_done
from tetrisprinter.planners.direct.caps import ATTEMPTS, RETRIES, Caps
from tetrisprinter.planners.direct.emitters import SHAPES, Emitter, most_squares
from tetrisprinter.planners.direct.evening import evened
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types, too_many_colors
from tetrisprinter.support.limits import Limit

__all__ = ["ROW_REMEDY", "Otherwise", "plan_rows", "print_row"]

ROW_REMEDY: Final = Remedy(
    "a board with more columns beside the picture and more rows above it helps ({}), "
    "other types for its colours ({}), or a planner that searches longer ({})",
    Thing.AUTO_BOARD,
    Thing.TYPES,
    Thing.SHORTEST,
)
"""What helps where a row cannot be printed, directly or by carrying."""

_PATIENT: Final = 60  # starts for what there is no other way to print
_EASY: Final = (PieceType.J, PieceType.L, PieceType.T)
_PLATFORM_TRIES: Final = 12
_MORECAPS: Final = 4
_SEEDS: Final = 2
"""How many other seeds a row is tried with that cannot be printed."""

Types = Mapping[PieceType, Color]


_Row = dict[int, Color]


Otherwise = Callable[[Task, Types, int], Sequence[Pass] | None]
"""Prints a row of a task's picture, all its rows below being there, or returns None."""


def plan_rows(task: Task, run: Run, otherwise: Otherwise | None = None) -> Plan:
    """Plan a picture row by row, in any types: :func:`share_types` where they are left open.

    Squares of the task's background may be empty or hold a type of its colour; where the
    types are left open, some are given it if the picture cannot do without. Told the plan so
    far after each row, and goes on from the rows of ``run.begun``. A row that it cannot print
    is tried with other seeds and then left to ``otherwise``.

    Raises
    ------
    InputError
        If a colour has no type, the picture is not on the board, or the plan that was begun
        is not the beginning of such a plan.
    JobError
        Naming the row that could not be printed and what would help.
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
    job = _Job(task, types, run, otherwise, run.limit.seed)
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


def print_row(task: Task, types: Types, y: int, run: Run) -> Sequence[Pass]:
    """Print one row of a picture that leaves nothing to choice, all its rows below being there.

    Raises
    ------
    JobError
        If it cannot be printed.
    """
    return _Job(task, types, run, None, run.limit.seed).row(y)


@dataclass(frozen=True, slots=True)
class _Job:
    task: Task
    types: Types
    run: Run
    otherwise: Otherwise | None
    seed: int = 0

    @property
    def picture(self) -> Picture:
        return self.task.picture

    @property
    def column(self) -> int:
        return self.task.column

    @property
    def width(self) -> int:
        return self.task.board.width

    @property
    def height(self) -> int:
        return self.task.board.height

    def wanted(self, y: int) -> _Row:
        """Return the squares of a row of the picture, by column of the board."""
        if y < 0:
            return {}
        row = self.picture.rows[y]
        return {self.column + x: color for x, color in enumerate(row) if color is not None}

    def row(self, y: int) -> Sequence[Pass]:
        """Print a row; if it cannot be, then with other seeds, or by somebody else.

        Raises
        ------
        JobError
            If nobody can.
        """
        where = f"{self.picture.name}: row {self.picture.image_row(y)} from the top"
        for more in range(_SEEDS + 1):
            passes = replace(self, seed=self.seed + more).printed_row(y)
            if passes is not None:
                if more:
                    self.run.fell_back("row printed with another seed", where)
                return passes
        if self.otherwise is not None:
            others = self.otherwise(self.task, self.types, y)
            if others is not None and self.leaves_row(others, y):
                self.run.fell_back("row printed by the search for rows", where)
                return others
        raise JobError(
            f"{where} could not be printed in real time on a board of {self.task.board}",
            ROW_REMEDY,
        )

    def printed_row(self, y: int) -> list[Pass] | None:
        """Print a row: directly if that reaches all of it, else in one of the other ways."""
        wanted, below = self.wanted(y), frozenset(self.wanted(y - 1))
        ground = frozenset(range(self.width)) if y == 0 else below
        rows = self.height - y - 1
        # A square over nothing needs a platform more often than not, any other never does.
        hanging = not ground.issuperset(wanted)
        caps, platform = (
            lambda: self.with_caps(wanted, ground, rows),
            lambda: self.raised(wanted, y, below),
        )
        ways: tuple[Callable[[], list[Pass] | None], ...] = (
            lambda: self.directly(wanted, ground, rows),
            *((platform, caps) if hanging else (caps, platform)),
        )
        for way in ways:
            passes = way()
            if passes is not None and self.leaves_row(passes, y):
                return passes
        return None

    def leaves_row(self, passes: Sequence[Pass], y: int) -> bool:
        """Play the passes on the rows below and look at what they leave."""
        names = {color: int(piece) for piece, color in self.types.items()}
        rows = [
            [names[row[x]] if x in row else 0 for x in range(self.width)]
            for row in map(self.wanted, range(y))
        ]
        field = Playfield.from_rows(self.width, self.height, rows)
        try:
            for pass_ in passes:
                for piece in pass_.pieces:
                    field.drop(piece.orientation, piece.x)
        except TopOutError:
            return False
        colors = {int(piece): color for piece, color in self.types.items()}
        left = {x: colors.get(v) for x, v in enumerate(field.rows[y]) if v}
        return left == self.wanted(y) and max(field.tops) == y + 1

    def directly(self, wanted: _Row, ground: frozenset[int], rows: int) -> list[Pass] | None:
        """Print a row pass by pass."""
        passes, stuck = self.printed(wanted, {}, ground, rows)
        return None if stuck else passes

    def with_caps(self, wanted: _Row, ground: frozenset[int], rows: int) -> list[Pass] | None:
        """Print what would be stuck first, as squares that stand on a matrix and come down."""
        _, stuck = self.printed(wanted, {}, ground, rows)
        for _ in range(_MORECAPS):
            cap = Caps(self.types, self.width, self.seed).above(stuck, ground, rows)
            if cap is None:
                return None
            left = {column: color for column, color in wanted.items() if column not in stuck}
            passes, still = self.printed(left, stuck, ground, rows)
            if not still:
                return [cap, *passes]
            stuck = stuck | still
        return None

    def raised(self, wanted: _Row, y: int, below: frozenset[int]) -> list[Pass] | None:
        """Print a row on a platform."""
        platform = self.platform(below)
        if platform is None:
            return None
        tee = Placement.of(platform.problem.presets[0])
        assert tee is not None
        top = frozenset(range(self.column, self.column + self.picture.width))
        on_top, stuck = self.printed(wanted, {}, top, self.height - y - PLATFORM_ROWS)
        if stuck:
            return None
        return [
            Pass(PLATFORM_ROWS, (tee, *platform.pieces[:-1])),
            *on_top,
            Pass(PLATFORM_ROWS, platform.pieces[-1:]),
        ]

    def printed(
        self, wanted: _Row, printed: _Row, ground: frozenset[int], rows: int
    ) -> tuple[list[Pass], _Row]:
        """Return passes that print a row, and the squares that they cannot reach.

        ``printed`` is in the row already, ``ground`` are the columns that hold a square of
        the row from below, ``rows`` how many rows of the board are above it.
        """
        left = dict(wanted)
        passes: list[Pass] = []
        while left:
            done = (frozenset(wanted) | frozenset(printed)) - frozenset(left)
            emitters = self.emitters(left, ground, done)
            found = self.best_pass(emitters, done, rows)
            if found is None:
                break
            chosen, pass_ = found
            passes.append(pass_)
            for emitter in chosen:
                for column in emitter.columns:
                    del left[column]
        return passes, left

    def emitters(self, left: _Row, ground: frozenset[int], done: frozenset[int]) -> list[Emitter]:
        """List what can print some of the squares that are left and is held there.

        Presets of two or three rows make matrices that are hard to pack, so they are left
        to colours that have no other way.
        """
        found: list[Emitter] = []
        others = {c for piece, c in self.types.items() if piece is not PieceType.O}
        pairs_only = set(self.types.values()) - others
        easy = {self.types[piece] for piece in _EASY if piece in self.types}
        for shape in SHAPES:
            color = self.types.get(shape.orientation.piece)
            if color is None or (shape.rows > 1 and color in easy):
                continue
            for x in range(self.width - shape.orientation.width + 1):
                columns = [x + dx for dx in shape.squares]
                if any(left.get(column) != color for column in columns):
                    continue
                if color in pairs_only and _run_before(left, x) % 2:
                    continue  # would leave a single square that an O cannot
                held = any(column in ground for column in columns) or any(
                    x + dx in done for dx, bottom in enumerate(shape.orientation.bottom) if bottom
                )
                if held:
                    found.append(Emitter(shape, x))
        return found

    def best_pass(
        self, emitters: Sequence[Emitter], done: frozenset[int], rows: int
    ) -> tuple[list[Emitter], Pass] | None:
        """Choose emitters side by side and pack the matrix above them."""
        lying = most_squares([e for e in emitters if not e.shape.presets], self.width)[0]
        if lying:
            return lying, Pass(1, tuple(e.placement for e in lying))
        options: list[tuple[float, int, list[Emitter]]] = []
        halves: list[tuple[float, int, list[Emitter]]] = []
        for chosen in most_squares(emitters, self.width):
            options.extend(self.options(chosen, rows))
            for half in (chosen[: len(chosen) // 2], chosen[len(chosen) // 2 :]):
                halves.extend(self.options(half, rows))
        # When none of these can be packed, single emitters are the last resort.
        for starts, some in (
            (RETRIES, sorted(options, key=lambda option: -option[0])),
            (RETRIES, sorted(halves, key=lambda option: -option[0])),
            (RETRIES, [o for e in emitters for o in self.options([e], rows)]),
            (_PATIENT, [o for e in emitters for o in self.options([e], rows, 3)]),
        ):
            for _, lines, chosen in some:
                packing = self.pack(chosen, done, lines, starts)
                if packing is not None:
                    return chosen, emitter_pass(packing, [e.placement for e in chosen])
        return None

    def options(
        self, chosen: list[Emitter], rows: int, most: int = 2
    ) -> Iterator[tuple[float, int, list[Emitter]]]:
        """Yield the heights of the matrix that the count allows, with their yield."""
        if not chosen:
            return
        presets = sum(len(e.shape.presets) for e in chosen)
        least = max(e.shape.rows for e in chosen)
        squares = sum(len(e.shape.squares) for e in chosen)
        tried = 0
        for lines in range(least, rows + 1):
            if makes_pieces(self.width * lines - presets):
                yield squares / (self.width * lines + squares), lines, chosen
                tried += 1
                if tried == most:
                    return

    def pack(
        self, chosen: Sequence[Emitter], done: frozenset[int], lines: int, starts: int
    ) -> Packing | None:
        presets = tuple(tuple((e.x + x, y) for x, y in e.shape.presets) for e in chosen)
        squares = done | {column for e in chosen for column in e.columns}
        try:
            problem = PackingProblem(self.width, lines, presets, squares)
        except InputError:  # the presets complete a row
            return None
        return self.search(problem, starts)

    def search(self, problem: PackingProblem, starts: int = RETRIES) -> Packing | None:
        self.run.check_time(self.task.name)
        limit = Limit(workers=self.run.limit.workers, seed=self.seed)
        result = Backtracker(ATTEMPTS, starts).find(problem, limit)
        return result if isinstance(result, Packing) else None

    def platform(self, below: frozenset[int]) -> Packing | None:
        """Build a platform on the row below, beside whose last piece the picture fits."""
        if not makes_pieces(self.width * PLATFORM_ROWS):
            return None
        tee = next(o for o in ORIENTATIONS if o.piece is PieceType.T and o.row_widths == (3, 1))
        hooks = [o for o in ORIENTATIONS if o.width == 2 and o.row_widths == (1, 1, 2)]
        edges = [
            x
            for x, free in (
                (0, self.column),
                (self.width - 2, self.width - self.column - self.picture.width),
            )
            if free >= 2
        ]
        tried = 0
        for square in sorted(below):
            for x in (square - 1, square, square - 2):
                for edge in edges:
                    for hook in hooks:
                        if x < 2 or x + 3 > self.width - 2 or tried >= _PLATFORM_TRIES * len(edges):
                            continue
                        tried += 1
                        found = self.search(
                            PackingProblem(
                                self.width,
                                PLATFORM_ROWS,
                                (tee.at(x, 0),),
                                below,
                                last=Placement(hook, edge, 1),
                            )
                        )
                        if found is not None:
                            return found
        return None


def _run_before(row: _Row, column: int) -> int:
    """Return how many squares of the same colour lie right before a square of a row."""
    count = 0
    while row.get(column - count - 1) == row[column]:
        count += 1
    return count
