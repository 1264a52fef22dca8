"""Random legal games, written from the rules alone.

Rows get a number when they come into sight, lowest first, and keep it: a *virtual row*.
Because rows only ever move down together, their numbers stay in order, and every drop can
be described by the virtual rows of its cells. Rows that have not vanished when the game ends are
the picture.
"""

import math
import random
from dataclasses import dataclass, field

from tests.oracles.game import ROTATIONS

Square = tuple[int, int]


@dataclass(frozen=True)
class Drop:
    """A piece at rest: cells in virtual rows, in real ones, and the rows that it clears."""

    piece: str
    cells: frozenset[Square]
    real: frozenset[Square]
    cleared: tuple[int, ...]


@dataclass
class Field:
    """A game that is being played."""

    width: int
    drops: list[Drop] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    filled: dict[int, dict[int, str]] = field(default_factory=dict)  # virtual row, column

    def there(self, count: int) -> list[int]:
        """Return the lowest rows that have not vanished."""
        rows: list[int] = []
        number = 0
        while len(rows) < count:
            if number not in self.gone:
                rows.append(number)
            number += 1
        return rows

    def top(self, x: int) -> int:
        """Return the real row above the highest square of a column."""
        rows = [r for r in self.filled if x in self.filled[r]]
        return 0 if not rows else 1 + self.there(max(rows) + 1).index(max(rows))

    def rest(self, shape: frozenset[Square], x0: int) -> int:
        """Return the real row in which a shape, moved to a column, comes to rest."""
        bottom = {x: min(y for cx, y in shape if cx == x) for x, _ in shape}
        return max(self.top(x + x0) - low for x, low in bottom.items())

    def drop(self, piece: str, shape: frozenset[Square], x0: int) -> Drop:
        """Drop a piece and clear what it completes."""
        y0 = self.rest(shape, x0)
        real = frozenset((x + x0, y + y0) for x, y in shape)
        rows = self.there(y0 + 4)
        cells = frozenset((x, rows[y]) for x, y in real)
        for x, row in cells:
            self.filled.setdefault(row, {})[x] = piece
        cleared = sorted(r for r in {r for _, r in cells} if len(self.filled[r]) == self.width)
        for row in cleared:
            del self.filled[row]
            self.gone.add(row)
        done = Drop(piece, cells, real, tuple(cleared))
        self.drops.append(done)
        return done


def random_game(rng: random.Random, width: int, lines: int, most: int = 30) -> Field | None:
    """Play until some rows have vanished and at least one square is left; None if it drags on.

    How much the player minds high squares, holes, and likes to clear differs from game to
    game, so that tidy games come up and games full of overhangs.
    """
    played = Field(width)
    high, holes, likes = rng.uniform(0.5, 3), rng.choice((0.0, 0.5, 2.0)), rng.uniform(0, 3)
    moves = [
        (name, shape, x)
        for name in sorted(ROTATIONS)
        for shape in sorted(ROTATIONS[name], key=sorted)
        for x in range(width - max(x for x, _ in shape))
    ]
    while len(played.drops) < most:
        if len(played.gone) >= lines and played.filled and rng.random() < 0.6:
            return played
        weights = []
        for _, shape, x0 in moves:
            y0 = played.rest(shape, x0)
            there = played.there(y0 + 4)
            rows = [there[y + y0] for _, y in shape]
            full = sum(len(played.filled.get(r, {})) + rows.count(r) == width for r in set(rows))
            under = sum(y + y0 - played.top(x + x0) for x, y in shape if (x, y - 1) not in shape)
            weights.append(math.exp(likes * full - high * y0 - holes * under))
        played.drop(*rng.choices(moves, weights)[0])
    return None
