"""The tables: their names and entries; look up one entry, or read and check all of a file.

Seven tables hold, for n = 1..7, an entry for every set of positions of n emitter pieces over a row
of the classic width; another table holds the platforms. The *positions* are the leftmost columns
of the emitter pieces; entries are sorted by positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.game.drawing import split_blocks
from tetrisprinter.game.pieces import PieceType, list_orientations
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.packings.problem import (
    Packing,
    list_emitter_positions,
    list_platform_problems,
    make_emitter_problem,
)
from tetrisprinter.support.displays import HTML
from tetrisprinter.support.files import find_shipped_folder, read_text

TABLE_WIDTH: Final = CLASSIC_BOARD.width
"""Columns of every entry."""

EMITTED: Final = range(1, TABLE_WIDTH // 3 + 1)
"""The numbers of emitted squares that have a table."""

PLATFORMS_FILE: Final = "platforms.txt"
"""The name of the table of platforms."""

ENTRIES: Final = sum(comb(TABLE_WIDTH - 2 * n, n) for n in EMITTED) + 10
"""The number of entries in all tables: patterns, and ten platforms."""

EMITTERS: Final = {
    list_orientations(piece)[0]: nub
    for piece, nub in ((PieceType.J, 2), (PieceType.T, 1), (PieceType.L, 0))
}
"""J, T and L, nub down, each with the column of its nub: 0, 1 or 2."""


def name_emitter_file(emitted: int) -> str:
    """Return the name of the table for a number of emitted squares.

    Parameters
    ----------
    emitted : int
        1..7.
    """
    return f"emitters{emitted}.txt"


def read_positions(packing: Packing) -> tuple[int, ...]:
    """Return the leftmost column of each emitter piece of an entry, or of a platform's T.

    Parameters
    ----------
    packing : Packing
        An entry of a table.

    Returns
    -------
    tuple of int
        The columns in the order of the presets, which is ascending.
    """
    return tuple(preset[0][0] for preset in packing.problem.presets)


@cache
def get_tables_folder() -> Path:
    """Return the folder of the tables that come with the package."""
    return find_shipped_folder("patterns")


class PatternTable(list[Packing]):
    """The packings of a table, in order. A notebook shows the first few of them."""

    def _repr_html_(self) -> str:
        return HTML["packings"](self)


@cache
def _load_blocks(name: str) -> tuple[str, ...]:
    """Return the blocks of text, one per entry, of a table that comes with the package."""
    path = get_tables_folder() / name
    try:
        return tuple(path.read_text(encoding="utf-8").strip().split("\n\n"))
    except OSError as error:
        raise InputError(
            f"{path}: this table of the package is missing; "
            "rebuild it with 'tetrisprinter proofs patterns build'"
        ) from error


@cache
def _index_emitters(emitted: int) -> dict[tuple[int, ...], str]:
    """Return the blocks of a table, still as text, by their positions."""
    blocks = _load_blocks(name_emitter_file(emitted))
    return dict(zip(list_emitter_positions(emitted), blocks, strict=False))


def look_up_emitters(positions: Sequence[int]) -> Packing:
    """Look up the packing for sorted emitter positions in the shipped tables.

    Parameters
    ----------
    positions : sequence of int
        Leftmost columns of the emitter pieces, ascending.

    Returns
    -------
    Packing
        The packing in the tables, of the classic width: parsed, but not replayed.

    Raises
    ------
    InputError
        If the table has no entry for these positions.
    """
    name = name_emitter_file(len(positions))
    block = _index_emitters(len(positions)).get(tuple(positions))
    if block is None:
        raise InputError(f"{name}: has no pattern for positions {tuple(positions)}")
    packing = Packing.parse(block, len(positions), name)
    if packing.problem != make_emitter_problem(TABLE_WIDTH, packing.problem.rows, positions):
        raise InputError(f"{name}: wrong pattern in the entry of positions {tuple(positions)}")
    return packing


def look_up_platform(square: int) -> Packing:
    """Look up a platform whose T can stand on a square in the given column.

    Parameters
    ----------
    square : int
        The column of the square.

    Returns
    -------
    Packing
        The first such platform of the table; its T covers the column in row 0.

    Raises
    ------
    InputError
        If the table has none.
    """
    for text in _load_blocks(PLATFORMS_FILE):
        block = split_blocks(text, PLATFORMS_FILE)[0]
        if any(x == square and y == 0 for x, y in block.groups[0]):
            return Packing.read_block(block, 1, removable=True)
    raise InputError(f"{PLATFORMS_FILE}: no platform stands on a square in column {square}")


def read_emitter_table(path: str | Path, emitted: int) -> PatternTable:
    """Read all entries of a table and check that the table is complete and in order.

    Parameters
    ----------
    path : str or Path
        The table.
    emitted : int
        The number of emitted squares that the table is for.

    Returns
    -------
    PatternTable
        An entry for each item of :func:`list_emitter_positions`, in that order. No entry has been
        replayed.

    Raises
    ------
    InputError
        If the table is malformed, incomplete or out of order; the message says where.
    """
    blocks = split_blocks(read_text(path), str(path))
    packings = PatternTable(Packing.read_block(block, emitted) for block in blocks)
    expected = list(list_emitter_positions(emitted))
    for index, (packing, block) in enumerate(zip(packings, blocks, strict=True)):
        if index >= len(expected) or packing.problem != make_emitter_problem(
            TABLE_WIDTH, packing.problem.rows, expected[index]
        ):
            wanted = expected[index] if index < len(expected) else "the end of the table"
            raise block.make_error(f"expected the pattern of positions {wanted}")
    if len(packings) < len(expected):
        raise InputError(
            f"{path}: has {len(packings)} patterns; expected {len(expected)}; "
            f"the first missing one has positions {expected[len(packings)]}"
        )
    return packings


def read_platform_table(path: str | Path) -> PatternTable:
    """Read the table of platforms; raise the errors of :func:`read_emitter_table`.

    Parameters
    ----------
    path : str or Path
        The table of platforms.

    Returns
    -------
    PatternTable
        The platforms by the column of the T.
    """
    packings = PatternTable()
    previous = -1
    for block in split_blocks(read_text(path), str(path)):
        packing = Packing.read_block(block, 1, removable=True)
        column = packing.problem.presets[0][0][0]
        if packing.problem not in list_platform_problems(TABLE_WIDTH, column):
            raise block.make_error(
                f"a platform is {TABLE_WIDTH} x {PLATFORM_ROWS}, starts with a flat T and ends "
                "with a hooked J or L at an edge"
            )
        if column <= previous:
            raise block.make_error(f"the platform at column {column} is out of order")
        previous = column
        packings.append(packing)
    return packings


def format_table(packings: Iterable[Packing]) -> str:
    """Return the text form of a table.

    Parameters
    ----------
    packings : iterable of Packing
        The packings in the order of the table.

    Returns
    -------
    str
        The text, which :func:`read_emitter_table` or :func:`read_platform_table` can read.
    """
    return "\n\n".join(map(str, packings)) + "\n"


def load_tables() -> tuple[list[Packing], list[Packing]]:
    """Read all tables that come with the package.

    Returns
    -------
    (list of Packing, list of Packing)
        The packings of all emitter tables, by number of emitted squares, and the platforms.

    Raises
    ------
    InputError
        In the cases of :func:`read_emitter_table`.
    """
    root = get_tables_folder()
    emitters = [p for n in EMITTED for p in read_emitter_table(root / name_emitter_file(n), n)]
    return emitters, read_platform_table(root / PLATFORMS_FILE)
