import pytest
from dratify import check_proof, parse_dimacs
from hypothesis import given, settings

from tests.support.formulas import (
    Clauses,
    find_proof,
    format_clauses,
    format_dimacs,
    formulas,
    is_satisfiable,
    make_pigeonhole_formula,
    proofs,
)
from tetrisprinter.sat.proofs import ProofError, check_rup


def accepts(clauses: Clauses, proof: Clauses) -> bool:
    try:
        check_rup(format_dimacs(clauses), format_clauses(proof))
    except ProofError:
        return False
    return True


def follows(clauses: Clauses, clause: list[int]) -> bool:
    """Reverse unit propagation by going over all clauses again and again."""
    true = {-v for v in clause}
    while True:
        if any(-v in true for v in true):
            return True
        before = len(true)
        for other in clauses:
            free = {v for v in other if -v not in true}
            if len(free) <= 1 and not free & true:
                true |= free or {1, -1}
        if len(true) == before:
            return False


@settings(max_examples=300, deadline=None)
@given(clauses=formulas, proof=proofs)
def test_it_accepts_what_plain_propagation_accepts(clauses: Clauses, proof: Clauses) -> None:
    expected = False
    known = [*clauses]
    for clause in proof:
        if not follows(known, clause):
            break
        if not clause:
            expected = True
            break
        known.append(clause)
    assert accepts(clauses, proof) == expected
    assert not (expected and is_satisfiable(clauses))


@settings(max_examples=100, deadline=None)
@given(clauses=formulas)
def test_it_accepts_the_proofs_of_solvers_and_agrees_with_another_checker(clauses: Clauses) -> None:
    lines = find_proof(clauses)
    unsatisfiable = not is_satisfiable(clauses)
    assert unsatisfiable == (lines is not None)
    lines = lines or ["0"]
    assert (
        accepts(clauses, [[int(v) for v in line.split()[:-1]] for line in lines]) == unsatisfiable
    )
    proof = "\n".join(lines) + "\n"
    assert (
        check_proof(parse_dimacs(format_dimacs(clauses)), proof, engine="python").ok
        == unsatisfiable
    )


def test_each_step_of_a_proof_is_needed_or_not_but_never_taken_on_trust() -> None:
    clauses = make_pigeonhole_formula(4)
    lines = find_proof(clauses)
    assert lines is not None
    formula = format_dimacs(clauses)
    assert check_rup(formula, "\n".join(lines)) == len(lines)
    with pytest.raises(ProofError, match="ends without the empty clause"):
        check_rup(formula, "\n".join(lines[:-1]))
    with pytest.raises(ProofError, match="line 1 of the proof does not follow"):
        check_rup(formula, "0\n")
    with pytest.raises(ProofError, match="line 3 of the proof does not follow: 1 0"):
        check_rup(formula, "\n".join([*lines[:2], "1 0", *lines[2:]]))


def test_deletions_and_comments_are_skipped() -> None:
    formula = format_dimacs([[1, 2], [-1, 2], [1, -2], [-1, -2]])
    assert check_rup(formula, "c a remark\nd 1 2 0\n2 0\nd 2 0\n0\n") == 2


@pytest.mark.parametrize(
    ("formula", "proof", "message"),
    [
        ("", "0\n", "no header"),
        ("p cnf 1\n1 0\n", "0\n", "no header"),
        ("p cnf 1 3\n1 0\n-1 0\n", "0\n", "2 clauses; its header promises 3"),
        ("p cnf 1 2\n1 0\n-2 0\n", "0\n", "more variables"),
        ("p cnf 1 2\n1\n-1 0\n", "0\n", "a single 0 at its end"),
        ("p cnf 1 2\n1 0\n-1 0\n", "1 0 0\n", "a single 0 at its end"),
        ("p cnf 1 2\n1 0\n-1 0\n", "one 0\n", "line 1 of the proof is not a clause"),
        ("p cnf 1 1\n1 0\n", "", "without the empty clause"),
    ],
)
def test_malformed_texts_are_refused(formula: str, proof: str, message: str) -> None:
    with pytest.raises(ProofError, match=message):
        check_rup(formula, proof)
