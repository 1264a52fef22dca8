"""Plans for tests: random legal games, made without any planner, and a short slideshow."""

import random
from functools import cache

from tetrisprinter.api.slideshows import print_slideshow
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.support.options import Limit

CLASSIC = ((PieceType.J, "ff2020"), (PieceType.T, "20c040"), (PieceType.L, "3050ff"))


def make_random_plan(
    width: int,
    height: int,
    drops: int,
    seed: int,
    colors: tuple[tuple[PieceType, str], ...] = CLASSIC,
) -> Plan:
    """Return a random legal game that prefers low landings, so that some rows clear."""
    rng = random.Random(seed)
    field = Playfield(width, height)
    passes: list[Pass] = []
    pieces: list[Placement] = []
    usable = [o for o in ORIENTATIONS if o.width <= width and o.height <= height]
    for _ in range(drops):
        attempts = []
        for _ in range(6):
            orientation = rng.choice(usable)
            x = rng.randrange(width - orientation.width + 1)
            try:
                y = field.find_landing_row(orientation, x)
            except TopOutError:
                continue
            attempts.append((y + orientation.height, rng.random(), orientation, x))
        if not attempts:
            break
        _, _, orientation, x = min(attempts)
        field.drop(orientation, x)
        pieces.append(Placement(orientation, x, 0))
        if rng.random() < 0.15:
            passes.append(_make_pass(width, pieces))
            pieces = []
    if pieces:
        passes.append(_make_pass(width, pieces))
    return Plan(tuple(passes), colors, width, height)


def _make_pass(width: int, pieces: list[Placement]) -> Pass:
    """Return a pass of the pieces, stacked so that its drawing has no overlap."""
    tops = [0] * width
    placed = []
    for piece in pieces:
        o = piece.orientation
        y = max(max(0, tops[piece.x + i] - b) for i, b in enumerate(o.bottom))
        for i, top in enumerate(o.top):
            tops[piece.x + i] = y + top
        placed.append(Placement(o, piece.x, y))
    return Pass(max(tops), tuple(placed))


@cache
def make_loop() -> Plan:
    """Return a game of two pictures that begins with the second one."""
    limit = Limit(workers=1, effort=0.1)
    return print_slideshow(["r..\nrrr", "..r\nrrr"], loop=True, limit=limit).plan


def make_long_plan(drops: int, seed: int = 0, width: int = 21, height: int = 42) -> Plan:
    """Return a legal game of any length: slabs of four rows of I and O that clear together."""
    rng = random.Random(seed)
    lying, upright = (o for o in ORIENTATIONS if o.piece is PieceType.I)
    square = next(o for o in ORIENTATIONS if o.piece is PieceType.O)
    passes: list[Pass] = []
    drops_left = drops
    while drops_left > 0:
        x, stacks = 0, []
        while x < width:
            size = rng.choice([n for n in (1, 2, 4) if n <= width - x])
            shape, step = {1: (upright, 4), 2: (square, 2), 4: (lying, 1)}[size]
            stacks.append([Placement(shape, x, y) for y in range(0, 4, step)])
            x += size
        pieces = []
        while stacks:
            stack = rng.choice(stacks)
            pieces.append(stack.pop(0))
            stacks = [s for s in stacks if s]
        # If a row clears early, the pieces after it land lower; that is fine.
        passes.append(_make_pass(width, pieces[:drops_left]))
        drops_left -= len(pieces)
    return Plan(tuple(passes), CLASSIC, width, height)
