import json
from pathlib import Path

import pytest
from PIL import Image

from tests.oracles.art_game import play_art
from tests.oracles.game import picture as replayed_picture
from tests.support.commands import Draw, Run
from tests.support.glyphs import LETTER_A, WIDE
from tests.support.images import draw_gradient, draw_rows, read_squares

REALTIME = ("--planner", "rows")


def replay_log(path: Path) -> dict[tuple[int, int], str]:
    return replayed_picture(json.loads(path.read_text()))


def test_a_photo_is_fitted_previewed_and_printed(run: Run, tmp_path: Path) -> None:
    draw_gradient(300, 200).save(tmp_path / "photo.jpg")
    result = run(
        "print photo.jpg -o out.png --fit 24x24 --colors 3 --types auto --board auto",
        *("--preview", "small.png", "--plan", "d.drops.json", "--json", *REALTIME),
    )
    report = json.loads(result.stdout)
    assert (report["width"], report["height"]) == (24, 16)
    assert report["conversion"][0] == "scaled from 300x200 to 24x16"
    assert "colours reduced to 3" in result.stderr
    preview = Image.open(tmp_path / "small.png")
    preview.resize((24, 16), Image.Resampling.NEAREST).save(tmp_path / "pixels.png")
    log = json.loads((tmp_path / "d.drops.json").read_text())
    assert (log["width"], log["height"]) == (29, 26)
    assert replay_log(tmp_path / "d.drops.json") == read_squares(tmp_path / "pixels.png", 2)


def test_controls_of_tone_are_seen_in_the_preview_and_nothing_is_printed(
    run: Run, tmp_path: Path
) -> None:
    draw_gradient(300, 200).save(tmp_path / "photo.png")
    seen = set()
    for options in (
        (), ("--contrast", 2.5), ("--saturation", 0), ("--sharpness", 0), ("--sharpness", 3),
        ("--dither",), ("--original",), ("--crop", "100x80+90+60"),
    ):  # fmt: skip
        run("print photo.png --preview --force", *options)
        seen.add((tmp_path / "photo-preview.png").read_bytes())
    assert len(seen) == 8
    assert {path.name for path in tmp_path.iterdir()} == {"photo.png", "photo-preview.png"}


@pytest.mark.parametrize(
    ("rows", "board"),
    [
        # Decided by the drops: one pixel more takes three pieces instead of 15.
        ("rr/.r/rr/rr/rr/rr", "4x12"),
        ("rrr", "10x20"),  # one pixel fewer
        ("rrrr/r.rb", "4x12"),  # a full row
    ],
)
def test_the_preview_is_what_is_printed(
    run: Run, draw: Draw, tmp_path: Path, rows: str, board: str
) -> None:
    draw("a.png", *rows.split("/"))
    options = ("--board", board, "--effort", "0.05")
    alone = run("print a.png --preview alone.png", *options)
    printed = run("print a.png -o o.png --plan d.drops.json --preview beside.png --json", *options)
    assert (tmp_path / "alone.png").read_bytes() == (tmp_path / "beside.png").read_bytes()
    lines = printed.stderr.splitlines()
    assert alone.stderr.splitlines() == [line for line in lines if "searching" not in line]
    report = json.loads(printed.stdout)
    preview = Image.open(tmp_path / "alone.png")
    small = preview.resize((report["width"], report["height"]), Image.Resampling.NEAREST)
    small.save(tmp_path / "small.png")
    column = (int(board.partition("x")[0]) - report["width"]) // 2
    squares = replay_log(tmp_path / "d.drops.json").items()
    shown = {square: color for square, color in squares if color == "d03020" or "b" in rows}
    assert shown == read_squares(tmp_path / "small.png", column)


def test_the_preview_refuses_what_cannot_be_printed(run: Run, draw: Draw, tmp_path: Path) -> None:
    draw("gap.png", "r", ".", "r")
    draw("odd.png", "rrr")
    for words in ("gap.png", "odd.png --board 10x20", "gap.png --planner table"):
        refused = [
            run("print", *words.split(), "--exact", *output, code=1).stderr
            for output in (("--preview", "p.png"), ("-o", "o.png"))
        ]
        reasons = [message.partition("; ")[0] for message in refused]
        assert reasons[0] == reasons[1]
        assert not (tmp_path / "p.png").exists()


