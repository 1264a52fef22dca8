"""Breadth-first search for the shortest game from a field to a picture, on small boards.

Fields are expanded in layers, all fields with the same number of drops together. Each field has a
lower bound of the drops left, from the rows that must clear and from the number of squares.
The first round follows only fields whose drops and bound are at most the bound of the start. Each
further round allows one more, so the first game found is a shortest one. Types that may show the
same squares form one *kind*, and fields that differ only within a kind count as the same.

A search that reaches its limit of fields continues with the best of them, so it proves nothing.
A search of all fields without a game proves that no game leads to the picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Rows
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops
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
"""One row per field and one column per kind of types: the squares that hold the kind, as bits."""
_Numbers = NDArray[np.int64]


class UnreachableError(JobError):
    """No game leads to the picture; the search was exhaustive."""


@dataclass(slots=True)
class _FieldSearch:
    """The operations of a search over fields, on many fields at once."""

    target: Target  # what the board must and may hold at the end
    kinds: tuple[int, ...]  # the kind of each type; its index is the number of the type, minus one
    run: Run  # its deadline ends the search
    needed: _Numbers = field(init=False)  # fewest drops left, by filled squares and rows to clear
    barred: _Numbers = field(init=False)  # by kind and row: columns forbidden to the kind, as bits
    required: _Numbers = field(init=False)  # by row: the columns that must be filled, as bits
    # The orientations in each column, with the squares by height, as bits
    placements: list[tuple[Orientation, int, _Numbers]] = field(init=False)

    def __post_init__(self) -> None:
        target, width = self.target, self.target.width
        rows_above = [(target.above,) * width] * (target.height - target.rows)
        rows = [*target.allowed, *rows_above]
        barred = np.zeros((max(self.kinds) + 1, target.height + 1), np.int64)
        barred[:, -1] = (1 << width) - 1
        for piece, kind in zip(PieceType, self.kinds, strict=True):
            for y, row in enumerate(rows):
                barred[kind, y] = sum(1 << x for x in range(width) if not row[x] >> piece & 1)
        self.barred = barred
        self.required = np.zeros(target.height, np.int64)
        for x, y in target.required:
            self.required[y] |= 1 << x
        required, extra = len(target.required), target.count_spare()
        heights = range(target.height + 1)
        self.needed = np.array(
            [[_count_needed_drops(width, required - filled, extra, lines) for lines in heights]
             for filled in range(width * target.height + 1)], np.int64)  # fmt: skip

        shapes = {(self.kinds[one.piece - 1], one.cells): one for one in ORIENTATIONS}
        self.placements = [
            (orientation, x, np.array([_make_mask(orientation, x, y, width, target.height)
                                       for y in range(target.height)], np.int64))
            for orientation in shapes.values() for x in range(width - orientation.width + 1)
        ]  # fmt: skip

    def bound_drops(self, fields: _Fields) -> _Numbers:
        """Return a lower bound on the drops that each field still needs.

        It is 0 only at the goal.
        """
        target, width = self.target, self.target.width
        rows_kept = np.zeros(len(fields), np.int64)
        rows_to_clear = np.zeros_like(rows_kept)
        is_goal = np.ones(len(fields), bool)
        for y in range(target.height):
            row = fields >> width * y & ((1 << width) - 1)
            filled = np.bitwise_or.reduce(row, axis=1)
            fits = filled != 0
            is_goal &= filled & self.required[y] == self.required[y]
            for kind, barred in enumerate(self.barred):
                fits &= row[:, kind] & barred[rows_kept] == 0
            rows_kept += fits
            rows_to_clear += (filled != 0) & ~fits
        bounds = self.needed[count_ones(np.bitwise_or.reduce(fields, axis=1)), rows_to_clear]
        bounds[is_goal & (rows_to_clear == 0)] = 0
        return bounds

    def drop_pieces(self, fields: _Fields) -> Iterator[tuple[Orientation, int, _Numbers, _Fields]]:
        """Yield piece, column, the indices of fields where it fits, and the fields after it."""
        filled = np.bitwise_or.reduce(fields, axis=1)
        height = self.target.height
        for orientation, x, masks in self.placements:
            is_falling = np.ones(len(fields), bool)
            landing_row = np.full(len(fields), height)
            for y in range(height - 1, -1, -1):
                is_falling &= filled & masks[y] == 0
                landing_row[is_falling] = y
            fitting = np.flatnonzero(landing_row <= height - orientation.height)
            if len(fitting):
                after = fields[fitting]
                after[:, self.kinds[orientation.piece - 1]] |= masks[landing_row[fitting]]
                yield orientation, x, fitting, self._clear_rows(after)

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

    def expand_layer(
        self, layer: _Fields, drops_so_far: int, most_drops: int
    ) -> tuple[_Fields, _Numbers, int]:
        """Return the fields after one more drop, their bounds, and the least total left out.

        A field's total is its drops so far plus its bound. Fields whose total is more than
        ``most_drops`` are left out.
        """
        fields, bounds, next_total = [layer[:0]], [np.zeros(0, np.int64)], _NEVER
        for start in range(0, len(layer), _CHUNK):
            if self.run.is_over:
                raise TimeoutError
            for *_, after in self.drop_pieces(layer[start : start + _CHUNK]):
                bounds_after = self.bound_drops(after)
                total = bounds_after + drops_so_far + 1
                excess = total[(total > most_drops) & (bounds_after < _NEVER)]
                next_total = min(next_total, int(excess.min())) if len(excess) else next_total
                within = np.flatnonzero(total <= most_drops)
                fields.append(after[within])
                bounds.append(bounds_after[within])
            if sum(map(len, fields)) > _CHUNK:
                fields, bounds = ([one] for one in _remove_repeats(fields, bounds))
        unique, bounds_after = _remove_repeats(fields, bounds)
        return unique, bounds_after, next_total

    def find_drop(self, layer: _Fields, end: _Numbers) -> tuple[Orientation, int, int]:
        """Return a drop to the field ``end``: piece, column, and index of the field before it."""
        for start in range(0, len(layer), _CHUNK):
            for orientation, x, fitting, after in self.drop_pieces(layer[start : start + _CHUNK]):
                matches = np.flatnonzero((after == end).all(axis=1))
                if len(matches):
                    return orientation, x, start + int(fitting[matches[0]])
        raise AssertionError("no field of the level leads to the next one")


def find_shortest_game(
    start: Rows, target: Target, plan: Plan, run: Run
) -> tuple[Plan | None, bool]:
    """Return a game to a target (None if a limit is reached), and whether it is proved shortest."""
    search = _FieldSearch(target, _classify_types(target), run)
    first_field = np.zeros((1, max(search.kinds) + 1), np.int64)
    for square, type_number in enumerate(b"".join(start)):
        if type_number:
            first_field[0, search.kinds[type_number - 1]] |= 1 << square
    bound = int(search.bound_drops(first_field)[0])
    if not bound:
        return _make_plan(search, [first_field], start, plan), True
    most_fields = round(COMMON.most_fields * run.limit.effort)
    try:
        while bound < _NEVER:
            layers, next_bound, is_exhaustive = _search_within_bound(
                search, first_field, bound, most_fields
            )
            if layers is not None:
                return _make_plan(search, layers, start, plan), is_exhaustive
            if not is_exhaustive:
                return None, False
            bound = next_bound
    except TimeoutError:
        return None, False
    raise UnreachableError(f"no game on a board of {target.width}x{target.height} prints it")


def _search_within_bound(
    search: _FieldSearch, first_field: _Fields, bound: int, most_fields: int
) -> tuple[list[_Fields] | None, int, bool]:
    """Return the layers to the target or None, the next bound, and whether all fields were kept."""
    layers, known_fields, next_bound, is_exhaustive = [first_field], first_field, _NEVER, True
    while len(layers[-1]) and len(known_fields) <= 2 * most_fields:
        drops = len(layers) - 1
        fields, bounds, next_total = search.expand_layer(
            layers[-1], drops, bound if is_exhaustive else _NEVER - 1
        )
        next_bound = min(next_bound, next_total)
        goals = np.flatnonzero(bounds == 0)
        if len(goals):
            return [*layers, fields[goals[:1]]], next_bound, is_exhaustive
        is_new = _mark_new(fields, known_fields)
        fields, bounds = fields[is_new], bounds[is_new]
        is_exhaustive = is_exhaustive and len(known_fields) + len(fields) <= most_fields
        if not is_exhaustive:
            fields = fields[np.argsort(bounds, kind="stable")[: COMMON.beam_width]]
        layers.append(fields)
        known_fields = _remove_repeats([known_fields, fields])[0]
    return None, next_bound, is_exhaustive


def _count_needed_drops(width: int, squares: int, extra: int, lines: int) -> int:
    """Return the fewest drops, at least 1, to add ``squares`` (+ ``extra``) and clear ``lines``."""
    fewest = _NEVER
    for cleared in range(lines, lines + 5 + max(0, -squares // width)):
        total_squares = squares + width * cleared
        drops = max(1, -(-total_squares // 4))
        if 4 * drops - total_squares <= extra:
            fewest = min(fewest, drops)
    return fewest


def _make_mask(orientation: Orientation, x: int, y: int, width: int, height: int) -> int:
    """Return the squares of a placed piece that lie on the board, as bits."""
    return sum(1 << width * (y + dy) + x + dx for dx, dy in orientation.cells if y + dy < height)


def _remove_row(fields: _Numbers, width: int, y: int) -> _Numbers:
    """Return fields without row ``y``; the rows above it move down."""
    return fields & (1 << width * y) - 1 | fields >> width * (y + 1) << width * y


def _remove_repeats(
    field_lists: list[_Fields], entry_lists: list[_Numbers] | None = None
) -> list[_Numbers]:
    """Return sorted fields without duplicates and, if given, their entries in ``entry_lists``."""
    fields = np.concatenate(field_lists)
    if fields.shape[1] == 1:  # np.unique is many times as fast on one column
        _, first_indices = np.unique(fields[:, 0], return_index=True)
    else:
        _, first_indices = np.unique(fields, axis=0, return_index=True)
    return [
        fields[first_indices],
        *([np.concatenate(entry_lists)[first_indices]] if entry_lists else []),
    ]


def _mark_new(fields: _Fields, known_fields: _Fields) -> NDArray[np.bool_]:
    """Return for each field whether it is new, i.e. not among the known fields."""
    if fields.shape[1] == 1:
        return np.isin(fields[:, 0], known_fields[:, 0], assume_unique=True, invert=True)
    _, first_indices = np.unique(np.concatenate([known_fields, fields]), axis=0, return_index=True)
    is_new = np.zeros(len(fields), bool)
    is_new[first_indices[first_indices >= len(known_fields)] - len(known_fields)] = True
    return is_new


def _classify_types(target: Target) -> tuple[int, ...]:
    """Return the kind of each type: types that may show the same squares have the same kind."""
    masks = sorted({target.above, *(mask for row in target.allowed for mask in row)})
    kind_numbers: dict[tuple[int, ...], int] = {}
    return tuple(
        kind_numbers.setdefault(tuple(mask >> piece & 1 for mask in masks), len(kind_numbers))
        for piece in PieceType
    )


def _make_plan(search: _FieldSearch, layers: list[_Fields], start: Rows, plan: Plan) -> Plan:
    """Return the plan of a game through the layers of a search; the last layer is its end."""
    steps: list[tuple[Orientation, int]] = []
    end = layers[-1][0]
    for layer in reversed(layers[:-1]):
        orientation, x, index = search.find_drop(layer, end)
        steps.append((orientation, x))
        end = layer[index]
    return make_plan_from_drops(
        reversed(steps), plan.colors, plan.width, plan.height, plan.background, start
    )
