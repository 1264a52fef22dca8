"""The bot, played by a front end that shares no code with the package."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.oracles.tbp_front_end import Game
from tests.support.images import draw_rows
from tetrisprinter.cli.bot import command

Cells = tuple[tuple[int, int], ...]
CROSS = ["....##....", ".########.", ".########.", "....##....", "....##...."]
CELLS = {(x, len(CROSS) - 1 - y) for y, r in enumerate(CROSS) for x, c in enumerate(r) if c == "#"}


@pytest.fixture(scope="module")
def cross(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cross") / "cross.png"
    draw_rows(CROSS, {"#": "d03020"}).save(path)
    return path


def bot(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tetrisprinter", "bot", *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def begun_game(cross: Path, seed: int, *words: str, lies: Cells = ()) -> Iterator[Game]:
    """Begin a game of a front end and a bot, and end it."""
    with bot(cross, *words) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        game = Game(seed, process.stdin, process.stdout)
        game.field = dict.fromkeys(lies, "T")
        game.start()
        yield game
        game.tell({"type": "quit"})
        assert process.wait(100) == 0
    assert game.field.keys() == CELLS


LYING = ((0, 0), (1, 0), (5, 0), (9, 0))


@pytest.mark.parametrize(
    ("seed", "lies", "most"), [(3, (), 150), pytest.param(7, LYING, 250, marks=pytest.mark.slow)]
)
def test_a_game_ends_in_the_picture(cross: Path, seed: int, lies: Cells, most: int) -> None:
    """Squares that lie there are cleared first."""
    with begun_game(cross, seed, lies=lies) as game:
        while game.step():
            assert game.played < most


@pytest.mark.slow
def test_a_long_game_ends_in_the_picture(cross: Path) -> None:
    with begun_game(cross, 5, "--endless") as game:
        while game.played < 60 or game.field.keys() != CELLS:
            assert game.step()
            assert game.played < 300
    assert sum(message["type"] == "play" for _, message in game.record) == game.played


def square(*filled: int) -> list[str | None]:
    return ["G" if x in filled else None for x in range(10)]


START = {"type": "start", "hold": None, "queue": list("IOTLJS"), "board": []}


def location(**other: object) -> dict[str, object]:
    where = {"type": "I", "orientation": "north", "x": 1, "y": 0, **other}
    return {"type": "play", "move": {"location": where, "spin": "none"}}


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        (b"\xff\xfe", "invalid message; expected a JSON object with a type"),
        (b"[" * 100_000, "invalid message; expected a JSON object with a type"),
        ({"type": []}, "invalid message; expected a JSON object with a type"),
        ({"type": "suggest"}, "suggest: no game was started"),
        ({"type": "new_piece", "piece": "T"}, "new_piece: no game was started"),
        (location(), "play: no game was started"),
        ({**START, "board": None}, "start: invalid board; expected a list of rows"),
        ({**START, "board": [[None] * 9]}, "start: invalid board; expected a list of rows"),
        ({**START, "board": [square(*range(10))]}, "start: row 0 of the board is full"),
        ({**START, "board": [square(x % 9) for x in range(22)]},
         "start: the field has squares above row 20"),
        ({**START, "board": [square(3)]},
         "start: the board has 1 squares and the picture 22; on 10 columns every game changes"),
        ({**START, "hold": ["T"]}, "start: invalid piece ['T']"),
        ({**START, "queue": "IOT"}, "start: no queue; expected a list of pieces"),
        ({**START, "queue": [{}]}, "start: invalid piece {}"),
    ],
)  # fmt: skip
def test_odd_messages_are_answered_by_one_sentence(
    cross: Path, heard: bytes | dict[str, object], answer: str
) -> None:
    [error] = list_answers(cross, heard)
    assert error["type"] == "error"
    assert error["reason"].startswith(answer)


def list_answers(cross: Path, *heard: bytes | Mapping[str, object]) -> list[dict[str, Any]]:
    """Return what the bot answers in the same process: starting one for each takes a second."""
    text = b"\n".join(m if isinstance(m, bytes) else json.dumps(m).encode() for m in heard)
    done = CliRunner().invoke(command, [str(cross)], input=text + b"\n")
    assert done.exception is None, done.exception
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


BEGUN = {**START, "board": [square(5, 6)]}


@pytest.fixture(scope="module")
def suggestion(cross: Path) -> dict[str, Any]:
    """The answer where nothing odd was said."""
    [answer] = list_answers(cross, BEGUN, {"type": "suggest"})
    assert len(answer["moves"]) == 1
    return answer


@pytest.mark.parametrize(
    ("odd", "answer"),
    [
        ({"type": "new_piece", "piece": []}, "new_piece: invalid piece []"),
        ({"type": "play", "move": "I"}, "play: no location"),
        (location(orientation=[]), "play: invalid location {'type': 'I', 'orientation': []"),
        (
            location(x=True),
            "play: invalid location {'type': 'I', 'orientation': 'north', 'x': True",
        ),
        (
            location(y=10**30),
            "play: the location {'type': 'I', 'orientation': 'north', 'x': 1, 'y': 1000",
        ),
        (
            location(x=9),
            "play: the location {'type': 'I', 'orientation': 'north', 'x': 9, 'y': 0} is outside",
        ),
        (location(type="Z"), "a Z was played, but it is not in the queue"),
        (location(x=4), "the I was played on squares that are taken"),
        (location(y=3), "the I was played without support"),
    ],
)  # fmt: skip
def test_a_game_goes_on_after_what_nobody_can_play(
    cross: Path, suggestion: dict[str, Any], odd: dict[str, object], answer: str
) -> None:
    """The board has squares already, and the answer is the same as if nothing had been said."""
    error, *after = list_answers(cross, BEGUN, odd, {"type": "suggest"})
    assert error["type"] == "error"
    assert error["reason"].startswith(answer)
    assert after == [suggestion]


@pytest.mark.parametrize(("queue", "hold"), [("", None), ("", "T"), ("S", None)])
def test_it_plays_no_piece_that_has_not_come(cross: Path, queue: str, hold: str | None) -> None:
    start = {**START, "queue": list(queue), "hold": hold}
    [answer] = list_answers(cross, {"type": "unknown"}, start, {"type": "suggest"})
    if not queue and not hold:
        assert answer == {
            "type": "error",
            "reason": "suggest: the queue is empty; send new_piece first",
        }
    else:
        [move] = answer["moves"]
        assert move["location"]["type"] == (queue or hold)
