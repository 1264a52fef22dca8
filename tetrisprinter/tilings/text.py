"""Solutions as text, thousands at a time.

The text of a board is one long integer, a byte per character. A placement adds its letter
at its cells, so a solution is a sum: drawing takes a hundredth of the time of finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tetrisprinter.tilings.placements import LETTERS, Puzzle, initial_letters

__all__ = ["texts"]


def texts(puzzle: Puzzle, covers: Iterable[tuple[int, ...]]) -> Iterator[str]:
    """Yield the drawings of solutions, as ``str`` of their tilings gives them.

    Parameters
    ----------
    puzzle : Puzzle
        The board and its placements.
    covers : iterable of tuple of int
        Solutions as ascending numbers of placements.

    Examples
    --------
    >>> from tetrisprinter.tilings.board import Board
    >>> from tetrisprinter.tilings.pieces import PieceSet
    >>> from tetrisprinter.tilings.search import search
    >>> puzzle = Puzzle(Board(3, 1), PieceSet.parse("I2,I1"))
    >>> list(texts(puzzle, search(puzzle)))
    ['AAB', 'ABB']
    """
    board = puzzle.board
    length = (board.width + 1) * board.height - 1
    empty = int.from_bytes(str(board).replace(".", "\0").encode("ascii"), "big")
    ones = [
        sum(1 << 8 * (length - 1 - (y * (board.width + 1) + x)) for x, y in placement.cells)
        for placement in puzzle.placements
    ]
    initials = initial_letters(puzzle.pieces.pieces)
    if initials is not None:
        drawn = [
            mask * ord(initials[placement.kind])
            for mask, placement in zip(ones, puzzle.placements, strict=True)
        ]
        for cover in covers:
            total = empty + sum([drawn[number] for number in cover])
            yield total.to_bytes(length, "big").decode("ascii")
        return
    codes = LETTERS.encode("ascii")
    for cover in covers:
        if len(cover) > len(codes):
            yield str(puzzle.tiling(cover))
            continue
        total = empty
        for number, code in zip(cover, codes, strict=False):
            total += ones[number] * code
        yield total.to_bytes(length, "big").decode("ascii")
