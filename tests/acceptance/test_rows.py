"""``--planner rows`` as a user runs it."""

import json
import re
from pathlib import Path

import pytest

from tests.support.commands import Draw, Run
from tests.support.processes import run_python
from tetrisprinter.game.plan import Plan


def test_it_goes_on_where_a_plan_ends(run: Run, draw: Draw, tmp_path: Path) -> None:
    rows = ("r.b.r", "rbbbr", "rrrrr", ".rbr.")
    image = draw("image.png", *rows)
    options = ("--planner", "rows", "--types", "auto", "--board", "auto", "--plan", "plan.txt")
    run("print", image, "-o", "out.png", *options)
    plan = tmp_path / "plan.txt"
    whole = plan.read_text()
    blocks = whole.split("\n\n")
    plan.write_text("\n\n".join(blocks[:-1]) + "\n")
    run("print", image, "-o", "out.png", *options, "--resume")
    assert plan.read_text().startswith("\n\n".join(blocks[:-1]))
    wrong = draw("other.png", "bbbbb", *rows[1:][::-1])
    failed = run("print", wrong, "-o", "out.png", *options, "--resume", code=2)
    assert "not a part of a print of" in failed.stderr


def test_a_plan_made_with_another_background_names_it(run: Run, draw: Draw, tmp_path: Path) -> None:
    rows = ("ggggggg", "ggrgbgg", "grbbbrg", "grrrrrg", "ggrbrgg", "grrbrrg", "ggrrrgg")
    image = draw("image.png", *rows)
    options = ("--planner", "rows", "--plan", "plan.txt", "--types", "auto", "--board", "13x17")
    run("print", image, "-o", "out.png", *options)
    plan = tmp_path / "plan.txt"
    background = re.search("background=(......)", plan.read_text())
    assert background
    begun = "\n\n".join(plan.read_text().split("\n\n")[:-1]) + "\n"
    plan.write_text(begun)
    failed = run(
        "print", image, "-o", "out.png", *options, "--resume", "--background", "transparent", code=2
    )
    assert f"plan.txt: the plan was made with the background {background[1]}" in failed.stderr
    advice = f"--background {background[1]}"
    assert failed.stderr.endswith(f"{advice} continues it\n")
    run("print", image, "-o", "out.png", *options, "--resume", *advice.split())
    assert plan.read_text().startswith(begun.rstrip())


ENDED = """
import signal, sys
from tetrisprinter.cli import main
from tetrisprinter.errors import JobError
from tetrisprinter.planners.rows.chooser import PassChooser

step = PassChooser.find_next
end, rows = sys.argv.pop(1), int(sys.argv.pop(1))

def until(self, state):
    if state.rows >= rows and end == "error":
        raise JobError("something went wrong")
    if state.rows >= rows:  # a pass may end more than one row
        signal.raise_signal(getattr(signal, end))  # after as many rows everywhere
    return step(self, state)

PassChooser.find_next = until
main()
"""


@pytest.mark.parametrize(("end", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("error", 1)])
def test_an_older_plan_stays_as_it_is_when_a_print_ends_early(
    run: Run, draw: Draw, tmp_path: Path, end: str, code: int
) -> None:
    older = "board 9x12 J=d03020\n"
    (tmp_path / "plan.txt").write_text(older)
    draw("image.png", "r.b.r", "rbbbr", "rrrrr", ".rbr.", "rrbrr", ".rrr.", "r.rbr")
    command = (
        "print", "image.png", "-o", "out.png", "--types", "auto", "--board", "10x22",
        "--plan", "plan.txt", "--plan", "drops.drops.json", "--planner", "rows", "--exact",
    )  # fmt: skip
    result = run_python("-c", ENDED, end, "2", *command, folder=tmp_path)
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "plan.txt").read_text() == older
    assert {path.name for path in tmp_path.iterdir()} == {"image.png", "plan.txt"}


def test_the_search_goes_on_from_a_complete_game(run: Run, draw: Draw, tmp_path: Path) -> None:
    draw("image.png", "r.b.r", "rbbbr", "rrrrr", ".rbr.")
    command = ("print", "image.png", "-o", "out.png", "--plan", "plan.txt", "--json", "--no-cache")
    assert "nothing to resume" in run(*command, "--resume", "--effort", "0.01").stderr
    shortest = (tmp_path / "plan.txt").read_text()
    rows = ("--planner", "rows", "--types", "auto", "--effort", "0.1", "--force")
    long = json.loads(run(*command, *rows).stdout)
    assert long["drops"] > len(Plan.parse(shortest))
    best = json.loads(run(*command, "--resume", "--effort", "0.01").stdout)
    assert best["drops"] <= long["drops"]
    (tmp_path / "plan.txt").write_text(shortest)
    again = json.loads(run(*command, "--resume", "--effort", "1e-6").stdout)
    assert again["drops"] == len(Plan.parse(shortest))
    assert {path.name for path in tmp_path.iterdir()} == {"image.png", "out.png", "plan.txt"}


def test_the_last_line_says_how_good_it_is(run: Run, draw: Draw) -> None:
    draw("image.png", "rr", "rr")
    options = ("-o", "out.png", "--types", "auto", "--board", "auto")
    said = run("print image.png", *options, "--planner", "shortest").stdout
    assert "; proved: no game of hard drops on any board has fewer" in said
    draw("image.png", "r.b.r", "rbbbr")
    said = run("print image.png", *options, "--planner", "rows", "-v").stdout
    assert re.search(
        r"; no game of hard drops on this board of 9x\d+ has fewer than \d+\)\n$", said
    )


@pytest.mark.parametrize("planner", ["auto", "rows", "shortest"])
def test_a_limit_of_time_is_one_for_the_whole_command(run: Run, draw: Draw, planner: str) -> None:
    draw("image.png", "r.b.rg.r", "rbbbrgrr", "rrrrrgrr", ".rbr.gr.")
    options = ("-o", "out.png", "--planner", planner, "--time-limit", "1e-9", "--exact")
    refused = run("print image.png", *options, code=1)
    assert "no plan was found in the time given" in refused.stderr
    assert "tried again" not in refused.stderr


def test_a_single_image_needs_no_cluster(run: Run, draw: Draw) -> None:
    draw("image.png", "rr", "rr")
    command = "print image.png -o out.png --planner rows --dask tcp://127.0.0.1:1"
    assert "--dask: a single image is printed on this machine" in run(command).stderr
