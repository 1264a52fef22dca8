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

The result is far from the shortest game, but it is there at once: about a millisecond
for a pass, whatever the width. It is the first complete plan of a large picture, and each
row is finished before the next, so an interrupted plan is a plan of the rows below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import play, shown
from tetrisprinter.packings.finders.backtracker import find
from tetrisprinter.packings.problem import PLATFORM_ROWS, Packing, PackingProblem
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.article.rows import emitter_pass
from tetrisprinter.planners.direct.emitters import CAPS, SHAPES, Emitter, most_squares, share_types

__all__ = ["plan_any", "rows_done"]

_ATTEMPTS: Final = 300
_RETRIES: Final = 20
_PATIENT: Final = 60  # starts for what there is no other way to print
_EASY: Final = (PieceType.J, PieceType.L, PieceType.T)
_PLATFORM_TRIES: Final = 12
_MORECAPS: Final = 4

Types = Mapping[PieceType, Color]


_Row = dict[int, Color]


def plan_any(
    picture: Picture,
    width: int,
    height: int,
    column: int,
    types: Types | None = None,
    *,
    seed: int = 0,
    workers: int = 1,
    begun: Plan | None = None,
    on_row: Callable[[Plan], None] = lambda _: None,
) -> Plan:
    """Plan a picture for a board.

    Parameters
    ----------
    picture : Picture
        Trimmed; what is transparent stays empty.
    width, height : int
        The board.
    column : int
        Where the picture's leftmost column stands.
    types : mapping of PieceType to str, optional
        Which type has which colour; several may share one. Types that it leaves out are
        not seen in the end. Default: :func:`share_types`.
    seed : int
        Same seed, same plan, whatever the number of workers.
    workers : int
        Threads of the search.
    begun : Plan, optional
        A plan of the picture's lowest rows to go on from, as an interrupted run leaves it.
    on_row : callable
        Called with the plan so far after each row.

    Raises
    ------
    InputError
        If a colour has no type, the picture is not on the board, or ``begun`` is not the
        beginning of such a plan.
    JobError
        Naming the row that could not be printed and what would help.
    """
    shades = dict(types) if types is not None else dict(begun.colors if begun else ())
    shades = shades or share_types(picture)
    for color in picture.colors():
        if color not in shades.values():
            raise InputError(f"{picture.name}: no piece type has the colour {color}")
    colors = tuple(shades.items())
    job = _Job(picture, width, height, column, shades, seed, workers)
    passes: list[Pass] = []
    first = 0
    if begun is not None:
        first = rows_done(begun, picture, column)
        if (begun.width, begun.height) != (width, height) or dict(begun.colors) != shades:
            raise InputError("the plan that was begun is for another board or other colours")
        passes.extend(begun.passes)
    for y in range(first, picture.height):
        passes.extend(job.row(y))
        on_row(Plan(tuple(passes), colors, width, height))
    return Plan(tuple(passes), colors, width, height)


def rows_done(plan: Plan, picture: Picture, column: int) -> int:
    """Return how many of a picture's lowest rows a plan prints.

    Raises
    ------
    InputError
        If it leaves anything but complete rows of the picture.
    """
    field = Playfield(plan.width, plan.height)
    for _ in play(plan, field):
        pass
    left = shown(plan, field).rows
    wanted = picture.placed(plan.width, plan.height, column).rows
    rows = sum(any(color is not None for color in row) for row in left)
    if (
        rows > picture.height
        or left[:rows] != wanted[:rows]
        or any(any(v for v in field.rows[y]) for y in range(rows, plan.height))
    ):
        raise InputError(f"the plan to go on from does not leave the lowest rows of {picture.name}")
    return rows


