"""``print --for PLACE``, and options that mean the same in every command that prints."""

import re
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import Draw, Run
from tetrisprinter.api.request import PRESETS
from tetrisprinter.cli import find_command
from tetrisprinter.formats import parse_map, read_game
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import play_through

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


def test_tetrio_gets_the_queue_of_the_game_and_a_page_with_its_keys(
    run: Run, draw: Draw, tmp_path: Path
) -> None:
    draw("pair.png", *PAIR)
    run("print pair.png --for tetrio --exact --effort 0.1")
    assert len(parse_map((tmp_path / "pair.tetrio").read_text()).pieces) >= 2
    assert '"keys":' in (tmp_path / "pair-print.html").read_text()


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


PRINTING = ("print", "text", "qr", "slideshow", "clock")
COMMON = (
    *("--output", "--board", "--types", "--time-limit", "--effort", "--seed", "--workers"),
    *("--scale", "--style", "--field", "--full"),
    *("--smooth", "--seconds", "--shape", "--rules", "--sound", "--resume", "--json"),
)


@pytest.mark.parametrize("name", PRINTING)
def test_every_printing_command_takes_the_common_options(name: str) -> None:
    command = find_command([name])
    taken = {option for parameter in command.params for option in parameter.opts}
    assert [option for option in COMMON if option not in taken] == []


def test_a_slideshow_and_a_clock_search_and_look_as_they_are_told(run: Run, draw: Draw) -> None:
    draw("a.png", "rr.", "rrr")
    draw("b.png", ".rr", "rrr")
    common = "--effort 0.1 --seed 3 --workers 1 --style bevel --field ffffff --shape 1:1"
    run(f"slideshow a.png b.png -o x.gif --hold 1 {common}")
    run(f"clock --from 10:09 --until 10:09 -o y.gif {common}")
    assert (
        "--field transparent: not supported"
        in run("slideshow a.png b.png -o x.mp4 --field transparent", code=2).stderr
    )


def test_a_code_takes_the_options_of_a_print(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("segno", reason="the extra qr is not installed")
    said = run("qr a --effort 0.1 --board 23x30 --plan x.txt -o x.png")
    assert read_game(tmp_path / "x.txt").board == Board(23, 30)
    assert "ffffff left empty" not in said.stderr
