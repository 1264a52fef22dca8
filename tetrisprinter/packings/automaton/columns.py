"""One column of a matrix: its letter, the states before and after it, the moves that fill it.

This is the placement model of :mod:`tetrisprinter.packings.placements` read from left to right.
Levels and support come from the candidates of that model; this module adds no rule.

A **letter** describes a column before any piece drops: :data:`PRESET` if its bottom cell is filled,
plus :data:`SQUARE` if it stands on a square of row -1.

A **state** is one integer. With ``h`` rows its bits are, from the lowest:

- ``9 h`` bits: the next three columns, nearest first, rows from the bottom, three bits
  each: 0 if no piece so far covers that cell, otherwise the piece's level plus one;
- ``h`` bits: the rows whose completing piece is placed;
- ``2 h`` bits: for each row the number of further columns that a flat piece with its bottom
  in that row covers, if no column of the piece so far is over a square; otherwise 0.

One number for each row is enough: two such pieces with their bottoms in the same row would overlap
in the next column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation
from tetrisprinter.packings.placements import list_candidates
from tetrisprinter.packings.problem import PackingProblem

PRESET: Final = 1
SQUARE: Final = 2

MAX_ROWS: Final = 6
"""The greatest height: a level plus one must fit into three bits."""

_TRAIL_BITS: Final = 10
"""Bits for each move in a trail: the moves that fill a column, as one integer."""

_BY_NAME: Final = {f"{o.piece.name}{o.turns}": o for o in ORIENTATIONS}


@dataclass(frozen=True, slots=True)
class ColumnMove:
    """A piece with its level; its leftmost column is the column that is being filled.

    Its text is the type, the clockwise turns from the spawn orientation, the lowest row of its
    bounding box, and the level.

    >>> move = ColumnMove.parse("T2 0 1")
    >>> print(move.orientation)
    .#.
    ###
    >>> str(move)
    'T2 0 1'
    """

    orientation: Orientation
    y: int
    level: int

    def __str__(self) -> str:
        return f"{self.orientation.piece.name}{self.orientation.turns} {self.y} {self.level}"

    @classmethod
    def parse(cls, text: str) -> ColumnMove:
        """Read the text of a move; raise a ValueError if the text is not a move."""
        name, y, level = text.split(" ")
        if name not in _BY_NAME:
            raise ValueError(f"invalid orientation {name!r}")
        return cls(_BY_NAME[name], int(y), int(level))


@dataclass(frozen=True, slots=True)
class ColumnMoves:
    """The moves of a height, as the tables that the compiled loops read."""

    rows: int
    squares: bool  # whether row -1 can have squares
    moves: tuple[ColumnMove, ...]  # sorted by the row in which they enter the column
    # The first table has for each row the index of its first move. Each other table has an item for
    # each move: the bits of its cells in the column; its level plus one; the bits of the next state
    # that must be clear; the bits that the move sets; the bits that it also sets if the column is
    # over no square (-1 if the move needs a square in this column)
    tables: tuple[Sequence[int], ...]

    @classmethod
    @cache
    def build(cls, rows: int, squares: bool = True) -> ColumnMoves:
        """Return the moves of a height up to :data:`MAX_ROWS`."""
        problem = PackingProblem(4, rows)
        over_squares = replace(problem, squares=frozenset(range(4) if squares else ()))
        latest_over_no_squares = {c.placement: c.latest for c in list_candidates(problem)}
        entries: list[tuple[int, ...]] = []
        moves: list[ColumnMove] = []
        for candidate in list_candidates(over_squares):
            piece = candidate.placement
            if piece.x != 0:
                continue
            latest = latest_over_no_squares.get(piece, -1)
            entry_row = piece.y + piece.orientation.bottom[0]
            for level in range(candidate.latest + 1):
                next_cells = occupied = completed_rows = column_cells = 0
                for x, y in candidate.cells:
                    if x == 0:
                        column_cells |= 7 << 3 * y
                    else:
                        shift = 3 * ((x - 1) * rows + y)
                        next_cells |= (level + 1) << shift
                        occupied |= 7 << shift
                    if level > y:
                        completed_rows |= 1 << (9 * rows + y)
                columns_left = piece.orientation.width - 1
                unsupported = 0
                if level > latest:
                    unsupported = columns_left << (10 * rows + 2 * piece.y) if columns_left else -1
                entries.append(
                    (
                        entry_row,
                        len(moves),
                        column_cells,
                        level + 1,
                        occupied | completed_rows,
                        next_cells | completed_rows,
                        unsupported,
                    )
                )
                moves.append(ColumnMove(piece.orientation, piece.y, level))
        entries.sort()
        first = [sum(1 for entry in entries if entry[0] < row) for row in range(rows + 1)]
        return cls(
            rows,
            squares,
            tuple(moves[entry[1]] for entry in entries),
            (first, *([entry[k] for entry in entries] for k in range(2, 7))),
        )

    def list_fillings(self, code: int, letter: int) -> list[tuple[int, int]]:
        """List the ways to fill a column, each as the next state and the trail of its moves."""
        from tetrisprinter.packings.automaton import _kernel

        return _kernel.list_fillings(_load_moves(self.rows, self.squares), code, letter)

    def decode_trail(self, trail: int) -> tuple[ColumnMove, ...]:
        """Return the moves of a trail, lowest first."""
        pieces = []
        while trail:
            pieces.append(self.moves[(trail & ((1 << _TRAIL_BITS) - 1)) - 1])
            trail >>= _TRAIL_BITS
        return tuple(pieces)


def encode_complete(rows: int) -> int:
    """Return the code of the state of a complete matrix."""
    return ((1 << rows) - 1) << 9 * rows


@cache
def _load_moves(rows: int, squares: bool) -> Any:
    """Return the moves of a height in the form that the compiled loops read."""
    from tetrisprinter.packings.automaton import _kernel

    return _kernel.Moves(rows, ColumnMoves.build(rows, squares).tables)
