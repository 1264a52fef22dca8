"""Packed matrices for the pattern pages: queries, drawings, the atlas, the tables."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.packings.automaton.automaton import SHIPPED
from tetrisprinter.packings.finders import AUTOMATON
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem
from tetrisprinter.packings.tables import (
    EMITTED,
    EMITTERS,
    TABLE_WIDTH,
    look_up_emitters,
    read_positions,
)
from tetrisprinter.support.options import read_choice, read_field, read_whole

TALLEST: Final = 7
"""Rows of the tallest matrix of the tables."""

WIDEST: Final = 200
"""Columns of the widest row of a query."""

_ATLAS_WIDTHS: Final = range(5, 65)
_EMITTED_COLOR: Final = "d03020"


def check_positions(width: int, columns: Sequence[int]) -> None:
    """Refuse emitters that overlap or do not fit into the row."""
    for x, following in zip(columns, (*columns[1:], width), strict=True):
        if following - x < 3:
            raise InputError(f"at: no room for the emitter at column {x}, which reaches to {x + 2}")


def read_row(values: Mapping[str, Any]) -> tuple[int, tuple[int, ...]]:
    """Read a row: its width, and the first columns of its emitters."""
    width: int = read_field(values, "width", read_whole(1, WIDEST))
    columns: tuple[int, ...] = read_field(values, "at", _read_columns, ())
    if not columns:
        raise InputError("at: expected the column of an emitter")
    check_positions(width, columns)
    return width, columns


def _read_columns(value: Any) -> tuple[int, ...]:
    """Read different columns, from a list or from text with commas; return them ascending."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or len(items) > WIDEST // 3:
        raise InputError("expected the columns of emitters, such as 0,3,7")
    columns = [read_whole(0, WIDEST)(item) for item in items]
    if len(set(columns)) < len(columns):
        raise InputError("two emitters begin in the same column")
    return tuple(sorted(columns))


def find_matrix(width: int, rows: int, columns: Sequence[int]) -> Packing | None:
    """Find a matrix over a row of emitters; return None if no matrix exists.

    Heights without an automaton are looked up in the tables.
    """
    check_positions(width, columns)
    if rows not in SHIPPED:
        packing = _look_up_matrix(width, columns)
        return packing if packing is not None and packing.problem.rows == rows else None
    try:
        answer = AUTOMATON.find(make_emitter_problem(width, rows, columns))
    except InputError:  # the emitters alone complete a row
        return None
    return answer if isinstance(answer, Packing) else None


def _look_up_matrix(width: int, columns: Sequence[int]) -> Packing | None:
    """Return the matrix over a row of emitters from the tables; None if the tables lack it."""
    if width != TABLE_WIDTH or len(columns) not in EMITTED:
        return None
    return look_up_emitters(tuple(columns))


def query_heights(width: int, columns: Sequence[int]) -> dict[str, Any]:
    """Return for every height whether a matrix over a row of emitters exists, and the matrix."""
    check_positions(width, columns)
    heights = []
    table_packing = _look_up_matrix(width, columns)
    for rows in range(1, TALLEST + 1):
        free = width * rows - 3 * len(columns)
        answer: dict[str, Any] = {"rows": rows, "free": free, "status": "none"}
        if free % 4:
            answer["status"] = "indivisible"
        elif rows not in SHIPPED and (table_packing is None or table_packing.problem.rows < rows):
            # No automaton decides this height. The tables hold the least height of a row only.
            answer["status"] = "undecided" if table_packing is None else "enough"
        else:
            packing = find_matrix(width, rows, columns)
            if packing is not None:
                answer |= {"status": "matrix", "drawing": str(packing).split("\n")}
        heights.append(answer)
    return {"width": width, "at": list(columns), "heights": heights}


def make_matrix_plan(packing: Packing, emitter_name: str = "T") -> Plan:
    """Return the game that drops a matrix, emitters first; only the emitted squares stay."""
    emitter = next(shape for shape in EMITTERS if shape.piece.name == emitter_name)
    rows = packing.problem.rows + 1
    pieces = [Placement(emitter, x, 0) for x in read_positions(packing)]
    pieces += [Placement(p.orientation, p.x, p.y + 1) for p in packing.pieces]
    drop_pass = Pass(rows, tuple(pieces))
    width = packing.problem.width
    return Plan((drop_pass,), ((emitter.piece, _EMITTED_COLOR),), width, rows + 4)


def make_requested_matrix_plan(values: Mapping[str, Any]) -> tuple[Plan, str]:
    """Return the game that drops the matrix of a request, and its title."""
    width, columns = read_row(values)
    rows: int = read_field(values, "rows", read_whole(1, TALLEST))
    emitter_name: str = read_field(values, "piece", read_choice(("J", "T", "L")), "T")
    packing = find_matrix(width, rows, columns)
    if packing is None:
        raise InputError("rows: no matrix has this height")
    return make_matrix_plan(packing, emitter_name), f"{width} × {rows}"


@functools.cache
def make_atlas() -> list[dict[str, Any]]:
    """Return the atlas for all widths that the page shows."""
    from tetrisprinter.packings.automaton.atlas import build_atlas

    return [entry.to_data() for entry in build_atlas(_ATLAS_WIDTHS, EMITTED)]


def read_table(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return some entries of the table for a number of emitters."""
    emitted = read_field(values, "emitted", read_whole(1, 7))
    first = read_field(values, "first", read_whole(0, 2000), 0)
    count = read_field(values, "count", read_whole(1, 48), 12)
    positions = list(list_emitter_positions(emitted))
    entries = []
    for columns in positions[first : first + count]:
        packing = look_up_emitters(columns)
        drawing = str(packing).split("\n")
        entries.append({"at": list(columns), "rows": packing.problem.rows, "drawing": drawing})
    return {"emitted": emitted, "width": TABLE_WIDTH, "total": len(positions), "entries": entries}
