"""Questions about all widths, against asking one by one."""

import json

import pytest

from tests.oracles.brute_packing import Brute
from tests.support.automata import make_row
from tests.support.commands import Run
from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton import (
    SHIPPED,
    Dfa,
    atlas,
    build_fillable,
    build_isolated,
    combine,
    load,
    minimise,
)
from tetrisprinter.packings.automaton.atlas import (
    build_printable,
    explain_unprintable,
    find_counterexamples,
    find_emitter_widths,
    find_single_positions,
    take_census,
)
from tetrisprinter.packings.finders import SAT
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem
from tetrisprinter.packings.tables import EMITTED, look_up_emitters


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_the_statement_about_single_squares_holds_where_it_can_be_tried(rows: int) -> None:
    stated = list(find_single_positions(rows))
    fine = 0
    for width in range(3, 10):
        brute = Brute(width, rows)
        for x in range(width - 2):
            start = tuple(int(x <= c < x + 3) for c in range(width))
            expected = brute.can_fill(start)
            fine += expected
            assert any(x in left and width - 3 - x in right for left, right in stated) == expected
    assert fine or rows != 3


@pytest.mark.parametrize(("emitted", "rows"), [(2, 2), (2, 3), (4, 4), (1, 5)])
def test_answers_about_all_widths_at_small_ones(emitted: int, rows: int) -> None:
    widths, failing = find_emitter_widths(emitted, rows), find_counterexamples(emitted, rows)
    dfa = build_printable(rows)
    for width in range(3 * emitted, 26):
        every = list_emitter_positions(emitted, width)
        can = [dfa.accepts(make_row(width, positions)) for positions in every]
        allowed = (width * rows - 3 * emitted) % 4 == 0
        assert (width in widths["allowed"]) == allowed
        assert (width in widths["some"]) == any(can)
        assert (width in widths["all"]) == (allowed and all(can))
        if width < len(failing[0]):
            assert not allowed or all(can)


@pytest.mark.parametrize("rows", [rows for rows in SHIPPED if rows >= 4])
def test_from_four_rows_on_only_isolated_presets_cannot_be_printed(rows: int) -> None:
    dfa = load(rows).dfa
    expected = combine(
        [build_fillable(rows, dfa.letters), build_isolated(dfa.letters)],
        lambda outputs: int(outputs[0] > outputs[1]),
    )
    assert dfa == expected


def test_three_rows_print_all_emitter_rows_but_one_family() -> None:
    """However many pieces: they fail iff the outer gaps leave 3 and the inner ones 2 by 4."""
    pieces = Dfa(((0, 1), (3, 2), (3, 0), (3, 3)), (1, 0, 0, 0))
    some_piece = Dfa(((0, 1), (1, 1)), (0, 1))
    # 0 to 3: the left gap; 4, 5: in a piece; 6 to 9: the gap after one; 10: no such row.
    table = [(1, 10), (2, 10), (3, 10), (0, 4), (10, 5), (10, 6)]
    table += [(7, 10), (8, 10), (9, 4), (6, 10), (10, 10)]
    family = minimise(Dfa(tuple(table), tuple(int(state == 9) for state in range(11))))
    failing = combine(
        [pieces, some_piece, build_fillable(3), build_printable(3)],
        lambda outputs: int(all(outputs[:3]) and not outputs[3]),
    )
    assert failing == family


HEIGHTS = (1, 2, 3, 4, 5)


def test_width_21_is_what_the_tables_have() -> None:
    """The tables' heights were found, and proved, by others."""
    for entry in atlas.build_atlas([21], EMITTED, HEIGHTS):
        rows = [look_up_emitters(p).problem.rows for p in list_emitter_positions(entry.emitted)]
        assert entry.by_height == tuple(rows.count(h) for h in HEIGHTS)
        assert entry.unprintable_count == sum(h not in HEIGHTS for h in rows)


@pytest.mark.parametrize(
    ("width", "emitted", "rows"),
    [(9, 1, 3), (9, 2, 2), (10, 2, 3), (8, 2, 3), (7, 1, 2), (7, 2, 2), (6, 2, 1), (5, 2, 3)],
)
def test_it_is_what_a_solver_finds_one_by_one(width: int, emitted: int, rows: int) -> None:
    found = take_census(width, emitted, rows)
    every = list(list_emitter_positions(emitted, width))
    printable = [
        at for at in every if isinstance(SAT.find(make_emitter_problem(width, rows, at)), Packing)
    ]
    assert (found.total, found.printable_count) == (len(every), len(printable))
    assert list(found.list_printable()) == printable
    assert list(found.list_unprintable()) == [at for at in every if at not in printable]
    assert found.unprintable_count == len(every) - len(printable)


def test_divisibility_is_named_with_the_rows_that_would_do() -> None:
    assert explain_unprintable(20, 1, 7).endswith("no number of rows makes it one")
    reason = explain_unprintable(21, 4, 3)
    assert "21 x 3 - 12 = 51 cells" in reason
    assert "it is with 4, and so on" in reason
    assert (21 * 4 - 12) % 4 == 0
    assert explain_unprintable(21, 4, 101).startswith("divisibility")


def test_a_height_without_automaton() -> None:
    with pytest.raises(InputError, match="find --emitted 1 --rows 7 --width 21"):
        take_census(21, 1, 7)


def test_the_command_lists_the_positions(run: Run) -> None:
    asked = ("patterns automaton query", "--emitted", 1, "--rows", 3, "--width", 21)
    answer = run(*asked)
    assert answer.stdout.splitlines()[0] == (
        "width 21, 1 emitter piece, 3 rows: 15 of 19 sets of positions have a matrix"
    )
    assert "emitter positions without a matrix: 3; 7; 11; 15\n" in answer.stdout
    report = json.loads(run(*asked, "--json", "--list").stdout)
    assert (report["printable"], report["without"]) == (15, [[3], [7], [11], [15]])
    none = run(
        "patterns automaton query", "--emitted", 4, "--rows", 3, "--width", 21, "--json", code=1
    )
    assert json.loads(none.stdout)["divisible"] is False
