"""What a square may hold, how it can still be reached, and which type gets which colour."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.cpsat.model import solve
from tetrisprinter.planners.cpsat.problem import PassProblem
from tetrisprinter.planners.cpsat.reach import ways_to_reach
from tetrisprinter.planners.passes.shape import PassShape
from tetrisprinter.planners.shortest.assignments import assignments_near
from tetrisprinter.printing.target import Target, colored, make_open_target, make_target

A, B, C, D = "d02030", "3060c0", "f0c040", "30a050"


def picture(drawing: str) -> Picture:
    colors = {"a": A, "b": B, "c": C, "d": D, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(drawing.split())))


def only(piece: PieceType, drawing: str) -> Target:
    return make_target(picture(drawing), {piece: A}, 8, 16, 0)


def test_a_hanging_piece_reaches_as_deep_as_it_is_long() -> None:
    column = "a......\na......\na......\na......"
    ways = dict(ways_to_reach(only(PieceType.I, column), 0, 0))
    assert ways[1] == {(0, 0)}
    assert ways[3] == {(0, 0), (0, 1), (0, 2)}
    assert ways[4] == {(0, y) for y in range(4)}  # lying wholly in the picture
    assert max(base for base, _ in ways_to_reach(only(PieceType.J, column), 0, 0)) == 2


def test_a_square_under_one_that_stays_empty_is_reached_from_the_next_row_only() -> None:
    target = only(PieceType.J, ".aaaaaaa\n.aaaaaaa\na.......")
    assert [base for base, _ in ways_to_reach(target, 0, 0)] == [1]
    assert ways_to_reach(only(PieceType.O, "aa......\na......."), 0, 0) == ()


def test_a_band_does_not_leave_a_square_out_of_reach() -> None:
    # One drop prints the row of four and buries nothing, but the square on the left is then
    # below a row that has been begun, under a square that stays empty.
    target = make_target(
        picture(".aaaa...\n.bbbb...\nbbbbb..."), {PieceType.I: A, PieceType.J: B}, 8, 16, 0
    )
    start = frozenset((x, 0) for x in range(1, 5)) | {(x, 1) for x in range(1, 5)}
    goal = start | {(x, 2) for x in range(1, 5)}
    lying = (PassShape(3, 3),)
    assert solve(PassProblem(target, lying, start, goal)).passes is None
    not_due = replace(target, required=goal)
    assert solve(PassProblem(not_due, lying, start, goal)).passes is not None


def test_a_colour_with_odd_runs_is_not_left_to_o() -> None:
    target = make_open_target(picture("aa.bb.cc\naa.bb.cc\na..b..c."), 8, 16, 0)
    for assignment in islice(assignments_near(target, (), 0), 3):
        for shade in (1, 2, 3):
            assert {piece for piece, its in assignment if its == shade} - {PieceType.O}


def test_assignments_differ_and_the_coloured_target_follows_them() -> None:
    target = make_open_target(picture("aab.ccd.\naab.ccd."), 8, 16, 0)
    found = list(islice(assignments_near(target, (), 0), 3))
    assert len(set(found)) == len(found) == 3
    for assignment in found:
        fixed = colored(target, assignment)
        assert fixed.shades is None
        assert colored(fixed, ()) is fixed
        for y, row in enumerate(target.shades or ()):
            for x, shade in enumerate(row):
                types = {piece for piece, its in assignment if shade and its == shade}
                assert {p for p in PieceType if fixed.may_hold(x, y, p)} == types
