"""Games that somebody else has to be able to play: `convert` for art files and by srs."""

import json
from pathlib import Path

from tests.oracles.nes_game import Console
from tests.support.commands import Draw, Run
from tests.support.judge import press_keys
from tetrisprinter.formats import read_game


def test_another_order_makes_it_playable(run: Run, tmp_path: Path, draw: Draw) -> None:
    """A tower of I stands between the middle and an O that comes after it."""
    rows = ["......E..."] * 4 + ["......D..."] * 4 + ["......C..."] * 4 + ["......B..."] * 4
    rows += ["......A..."] * 2 + ["......A.FF"] * 2
    (tmp_path / "p.txt").write_text("board 10x22 I=ff0000 O=00ff00\n\n" + "\n".join(rows))
    assert "drop 6" in run("moves p.txt --rules srs --visible 18", code=1).stderr
    run("convert p.txt -o p.fumen --rules srs")
    log = json.loads(run("moves p.fumen --rules srs --json").stdout)
    press_keys(log, read_game(tmp_path / "p.fumen"))


def test_the_frames_of_the_console_are_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("board 10x20 O=ff0000\n\n......AA..\n......AA..\n")
    assert run("moves p.txt --rules nes --frames").stdout == (
        "drop  piece  row  frames  buttons\n   1      O    0      43  R1 -1 R1 -1 D39\n"
    )
    log = json.loads(run("moves p.txt --rules nes --frames --json").stdout)
    (drop,) = log["drops"]
    console = Console()
    assert console.play(drop["piece"], [b for b, count in drop["frames"] for _ in range(count)])
    assert console.filled == {(6, 18), (7, 18), (6, 19), (7, 19)}
