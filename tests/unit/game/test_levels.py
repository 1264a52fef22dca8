"""Levels: until when something holds a piece, and the order of the drops."""

from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.game.replay import find_row_under, order_drops
from tetrisprinter.packings.model import list_candidates
from tetrisprinter.packings.problem import PackingProblem


def test_a_latest_level_is_the_highest_at_which_something_holds_a_piece() -> None:
    for squares in (frozenset(), frozenset({2})):
        problem = PackingProblem(6, 4, squares=squares)
        listed = {one.placement: one.latest for one in list_candidates(problem)}
        for o in ORIENTATIONS:
            for x in range(problem.width - o.width + 1):
                for y in range(problem.rows - o.height + 1):
                    own = sum(1 << v for v in range(y, y + o.height))
                    held = [
                        level
                        for level in range(problem.rows + 1)
                        if any(
                            find_row_under(y + foot, ((1 << level) - 1) & ~own) >= 0
                            or x + dx in squares
                            for dx, foot in enumerate(o.bottom)
                        )
                    ]
                    assert listed.get(Placement(o, x, y), -1) == max(held, default=-1)


def test_pieces_of_a_level_come_from_below_and_else_in_their_order() -> None:
    pieces = [[(0, 2), (1, 2)], [(1, 0)], [(0, 0), (0, 1)], [(2, 0)]]
    assert order_drops(pieces, [1, 1, 1, 0]) == [3, 1, 2, 0]
    assert order_drops(pieces, [1, 2, 1, 1]) == [2, 0, 3, 1]
