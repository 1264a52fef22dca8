from dataclasses import replace

import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.packings.problem import (
    Packing,
    PackingError,
    PackingProblem,
    make_emitter_problem,
)
from tetrisprinter.packings.tables import look_up_emitters, look_up_platform

PATTERN = look_up_emitters((4,))


def test_text_form_round_trips() -> None:
    for positions in [(0,), (0, 3), (2, 9, 15), (0, 3, 6, 9, 12, 15, 18)]:
        packing = look_up_emitters(positions)
        assert Packing.parse(str(packing), len(positions)) == packing
    platform = look_up_platform(9)
    assert str(platform).count("\n") == 3
    letters = sorted(set(str(platform)) - {"\n"})
    assert len(letters) == 21
    assert platform.pieces[-1].orientation.piece in (PieceType.J, PieceType.L)


def test_the_check_refuses_what_breaks_a_rule() -> None:
    pieces = PATTERN.pieces

    def refused(message: str, *changed: Placement) -> None:
        with pytest.raises(PackingError, match=message):
            replace(PATTERN, pieces=changed).check()

    refused("unfilled", *pieces[:-1])
    refused("covers a filled cell", *pieces, pieces[0])
    refused("gap|held", *reversed(pieces))
    outside = Placement(pieces[0].orientation, 20, pieces[0].y)
    refused("leaves the matrix", outside)
    flat = Placement(list_orientations(PieceType.I)[0], 10, 0)
    refused("no support", flat)


def test_a_square_below_holds_a_column_for_good() -> None:
    flat = list_orientations(PieceType.I)[0]
    row = tuple(Placement(flat, x, 0) for x in (0, 4))
    problem = PackingProblem(8, 1, (), frozenset({1, 6}))
    Packing(problem, row).check()
    with pytest.raises(PackingError, match=r"piece 2 .* no support"):
        Packing(replace(problem, squares=frozenset({1})), row).check()


def test_orientations_that_are_not_allowed_are_refused() -> None:
    allowed = tuple(o for o in ORIENTATIONS if o.piece is not PATTERN.pieces[0].orientation.piece)
    with pytest.raises(PackingError, match="does not allow"):
        replace(PATTERN, problem=replace(PATTERN.problem, orientations=allowed)).check()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PackingProblem(0, 3), "positive size"),
        (lambda: make_emitter_problem(9, 3, [7]), "outside the 9x3"),
        (lambda: make_emitter_problem(9, 3, [0, 2]), "overlap"),
        (lambda: make_emitter_problem(9, 3, [-1]), "outside"),
        (lambda: PackingProblem(9, 3, (((0, 1),),)), "gap in column 0"),
        (lambda: PackingProblem(9, 3, (), frozenset({9})), "outside the matrix"),
        (lambda: make_emitter_problem(3, 2, [0]), "complete a row"),
    ],
)
def test_impossible_problems_are_refused(build: object, message: str) -> None:
    assert callable(build)
    with pytest.raises(InputError, match=message):
        build()