@dataclass(frozen=True, slots=True)
class _Job:
    picture: Picture
    width: int
    height: int
    column: int
    types: Types
    seed: int
    workers: int

    def wanted(self, y: int) -> _Row:
        """Return the squares of a row of the picture, by column of the board."""
        if y < 0:
            return {}
        row = self.picture.rows[y]
        return {self.column + x: color for x, color in enumerate(row) if color is not None}

    def row(self, y: int) -> list[Pass]:
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
        raise JobError(
            f"{self.picture.name}: row {self.picture.image_row(y)} from the top could not be "
            f"printed in real time on a board of {self.width}x{self.height}; a board with more "
            "columns beside the picture and more rows above it helps (--board auto), other types "
            "for its colours (--types), or a planner that searches longer (--planner shortest)"
        )

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
            cap = self.cap_pass(stuck, ground, rows)
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

    def cap_pass(self, squares: _Row, ground: frozenset[int], rows: int) -> Pass | None:
        """Print single squares from above: the last pieces of a matrix stick out of its top.

        The row must be empty. The matrix is left with dents for these pieces; when they
        fall into them, all its rows vanish and what stuck out comes down.
        """
        caps = self.caps(squares, ground)
        if not caps:
            return None
        deepest = max(o.height - 1 for o, _ in caps)
        for lines in range(deepest + 1, min(rows, deepest + 9)):
            if (self.width * lines + len(squares)) % 4:
                continue
            filling = self.fill_below(caps, ground, lines)
            if filling is not None:
                tops = [Placement(o, x, lines + 1 - o.height) for o, x in caps]
                return Pass(lines + 1, (*filling, *tops))
        return None

    def caps(self, squares: _Row, ground: frozenset[int]) -> list[tuple[Orientation, int]] | None:
        """Choose pieces side by side that leave exactly these squares on top.

        When they fall, the rows below their feet have gone. A piece that is not flat is
        held by the row it completes itself, a flat one only by what the matrix stood on.
        """
        caps: list[tuple[Orientation, int]] = []
        left, taken = dict(squares), -1
        while left:
            first = min(left)
            for orientation in CAPS:
                on_top = [x for x, top in enumerate(orientation.top) if top == orientation.height]
                x = first - on_top[0]
                feet = range(x, x + orientation.width)
                if (
                    taken < x <= self.width - orientation.width
                    and not (orientation.is_flat and ground.isdisjoint(feet))
                    and all(
                        left.get(x + dx) == self.types.get(orientation.piece, "") for dx in on_top
                    )
                ):
                    caps.append((orientation, x))
                    taken = x + orientation.width - 1
                    for dx in on_top:
                        del left[x + dx]
                    break
            else:
                return None
        return caps

    def fill_below(
        self, caps: Sequence[tuple[Orientation, int]], ground: frozenset[int], lines: int
    ) -> tuple[Placement, ...] | None:
        import numpy as np

        from tetrisprinter.packings.finders import _kernel

        ceilings = np.full(self.width, lines, np.int64)
        for orientation, x in caps:
            for dx, bottom in enumerate(orientation.bottom):
                ceilings[x + dx] = lines + 1 - orientation.height + bottom
        placed = np.array(
            [
                o.index * self.width + x
                for o in ORIENTATIONS
                for x in range(self.width - o.width + 1)
            ],
            np.int64,
        )
        out = np.zeros(int(ceilings.sum()) // 4 + 1, np.int64)
        held = np.array([x in ground for x in range(self.width)])
        for start in range(_RETRIES):
            order = np.random.default_rng((self.seed, start)).permutation(placed)
            order = order[np.argsort(order % self.width, kind="stable")]
            heights = np.zeros(self.width, np.int64)
            status, _ = _kernel.search(
                heights, ceilings, held, order, _ATTEMPTS, np.zeros(1, np.bool_), out
            )
            if status == _kernel.FOUND:
                break
        else:
            return None
        tops = [0] * self.width
        pieces: list[Placement] = []
        for code in out[: int(ceilings.sum()) // 4]:
            index, x = divmod(int(code), self.width)
            orientation = ORIENTATIONS[index]
            y = tops[x] - orientation.bottom[0]
            pieces.append(Placement(orientation, x, y))
            for dx, top in enumerate(orientation.top):
                tops[x + dx] = y + top
        return tuple(pieces)

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
            (_RETRIES, sorted(options, key=lambda option: -option[0])),
            (_RETRIES, sorted(halves, key=lambda option: -option[0])),
            (_RETRIES, [o for e in emitters for o in self.options([e], rows)]),
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
            if (self.width * lines - presets) % 4 == 0:
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

    def search(self, problem: PackingProblem, starts: int = _RETRIES) -> Packing | None:
        result = find(
            problem,
            max_attempts=_ATTEMPTS,
            retries=starts,
            seed=self.seed,
            workers=self.workers,
        )
        return result if isinstance(result, Packing) else None

    def platform(self, below: frozenset[int]) -> Packing | None:
        """Build a platform on the row below, beside whose last piece the picture fits."""
        if (self.width * PLATFORM_ROWS - 4) % 4:
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
