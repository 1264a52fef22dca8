"""Slideshows: one game through several pictures, judged by an independent simulator."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.oracles.game import replay
from tests.support.commands import Run
from tests.support.images import count_long_frames, draw_rows, read_squares
from tests.support.judge import play_first_drops, shift_left
from tests.support.seigot import CLIENTS, play_in_seigot
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.api.slideshows import (
    Slideshow,
    continue_game,
    fit_panel,
    make_clock_tasks,
    make_second_tasks,
    make_slideshow_tasks,
    plan_slideshow,
    print_slideshow,
    read_pictures,
    read_video,
)
from tetrisprinter.errors import InputError, JobError, Setting
from tetrisprinter.formats import read_game
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.pictures.text import Layout, draw_clock, parse_minutes
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import ROW_HINT, Progress
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.options import Limit

ONE = Limit(workers=1, effort=0.001)
FIRST = Picture.parse("r..r\nrrrr\n.rr.", "first", r="ff0000")
SECOND = Picture.parse("b..b\n.bb.\nr.rr", "second", r="ff0000", b="0000ff")


def on_board(board: str | None) -> PictureRequest:
    """Return the request for a named board."""
    return PictureRequest.of({"board": board})


def check(film: Slideshow) -> None:
    """Every picture stands when the plan says so."""
    tasks = [result.task for result in film.results][film.loops :]
    assert len(film.plan.stops) == len(tasks)
    for task, stop in zip(tasks, film.plan.stops, strict=True):
        assert play_first_drops(film.plan, stop) == task.wanted.cells()


def test_a_loop_ends_as_it_begins() -> None:
    film = print_slideshow([FIRST, SECOND], loop=True, limit=ONE)
    check(film)
    before = {(x, y) for y, row in enumerate(film.plan.start) for x, v in enumerate(row) if v}
    assert before == set(film.results[0].task.wanted.cells())
    # Played once more from what it leaves, it leaves the same.
    end = play_through(film.plan).field
    left = end.used_rows
    again = play_through(replace(film.plan, start=left))
    assert [bool(v) for row in again.field.rows for v in row] == [
        bool(v) for row in end.rows for v in row
    ]


def test_the_search_for_each_picture_is_reported() -> None:
    tasks, _ = make_slideshow_tasks([FIRST, SECOND])
    reports: list[Progress] = []
    plan_slideshow(tasks, limit=replace(ONE, effort=0.1), report=reports.append)
    halves = [[one for one in reports if f"picture {n} of 2" in one.stage] for n in (1, 2)]
    assert all(any("piece" in one.stage for one in half) for half in halves)
    assert max(one.fraction for one in halves[0]) <= 0.5 == min(one.fraction for one in halves[1])


def test_an_interrupt_ends_the_film(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planner that is interrupted may return the plan it has; the film does not go on."""
    tasks, _ = make_slideshow_tasks([FIRST, SECOND])
    printed = plan_slideshow(tasks[:1], limit=ONE).results[0]
    asked = []

    def interrupted(task: Task, *_: object) -> PrintResult:
        asked.append(task)
        return replace(printed, stopped=True)

    monkeypatch.setattr("tetrisprinter.api.slideshows.make_plan", interrupted)
    with pytest.raises(KeyboardInterrupt):
        plan_slideshow(tasks, limit=ONE)
    assert len(asked) == 1


