import json
from pathlib import Path

import pytest

from tests.support.commands import Run
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.tables import get_tables_folder

FOLDER = Path(str(get_tables_folder()))


def test_search_prints_what_a_table_holds(run: Run) -> None:
    text = run("proofs search --emitted 1 --rows 3 --at 5 --seed 2").stdout
    Packing.parse(text, 1).check()
    assert text == run("proofs search --emitted 1 --rows 3 --at 5 --seed 2").stdout


def test_exhaustive_search_says_that_there_is_none(run: Run) -> None:
    result = run("proofs search --emitted 1 --rows 3 --at 3 --exhaustive", code=1)
    assert "emitters at 3: no packing: no packing exists" in result.stderr
    assert result.stdout == ""


def test_equal_refusals_are_one_line_and_few_places_are_named(run: Run) -> None:
    many = run("proofs search --emitted 4 --rows 3", code=1)
    assert many.stdout == ""
    assert many.stderr == (
        "emitters at 0,3,6,9 and 714 other sets of positions: no packing: "
        "the 51 cells to fill are not a multiple of 4\n"
    )
    few = run("proofs search --emitted 1 --rows 3 --width 9", code=1)
    assert "emitters at 3: no packing" in few.stderr


def test_all_positions_as_json(run: Run) -> None:
    result = run("proofs search --emitted 1 --rows 3 --width 9 --exhaustive --json", code=1)
    answer = json.loads(result.stdout)
    status = {entry["at"][0]: entry["status"] for entry in answer["results"]}
    assert status == {x: "infeasible" if x == 3 else "packing" for x in range(7)}


@pytest.mark.slow
def test_the_shipped_tables_are_what_the_command_builds(run: Run, tmp_path: Path) -> None:
    run("proofs patterns build -o tables --workers 2")
    built = {path.name: path.read_bytes() for path in (tmp_path / "tables").iterdir()}
    shipped = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    assert sorted(built) == sorted(shipped)
    assert [name for name in built if built[name] != shipped[name]] == []


def test_patterns_commands(run: Run, tmp_path: Path) -> None:
    result = run("proofs patterns build -o tables --emitted 7 --emitted 1 --json")
    built = json.loads(result.stdout)["tables"]
    assert [(t["file"], t["patterns"]) for t in built] == [
        ("emitters1.txt", 19),
        ("emitters7.txt", 1),
    ]
    assert "emitters2.txt: cannot be read" in run("proofs patterns verify tables", code=2).stderr
    report = json.loads(run("proofs patterns verify --json").stdout)["tables"]
    assert sum(t["patterns"] for t in report) == 1872 + 10
    shown = run("proofs patterns show 3 --at 0,9,18").stdout
    Packing.parse(shown, 3).check()
    assert run("proofs patterns show platforms").stdout.count("\n\n") == 9
