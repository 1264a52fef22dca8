"""All games of dealt pieces on a small board: what a player can always do, and what nobody can.

It shares no code with the package: fields are rows of bits, pieces are drawings, and a piece falls
straight down. The bags are an opponent who deals the seven types in any order.

*Always* (:func:`always`): with a preview of five the whole bag is known when it begins: six of its
pieces are seen, and the seventh is what is missing. So a player who looks at one bag at a time can
do at least this: from a field and a held piece, play the bag to the picture, or to a field and
a held piece from which the same is known already. The states of which that holds for each of the
5,040 orders are counted from the picture back, bag by bag, until the empty field is among them or
nothing is added.

*Never* (:func:`never`): a sequence of bags for which no game leaves the picture before it tops out,
whatever the player knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.oracles.game import ROTATIONS

NAMES = "IJLOSTZ"

Field = tuple[int, ...]
"""Filled columns of each row as bits, lowest row first; none is full, the last is not empty."""
States = NDArray[np.uint8]
"""For each field, and one too many, which holds are meant: bit 0 none, bits 1 to 7 a type."""


def drops(field: Field, width: int, height: int, piece: int) -> set[Field]:
    """Return every field that a piece leaves."""
    out, full = set(), (1 << width) - 1
    for cells in ROTATIONS[NAMES[piece]]:
        wide, high = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
        bits = [sum(1 << x for x, y in cells if y == row) for row in range(high)]
        for x in range(width - wide + 1):
            y = len(field)
            while y and all(
                not field[y - 1 + dy] & bit << x
                for dy, bit in enumerate(bits)
                if y - 1 + dy < len(field)
            ):
                y -= 1
            if y + len(bits) > height:
                continue
            left = [*field, *[0] * (y + len(bits) - len(field))]
            for dy, bit in enumerate(bits):
                left[y + dy] |= bit << x
            out.add(tuple(row for row in left if row != full))
    return out


@dataclass(frozen=True)
class Graph:
    """All fields that a game on a board can come to, and what follows them."""

    width: int
    height: int
    number: dict[Field, int]  # the fields, numbered; the empty one is 0
    # For each type: for each of its ways to fall the field that each field becomes, or one
    # number too many where there is no such way.
    after: list[NDArray[np.int32]]

    @classmethod
    def of(cls, width: int, height: int) -> Graph:
        """Play everything."""
        number: dict[Field, int] = {(): 0}
        fields: list[Field] = [()]
        found: list[list[list[int]]] = [[] for _ in NAMES]
        for field in fields:
            for piece, ways in enumerate(found):
                ways.append([])
                for left in sorted(drops(field, width, height, piece)):
                    if left not in number:
                        number[left] = len(fields)
                        fields.append(left)
                    ways[-1].append(number[left])
        after = []
        for ways in found:
            most = max(1, *map(len, ways))
            after.append(
                np.array([way + [len(fields)] * (most - len(way)) for way in ways], np.int32).T
            )
        return cls(width, height, number, after)

    def target(self, drawing: str) -> int:
        """Return the number of a picture, its rows from the top with ``/`` between."""
        rows = drawing.split("/")[::-1]
        return self.number[tuple(sum(1 << x for x, c in enumerate(r) if c == "#") for r in rows)]


def before(graph: Graph, good: States) -> list[States]:
    """Return for each type the states from which laying one leads to good ones."""
    found = []
    for ways in graph.after:
        states = good[ways[0]]
        for way in ways[1:]:
            states |= good[way]
        found.append(states)
    return found


def always(graph: Graph, target: int, hold: bool = True) -> int | None:
    """Return within how many bags a player always leaves the picture; None if that is not known."""
    count = len(graph.number)
    won = np.zeros(count + 1, np.uint8)
    won[target] = 255
    for bags in range(1, count):
        every = np.full(count, 255, np.uint8)

        def deal(good: States, left: str, later: list[States], following: int) -> None:
            """Choose the pieces of a bag from the last to the first."""
            if not left:
                np.bitwise_and(every, good[:count], out=every)  # noqa: B023
                return
            laid = before(graph, good)
            for name in left:
                piece = NAMES.index(name)
                states = np.zeros(count + 1, np.uint8)
                states[:count] = laid[piece]
                if hold:
                    for held in range(7):  # it is laid aside, what was held is laid
                        states[:count] |= (laid[held] >> piece + 1 & 1) << held + 1
                    if later:  # it is laid aside, nothing was held, the following one is laid
                        states[:count] |= later[following] >> piece + 1 & 1
                states[target] = 255
                deal(states, left.replace(name, ""), laid, piece)

        deal(won, NAMES, [], 0)
        if every[0] & 1:
            return bags
        if not (every & ~won[:count]).any():
            return None
        won[:count] |= every
    return None


def never(graph: Graph, target: int, bags: int) -> str | None:
    """Return pieces, dealt in bags, from which nobody leaves the picture without hold.

    The search ends after so many bags; None if it found no such pieces.
    """
    known: set[tuple[bytes, str]] = set()

    def deal(fields: NDArray[np.bool_], left: str, dealt: str) -> str | None:
        if fields[target]:
            return None
        if not fields.any():
            return dealt
        if not left and len(dealt) == 7 * bags:
            return None
        left = left or NAMES
        key = (fields.tobytes(), left)
        if key in known:
            return None
        known.add(key)
        for name in sorted(left, key="SZOILJT".index):
            following = np.zeros(len(graph.number) + 1, bool)
            following[graph.after[NAMES.index(name)][:, np.flatnonzero(fields)]] = True
            found = deal(following[:-1], left.replace(name, ""), dealt + name)
            if found is not None:
                return found
        return None

    start = np.zeros(len(graph.number), bool)
    start[0] = True
    return deal(start, NAMES, "")
