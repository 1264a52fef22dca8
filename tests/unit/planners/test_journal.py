"""The rows that a print has finished, read back after whatever ended it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.strategies import PALETTE
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.printing.task import Task

TASK = Task.of(Picture.parse("r.b.r\nrbbbr\nrrrrr\n.rbr.", "face"))
EMPTY = Plan((), (), 9, 14)


def passes(*columns: int) -> tuple[Pass, ...]:
    return tuple(Pass(4, (Placement(ORIENTATIONS[0], x, 0),)) for x in columns)


def test_what_was_told_is_read(tmp_path: Path) -> None:
    journal = RowsJournal.of(TASK, tmp_path / "plan.txt")
    assert journal.gather_rows() is None
    keep = journal.make_writer()
    for number in (1, 2, 3):
        keep(replace(EMPTY, passes=passes(*range(number))), number)
        assert journal.gather_rows() == replace(EMPTY, passes=passes(*range(number)))
    # Passes that were taken back are gone, and so are those after them.
    keep(replace(EMPTY, passes=passes(0, 5)), 3)
    assert journal.gather_rows() == replace(EMPTY, passes=passes(0, 5))
    journal.clear()
    assert journal.gather_rows() is None
    assert not list(tmp_path.iterdir())


def test_a_line_that_was_torn_costs_its_row_and_no_more(tmp_path: Path) -> None:
    journal = RowsJournal.of(TASK, tmp_path / "plan.txt")
    keep = journal.make_writer()
    for number in (1, 2):
        keep(replace(EMPTY, passes=passes(*range(number))), number)
    (file,) = journal.folder.iterdir()
    whole = file.read_text()
    for length in range(len(whole.splitlines()[0]) + 1, len(whole) - 2):
        file.write_text(whole[:length])
        assert journal.gather_rows() == replace(EMPTY, passes=passes(0))


def test_segments_that_follow_one_another_are_one_plan(tmp_path: Path) -> None:
    journal = RowsJournal.of(TASK, tmp_path / "plan.txt")
    journal.make_writer(2)(replace(EMPTY, passes=passes(3)), 4)
    assert journal.gather_rows() is None  # nothing below it
    journal.make_writer(0)(replace(EMPTY, passes=passes(1)), 1)
    assert journal.gather_rows() == replace(EMPTY, passes=passes(1))
    journal.make_writer(0)(replace(EMPTY, passes=passes(1, 2)), 2)
    assert journal.gather_rows() == replace(EMPTY, passes=passes(1, 2, 3))
    assert journal.count_segments() == 2


def test_the_rows_of_something_else_are_refused(tmp_path: Path) -> None:
    RowsJournal.of(TASK, tmp_path / "plan.txt").make_writer()(replace(EMPTY, passes=passes(1)), 1)
    for other in (
        replace(TASK, column=1),
        replace(TASK, background=PALETTE[1]),
        Task.of(TASK.picture, "13x20"),
        Task.of(TASK.picture, types="classic"),
        Task.of(Picture.parse("r.b.r\nrbbbr\nrrrrr\n.rrr.", "face")),
    ):
        with pytest.raises(InputError, match=r"plan\.txt\.rows: rows of another picture"):
            RowsJournal.of(other, tmp_path / "plan.txt").gather_rows()


def test_every_row_is_put_down(tmp_path: Path) -> None:
    task = TASK
    journal = RowsJournal.of(task, tmp_path / "plan.txt")
    told: list[tuple[Plan, Plan | None]] = []

    def keep(plan: Plan) -> None:
        told.append((plan, journal.gather_rows()))

    result = make_plan(task, "rows", Run(Limit(), keep=keep, journal=journal))
    seen = [there for plan, there in told if plan == there]
    # A pass may print two rows.
    assert TASK.picture.height / 2 <= len(seen) <= TASK.picture.height
    assert [len(plan) for plan in seen] == sorted({len(plan) for plan in seen})
    assert result.plan == seen[-1]
