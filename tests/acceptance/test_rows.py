"""``--planner rows`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.oracles.game import picture as replayed_picture
from tests.support.commands import EXAMPLES, Draw, Run
from tests.support.images import squares_of


def test_a_sprite_in_a_third_of_the_drops(run: Run, tmp_path: Path) -> None:
    sprite = EXAMPLES / "mushroom.png"
    result = run(
        "print", sprite, "-o", "out.png", "--drops", "drops.json", "--planner", "rows", "--json"
    )
    report = json.loads(result.stdout)
    log = json.loads((tmp_path / "drops.json").read_text())
    assert report["planner"] == "rows"
    assert replayed_picture(log) == squares_of(sprite)
    at_once = json.loads(
        run("print", sprite, "-o", "out.png", "--planner", "realtime", "--json").stdout
    )
    assert 3 * report["drops"] <= at_once["drops"]


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
    assert "does not leave the lowest rows" in failed.stderr


INTERRUPTED = """
import signal
from tetrisprinter.cli import main
from tetrisprinter.planners.rows.steps import Steps

step = Steps.next

def until(self, state):
    if state.rows == 2:
        signal.raise_signal(signal.SIGINT)  # as Ctrl-C does, but after as many rows everywhere
    return step(self, state)

Steps.next = until
main()
"""


def test_ctrl_c_leaves_the_rows_so_far(run: Run, draw: Draw, tmp_path: Path) -> None:
    draw("image.png", "r.b.r", "rbbbr", "rrrrr", ".rbr.")
    command = (
        "print", "image.png", "-o", "out.png", "--types", "auto", "--board", "auto",
        "--plan", "plan.txt", "--drops", "drops.json",
    )  # fmt: skip
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 130, result.stderr
    assert "with --resume goes on" in result.stderr
    assert not (tmp_path / "out.png").exists()
    begun = (tmp_path / "plan.txt").read_text().rstrip("\n")
    run(*command, "--resume")
    assert (tmp_path / "plan.txt").read_text().startswith(begun)
    log = json.loads((tmp_path / "drops.json").read_text())
    column = (log["width"] - 5) // 2
    assert replayed_picture(log) == squares_of(tmp_path / "image.png", column)
