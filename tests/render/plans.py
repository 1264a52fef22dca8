"""Plans to test with: random legal games, made without any planner."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tetrisprinter.plan import Pass, Plan
from tetrisprinter.playfield import Playfield, TopOutError
from tetrisprinter.printer import play_through
from tetrisprinter.tetromino import ORIENTATIONS, PieceType, Placement

CLASSIC = ((PieceType.J, "ff2020"), (PieceType.T, "20c040"), (PieceType.L, "3050ff"))


def random_plan(
    width: int,
    height: int,
    drops: int,
    seed: int,
    colors: tuple[tuple[PieceType, str], ...] = CLASSIC,
) -> Plan:
    """A legal game that mostly tries to fill rows, so that some of them clear."""
    rng = random.Random(seed)
    field = Playfield(width, height)
    passes: list[Pass] = []
    pieces: list[Placement] = []
    usable = [o for o in ORIENTATIONS if o.width <= width and o.height <= height]
    for _ in range(drops):
        tries = []
        for _ in range(6):
            orientation = rng.choice(usable)
            x = rng.randrange(width - orientation.width + 1)
            try:
                y = field.landing_row(orientation, x)
            except TopOutError:
                continue
            tries.append((y + orientation.height, rng.random(), orientation, x))
        if not tries:
            break
        _, _, orientation, x = min(tries)
        field.drop(orientation, x)
        pieces.append(Placement(orientation, x, 0))
        if rng.random() < 0.15:
            passes.append(_drawn(width, pieces))
            pieces = []
    if pieces:
        passes.append(_drawn(width, pieces))
    return Plan(tuple(passes), colors, width, height)


def _drawn(width: int, pieces: list[Placement]) -> Pass:
    """Stack the pieces so that the drawing holds them without overlap."""
    tops = [0] * width
    drawn = []
    for piece in pieces:
        o = piece.orientation
        y = max(max(0, tops[piece.x + i] - b) for i, b in enumerate(o.bottom))
        for i, top in enumerate(o.top):
            tops[piece.x + i] = y + top
        drawn.append(Placement(o, piece.x, y))
    return Pass(max(tops), tuple(drawn))


def one_line_plan() -> Plan:
    """A single row that clears, and one square left on it."""
    text = "board 6x8 J=ff0000 I=00ff00\n\nBBBB..\n\nA.....\nAAA...\n"
    plan = Plan.parse(text)
    play_through(plan)
    return plan


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Random legal games on boards of many sizes, some crowded to the top."""
    width = draw(st.integers(5, 21))
    height = draw(st.integers(6, 24))
    drops = draw(st.integers(0, 60))
    seed = draw(st.integers(0, 10**6))
    visible = draw(st.integers(0, 7))
    colors = tuple((piece, f"{30 * piece:02x}80c0") for piece in list(PieceType)[:visible])
    return random_plan(width, height, drops, seed, colors)
