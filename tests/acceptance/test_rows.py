"""``--planner rows`` as a user runs it."""

import json
import re
from pathlib import Path

import pytest

from tests.oracles.game import picture as replayed_picture
from tests.support.commands import Draw, Run
from tests.support.images import read_squares
from tests.support.processes import run_python
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.printing.task import Task


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


ENDED = """
import signal, sys
from tetrisprinter.cli import main
from tetrisprinter.errors import JobError
from tetrisprinter.planners.rows.steps import PassChooser

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
CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129, "SIGKILL": -9, "error": 1}


@pytest.mark.parametrize(
    ("end", "plan", "rows"),
    [
        ("SIGKILL", "plan.txt", 2),
        ("SIGTERM", "plan.json", 2),
        ("error", "plan.txt", 2),
        ("SIGINT", "plan.txt", 0),
        *(pytest.param(*case, 2, marks=pytest.mark.slow) for case in [
            ("SIGHUP", "plan.txt"), ("SIGKILL", "plan.json"), ("SIGINT", "plan.fumen"),
        ]),
    ],
)  # fmt: skip
def test_the_rows_so_far_are_kept_whatever_happens(
    run: Run, draw: Draw, tmp_path: Path, end: str, plan: str, rows: int
) -> None:
    """What was finished goes to a place of its own: an older plan stays as it is."""
    older = "board 9x12 J=d03020\n"
    (tmp_path / plan).write_text(older)
    draw("image.png", "r.b.r", "rbbbr", "rrrrr", ".rbr.", "rrbrr", ".rrr.", "r.rbr")
    command = (
        "print", "image.png", "-o", "out.png", "--types", "auto", "--board", "10x22",
        "--plan", plan, "--drops", "drops.json", "--json", "--planner", "rows", "--exact",
    )  # fmt: skip
    result = run_python("-c", ENDED, end, str(rows), *command, folder=tmp_path)
    assert result.returncode == CODES[end], result.stderr
    assert not (tmp_path / "out.png").exists()
    assert "Traceback" not in result.stderr
    assert (tmp_path / plan).read_text() == older
    assert (tmp_path / f"{plan}.rows").exists() == (rows > 0)
    if end != "SIGKILL":
        assert ("with --resume continues" in result.stderr) == (rows > 0)
    (tmp_path / plan).unlink()
    report = json.loads(run(*command, "--resume").stdout)
    assert {path.name for path in tmp_path.iterdir()} == {
        "image.png", "out.png", plan, "drops.json",
    }  # fmt: skip
    log = json.loads((tmp_path / "drops.json").read_text())
    assert replayed_picture(log) == read_squares(tmp_path / "image.png", (log["width"] - 5) // 2)
    assert report["drops"] == len(read_game(tmp_path / plan))


def test_what_is_gone_on_from_must_be_of_the_same_print(
    run: Run, draw: Draw, tmp_path: Path
) -> None:
    draw("image.png", "r.b.r", "rbbbr")
    options = ("-o", "out.png", "--types", "auto", "--board", "auto", "--plan", "plan.txt")
    assert "nothing to resume" in run("print image.png", *options, "--resume").stderr
    other = RowsJournal.of(Task.of(Picture.parse("rr")), tmp_path / "plan.txt")
    other.make_writer()(Plan((), (), 9, 12), 1)
    refused = run("print image.png", *options, "--resume", code=2)
    assert "plan.txt.rows: rows of another picture" in refused.stderr
    for planner in ("article", "table"):
        refused = run("print image.png", *options, "--planner", planner, "--resume", code=2)
        assert "cannot resume" in refused.stderr


def test_the_last_line_says_how_good_it_is(run: Run, draw: Draw) -> None:
    draw("image.png", "rr", "rr")
    options = ("-o", "out.png", "--types", "auto", "--board", "auto")
    said = run("print image.png", *options, "--planner", "shortest").stdout
    assert "; no game of hard drops has fewer" in said
    draw("image.png", "r.b.r", "rbbbr")
    said = run("print image.png", *options, "--planner", "rows", "-v").stdout
    assert re.search(r"; no game of hard drops has fewer than \d+\)\n$", said)


@pytest.mark.parametrize("planner", ["auto", "rows", "shortest"])
def test_a_limit_of_time_is_one_for_the_whole_command(run: Run, draw: Draw, planner: str) -> None:
    draw("image.png", "r.b.rg.r", "rbbbrgrr", "rrrrrgrr", ".rbr.gr.")
    options = ("-o", "out.png", "--planner", planner, "--time-limit", "1e-9", "--exact")
    refused = run("print image.png", *options, code=1)
    assert "no plan was found in the time given" in refused.stderr
    assert "tried again" not in refused.stderr
