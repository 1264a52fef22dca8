"""What lies on the board when a game begins: read, written, refused."""

import json
from pathlib import Path

import pytest

from tests.oracles.game import replay
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import FORMATS, read_game, write_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through

TEXT = """\
board 10x8 J=ff0000 O=00ff00 background=000000 start=J........./JJJ.....JJ stops=1,2

...AABBBB.
...AA.....
"""


def test_a_plan_with_a_start_is_written_as_it_was_read() -> None:
    plan = Plan.parse(TEXT)
    assert str(plan) == TEXT
    assert plan.start == (bytes([2, 2, 2, 0, 0, 0, 0, 0, 2, 2]), bytes([2] + [0] * 9))
    assert plan.stops == (1, 2)


def test_the_classic_header_says_a_start_too() -> None:
    header = "ff8000 ffffff 0000ff start=" + "." * 20 + "J"
    assert Plan.parse(header + "\n").header == header


def test_the_game_goes_on_from_the_start() -> None:
    plan = Plan.parse(TEXT)
    assert str(play_through(plan).field).split()[-2:] == ["J..OOIIII.", "JJJOO...JJ"]


@pytest.mark.parametrize("name", ["plan.txt", "plan.fumen", "plan.drops.json"])
def test_formats_keep_start_and_stops(name: str, tmp_path: Path) -> None:
    plan = Plan.parse(TEXT)
    write_game(plan, tmp_path / name)
    again = read_game(tmp_path / name)
    assert (again.start, again.stops, again.background) == (plan.start, (1, 2), "000000")
    assert play_through(again).field.rows == play_through(plan).field.rows


def test_the_log_is_played_by_an_independent_simulator() -> None:
    plan = Plan.parse(TEXT)
    log = json.loads(json.dumps(make_drop_log(plan, play_through(plan))))
    assert log["start"] == ["J.........", "JJJ.....JJ"]
    left = replay(log)
    assert left[0, 1] == "J"
    assert left[3, 0] == "O"
    assert left[5, 1] == "I"
    assert len(left) == 14


def test_an_art_file_begins_with_an_empty_board() -> None:
    with pytest.raises(JobError, match="begins with squares on the board"):
        FORMATS["art"].format(Plan.parse(TEXT))


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("board 4x8 start=JJJJ", "is full"),
        ("board 4x8 start=J.../..../J...", "empty below a square"),
        ("board 4x8 start=J./J", "do not fit on 4x8"),
        ("board 4x1 start=J.../J...", "do not fit on 4x1"),
        ("board 4x8 start=X...", "expected I J L O S T Z"),
        ("board 4x8 stops=4,4", "increasing"),
        ("board 4x8 J=ff0000 stops=9\n\nAAA.\nA...", "a stop after drop 9; the plan has 1"),
    ],
)
def test_what_no_game_leaves_is_refused(header: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Plan.parse(header + "\n")
