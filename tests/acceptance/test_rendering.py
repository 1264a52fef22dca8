"""play, print, moves and watch, as a user runs them."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import Run
from tests.support.judge import press_keys
from tests.support.plans import make_random_plan
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.txt"
    path.write_text(str(make_random_plan(10, 20, 25, seed=3)))
    return path


def test_moves_as_json(run: Run, plan: Path) -> None:
    log = json.loads(run("moves", plan, "--json").stdout)
    assert (log["width"], log["height"], log["hidden"], log["spawn_column"]) == (10, 20, 2, 5)
    drops = play(Plan.read(plan), Playfield(10, 20))
    for entry, drop in zip(log["drops"], drops, strict=True):
        assert entry["keys"].count("right") - entry["keys"].count("left") == entry["shift"]
        assert (entry["row"], entry["cleared"]) == (drop.landing.y, list(drop.landing.cleared))
    assert (log["spawn_column"], log["spawn_row"]) == (5, 19)
    strict = json.loads(run("moves", plan, "--json", "--strict").stdout)
    assert strict["hidden"] == 0
    presses = [key for drop in strict["drops"] for key in drop["keys"]]
    assert "down" in presses
    assert {key for drop in log["drops"] for key in drop["keys"]} <= {
        *("cw", "ccw", "left", "right", "drop")
    }


def test_moves_by_today_s_rules(run: Run, plan: Path) -> None:
    log = json.loads(run("moves", plan, "--rules", "srs", "--json").stdout)
    press_keys(log, Plan.read(plan))
    assert log["presses"] == sum(len(drop["keys"]) for drop in log["drops"])
    header, *lines = run("moves", plan, "--rules", "srs").stdout.splitlines()
    assert header.split() == ["drop", "pass", "piece", "row", "cleared", "keys"]
    keys = [line.split(None, 5)[5].split(", ") for line in lines]
    assert keys == [drop["keys"] for drop in log["drops"]]
    low = run("moves", plan, "--rules", "srs", "--visible", 2, code=1).stderr
    assert "the 2 visible rows" in low or "spawn above row 2" in low


def test_moves_refuses_an_illegal_path_by_number(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "blocked.txt"
    tower = "\n".join([".......A.."] * 4)
    path.write_text(f"board 10x4 I=ff0000 O=00ff00\n\n{tower}\n\n........AA\n........AA\n")
    done = run("moves", path, code=1)
    assert re.search(r"drop 2 \(pass 2\): O .*column 8", done.stderr)
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert len(run("moves", path, "--hidden", "4").stdout.splitlines()) == 3
    run("play", path, "-o", tmp_path / "a.gif", "--smooth")  # it can still be watched


def test_the_field_is_chosen_for_the_picture_and_said(run: Run, tmp_path: Path) -> None:
    image = Image.new("RGBA", (5, 5), "black")
    image.paste("white", (1, 1, 4, 4))
    image.save(tmp_path / "outlined.png")
    # Else the frame is the background, and its colour the field's.
    kept = ("--background", "transparent")
    options = ("--planner", "table", "--scale", 4, "--full", "--plan", "plan.txt", *kept)
    result = run("print outlined.png -o a.png -o a.gif", *options, "-v")
    (note,) = (line for line in result.stderr.splitlines() if "empty squares" in line)
    field = note.split("empty squares drawn ")[1][:6]
    assert "(--field COLOUR)" in note
    for name in ("a.png", "a.gif"):
        with Image.open(tmp_path / name) as shown:
            shown.seek(getattr(shown, "n_frames", 1) - 1)
            found = shown.convert("RGB")
        assert found.getpixel((2, 2)) == tuple(bytes.fromhex(field))
        assert found.getpixel((10, found.height - 2)) == (0, 0, 0)
    run("play plan.txt -o b.png --scale 4 --full")
    assert (tmp_path / "b.png").read_bytes() == (tmp_path / "a.png").read_bytes()
    assert run("print outlined.png -o c.png", *options, "--field", "black").stderr == ""
