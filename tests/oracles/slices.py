"""Random legal games, and how they fall into passes; written from the rules alone.

Rows get a number when they come into sight, lowest first, and keep it: a *virtual row*.
Because rows only ever move down together, their numbers stay in order, and every drop can
be told by the virtual rows of its cells. Rows that have not vanished when the game ends are
the picture.

A moment is *clean* if nothing lies in a row that will vanish. From one clean moment to the
next is a *section*: a drop into the picture alone, or some rows that clear and everything
that happens meanwhile. Nothing lies above a section's lowest clearing row when it begins
(no row below a square is ever empty), so each section is a pass by itself. What a pass
cannot say is a piece that lies wholly below its matrix; such a drop is moved before the
section or behind it, if the game that results is the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
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




def played_again(width: int, drops: Sequence[Drop]) -> Field | None:
    """Play drops in another order; None unless every piece comes to rest where it did."""
    again = Field(width)
    for one in drops:
        left, low = (min(cell[i] for cell in one.real) for i in (0, 1))
        shape = frozenset((x - left, y - low) for x, y in one.real)
        if again.drop(one.piece, shape, left).cells != one.cells:
            return None
    return again


@dataclass(frozen=True)
class Section:
    """A stretch between clean moments: its drops, and its clearing rows in the order they go."""

    drops: tuple[Drop, ...]
    cleared: tuple[int, ...]


def sections(played: Field) -> list[Section]:
    """Cut a game at its clean moments."""
    found: list[Section] = []
    begun: list[Drop] = []
    open_rows: set[int] = set()
    for one in played.drops:
        begun.append(one)
        open_rows |= {r for _, r in one.cells if r in played.gone}
        open_rows -= set(one.cleared)
        if not open_rows:
            found.append(Section(tuple(begun), tuple(r for d in begun for r in d.cleared)))
            begun = []
    assert not begun
    return found


def notation(played: Field) -> list[tuple[int, str]]:
    """Return each section as the picture row it is based on, and its rows from there upwards.

    ``p`` is a picture row, ``c`` a row that clears; where these do not go from below, they
    are numbered (from 0, in hexadecimal and on) in the order in which they do.
    """
    found: list[tuple[int, str]] = []
    gone: set[int] = set()
    for section in sections(played):
        low, high = (f(r for d in section.drops for _, r in d.cells) for f in (min, max))
        from_below = list(section.cleared) == sorted(section.cleared)
        first = min(section.cleared, default=low)
        stack = ""
        for row in range(first, high + 1):
            if row in section.cleared:
                stack += "c" if from_below else "0123456789abcdefghij"[section.cleared.index(row)]
            elif row not in gone:
                # A row that goes later is still empty, and nothing lies above an empty row.
                assert row not in played.gone
                stack += "p"
        found.append((sum(row not in played.gone for row in range(first)), stack))
        gone |= set(section.cleared)
    return found


def below_the_matrix(section: Section) -> list[Drop]:
    """Return the drops wholly below all rows that clear in their section."""
    if not section.cleared:
        return []
    lowest = min(section.cleared)
    return [d for d in section.drops if all(row < lowest for _, row in d.cells)]


