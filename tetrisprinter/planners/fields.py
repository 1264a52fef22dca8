"""Breadth-first search for the shortest game from a field to a picture, on small boards.

Fields are expanded in layers, all fields with the same number of drops together. Each field has a
lower bound of the drops left, from the rows that must clear and from the number of squares.
The first round follows only fields whose drops and bound are at most the bound of the start. Each
further round allows one more, so the first game found is a shortest one. Types that may show the
same squares are one kind, and fields that differ only within a kind are the same.

A search that reaches its limit of fields continues with the best of them, which proves nothing;
a search of all fields proves that no game leads to the picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.game.start import Rows
from tetrisprinter.planners.budgets import COMMON
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.target import Target
from tetrisprinter.support.word_ops import count_ones

SQUARES: Final = 63
"""The most squares of a board: each is one bit of a non-negative 64-bit number."""
_CHUNK: Final = 250_000
"""The number of fields that numpy processes at once."""
_NEVER: Final = int(np.iinfo(np.int32).max)
"""Infinity as a number of drops."""


_Fields = NDArray[np.int64]
"""One row per field and one column per kind of types: the squares that hold it, as bits."""
_Numbers = NDArray[np.int64]


class UnreachableError(JobError):
    """No game leads to the picture; the search was exhaustive."""


@dataclass(slots=True)
class _FieldSearch:
    """The operations of a search over fields, on many fields at once."""

    target: Target  # what the board must and may hold at the end
    kinds: tuple[int, ...]  # for each type (by its number, less one) the number of its kind
    run: Run  # its deadline ends the search
    needed: _Numbers = field(init=False)  # fewest drops left, by filled squares and rows to clear
    barred: _Numbers = field(init=False)  # by kind and row: columns where it must not stay, as bits
    required: _Numbers = field(init=False)  # by row: the columns that must be filled, as bits
    placements: list[tuple[Orientation, int, _Numbers]] = field(init=False)  # and masks by height

    def __post_init__(self) -> None:
        target, width = self.target, self.target.width
        above = [(target.above,) * width] * (target.height - target.rows)
        rows = [*target.allowed, *above]
        barred = np.zeros((max(self.kinds) + 1, target.height + 1), np.int64)
        barred[:, -1] = (1 << width) - 1
        for piece, kind in zip(PieceType, self.kinds, strict=True):
            for y, row in enumerate(rows):
                barred[kind, y] = sum(1 << x for x in range(width) if not row[x] >> piece & 1)
        self.barred = barred
        self.required = np.zeros(target.height, np.int64)
        for x, y in target.required:
            self.required[y] |= 1 << x
        squares, spare = len(target.required), target.count_spare()
        heights = range(target.height + 1)
        self.needed = np.array(
            [[_count_needed(width, squares - filled, spare, lines) for lines in heights]
             for filled in range(width * target.height + 1)], np.int64)  # fmt: skip

        shapes = {(self.kinds[one.piece - 1], one.cells): one for one in ORIENTATIONS}
        self.placements = [
            (one, x, np.array([_make_mask(one, x, y, width, target.height)
                               for y in range(target.height)], np.int64))
            for one in shapes.values() for x in range(width - one.width + 1)
        ]  # fmt: skip

    def bound_drops(self, fields: _Fields) -> _Numbers:
        """Return a lower bound on the drops that each field still needs.

        It is 0 only at the goal.
        """
        target, width = self.target, self.target.width
        kept = np.zeros(len(fields), np.int64)
        lines = np.zeros_like(kept)
        ends = np.ones(len(fields), bool)
        for y in range(target.height):
            row = fields >> width * y & ((1 << width) - 1)
            any_of = np.bitwise_or.reduce(row, axis=1)
            fits = any_of != 0
            ends &= any_of & self.required[y] == self.required[y]
            for kind, barred in enumerate(self.barred):
                fits &= row[:, kind] & barred[kept] == 0
            kept += fits
            lines += (any_of != 0) & ~fits
        found = self.needed[count_ones(np.bitwise_or.reduce(fields, axis=1)), lines]
        found[ends & (lines == 0)] = 0
        return found

    def drop_pieces(self, fields: _Fields) -> Iterator[tuple[Orientation, int, _Numbers, _Fields]]:
        """Yield each piece and column, indices of the fields with room, and the fields after it."""
        filled = np.bitwise_or.reduce(fields, axis=1)
        height = self.target.height
        for orientation, x, masks in self.placements:
            falls = np.ones(len(fields), bool)
            lies = np.full(len(fields), height)
            for y in range(height - 1, -1, -1):
                falls &= filled & masks[y] == 0
                lies[falls] = y
            room = np.flatnonzero(lies <= height - orientation.height)
            if len(room):
                after = fields[room]
                after[:, self.kinds[orientation.piece - 1]] |= masks[lies[room]]
                yield orientation, x, room, self._clear_rows(after)

    def _clear_rows(self, fields: _Fields) -> _Fields:
        """Remove the full rows of each field, in place."""
        width, row = self.target.width, (1 << self.target.width) - 1
        filled = np.bitwise_or.reduce(fields, axis=1)
        for y in range(self.target.height - 1, -1, -1):
            full = np.flatnonzero(filled >> width * y & row == row)
            if len(full):
                fields[full] = _remove_row(fields[full], width, y)
                filled[full] = _remove_row(filled[full], width, y)
        return fields

    def expand_level(
        self, level: _Fields, drops_so_far: int, most_drops: int
    ) -> tuple[_Fields, _Numbers, int]:
        """Return the fields after one more drop, their bounds, and the least total left out.

        A field's total is its drops so far plus its bound. Fields whose total is more than
        ``most_drops`` are left out.
        """
        fields, needs, beyond = [level[:0]], [np.zeros(0, np.int64)], _NEVER
        for at in range(0, len(level), _CHUNK):
            if self.run.is_over:
                raise TimeoutError
            for *_, after in self.drop_pieces(level[at : at + _CHUNK]):
                least = self.bound_drops(after)
                total = least + drops_so_far + 1
                far = total[(total > most_drops) & (least < _NEVER)]
                beyond = min(beyond, int(far.min())) if len(far) else beyond
                good = np.flatnonzero(total <= most_drops)
                fields.append(after[good])
                needs.append(least[good])
            if sum(map(len, fields)) > _CHUNK:
                fields, needs = ([one] for one in _remove_repeats(fields, needs))
        found, least = _remove_repeats(fields, needs)
        return found, least, beyond

    def find_drop(self, level: _Fields, end: _Numbers) -> tuple[Orientation, int, int]:
        """Return a drop to the field ``end``: piece, column, and index of the field before it."""
        for at in range(0, len(level), _CHUNK):
            for orientation, x, room, after in self.drop_pieces(level[at : at + _CHUNK]):
                found = np.flatnonzero((after == end).all(axis=1))
                if len(found):
                    return orientation, x, at + int(room[found[0]])
        raise AssertionError("no field of the level leads to the next one")


def find_shortest_game(
    start: Rows, target: Target, plan: Plan, run: Run
) -> tuple[Plan | None, bool]:
    """Return a game from a field to a target (None at a limit), and if it is proved shortest."""
    search = _FieldSearch(target, _classify_types(target), run)
    first = np.zeros((1, max(search.kinds) + 1), np.int64)
    for place, value in enumerate(b"".join(start)):
        if value:
            first[0, search.kinds[value - 1]] |= 1 << place
    bound = int(search.bound_drops(first)[0])
    if not bound:
        return _make_plan(search, [first], start, plan), True
    most_fields = round(COMMON.fields * run.limit.effort)
    try:
        while bound < _NEVER:
            levels, beyond, is_exhaustive = _search_within_bound(search, first, bound, most_fields)
            if levels is not None:
                return _make_plan(search, levels, start, plan), is_exhaustive
            if not is_exhaustive:
                return None, False
            bound = beyond
    except TimeoutError:
        return None, False
    raise UnreachableError(f"no game on a board of {target.width}x{target.height} prints it")


def _search_within_bound(
    search: _FieldSearch, first: _Fields, bound: int, most_fields: int
) -> tuple[list[_Fields] | None, int, bool]:
    """Return the layers to the target or None, the next bound, and whether all fields were kept."""
    levels, known, beyond, is_exhaustive = [first], first, _NEVER, True
    while len(levels[-1]) and len(known) <= 2 * most_fields:
        made = len(levels) - 1
        fields, needs, more = search.expand_level(
            levels[-1], made, bound if is_exhaustive else _NEVER - 1
        )
        beyond = min(beyond, more)
        end = np.flatnonzero(needs == 0)
        if len(end):
            return [*levels, fields[end[:1]]], beyond, is_exhaustive
        new = _mark_new(fields, known)
        fields, needs = fields[new], needs[new]
        is_exhaustive = is_exhaustive and len(known) + len(fields) <= most_fields
        if not is_exhaustive:
            fields = fields[np.argsort(needs, kind="stable")[: COMMON.best]]
        levels.append(fields)
        known = _remove_repeats([known, fields])[0]
    return None, beyond, is_exhaustive


def _count_needed(width: int, squares: int, spare: int, lines: int) -> int:
    """Return the fewest drops, at least 1, that add ``squares`` and clear ``lines`` or more."""
    best = _NEVER
    for cleared in range(lines, lines + 5 + max(0, -squares // width)):
        cells = squares + width * cleared
        drops = max(1, -(-cells // 4))
        if 4 * drops - cells <= spare:
            best = min(best, drops)
    return best


def _make_mask(orientation: Orientation, x: int, y: int, width: int, height: int) -> int:
    """Return the squares of a placed piece that lie on the board, as bits."""
    return sum(1 << width * (y + dy) + x + dx for dx, dy in orientation.cells if y + dy < height)


def _remove_row(fields: _Numbers, width: int, y: int) -> _Numbers:
    """Remove a row from each field."""
    return fields & (1 << width * y) - 1 | fields >> width * (y + 1) << width * y


def _remove_repeats(parts: list[_Fields], beside: list[_Numbers] | None = None) -> list[_Numbers]:
    """Sort fields and remove duplicates, together with their entries in ``beside``."""
    fields = np.concatenate(parts)
    if fields.shape[1] == 1:  # np.unique is many times as fast on one column
        _, first = np.unique(fields[:, 0], return_index=True)
    else:
        _, first = np.unique(fields, axis=0, return_index=True)
    return [fields[first], *([np.concatenate(beside)[first]] if beside else [])]


def _mark_new(fields: _Fields, known: _Fields) -> NDArray[np.bool_]:
    """Mark the fields that are not among the known ones."""
    if fields.shape[1] == 1:
        return np.isin(fields[:, 0], known[:, 0], assume_unique=True, invert=True)
    _, first = np.unique(np.concatenate([known, fields]), axis=0, return_index=True)
    new = np.zeros(len(fields), bool)
    new[first[first >= len(known)] - len(known)] = True
    return new


def _classify_types(target: Target) -> tuple[int, ...]:
    """Return the kind of each type: types that may show the same squares have the same kind."""
    masks = sorted({target.above, *(mask for row in target.allowed for mask in row)})
    known: dict[tuple[int, ...], int] = {}
    return tuple(
        known.setdefault(tuple(mask >> piece & 1 for mask in masks), len(known))
        for piece in PieceType
    )


def _make_plan(search: _FieldSearch, levels: list[_Fields], start: Rows, plan: Plan) -> Plan:
    """Return the plan of a game through the layers of a search; the last one is its end."""
    steps: list[tuple[Orientation, int]] = []
    end = levels[-1][0]
    for level in reversed(levels[:-1]):
        orientation, x, place = search.find_drop(level, end)
        steps.append((orientation, x))
        end = level[place]
    return make_plan_from_drops(
        reversed(steps), plan.colors, plan.width, plan.height, plan.background, start
    )
