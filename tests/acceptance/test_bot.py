"""The bot, played by a front end that shares no code with the package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.oracles.tbp_front_end import Game

CROSS = ["....##....", ".########.", ".########.", "....##....", "....##...."]
CELLS = {(x, len(CROSS) - 1 - y) for y, r in enumerate(CROSS) for x, c in enumerate(r) if c == "#"}


@pytest.fixture
def cross(tmp_path: Path) -> Path:
    image = Image.new("RGBA", (10, len(CROSS)))
    for x, y in CELLS:
        image.putpixel((x, len(CROSS) - 1 - y), (208, 48, 32, 255))
    image.save(tmp_path / "cross.png")
    return tmp_path / "cross.png"


def bot(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tetrisprinter", "bot", *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_game_ends_in_the_picture(cross: Path) -> None:
    with bot(cross) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        game = Game(3, process.stdin, process.stdout)
        game.start()
        while game.step():
            assert game.played < 150
        game.tell({"type": "quit"})
        assert process.wait(20) == 0
    assert game.field.keys() == CELLS


@pytest.mark.slow
def test_two_hundred_pieces_and_more_end_in_the_picture(cross: Path) -> None:
    with bot(cross, "--endless") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        game = Game(5, process.stdin, process.stdout)
        game.start()
        while game.played < 200 or game.field.keys() != CELLS:
            assert game.step()
            assert game.played < 400
        game.tell({"type": "quit"})
    assert game.field.keys() == CELLS
    assert sum(message["type"] == "play" for _, message in game.record) == game.played


def test_whatever_it_hears_it_answers(cross: Path) -> None:
    start = {"type": "start", "hold": "T", "queue": list("IOTLJS"), "board": []}
    other = {"location": {"type": "T", "orientation": "east", "x": 0, "y": 1}, "spin": "none"}
    heard = [
        "what?",
        {"type": "suggest"},
        {"type": "rules", "randomizer": "seven_bag"},
        {"type": "nobody knows this"},
        {"type": "start"},
        start,
        {"type": "play", "move": {"location": {"type": "Z", "orientation": "up", "x": 0, "y": 0}}},
        {"type": "play", "move": other},  # not what was suggested: the game goes on from there
        {"type": "new_piece", "piece": "Z"},
        {"type": "suggest"},
        {"type": "quit"},
    ]
    lines = [line if isinstance(line, str) else json.dumps(line) for line in heard]
    with bot(cross) as process:
        out, error = process.communicate("\n".join(lines) + "\n", timeout=60)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["type"] for answer in answers] == [
        *("info", "error", "error", "ready", "error", "error", "suggestion"),
    ]
    assert len(answers[-1]["moves"]) == 1
    assert "Traceback" not in error
