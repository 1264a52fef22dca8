"""What a square may hold, and which type gets which colour."""

from __future__ import annotations

from itertools import islice

from tests.support.assignments import assignments_near
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.target import assign_shades, make_open_target

A, B, C, D = "d02030", "3060c0", "f0c040", "30a050"


def picture(drawing: str) -> Picture:
    colors = {"a": A, "b": B, "c": C, "d": D, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(drawing.split())))


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
        fixed = assign_shades(target, assignment)
        assert fixed.shades is None
        assert assign_shades(fixed, ()) is fixed
        for y, row in enumerate(target.shades or ()):
            for x, shade in enumerate(row):
                types = {piece for piece, its in assignment if shade and its == shade}
                assert {p for p in PieceType if fixed.may_hold(x, y, p)} == types
