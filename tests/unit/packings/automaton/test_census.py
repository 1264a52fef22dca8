"""How many positions have a matrix, against asking for each of them."""

import json

import pytest

from tests.support.commands import Run
from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton.atlas import take_census
from tetrisprinter.packings.finders import SAT
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem


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
    assert (found.positions, found.printable) == (len(every), len(printable))
    assert list(found.list_printable()) == printable
    assert list(found.list_unprintable()) == [at for at in every if at not in printable]
    assert bool(found.reason) == (len(printable) < len(every) or not every)


def test_divisibility_is_named_with_the_rows_that_would_do() -> None:
    assert take_census(20, 1, 7).reason.endswith("no number of rows makes it one")
    reason = take_census(21, 4, 3).reason
    assert "21 x 3 - 12 = 51 cells" in reason
    assert "it is with 4, and so on" in reason
    assert (21 * 4 - 12) % 4 == 0
    assert take_census(21, 4, 101).reason.startswith("divisibility")


def test_a_height_without_automaton() -> None:
    with pytest.raises(InputError, match="find --emitted 1 --rows 7 --width 21"):
        take_census(21, 1, 7)


def test_the_command_lists_the_positions(run: Run) -> None:
    asked = ("patterns automaton query", "--emitted", 1, "--rows", 3, "--width", 21)
    said = run(*asked)
    assert said.stdout.splitlines()[0] == (
        "width 21, 1 emitter piece, 3 rows: 15 of 19 sets of positions have a matrix"
    )
    assert "emitter positions without a matrix: 3; 7; 11; 15\n" in said.stdout
    report = json.loads(run(*asked, "--json", "--list").stdout)
    assert (report["printable"], report["without"]) == (15, [[3], [7], [11], [15]])
    none = run(
        "patterns automaton query", "--emitted", 4, "--rows", 3, "--width", 21, "--json", code=1
    )
    assert json.loads(none.stdout)["divisible"] is False
