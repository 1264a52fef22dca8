"""Random tasks on boards so small that an exhaustive search knows the truth about them."""

import random
from typing import NamedTuple

from tests.oracles.slices import random_game
from tests.oracles.truth import COLORS, UNSEEN, Truth, find_fewest_drops
from tests.support.strategies import PALETTE
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, assign_classic_types

GREY = "808080"
"""The background's colour, if it is none of the picture's."""

_SQUARES = 64
"""Of a board that the oracle can hold."""


def draw_task(
    rng: random.Random, widths: tuple[int, int] = (3, 6), squares: int = 14, rows: int = 6
) -> Task:
    """Draw a task: any kind of types, a background or none, a low board or a high one.

    Its picture has at most so many squares and rows; widths are the least and the most.
    """
    while True:
        width = rng.randint(*widths)
        height = min(rng.randint(1, rows) + rng.choice((2, 4, 6, 9)), _SQUARES // width)
        palette = PALETTE[: rng.randint(1, COLORS)]
        background = rng.choice((None, None, GREY, GREY, palette[0]))
        rest = (None, background) if rng.random() < 0.3 else (None,)
        density = rng.choice((0.2, 0.4, 0.6, 0.8))
        drawn = tuple(
            tuple(
                rng.choice(palette) if rng.random() < density else rng.choice(rest)
                for _ in range(width)
            )
            for _ in range(rng.randint(1, min(rows, height)))
        )
        picture = Picture(drawn).trim()
        needed = [color for color in picture.colors() if color != background]
        pixels = sum(color in needed for row in picture.rows for color in row)
        if not 0 < pixels <= squares:
            continue
        types = _random_types(rng, needed, background)
        return Task.of(
            picture, (width, height), types, background, rng.randint(0, width - picture.width)
        )


def _random_types(
    rng: random.Random, needed: list[str], background: str | None
) -> str | TypeColors:
    """Draw one of the kinds of types; each colour that is needed has a type."""
    kind = rng.choice(("auto", "auto", "classic", "fixed"))
    if kind != "fixed":
        return kind
    others = [*needed, *([] if background is None else [background]), None]
    owners = rng.sample(list(PieceType), len(PieceType))
    shown = [*needed, *(rng.choice(others) for _ in owners[len(needed) :])]
    pairs = zip(owners, shown, strict=True)
    return TypeColors(tuple(sorted((piece, color) for piece, color in pairs if color)))


def find_truth(task: Task, *, most: int, states: int) -> Truth:
    """Ask the oracle, whose words for colours are numbers.

    Parameters
    ----------
    task : Task
        On a board of up to 64 squares.
    most, states : int
        Look for games of so many drops, until there were so many states.
    """
    shown = [color for color in task.picture.colors() if color != task.background]
    number = {color: i for i, color in enumerate(shown)}
    if task.background is not None:
        number[task.background] = UNSEEN
    named = None
    if task.type_colors is not None:
        named = {p.name: number[c] for p, c in task.type_colors.items() if c in number}
    cells = {(x + task.column, y): c for (x, y), c in task.picture.cells().items()}
    return find_fewest_drops(
        task.board.width,
        task.board.height,
        {cell: number[color] for cell, color in cells.items() if color != task.background},
        named,
        background=task.background is not None,
        most=most,
        states=states,
    )


class Printable(NamedTuple):
    """A task, and so many drops that do it."""

    task: Task
    drops: int


def draw_printable_task(
    rng: random.Random, widths: tuple[int, int] = (3, 6), most: int = 8
) -> Printable:
    """Draw a task by playing a random game of at most so many drops and colouring its types."""
    while True:
        width = rng.randint(*widths)
        game = random_game(rng, width, rng.choice((0, 0, 1, 1, 2, 3)), most)
        if game is None:
            continue
        there = game.there(1 + max(game.filled))
        left = {
            (x, there.index(row)): p for row in game.filled for x, p in game.filled[row].items()
        }
        background = rng.choice((None, None, GREY))
        shown: list[str | None] = [*PALETTE[: rng.randint(1, COLORS)], background]
        types = {piece: rng.choice(shown) for piece in PieceType}
        if any(types[PieceType[piece]] is None for piece in left.values()):
            continue
        cells = {cell: types[PieceType[piece]] for cell, piece in left.items()}
        rows = 1 + max((y for (_, y), c in cells.items() if c != background), default=-1)
        drawn = tuple(
            tuple(
                color if (color := cells.get((x, y))) != background or rng.random() < 0.3 else None
                for x in range(width)
            )
            for y in range(rows)
        )
        if not rows or not drawn[-1]:
            continue
        height = max(1 + y for drop in game.drops for _, y in drop.real)
        asked = rng.choice(("auto", "auto", "classic", "fixed"))
        fixed = TypeColors(tuple((p, c) for p, c in types.items() if c is not None))
        task = Task.of(
            Picture(drawn),
            (width, height + rng.choice((0, 0, 1, 4))),
            fixed if asked == "fixed" else asked,
            background,
            0,
        )
        if asked == "classic":
            if len(task.colors) > COLORS:
                continue
            classic = dict(assign_classic_types(task.picture, background))
            if any(classic.get(PieceType[p]) != cells[cell] for cell, p in left.items()):
                continue
        return Printable(task, len(game.drops))
