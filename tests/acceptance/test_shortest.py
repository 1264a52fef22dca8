"""The shortest planner on the command line: it can be stopped, and keeps what it has."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.game import picture as replayed_picture
from tests.support.commands import EXAMPLES, ROOT, Run
from tests.support.images import read_squares
from tests.support.processes import WatchedCommand
from tetrisprinter.game.plan import Plan

SPRITE = EXAMPLES / "cat.png"
"""No search ends early on the board below: no proof of its shortest game is known."""
OUTPUTS = ("-o", "o.png", "--plan", "p.txt", "--plan", "d.drops.json")
BOARD = ("--board", "21x42", "--types", "classic")
"""So that no board and no types are tried first."""


def check(folder: Path, report: dict[str, Any]) -> None:
    log = json.loads((folder / "d.drops.json").read_text())
    assert replayed_picture(log) == read_squares(SPRITE)
    assert report["drops"] == len(log["drops"])
    assert report["bound"] < report["drops"]
    assert (folder / "o.png").exists()
    assert (folder / "p.txt").exists()


def test_ctrl_c_takes_the_best_plan_so_far(tmp_path: Path) -> None:
    command = ("print", SPRITE, *OUTPUTS, *BOARD, "--planner", "shortest", "--json")
    with WatchedCommand(tmp_path, *command) as printing:
        printing.wait_for("pieces.*; (trying whole games|proving a bound)")
        code, stdout = printing.interrupt()
    assert code == 130, printing.text
    assert "stopping; writing the best game so far" in printing.text
    report = json.loads(stdout)
    assert report["stopped"]
    check(tmp_path, report)


def test_a_time_limit_takes_the_best_plan_so_far(run: Run, tmp_path: Path) -> None:
    options = (*OUTPUTS, *BOARD, "--planner", "shortest", "--exact", "--time-limit", 4)
    report = json.loads(run("print", SPRITE, *options, "--json").stdout)
    assert report["stopped"]
    check(tmp_path, report)


@pytest.mark.parametrize(
    ("name", "column", "drops"),
    [("cat_classic", 2, 164), ("lighthouse_classic", 2, 260), ("cat_free", 0, 108)],
)
def test_shortest_known_games(run: Run, tmp_path: Path, name: str, column: int, drops: int) -> None:
    """docs/experiments.md states these numbers of drops; no bound may exceed them."""
    game = ROOT / "tests" / "data" / f"{name}.txt"
    run("convert", game, "-o", "game.drops.json")
    log = json.loads((tmp_path / "game.drops.json").read_text())
    assert len(log["drops"]) == drops
    image = EXAMPLES / f"{name.partition('_')[0]}.png"
    assert replayed_picture(log) == read_squares(image, column)


def test_the_shortest_game_of_a_ten_wide_shape() -> None:
    """A proof found it (docs/experiments.md): no game of hard drops has fewer than 54 drops."""
    assert len(Plan.read(ROOT / "tests" / "data" / "shape7.txt")) == 54
