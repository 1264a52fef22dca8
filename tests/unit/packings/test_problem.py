"""Problems and packings, and matrices that are drawn: what is read, refused, and saved."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from ortools.sat.python import cp_model

from tests.oracles.brute_packing import count_with_holes
from tests.support.commands import Run
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.packings.finders import BACKTRACKER, CPSAT, FASTEST, SAT, CpSat, Sat
from tetrisprinter.packings.patterns import count
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingError,
    PackingProblem,
    Unknown,
    make_emitter_problem,
    read_matrix,
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
    allowed = tuple(o for o in ORIENTATIONS if o.piece is not pieces[0].orientation.piece)
    with pytest.raises(PackingError, match="does not allow"):
        replace(PATTERN, problem=replace(PATTERN.problem, orientations=allowed)).check()


def test_a_square_below_holds_a_column_for_good() -> None:
    flat = list_orientations(PieceType.I)[0]
    row = tuple(Placement(flat, x, 0) for x in (0, 4))
    problem = PackingProblem(8, 1, (), frozenset({1, 6}))
    Packing(problem, row).check()
    with pytest.raises(PackingError, match=r"piece 2 .* no support"):
        Packing(replace(problem, squares=frozenset({1})), row).check()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PackingProblem(0, 3), "positive size"),
        (lambda: make_emitter_problem(9, 3, [7]), "outside the 9x3"),
        (lambda: make_emitter_problem(9, 3, [0, 2]), "overlap"),
        (lambda: make_emitter_problem(9, 3, [-1]), "outside"),
        (lambda: PackingProblem(9, 3, (((0, 1),),)), "gap in column 0"),
        (lambda: PackingProblem(9, 3, (), frozenset({9})), "no column 9 for a square of the row"),
        (lambda: make_emitter_problem(3, 2, [0]), "complete a row"),
    ],
)
def test_impossible_problems_are_refused(build: object, message: str) -> None:
    assert callable(build)
    with pytest.raises(InputError, match=message):
        build()


MATRIX = "AA.......\nAA.......\n....###..\n....###..\n"


def test_a_drawing_gives_presets_and_required_pieces() -> None:
    problem = read_matrix(MATRIX, squares=[0])
    assert (problem.width, problem.rows, problem.free_cells) == (9, 4, 30)
    assert [piece.cells for piece in problem.required] == [((0, 2), (0, 3), (1, 2), (1, 3))]
    assert problem.squares == {0}
    assert read_matrix(".........\n...###...").presets == (((3, 0), (4, 0), (5, 0)),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "m: empty"),
        ("...\n..", "m:2: 2 characters; expected 3"),
        ("..?\n...", r"m:1: invalid '\?' in column 3"),
        ("#..\n...", "m:1: the preset in column 1 is above a cell that is not preset"),
        ("AA.\nA..", "m:1: the 3 cells 'A' from column 1 are not a tetromino"),
        ("...\n###", "the presets alone complete a row"),
        ("...\n..x\n###", "the presets alone complete a row"),
        ("AxA\nA.A", "m:1: the 4 cells 'A' from column 1 are not a tetromino"),
        ("..X", "m:1: the 1 cells 'X' from column 3 are not a tetromino"),
    ],
)
def test_a_wrong_drawing_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read_matrix(text, "m")


def test_holes_stay_and_their_rows_do_not_clear() -> None:
    problem = read_matrix("....\n.x..\n.x..\n#...")
    assert problem.holes == {(1, 1), (1, 2)}
    assert problem.clearing_rows == (0, 3)
    assert problem.start == (1, 0, 0, 0)
    for finder in (BACKTRACKER, FASTEST):
        assert isinstance(finder.find(read_matrix("..x\n..x", squares=[0])), Unknown)
    packing = SAT.find(read_matrix("..x\n..x", squares=[0]))
    assert str(packing) == "AA.\nAA."
    assert isinstance(SAT.find(read_matrix("..x\n..x")), Infeasible)  # nothing holds it


def test_packings_around_holes_are_those_of_real_drops() -> None:
    """Brute force on a board agrees with both solvers, also where rows clear over a hole."""
    possible = over_holes = 0
    for seed in range(30):
        pick = random.Random(seed)
        width, rows = pick.choice([(4, 3), (5, 3), (4, 4), (3, 5)])
        cells = [(x, y) for x in range(width) for y in range(rows)]
        holes = frozenset(pick.sample(cells, width * rows % 4 or 4))
        squares = frozenset(x for x in range(width) if pick.random() < 0.6)
        problem = PackingProblem(width, rows, squares=squares, holes=holes)
        number = count_with_holes(width, rows, holes, squares)
        assert count(problem=problem) == number, problem
        assert sum(1 for _ in CPSAT.find_all(problem)) == number, problem
        possible += number > 0
        over_holes += number > 0 and any((x, y + 1) not in holes for x, y in holes if y + 1 < rows)
    assert possible >= 5
    assert over_holes >= 3


def test_required_pieces_are_kept_by_both_solvers() -> None:
    free = make_emitter_problem(13, 3, [4])
    (given, other) = list(SAT.find_all(free))[:2]
    piece = next(piece for piece in given.pieces if piece not in other.pieces)
    drawing = "\n".join(
        "".join(
            "#" if (x, y) in free.presets[0] else "A" if (x, y) in piece.cells else "."
            for x in range(13)
        )
        for y in (2, 1, 0)
    )
    problem = read_matrix(drawing)
    for finder in (SAT, CPSAT):
        packing = finder.find(problem)
        assert isinstance(packing, Packing)
        assert piece in packing.pieces
        with pytest.raises(PackingError, match="required pieces are missing"):
            Packing(problem, other.pieces).check()


@pytest.mark.parametrize("finder", [CpSat(is_symmetric=True), Sat(is_symmetric=True)])
def test_symmetric_packings_are_their_own_mirror_image(finder: CpSat | Sat) -> None:
    found = 0
    for column in (5, 9):
        problem = make_emitter_problem(13 if column == 5 else 21, 3, [column])
        everything = list(SAT.find_all(problem))
        mirrored = []
        for packing in everything:
            cells = {frozenset(piece.cells) for piece in packing.pieces}
            width = problem.width
            if cells == {frozenset((width - 1 - x, y) for x, y in group) for group in cells}:
                mirrored.append(packing)
        answer = finder.find(problem)
        assert isinstance(answer, Packing if mirrored else Infeasible)
        assert len(list(finder.find_all(problem))) == len(mirrored)
        found += len(mirrored)
    assert found


def test_the_model_is_saved_for_other_solvers(run: Run, tmp_path: Path) -> None:
    """CP-SAT reads its own text form; the OPB form says the same of CP-SAT's answer."""
    question = ("patterns", "find", "--rows", 3, "--at", 6)
    run(*question, "--save", "m.pbtxt", "--fewest", "SZ")
    model = cp_model.CpModel()
    assert model.proto.parse_text_format((tmp_path / "m.pbtxt").read_text())
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    (tmp_path / "answer.txt").write_text(f"{solver.response_proto}")
    drawn = run(*question, "--model", "answer.txt").stdout
    packing = Packing.parse(drawn, 1)
    packing.check()

    run(*question, "--save", "m.opb", "--fewest", "SZ")
    lines = (tmp_path / "m.opb").read_text().splitlines()
    values = dict(enumerate(solver.response_proto.solution, 1))
    checked = 0
    for line in lines:
        if line.startswith("*"):
            continue
        words = line.removeprefix("min: ").split()
        pairs = zip(words[::2], words[1::2], strict=False)
        total = sum(int(factor) * values[int(name[1:])] for factor, name in pairs if name[0] == "x")
        if line.startswith("min:"):
            assert total == solver.objective_value
        else:
            relation, bound = words[-3], int(words[-2])
            assert total == bound if relation == "=" else total >= bound, line
            checked += 1
    assert lines[0].endswith(f"#constraint= {checked}")
    literals = " ".join(f"{'' if value else '-'}x{name}" for name, value in values.items())
    (tmp_path / "opb.txt").write_text(f"o 1\ns OPTIMUM FOUND\nv {literals}\n")
    assert run(*question, "--model", "opb.txt").stdout == drawn
