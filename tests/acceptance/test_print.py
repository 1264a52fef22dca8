import json
from pathlib import Path

import pytest
from PIL import Image

from tests.oracles.game import picture as replayed_picture
from tests.support.commands import SPRITES, Draw, Run
from tests.support.images import read_squares


@pytest.mark.parametrize("planner", ["table", "article"])
@pytest.mark.parametrize("sprite", SPRITES[::3], ids=lambda path: path.stem)
def test_print_leaves_the_sprite(run: Run, tmp_path: Path, sprite: Path, planner: str) -> None:
    result = run(
        "print", sprite, "-o", "out.png", "--plan", "plan.txt", "--plan", "drops.drops.json",
        "--planner", planner, "--json",
    )  # fmt: skip
    report = json.loads(result.stdout)
    log = json.loads((tmp_path / "drops.drops.json").read_text())
    assert replayed_picture(log) == read_squares(sprite)
    assert report["drops"] == len(log["drops"])
    assert 4 * report["drops"] == report["pixels"] + 21 * report["lines"]
    with Image.open(sprite) as drawn:
        left, top, right, bottom = drawn.convert("RGBA").getchannel("A").getbbox() or (0, 0, 0, 0)
    with Image.open(tmp_path / "out.png") as still:
        across, down = right - left + 2, bottom - top + 2
        scale = -(-480 // max(across, down))
        assert still.size == (scale * across, scale * down)


def test_convert_writes_the_same_plan_as_print(run: Run, tmp_path: Path, draw: Draw) -> None:
    draw("a.png", ".rg.", "rgbb")
    options = ("--planner", "article", "--seed", 4)
    run("print a.png -o a_out.png --plan one.txt", *options)
    report = json.loads(run("convert a.png -o two.txt", *options, "--json").stdout)
    text = (tmp_path / "one.txt").read_text()
    assert text == (tmp_path / "two.txt").read_text()
    assert text.startswith("d03020 208040 3060c0\n\n")
    assert report["passes"] == text.count("\n\n")


def test_play_refuses_a_plan_that_tops_out(run: Run, tmp_path: Path) -> None:
    tall = "\n\n".join(["board 4x9 I=ff0000", *["\n".join(["A..."] * 4)] * 3]) + "\n"
    (tmp_path / "tall.txt").write_text(tall)
    stderr = run("play tall.txt -o o.png", code=1).stderr
    assert "tops out at drop 3 (pass 3)" in stderr
    assert not (tmp_path / "o.png").exists()


def test_help_and_version(run: Run) -> None:
    text = run("--help").stdout
    for command in ("print", "convert", "play", "patterns"):
        assert command in text
        assert "Usage" in run(command, "--help").stdout
    assert run("--version").stdout.startswith("tetrisprinter, version ")
    for word, meant in (
        ("prnt", "print"), ("prove", "patterns prove"), ("atlas", "patterns atlas"),
        ("film", "slideshow"), ("import", "convert"),
    ):  # fmt: skip
        asked = run(word, code=2).stderr
        assert asked == f"tetrisprinter: unknown command {word!r}; did you mean {meant!r}?\n"
        assert "Usage" in run(*meant.split(), "--help").stdout
    assert "unknown command 'xyzzy'; see `tetrisprinter --help`" in run("xyzzy", code=2).stderr


def test_a_time_limit_with_a_piece_queue(run: Run, draw: Draw) -> None:
    """The picture keeps its size, because a smaller one is hardly quicker.

    The first game comes when the time is up, so no shorter game is promised.
    """
    draw("a.png", "rr.r", "rrrr", ".r..")
    done = run("print a.png --pieces bag:3 --time-limit 1 -o o.png --json")
    report = json.loads(done.stdout)
    assert report["stopped"]
    assert report["drops"] < 30
    assert report["pixels"] == 8
    assert "searching for a shorter game" not in done.stderr
