"""Maps of TETR.IO, read by a decoder that follows the description of the format alone."""

from pathlib import Path

import pytest

from tests.oracles.dealt_game import check_order
from tetrisprinter.api.prints import save_plan
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import format_map, parse_map, read_pieces
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.task import Task

EMPTY = "_" * 400


def decoded(text: str) -> tuple[list[str], str, str]:
    """Return the forty rows from the top, the queue and the hold, as the description says."""
    cells, *rest = text.strip().split("?")
    assert len(cells) == 400
    assert set(cells) <= set("_zlosijt#@")
    queue, hold = [*rest, "", ""][:2]
    return [cells[i : i + 10] for i in range(0, 400, 10)], queue.upper(), hold.upper()


def test_a_print_is_written_as_its_queue_and_read_back(tmp_path: Path) -> None:
    task = Task.of(Picture.parse("..rr......\n..rr......"), pieces=QueueRules(seed=5))
    plan = make_plan(task, run=Limit(effort=0.2)).plan
    path = tmp_path / "game.tetrio"
    save_plan(plan, path)
    rows, queue, hold = decoded(path.read_text())
    assert rows == ["_" * 10] * 40
    assert not hold
    check_order(queue, True, "".join(piece.name for piece in plan.list_types()))
    assert plan.queue is not None
    assert read_pieces(path.read_text()).queue == plan.queue.pieces


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("_" * 399 + "?tio", "not a TETR.IO map"),
        (EMPTY + "?tiox", "not a TETR.IO map"),
        ("_" * 398 + "z@?tio", "2 squares on the field"),
        (EMPTY, "no queue; expected pieces"),
        (EMPTY + "?", "no queue; expected pieces"),
        (EMPTY + "?tio?z", "a piece in hold"),
    ],
)
def test_a_map_that_deals_nothing_for_a_print_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_map(text)


def test_a_game_of_pieces_at_will_is_no_map() -> None:
    with pytest.raises(JobError, match="has no piece queue"):
        format_map(Plan.parse("board 10x20 I=00f0f0\n\nAAAA......"))
    with pytest.raises(JobError, match=r"the board is 12x20; a TETR\.IO map has 10x40"):
        format_map(Plan.parse("board 12x20 I=00f0f0 queue=I hold\n\nAAAA........"))
