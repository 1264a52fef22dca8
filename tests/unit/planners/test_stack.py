"""Games in the rows of their stacks: positions, times and numbers of cleared rows."""

import random
from collections import Counter

import pytest

from tests.oracles.slices import random_game
from tests.support.stacks import describe_stack, list_drops, play_upward_games
from tetrisprinter.bounds.stacks import CLEARING
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.planners.formula import StackedGame, stack_game
from tetrisprinter.printing.task import Target


def test_the_rows_that_clear_are_counted_by_slots_and_no_two_pieces_share_a_square() -> None:
    for played in play_upward_games(3, 20):
        target, counts, _ = describe_stack(played, 99)
        game = stack_game(list_drops(played), target)
        assert game is not None
        assert game.lines == sum(counts)
        for row in range(target.rows):
            assert game.count_lines_within(row, row + 1) == counts[row] + counts[row + 1]
        assert game.count_lines_within(0, target.rows) == game.lines
        assert game.height == target.rows
        assert game.reaches(target.rows - 1)
        assert not game.reaches(target.rows)
        assert len(game.pieces) == len(played.drops)
        cells = [cell for piece in game.pieces for cell in piece.cells]
        assert len(set(cells)) == len(cells) == 4 * len(game.pieces)
        assert {v for _, v in cells} <= set(range(len(game.rows)))
        assert [piece.level for piece in game.pieces] == sorted(p.level for p in game.pieces)


def test_rows_and_levels_of_a_small_game() -> None:
    """An upright I fills a row of three squares; another one lands on what it left."""
    upright = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)
    square = next(o for o in ORIENTATIONS if o.piece is PieceType.O)
    target = Target(5, 12, ((0,) * 5,) * 4, frozenset())
    game = stack_game([(flat, 0), (upright, 4), (square, 0)], target)
    assert game is not None
    assert game.rows == (CLEARING, 0, 1, 2, 3)
    assert [piece.level for piece in game.pieces] == [0, 1, 1]
    assert {v for _, v in game.pieces[2].cells} == {1, 2}, "the floor is row 1 of the stack now"
    assert {v for _, v in game.pieces[1].cells} == {0, 1, 2, 3}


def test_only_games_whose_rows_clear_from_below_have_a_stack() -> None:
    """The formula says that lower rows clear before higher ones, or with them."""
    pick, seen = random.Random(5), Counter[bool]()
    while seen[False] < 5:
        played = random_game(pick, pick.randint(4, 6), 3)
        if played is None or not played.filled:
            continue
        cleared = [row for drop in played.drops for row in drop.cleared]
        is_upward = cleared == sorted(cleared)
        target, _, _ = describe_stack(played, 99)
        assert (stack_game(list_drops(played), target) is not None) == is_upward
        seen[is_upward] += 1
    assert seen[True]


@pytest.mark.parametrize("row", [0, 3])
def test_a_game_without_pieces_reaches_no_row(row: int) -> None:
    game = StackedGame(tuple(range(5)))
    assert (game.height, game.lines) == (0, 0)
    assert not game.reaches(row)
