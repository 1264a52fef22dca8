"""What every row of the picture must and may hold, as piece types, row by row.

A picture says colours; a pass leaves piece types. Squares of the background's colour, and
transparent ones if there is a background, may stay empty or hold a type of that colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tetrisprinter.game.counting import is_possible_count, unit_of
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.passes import Columns, Pieces, Squares, drop_order
from tetrisprinter.planners.rows.stacks import Stack
from tetrisprinter.printing.target import Target, make_target, raised
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["ANYTHING", "RowTarget", "State", "Turn", "row_target"]

ANYTHING: Final = sum(1 << piece for piece in PieceType)
"""All types, as a bit set."""


@dataclass(frozen=True, slots=True)
class State:
    """What lies on the board.

    Attributes
    ----------
    rows : int
        How many rows are printed.
    ground : frozenset of int
        Columns with a square in the highest of them.
    carried : frozenset of int
        Columns in which the row above is filled already.
    stays : bool
        Whether what is carried is the picture's, so that it may stay.
    """

    rows: int
    ground: Columns
    carried: Columns
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A pass that may be played; where a row takes several, all of these.

    Attributes
    ----------
    passes : tuple of (str, Pieces)
        The stack of each, and its pieces with their levels.
    after : State
        What lies there after it.
    way : str
        How it was found where no pass was found together with one that could follow it.
    """

    passes: tuple[tuple[str, Pieces], ...]
    after: State
    way: str = ""

    @property
    def lines(self) -> int:
        """How many rows are cleared."""
        return sum(word.count("c") for word, _ in self.passes)

    def played(self) -> tuple[Pass, ...]:
        """Return what is dropped."""
        return tuple(Pass(len(word), drop_order(pieces)) for word, pieces in self.passes)


@dataclass(frozen=True, slots=True)
class RowTarget:
    """The end of the game.

    Attributes
    ----------
    allowed : array of shape (rows, columns)
        The types that may stay in each square of the board, as a bit set.
    required : array of shape (rows, columns)
        Whether the square must not end empty.
    """

    allowed: Ints
    required: Ints

    @property
    def rows(self) -> int:
        """Rows of the picture."""
        return int(self.allowed.shape[0])

    @property
    def width(self) -> int:
        """Columns of the board."""
        return int(self.allowed.shape[1])

    def columns(self, y: int) -> frozenset[int]:
        """Return the columns in which a row must hold a square."""
        return frozenset(x for x, needed in enumerate(self.required[y].tolist()) if needed)

    def lowest(self, rows: int) -> RowTarget:
        """Return the lowest rows; the last of them leaves nothing above it."""
        return RowTarget(self.allowed[:rows], self.required[:rows])

    def clean(self, rows: int) -> State:
        """Return what lies there when so many rows are printed and nothing else."""
        ground = self.columns(rows - 1) if rows else frozenset(range(self.width))
        return State(rows, ground, frozenset())

    def is_exact(self, y: int) -> bool:
        """Whether a row may hold nothing but what it must."""
        return bool(((self.allowed[y] > 0) == (self.required[y] > 0)).all())

    def can_end(self, y: int, carried: int) -> bool:
        """Whether counting leaves a way to an end from the rows below a row.

        Parameters
        ----------
        y : int
            The lowest row that is not printed.
        carried : int
            How many squares of it, or above the last row, are filled.
        """
        if unit_of(self.width) == 1:
            return True
        needed = self.required[y:].sum(1)
        # A row that is full does not stay.
        most = (self.allowed[y:] > 0).sum(1).clip(max=self.width - 1)
        optional = int((most - needed).sum())
        return is_possible_count(int(needed.sum()) - carried, self.width, optional)

    def is_complete(self, y: int, row: Sequence[int]) -> bool:
        """Whether a row of the field, given as piece types, is the picture's."""
        return all(
            mask >> piece & 1 if piece else not needed
            for mask, needed, piece in zip(
                self.allowed[y].tolist(), self.required[y].tolist(), row, strict=True
            )
        )

    def complete(self, rows: Sequence[Sequence[int]], first: int = 0) -> int:
        """Return up to which row those of a field are the picture's, from some row on."""
        while first < min(self.rows, len(rows)) and self.is_complete(first, rows[first]):
            first += 1
        return first

    def state(self, rows: Sequence[Sequence[int]], first: int = 0) -> State | None:
        """Return what lies on a board: complete rows, perhaps squares that are carried.

        Parameters
        ----------
        rows : sequence of sequence of int
            The rows of the board that are not empty, and perhaps some that are, as types.
        first : int
            The lowest row that is looked at.

        Returns
        -------
        State or None
            None if something else lies there.
        """
        kept = self.complete(rows, first)
        ground, carried, *above = [
            frozenset(x for x, value in enumerate(row) if value)
            for row in (rows[kept - 1] if kept else [1] * self.width, *rows[kept:], ())
        ]
        if any(above):
            return None
        stays = len(carried) > 0 and kept < self.rows and self.may_stay(kept, rows[kept])
        return State(kept, ground, carried, stays)

    def may_stay(self, y: int, row: Sequence[int]) -> bool:
        """Whether all squares of a row of the field may stay."""
        allowed = self.allowed[y].tolist()
        return all(not value or mask >> value & 1 for value, mask in zip(row, allowed, strict=True))

    def squares(
        self, stack: Stack, y: int, ground: frozenset[int], carried: frozenset[int] = frozenset()
    ) -> Squares:
        """Return what a pass finds whose lowest row is row ``y``.

        Parameters
        ----------
        stack : Stack
            Its rows.
        y : int
            The lowest picture row that is not printed.
        ground : frozenset of int
            Columns with a square in the row below.
        carried : frozenset of int
            Columns in which the lowest row is filled before.
        """
        import numpy as np

        before = np.zeros(self.width, np.int64)
        before[list(carried)] = 1
        must = np.full(self.width, stack.clearing, np.int64)
        allowed = np.full((self.width, len(stack.word)), ANYTHING, np.int64)
        row = y
        for v, kind in enumerate(stack.word):
            if kind in "pq":
                allowed[:, v] = self.allowed[row]
            if kind == "p":
                must |= self.required[row] << v
                row += 1
        below = np.zeros(self.width, np.int64)
        below[list(ground)] = 1
        return Squares(before, must & ~before, np.zeros_like(must), allowed, below)


def row_target(task: Task, types: Mapping[PieceType, Color]) -> RowTarget:
    """Return what each row of a task must and may hold.

    Where its rows cannot come out even, a background's colour may be left in the one above, too.
    """
    size = (task.board.width, task.board.height)
    target = make_target(task.picture, types, *size, task.column, task.background)
    rows = _in_arrays(target)
    return rows if rows.can_end(0, 0) else _in_arrays(raised(target, 1))


def _in_arrays(target: Target) -> RowTarget:
    """Return a target, whose types have colours, as arrays: its rows, not those above."""
    import numpy as np

    required = np.zeros((target.rows, target.width), np.int64)
    for x, y in target.required:
        required[y, x] = 1
    return RowTarget(np.array(target.allowed, np.int64), required)
