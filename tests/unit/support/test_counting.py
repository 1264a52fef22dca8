"""Counting proofs: what is derived holds, and what does not add up is refused."""

import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from tests.support.processes import run_python
from tetrisprinter.bounds.counting import write_counting_proof
from tetrisprinter.support import cutting_planes
from tetrisprinter.support.counting_proofs import CountingProof
from tetrisprinter.support.cutting_planes import CountingError, check
from tetrisprinter.tilings.board import TilingBoard
from tetrisprinter.tilings.colouring import prove_by_colouring
from tetrisprinter.tilings.impossibility import Argument, find_argument
from tetrisprinter.tilings.pieces import PieceSet
from tetrisprinter.tilings.placements import TilingProblem


def holds(terms: Mapping[str, int], least: int, values: Mapping[str, int]) -> bool:
    return sum(factor * values[name] for name, factor in terms.items()) >= least


def test_what_is_derived_holds_wherever_the_given_ones_do() -> None:
    """Every step that the checker makes, against all values of four variables."""
    tight = 0
    for seed in range(300):
        pick = random.Random(seed)
        given: list[cutting_planes.Constraint] = [
            ({f"x{i}": pick.randint(-4, 4) for i in range(1, 5)}, pick.randint(-4, 6))
            for _ in range(3)
        ]
        words = f"1 2 {pick.randint(1, 3)} * + ~x{pick.randint(1, 4)} + 3 + {pick.randint(2, 5)} d"
        made = cutting_planes._derive(words.split(), given, 1_000)[0]
        total = [0, 0]
        for values in product((0, 1), repeat=4):
            named = dict(zip(("x1", "x2", "x3", "x4"), values, strict=True))
            total[holds(*made, named)] += 1
            assert holds(*made, named) or not all(holds(*one, named) for one in given), (
                seed,
                words,
            )
        tight += all(total)
    assert tight > 100


@pytest.mark.parametrize("width", [5, 6, 7, 8, 10, 21])
def test_sums_of_squares_are_proved_exactly_if_nothing_is_missing(width: int) -> None:
    for squares in range(1, 24):
        numbers = [rows for rows in range(40) if (squares + width * rows) % 4 == 0]
        for bound in (1, 6, 11, 16) if numbers else ():
            refuted = [rows for rows in numbers if squares + width * rows < 4 * bound]
            write_counting_proof(width, squares, bound, refuted)
            for missing in refuted[-2:]:
                with pytest.raises(CountingError, match="is not a contradiction"):
                    write_counting_proof(
                        width, squares, bound, [n for n in refuted if n != missing]
                    )


def two_of_three() -> CountingProof:
    """Return why no two of three hold if twice their sum is three at most and at least."""
    proof = CountingProof()
    more, less = proof.add_equation({1: 2, 2: 2, 3: 2}, 3)
    halves = [proof.derive(f"{one} 2 d") for one in (more, less)]
    proof.derive(proof.format_sum([(one, 1) for one in halves]))
    return proof


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("pol 1 2 d", "pol 1", "is not a contradiction"),
        ("pol 1 2 d", "pol 9 2 d", "there is no constraint 9"),
        ("pol 1 2 d", "pol 1 2 d 2", "exactly one constraint"),
        ("pol 1 2 d", "pol 1 0 d", "there is no constraint 0"),
        ("pol 1 2 d", "rup 1 x1 >= 1", "not a step"),
        ("UNSAT : 5", "UNSAT : 4", "is not a contradiction"),
        ("UNSAT : 5", "SAT", "does not conclude"),
        ("f 2", "f 3", "expected one about 2"),
        ("end pseudo", "pseudo", "invalid proof"),
    ],
)
def test_what_does_not_add_up_is_refused(old: str, new: str, why: str) -> None:
    made = two_of_three().verify()
    assert check(made.formula, made.proof) == 3
    assert old in made.proof
    with pytest.raises(CountingError, match=why):
        check(made.formula, made.proof.replace(old, new))


@pytest.mark.parametrize("line", ["1 x1 = 3", "1 x1 >= ;", "1 y1 >= 1 ;", "1 x1 x2 >= 1 ;", ">="])
def test_what_is_no_formula_is_refused(line: str) -> None:
    with pytest.raises(CountingError, match="not a constraint"):
        check(line, two_of_three().proof)


def test_the_checker_stands_alone(tmp_path: Path) -> None:
    made = write_counting_proof(21, 103, 47, [1])
    (tmp_path / "a.opb").write_text(made.formula)
    (tmp_path / "a.pbp").write_text(made.proof)
    program = ("-I", cutting_planes.__file__, "a.opb", "a.pbp")
    done = run_python(*program, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "verified: 9 steps\n")
    (tmp_path / "a.pbp").write_text(made.proof.replace("4 d", "3 d"))
    done = run_python(*program, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("refused: ")


@pytest.mark.parametrize(
    ("board", "pieces", "use_all"),
    [
        ("#.......\n........\n........\n.......#", "dominoes", False),
        ("\n".join(["." * 6] * 6), "I4*inf", False),
        ("\n".join(["." * 6] * 6), "T4*inf", False),
        ("....\n" * 5, "I4,L4,O4,S4,T4", True),
    ],
)
def test_colourings_are_proved(board: str, pieces: str, use_all: bool) -> None:
    """The formula is the problem's, with an equation for every cell."""
    problem = TilingProblem(TilingBoard.parse(board), PieceSet.parse(pieces, use_all=use_all))
    argument = find_argument(problem)
    assert argument is not None
    made = prove_by_colouring(problem, argument)
    assert made is not None
    check(made.formula, made.proof)
    lines = [line for line in made.formula.splitlines() if line.startswith("* cell")]
    assert len(lines) == problem.board.area
    assert made.formula.count("+1 x1 ") >= len(problem.all_placements[0].cells)


def test_what_can_be_tiled_has_no_proof() -> None:
    problem = TilingProblem(TilingBoard(4, 4), PieceSet.parse("T4*inf"))
    assert find_argument(problem) is None
    assert prove_by_colouring(problem, Argument("chessboard", "")) is None
