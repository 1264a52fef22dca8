"""Slideshows: one game through several pictures, judged by an independent simulator."""

import json
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
from tetrisprinter.api.slideshows import (
    SharedSettings,
    Slideshow,
    continue_game,
    make_clock_tasks,
    make_slideshow_tasks,
    open_journal,
    plan_slideshow,
    print_slideshow,
)
from tetrisprinter.errors import InputError, JobError, Setting
from tetrisprinter.formats import read_game
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play, play_through
from tetrisprinter.pictures.clock import draw_clock, parse_minutes
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import ROW_HINT
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

ONE = Limit(workers=1)
FIRST = Picture.parse("r..r\nrrrr\n.rr.", "first", r="ff0000")
SECOND = Picture.parse("b..b\n.bb.\nr.rr", "second", r="ff0000", b="0000ff")


def check(film: Slideshow) -> None:
    """Every picture stands when the plan says so."""
    tasks = [result.task for result in film.results][film.loops :]
    assert len(film.plan.stops) == len(tasks)
    for task, stop in zip(tasks, film.plan.stops, strict=True):
        assert play_first_drops(film.plan, stop) == task.wanted.cells()


def test_each_picture_stands() -> None:
    film = print_slideshow([FIRST, SECOND, FIRST], limit=ONE)
    check(film)
    assert film.plan.start == ()
    assert film.plan.board.width % 2 == 1


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


