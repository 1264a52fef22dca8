"""Bounds are about hard drops: a piece that slides under an overhang can save some."""

from tests.oracles.srs_game import Board
from tests.oracles.truth import NAMES, find_fewest_drops
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Task

PICTURE = Picture.parse("rr..\nr.r.\nr.r.\n..rr")
WIDTH, HEIGHT = 4, 8

SLIDING = (
    ("ccw", "right", "right", "drop"),
    ("drop",),
    ("cw", "left", "drop"),
    ("ccw", "right", "right", "hold down", "left", "drop"),  # under the third one's overhang
)
"""Four J, with the keys that a player by the guideline presses."""


def test_a_slide_prints_a_picture_of_the_docs_in_fewer_drops_than_the_bound() -> None:
    squares = set(PICTURE.cells())
    board = Board((), WIDTH, HEIGHT)
    for keys in SLIDING:
        board.lock(board.play("J", keys))
    assert board.filled == squares

    types = dict.fromkeys(PieceType, PICTURE.colors()[0])
    bound = prove_bound(Task.of(PICTURE, (WIDTH, HEIGHT), types).target)
    truth = find_fewest_drops(WIDTH, HEIGHT, dict.fromkeys(squares, 0), dict.fromkeys(NAMES, 0))
    assert len(SLIDING) < bound.after == truth.drops == 5
    assert bound.game_step is not None


def test_without_the_slide_the_last_piece_rests_elsewhere() -> None:
    board = Board((), WIDTH, HEIGHT)
    for keys in SLIDING:
        straight = [key for key in keys if key != "hold down"]
        board.lock(board.play("J", straight))
    assert board.filled != set(PICTURE.cells())
