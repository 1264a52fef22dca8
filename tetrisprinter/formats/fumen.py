"""Fumen (``v115@...``): how the Tetris community passes games on.

A fumen is a string of *pages*, each a field and at most one piece laid on it; when the
page is locked, full rows vanish and the next page begins with what is left. So a game is
one page per drop. The bit packing is left to ``py-fumen-py``, the maintained Python port
of the reference implementation; this module translates between its pages and a plan.

A fumen knows ten columns, 23 rows, and the piece types in their standard colours. What
the plan says beyond that (board, colours) goes into the comment of the first page, so
that reading the string again gives the same game in the same colours.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats.replay import plan_of_drops
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play

__all__ = ["fumen_text", "parse_fumen"]

WIDTH: Final = 10
HEIGHT: Final = 23


def fumen_text(plan: Plan, source: str = "plan") -> str:
    """Write a game as a fumen string.

    Parameters
    ----------
    plan : Plan
        The game, on a board of ten columns.
    source : str
        What messages call it.

    Raises
    ------
    JobError
        If the board is not ten wide, or a drop needs a row that a fumen does not have.
    TopOutError
        If the plan tops out.

    Examples
    --------
    >>> plan = Plan.parse("board 10x22 I=00f0f0\\n\\nAAAA......")
    >>> text = fumen_text(plan)
    >>> text[:5], str(parse_fumen(text)) == str(plan)
    ('v115@', True)
    """
    import py_fumen_py as fumen

    if plan.width != WIDTH:
        raise JobError(
            f"{source}: a fumen has {WIDTH} columns but the board has {plan.width}; plan the "
            f"picture for --board {WIDTH}x{min(plan.height, HEIGHT)}"
        )
    pages: list[Any] = []
    header = str(Plan((), plan.colors, plan.width, plan.height)).strip()
    for drop in play(plan, Playfield(plan.width, plan.height)):
        landing = drop.landing
        if landing.y + landing.orientation.height > HEIGHT:
            raise JobError(
                f"{source}: drop {drop.index + 1} of {len(plan)} comes to rest above row {HEIGHT}, "
                "where a fumen ends"
            )
        rotation, dx, dy = _holds()[landing.orientation.index]
        operation = fumen.Operation(
            fumen.Mino[landing.orientation.piece.name], rotation, landing.x + dx, landing.y + dy
        )
        pages.append(
            fumen.Page(
                field=None if pages else fumen.Field(),
                operation=operation,
                comment=header,
                flags=fumen.Flags(),
            )
        )
    return str(fumen.encode(pages))


def parse_fumen(text: str, source: str = "fumen") -> Plan:
    """Read a fumen whose pages are a game from an empty field, one drop after the other.

    Parameters
    ----------
    text : str
        The string, or an address that ends with it.
    source : str
        Its name, for messages.

    Returns
    -------
    Plan
        The game. Without our comment the board is 10 x 23 and the types have the
        standard colours.

    Raises
    ------
    InputError
        Naming the page that is no drop: without a piece, not locked, or with a piece that
        does not lie where it would fall.
    """
    import py_fumen_py as fumen

    try:
        pages: list[Any] = fumen.decode(text.strip())
    except Exception as error:  # the library raises whatever its arithmetic runs into
        raise InputError(f"{source}: is not a fumen (v115@...): {error}") from error
    width, height, colors = _header(pages[0].comment if pages else "")
    field = Playfield(width, HEIGHT)
    drops: list[tuple[Orientation, int]] = []
    for number, page in enumerate(pages, 1):
        if page.operation is None or not page.flags.lock:
            raise InputError(f"{source}: page {number} drops no piece, so this is not a game")
        shown = {
            (x, y)
            for y in range(HEIGHT)
            for x in range(WIDTH)
            if page.field.at(x, y) is not fumen.Mino._
        }
        expected = {(x, y) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v}
        if shown != expected:
            raise InputError(
                f"{source}: page {number} does not show the field that the pages before leave"
            )
        placed = Placement.of((x, y) for x, y in page.operation.shape())
        assert placed is not None
        if field.landing_row(placed.orientation, placed.x) != placed.y:
            raise InputError(
                f"{source}: page {number}: the {placed.orientation.piece.name} does not lie where "
                "it would fall"
            )
        field.drop(placed.orientation, placed.x)
        drops.append((placed.orientation, placed.x))
    return plan_of_drops(drops, colors, width, height)


@cache
def _holds() -> dict[int, tuple[Any, int, int]]:
    """Return for each orientation the fumen's rotation, and how far its centre is from x, y."""
    import py_fumen_py as fumen

    holds: dict[int, tuple[Any, int, int]] = {}
    order = (
        fumen.Rotation.SPAWN,
        fumen.Rotation.RIGHT,
        fumen.Rotation.REVERSE,
        fumen.Rotation.LEFT,
    )
    for piece in PieceType:
        for rotation in order:
            shape = fumen.Operation(fumen.Mino[piece.name], rotation, 0, 0).shape()
            found = Placement.of((x, y) for x, y in shape)
            assert found is not None
            holds.setdefault(found.orientation.index, (rotation, -found.x, -found.y))
    return holds


_STANDARD: Final = tuple(
    (PieceType[name], color)
    for name, color in zip(
        "IJLOSTZ",
        ("00f0f0", "0000f0", "f0a000", "f0f000", "00f000", "a000f0", "f00000"),
        strict=True,
    )
)


def _header(comment: str | None) -> tuple[int, int, tuple[tuple[PieceType, str], ...]]:
    try:
        said = Plan.parse(comment or "")
    except InputError:
        return WIDTH, HEIGHT, _STANDARD
    return (
        (said.width, said.height, said.colors)
        if said.width == WIDTH
        else (WIDTH, HEIGHT, _STANDARD)
    )
