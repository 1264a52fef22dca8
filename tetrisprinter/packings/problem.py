"""The packing problem and its answers.

A **packed matrix** is a rectangle that tetrominoes fill and that clears completely. Its **presets**
are the matrix cells of the pieces that are dropped first, such as emitter pieces. Every other piece
must be *gap-free*: each of its columns rests on a filled cell or on the bottom of the matrix. It
must also be *supported*: one of its columns rests on a cell of a row that is not complete yet, or
is over a square of row -1, the row below the matrix.

A drawn matrix can have **holes**, which stay empty. A row with a hole never clears, and a piece may
lie over a hole. A hole holds nothing, so another column must support the piece.

:meth:`Packing.check` replays a packing drop by drop. It uses no code of the finders, and they call
it before they return a packing with pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from tetrisprinter.errors import InputError, TetrisPrinterError
from tetrisprinter.game.field import CLASSIC_BOARD, can_make_pieces
from tetrisprinter.game.pieces import (
    ORIENTATIONS,
    Block,
    Cell,
    Orientation,
    PieceType,
    Placement,
    draw,
    split_blocks,
)
from tetrisprinter.game.plan import PLATFORM_ROWS as PLATFORM_ROWS  # noqa: PLC0414  (planners import it)
from tetrisprinter.support import load


class PackingError(TetrisPrinterError):
    """The error of a packing that breaks a rule; the message says which one."""


@dataclass(frozen=True, slots=True)
class PackingProblem:
    """A matrix to pack.

    Attributes
    ----------
    width, rows : int
        Size of the matrix.
    presets : tuple of tuple of (int, int)
        The matrix cells of each piece that is dropped first, in drop order. Together they are
        gap-free.
    squares : frozenset of int
        Columns with a square in row -1.
    last : Placement or None
        The piece that must be dropped last (the removable piece of a platform).
    orientations : tuple of Orientation
        The orientations that may fill the remaining cells.
    required : tuple of Placement
        Pieces that must be in the packing.
    holes : frozenset of (int, int)
        Cells that stay empty.

    Raises
    ------
    InputError
        If the size is not positive, if presets overlap, leave the matrix, hang above a gap or
        complete a row, or if ``last`` does not fit. Also if a hole lies outside the matrix or is
        covered by a given piece, or if a problem with a last piece has holes.
    """

    width: int
    rows: int
    presets: tuple[tuple[Cell, ...], ...] = ()
    squares: frozenset[int] = frozenset()
    last: Placement | None = None
    orientations: tuple[Orientation, ...] = ORIENTATIONS
    required: tuple[Placement, ...] = ()
    holes: frozenset[Cell] = frozenset()

    def __post_init__(self) -> None:
        if self.width < 1 or self.rows < 1:
            raise InputError(f"invalid matrix {self.width}x{self.rows}; expected a positive size")
        for x in self.squares:
            if not 0 <= x < self.width:
                raise InputError(
                    f"no column {x} for a square of the row below; expected 0 to {self.width - 1}"
                )
        cells = [cell for preset in self.presets for cell in preset]
        cells += self.last.cells if self.last else ()
        if len(set(cells)) < len(cells):
            raise InputError("presets overlap")
        cells += [cell for piece in self.required if piece != self.last for cell in piece.cells]
        if len(set(cells)) < len(cells):
            raise InputError("a required piece overlaps a preset or another piece")
        if not all(0 <= x < self.width and 0 <= y < self.rows for x, y in cells):
            raise InputError(f"a preset lies outside the {self.width}x{self.rows} matrix")
        if self.holes:
            self._check_holes(cells)
        start = self.start  # refuses presets above a gap
        if self.free_cells and any(min(start) > y for y in self.clearing_rows):
            raise InputError("the presets alone complete a row")

    def _check_holes(self, given: list[Cell]) -> None:
        """Refuse holes that contradict the rest of the problem; ``given`` is covered by pieces."""
        if self.last is not None:
            raise InputError("a problem with a piece that must be dropped last has holes")
        if not self.holes.isdisjoint(given):
            raise InputError("a preset or required piece covers a hole")
        if not all(0 <= x < self.width and 0 <= y < self.rows for x, y in self.holes):
            raise InputError(f"a hole lies outside the {self.width}x{self.rows} matrix")

    @property
    def start(self) -> tuple[int, ...]:
        """Column heights after the presets are dropped."""
        heights = [self.skip_holes(x, 0) for x in range(self.width)]
        for x, y in sorted(
            (cell for preset in self.presets for cell in preset), key=lambda c: c[1]
        ):
            if y != heights[x]:
                raise InputError(f"a preset leaves a gap in column {x}")
            heights[x] = self.skip_holes(x, y + 1)
        return tuple(heights)

    def skip_holes(self, x: int, y: int) -> int:
        """Return the lowest row from ``y`` upwards in which column ``x`` has no hole."""
        while (x, y) in self.holes:
            y += 1
        return y

    @property
    def clearing_rows(self) -> tuple[int, ...]:
        """The rows that clear, from below: those without holes."""
        with_holes = {y for _, y in self.holes}
        return tuple(y for y in range(self.rows) if y not in with_holes)

    @property
    def free_cells(self) -> int:
        """Number of cells to fill."""
        return self.width * self.rows - sum(map(len, self.presets)) - len(self.holes)

    @property
    def is_divisible(self) -> bool:
        """Whether the free cells are a multiple of 4, a necessary condition."""
        return can_make_pieces(self.free_cells)


@dataclass(frozen=True, slots=True)
class Packing:
    """A filled matrix: the problem, and the pieces that solve the problem, in drop order.

    ``str()`` returns the text form of the article: the first letters are the presets, then the
    pieces follow. :meth:`read_block` reads this text.
    """

    problem: PackingProblem
    pieces: tuple[Placement, ...]

    def __str__(self) -> str:
        groups = [*self.problem.presets, *(piece.cells for piece in self.pieces)]
        return draw(self.problem.width, self.problem.rows, groups)

    def __repr__(self) -> str:
        size = f"{self.problem.width}x{self.problem.rows}"
        return f"<Packing of {size}, {len(self.pieces)} pieces>"

    def _repr_svg_(self) -> str:
        """Show the packing in a notebook."""
        svg: str = load("tetrisprinter.render.still:draw_packing_svg")(self)
        return svg

    def check(self) -> None:
        """Replay the packing drop by drop.

        Raises
        ------
        PackingError
            If a piece breaks a rule.
        """
        problem = self.problem
        heights = list(problem.start)
        filled = {cell for preset in problem.presets for cell in preset}
        allowed = frozenset(problem.orientations)
        missing_cells = Counter(y for y in range(problem.rows) for _ in range(problem.width))
        missing_cells.subtract(y for _, y in filled)  # a row with holes never reaches 0
        for number, piece in enumerate(self.pieces, 1):
            name = f"piece {number} ({piece.orientation.piece.name} at column {piece.x})"
            if piece.orientation not in allowed:
                raise PackingError(f"{name} has an orientation that the problem does not allow")
            for x, y in piece.cells:
                if not (0 <= x < problem.width and 0 <= y < problem.rows):
                    raise PackingError(f"{name} leaves the matrix")
                if (x, y) in filled:
                    raise PackingError(f"{name} covers a filled cell")
            has_support = False
            for dx, bottom in enumerate(piece.orientation.bottom):
                x = piece.x + dx
                if heights[x] != piece.y + bottom:
                    raise PackingError(f"{name} leaves a gap in column {x}")
                below = heights[x] - 1
                while below >= 0 and not missing_cells[below]:  # the row has cleared
                    below -= 1
                has_support |= (x, below) in filled if below >= 0 else x in problem.squares
            if not has_support:
                raise PackingError(f"{name} has no support")
            filled.update(piece.cells)
            missing_cells.subtract(y for _, y in piece.cells)
            for dx, top in enumerate(piece.orientation.top):
                heights[piece.x + dx] = problem.skip_holes(piece.x + dx, piece.y + top)
        unfilled = problem.width * problem.rows - len(problem.holes) - len(filled)
        if unfilled:
            raise PackingError(f"{unfilled} cells are left unfilled")
        missing = set(problem.required) - set(self.pieces)
        if missing:
            raise PackingError(f"{len(missing)} required pieces are missing")
        if problem.last is not None and (not self.pieces or self.pieces[-1] != problem.last):
            raise PackingError("the last piece of the problem is not dropped last")

    @classmethod
    def read_block(cls, block: Block, presets: int, *, removable: bool = False) -> Packing:
        """Read the text form of a packing, in which the first ``presets`` letters are presets.

        ``removable``: the last letter is a removable piece.
        """
        pieces = block.list_pieces(presets)
        if removable and not pieces:
            raise block.make_error("the platform has no removable piece")
        try:
            problem = PackingProblem(
                block.width,
                block.height,
                block.groups[:presets],
                last=pieces[-1] if removable else None,
            )
        except InputError as error:
            raise block.make_error(str(error)) from error
        return cls(problem, pieces)

    @classmethod
    def parse(cls, text: str, presets: int = 0, source: str = "packing") -> Packing:
        """Read a single packing; see :meth:`read_block`."""
        blocks = split_blocks(text, source)
        if len(blocks) != 1:
            raise InputError(f"{source}: {len(blocks)} blocks; expected one")
        return cls.read_block(blocks[0], presets)


@dataclass(frozen=True, slots=True)
class Infeasible:
    """No packing exists: the search was exhaustive, or arithmetic excludes it."""

    reason: str = "exhausted"


@dataclass(frozen=True, slots=True)
class Unknown:
    """The finder gave up without an answer."""

    reason: str


Result = Packing | Infeasible | Unknown


def make_emitter_problem(
    width: int,
    rows: int,
    positions: Iterable[int],
    squares: Iterable[int] = (),
    orientations: tuple[Orientation, ...] = ORIENTATIONS,
) -> PackingProblem:
    """Return the packing problem for emitter pieces at the given columns.

    Parameters
    ----------
    width, rows : int
        Size of the matrix.
    positions : iterable of int
        Leftmost columns of the emitter pieces. Each piece presets three cells of row 0, so that a
        J, T or L, nub down, can emit a square below any of them.
    squares : iterable of int
        Columns with a square in row -1 that may support pieces. In the tables there are none: no
        emitted square counts as support.
    orientations : tuple of Orientation
        The orientations that may fill the remaining cells.

    Returns
    -------
    PackingProblem
        The problem.

    Raises
    ------
    InputError
        If the emitters overlap or leave the matrix.
    """
    presets = tuple(tuple((x + i, 0) for i in range(3)) for x in sorted(positions))
    return PackingProblem(width, rows, presets, frozenset(squares), None, orientations)


def list_emitter_positions(
    emitted: int, width: int = CLASSIC_BOARD.width
) -> Iterator[tuple[int, ...]]:
    """Yield all positions of emitter pieces: ascending columns three or more apart, in order.

    >>> [sum(1 for _ in list_emitter_positions(n)) for n in range(1, 8)]
    [19, 136, 455, 715, 462, 84, 1]
    """
    # Each triple counts as one column here; the columns after it are shifted back by two.
    for chosen in combinations(range(width - 2 * emitted), emitted):
        yield tuple(column + 2 * i for i, column in enumerate(chosen))


def list_platform_problems(width: int, column: int) -> tuple[PackingProblem, ...]:
    """Return the packing problems of a platform that begins with a T at ``column``.

    A platform is a full rectangle of :data:`PLATFORM_ROWS` rows. Its first piece is a flat T, nub
    up, on a square of the picture. Its last piece clears the remaining rows while squares lie on
    top.

    The last piece must fall through the two columns outside the picture at either edge, and be
    supported after row 0 has cleared: only J and L with the hook at the top can do both. Problems
    at the left edge come first, J before L. Problems where the last piece overlaps the T are left
    out.
    """
    tee = next(o for o in ORIENTATIONS if o.piece is PieceType.T and o.row_widths == (3, 1))
    hooked = [o for o in ORIENTATIONS if o.width == 2 and o.row_widths == (1, 1, 2)]
    return tuple(
        PackingProblem(width, PLATFORM_ROWS, (tee.place(column, 0),), last=Placement(hook, x, 1))
        for x in (0, width - 2)
        for hook in hooked
        if not {*tee.place(column, 0)} & {*hook.place(x, 1)}
    )


def read_matrix(
    text: str,
    source: str = "matrix",
    *,
    squares: Iterable[int] = (),
    orientations: tuple[Orientation, ...] = ORIENTATIONS,
) -> PackingProblem:
    """Read a matrix from a drawing.

    ``.`` is free, ``#`` is preset, ``x`` is a hole that stays, and any other letter is a required
    piece.

    Parameters
    ----------
    text : str
        The drawing, top row first. The four cells of a required piece have the same letter, which
        no other piece has.
    source : str
        The name of the drawing, for messages.
    squares : iterable of int
        Columns with a square in row -1.
    orientations : tuple of Orientation
        The orientations that may fill the free cells.

    Raises
    ------
    InputError
        If the drawing has another character, lines of different lengths, a letter whose cells are
        no tetromino, or presets above a free cell; the message names line and column.

    Examples
    --------
    >>> problem = read_matrix("....\\n##..")
    >>> problem.width, problem.rows, problem.free_cells
    (4, 2, 6)
    """
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    if not lines or not lines[0]:
        raise InputError(f"{source}: empty; expected lines of '.', '#', 'x' and letters")
    height = len(lines)
    presets: list[Cell] = []
    holes: set[Cell] = set()
    letters: dict[str, list[Cell]] = {}
    for number, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            raise InputError(
                f"{source}:{number}: {len(line)} characters; expected {len(lines[0])} as in line 1"
            )
        for x, letter in enumerate(line):
            cell = x, height - number
            if letter == "#":
                presets.append(cell)
            elif letter == "x":
                holes.add(cell)
            elif letter.isascii() and letter.isalpha():
                letters.setdefault(letter, []).append(cell)
            elif letter != ".":
                raise InputError(
                    f"{source}:{number}: invalid {letter!r} in column {x + 1}; expected '.' for a "
                    "free cell, '#' for a preset, 'x' for a hole or another letter for a piece"
                )
    for x, y in presets:
        if y and (x, y - 1) not in presets and (x, y - 1) not in holes:
            raise InputError(
                f"{source}:{height - y}: the preset in column {x + 1} is above a cell that is not "
                "preset; expected presets from the bottom up"
            )
    required = []
    for letter, cells in letters.items():
        piece = Placement.find(tuple(sorted(cells)))
        if piece is None:
            x, y = cells[0]
            raise InputError(
                f"{source}:{height - y}: the {len(cells)} cells {letter!r} from column {x + 1} are "
                "not a tetromino"
            )
        required.append(piece)
    runs: list[list[Cell]] = []  # neighbours in a row are one preset, as an emitter piece is
    for x, y in sorted(presets, key=lambda cell: (cell[1], cell[0])):
        if runs and runs[-1][-1] == (x - 1, y):
            runs[-1].append((x, y))
        else:
            runs.append([(x, y)])
    return PackingProblem(
        len(lines[0]),
        height,
        tuple(map(tuple, runs)),
        frozenset(squares),
        orientations=orientations,
        required=tuple(required),
        holes=frozenset(holes),
    )
