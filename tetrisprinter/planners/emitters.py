"""Emitters: pieces that leave squares in a row, and which of them fit side by side.

An *emitter* is a piece that leaves its lowest cells in the row being printed, which is row 0 here,
and presets the matrix above with the others, which must begin in the row right above.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.packings.finders import Finder
from tetrisprinter.packings.problem import Packing, PackingProblem
from tetrisprinter.support.limits import Limit

__all__ = [
    "SHAPES",
    "emitter_pass",
    "find_left_columns",
    "most_squares",
    "pack_matrix",
    "presets_of",
]

SHAPES: Final = tuple(o for o in ORIENTATIONS if max(o.bottom) <= 1)
"""What may lie as an emitter."""


def find_left_columns(emitter: Placement) -> list[int]:
    """Return the columns in which an emitter leaves a square."""
    return [x for x, y in emitter.cells if y == 0]


def presets_of(emitter: Placement) -> tuple[Cell, ...]:
    """Return the cells of an emitter that lie in the matrix."""
    return tuple((x, y - 1) for x, y in emitter.cells if y)


def pack_matrix(
    emitters: Sequence[Placement], squares: frozenset[int], size: tuple[int, int],
    finder: Finder, limit: Limit,
) -> Packing | None:  # fmt: skip
    """Fill a matrix of some columns and rows above emitters and squares that are there.

    None if that is not found.
    """
    squares |= {x for emitter in emitters for x in find_left_columns(emitter)}
    try:
        problem = PackingProblem(*size, tuple(map(presets_of, emitters)), squares)
    except InputError:  # the presets complete a row
        return None
    result = finder.find(problem, Limit(workers=limit.workers, seed=limit.seed))
    return result if isinstance(result, Packing) else None


def emitter_pass(packing: Packing, emitters: Sequence[Placement]) -> Pass:
    """Draw a packing above the row it prints, with the emitters as whole pieces."""
    raised = (Placement(p.orientation, p.x, p.y + 1) for p in packing.pieces)
    return Pass(packing.problem.rows + 1, (*emitters, *raised))


def most_squares(emitters: Sequence[Placement], width: int) -> list[list[Placement]]:
    """For each remainder of presets modulo 4, choose emitters that leave most squares.

    They must lie side by side. A path along the columns: best[x][r] is the best choice
    left of column x whose presets have remainder r.
    """
    ending: dict[int, list[Placement]] = {}
    for emitter in emitters:
        ending.setdefault(emitter.x + emitter.orientation.width, []).append(emitter)
    best: list[dict[int, tuple[int, list[Placement]]]] = [{0: (0, [])}]
    for x in range(1, width + 1):
        now = dict(best[x - 1])
        for emitter in ending.get(x, ()):
            left = len(find_left_columns(emitter))
            for before, (squares, chosen) in sorted(best[emitter.x].items(), key=itemgetter(0)):
                after = (before + 4 - left) % 4
                if after not in now or squares + left > now[after][0]:
                    now[after] = squares + left, [*chosen, emitter]
        best.append(now)
    return [chosen for _, (_, chosen) in sorted(best[width].items())]