def test_glyphs_are_images(run: Run, tmp_path: Path) -> None:
    (tmp_path / "font.hex").write_text(f"{LETTER_A}\n{WIDE}\n")
    reports = json.loads(run("print font.hex -o out/ --json", *REALTIME).stdout)
    assert [r["image"] for r in reports] == ["U+0041", "U+4E00"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["U+0041.png", "U+4E00.png"]
    one = json.loads(run("print", LETTER_A, "-o", "A.png", "--json", *REALTIME).stdout)
    assert one["drops"] == reports[0]["drops"]
    for command in ("convert font.hex -o x.txt", "bound font.hex", "bot font.hex"):
        assert "font.hex: 2 glyphs; " in run(command, code=2).stderr


def test_text(run: Run, tmp_path: Path) -> None:
    report = json.loads(run("text Hello -o out.png --plan d.drops.json --json", *REALTIME).stdout)
    assert (report["width"], report["height"]) == (23, 7)
    assert len(replay_log(tmp_path / "d.drops.json")) == report["pixels"]
    (tmp_path / "font.hex").write_text(f"{LETTER_A}\n")
    run("text AA --font font.hex -o out.png --color red", *REALTIME)
    assert "theorem 'gap row'" in run("text i -o x.png --exact", *REALTIME, code=1).stderr
    stderr = run("text AB --font font.hex -o x.png", code=2).stderr
    assert "font.hex: no glyph for 'B' (U+0042)" in stderr
    assert not (tmp_path / "x.png").exists()


def test_an_art_file_plays_to_the_picture_and_comes_back(
    run: Run, tmp_path: Path, draw: Draw
) -> None:
    image = draw("a.png", "..rrrr..", ".rrggrr.", "rrrggrrr", "rrrrrrrr")
    options = ("--board", "10x22", "--types", "auto", "--effort", 0.01)
    run("convert", image, "-o", "a.json", *options)
    played = play_art((tmp_path / "a.json").read_text())
    assert played.blocked == []
    assert played.squares == read_squares(image, 1)
    assert len(played.after) >= 350
    said = json.loads(run("convert a.json -o b.json --hold 0 --json").stdout)
    assert said["drops"] == len(play_art((tmp_path / "b.json").read_text()).after)
    start = f"python start.py -l 1 -t -1 -m art -d 200 --art_config_filepath {tmp_path}/b.json"
    assert said["start"] == start
    run("convert b.json -o c.json --hold 7 --unseen f0f0f0")
    assert json.loads((tmp_path / "c.json").read_text())["hold"] >= 7
    assert "--hold: p is not an art file" in run("convert b.json -o p --hold 7", code=2).stderr
    run("convert a.json -o d.drops.json")
    assert replay_log(tmp_path / "d.drops.json") == read_squares(image, 1)
    run("convert a.json -o a.fumen")
    for game in ("a.json", "a.fumen"):
        run("play", game, "-o", f"{game}.png")
    assert (tmp_path / "a.fumen.png").read_bytes() == (tmp_path / "a.json.png").read_bytes()


def test_the_art_game_shows_black_squares_and_nothing_where_the_board_is_empty(
    run: Run, tmp_path: Path
) -> None:
    rows = ("......", "....kk", "rrrrkk")
    draw_rows(rows, {"r": "d03020", "k": "000000"}).save(tmp_path / "a.png")
    wanted = read_squares(tmp_path / "a.png", 2)
    options = (
        *("--board", "10x22", "--planner", "shortest", "--effort", 0.1),
        *("--types", "I=d03020,O=000000"),
    )
    assert run("convert a.png -o a.json", *options).stderr == ""
    assert play_art((tmp_path / "a.json").read_text()).squares == wanted
    named = (*options, "--background", "000000")
    said = "shows empty squares in the colour of its window, not in 000000"
    assert f"b.json: the art game {said}" in run("convert a.png -o b.json", *named).stderr
    # The bar alone is in the middle of the board.
    bar = {(x + 1, y): color for (x, y), color in wanted.items() if color != "000000"}
    assert play_art((tmp_path / "b.json").read_text()).squares == bar
    printed = run("print a.png -o c.png --plan c.json", *named)
    assert f"c.json: the art game {said}" in printed.stderr
    assert said not in run("convert a.png -o b.txt", *named).stderr


@pytest.mark.parametrize("planner", ["auto", "rows"])
def test_a_print_does_not_go_on_from_another(
    run: Run, tmp_path: Path, draw: Draw, planner: str
) -> None:
    draw("a.png", ".rr.", "rrrr")
    again = "print a.png -o o.png --plan p.txt --resume --board 9x12 --types classic"
    plans = {
        "board 4x4 J=d03020\n": "p.txt: the plan has a board of 4x4, a.png one of 9x12",
        "board 9x12 J=ff0000\n": "p.txt: no piece type has the colour d03020 of a.png",
        "board 9x12 T=d03020\n": "p.txt: the colour of J differs: none in the plan, d03020 in",
        "board 9x12 J=d03020\n" + "\nA........" * 13: "p.txt:3: the 13 squares",
    }
    for text, message in plans.items():
        (tmp_path / "p.txt").write_text(text)
        stderr = run(again, "--planner", planner, code=2).stderr
        assert message in stderr
        assert len(stderr.splitlines()) == 1
        assert (tmp_path / "p.txt").read_text() == text
        assert not (tmp_path / "o.png").exists()
    for unable in ("article", "table"):
        stderr = run(again, "--planner", unable, code=2).stderr
        assert f"--resume: the planner {unable} cannot resume" in stderr
    (tmp_path / "p.txt").write_text("board 9x12 J=d03020\n")
    run(again, "--planner", planner)


@pytest.mark.parametrize("plan", ["board 3x9 J=d03020\n", "board 9x12 J=ff0000\n"])
def test_a_print_without_a_board_does_not_go_on_from_another_picture(
    run: Run, tmp_path: Path, draw: Draw, plan: str
) -> None:
    """The plan decides the board, on which the picture may not fit."""
    draw("a.png", ".rr.", "rrrr")
    (tmp_path / "p.txt").write_text(plan)
    stderr = run("print a.png -o o.png --plan p.txt --resume", code=2).stderr
    assert "p.txt: not a part of a print of a.png; only an interrupted print of" in stderr
    assert (tmp_path / "p.txt").read_text() == plan
