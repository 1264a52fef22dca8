from dataclasses import replace
from pathlib import Path

import pytest

from tetrisprinter.errors import InputError, InternalError
from tetrisprinter.game.field import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import DropBound, PrintResult, Proof, find_differences
from tetrisprinter.printing.task import Task

RED, WHITE = "d03020", "f5f5f5"
PICTURE = Picture.parse("rr\nrr", "square")
PLAN = Plan.parse(f"board 4x6 O={RED}\n\n.AA.\n.AA.\n")
TASK = Task.of(PICTURE, "4x6", dict(PLAN.colors))


def result() -> PrintResult:
    return PrintResult.of(TASK, PLAN, "by hand", 0.5)


def test_a_result_knows_its_figures() -> None:
    found = result()
    assert (found.drops, found.lines, found.pixels, found.stack) == (1, 0, 4, 2)
    assert (found.bound, found.proof, found.cells_per_pixel) == (1, Proof.ALL_GAMES, 1.0)
    assert found.shown.rows == PICTURE.rows
    assert str(found) == (
        "square: 4 squares on 4x6 by by hand: 1 drop, 0 lines "
        "(proved: no game of hard drops on any board has fewer)"
    )
    assert repr(found) == f"<PrintResult {found}>"


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        (f"O={RED}\n\nAA..\nAA..", {(0, 0), (0, 1), (2, 0), (2, 1)}),
        (f"O={WHITE}\n\n.AA.\n.AA.", {(1, 0), (1, 1), (2, 0), (2, 1)}),
        # What has no colour is not nothing: it lies there.
        (f"O={RED}\n\n.AA.\n.AA.\n\nA...\nA...\nA...\nA...", {(0, y) for y in range(4)}),
    ],
)
def test_a_plan_that_leaves_something_else_is_no_result(
    plan: str, wrong: set[tuple[int, int]]
) -> None:
    read = Plan.parse(f"board 4x6 {plan}\n")
    assert set(find_differences(TASK, play_through(read).field, read.color_of)) == wrong
    with pytest.raises(InternalError, match=f"differs from the image in {len(wrong)} squares"):
        PrintResult.of(TASK, read, "by hand")


def test_with_open_types_a_background_may_be_left() -> None:
    plan = Plan.parse(f"board 4x6 O={RED} I={WHITE}\n\n.AA.\n.AA.\n\nA...\nA...\nA...\nA...\n")
    open_types = replace(TASK, background=WHITE, types="auto")
    bound = PrintResult.of(open_types, plan, "by hand")
    assert (bound.bound, bound.proof) == (1, Proof.NONE)


def test_a_bound_is_raised_only_by_a_bound_for_its_board() -> None:
    assert result().raise_bound(DropBound(0, Board(4, 6))).bound == 1, "the lower one is ignored"
    with pytest.raises(InternalError, match="a bound for the board 5x6 is used on 4x6"):
        result().raise_bound(DropBound(1, Board(5, 6)))
    with pytest.raises(InternalError, match=r"1 drop on 4x6, but no game .* of 5x6"):
        replace(result(), drop_bound=DropBound(1, Board(5, 6)))


def test_a_bound_above_the_drops_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match=r"1 drop on 4x6, but no game .* has fewer than 2"):
        result().raise_bound(DropBound(2, Board(4, 6)))


def test_a_claim_names_its_board_unless_it_holds_on_all() -> None:
    assert result().claim == "proved: no game of hard drops on any board has fewer"
    bar = f"board 4x6 O={RED}\n\nAA..\nAA..\n\n..AA\n..AA\n\n.AA.\n.AA.\n"
    printed = PrintResult.of(TASK, Plan.parse(bar), "by hand")
    assert printed.claim == "no game of hard drops on this board of 4x6 has fewer than 1"
    proved = printed.raise_bound(DropBound(3, Board(4, 6)))
    assert proved.claim == "proved: no game of hard drops on this board of 4x6 has fewer"


def test_a_plan_for_another_board_is_not_compared() -> None:
    other = replace(PLAN, height=7)
    with pytest.raises(InputError, match="plan is for the board 4x7; the task needs 4x6"):
        PrintResult.of(TASK, other, "by hand")


def test_an_unknown_file_type_is_refused_with_all_that_it_saves_itself_as(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown file type '\.bmp'; use one of \.png .*\.txt"):
        result().save(tmp_path / "a.bmp")
    assert not (tmp_path / "a.bmp").exists()
