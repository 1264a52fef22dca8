"""The first game is written at once; games are remembered; one line tells how far a search is."""

import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tetrisprinter as tp
from tests.support.commands import EXAMPLES, Draw, Run
from tests.support.processes import WatchedCommand, make_command
from tests.support.stopping import find_damage
from tetrisprinter.api import prints
from tetrisprinter.api.cache import CACHE_VARIABLE
from tetrisprinter.api.preparation import PreparedTask
from tetrisprinter.errors import JobError
from tetrisprinter.printing.result import PrintResult

GLYPH = EXAMPLES / "glyph.png"
SEARCHING = "; searching for a shorter game"


@pytest.fixture(scope="module")
def games() -> list[PrintResult]:
    """Games of the glyph, each shorter than the one before."""
    found = list(tp.print_steps(GLYPH, limit=tp.Limit(workers=1, effort=0.1)))
    return [game for k, game in enumerate(found) if k == 0 or game.drops < found[k - 1].drops]


Look = Callable[[PrintResult], None]


@pytest.fixture
def search(games: list[PrintResult], monkeypatch: pytest.MonkeyPatch) -> Callable[[Look], None]:
    """Replace the search: it finds the games at once, and calls a function after each of them."""

    def replace_search(look: Look) -> None:
        def find_plans(_task: PreparedTask, *_: object) -> Iterator[PrintResult]:
            for game in (*games, games[-1]):
                yield game
                look(game)

        monkeypatch.setattr(prints, "find_plans", find_plans)
        # On a busy machine any job is a long one.
        monkeypatch.setattr(prints, "_LONG_JOB_SECONDS", 10**9)

    return replace_search


def test_the_first_game_is_written_at_once_and_the_best_one_in_the_end(
    run: Run, tmp_path: Path, games: list[PrintResult], search: Callable[[Look], None]
) -> None:
    assert len(games) > 1
    found: list[int] = []

    def look(game: PrintResult) -> None:
        found.append(len(tp.read_plan(tmp_path / "g.txt")))
        assert find_damage(tmp_path / "g.gif") == ""
        assert len(json.loads((tmp_path / "g.drops.json").read_text())["drops"]) == found[-1]
        assert len(list(tmp_path.iterdir())) == 3  # nothing half written beside them

    search(look)
    done = run("print", GLYPH, "-o", "g.gif", "--plan", "g.txt", "--plan", "g.drops.json", "--json")
    assert found[0] == games[0].drops
    assert len(tp.read_plan(tmp_path / "g.txt")) == games[-1].drops
    assert json.loads(done.stdout)["drops"] == games[-1].drops
    first, *others = done.stderr.splitlines()
    assert first.startswith(f"g.gif, g.txt, g.drops.json: {games[0].drops} pieces{SEARCHING}")
    assert first.endswith("Ctrl-C keeps the best")
    assert not [line for line in others if SEARCHING in line]
    games[-1].save(tmp_path / "expected.gif", title="glyph")
    assert (tmp_path / "g.gif").read_bytes() == (tmp_path / "expected.gif").read_bytes()


def test_standard_output_and_pipes_get_one_game(
    run: Run, tmp_path: Path, games: list[PrintResult], search: Callable[[Look], None]
) -> None:
    search(lambda _: None)
    pipe, received = tmp_path / "pipe.gif", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    done = run("print", GLYPH, "-o", pipe, "-o", "g.gif")
    reader.join(60)
    assert received == [(tmp_path / "g.gif").read_bytes()]
    assert f"g.gif: {games[0].drops} pieces{SEARCHING}" in done.stderr
    command = make_command("print", GLYPH, "-o", "-", "--effort", 0.001)
    alone = subprocess.run(command, capture_output=True, check=True)
    assert alone.stdout.count(b"GIF89a") == 1


def test_several_images_are_written_when_they_are_done(
    run: Run, tmp_path: Path, games: list[PrintResult], search: Callable[[Look], None]
) -> None:
    (tmp_path / "b.png").write_bytes(GLYPH.read_bytes())
    seen: list[int] = []
    search(lambda _: seen.append(len(list(tmp_path.glob("*.txt")))))
    done = run("print", GLYPH, "b.png", "-o", "x.png", "--plan", "x.txt")
    assert seen == [0] * (len(games) + 1) + [1] * (len(games) + 1)
    assert SEARCHING not in done.stderr