def interrupt_in_game(game: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Interrupt a film in one of its games, once; return the list of the pictures asked for."""
    asked: list[str] = []

    def broken_off(task: Task, *more: Any) -> PrintResult:
        asked.append(task.name)
        if len(asked) == game:
            raise KeyboardInterrupt
        return make_plan(task, *more)

    monkeypatch.setattr("tetrisprinter.api.slideshows.make_plan", broken_off)
    return asked


def test_what_was_printed_is_kept_and_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks, _ = make_slideshow_tasks([FIRST, SECOND, FIRST])
    games = tmp_path / "f.gif.games"
    asked = interrupt_in_game(3, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        plan_slideshow(tasks, limit=ONE, games=games)
    film = plan_slideshow(tasks, limit=ONE, games=games)
    assert asked == ["first", "second", "first", "first"]  # the first two were not asked for again
    check(film)
    other, _ = make_slideshow_tasks([SECOND, FIRST])
    plan_slideshow(other, limit=ONE, games=games)
    assert asked[4:] == ["second", "first"]  # another film's games are not believed


def test_the_picture_that_a_film_begins_from_is_kept_too(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt in the second game: --resume does not print the first again, without it does."""
    draw(tmp_path / "a.png", "r..r", "rrrr", ".rr.")
    draw(tmp_path / "b.png", "b..b", ".bb.", "r.rr")
    asked = interrupt_in_game(2, monkeypatch)
    command = "slideshow b.png --from a.png -o f.txt --effort 0.001"
    assert "f.txt.games: 1 picture of the slideshow" in run(command, code=130).stderr
    run(command, "--resume")
    run(command)
    assert asked == ["a.png", "b.png", "b.png", "a.png", "b.png"]
    assert not (tmp_path / "f.txt.games").exists()


def test_colours_are_shared_once() -> None:
    many = [Picture.parse("x.x\nxxx", f"{n}", x=color) for n, color in enumerate(
        ["ff0000", "00ff00", "0000ff", "ffff00", "ff00ff", "00ffff"])]  # fmt: skip
    tasks, steps = make_slideshow_tasks(many)
    assert len({task.type_colors for task in tasks}) == 1
    assert len({color for task in tasks for color in task.picture.colors()}) == 5
    assert "6 colours in all pictures reduced to 5" in str(steps[0])


def test_pictures_that_do_not_go_on_one_board_are_named() -> None:
    with pytest.raises(InputError, match=r"second \(4x3\).*13"):
        make_slideshow_tasks([Picture.parse("r", "first"), SECOND], on_board("3x13"))
    with pytest.raises(
        InputError, match=r"first \(4x3\), second.* full row.* 4x13.* 9x13 is large"
    ):
        make_slideshow_tasks([FIRST, Picture(FIRST.rows, "second")], on_board("4x13"))
    with pytest.raises(InputError, match="needs two pictures"):
        print_slideshow([FIRST], loop=True)
    tasks, _ = make_slideshow_tasks([FIRST, SECOND], on_board("10x13"))
    with pytest.raises(JobError, match=r"second \(7 squares\).*multiple of 2.*11x13"):
        plan_slideshow([tasks[1]], limit=ONE)


@pytest.mark.slow
def test_a_clock_prints_anew_only_what_lies_high() -> None:
    little = Limit(workers=1, effort=0.02)
    film = plan_slideshow(make_clock_tasks(parse_minutes("09:58"), 2), limit=little)
    check(film)
    plan = film.results[1].plan
    field, hours = plan.make_field(), plan.start[:5]
    for _ in play(plan, field):
        assert field.rows[:5] == hours


def test_every_minute_is_a_picture_of_its_own() -> None:
    for layout in ("steps", "line"):
        drawn = {(str(one), left) for one, left in (
            draw_clock(m, layout=layout) for m in range(1440))}  # fmt: skip
        assert len(drawn) == 1440


def test_the_command_writes_film_plan_and_report(run: Run, tmp_path: Path) -> None:
    draw(tmp_path / "a.png", "r..", "rrr")
    draw(tmp_path / "b.png", "..b", "bbb")
    done = run("slideshow a.png b.png --loop --json -o f.gif -o f.txt -o f.html --effort 0.001")
    report = json.loads(done.stdout)
    plan = read_game(tmp_path / "f.txt")
    assert report["stops"] == list(plan.stops)
    assert report["loops"]
    assert '"stops":[' in (tmp_path / "f.html").read_text()
    assert count_long_frames(tmp_path / "f.gif") == 2


def test_a_roll_of_lines(run: Run, tmp_path: Path) -> None:
    run("text --roll", "i\nl", "-o", "roll.txt", "--effort", 0.001)
    assert len(read_game(tmp_path / "roll.txt").stops) == 2


def draw(path: Path, *rows: str) -> Path:
    """Write rows of r, g, b and . as an image."""
    draw_rows(rows, {"r": "ff0000", "g": "00a000", "b": "0000ff"}).save(path)
    return path


@pytest.mark.slow
def test_print_begins_with_what_a_file_leaves(run: Run, tmp_path: Path) -> None:
    draw(tmp_path / "a.png", "r..r", "rrrr", ".rr.")
    draw(tmp_path / "b.png", "b..b", ".bb.", "r.rr")
    run("print a.png --board 13x20 --plan a.txt --effort 0.001")
    outputs = "-o b.gif -o b.html --plan b.txt --plan b.drops.json --json --effort 0.001"
    done = run(f"print b.png {outputs} --from a.txt")
    plan = read_game(tmp_path / "b.txt")
    assert sum(map(bool, b"".join(plan.start))) == 8
    log = json.loads((tmp_path / "b.drops.json").read_text())
    left = {cell: log["colors"][piece] for cell, piece in replay(log).items()}
    assert shift_left(left) == SECOND.cells()
    assert json.loads(done.stdout)["drops"] == len(plan) == len(log["drops"])
    assert '"start":[' in (tmp_path / "b.html").read_text()
    with Image.open(tmp_path / "b.gif") as film:
        assert getattr(film, "n_frames", 1) > 2


def test_print_says_what_cannot_follow(run: Run, tmp_path: Path) -> None:
    draw(tmp_path / "a.png", "rr", "rr")
    draw(tmp_path / "b.png", "r.r", "rrr")
    run("print a.png --board 10x12 --plan a.txt --effort 0.001")
    for more, code, sentence in (
        ([], 1, "b.png: cannot follow a.txt: has 5 squares, and the board starts with 4"),
        (["--board", "9x12"], 2, "the game sets the board and the types"),
        (["--prove"], 2, "--prove cannot be used with --from"),
        (["--plan", "b.json"], 2, "the art game starts on an empty board"),
    ):
        done = run("print b.png --from a.txt --plan b.txt", *more, code=code)
        assert sentence in done.stderr
        assert not (tmp_path / "b.txt").exists()


THREE = {
    "heart": (".rr.rr.", "rrrrrrr", "rrrrrrr", ".rrrrr.", "..rrr.."),
    "tree": ("...g...", "..ggg..", ".ggggg.", "ggggggg", "...b...", "...b..."),
    "key": ("bbb......", "b.bbbbbbb", "bbb...b.b"),
}


@pytest.mark.skipif(not CLIENTS.is_dir(), reason="the game is not there")
@pytest.mark.parametrize("board", [("--board", "10x22"), pytest.param((), marks=pytest.mark.slow)])
def test_the_art_game_plays_a_film(run: Run, board: tuple[str, ...], tmp_path: Path) -> None:
    """In the game's own code, on its own board and on the film's: each is seen at its stop."""
    images = [draw(tmp_path / f"{name}.png", *rows) for name, rows in THREE.items()]
    report = json.loads(
        run("slideshow", *images, *board, "-o", "film.json", "--json", "--effort", 0.001).stdout
    )
    assert len(report["stops"]) == 3
    seen = play_in_seigot(tmp_path / "film.json")
    width = int(report["board"].split("x")[0])
    for rows, image, stop in zip(THREE.values(), images, report["stops"], strict=True):
        left, over = seen[stop - 1]
        assert over == 0
        assert left == read_squares(image, (width - len(rows[0])) // 2)
    assert seen[-1] == seen[report["stops"][-1] - 1]


@pytest.fixture
def needs_width(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let no picture be printed on a narrower board, as if the planner could not."""

    def require_width(width: int) -> None:
        def plan_if_wide(task: Task, *more: Any) -> PrintResult:
            if task.board.width < width:
                raise JobError(f"{task.name}: row 1 could not be printed", ROW_HINT)
            return make_plan(task, *more)

        monkeypatch.setattr("tetrisprinter.api.slideshows.make_plan", plan_if_wide)

    return require_width


def list_settings(error: JobError) -> set[Setting]:
    return {setting for hint in error.hints for setting in hint.settings}


def test_a_board_that_nobody_named_is_enlarged_until_it_works(
    needs_width: Callable[[int], None],
) -> None:
    needs_width(17)
    film = print_slideshow([FIRST, SECOND], limit=ONE)
    assert str(film.plan.board) == "17x21"
    check(film)
    needs_width(99)
    with pytest.raises(JobError, match="first: row 1 could not be printed") as caught:
        print_slideshow([FIRST, SECOND], limit=ONE)
    assert "boards up to 21x25 were tried" in str(caught.value)
    assert list_settings(caught.value) == {Setting.COLORS}


def test_advice_is_about_what_a_film_has(needs_width: Callable[[int], None]) -> None:
    needs_width(17)
    tasks, _ = make_slideshow_tasks([FIRST, SECOND])
    with pytest.raises(JobError) as caught:
        plan_slideshow(tasks, limit=ONE)
    assert list_settings(caught.value) == {Setting.AUTO_BOARD, Setting.COLORS}
    start = (bytes([1] * 4 + [0] * 5),)
    with pytest.raises(JobError, match="may leave more room") as caught:
        plan_slideshow(tasks, start=start, limit=ONE)
    assert list_settings(caught.value) == {Setting.BOARD, Setting.COLORS}


def test_who_follows_the_advice_of_a_film_gets_it(
    run: Run, tmp_path: Path, needs_width: Callable[[int], None]
) -> None:
    needs_width(17)
    draw(tmp_path / "a.png", "r..r", "rrrr")
    draw(tmp_path / "b.png", "b..b", ".bb.", "r.rr")
    words = ("slideshow a.png b.png -o f.txt --effort 0.001", "--board")
    refused = run(*words, "9x12", code=1).stderr
    advised = re.findall(r"--board (\S+)", refused)
    assert advised == ["auto"]
    assert "on 17x21 in one game" in run(*words, *advised).stdout
    assert not (tmp_path / "f.txt.games").exists()


def test_classic_types_are_the_three_of_the_article() -> None:
    shared = PictureRequest.of({"types": "classic", "colors": 3})
    tasks, _ = make_slideshow_tasks([Picture.parse("rg\nrb"), Picture.parse("bb")], shared)
    for task in [*tasks, *make_clock_tasks(0, 1, types="classic")]:
        assert task.type_colors is not None
        assert set(task.type_colors) == {PieceType.J, PieceType.T, PieceType.L}
    four = PictureRequest.of({"types": "classic", "colors": 4})
    with pytest.raises(InputError, match="4 colours are more than the three of the classic types"):
        make_slideshow_tasks([Picture.parse("rgbk")], four)


def draw_frames(folder: Path, *drawings: tuple[str, str]) -> list[Path]:
    """Write images of a square of one colour on a ground of another; return their paths."""
    paths = []
    for number, (ground, ink) in enumerate(drawings):
        image = Image.new("RGB", (7, 7), f"#{ground}")
        image.paste(f"#{ink}", (2, 2, 5, 4 + number % 2))
        paths.append(folder / f"{number}.png")
        image.save(paths[-1])
    return paths


def test_all_pictures_have_one_background(tmp_path: Path, run: Run) -> None:
    paths = draw_frames(tmp_path, ("0000c8", "c80000"), ("c80000", "0000c8"), ("0000c8", "00c800"))
    said = run("slideshow", *paths, "-o", "x.txt", "-o", "x.gif", "--effort", 0.001)
    assert said.stderr.count("left empty") == 1
    plan = read_game(tmp_path / "x.txt")
    assert plan.background == "0000c8"
    assert len(play_first_drops(plan, plan.stops[1])) == 49 - 9


@pytest.mark.parametrize(
    ("grounds", "asked", "found", "squares"),
    [
        (("ffffff", "fefefe", "fdfeff"), "auto", "ffffff", [6, 9, 6]),  # small errors
        (("ffffff", "0000c8"), "white", "ffffff", [6, 49]),
        (("ffffff", "0000c8"), "transparent", None, [49, 49]),
    ],
)
def test_pictures_are_read_with_one_background(
    grounds: tuple[str, ...], asked: str, found: str | None, squares: list[int], tmp_path: Path
) -> None:
    paths = draw_frames(tmp_path, *((ground, "c80000") for ground in grounds))
    read = read_pictures(map(find_source, paths), asked)
    assert read.background == found
    assert [len(picture.cells()) for picture in read.pictures] == squares
    assert [str(step) for step in read.steps] == [f"{found} left empty in all pictures"] * bool(
        found
    )


def test_transparent_pictures_keep_the_colour_of_the_background(tmp_path: Path) -> None:
    (opaque,) = draw_frames(tmp_path, ("ffffff", "c80000"))
    draw_rows(["w..", ".w."], {"w": "ffffff"}).save(tmp_path / "clear.png")
    read = read_pictures(map(find_source, [opaque, tmp_path / "clear.png"]))
    assert [len(picture.cells()) for picture in read.pictures] == [6, 2]


def test_pictures_as_wide_as_the_given_board_keep_their_place() -> None:
    wide = [Picture.parse(row, row) for row in (".rr......", ".b.......")]
    for board, columns in (("9x12", [1, 1]), ("11x12", [4, 4]), (None, [3, 3])):
        tasks, _ = make_slideshow_tasks(wide, on_board(board))
        left = [task.column + min(x for x, _ in task.picture.cells()) for task in tasks]
        assert left == columns, board
    other = Picture.parse("...r..", "narrower")
    tasks, _ = make_slideshow_tasks([wide[0], other], on_board("9x12"))
    assert [task.column for task in tasks] == [0, 4]
    game = plan_slideshow(make_slideshow_tasks(wide[:1], on_board("9x12"))[0], limit=ONE)
    tasks, *_ = continue_game(game.plan, wide[1:])
    assert tasks[0].picture.width == 9


def test_a_game_of_seven_colours_takes_no_other() -> None:
    colors = " ".join(f"{piece}={number}01020" for number, piece in enumerate("IJLOSTZ"))
    rows = "A....B.C..DDEE.FF.....\nAAABBBCCCDD..EEFFGGGG.\n"
    game = Plan.parse(f"board 22x9 {colors}\n\n{rows}")
    with pytest.raises(InputError, match=r"add 1, but no piece type is free in the game$"):
        continue_game(game, [Picture.parse("r=ffffff\nr")])


def test_alike_steps_of_many_pictures_are_one_line(tmp_path: Path) -> None:
    for number in range(3):
        Image.effect_noise((90 + number, 90), 80).save(tmp_path / f"{number}.png")
    read = read_pictures(map(find_source, sorted(tmp_path.iterdir())))
    settings = [step.setting for step in read.steps]
    assert len(settings) == len(set(settings))
    assert "2 more pictures likewise" in str(read.steps[0])


VIDEO = (
    ("........", "........", "..##....", "..##....", "########"),
    ("........", "...##...", "...##...", "........", "########"),
    ("........", "...##...", "...##...", "........", "########"),
    ("....##..", "....##..", "........", "........", "########"),
    ("........", "........", "........", "........", "########"),
)
"""Frames of a video; the squares stand in the air, and the second frame is shown twice."""


def write_video(path: Path, fps: int = 5, scale: int = 16) -> None:
    """Write the frames as a video, with the losses of its codec."""
    av = pytest.importorskip("av", reason="the extra tetrisprinter[video] is not installed")
    with av.open(str(path), "w") as video:
        stream = video.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 8 * scale, 5 * scale, "yuv420p"
        for frame in VIDEO:
            image = Image.new("RGB", (8, 5), "#202430")
            for y, row in enumerate(frame):
                for x, square in enumerate(row):
                    if square == "#":
                        image.putpixel((x, y), (244, 241, 232))
            image = image.resize((8 * scale, 5 * scale), Image.Resampling.NEAREST)
            video.mux(stream.encode(av.VideoFrame.from_image(image)))
        video.mux(stream.encode(None))


def test_a_video_becomes_one_game_with_exact_frames(run: Run, tmp_path: Path) -> None:
    write_video(tmp_path / "clip.mp4")
    done = run(
        "slideshow clip.mp4 --fps 5 --fit 8x5 -o game.txt --film film.gif --scale 4 --effort 0.001"
    )
    assert "a column added on either side" in done.stderr
    plan = read_game(tmp_path / "game.txt")
    different = [VIDEO[0], VIDEO[1], VIDEO[3], VIDEO[4]]
    assert len(plan.stops) == len(different), "equal frames are one picture"
    for frame, stop in zip(different, plan.stops, strict=True):
        wanted = {
            (x, 4 - y) for y, row in enumerate(frame) for x, c in enumerate(f"#{row}#") if c == "#"
        }
        assert set(shift_left(play_first_drops(plan, stop))) == wanted
    with Image.open(tmp_path / "film.gif") as film:
        assert film.size == (10 * 4, 5 * 4), "the pictures, without the rest of the board"
        times = []
        for number in range(film.n_frames):  # type: ignore[attr-defined]
            film.seek(number)
            times.append(film.info["duration"])
    assert times == [200, 400, 200, 200], "the pace of the video"


def test_frames_are_taken_at_the_rate_that_is_asked_for(tmp_path: Path) -> None:
    write_video(tmp_path / "clip.mp4", fps=10)
    assert len(read_video(tmp_path / "clip.mp4", 10, (8, 5)).pictures) == 4
    slow = read_video(tmp_path / "clip.mp4", 2.5, (8, 5))
    assert [len(slow.pictures), sum(slow.seconds)] == [2, pytest.approx(0.8)]
    fast = read_video(tmp_path / "clip.mp4", 20, (8, 5))
    assert fast.seconds == pytest.approx((0.1, 0.2, 0.1, 0.1))
    pictures = read_video(tmp_path / "clip.mp4", 10, (4, 4)).pictures
    assert {picture.width for picture in pictures} <= {4, 6}


def test_a_video_has_one_palette_and_the_background_that_is_asked_for(tmp_path: Path) -> None:
    write_video(tmp_path / "clip.mp4", fps=10)
    request = PictureRequest.of({"background": "ffffff"})
    read = read_video(tmp_path / "clip.mp4", 10, (8, 5), request)
    assert read.background is not None
    assert int(read.background[:2], 16) > 200
    assert len({color for picture in read.pictures for color in picture.colors()}) == 1
    opaque = PictureRequest.of({"background": "transparent"})
    read = read_video(tmp_path / "clip.mp4", 10, (8, 5), opaque)
    assert read.background is None
    assert all(None not in row for picture in read.pictures for row in picture.rows)


def test_a_clock_of_twelve_hours_has_no_leading_zero() -> None:
    for minute, text in ((0, "12:00"), (59, "12:59"), (60, "1:00"), (598, "9:58"), (780, "1:00")):
        assert draw_clock(minute, layout="line", hours=12)[0].name == text
    (first, left), (second, right) = (draw_clock(m, hours=12) for m in (598, 600))
    assert left > right == 0, "the hours stay in their columns"
    assert first.width + left == second.width


@pytest.mark.parametrize("layout", ["steps", "line"])
def test_digits_of_a_font_stand_on_a_panel(layout: Layout) -> None:
    board = fit_panel(32, 24)
    assert (board.width, board.height) == (31, 24)
    tasks = make_clock_tasks(0, 1440, layout=layout, board=board, hours=12, font="builtin")
    assert {task.picture.height for task in tasks} == {14 if layout == "steps" else 7}
    # A minute later nothing but the last digit is different, in the same columns.
    cells = [set(shift(task)) for task in tasks[590:592]]
    changed = cells[0] ^ cells[1]
    assert changed
    assert max(x for x, _ in changed) - min(x for x, _ in changed) < 5


def test_the_seconds_stand_still_on_a_narrow_board() -> None:
    tasks = make_second_tasks()
    assert [task.name for task in tasks] == [f"{second:02}" for second in range(60)]
    assert {(task.board.width, task.board.height) for task in tasks} == {(9, 16)}
    assert len({frozenset(shift(task)) for task in tasks}) == 60
    changed = set(shift(tasks[20])) ^ set(shift(tasks[21]))
    assert min(x for x, _ in changed) > 4, "the tens stay"


def shift(task: Task) -> list[tuple[int, int]]:
    return [(x + task.column, y) for x, y in task.picture.cells()]
