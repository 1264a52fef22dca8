import pytest
from hypothesis import given, settings

from tests.support.strategies import sprites
from tetrisprinter.errors import InputError
from tetrisprinter.game.field import CLASSIC_BOARD, Board
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Task, default_column


@settings(max_examples=30, deadline=None)
@given(sprites(max_width=30, max_colors=7))
def test_a_task_of_any_picture_fits(sprite: Picture) -> None:
    task = Task.of(sprite)
    assert task.fits
    assert task.wanted.trim().cells() == {
        (x + task.column, y): color for (x, y), color in sprite.cells().items()
    }
    assert task.pixels == len(sprite.cells())
    assert task.colors == sprite.colors()
    color = task.colors[0]
    on_it = Task.of(sprite, background=color)
    assert on_it.pixels == task.pixels - list(sprite.cells().values()).count(color)
    assert on_it.colors == task.colors[1:]


def test_what_can_be_asked_for() -> None:
    picture = Picture.parse("....\n.rr.\n....")
    task = Task.of(picture, "21x42", "classic", "#FFFFFF", 5)
    assert (task.board, task.column, task.background) == (CLASSIC_BOARD, 5, "ffffff")
    assert task.picture.height == 1
    assert task.is_classic
    assert not Task.of(picture, Board(21, 41), "classic").is_classic
    assert not Task.of(picture, (21, 42)).is_classic
    assert not Task.of(picture, "3x9").fits
    assert not Task.of(picture, "21x42", column=18).fits
    assert [default_column(w, 21) for w in (1, 17, 18, 21)] == [2, 2, 1, 0]


def test_what_cannot_be_asked_for() -> None:
    with pytest.raises(InputError, match="invalid background 'white'"):
        Task.of(Picture.parse("r"), background="white")
    with pytest.raises(InputError, match="is empty"):
        Task.of(Picture(((None,),)))
