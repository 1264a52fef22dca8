"""The squares that a random game of the oracle leaves, as a target of the shortest planner."""

from tests.oracles.slices import Field
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.printing.target import Target

HEIGHT = 60


def make_picture(played: Field) -> tuple[dict[int, int], dict[Cell, PieceType]]:
    """Return the picture row of each stack row, and the piece type of each square left."""
    rows = sorted(played.filled)
    assert rows == played.there(len(rows))  # no row below a square is empty
    row_numbers = {row: y for y, row in enumerate(rows)}
    squares = {
        (x, row_numbers[row]): PieceType[piece]
        for row, row_pieces in played.filled.items()
        for x, piece in row_pieces.items()
    }
    return row_numbers, squares


def make_exact_target(played: Field) -> Target:
    """Return the target of exactly the squares and piece types that a game leaves."""
    row_numbers, squares = make_picture(played)
    allowed = tuple(
        tuple(1 << squares[x, y] if (x, y) in squares else 0 for x in range(played.width))
        for y in range(len(row_numbers))
    )
    return Target(played.width, HEIGHT, allowed, frozenset(squares))
