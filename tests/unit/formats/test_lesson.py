"""Lessons, read as the tutor maker of Jstris reads a fumen, by the rules in its source."""

import re
from pathlib import Path

import py_fumen_py
import pytest

from tetrisprinter.api.prints import save_plan
from tetrisprinter.errors import JobError
from tetrisprinter.formats.fumen import format_lesson
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.task import Task


def placed_by(lesson: str) -> list[tuple[str, set[tuple[int, int]]]]:
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


def test_each_page_is_a_piece_to_place(tmp_path: Path) -> None:
    task = Task.of(Picture.parse("..rr......\n..rr......\nrrr.rr.rrr"), pieces=QueueRules(seed=5))
    plan = make_plan(task, run=Limit(effort=0.2)).plan
    path = tmp_path / "heart.lesson"
    save_plan(plan, path)
    assert plan.queue is not None
    assert any(turn.swapped for turn in plan.queue.trace_turns(plan.list_types()))
    placed = placed_by(path.read_text().strip())
    assert [name for name, _ in placed] == [piece.name for piece in plan.list_types()]
    assert all(max(y for _, y in cells) < 20 for _, cells in placed)


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
