"""The background's colour on the command line: types may have it, and are judged by it."""

import json
from pathlib import Path

import pytest

from tests.oracles.game import picture
from tests.support.commands import Draw, Run
from tests.support.images import read_squares

GREEN = "208040"
FREE = ("--types", "auto", "--background", GREEN)
OUTPUTS = ("-o", "o.png", "--plan", "d.drops.json", "--json")


def list_unseen_squares(folder: Path, column: int) -> dict[tuple[int, int], str]:
    """Compare what was left with the image; return the squares that nobody sees."""
    left = picture(json.loads((folder / "d.drops.json").read_text()))
    wanted = {cell: c for cell, c in read_squares(folder / "a.png", column).items() if c != GREEN}
    assert {cell: color for cell, color in left.items() if color != GREEN} == wanted
    return {cell: color for cell, color in left.items() if color == GREEN}


def test_a_square_takes_two_drops_and_that_is_proved(run: Run, tmp_path: Path, draw: Draw) -> None:
    draw("a.png", "rggg")
    options = ("--planner", "shortest", "--board", "5x10")
    report = json.loads(run("print a.png", *OUTPUTS, *FREE, *options).stdout)
    assert (report["drops"], report["bound"], report["proof"]) == (2, 2, "all games")
    assert report["pixels"] == 1
    assert list_unseen_squares(tmp_path, 2)  # the square alone stands in the middle of the board


@pytest.mark.parametrize("planner", ["rows", "auto"])
def test_an_odd_number_of_squares_in_real_time(
    run: Run, tmp_path: Path, draw: Draw, planner: str
) -> None:
    draw("a.png", "grggg", "grrgr", "ggggg", "rrgrr")
    options = ("--planner", planner, "--board", "10x22", "--effort", 0.1)
    report = json.loads(run("print a.png", *OUTPUTS, *FREE, *options).stdout)
    assert report["pixels"] == 8
    assert report["planner"] == planner
    assert list_unseen_squares(tmp_path, 2)
    # Without a type of that colour the theorem is named before anything is tried.
    fixed = ("--exact", "--types", "J=d03020,T=d03020", "--background", GREEN)
    assert "'gap row'" in run("print a.png", *OUTPUTS, *fixed, *options, code=1).stderr


def test_repair_leaves_alone_what_unseen_squares_make_good(run: Run, draw: Draw) -> None:
    draw("a.png", "grggg", "grrgr", "rrgrr")
    options = ("--planner", "rows", "--board", "10x22")
    report = json.loads(run("print a.png", *OUTPUTS, *FREE, *options).stdout)
    assert "repaired" not in report
    classic = ("--types", "classic", "--background", GREEN)
    report = json.loads(run("print a.png", *OUTPUTS, *classic, *options, "--board", "21x42").stdout)
    assert "repaired" not in report
