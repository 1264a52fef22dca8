import re
from dataclasses import replace
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.strategies import PALETTE, sprites
from tetrisprinter.cli.options import format_error
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import Board, Playfield, can_leave
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import Change, find_obstacle, repair_task
from tetrisprinter.printing.task import Task, choose_board, find_smallest_width
from tetrisprinter.printing.types import (
    TypeColors,
    TypesOption,
    assign_types_with_i_and_o,
    find_odd_runs,
)

A, B = "d02030", "3060c0"


def of_rows(*drawing: str) -> Picture:
    colors = {".": None, "a": A, "b": B}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(drawing)), "p.png")


def repair(
    picture: Picture, width: int, types: TypesOption = "auto", unseen: bool = False
) -> tuple[Picture, tuple[Change, ...]]:
    background = "808080" if unseen else None
    return repair_task(Task(picture, Board(width, 99), 0, types, background))


@given(st.integers(1, 12), st.lists(st.integers(0, 10**6), max_size=60))
def test_no_game_leaves_a_number_that_the_arithmetic_forbids(
    width: int, choices: list[int]
) -> None:
    field = Playfield(width, 400)
    moves = [(o, x) for o in ORIENTATIONS for x in range(width - o.width + 1)]
    for choice in choices:
        field.drop(*moves[choice % len(moves)])
        assert can_leave(width, sum(map(bool, b"".join(field.rows))))


@settings(max_examples=30, deadline=None)
@given(sprites(max_width=70))
def test_the_chosen_board_forbids_nothing(sprite: Picture) -> None:
    width, height = choose_board(sprite)
    assert width % 4 == 1
    assert width - sprite.width >= 4
    assert find_obstacle(Task.of(sprite, (width, height))) is None


@settings(deadline=None)
@given(sprites(max_width=14), st.integers(0, 4))
def test_the_smallest_width_is_where_the_refusals_end(sprite: Picture, more: int) -> None:
    least = find_smallest_width(sprite)
    found = find_obstacle(Task.of(sprite, (least, 99)))
    assert found is None or found.theorem == "cut"  # which is no matter of the width alone
    for width in range(max(1, least - 5), least):
        assert find_obstacle(Task.of(sprite, (width, 99))) is not None


@pytest.mark.parametrize(
    ("picture", "board", "message"),
    [
        (of_rows("aab"), (2, 9), "3x1 squares does not fit .* smallest board for it is 5x1, .*"
         "auto takes 9x11"),
        (of_rows("aab", "aab"), (9, 1), "does not fit"),
        (of_rows("a", ".", "a"), (9, 9), "row 1 from the top .*'gap row'.*leaving --exact out"),
        (of_rows("a..", "aab", "a.."), (3, 9), "row 1 from the top .* fills the whole width of 3"),
        (of_rows("a.", "aa"), (10, 9), "3 squares, but .* 10 columns leaves an even number .*"
         "the nearest numbers are 2 and 4, or use a board of 11 columns; .* fill column 1, row 0"),
        (of_rows("aab"), (12, 9), "multiple of four .* nearest numbers are 0 and 4"),
    ],
)  # fmt: skip
def test_refusals_name_the_theorem_and_the_remedy(
    picture: Picture, board: tuple[int, int], message: str
) -> None:
    found = find_obstacle(Task.of(picture, board))
    assert found is not None
    assert re.search(message, format_error(found.error("p.png")))
    assert str(found.error("p.png")) == f"p.png: {found}"
    assert isinstance(found.error("p.png"), JobError if found.theorem else InputError)
    assert "--" not in str(found)
    assert set(found.cells) <= {(x, y) for x in range(-20, 20) for y in range(picture.height)}


@settings(deadline=None)
@given(sprites(max_width=12, max_height=12, max_colors=7), st.integers(0, 6), st.booleans())
def test_a_repaired_picture_is_free_of_every_obstacle(
    sprite: Picture, more: int, with_gaps: bool
) -> None:
    if with_gaps:
        rows = [row if y % 3 != 1 else (None,) * sprite.width for y, row in enumerate(sprite.rows)]
        sprite = Picture(tuple(rows)).trim()
    width = max(3, sprite.width + more)
    types = assign_types_with_i_and_o(sprite) if len(sprite.colors()) >= 6 else {}
    how: TypesOption = TypeColors.of(types) if types else "auto"
    better, changes = repair(sprite, width, how)
    assert all(any(row) for row in better.rows)
    squares = len(better.cells())
    assert squares % gcd(width, 4) == 0
    assert all(len(row) < width or None in row for row in better.rows)
    for piece, color in types.items():
        if piece is PieceType.O:
            assert find_odd_runs(better.rows, color) == []
    if better.width == sprite.width and better.height == sprite.height:
        assert len(dict(better.cells().items() ^ sprite.cells().items())) == len(
            {(c.x, c.y) for c in changes}
        )
    if changes == ():
        assert better == sprite
    again, nothing = repair(better, width, how)
    assert (again, nothing) == (better, ())


