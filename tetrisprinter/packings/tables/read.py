"""Reading the tables: look up one entry, or read a whole file and check that it is complete.

Blocks are sorted by their positions, so a look-up finds the block by its rank and parses nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from tetrisprinter.errors import InputError
from tetrisprinter.game.drawing import split_blocks
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.packings.problem import Packing, list_platform_problems, make_emitter_problem
from tetrisprinter.packings.tables.names import (
    EMITTED,
    PLATFORMS_FILE,
    TABLE_WIDTH,
    find_rank,
    find_tables,
    list_emitter_positions,
    name_emitter_file,
)
from tetrisprinter.support.displays import HTML
from tetrisprinter.support.files import read_text


class PatternTable(list[Packing]):
    """A table: its packings in order. In a notebook it shows the first few."""

    def _repr_html_(self) -> str:
        return HTML["packings"](self)


@cache
def _load_blocks(name: str) -> tuple[str, ...]:
    """Return the blocks of a table that comes with the package."""
    try:
        text = (find_tables() / name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{find_tables() / name}: this table of the package is missing; "
            "rebuild it with 'tetrisprinter proofs patterns build'"
        ) from error
    return tuple(text.strip().split("\n\n"))


def look_up_emitters(positions: Sequence[int]) -> Packing:
    """Look up the packing for sorted emitter positions in the shipped tables.

    Parameters
    ----------
    positions : sequence of int
        Leftmost columns of the emitter pieces, ascending.

    Returns
    -------
    Packing
        The entry, of the classic width. It has been parsed, not replayed.

    Raises
    ------
    InputError
        If the table does not hold it.
    """
    name = name_emitter_file(len(positions))
    index = find_rank(positions)
    blocks = _load_blocks(name)
    if index >= len(blocks):
        raise InputError(f"{name}: has no pattern for positions {tuple(positions)}")
    packing = Packing.parse(blocks[index], len(positions), name)
    if packing.problem != make_emitter_problem(TABLE_WIDTH, packing.problem.rows, positions):
        raise InputError(f"{name}: block {index + 1} is not the pattern of {tuple(positions)}")
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
        The first platform of the table that can.

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


def read_emitters(path: str | Path, emitted: int) -> PatternTable:
    """Read a whole table and check that it is complete and in order.

    Parameters
    ----------
    path : str or Path
        The table.
    emitted : int
        For how many emitted squares it is.

    Returns
    -------
    PatternTable
        An entry for each of :func:`~tetrisprinter.packings.tables.names.list_emitter_positions`, in
        that order. None has been replayed.

    Raises
    ------
    InputError
        Naming file and line.
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
            f"{path}: holds {len(packings)} patterns where {len(expected)} are expected; "
            f"the first one missing has positions {expected[len(packings)]}"
        )
    return packings


def read_platforms(path: str | Path) -> PatternTable:
    """Read the platforms; errors as :func:`read_emitters`.

    Parameters
    ----------
    path : str or Path
        The table of platforms.

    Returns
    -------
    PatternTable
        By the column of the T.
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
        In the order of the table.

    Returns
    -------
    str
        What :func:`read_emitters` and :func:`read_platforms` read.
    """
    return "\n\n".join(map(str, packings)) + "\n"


def load_tables() -> tuple[list[Packing], list[Packing]]:
    """Read all tables that come with the package.

    Returns
    -------
    (list of Packing, list of Packing)
        The entries of all tables of emitters, by number of emitted squares; the platforms.

    Raises
    ------
    InputError
        As :func:`read_emitters`.
    """
    root = find_tables()
    emitters = [p for n in EMITTED for p in read_emitters(root / name_emitter_file(n), n)]
    return emitters, read_platforms(root / PLATFORMS_FILE)
