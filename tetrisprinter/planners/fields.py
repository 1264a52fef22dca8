"""Whole games from a field to a picture on small boards: the fewest drops of all.

A best-first search (A*) over fields. What a field needs at least is counted: the rows that no
game can keep must clear, and the squares must come out. Of a square it only matters what the
types of the same possible squares have in common, so fields of types that are alike are one. A
search that has looked at as many fields as it may gives up; one that has looked at all of them
has proved that no game leads there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import Final

from tetrisprinter.errors import JobError
from tetrisprinter.game.counting import least_drops
from tetrisprinter.game.from_drops import plan_of_drops
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.start import Rows
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.target import Target

__all__ = ["SMALL", "UnreachableError", "fewest_from"]

SMALL: Final = 60
"""Squares of a board that is small enough to look at whole games, at most."""
FIELDS: Final = 60_000
"""Fields that are looked at with an effort of 1: about ten seconds."""

_Field = tuple[bytes, ...]
_Step = tuple[Orientation, int]


class UnreachableError(JobError):
    """No game at all leads to a picture: all of them were looked at."""


@dataclass(slots=True)
class _Search:
    """What a search asks of a field.

    Attributes
    ----------
    target : Target
        The end.
    kinds : tuple of int
        For each type (by its number) the number of the first type that may stay in the same
        squares.
    """

    target: Target
    kinds: tuple[int, ...]

    def least(self, field: _Field) -> int:
        """Return how many drops are needed at least; -1 if no number of them will do."""
        target, kept = self.target, 0
        for row in field:
            if kept < target.rows and _fits(row, target.allowed[kept]):
                kept += 1
        lines = len(field) - kept
        there = sum(len(row) - row.count(0) for row in field)
        squares = len(target.required) - there
        if not lines and not squares and self.is_end(field):
            return 0
        needed = least_drops(target.width, squares, target.spare(), lines)
        return needed or (-1 if squares or lines else 1)

    def is_end(self, field: _Field) -> bool:
        """Whether a field is what is asked for."""
        target = self.target
        if len(field) > target.rows:
            return False
        if not all(
            _fits(row, allowed) for row, allowed in zip(field, target.allowed, strict=False)
        ):
            return False
        return all(y < len(field) and field[y][x] for x, y in target.required)


@lru_cache(maxsize=1 << 16)
def _fits(row: bytes, allowed: tuple[int, ...]) -> bool:
    return all(not value or mask >> value & 1 for value, mask in zip(row, allowed, strict=True))


def fewest_from(
    start: Rows, target: Target, plan: Plan, run: Run, fields: int | None = None
) -> tuple[Plan, bool] | None:
    """Look for the game with the fewest drops from a field to a target.

    Parameters
    ----------
    start : tuple of bytes
        What lies there, bottom first.
    target : Target
        What is to be left; its types have colours.
    plan : Plan
        Board and colours of the plan.
    run : Run
        Whose time is looked at.
    fields : int, optional
        How many fields to look at; usually 60,000 times the effort.

    Returns
    -------
    (Plan, bool) or None
        A game, and that it has the fewest drops of all. None if it was not found among as many
        fields as may be looked at, or in the time.

    Raises
    ------
    UnreachableError
        If there is none.
    """
    search = _Search(target, _kinds(target))
    first = tuple(bytes(search.kinds[value] for value in row) for row in start)
    came: dict[_Field, tuple[_Field, _Step] | None] = {first: None}
    drops = {first: 0}
    least = search.least(first)
    heap = [(least, 0, 0, first)] if least >= 0 else []
    number, most = 0, fields or round(FIELDS * run.limit.effort)
    while heap:
        _, _, _, field = heappop(heap)
        if search.is_end(field):
            return _plan(field, came, start, plan), True
        made = drops[field] + 1
        if number > most or (number % 256 == 0 and run.is_over):
            return None
        for after, step in _moves(field, target.width, target.height, search.kinds):
            if drops.get(after, made + 1) <= made:
                continue
            least = search.least(after)
            if least < 0:
                continue
            drops[after], came[after] = made, (field, step)
            number += 1
            heappush(heap, (made + least, least, number, after))
    raise UnreachableError(f"no game on a board of {target.width}x{target.height} leads there")


def _kinds(target: Target) -> tuple[int, ...]:
    """Return for each type the first that may stay in the same squares; see ``_Search``."""
    masks = {mask for row in target.allowed for mask in row}
    kinds = [0]
    known: dict[tuple[int, ...], int] = {}
    for piece in PieceType:
        where = tuple(mask >> piece & 1 for mask in sorted(masks))
        kinds.append(known.setdefault(where, int(piece)))
    return tuple(kinds)


def _moves(
    field: _Field, width: int, height: int, kinds: tuple[int, ...]
) -> list[tuple[_Field, _Step]]:
    """Return the fields that one drop leads to."""
    tops = [0] * width
    for y, row in enumerate(field):
        for x, value in enumerate(row):
            if value:
                tops[x] = y + 1
    found: dict[_Field, _Step] = {}
    for orientation in ORIENTATIONS:
        for x in range(width - orientation.width + 1):
            y = max(
                0,
                *(tops[x + dx] - bottom for dx, bottom in enumerate(orientation.bottom)),
            )
            if y + orientation.height > height:
                continue
            rows = [bytearray(row) for row in field]
            while len(rows) < y + orientation.height:
                rows.append(bytearray(width))
            kind = kinds[orientation.piece]
            for dx, dy in orientation.cells:
                rows[y + dy][x + dx] = kind
            after = tuple(bytes(row) for row in rows if 0 in row)
            found.setdefault(after, (orientation, x))
    return list(found.items())


def _plan(
    field: _Field, came: dict[_Field, tuple[_Field, _Step] | None], start: Rows, plan: Plan
) -> Plan:
    """Return the plan of the game that led to a field."""
    steps: list[_Step] = []
    while (before := came[field]) is not None:
        field, step = before
        steps.append(step)
    return plan_of_drops(
        reversed(steps), plan.colors, plan.width, plan.height, plan.background, start
    )
