"""QueueRules pieces that a player steers by today's rules, judged by a simulator of these rules."""

import json
import random

import pytest

from tests.oracles.dealt_game import judge_steered
from tests.oracles.srs_game import Board
from tests.support.planned import make_target_for
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import FORMATS
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.game.srs import play_by_guideline
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.planners.dealt.beam import SPAWN_ROOM, Beam, beam_search, make_empty_state
from tetrisprinter.printing.task import Task

VISIBLE = 20
QUICK = Limit(effort=0.3)
CROSS = """
....rr....
....rr....
.rrrrrrrr.
.rrrrrrrr.
....rr....
....rr....
....rr....
....rr...."""


def brute_force(width: int, queue: str) -> dict[frozenset[tuple[int, int]], int]:
    """Everything that a player can leave with some of the pieces in turn, and in how many drops."""
    fewest: dict[frozenset[tuple[int, int]], int] = {}
    fields = {frozenset[tuple[int, int]]()}
    for drops, piece in enumerate(queue, 1):
        following = set()
        for field in fields:
            for _, locked in Board(field, width, VISIBLE).presses(piece):
                board = Board(field, width, VISIBLE)
                board.lock(locked)
                following.add(frozenset(board.filled))
        for field in following:
            fewest.setdefault(field, drops)
        fields = following
    return fewest


@pytest.mark.slow
@pytest.mark.parametrize("queue", ["TLZ", "IOT"])
def test_a_wide_enough_beam_finds_all_that_can_be_steered(queue: str) -> None:
    width = 4
    fewest = {field: drops for field, drops in brute_force(width, queue).items() if field}
    pieces = [PieceType[letter] for letter in queue]
    for field in random.Random(1).sample(sorted(fewest, key=sorted), 20):
        target = make_target_for(width, field, VISIBLE - SPAWN_ROOM, hold=False, steered=True)
        way = beam_search(target, pieces, make_empty_state(), Beam(3000, len(queue)))
        assert way is not None, sorted(field)
        assert way.is_done, sorted(field)
        assert len(way.moves) == fewest[field]


@pytest.fixture(scope="module")
def cross() -> Plan:
    task = Task.of(Picture.parse(CROSS), pieces=QueueRules(seed=0, steered=True))
    result = make_plan(task, "dealt", Limit())
    log = json.loads(json.dumps(result.log()))
    assert judge_steered(log).keys() == task.wanted.cells().keys()
    assert result.plan.slides
    return result.plan


def test_the_keys_of_a_slide_lead_there(cross: Plan) -> None:
    board = Board((), 10, VISIBLE)
    for moved in play_by_guideline(cross):
        locked = board.play(moved.drop.landing.orientation.piece.name, moved.keys)
        assert locked == set(moved.drop.landing.cells)
        board.lock(locked)


@pytest.mark.parametrize("form", ["text", "fumen", "drop_log"])
def test_a_slide_is_written_and_read(cross: Plan, form: str) -> None:
    again = FORMATS[form].parse(FORMATS[form].format(cross))
    assert again.slides == cross.slides
    before, after = play_through(cross), play_through(again)
    assert make_drop_log(cross, before)["drops"] == make_drop_log(again, after)["drops"]


def test_an_art_file_has_no_slides(cross: Plan) -> None:
    with pytest.raises(
        JobError, match="pieces are tucked under other squares; in the art game pieces only fall"
    ):
        FORMATS["art"].format(cross)


def test_a_picture_too_high_to_be_steered_is_refused() -> None:
    task = Task.of(Picture.parse("\n".join(["r.r"] * 18)), pieces=QueueRules(steered=True))
    with pytest.raises(InputError, match="has 18 rows, but with steered pieces on 10x20 only 17"):
        make_plan(task, "dealt", QUICK)
