"""Lessons of Jstris and maps of TETR.IO, read as those programs describe their formats."""

import re
from pathlib import Path

import py_fumen_py
import pytest

from tests.oracles.dealt_game import check_order
from tetrisprinter.api.prints import save_plan
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import format_map, parse_map, read_pieces
from tetrisprinter.formats.fumen import format_lesson
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.task import Task

EMPTY = "_" * 400


@pytest.fixture(scope="module")
def plan() -> Plan:
    """A game of dealt pieces that uses the hold."""
    task = Task.of(Picture.parse("..rr......\n..rr......\nrrr.rr.rrr"), pieces=QueueRules(seed=5))
    plan = make_plan(task, run=Limit(effort=0.2)).plan
    assert plan.queue is not None
    assert any(turn.swapped for turn in plan.queue.trace_turns(plan.list_types()))
    return plan


def list_placements(lesson: str) -> list[tuple[str, set[tuple[int, int]]]]:
    """Return the pieces that the lesson asks for, by its block queue (H: press hold), and where."""
    pages = py_fumen_py.decode(lesson)
    blocks = ""
    for page in pages:
        quiz = re.fullmatch(r"#Q=\[([TIOSZJL]?)\]\(([TIOSZJL])\)([TIOSZJL]*);?.*", page.comment)
        assert quiz, page.comment
        held, current, following = quiz.groups()
        if page.operation.mino.name != current:
            blocks += "H" + current + ("" if held else following[0])
        else:
            blocks += current
    names, held = [], ""
    while blocks:
        if blocks[0] == "H":
            held, blocks = blocks[1], held + blocks[2:]
            if not blocks:
                break
        names.append(blocks[0])
        blocks = blocks[1:]
    return [
        (name, {(x, y) for x, y in page.operation.shape()})
        for name, page in zip(names, pages, strict=True)
    ]


def test_each_page_of_a_lesson_is_a_piece_to_place(plan: Plan, tmp_path: Path) -> None:
    save_plan(plan, tmp_path / "heart.lesson")
    placed = list_placements((tmp_path / "heart.lesson").read_text().strip())
    assert [name for name, _ in placed] == [piece.name for piece in plan.list_types()]
    assert all(max(y for _, y in cells) < 20 for _, cells in placed)


def test_a_map_is_the_queue_of_a_game_and_is_read_back(plan: Plan, tmp_path: Path) -> None:
    save_plan(plan, tmp_path / "game.tetrio")
    text = (tmp_path / "game.tetrio").read_text()
    cells, queue, *hold = text.strip().split("?")  # as the description of the format says
    assert cells == EMPTY
    assert not any(hold)
    check_order(queue.upper(), True, "".join(piece.name for piece in plan.list_types()))
    assert plan.queue is not None
    assert read_pieces(text).queue == plan.queue.pieces


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("board 9x20\n\nAAAA.....\n", "a fumen has 10"),
        ("board 10x20 start=J.........\n\n.AAAA.....\n", "a lesson begins with none"),
        ("board 10x22\n\n" + "\n\n".join(["A.........\n" * 4] * 5 + [".AAAA....."])
         + "\n\nAAAA......", "comes to rest above row 20, where the board of a lesson ends"),
    ],
)  # fmt: skip
def test_what_no_lesson_can_ask_for_is_refused(text: str, said: str) -> None:
    with pytest.raises(JobError, match=said):
        format_lesson(Plan.parse(text))


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


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("board 10x20 I=00f0f0", "has no piece queue"),
        ("board 12x20 I=00f0f0 queue=I hold", r"the board is 12x20; a TETR\.IO map has 10x40"),
    ],
)
def test_a_game_that_is_no_map(header: str, said: str) -> None:
    row = "AAAA".ljust(int(header[6:8]), ".")
    with pytest.raises(JobError, match=said):
        format_map(Plan.parse(f"{header}\n\n{row}"))
