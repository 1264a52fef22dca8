"""What a random game of the oracle leaves, as a question to the shortest planner."""

from tests.oracles.slices import Field
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.printing.target import Target

HEIGHT = 60


def make_picture(played: Field) -> tuple[dict[int, int], dict[Cell, PieceType]]:
    """Return the number of each picture row by virtual row, and the squares that are left."""
    rows = sorted(played.filled)
    assert rows == played.there(len(rows))  # no row below a square is empty
    number = {row: y for y, row in enumerate(rows)}
    squares = {
        (x, number[row]): PieceType[piece]
        for row, some in played.filled.items()
        for x, piece in some.items()
    }
    return number, squares


def make_exact_target(played: Field) -> Target:
    """Ask for exactly what the game leaves, type by type."""
    number, squares = make_picture(played)
    allowed = tuple(
        tuple(1 << squares[x, y] if (x, y) in squares else 0 for x in range(played.width))
        for y in range(len(number))
    )
    return Target(played.width, HEIGHT, allowed, frozenset(squares))
