"""The board of a tiling problem: a rectangle with some blocked cells.

A set of cells is one integer, a *mask*, with the cells as bits row by row from the top left. The
**least significant bit is the bottom right corner**. So the binary number of a mask of one row
looks like a drawing of that row. The first free cell, where a search continues, is the highest
set bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.tilings.polyomino import GridCell

MEMORY_LIMIT: Final = 2 << 30
"""Bytes that one table may need; larger tables are refused before they are built."""


def format_memory(size: float) -> str:
    """Format a number of bytes for messages."""
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            return f"{size:.3g} {unit}"
        size /= 1024
    raise AssertionError


def check_memory(size: float, table_name: str) -> None:
    """Raise InputError if a table would need more memory than the limit."""
    if size > MEMORY_LIMIT:
        raise InputError(
            f"{table_name} would need about {format_memory(size)} of memory; "
            f"the limit is {format_memory(MEMORY_LIMIT)}"
        )


@dataclass(frozen=True, init=False, slots=True)
class TilingBoard:
    """A rectangle of cells, some of them blocked.

    Parameters
    ----------
    width, height : int
        The size of the board, in cells.
    blocked : int or iterable of (int, int)
        The cells that stay empty, as a mask (see the module) or as cells ``(x, y)``
        with y downwards.

    Raises
    ------
    InputError
        If the size is not positive or takes too much memory, or a blocked cell lies
        outside the board.

    Examples
    --------
    >>> board = TilingBoard(4, 3, blocked=[(1, 0), (3, 2)])
    >>> print(board)
    .#..
    ....
    ...#
    >>> bin(board.blocked)
    '0b10000000001'
    >>> TilingBoard.parse(str(board)) == board
    True
    """

    width: int
    height: int
    blocked: int

    def __init__(self, width: int, height: int, blocked: int | Iterable[GridCell] = 0) -> None:
        if width < 1 or height < 1:
            raise InputError(f"invalid board {width}x{height}; expected a positive size")
        # All methods make a list of the cells, 8 bytes each, and a few masks.
        check_memory(16 * width * height, f"a board of {width}x{height} cells")
        if not isinstance(blocked, int):
            mask = 0
            for x, y in blocked:
                if not (0 <= x < width and 0 <= y < height):
                    raise InputError(f"blocked cell ({x}, {y}) is outside {width}x{height}")
                mask |= 1 << (width * height - 1 - (y * width + x))
            blocked = mask
        if not 0 <= blocked < 1 << (width * height):
            raise InputError(f"the mask of blocked cells has bits outside {width}x{height}")
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "height", height)
        object.__setattr__(self, "blocked", blocked)

    @property
    def area(self) -> int:
        """The number of free cells."""
        return self.free.bit_count()

    @property
    def free(self) -> int:
        """The free cells, as a mask."""
        return self.blocked ^ ((1 << (self.width * self.height)) - 1)

    def get_bit(self, x: int, y: int) -> int:
        """Return the mask of one cell."""
        return 1 << (self.width * self.height - 1 - (y * self.width + x))

    def make_mask(self, cells: Iterable[GridCell]) -> int:
        """Return the mask of some cells of the board."""
        return sum(self.get_bit(x, y) for x, y in set(cells))

    def list_cells(self, mask: int) -> Iterator[GridCell]:
        """Yield the cells of a mask, row by row from the top left."""
        last = self.width * self.height - 1
        while mask:
            high = mask.bit_length() - 1
            mask ^= 1 << high
            y, x = divmod(last - high, self.width)
            yield x, y

    @property
    def is_rectangle(self) -> bool:
        """Whether no cell is blocked."""
        return not self.blocked

    @classmethod
    def parse(cls, text: str, source: str = "board", *, rectangle: bool = False) -> TilingBoard:
        """Read a size such as ``6x10``, or a drawing: ``.`` is free, ``#`` is blocked."""
        match = re.fullmatch(r"\s*(\d{1,9})[xX](\d{1,9})\s*", text)
        if match:
            return cls(int(match[1]), int(match[2]))
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        skipped = 0
        while lines and not lines[0]:
            lines.pop(0)
            skipped += 1
        if not lines:
            raise InputError(
                f"{source}: is empty; expected a size such as 6x10 or a drawing of '.' and '#'"
            )
        width = len(lines[0])
        blocked = []
        for y, line in enumerate(lines):
            where = f"{source}:{y + 1 + skipped}"
            if len(line) != width:
                raise InputError(
                    f"{where}: this row has {len(line)} cells, but the first has {width}; "
                    "draw a rectangle with '#' for blocked cells"
                )
            for x, letter in enumerate(line):
                if letter == "#":
                    blocked.append((x, y))
                elif letter != ".":
                    raise InputError(
                        f"{where}: invalid cell {letter!r} in column {x + 1}; expected '.' (free) "
                        "or '#' (blocked)"
                    )
        board = cls(width, len(lines), blocked)
        if rectangle and not board.is_rectangle:
            raise InputError(f"{source}: has blocked cells; expected a rectangle such as 6x10")
        return board

    def __str__(self) -> str:
        size = self.width * self.height
        bits = f"{self.blocked:0{size}b}".replace("0", ".").replace("1", "#")
        return "\n".join(bits[i : i + self.width] for i in range(0, size, self.width))
