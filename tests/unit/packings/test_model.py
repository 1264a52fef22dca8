"""Candidates, levels and the clauses of the model."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from tests.oracles.brute_packing import Brute
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.packings.finders import SAT
from tetrisprinter.packings.model import (
    PackingModel,
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


def test_the_map_names_every_variable_in_order() -> None:
    formula = PackingModel([make_emitter_problem(13, 3, [x]) for x in (2, 6)])
    names = list(formula.describe_variables())
    assert len(names) == len(set(names)) == formula.variables
    assert names[formula.get_choice_variable(1) - 1] == "choose 1"
    placement = formula.pieces[5].placement
    turned = f"{placement.orientation.piece.name}{placement.orientation.turns}"
    assert names[formula.get_piece_variable(5) - 1] == f"piece {turned} {placement.x} {placement.y}"
    assert names[formula.get_cover_variable((12, 2)) - 1] == "filled 12 2"
    assert names[formula.get_level_variable((4, 1), 3) - 1] == "level 4 1 3"
    assert max(abs(v) for clause in formula.clauses for v in clause) == formula.variables


def test_dimacs_says_what_the_clauses_say() -> None:
    formula = PackingModel([make_emitter_problem(13, 3, [2])])
    lines = formula.to_dimacs(variable_map=True).splitlines()
    assert lines[0] == "c 1 choose 0"
    body = [line for line in lines if not line.startswith("c")]
    assert body[0] == f"p cnf {formula.variables} {len(formula.clauses)}"
    assert [tuple(map(int, line.split())) for line in body[1:]] == [
        (*clause, 0) for clause in formula.clauses
    ]
    assert formula.to_dimacs() == "\n".join(body) + "\n"


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_any_model_decodes_to_a_packing(seed: int) -> None:
    """Whatever a solver makes of the levels, the pieces can be dropped in their order."""
    from random import Random

    formula = PackingModel([make_emitter_problem(13, 3, [x]) for x in range(11)])
    random = Random(seed)
    with Solver("minisat22", bootstrap_with=formula.clauses) as solver:
        solver.set_phases([random.choice((v, -v)) for v in range(1, formula.variables + 1)])
        assert solver.solve()
        packing = formula.decode(solver.get_model())
    packing.check()
    assert packing.problem in formula.problems


def test_what_is_no_model_is_refused() -> None:
    formula = PackingModel([make_emitter_problem(13, 3, [2])])
    with pytest.raises(InputError, match="not a model"):
        formula.decode([])
    with Solver("minisat22", bootstrap_with=formula.clauses) as solver:
        assert solver.solve()
        model = [v for v in solver.get_model() if v > 0]
    dropped = next(
        v for v in model if formula.get_piece_variable(0) <= v < formula.get_cover_variable((0, 0))
    )
    with pytest.raises(InputError, match="not a model"):
        formula.decode([v for v in model if v != dropped])


def test_a_formula_of_several_problems_has_a_model_iff_one_of_them_has() -> None:
    problems = [make_emitter_problem(13, 3, [x]) for x in range(11)]

    def satisfiable(chosen: list[PackingProblem]) -> bool:
        with Solver("cadical195", bootstrap_with=PackingModel(chosen).clauses) as solver:
            return bool(solver.solve())

    single = [satisfiable([problem]) for problem in problems]
    assert [x for x, found in enumerate(single) if not found] == [3, 7]
    assert not satisfiable([problems[3], problems[7]])
    assert satisfiable([problems[3], problems[4], problems[7]])


def runs(width: int) -> Iterator[frozenset[tuple[int, ...]]]:
    """All ways to cut some cells of row 0, not all, into runs of one to three."""

    def cut(x: int) -> Iterator[tuple[tuple[int, ...], ...]]:
        if x >= width:
            yield ()
            return
        yield from cut(x + 1)
        for end in range(x + 1, min(x + 3, width) + 1):
            yield from ((tuple(range(x, end)), *rest) for rest in cut(end))

    return (frozenset(c) for c in cut(0) if sum(map(len, c)) < width)


def waiting_agrees_with_brute_force(problem: PackingProblem) -> bool:
    formula = PackingModel([problem], presets_first=False)
    with Solver("cadical195", bootstrap_with=formula.clauses) as solver:
        satisfiable = bool(solver.solve())
    brute = Brute(problem.width, problem.rows, problem.squares)
    runs = frozenset(tuple(x for x, _ in cells) for cells in problem.presets)
    assert satisfiable == brute.can_fill_around(runs), problem
    return satisfiable


@pytest.mark.slow
def test_presets_that_may_wait() -> None:
    """Against trying all orders."""
    answers = set()
    for width, rows in ((4, 3), (5, 3), (6, 2), (7, 2)):
        for presets in runs(width):
            cells = tuple(tuple((x, 0) for x in run) for run in sorted(presets))
            for squares in (frozenset[int](), frozenset({1})):
                answers.add(
                    waiting_agrees_with_brute_force(PackingProblem(width, rows, cells, squares))
                )
    assert answers == {True, False}


def test_waiting_can_help() -> None:
    problem = replace(make_emitter_problem(9, 2, [0, 6]), squares=frozenset({4, 7}))
    assert waiting_agrees_with_brute_force(problem)
    assert not Brute(9, 2, problem.squares).can_fill(problem.start)
    assert isinstance(SAT.find(problem), Infeasible)


def test_platforms_have_their_piece_last() -> None:
    formula = PackingModel(list_platform_problems(21, 2))
    with Solver("cadical195", bootstrap_with=formula.clauses) as solver:
        assert solver.solve()
        packing = formula.decode(solver.get_model())
    assert packing.pieces[-1] == packing.problem.last


def test_what_cannot_be_written_as_one_formula() -> None:
    with pytest.raises(InputError, match="no problems are given"):
        PackingModel([])
    with pytest.raises(InputError, match="of one size"):
        PackingModel([make_emitter_problem(13, 3, [2]), make_emitter_problem(13, 2, [2])])
    with pytest.raises(InputError, match="no free cells"):
        PackingModel([make_emitter_problem(21, 1, range(0, 21, 3))])
