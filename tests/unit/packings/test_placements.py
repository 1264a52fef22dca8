import pytest

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.packings.model import (
    build_packing,
    index_by_cell,
    list_candidates,
    solve_trivial,
)
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingError,
    PackingProblem,
    list_platform_problems,
    make_emitter_problem,
)


def test_arithmetic_and_full_matrices_are_settled_without_a_search() -> None:
    assert isinstance(solve_trivial(make_emitter_problem(20, 3, [4])), Infeasible)
    full = make_emitter_problem(21, 1, range(0, 21, 3))
    assert solve_trivial(full) == Packing(full, ())
    assert solve_trivial(make_emitter_problem(21, 3, [4])) is None


def test_a_last_piece_below_others_is_settled() -> None:
    (bar,) = (o for o in list_orientations(PieceType.I) if o.height == 1)
    assert isinstance(solve_trivial(PackingProblem(4, 2, last=Placement(bar, 0, 0))), Infeasible)


def test_candidates_stay_clear_of_presets_and_of_the_last_piece() -> None:
    for problem in list_platform_problems(21, 4):
        assert problem.last is not None
        taken = {*problem.presets[0]}
        for candidate in list_candidates(problem):
            assert not taken & {*candidate.cells}
            if candidate.placement != problem.last:
                assert not {*problem.last.cells} & {*candidate.cells}
        assert problem.last in {c.placement for c in list_candidates(problem)}


def test_only_allowed_orientations() -> None:
    problem = PackingProblem(8, 3, orientations=ORIENTATIONS[:2])
    assert {c.placement.orientation for c in list_candidates(problem)} <= {*ORIENTATIONS[:2]}


def test_covering_lists_exactly_the_coverers() -> None:
    listed = list_candidates(make_emitter_problem(7, 3, [2]))
    cover = index_by_cell(listed)
    assert sum(map(len, cover.values())) == 4 * len(listed)
    assert all(cell in listed[i].cells for cell, those in cover.items() for i in those)


def test_levels_make_an_order_and_wrong_ones_are_noticed() -> None:
    drawing = "DDCIIIHHHHGJJ\nDCCBBIEEFFGGJ\nDCBBAAAEEFFGJ\n"
    packing = Packing.parse(drawing, 1)
    packing.check()
    level = {}
    heights = list(packing.problem.start)
    for piece in packing.pieces:
        for dx, top in enumerate(piece.orientation.top):
            heights[piece.x + dx] = piece.y + top
        level[piece] = min(heights)
    again = build_packing(packing.problem, reversed(level.items()))
    assert {*again.pieces} == {*packing.pieces}
    with pytest.raises(PackingError, match=r"not held|leaves a gap"):
        build_packing(packing.problem, ((p, 3 - k) for p, k in level.items()))
