"""Commands that say what they did, and take what people type."""

import json
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, Draw, Run
from tetrisprinter.packings.problem import Packing


def test_prove_answers_without_a_folder(run: Run, tmp_path: Path) -> None:
    answer = run("patterns prove --emitted 5 --minimum", code=10)
    assert "3 rows: possible with 12 pieces" in answer.stdout
    Packing.parse(answer.stdout.split("\n\n")[1], 5).check()
    answer = run("patterns prove --emitted 2 --rows 1 --at 0,5", code=20)
    assert "1 row: impossible: 15 free cells, not a multiple of 4" in answer.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["print", "convert"])
def test_quiet_says_nothing_but_errors(run: Run, draw: Draw, command: str) -> None:
    draw("a.png", "rr", "rr")
    output = "o.txt" if command == "convert" else "o.png"
    done = run(command, "a.png", "-o", output, "-q")
    assert (done.stdout, done.stderr) == ("", "")
    assert "b.png: cannot be read" in run(command, "b.png", "-o", output, "-q", code=2).stderr
    wrong = run(command, "a.png", "--size", "4x4x4", "-q", code=2)
    assert wrong.stderr.startswith("tetrisprinter: ")


def test_a_format_that_needs_a_queue_chooses_one(run: Run, draw: Draw, tmp_path: Path) -> None:
    draw("a.png", "rr", "rr")
    done = run("convert a.png -o a.tetrio")
    assert "a.png: pieces from a 7-bag (set with --pieces)" in done.stderr
    assert len((tmp_path / "a.tetrio").read_text().partition("?")[2]) > 1


@pytest.mark.parametrize("kind", ["fumen", "lesson"])
def test_a_file_with_ten_columns_chooses_a_board_of_ten(run: Run, draw: Draw, kind: str) -> None:
    draw("a.png", "r" * 14)
    for board in ((), ("--board", "auto")):
        run("print a.png --planner rows --plan", f"a.{kind}", *board)
    said = run("print a.png --exact --plan", f"a.{kind}", "--board", "auto", code=2).stderr
    assert "--board auto takes" not in said


def test_a_print_says_two_lines_whatever_else_it_writes(run: Run) -> None:
    heart = EXAMPLES / "heart.png"
    done = run("print", heart, "-o", "h.gif", "--plan", "h.fumen", "--effort", "0.01")
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    first_game = [line for line in lines if "searching for a shorter game" in line]
    assert len(first_game) <= 1
    assert len(lines) - len(first_game) <= 2, lines
    assert "heart.png: printed as h.gif, h.fumen: " in lines[0]


def test_several_repaired_squares_are_counted_and_listed_only_on_request(
    run: Run, draw: Draw
) -> None:
    image = draw("bars.png", *["rrrr"] * 3, "gggg", *["rrrr"] * 4)
    options = ["-o", "b.gif", "--board", "4x20", "--effort", "0.01", "--background", "transparent"]
    short = run("print", image, *options, "--json")
    assert "squares repaired (--exact refuses instead)" in short.stderr
    assert "squares repaired: column " in run("print", image, *options, "-v").stderr
    change, *_ = json.loads(short.stdout)["repaired"]
    assert (change["x"], change["before"]) == (0, "d03020")
