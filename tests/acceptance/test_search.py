import json
from pathlib import Path

import pytest

from tests.support.commands import Run
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.tables import get_tables_folder, read_emitter_table

FOLDER = Path(str(get_tables_folder()))


def test_equal_refusals_are_one_line_and_few_places_are_named(run: Run) -> None:
    many = run("patterns find --emitted 4 --rows 3", code=1)
    assert many.stdout == ""
    assert many.stderr == (
        "emitters at 0,3,6,9 and 714 other sets of positions: no packing: "
        "the 51 cells to fill are not a multiple of 4\n"
    )
    few = run("patterns find --emitted 1 --rows 3 --width 9", code=1)
    assert "emitters at 3: no packing" in few.stderr


def test_all_positions_as_json(run: Run) -> None:
    result = run("patterns find --emitted 1 --rows 3 --width 9 --exhaustive --json", code=1)
    answer = json.loads(result.stdout)
    status = {entry["at"][0]: entry["status"] for entry in answer["results"]}
    assert status == {x: "infeasible" if x == 3 else "packing" for x in range(7)}


@pytest.mark.slow
def test_the_shipped_tables_are_what_the_command_builds(run: Run, tmp_path: Path) -> None:
    run("patterns build -o tables --workers 2")
    built = {path.name: path.read_bytes() for path in (tmp_path / "tables").iterdir()}
    shipped = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    assert sorted(built) == sorted(shipped)
    assert [name for name in built if built[name] != shipped[name]] == []


def test_patterns_commands(run: Run, tmp_path: Path) -> None:
    result = run("patterns build -o tables --emitted 7 --emitted 1 --json")
    built = json.loads(result.stdout)["tables"]
    assert [(t["file"], t["patterns"]) for t in built] == [
        ("emitters1.txt", 19),
        ("emitters7.txt", 1),
    ]
    assert run("patterns verify tables", code=2).stderr == (
        "tetrisprinter: tables: emitters2.txt is missing; 'tetrisprinter patterns build -o tables' "
        "writes all tables\n"
    )
    shown = run("patterns show 3 --at 0,9,18").stdout
    Packing.parse(shown, 3).check()
    assert run("patterns show platforms").stdout.count("\n\n") == 9


@pytest.mark.parametrize(
    ("finder", "emitted"),
    [
        pytest.param("cpsat", 1, marks=pytest.mark.slow),
        ("backtracker", 6),
        ("automaton", 6),
    ],
)
def test_a_table_is_built_by_any_method(
    run: Run, tmp_path: Path, finder: str, emitted: int
) -> None:
    """Other patterns, each of the same height as the package's."""
    run(f"patterns build -o tables --emitted {emitted} --finder {finder} --workers 1")
    name = f"emitters{emitted}.txt"
    built = read_emitter_table(tmp_path / "tables" / name, emitted)
    shipped = read_emitter_table(FOLDER / name, emitted)
    assert [p.problem for p in built] == [p.problem for p in shipped]
    assert (built == shipped) == (finder == "automaton")


def test_a_method_that_cannot_build_a_table_says_why(run: Run) -> None:
    refused = run("patterns build -o tables --emitted 1 --finder automaton --workers 1", code=1)
    assert "does not decide 7 rows for emitters at (3,): no automaton of 7 rows" in refused.stderr


def test_a_matrix_of_one_s_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("." * 13 + "\n" + "." * 13 + "\n....###......\n")
    found = run("patterns find --matrix m.txt --without I --symmetric", code=1)
    assert found.stderr == "m.txt: no packing: the formula has no model\n"
    drawn = run("patterns find --matrix m.txt --all").stdout.strip().split("\n\n")
    assert run("patterns count --matrix m.txt").stdout == f"m.txt: {len(drawn)}\n"
    assert len(drawn) == 4
