"""Random tasks on boards that are small enough for an exhaustive search."""

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
"""The colour of a background that is no colour of the picture."""

_MAX_SQUARES = 64
"""The most squares of a board that the oracle can hold."""


def draw_task(
    rng: random.Random, widths: tuple[int, int] = (3, 6), squares: int = 14, rows: int = 6
) -> Task:
    """Draw a task with any kind of types, with or without a background, on a low or high board.

    ``widths`` are the least and the greatest width of the board. The picture has at most
    ``squares`` squares and ``rows`` rows.
    """
    while True:
        width = rng.randint(*widths)
        height = min(rng.randint(1, rows) + rng.choice((2, 4, 6, 9)), _MAX_SQUARES // width)
        palette = PALETTE[: rng.randint(1, COLORS)]
        background = rng.choice((None, None, GREY, GREY, palette[0]))
        empty_colors = (None, background) if rng.random() < 0.3 else (None,)
        density = rng.choice((0.2, 0.4, 0.6, 0.8))
        rows_of_colors = tuple(
            tuple(
                rng.choice(palette) if rng.random() < density else rng.choice(empty_colors)
                for _ in range(width)
            )
            for _ in range(rng.randint(1, min(rows, height)))
        )
        picture = Picture(rows_of_colors).trim()
        needed = [color for color in picture.colors() if color != background]
        pixels = sum(color in needed for row in picture.rows for color in row)
        if not 0 < pixels <= squares:
            continue
        types = _draw_types(rng, needed, background)
        return Task.of(
            picture, (width, height), types, background, rng.randint(0, width - picture.width)
        )


def _draw_types(rng: random.Random, needed: list[str], background: str | None) -> str | TypeColors:
    """Draw types of some kind; fixed types include one for each needed colour."""
    kind = rng.choice(("auto", "auto", "classic", "fixed"))
    if kind != "fixed":
        return kind
    other_colors = [*needed, *([] if background is None else [background]), None]
    pieces = rng.sample(list(PieceType), len(PieceType))
    colors = [*needed, *(rng.choice(other_colors) for _ in pieces[len(needed) :])]
    pairs = zip(pieces, colors, strict=True)
    return TypeColors(tuple(sorted((piece, color) for piece, color in pairs if color)))


def make_two_color_task(height: int, text: str = ".rr..b\nrr..b.") -> Task:
    """Return a task on six columns whose piece types show the colours of a picture in turn."""
    picture = Picture.parse(text)
    colors = picture.colors()
    types = {piece: colors[k % len(colors)] for k, piece in enumerate(PieceType)}
    return Task.of(picture, (6, height), types, None, 0)


def find_truth(task: Task, *, max_drops: int, states: int) -> Truth:
    """Return the oracle's truth about a task; the oracle has numbers for colours.

    Parameters
    ----------
    task : Task
        A task on a board of up to 64 squares.
    max_drops, states : int
        The limits of the search: the number of drops of a game, and the number of states.
    """
    colors = [color for color in task.picture.colors() if color != task.background]
    color_numbers = {color: i for i, color in enumerate(colors)}
    if task.background is not None:
        color_numbers[task.background] = UNSEEN
    type_numbers = None
    if task.type_colors is not None:
        type_numbers = {
            p.name: color_numbers[c] for p, c in task.type_colors.items() if c in color_numbers
        }
    cells = {(x + task.column, y): c for (x, y), c in task.picture.cells().items()}
    return find_fewest_drops(
        task.board.width,
        task.board.height,
        {cell: color_numbers[color] for cell, color in cells.items() if color != task.background},
        type_numbers,
        background=task.background is not None,
        most=max_drops,
        states=states,
    )


class PrintableTask(NamedTuple):
    """A task, and the number of drops of a game that prints it."""

    task: Task
    drops: int


def draw_printable_task(
    rng: random.Random, widths: tuple[int, int] = (3, 6), max_drops: int = 8
) -> PrintableTask:
    """Draw a task: play a random game of at most ``max_drops`` drops and give its types colours."""
    while True:
        width = rng.randint(*widths)
        game = random_game(rng, width, rng.choice((0, 0, 1, 1, 2, 3)), max_drops)
        if game is None:
            continue
        rows_left = game.there(1 + max(game.filled))
        squares = {
            (x, rows_left.index(row)): p for row in game.filled for x, p in game.filled[row].items()
        }
        background = rng.choice((None, None, GREY))
        colors: list[str | None] = [*PALETTE[: rng.randint(1, COLORS)], background]
        types = {piece: rng.choice(colors) for piece in PieceType}
        if any(types[PieceType[piece]] is None for piece in squares.values()):
            continue
        cells = {cell: types[PieceType[piece]] for cell, piece in squares.items()}
        rows = 1 + max((y for (_, y), c in cells.items() if c != background), default=-1)
        rows_of_colors = tuple(
            tuple(
                color if (color := cells.get((x, y))) != background or rng.random() < 0.3 else None
                for x in range(width)
            )
            for y in range(rows)
        )
        if not rows or not rows_of_colors[-1]:
            continue
        height = max(1 + y for drop in game.drops for _, y in drop.real)
        kind = rng.choice(("auto", "auto", "classic", "fixed"))
        fixed = TypeColors(tuple((p, c) for p, c in types.items() if c is not None))
        task = Task.of(
            Picture(rows_of_colors),
            (width, height + rng.choice((0, 0, 1, 4))),
            fixed if kind == "fixed" else kind,
            background,
            0,
        )
        if kind == "classic":
            if len(task.colors) > COLORS:
                continue
            classic = dict(assign_classic_types(task.picture, background))
            if any(classic.get(PieceType[p]) != cells[cell] for cell, p in squares.items()):
                continue
        return PrintableTask(task, len(game.drops))
