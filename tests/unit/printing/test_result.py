"""Results: their figures, their bounds, and what counts as the picture."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tetrisprinter.errors import InputError, InternalError
from tetrisprinter.game.field import Board, Playfield
from tetrisprinter.game.pieces import PieceType
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


def test_what_no_task_can_be_asked_for() -> None:
    with pytest.raises(InputError, match="invalid background 'white'"):
        Task.of(PICTURE, background="white")
    with pytest.raises(InputError, match="is empty"):
        Task.of(Picture(((None,),)))


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


def test_a_bound_and_a_plan_are_for_the_board_of_the_task() -> None:
    assert result().raise_bound(DropBound(0, Board(4, 6))).bound == 1, "the lower one is ignored"
    with pytest.raises(InternalError, match="a bound for the board 5x6 is used on 4x6"):
        result().raise_bound(DropBound(1, Board(5, 6)))
    with pytest.raises(InternalError, match=r"1 drop on 4x6, but no game .* of 5x6"):
        replace(result(), drop_bound=DropBound(1, Board(5, 6)))
    with pytest.raises(InternalError, match=r"1 drop on 4x6, but no game .* has fewer than 2"):
        result().raise_bound(DropBound(2, Board(4, 6)))
    with pytest.raises(InputError, match="plan is for the board 4x7; the task needs 4x6"):
        PrintResult.of(TASK, replace(PLAN, height=7), "by hand")


def test_a_claim_names_its_board_unless_it_holds_on_all() -> None:
    assert result().claim == "proved: no game of hard drops on any board has fewer"
    bar = f"board 4x6 O={RED}\n\nAA..\nAA..\n\n..AA\n..AA\n\n.AA.\n.AA.\n"
    printed = PrintResult.of(TASK, Plan.parse(bar), "by hand")
    assert printed.claim == "no game of hard drops on this board of 4x6 has fewer than 1"
    proved = printed.raise_bound(DropBound(3, Board(4, 6)))
    assert proved.claim == "proved: no game of hard drops on this board of 4x6 has fewer"


def test_an_unknown_file_type_is_refused_with_all_that_it_saves_itself_as(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown file type '\.bmp'; use one of \.png .*\.txt"):
        result().save(tmp_path / "a.bmp")
    assert not (tmp_path / "a.bmp").exists()


GREY = "808080"
J, L, T = PieceType.J, PieceType.L, PieceType.T
COLORS = {J: RED, L: GREY}

# (what lies there, what is asked) and whether that is right without a background and with GREY.
CASES = {
    (0, None): (True, True),
    (0, RED): (False, False),
    (0, GREY): (False, True),
    (J, None): (False, False),
    (J, RED): (True, True),
    (J, GREY): (False, False),
    (L, None): (False, True),
    (L, RED): (False, False),
    (L, GREY): (True, True),
    (T, None): (False, False),  # a type without a colour may never stay
    (T, RED): (False, False),
    (T, GREY): (False, False),
}


@given(st.lists(st.sampled_from(sorted(CASES, key=str)), min_size=3, max_size=3), st.booleans())
def test_each_square_is_judged_for_itself(
    squares: list[tuple[int, str | None]], is_grey: bool
) -> None:
    field = Playfield.from_rows(5, 2, [[0, *(value for value, _ in squares), 0]])
    assume(any(color is not None for _, color in squares))
    picture = Picture((tuple(color for _, color in squares),))
    wrong = [(x, 0) for x, case in enumerate(squares, 1) if not CASES[case][is_grey]]
    task = Task.of(picture, (5, 2), background=GREY if is_grey else None, column=1)
    assert find_differences(task, field, COLORS) == wrong


def test_beside_and_above_the_picture_is_as_where_it_is_transparent() -> None:
    field = Playfield.from_rows(4, 3, [[J, L, 0, 0], [0, T, L, 0]])
    picture = Picture(((RED,),))
    wrong = {None: [(1, 0), (1, 1), (2, 1)], GREY: [(1, 1)], RED: [(1, 0), (1, 1), (2, 1)]}
    for background, cells in wrong.items():
        task = Task.of(picture, (4, 3), background=background, column=0)
        assert find_differences(task, field, COLORS) == cells