def test_what_draws_slowly_is_drawn_once(
    run: Run,
    tmp_path: Path,
    games: list[PrintResult],
    search: Callable[[Look], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A short time limit leaves no time to draw a game that is not the last."""
    monkeypatch.setattr("tetrisprinter.cli.files._MEASURED_SECONDS", 0.0)
    drawn: list[bool] = []
    search(lambda _: drawn.append((tmp_path / "g.gif").exists()))
    done = run("print", GLYPH, "-o", "g.gif", "--time-limit", 0.02)
    assert not any(drawn)
    assert f"{GLYPH}: {games[0].drops} pieces so far{SEARCHING}" in done.stderr
    assert find_damage(tmp_path / "g.gif") == ""
    assert [path.name for path in tmp_path.iterdir()] == ["g.gif"]


def test_an_error_after_the_first_game_keeps_its_file(
    run: Run, tmp_path: Path, search: Callable[[Look], None]
) -> None:
    def break_search(_: PrintResult) -> None:
        raise JobError("glyph: the search broke")

    search(break_search)
    done = run("print", GLYPH, "-o", "g.gif", code=1)
    assert "the search broke" in done.stderr
    assert "tried again" not in done.stderr
    assert find_damage(tmp_path / "g.gif") == ""


# ---- Remembered games.
@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache") / "games"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


def test_another_format_of_a_picture_needs_no_search(
    run: Run, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prints, "_LONG_JOB_SECONDS", 0)
    command = ("print", GLYPH, "--effort", 0.001, "-o")
    done = run(*command, "a.png", "--json")
    first = json.loads(done.stdout)
    assert (first["remembered"], len(list(cache.iterdir()))) == ("no", 1)
    assert "a long job" in done.stderr
    other = run(*command, "b.png", "--no-cache", "--json").stdout
    assert json.loads(other)["remembered"] == "no"
    monkeypatch.setattr(prints, "_find_new_plans", lambda *_: pytest.fail("searched"))
    again = run(*command, "a.gif", "--json")
    second = json.loads(again.stdout)
    assert second["remembered"] == "all"
    assert SEARCHING not in again.stderr
    assert "a long job" not in again.stderr
    for figure in ("drops", "bound", "proof", "lines", "conversion", "made_by", "planner"):
        assert second.get(figure) == first.get(figure), figure
    assert "; a remembered game)" in run(*command, "a.html", "-v").stdout


SMALL = "rr.\n.r."
"""A drawing whose search takes a moment."""


def test_the_library_remembers_only_when_asked(cache: Path, tmp_path: Path) -> None:
    tp.print_picture(SMALL, effort=0.1)
    assert not cache.exists()
    tp.print_picture(SMALL, effort=0.1, cache=tmp_path / "mine")
    assert not cache.exists()
    assert tp.print_picture(SMALL, effort=0.1, cache=tmp_path / "mine").remembered == "all"
    assert tp.print_picture(SMALL, effort=0.1, cache=True).remembered == "no"
    assert tp.print_picture(SMALL, effort=0.1, cache=True).remembered == "all"


# ---- The progress line.
def test_a_terminal_gets_one_line_and_notes_above_it(tmp_path: Path) -> None:
    name = "a-name-that-is-rather-long.gif"
    command = ("print", GLYPH, "-o", name, "--board", "9x20", "--effort", 0.1)
    with WatchedCommand(tmp_path, *command) as printing:
        assert printing.wait_for_end() == 0
        shown = re.split(r"[\r\n]+", printing.text.replace("\x1b[2K", ""))
    progress = [line for line in shown if line.startswith("glyph.png: ")]
    assert progress, shown
    assert max(map(len, progress)) <= 60
    assert [line.split(":")[0] for line in shown if SEARCHING in line] == [name]


def test_a_large_print_says_that_it_can_take_minutes(
    run: Run, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a small picture with a name of more than sixty columns in all.png"
    draw(name, "rr.", ".r.")
    monkeypatch.setattr(prints, "_LONG_JOB_SECONDS", 10**9)
    sentence = f"{name}: 2x2 squares; this can take minutes"
    assert sentence not in run("print", name, "-o", "a.png", "--effort", 0.1).stderr
    monkeypatch.setattr("tetrisprinter.api.prints._MANY_SQUARES", 0.1)
    first, *_ = run("print", name, "-o", "a.png", "--effort", 0.1).stderr.splitlines()
    assert first == sentence
    assert sentence not in run("print", name, "-o", "a.png", "--time-limit", 0.5).stderr
