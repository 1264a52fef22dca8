"""The true minimum: how few drops can print a small picture in any game at all?

Iterative deepening over real game states, with the rules written out once more and no
code of the package. A field is a few 64-bit integers (one for each group of types that must
look alike, one for all squares), so boards of up to 64 squares fit. Compiled, because it
looks at millions of states.

With ``p`` drops at most ``(4 p - pixels) / width`` rows vanish, exactly so many if nothing
but the picture may be left. A state can be abandoned
when its rows cannot be divided into rows that survive (the k-th of which holds squares
of the k-th picture row only) and rows that vanish, at most as many as are still to go:
squares never leave their row, and rows never change their order.

Where the types may have any colours, each is a group of its own, and a field shows the
picture if each type's squares, looked at alone, lie in squares of one colour: several
types may have the same colour, so nothing else ties them. What has the background's colour
may stay wherever the picture shows nothing, on the whole board, and need not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tests.oracles._kernel_truth import Question, search
from tests.oracles.game import ROTATIONS

Square = tuple[int, int]
COLORS = 3
UNSEEN = COLORS
"""The number of the background's colour."""

NAMES = sorted(ROTATIONS)


@dataclass(frozen=True)
class Truth:
    """What an exhaustive search found out."""

    drops: int | None  # the fewest of any game; None if no game was found
    game: list[list[Square]]  # for each drop of such a game the cells in which it comes to rest
    searched: int  # all games of so many drops or fewer were looked at
    gave_up: bool  # whether it ended before ``most`` because it met too many states


def _shapes() -> list[tuple[int, frozenset[Square]]]:
    return [
        (NAMES.index(name), shape)
        for name in NAMES
        for shape in sorted(ROTATIONS[name], key=sorted)
    ]


SHAPES = _shapes()


def find_fewest_drops(
    width: int,
    height: int,
    picture: Mapping[Square, int],
    color_of: Mapping[str, int] | None,
    *,
    background: bool = False,
    most: int = 8,
    states: int = 20_000_000,
) -> Truth:
    """Return the least number of drops that print a picture, and such a game.

    Parameters
    ----------
    width, height : int
        The board, of at most 64 squares.
    picture : mapping
        The colour, 0..2, of every square to print.
    color_of : mapping or None
        The colour of each piece type that may stay visible; others may only vanish.
        None: any type may have any colour, one for the whole game.
    background : bool
        Whether a type may have the colour :data:`UNSEEN`.
    most : int
        Look for games of at most so many drops.
    states : int
        Give up after so many states for one number of drops.
    """
    targets = np.zeros((COLORS + 1, height), np.uint64)
    for (x, y), color in picture.items():
        targets[color, y] |= np.uint64(1 << x)
    due = np.bitwise_or.reduce(targets[:COLORS], axis=0)
    colors = sorted(set(picture.values()))
    if background:
        targets[UNSEEN] = ~due & np.uint64((1 << width) - 1)
        colors.append(UNSEEN)
    groups: dict[str, int] = {}
    if color_of is None:
        groups = {name: group for group, name in enumerate(NAMES)}
        may = np.zeros((len(groups), COLORS + 1), np.bool_)
        may[:, colors] = True
    else:
        seen = [c for c in colors if c in color_of.values()]
        groups = {name: seen.index(c) for name, c in color_of.items() if c in seen}
        may = np.zeros((len(seen), COLORS + 1), np.bool_)
        may[range(len(seen)), seen] = True
    masks = []
    for name, shape in SHAPES:
        w, h = 1 + max(x for x, _ in shape), 1 + max(y for _, y in shape)
        for x0 in range(width - w + 1):
            mask = sum(1 << (y * width + x + x0) for x, y in shape)
            masks.append((mask, h, groups.get(NAMES[name], -1)))
    group_of = np.array([m[2] for m in masks], np.int64)
    heights = np.array([m[1] for m in masks], np.int64)
    bits = np.array([m[0] for m in masks], np.uint64)
    rows = height if background else 1 + max(y for _, y in picture)
    asked = Question((width, height, rows), due, targets, may, (bits, heights, group_of))
    for drops in range(1, most + 1):
        lines, rest = divmod(4 * drops - len(picture), width)
        if lines < 0 or (rest and not background):
            continue
        out = np.zeros((drops, 2), np.int64)
        answer = search(asked, drops, lines, states, out)
        if answer < 0:
            return Truth(None, [], drops - 1, gave_up=True)
        if answer:
            game = [_cells(int(bits[i]), int(y), width) for i, y in out]
            return Truth(drops, game, drops, gave_up=False)
    return Truth(None, [], most, gave_up=False)


def _cells(mask: int, y: int, width: int) -> list[Square]:
    return [(bit % width, bit // width + y) for bit in range(mask.bit_length()) if mask >> bit & 1]