def test_what_unseen_squares_make_good_needs_no_repair() -> None:
    def forbidden(picture: Picture, width: int, *, unseen: bool) -> str | None:
        found = find_obstacle(
            Task.of(picture, (width, 22), background="808080" if unseen else None)
        )
        return None if found is None else found.theorem

    for picture, width in ((of_rows("a", ".", "a"), 21), (of_rows("aab"), 10)):
        assert forbidden(picture, width, unseen=False)
        assert not forbidden(picture, width, unseen=True)
        assert repair(picture, width)[1]
        assert repair(picture, width, unseen=True) == (picture, ())
    better, changes = repair(of_rows("aab"), 3, unseen=True)
    assert len(changes) == 1
    assert forbidden(of_rows("aab"), 3, unseen=True) == "full row"
    assert not forbidden(better, 3, unseen=True)


def test_the_smallest_remedies() -> None:
    better, changes = repair(of_rows("a", ".", "a"), 21)
    assert better == of_rows("a", "a", "a")
    assert [str(c) for c in changes] == [
        f"column 0, row 1: empty -> {A} (the row was empty below squares)"
    ]
    better, changes = repair(of_rows("a.", "ab"), 10)
    assert better == of_rows("ab", "ab")
    # Multiples of four: two more are as near as two less, of nine one goes.
    better, changes = repair(of_rows("aa...", "abab.", ".aaaa"), 12)
    assert better == of_rows("aa...", "abab.", "...aa")
    assert [(c.x, c.y, c.before, c.after) for c in changes] == [(1, 2, A, None), (2, 2, A, None)]
    better, changes = repair(of_rows("aa..", "abab", ".aaa"), 12)
    assert better == of_rows("aa..", "abab", "..aa")
    assert [(c.x, c.y, c.before, c.after) for c in changes] == [(1, 2, A, None)]
    better, _ = repair(of_rows("abb", "aaa"), 3)
    assert better == of_rows(".bb", ".aa")
    better, _ = repair(of_rows("bbba"), 21, TypeColors.of({PieceType.O: B, PieceType.J: A}))
    assert better == of_rows("bbaa")


def test_a_repair_changes_neither_a_notch_nor_an_eye() -> None:
    heart = ".aaa.aaa.", "aaaaaaaaa", ".aaaaaaa.", "..aaaaa..", "...aaa...", "....a...."
    face = ".aaaaaa.", "aaaaaaaa", "aa.aa.aa", "aaaaaaaa", "aaaaaaaa", ".aaaaa..", "..aaaa.."
    beak = "..aaaa.", "..abaa.", ".baaaa.", "..aaaa.", "aaaaaa.", "aaaaaaa", "aaaaa.."
    for rows, kept in (
        (heart, {(4, 0): None}),
        (face, {(2, 2): None, (5, 2): None}),
        (beak, {(3, 1): B, (1, 2): B}),
    ):
        picture = of_rows(*rows)
        assert len(picture.cells()) % 2 == 1
        repaired, (change,) = repair(picture, 10)
        assert len(repaired.cells()) % 2 == 0
        assert (change.x, change.y) not in kept
    middle = of_rows(".aaa.", "aaaaa", "aaaaa", "aaaaa", ".aaa.", "a...a")
    assert [change.x for change in repair(middle, 10)[1]] == [2]


def test_rare_types_go_where_they_do_least_harm() -> None:
    rows = [[c, c, c, c] for c in PALETTE]
    rows[2] = [PALETTE[2], PALETTE[2], PALETTE[3], PALETTE[2]]
    picture = Picture(tuple(map(tuple, rows)))
    types = assign_types_with_i_and_o(picture)
    assert sorted(types) == sorted(PieceType)
    assert set(types.values()) == set(PALETTE)
    assert types[PieceType.O] not in PALETTE[2:4]
    six = assign_types_with_i_and_o(Picture(tuple(map(tuple, rows[:6]))))
    assert PieceType.O not in six
    assert set(six.values()) == set(PALETTE[:6])
    assert len(assign_types_with_i_and_o(Picture(((A, B),)))) == 2


@pytest.mark.parametrize("types", ["O=d03020", "O=d03020,J=3060c0"])
def test_a_repair_never_empties_a_picture(types: str) -> None:
    """The last square that only O could show stays, and the picture is refused for it."""
    picture = Picture.parse("r.r", r="d03020")
    task = Task.of(picture, "9x12", types, background="3060c0")
    repaired, changes = repair_task(task)
    assert len(changes) == 1
    assert len(repaired.cells()) == 1
    obstacle = find_obstacle(replace(task, picture=repaired))
    assert obstacle is not None
    assert "O alone" in str(obstacle)
