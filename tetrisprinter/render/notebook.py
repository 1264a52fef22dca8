"""How plans and packings show themselves in a notebook.

Plain functions from an object to HTML, SVG or PNG: the objects' ``_repr_*_`` methods
call them when a notebook asks, so the objects need not know how to draw. A drawing never
raises: what cannot be played says so in its place.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import Final

from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through, shown
from tetrisprinter.packings.problem import Packing
from tetrisprinter.render.colors import shade
from tetrisprinter.render.paint import Look
from tetrisprinter.render.still import png_bytes

__all__ = ["packing_svg", "packings_html", "plan_html", "plan_png"]

# Bright enough for dark letters on them, on a light page and on a dark one.
_COLORS: Final = {
    PieceType.I: "7cc7d9",
    PieceType.J: "8ea6e6",
    PieceType.L: "efb072",
    PieceType.O: "ecd66f",
    PieceType.S: "93cf8b",
    PieceType.T: "c79be0",
    PieceType.Z: "ea8f8a",
}
_PRESET: Final = "b9b9bd"
_LETTER: Final = "1d1e22"


def plan_png(plan: Plan) -> bytes | None:
    """Return the finished picture of a plan as PNG; None if it cannot be played."""
    try:
        game = play_through(plan)
        scale = max(1, min(8, 480 // max(plan.width, plan.height)))
        return png_bytes(shown(plan, game.field), look=Look(scale))
    except TetrisPrinterError:
        return None


def plan_html(plan: Plan) -> str:
    """Return the finished picture of a plan with its figures below."""
    try:
        lines = play_through(plan).lines
    except TetrisPrinterError as error:
        return f"<p>Plan of {len(plan)} drops: {html.escape(str(error))}</p>"
    data = base64.b64encode(plan_png(plan) or b"").decode()
    caption = (
        f"{len(plan)} drops, {lines} lines, {len(plan.passes)} passes, "
        f"board {plan.width} × {plan.height}"
    )
    return (
        f'<figure style="margin:0;display:inline-block"><img alt="What the plan prints" '
        f'src="data:image/png;base64,{data}">'
        f'<figcaption style="font-size:smaller;opacity:.75">{caption}</figcaption></figure>'
    )


def packing_svg(packing: Packing, size: int = 22) -> str:
    """Draw a packing: each piece in its type's colour, lettered in drop order.

    Parameters
    ----------
    packing : Packing
        What to draw; presets are grey.
    size : int
        Pixels per cell.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import Packing
    >>> packing_svg(Packing.parse("AABB\\nAABB")).startswith("<svg ")
    True
    """
    problem = packing.problem
    width, height = problem.width * size, problem.rows * size
    groups: list[tuple[Sequence[Cell], str]] = [(cells, _PRESET) for cells in problem.presets]
    groups += [(piece.cells, _COLORS[piece.orientation.piece]) for piece in packing.pieces]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2}" height="{height + 2}" '
        f'viewBox="-1 -1 {width + 2} {height + 2}" role="img" '
        f'aria-label="A packing of {len(packing.pieces)} pieces">'
    ]
    for number, (cells, color) in enumerate(groups):
        parts.append(
            f'<path d="{_outline(cells, problem.rows, size)}" fill="#{color}" '
            f'stroke="#{shade(color, -0.6)}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
        if cells:
            x, y = min(cells, key=lambda c: (-c[1], c[0]))
            letter = html.escape(chr(ord("A") + number)) if number < 62 else str(number + 1)
            parts.append(
                f'<text x="{(x + 0.5) * size:g}" y="{(problem.rows - y - 0.5) * size:g}" '
                f'font-family="monospace" font-size="{size * 0.6:g}" fill="#{_LETTER}" '
                f'text-anchor="middle" dominant-baseline="central">{letter}</text>'
            )
    return "".join([*parts, "</svg>"])


def _outline(cells: Iterable[Cell], rows: int, size: int) -> str:
    """Return an SVG path around cells, row 0 at the bottom of so many rows."""
    present = set(cells)
    # The edges between a cell and what is not one, going around with the inside on the
    # right; where two corners touch, either way on closes a loop.
    after: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for x, y in sorted(present):
        for dx, dy, a, b in (
            (0, 1, (x, y + 1), (x + 1, y + 1)),
            (1, 0, (x + 1, y + 1), (x + 1, y)),
            (0, -1, (x + 1, y), (x, y)),
            (-1, 0, (x, y), (x, y + 1)),
        ):
            if (x + dx, y + dy) not in present:
                after.setdefault(a, []).append(b)
    loops = []
    while after:
        start = here = next(iter(after))
        corners = [start]
        while True:
            following = after[here]
            there = following.pop()
            if not following:
                del after[here]
            here = there
            if here == start:
                break
            corners.append(here)
        points = " L".join(f"{x * size} {(rows - y) * size}" for x, y in corners)
        loops.append(f"M{points}Z")
    return "".join(loops)


def packings_html(packings: Sequence[Packing], most: int = 12) -> str:
    """Draw the first packings of a table side by side, and say how many there are."""
    drawn = "".join(
        f'<div style="margin:0 12px 12px 0">{packing_svg(packing, 12)}</div>'
        for packing in packings[:most]
    )
    rest = f", the first {most} of them" if len(packings) > most else ""
    return (
        f'<div><div style="font-size:smaller;opacity:.75">{len(packings)} packings{rest}</div>'
        f'<div style="display:flex;flex-wrap:wrap">{drawn}</div></div>'
    )
