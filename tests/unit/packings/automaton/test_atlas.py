import pytest

from tetrisprinter.packings.automaton import atlas
from tetrisprinter.packings.finders import AUTOMATON
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem
from tetrisprinter.packings.tables import EMITTED, look_up_emitters

HEIGHTS = (1, 2, 3, 4, 5)


def least(width: int, positions: tuple[int, ...]) -> int | None:
    for rows in HEIGHTS:
        if isinstance(AUTOMATON.find(make_emitter_problem(width, rows, positions)), Packing):
            return rows
    return None


@pytest.mark.parametrize("width", [5, 9, 10, 13, 14, 15, 16])
def test_counts_are_those_of_enumeration(width: int) -> None:
    for entry in atlas.build_atlas([width], range(1, 5), HEIGHTS):
        answers = {p: least(width, p) for p in list_emitter_positions(entry.emitted, width)}
        assert entry.total == len(answers)
        listed = list(answers.values())
        assert entry.by_height == tuple(listed.count(rows) for rows in HEIGHTS)
        failing = [p for p, rows in answers.items() if rows is None]
        assert list(atlas.list_unprintable(width, entry.emitted, HEIGHTS)) == sorted(failing)
        assert entry.unprintable_count == len(failing)


def test_width_21_is_what_the_tables_have() -> None:
    """The tables' heights were found, and proved, by others."""
    for entry in atlas.build_atlas([21], EMITTED, HEIGHTS):
        rows = [look_up_emitters(p).problem.rows for p in list_emitter_positions(entry.emitted)]
        assert entry.by_height == tuple(rows.count(h) for h in HEIGHTS)
        assert entry.unprintable_count == sum(h not in HEIGHTS for h in rows)
