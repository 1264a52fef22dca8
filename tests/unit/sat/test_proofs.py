import lzma
from itertools import product

import pytest
from dratify import check_proof, parse_dimacs
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

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
from tests.support.formulas import format_clauses as drat
from tetrisprinter.packings.certificates import get_certificates_folder, read_manifest
from tetrisprinter.sat.proofs import ProofError, check_lrat, check_rup, check_steps, write_lrat


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


@settings(max_examples=150, deadline=None)
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


@settings(max_examples=60, deadline=None)
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


Line = tuple[int, list[int], list[int]]


def read_lines(proof: str) -> list[Line]:
    lines = []
    for line in proof.splitlines():
        number, *rest = map(int, line.split())
        end = rest.index(0)
        assert rest[-1] == 0
        lines.append((number, rest[:end], rest[end + 1 : -1]))
    return lines


def text(lines: list[Line]) -> str:
    return "".join(" ".join(map(str, (n, *c, 0, *h, 0))) + "\n" for n, c, h in lines)


def assert_every_hint_forces_one_literal(clauses: Clauses, lines: list[Line]) -> None:
    """In the strictest reading: none is satisfied already, and only the last has none left."""
    known = dict(enumerate(clauses, 1))
    for number, clause, hints in lines:
        assert number == len(known) + 1
        true = {-literal for literal in clause}
        for i, hint in enumerate(hints, 1):
            left = {literal for literal in known[hint] if -literal not in true}
            assert len(left) == (i < len(hints))
            assert not left & true
            true |= left
        known[number] = clause
    assert lines[-1][1] == []


@settings(max_examples=100, deadline=None)
@given(clauses=formulas, noise=st.lists(st.lists(st.integers(1, 5), max_size=3), max_size=3))
def test_what_is_written_is_accepted_and_strict(clauses: Clauses, noise: Clauses) -> None:
    steps = find_proof(clauses)
    if steps is None:
        return
    follows = [c for c in noise if c and implied(clauses, c)]
    proof = drat(follows) + "\n".join(steps) + "\n"
    try:
        check_rup(format_dimacs(clauses), proof)
    except ProofError:  # implied, but not by unit propagation
        with pytest.raises(ProofError):
            write_lrat(format_dimacs(clauses), proof)
        return
    written = write_lrat(format_dimacs(clauses), proof)
    lines = read_lines(written)
    assert check_lrat(format_dimacs(clauses), written) == len(lines)
    assert_every_hint_forces_one_literal(clauses, lines)
    needed = {hint for _, _, hints in lines for hint in hints} | {lines[-1][0]}
    assert {number for number, _, _ in lines} <= needed


def implied(clauses: Clauses, clause: list[int]) -> bool:
    return not is_satisfiable([*clauses, *([-v] for v in clause)])


@settings(max_examples=150, deadline=None)
@given(
    clauses=formulas,
    lines=st.lists(
        st.tuples(
            st.lists(st.integers(1, 5).flatmap(lambda v: st.sampled_from([v, -v])), max_size=2),
            st.lists(st.integers(1, 26), max_size=5),
        ),
        max_size=4,
    ),
)
def test_nothing_false_is_accepted(
    clauses: Clauses, lines: list[tuple[list[int], list[int]]]
) -> None:
    """Whatever the hints: what passes follows, and a formula that is refuted has no model."""
    given = len(clauses)
    proof = text([(given + i, clause, hints) for i, (clause, hints) in enumerate(lines, 1)])
    try:
        check_lrat(format_dimacs(clauses), proof)
    except ProofError:
        return
    assert not is_satisfiable(clauses)


def test_random_changes_of_a_proof_are_refused_or_harmless() -> None:
    """With a pigeon less there is a model: no proof of the larger formula may pass."""
    clauses = make_pigeonhole_formula(3)
    proof = find_proof(clauses)
    assert proof is not None
    lines = read_lines(write_lrat(format_dimacs(clauses), "\n".join(proof)))
    assert len(lines) > 3
    assert check_lrat(format_dimacs(clauses), text(lines)) == len(lines)
    for i, j in product(range(len(clauses)), repeat=2):
        if i == j:
            continue
        changed = [*clauses]
        changed[i] = clauses[j]
        if is_satisfiable_by_solver(changed):
            with pytest.raises(ProofError):
                check_lrat(format_dimacs(changed), text(lines))
    for k, (number, clause, hints) in enumerate(lines):
        fewer = [*lines[:k], (number, clause, hints[:-1]), *lines[k + 1 :]]
        with pytest.raises(ProofError):
            check_lrat(format_dimacs(clauses), text(fewer))


def is_satisfiable_by_solver(clauses: Clauses) -> bool:
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


FORMULA = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n"


@pytest.mark.parametrize(
    ("formula", "proof", "message"),
    [
        (FORMULA, "", "without the empty clause"),
        (FORMULA, "5 2 0 1 2 0\n", "without the empty clause"),
        (FORMULA, "5 0 1 2 0\n", "its hint 1 has 2 literals left"),
        (FORMULA, "5 2 0 1 0\n6 0 5 3 4 0\n", "clause 5 does not follow from its hints"),
        (FORMULA, "5 2 0 1 9 0\n", "its hint 9 does not exist"),
        (FORMULA, "5 2 0 -1 2 0\n", "its hint -1 does not exist"),
        (FORMULA, "4 2 0 1 2 0\n", "invalid number for a new clause"),
        (FORMULA, "5 2 0 1 2\n", "not a step"),
        (FORMULA, "5 2 1 2 0\n", "not a step"),
        (FORMULA, "5 2 0 1 x 0\n", "expected numbers"),
        (FORMULA, "5 2 0 1 2 0\n5 d 1 0\n6 0 5 3 1 0\n", "its hint 1 does not exist"),
        (FORMULA, "5\n", "not a step"),
        (FORMULA, "5 d 1 2\n", "not a step"),
        (FORMULA, "5 d 9 0\n", "deleted but does not exist"),
        ("1 2 0\n", "5 0 1 0\n", "no header"),
        ("p cnf 2 3\n1 2 0\n-1 0\n", "5 0 1 0\n", "header disagree"),
        ("p cnf 1 2\n1 2 0\n-1 0\n", "5 0 1 0\n", "header disagree"),
        ("p cnf 1 2\n1 0\n-1\n", "5 0 1 0\n", "header disagree"),
    ],
)
def test_what_is_refused(formula: str, proof: str, message: str) -> None:
    with pytest.raises(ProofError, match=message):
        check_lrat(formula, proof)


def test_deletions_and_comments() -> None:
    assert check_lrat("c a remark\n" + FORMULA, "c so\n5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n") == 2


def test_the_steps_of_a_proof_are_numbered_on_from_the_formula() -> None:
    found = list(check_steps(FORMULA, "d 1 2 0\n2 0\n0\n"))
    assert [step.number for step in found] == [5, 6]
    assert [step.clause for step in found] == [(2,), ()]


@pytest.mark.slow
def test_the_shipped_proofs_are_those_that_are_written() -> None:
    """Of the tables: from formula and DRAT proof, byte by byte, and within the size told."""
    size = 0
    for certificate in read_manifest(get_certificates_folder()):
        formula, proof, hinted = (
            lzma.decompress((get_certificates_folder() / file.name).read_bytes()).decode()
            for file in certificate.files
        )
        assert write_lrat(formula, proof) == hinted
        size += (get_certificates_folder() / certificate.lrat.name).stat().st_size
    assert size < 65_000
