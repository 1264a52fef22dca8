"""The start of a game: the squares on the board before the first drop, and their text form.

A start has the lowest rows of a field, bottom first, one byte per square: a piece type, or 0 for
an empty cell. No row is full, and no row below a square is empty, as in every game.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType

Rows = tuple[bytes, ...]
"""The lowest rows of a field, bottom first, one byte per square."""

_LETTERS: Final = "." + "".join(piece.name for piece in PieceType)


def check_start(
    rows: Iterable[Iterable[int]], width: int, height: int, name: str = "the start"
) -> Rows:
    """Check a start; return the start without the empty rows at its top."""
    start = [bytes(row) for row in rows]
    while start and not any(start[-1]):
        start.pop()
    if len(start) > height or any(len(row) != width for row in start):
        max_width = max(map(len, start))
        raise InputError(f"{name}: {max_width}x{len(start)} squares do not fit on {width}x{height}")
    for y, row in enumerate(start):
        if max(row) >= len(_LETTERS):
            raise InputError(f"{name}: invalid piece type {max(row)} in row {y} from the floor")
        if all(row):
            raise InputError(
                f"{name}: row {y} from the floor is full; a full row would have been cleared"
            )
        if not any(row):
            raise InputError(
                f"{name}: row {y} from the floor is empty below a square; no game leaves that"
            )
    return tuple(start)


def draw_start(start: Rows) -> list[str]:
    """Draw a start, top row first: the letter of each square's type, ``.`` for an empty cell.

    >>> draw_start((b"\\x01\\x01\\x00", b"\\x00\\x04\\x00"))
    ['.O.', 'II.']
    """
    return ["".join(_LETTERS[value] for value in row) for row in reversed(start)]


def parse_start(lines: Iterable[str], width: int, height: int, name: str) -> Rows:
    """Return the start of a drawing as :func:`draw_start` makes it."""
    rows = []
    for line in lines:
        invalid_letters = sorted(set(line) - set(_LETTERS))
        if invalid_letters:
            raise InputError(
                f"{name}: invalid square {invalid_letters[0]!r} in the start; expected "
                f"{' '.join(_LETTERS[1:])} or '.'"
            )
        rows.append([_LETTERS.index(letter) for letter in line])
    return check_start(reversed(rows), width, height, f"{name}: the start")
