"""From any image to a task, and what is tried when it cannot be done."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.images import photo
from tests.support.strategies import sprites
from tetrisprinter.api.preparing import Prepared, easier, prepared
from tetrisprinter.api.wishes import Wishes, usual_for
from tetrisprinter.errors import Thing
from tetrisprinter.game.board import CLASSIC_BOARD, Board
from tetrisprinter.pictures.convert import USUAL, Conversion
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import source_of
from tetrisprinter.printing.obstacles import obstacle


def of(image: object, wishes: Wishes | None = None) -> Prepared:
    return prepared(source_of(image), wishes or Wishes())


def test_what_the_articles_board_holds_goes_there() -> None:
    found = of(Picture.parse("r.g\nrgg"))
    assert (found.task.board, found.task.types, found.steps) == (CLASSIC_BOARD, "classic", ())
    for picture in ("rgby", "r" * 18, "\n".join("r" * 33)):
        found = of(Picture.parse(picture))
        assert found.task.types == "auto"
        assert found.task.board != CLASSIC_BOARD
        assert [step.thing for step in found.steps] == [Thing.BOARD, Thing.TYPES]
    assert of(Picture.parse("rr"), Wishes(board="auto")).task.types == "auto"
    assert of(Picture.parse("rr"), Wishes(types="classic")).task.board == CLASSIC_BOARD


@settings(deadline=None, max_examples=25)
@given(st.integers(8, 40), st.integers(9, 50), st.sampled_from([None, "classic", "auto"]))
def test_a_photo_fits_whatever_board_is_given(width: int, height: int, types: str | None) -> None:
    board = Board(width, height)
    found = of(photo(60, 45), Wishes(board=board, types=types))  # type: ignore[arg-type]
    assert found.task.fits
    assert len(found.task.colors) <= (3 if types == "classic" else 5)
    why = obstacle(found.task)
    assert why is None or why.theorem == "cut", why


@settings(deadline=None, max_examples=40)
@given(sprites())
def test_a_printable_picture_is_left_alone(sprite: Picture) -> None:
    task = Wishes().task(sprite)
    found = of(sprite)
    assert (found.task == task) == (found.changes == ())
    if obstacle(task) is None:
        assert found.changes == ()
    exact = of(sprite, Wishes(conversion=Conversion(), repairs=False))
    assert exact.task.picture.rows == sprite.trimmed().rows


def test_a_repair_is_told_in_one_line() -> None:
    found = of(Picture.parse("r\n.\nr\n.\nr\n.\nr\n.\nr"))
    (step,) = found.steps
    assert step.thing is Thing.EXACT
    assert str(step).startswith("4 pixels repaired: column 0, row ")
    assert str(step).endswith("; and 1 more")
    assert len(found.changes) == 4


def test_easier_and_easier_until_nothing_is_left() -> None:
    found = of(photo(60, 60))
    tries = list(easier(found))
    assert [said for _, said in tries[:4]] == [
        *("4 colours", "38x38 squares", "3 colours", "30x30 squares"),
    ]
    sizes = []
    for wishes, _ in tries:
        task = of(photo(60, 60), wishes).task
        sizes.append((len(task.colors), task.picture.width))
    assert all(a != b and a[0] >= b[0] and a[1] >= b[1] for a, b in pairwise(sizes))
    assert sizes[-1] == (1, 4) or sizes[-1][1] <= 5
    assert list(easier(of(photo(9, 9), Wishes(conversion=Conversion())))) == []


@pytest.mark.parametrize(
    ("board", "side"), [((10, 22), (9, 12)), ((21, 42), (17, 32)), ((4, 4), (3, 1))]
)
def test_the_room_on_a_board(board: tuple[int, int], side: tuple[int, int]) -> None:
    assert usual_for(Board(*board), None).side == side
    assert usual_for(None, None) is USUAL
