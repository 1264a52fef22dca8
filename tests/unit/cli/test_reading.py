"""What commands read in place of a plain file: marked encodings, pipes, pasted fumens, maps."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.commands import Draw, Run
from tests.support.games import GREY_WELL
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan

PLAN = "board 4x6 O=ff0000\n\nAA..\nAA..\n"
DROPS = {
    "width": 4,
    "height": 6,
    "colors": {"O": "ff0000"},
    "drops": [{"piece": "O", "cells": [[0, 0], [0, 1], [1, 0], [1, 1]]}],
}
MARKED = {
    "utf-8-sig": "",
    "utf-16": "",
    "utf-16-be": "\ufeff",
    "utf-32": "",
}
"""Python's names of encodings, and the mark that Python does not write itself."""


@pytest.mark.parametrize("encoding", MARKED)
def test_a_text_with_a_byte_order_mark_is_read(run: Run, tmp_path: Path, encoding: str) -> None:
    def write(name: str, text: str) -> None:
        (tmp_path / name).write_bytes((MARKED[encoding] + text).encode(encoding))

    write("plan.txt", PLAN.replace("\n", "\r\n"))
    write("plan", PLAN)
    write("game.json", json.dumps(DROPS))
    write("board.txt", "....\n.##.\n")
    write("dominoes.txt", "##\n")
    for name in ("plan.txt", "plan", "game.json"):
        run(f"convert {name} -o copy.txt")
        assert read_game(tmp_path / "copy.txt") == Plan.parse(PLAN)
    assert "the board has 6" in run("tile board.txt dominoes.txt", code=1).stderr


def test_a_wrong_byte_is_named_with_its_encoding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_bytes(b"\xff\xfea")
    assert (
        "odd.txt: not UTF-16 text (invalid byte at position 2)"
        in run("moves odd.txt", code=2).stderr
    )


Pipe = Callable[[str, bytes], Path]


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    """Make a named pipe through which bytes come once, as through ``<(cat FILE)``."""
    writers: list[threading.Thread] = []

    def make(name: str, data: bytes) -> Path:
        path = tmp_path / name
        os.mkfifo(path)
        writers.append(threading.Thread(target=path.write_bytes, args=(data,), daemon=True))
        writers[-1].start()
        return path

    yield make
    for writer in writers:
        writer.join(10)
        assert not writer.is_alive()


@pytest.mark.parametrize("name", ["pipe", "pipe.png"])
def test_an_image_may_come_through_a_pipe(
    run: Run, draw: Draw, pipe: Pipe, tmp_path: Path, name: str
) -> None:
    image = draw("a.png", "r.r", "rrr").read_bytes()
    for number, command in enumerate(
        (
            "print {} -o x.gif",
            "print {} --preview x.png",
            "print {} --frame all -o x.gif",
            "convert {} -o x.txt",
            "slideshow {} -o x.gif",
            "print a.png --from {} -o x.gif",
        )
    ):
        (tmp_path / f"{number}").mkdir()
        run(command.format(pipe(f"{number}/{name}", image)), "--effort", 0.001)


def test_a_game_may_come_through_a_pipe(run: Run, pipe: Pipe, tmp_path: Path, draw: Draw) -> None:
    draw("a.png", "r.r", "rrr")
    run("moves", pipe("a", PLAN.encode()))
    run("play", pipe("b", PLAN.encode()), "-o", "x.gif")
    run("convert", pipe("c", json.dumps(DROPS).encode()), "-o", "x.txt")
    assert read_game(tmp_path / "x.txt") == Plan.parse(PLAN)
    plan = Plan.parse("board 9x12 J=d03020\n\n.AA......\n.A.......\n.A.......\n")
    run("print a.png --exact --effort 0.001 -o x.gif --from", pipe("d", str(plan).encode()))


def test_a_pipe_without_end_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrisprinter.support.files._LARGEST_PIPE", 1 << 20)
    for command in ("print /dev/zero -o x.gif", "moves /dev/zero"):
        assert "/dev/zero: too long; expected at most 1 MB" in run(command, code=2).stderr
    assert "/dev/null: the file is empty" in run("print /dev/null -o x.gif", code=2).stderr


def test_a_fumen_or_its_address_is_given_in_place_of_a_file(
    run: Run, tmp_path: Path, draw: Draw
) -> None:
    for address in (
        GREY_WELL,
        f"https://knewjade.github.io/fumen-for-mobile/#?d={GREY_WELL.replace('@', '%40')}",
        f"https://fumen.zui.jp/?{GREY_WELL}",
    ):
        assert len(run("moves", address).stdout.splitlines()) == 3
    assert "x.png: 12 squares left by 2 drops" in run("play", address, "-o", "x.png").stdout
    run("convert", address, "-o", "x.txt")
    assert read_game(tmp_path / "x.txt").start
    draw("a.png", "rrr", "rrr")
    run("print a.png --effort 0.001 -o x.gif --from", address)


def test_convert_prints_the_address_of_a_fumen(run: Run, tmp_path: Path) -> None:
    written = run("convert", GREY_WELL, "-o", "-")
    assert written.stdout.startswith("https://fumen.zui.jp/?v115@")
    assert written.stdout.count("\n") == 1
    assert "2 drops" in written.stderr
    run("convert", written.stdout.strip(), "-o", "x.txt")
    assert len(read_game(tmp_path / "x.txt")) == 2
    report = json.loads(run("convert x.txt -o x.fumen --json").stdout)
    assert report["address"] == written.stdout.strip()
    (tmp_path / "four.txt").write_text(PLAN)
    assert "the board has 4 columns" in run("convert four.txt -o -", code=1).stderr


def test_the_keys_of_a_map_come_from_the_plan_beside_it(
    run: Run, draw: Draw, tmp_path: Path
) -> None:
    draw("pair.png", "rr.rr", "rr.rr")
    run("print pair.png --for tetrio --exact --effort 0.1")
    assert '"keys":' in (tmp_path / "pair-print.html").read_text()
    drops = len(read_game(tmp_path / "pair.tetrio"))
    assert len(run("moves pair.tetrio --rules srs").stdout.splitlines()) == drops + 1
    run("print pair.png --exact --effort 0.1 --board 10x20 --plan again.txt --pieces pair.tetrio")
    assert read_game(tmp_path / "again.txt").queue is not None
    (tmp_path / "pair.tetrio.txt").write_text("board 10x20 queue=O\n\nAA........\nAA........\n")
    said = run("moves pair.tetrio", code=2).stderr
    assert "pieces but no drops" in said
    assert "pair.tetrio.txt" in said
