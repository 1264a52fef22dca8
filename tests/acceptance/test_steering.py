"""Games that somebody else has to be able to play: `convert` for art files and by srs."""

import json
from pathlib import Path

import pytest

from tests.oracles.art_game import play_art
from tests.oracles.nes_game import Console
from tests.support.commands import Draw, Run
from tests.support.images import read_squares
from tests.support.judge import press_keys
from tests.support.seigot import CLIENTS, play_in_seigot
from tetrisprinter.formats import read_game

BENCHMARK = CLIENTS.parent / "benchmarks" / "art"
BOARD = ("--board", "10x22", "--types", "auto", "--workers", 1)


def press(run: Run, game: str, tmp_path: Path) -> None:
    """Let the oracle press the keys that `moves` prints."""
    log = json.loads(run("moves", game, "--rules", "srs", "--json").stdout)
    press_keys(log, read_game(tmp_path / game))


def test_another_order_makes_it_playable(run: Run, tmp_path: Path, draw: Draw) -> None:
    """A tower of I stands between the middle and an O that comes after it."""
    rows = ["......E..."] * 4 + ["......D..."] * 4 + ["......C..."] * 4 + ["......B..."] * 4
    rows += ["......A..."] * 2 + ["......A.FF"] * 2
    (tmp_path / "p.txt").write_text("board 10x22 I=ff0000 O=00ff00\n\n" + "\n".join(rows))
    assert "drop 6" in run("moves p.txt --rules srs --visible 18", code=1).stderr
    run("convert p.txt -o p.fumen --rules srs")
    press(run, "p.fumen", tmp_path)


@pytest.mark.slow
def test_a_picture_nearly_as_high_as_the_board(run: Run, tmp_path: Path, draw: Draw) -> None:
    """Of 21 rows; row by row it is not printed."""
    rows = [
        "..r.......", "..r.......", "..r.......",
        "..rr......", ".rrr......", ".rrr......",
        ".rrr......", "rrrrr.....", ".rr.......",
        ".rrrr.....", "rrrrr.....", "rrrr......",
        "rrrrr.....", "rrrrrr....", "rrrrr.....",
        "r.rrrr....", "rrrrrrr...", "rrrrrrr...",
        "rrrrrr....", "rr.rrrr...", "rrrrrrr...",
    ]  # fmt: skip
    image = draw("tall.png", *rows)
    wanted = read_squares(image, 0)
    said = run("convert", image, "-o", "tall.json", *BOARD, "--exact").stderr
    played = play_art((tmp_path / "tall.json").read_text())
    assert (played.blocked, played.over, played.squares) == ([], None, wanted)
    assert "only 1 of 22 rows are empty; it is complete for one drop only" in said
    run("convert", image, "-o", "tall.fumen", *BOARD, "--rules", "srs", "--exact")
    press(run, "tall.fumen", tmp_path)


@pytest.mark.slow
def test_a_picture_that_leaves_one_row_for_the_pieces_to_enter(
    run: Run, tmp_path: Path, draw: Draw
) -> None:
    """No print row by row leaves enough room near the top, but a stacked game does."""
    rows = [
        "........r.", "........r.", "........r.",
        "........r.", "...bb..rgg", "r..rbbbrgr",
        "r.rrrbbrgr", "r.rrrbrrrr", "r.rrrrrrrr",
        "r.rgrrrrrr", "r.rggrrrgg", "r.rgbrgrgr",
        "r.rbbggggr", "r.rbrbgggr", "r.rrrbbgbr",
        "r.ggrrbrbb", "r.gggrrrbb", "r.gggrrrbb",
        "r.ggggrrgb", "r.gggrrggg", "r.grrrrrrr",
    ]  # fmt: skip
    image = draw("ledges.png", *rows)
    said = run("convert", image, "-o", "ledges.json", "--board", "10x22", "--workers", 1).stderr
    assert "scaled" not in said
    assert "colours" not in said
    played = play_art((tmp_path / "ledges.json").read_text())
    assert (played.blocked, played.over, played.squares) == ([], None, read_squares(image, 0))


@pytest.mark.slow
def test_print_takes_a_game_that_the_art_game_can_play(
    run: Run, tmp_path: Path, draw: Draw
) -> None:
    """The shortest games found for this picture leave too little room for the last pieces."""
    rows = []
    for y in range(21):
        inside = [(x - 4.5) ** 2 / 20 + (y - 10) ** 2 / 90 < 1 for x in range(10)]
        inks = ["r" if (x + y // 2) % 3 else "b" for x in range(10)]
        rows.append("".join(ink if held else "." for ink, held in zip(inks, inside, strict=True)))
    image = draw("oval.png", *rows)
    options = ("--board", "10x22", "--workers", 1)
    said = run("print", image, "-o", "oval.gif", "--plan", "oval.json", *options).stderr
    assert "scaled" not in said
    played = play_art((tmp_path / "oval.json").read_text())
    assert (played.blocked, played.over) == ([], None)
    assert len(set(played.squares.values())) == 2
    assert len(played.squares) == sum(ink != "." for row in rows for ink in row)
    assert (tmp_path / "oval.gif").read_bytes().endswith(b";")


@pytest.mark.slow
@pytest.mark.skipif(not BENCHMARK.is_dir(), reason="the pictures are not there")
def test_the_open_art_pictures(run: Run, tmp_path: Path) -> None:
    told = json.loads((BENCHMARK / "drops.json").read_text())
    for name in told:
        image = BENCHMARK / f"{name}.png"
        types = ",".join(f"{piece}={color}" for piece, color in told[name]["type_colours"].items())
        options = ("--board", "10x22", "--types", types, "--planner", "rows", "--exact")
        report = json.loads(
            run("convert", image, "-o", "a.json", *options, "--rules", "srs", "--json").stdout
        )
        text = (tmp_path / "a.json").read_text()
        played = play_art(text)
        wanted = read_squares(image, 0)
        assert (played.blocked, played.over, played.squares) == ([], None, wanted)
        kept = played.after[report["drops"] - 1 :]
        assert len(kept) > 350
        assert all(wanted.items() <= shown.items() for shown in kept)
        press(run, "a.json", tmp_path)
        if name == "sample1" and CLIENTS.is_dir():
            seen = play_in_seigot(tmp_path / "a.json")
            assert seen == [(shown, 0) for shown in played.after]


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
    for words in ("--rules nes", "--frames", "--frames --rules srs"):
        assert "belong together" in run("moves p.txt", *words.split(), code=2).stderr
