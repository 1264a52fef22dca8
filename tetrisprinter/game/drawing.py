"""Drawings of pieces as text, the form that tables and plans share.

A *block* is a rectangle of characters, top row first. ``.`` is empty; every other character is a
piece. Pieces drop in the order of their characters: first the 62 ASCII characters from ``A`` to
``~``, then the letters from U+0100 to U+024F for 336 more pieces (plans split their blocks
instead). A text is a sequence of blocks separated by one blank line. The meaning of the blocks is
defined in :mod:`~tetrisprinter.packings.tables` and :mod:`~tetrisprinter.game.plan`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import Cell, Placement

_FIRST_LETTER: Final = ord("A")
MAX_PIECES: Final = ord("~") - _FIRST_LETTER + 1
"""The number of pieces that one block can draw in ASCII."""

_LETTERS: Final = "".join(map(chr, range(_FIRST_LETTER, ord("~") + 1))) + "".join(
    map(chr, range(0x100, 0x250))
)
_LETTER_INDEX: Final = {letter: index for index, letter in enumerate(_LETTERS)}


@dataclass(frozen=True, slots=True)
class Block:
    """A drawing that was read from a text."""

    source: str  # the name of the text, for messages
    line: int  # the number of the block's first line, counted from 1
    width: int
    height: int
    # The cells of each piece in drop order, y upwards from the last line
    groups: tuple[tuple[Cell, ...], ...]

    def make_error(self, problem: str, line: int | None = None) -> InputError:
        """Return an error with the name of the text and the line."""
        return InputError(f"{self.source}:{line or self.line}: {problem}")

    def list_pieces(self, skipped: int = 0) -> tuple[Placement, ...]:
        """Return the pieces in drop order, without the first ``skipped`` groups of cells."""
        pieces = []
        for letter, cells in zip(_LETTERS[skipped:], self.groups[skipped:], strict=False):
            piece = Placement.find(cells)
            if piece is None:
                raise self.make_error(f"the {len(cells)} squares {letter!r} are not a tetromino")
            pieces.append(piece)
        return tuple(pieces)


def draw(width: int, height: int, groups: Iterable[Iterable[Cell]]) -> str:
    """Draw groups of cells as a block, with letters in the given order.

    >>> print(draw(4, 2, [[(0, 0), (1, 0)], [(0, 1), (1, 1), (2, 1), (3, 1)]]))
    BBBB
    AA..
    """
    rows = [["."] * width for _ in range(height)]
    for index, cells in enumerate(groups):
        if index >= len(_LETTERS):
            raise JobError(f"too many pieces for a drawing; expected at most {len(_LETTERS)}")
        for x, y in cells:
            rows[height - 1 - y][x] = _LETTERS[index]
    return "\n".join(map("".join, rows))


def split_blocks(text: str, source: str, first_line: int = 1) -> list[Block]:
    """Read the blocks of a text, which are separated by blank lines."""
    blocks: list[Block] = []
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], first_line):
        line = line.rstrip()
        if line:
            lines.append(line)
        elif lines:
            blocks.append(_read_block(lines, source, number - len(lines)))
            lines = []
    return blocks


def _read_block(lines: Sequence[str], source: str, first: int) -> Block:
    """Read one block; ``first`` is the number of its first line in the text."""
    width, height = len(lines[0]), len(lines)
    groups: dict[str, list[Cell]] = {}
    for row, line in enumerate(lines):
        location = f"{source}:{first + row}"
        if len(line) != width:
            raise InputError(
                f"{location}: {len(line)} characters; expected {width} as in the first line of "
                "the block"
            )
        for x, letter in enumerate(line):
            if letter == ".":
                continue
            if letter not in _LETTER_INDEX:
                raise InputError(
                    f"{location}: invalid {letter!r} at character {x + 1}; expected '.' or a "
                    "piece (the characters from 'A' to '~')"
                )
            groups.setdefault(letter, []).append((x, height - 1 - row))
    letters = sorted(groups)
    for index, letter in enumerate(letters):
        if letter != _LETTERS[index]:
            raise InputError(
                f"{source}:{first}: the block has a piece {letter!r} but no {_LETTERS[index]!r}"
            )
    return Block(
        source,
        first,
        width,
        height,
        tuple(tuple(sorted(groups[letter])) for letter in letters),
    )
