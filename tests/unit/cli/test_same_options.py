"""Options that mean the same are the same in every command that prints."""

from pathlib import Path

import pytest

from tests.support.commands import Draw, Run
from tetrisprinter.cli import find_command
from tetrisprinter.formats import read_game
from tetrisprinter.game.field import Board

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
