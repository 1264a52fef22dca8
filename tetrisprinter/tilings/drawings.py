"""Solutions as text, thousands at a time.

The text of a board is one long integer, a byte per character. A placement adds its letter
at its cells, so a solution is a sum, and drawing takes little beside finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tetrisprinter.tilings.placements import LETTERS, TilingProblem, choose_letters

__all__ = ["draw_tilings"]


def draw_tilings(problem: TilingProblem, covers: Iterable[tuple[int, ...]]) -> Iterator[str]:
    """Yield the drawings of solutions, as ``str`` of their tilings gives them."""
    board = problem.board
    length = (board.width + 1) * board.height - 1
    empty = int.from_bytes(str(board).replace(".", "\0").encode("ascii"), "big")
    ones = [
        sum(1 << 8 * (length - 1 - (y * (board.width + 1) + x)) for x, y in placement.cells)
        for placement in problem.placements
    ]
    initials = choose_letters(problem.pieces.pieces)
    if initials is not None:
        drawn = [
            mask * ord(initials[placement.kind])
            for mask, placement in zip(ones, problem.placements, strict=True)
        ]
        for cover in covers:
            total = empty + sum([drawn[number] for number in cover])
            yield total.to_bytes(length, "big").decode("ascii")
        return
    codes = LETTERS.encode("ascii")
    for cover in covers:
        if len(cover) > len(codes):
            yield str(problem.tiling(cover))
            continue
        total = empty
        for number, code in zip(cover, codes, strict=False):
            total += ones[number] * code
        yield total.to_bytes(length, "big").decode("ascii")
