import pytest

from tetrisprinter.game.pieces import PieceType, Placement, list_orientations
from tetrisprinter.packings.finders import CPSAT, SAT, CpSat
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    list_platform_problems,
    make_emitter_problem,
)
from tetrisprinter.support.options import Limit


def is_skew(piece: Placement) -> bool:
    return piece.orientation.piece in {PieceType.S, PieceType.Z}


def test_platforms_stand_on_even_columns_only() -> None:
    for column in (4, 5):
        results = [CPSAT.find(problem) for problem in list_platform_problems(21, column)]
        assert any(isinstance(result, Packing) for result in results) == (column == 4)


def test_the_cheapest_packing_is_found() -> None:
    problem = make_emitter_problem(13, 3, [8])
    cheapest = CpSat(cost=is_skew).find(problem)
    assert isinstance(cheapest, Packing)
    costs = [sum(map(is_skew, packing.pieces)) for packing in SAT.find_all(problem)]
    assert sum(map(is_skew, cheapest.pieces)) == min(costs) < max(costs)


@pytest.mark.slow
def test_same_seed_same_packing() -> None:
    problem = make_emitter_problem(21, 4, [0, 5, 9, 16])
    assert CPSAT.find(problem, Limit(seed=3)) == CPSAT.find(problem, Limit(seed=3))
    assert len({str(CPSAT.find(problem, Limit(seed=seed))) for seed in range(3)}) > 1


def test_a_last_piece_that_nothing_holds() -> None:
    bar = next(o for o in list_orientations(PieceType.I) if o.height == 4)
    assert isinstance(CPSAT.find(PackingProblem(4, 4, last=Placement(bar, 0, 0))), Infeasible)


@pytest.mark.slow
def test_more_pieces_than_ascii_has_letters() -> None:
    packing = CPSAT.find(make_emitter_problem(21, 15, [6]), Limit(100))
    assert isinstance(packing, Packing)
    assert len(packing.pieces) == 78
    assert Packing.parse(str(packing), 1) == packing