def interrupted_at(game: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
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
    journal = open_journal(tmp_path / "f.gif.games", tasks)
    asked = interrupted_at(3, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        plan_slideshow(tasks, limit=ONE, journal=journal)
    film = plan_slideshow(tasks, limit=ONE, journal=journal)
    assert asked == ["first", "second", "first", "first"]  # the first two were not asked for again
    check(film)
    other, _ = make_slideshow_tasks([SECOND, FIRST])
    plan_slideshow(other, limit=ONE, journal=open_journal(journal.path, other))
    assert asked[4:] == ["second", "first"]  # another film's games are not believed


def test_the_picture_that_a_film_begins_from_is_kept_too(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt in the second game: --resume does not print the first again, without it does."""
    draw(tmp_path / "a.png", "r..r", "rrrr", ".rr.")
    draw(tmp_path / "b.png", "b..b", ".bb.", "r.rr")
    asked = interrupted_at(2, monkeypatch)
    command = "slideshow b.png --from a.png -o f.txt"
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
        make_slideshow_tasks([Picture.parse("r", "first"), SECOND], SharedSettings("3x13"))
    with pytest.raises(
        InputError, match=r"first \(4x3\), second.* full row.* 4x13.* 9x13 is large"
    ):
        make_slideshow_tasks([FIRST, Picture(FIRST.rows, "second")], SharedSettings("4x13"))
    with pytest.raises(InputError, match="needs two pictures"):
        print_slideshow([FIRST], loop=True)
    tasks, _ = make_slideshow_tasks([FIRST, SECOND], SharedSettings("10x13"))
    with pytest.raises(JobError, match=r"second \(7 squares\).*multiple of 2.*11x13"):
        plan_slideshow([tasks[1]])


def test_over_what_a_game_leaves() -> None:
    first = print_slideshow([FIRST], limit=ONE)
    tasks, _, lies = continue_game(first.plan, [SECOND])
    film = plan_slideshow(tasks, limit=ONE, start=lies)
    check(film)
    assert film.plan.start == lies


@pytest.mark.slow
def test_a_clock_prints_anew_only_what_lies_high() -> None:
    film = plan_slideshow(make_clock_tasks(parse_minutes("09:58"), 3), limit=ONE)
    check(film)
    plan = film.results[1].plan
    field, hours = plan.make_field(), plan.start[:5]
    for _ in play(plan, field):
        assert field.rows[:5] == hours


@pytest.mark.parametrize("time", ["24:00", "9", "09:60", "a:b", "09:5"])
def test_no_time_of_day(time: str) -> None:
    with pytest.raises(InputError, match="invalid time"):
        parse_minutes(time)


def test_every_minute_is_a_picture_of_its_own() -> None:
    for layout in ("steps", "line"):
        drawn = {(str(one), left) for one, left in (
            draw_clock(m, layout=layout) for m in range(1440))}  # fmt: skip
        assert len(drawn) == 1440


def test_the_command_tells_what_was_done_to_each_picture(run: Run, tmp_path: Path) -> None:
    dots = Image.new("RGBA", (8, 8))
    dots.putdata([(30 * (n % 8), 4 * n, 255 - 30 * (n // 8), 255) for n in range(64)])
    dots.save(tmp_path / "many.png")
    draw(tmp_path / "b.png", "b..b", ".bb.", "r.rr")
    done = run("slideshow many.png b.png -o f.txt --board 9x22")
    assert "many.png: 64 colours" in done.stderr


def test_the_command_writes_film_plan_and_report(run: Run, tmp_path: Path) -> None:
    draw(tmp_path / "a.png", "r..", "rrr")
    draw(tmp_path / "b.png", "..b", "bbb")
    done = run("slideshow a.png b.png --loop --json -o f.gif -o f.txt -o f.html")
    report = json.loads(done.stdout)
    plan = read_game(tmp_path / "f.txt")
    assert report["stops"] == list(plan.stops)
    assert report["loops"]
    assert '"stops":[' in (tmp_path / "f.html").read_text()
    assert count_long_frames(tmp_path / "f.gif") == 2


def test_a_roll_of_lines(run: Run, tmp_path: Path) -> None:
    run("text --roll", "A\nB", "-o", "roll.txt")
    assert len(read_game(tmp_path / "roll.txt").stops) == 2


def draw(path: Path, *rows: str) -> Path:
    """Write rows of r, g, b and . as an image."""
    draw_rows(rows, {"r": "ff0000", "g": "00a000", "b": "0000ff"}).save(path)
    return path


@pytest.mark.slow
def test_all_frames_of_an_animated_image_are_played(run: Run, tmp_path: Path) -> None:
    drawn = (("r..r", "rrrr", ".rr."), ("rrrr", ".rr.", ".rr."), ("r..r", "r..r", "rrrr"))
    frames = [Image.open(draw(tmp_path / f"{n}.png", *rows)) for n, rows in enumerate(drawn)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:], disposal=2)
    run("slideshow a.gif -o a.txt")
    plan = read_game(tmp_path / "a.txt")
    assert len(plan.stops) == 3
    for rows, stop in zip(drawn, plan.stops, strict=True):
        assert shift_left(play_first_drops(plan, stop)) == {
            (x, 2 - y): "ff0000"
            for y, row in enumerate(rows)
            for x, ink in enumerate(row)
            if ink == "r"
        }
    said = run("print a.gif -o one.png").stderr
    assert "frame 0 of 3; `slideshow` prints all" in said


@pytest.mark.slow
@pytest.mark.parametrize("begun", ["a.txt", "a.json", "a.png"])
def test_print_begins_with_what_a_file_leaves(run: Run, begun: str, tmp_path: Path) -> None:
    first = draw(tmp_path / "a.png", "r..r", "rrrr", ".rr.")
    draw(tmp_path / "b.png", "b..b", ".bb.", "r.rr")
    if begun != first.name:
        run("print", first, "--board", "21x42", "--plan", begun)
    outputs = "-o b.gif -o b.html --plan b.txt --drops b.drops.json --json"
    done = run(f"print b.png {outputs} --from", begun)
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
    run("print a.png --board 10x12 --plan a.txt")
    for more, code, sentence in (
        ([], 1, "b.png: cannot follow a.txt: has 5 squares, and the board starts with 4"),
        (["--board", "9x12"], 2, "the game sets the board and the types"),
        (["--prove"], 2, "--prove cannot be used with --from"),
        (["--plan", "b.json"], 2, "the art game starts on an empty board"),
    ):
        done = run("print b.png --from a.txt --plan b.txt", *more, code=code)
        assert sentence in done.stderr
        assert not (tmp_path / "b.txt").exists()


FIVE = {
    "heart": (".rr.rr.", "rrrrrrr", "rrrrrrr", ".rrrrr.", "..rrr.."),
    "tree": ("...g...", "..ggg..", ".ggggg.", "ggggggg", "...b...", "...b..."),
    "boat": ("...r....", "...rr...", "...rrr..", "bbbbbbbb", ".bbbbbb."),
    "face": (".gggggg.", "g.gggg.g", "gggggggg", "g.gggg.g", "gg....gg", ".gggggg."),
    "key": ("bbb......", "b.bbbbbbb", "bbb...b.b"),
}


@pytest.mark.skipif(not CLIENTS.is_dir(), reason="the game is not there")
@pytest.mark.parametrize("board", [("--board", "10x22"), ()])
def test_the_art_game_plays_a_film_of_five(
    run: Run, board: tuple[str, ...], tmp_path: Path
) -> None:
    """In the game's own code, on its own board and on the film's: each is seen at its stop."""
    images = [draw(tmp_path / f"{name}.png", *rows) for name, rows in FIVE.items()]
    report = json.loads(run("slideshow", *images, *board, "-o", "film.json", "--json").stdout)
    assert len(report["stops"]) == 5
    seen = play_in_seigot(tmp_path / "film.json")
    width = int(report["board"].split("x")[0])
    for rows, image, stop in zip(FIVE.values(), images, report["stops"], strict=True):
        left, over = seen[stop - 1]
        assert over == 0
        assert left == read_squares(image, (width - len(rows[0])) // 2)
    assert seen[-1] == seen[report["stops"][-1] - 1]


def test_six_colours_over_a_game_stay_six() -> None:
    """They were reduced again, to five that no type of the game has."""
    game = Plan.parse("board 13x20 I=ff0000\n\nAAAA.........\n")
    inks = {letter: 6 * f"{n}" for n, letter in enumerate("abcdef", 1)}
    picture = Picture.parse("aabbccddeeff\naabbccddeeff", "six", **inks)
    tasks, steps, _ = continue_game(game, [picture], SharedSettings(colors=6))
    assert set(tasks[0].picture.colors()) == set(inks.values())
    assert not steps


def test_advice_is_about_what_a_film_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> PrintResult:
        raise JobError("first: row 1 could not be printed", ROW_HINT)

    monkeypatch.setattr("tetrisprinter.api.slideshows.make_plan", fails)
    tasks, _ = make_slideshow_tasks([FIRST, SECOND])
    with pytest.raises(JobError) as caught:
        plan_slideshow(tasks)
    assert {setting for hint in caught.value.hints for setting in hint.settings} == {
        Setting.BOARD,
        Setting.COLORS,
    }


def test_where_nothing_goes_on_from_a_picture_the_whole_board_is_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "tetrisprinter.planners.rows.from_board._list_clearings", lambda *_: iter(())
    )
    film = plan_slideshow(make_slideshow_tasks([FIRST, SECOND])[0], limit=ONE)
    check(film)
    assert film.results[1].fallbacks == (("the whole board cleared first", 1),)


def test_classic_types_are_the_three_of_the_article() -> None:
    shared = SharedSettings(types="classic", colors=3)
    tasks, _ = make_slideshow_tasks([Picture.parse("rg\nrb"), Picture.parse("bb")], shared)
    for task in [*tasks, *make_clock_tasks(0, 1, types="classic")]:
        assert task.type_colors is not None
        assert set(task.type_colors) == {PieceType.J, PieceType.T, PieceType.L}
    with pytest.raises(InputError, match="4 colours are more than the three of the classic types"):
        make_slideshow_tasks([Picture.parse("rgbk")], replace(shared, colors=4))
