"""The bot, played by a front end that shares no code with the package."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.oracles.tbp_front_end import Game
from tests.support.images import draw_rows
from tests.support.processes import make_command
from tetrisprinter.cli.bot import command

Cells = tuple[tuple[int, int], ...]
CROSS = ["....##....", ".########.", ".########.", "....##....", "....##...."]
CELLS = {(x, len(CROSS) - 1 - y) for y, r in enumerate(CROSS) for x, c in enumerate(r) if c == "#"}


@pytest.fixture(scope="module")
def cross(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cross") / "cross.png"
    draw_rows(CROSS, {"#": "d03020"}).save(path)
    return path


@contextmanager
def begin_game(cross: Path, seed: int, *words: str, lies: Cells = ()) -> Iterator[Game]:
    """Begin a game of a front end and a bot, and end it."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(make_command("bot", cross, *words), **pipes, text=True) as process:  # type: ignore[call-overload]
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
    with begin_game(cross, seed, lies=lies) as game:
        while game.step():
            assert game.played < most


@pytest.mark.slow
def test_a_long_game_ends_in_the_picture(cross: Path) -> None:
    with begin_game(cross, 5, "--endless") as game:
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


def list_answers(cross: Path, *heard: bytes | Mapping[str, object]) -> list[dict[str, Any]]:
    """Return what the bot answers in the same process: starting one for each takes a second."""
    text = b"\n".join(m if isinstance(m, bytes) else json.dumps(m).encode() for m in heard)
    done = CliRunner().invoke(command, [str(cross)], input=text + b"\n")
    assert done.exception is None, done.exception
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


BEGUN = {**START, "board": [square(5, 6)]}
ASK = {"type": "suggest"}


@pytest.fixture(scope="module")
def suggestion(cross: Path) -> dict[str, Any]:
    """The answer where nothing odd was said; the board has squares already."""
    [answer] = list_answers(cross, BEGUN, ASK)
    assert len(answer["moves"]) == 1
    return answer


NO_JSON = "invalid message; expected a JSON object with a type"
HERE = "play: the location {'type': 'I', 'orientation': 'north', 'x': "


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        ((b"\xff\xfe",), NO_JSON),
        ((b"[" * 100_000,), NO_JSON),
        (({"type": []},), NO_JSON),
        ((ASK,), "suggest: no game was started"),
        (({"type": "new_piece", "piece": "T"},), "new_piece: no game was started"),
        ((location(),), "play: no game was started"),
        (({**START, "board": None},), "start: invalid board; expected a list of rows"),
        (({**START, "board": [[None] * 9]},), "start: invalid board; expected a list of rows"),
        (({**START, "board": [square(*range(10))]},), "start: row 0 of the board is full"),
        (({**START, "board": [square(x % 9) for x in range(22)]},),
         "start: the field has squares above row 20"),
        (({**START, "board": [square(3)]},),
         "start: the board has 1 squares and the picture 22; on 10 columns every game changes"),
        (({**START, "hold": ["T"]},), "start: invalid piece ['T']"),
        (({**START, "queue": "IOT"},), "start: no queue; expected a list of pieces"),
        (({**START, "queue": [{}]},), "start: invalid piece {}"),
        ((BEGUN, {"type": "new_piece", "piece": []}), "new_piece: invalid piece []"),
        ((BEGUN, {"type": "play", "move": "I"}), "play: no location"),
        ((BEGUN, location(orientation=[])), "play: invalid location {'type': 'I', 'orientation'"),
        ((BEGUN, location(x=True)), "play: invalid location {'type': 'I', 'orientation'"),
        ((BEGUN, location(y=10**30)), f"{HERE}1, 'y': 1000"),
        ((BEGUN, location(x=9)), f"{HERE}9, 'y': 0}} is outside"),
        ((BEGUN, location(type="Z")), "a Z was played, but it is not in the queue"),
        ((BEGUN, location(x=4)), "the I was played on squares that are taken"),
        ((BEGUN, location(y=3)), "the I was played without support"),
    ],
)  # fmt: skip
def test_odd_messages_are_answered_by_one_sentence_and_the_game_goes_on(
    cross: Path, suggestion: dict[str, Any], heard: tuple[Any, ...], answer: str
) -> None:
    start = () if heard[0] is BEGUN else (BEGUN,)
    error, *after = list_answers(cross, *heard, *start, ASK)
    assert error["type"] == "error"
    assert error["reason"].startswith(answer)
    assert after == [suggestion]


@pytest.mark.parametrize(("queue", "hold"), [("", None), ("", "T"), ("S", None)])
def test_it_plays_no_piece_that_has_not_come(cross: Path, queue: str, hold: str | None) -> None:
    start = {**START, "queue": list(queue), "hold": hold}
    [answer] = list_answers(cross, {"type": "unknown"}, start, ASK)
    if not queue and not hold:
        assert answer == {
            "type": "error",
            "reason": "suggest: the queue is empty; send new_piece first",
        }
    else:
        [move] = answer["moves"]
        assert move["location"]["type"] == (queue or hold)
