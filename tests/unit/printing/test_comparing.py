"""What counts as the picture: a rule for each square, told once more by cases."""

from hypothesis import assume, given
from hypothesis import strategies as st

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import find_differences
from tetrisprinter.printing.task import Task

RED, GREY = "ff0000", "808080"
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
