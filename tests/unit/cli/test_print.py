"""``print --for PLACE``, options that mean the same in other commands, and the report."""

import re
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import Draw, Run
from tetrisprinter.api.request import PRESETS
from tetrisprinter.cli import printing
from tetrisprinter.cli.files import OutputFiles
from tetrisprinter.cli.print_options import PrintJob
from tetrisprinter.cli.printing import _describe_print
from tetrisprinter.formats import read_game
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.sources import make_sources

PAIR = ("rr.rr", "rr.rr")


@pytest.mark.parametrize("place", ["fumen", "10x20", "square", "9:16"])
def test_a_place_chooses_board_files_and_shape(
    run: Run, draw: Draw, place: str, tmp_path: Path
) -> None:
    draw("pair.png", *PAIR)
    run("print pair.png --effort 0.1 --for", place)
    preset = PRESETS[place]
    names = {path.name for path in tmp_path.iterdir()} - {"pair.png"}
    assert names == {"pair-print.gif", *([f"pair.{preset.plan}"] if preset.plan else [])}
    if preset.plan:
        game = read_game(tmp_path / f"pair.{preset.plan}")
        assert f"{game.width}x{game.height}" == preset.board
    with Image.open(tmp_path / "pair-print.gif") as animation:
        width, height = animation.size
    if preset.shape:
        wide, high = map(int, preset.shape.split(":"))
        assert round(width * high / wide) in range(height - 1, height + 2)


def test_colours_that_look_patchy_in_another_program_are_named(
    run: Run, draw: Draw, tmp_path: Path
) -> None:
    draw("pair.png", "rrr..r", "rrrrrr")
    command = "print pair.png --for fumen --exact --effort 0.1 --force"
    mixed = run(command)
    field = play_through(read_game(tmp_path / "pair.fumen")).field
    shown = {PieceType(square).name for row in field.rows for square in row if square}
    named = re.search(r"in pair.fumen d03020 \(([A-Z, ]+)\) looks patchy", mixed.stdout)
    assert named
    assert set(named[1].split(", ")) == shown
    assert "patchy" not in run(command, "--types", "J=d03020").stdout


def test_options_that_are_named_count_before_those_of_a_place(
    run: Run, draw: Draw, tmp_path: Path
) -> None:
    draw("pair.png", *PAIR)
    run("print pair.png --for fumen --board 10x14 --plan mine.txt -o mine.png --effort 0.1")
    assert read_game(tmp_path / "mine.txt").height == 14
    assert {path.name for path in tmp_path.iterdir()} == {"pair.png", "mine.txt", "mine.png"}


def test_a_slideshow_and_a_clock_search_and_look_as_they_are_told(run: Run, draw: Draw) -> None:
    draw("a.png", "rr.", "rrr")
    draw("b.png", ".rr", "rrr")
    common = "--effort 0.001 --seed 3 --workers 1 --style bevel --field ffffff --shape 1:1"
    run(f"slideshow a.png b.png -o x.gif --hold 1 {common}")
    run(f"clock --from 10:09 --until 10:09 -o y.gif {common}")
    assert (
        "--field transparent: not supported"
        in run("slideshow a.png b.png -o x.mp4 --field transparent", code=2).stderr
    )


def test_a_code_takes_the_options_of_a_print(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("segno", reason="the extra qr is not installed")
    said = run("qr a --effort 0.001 --board 23x30 --plan x.txt -o x.png")
    assert read_game(tmp_path / "x.txt").board == Board(23, 30)
    assert "ffffff left empty" not in said.stderr


REPORT = {
    "image": "a.png", "drops": 940, "lines": 80, "pixels": 5, "stopped": False, "proof": "bound",
    "width": 5, "height": 1, "passes": 1, "cells_per_pixel": 4.5, "seconds": 1.0,
    "remembered": "no", "pieces": {"d03020": 940},
}  # fmt: skip


@pytest.mark.parametrize(
    ("drops", "bound", "is_shown"),
    [(940, 214, False), (100, 79, False), (100, 80, True), (3, 2, False), (5, 4, True),
     (1, 0, False), (0, 0, False)],
)  # fmt: skip
def test_a_bound_far_below_the_drops_is_not_shown(drops: int, bound: int, is_shown: bool) -> None:
    target = OutputFiles(make_sources(["a.png"])[0], ("a.gif",))
    claim = f"any game on a board of 5x20 has at least {bound}"
    report = {**REPORT, "drops": drops, "bound": bound, "claim": claim}
    assert (claim in _describe_print(report, target, verbose=False)) == is_shown
    assert claim in _describe_print(report, target, verbose=True)


def test_no_shorter_game_is_promised_when_the_first_one_is_proved(run: Run, draw: Draw) -> None:
    done = run("print", draw("bar.png", "rrrr"), "-o", "out.gif", "--board", "9x12")
    assert "printed" in done.stdout
    assert "1 piece clears 0 lines" in done.stdout
    assert "searching for a shorter game" not in done.stderr


def test_each_frame_has_all_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gif"
    frames = [Image.new("RGB", (4, 2), color) for color in ("red", "blue")]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    jobs: list[PrintJob] = []
    monkeypatch.setattr(printing, "_print_and_report", lambda _, job, __: jobs.append(job))
    outputs = (str(tmp_path / "{}.gif"),)
    printing.print_all(make_sources([path]), PrintJob(outputs=outputs, all_frames=True))
    assert [job.began for job in jobs] == [None]
