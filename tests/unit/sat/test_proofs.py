import lzma
from itertools import product

import pytest
from dratify import check_proof, parse_dimacs
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from tetrisprinter.packings.certificates import get_certificates_folder, read_manifest
from tetrisprinter.sat.proofs import ProofError, check_lrat, check_rup, write_lrat

Clauses = list[list[int]]

literals = st.integers(1, 5).flatmap(lambda v: st.sampled_from([v, -v]))
formulas = st.lists(st.lists(literals, min_size=1, max_size=3), min_size=1, max_size=24)
proofs = st.lists(st.lists(literals, max_size=3), max_size=6)


def format_dimacs(clauses: Clauses) -> str:
    """Return a formula in DIMACS form."""
    variables = max((abs(v) for clause in clauses for v in clause), default=0)
    return f"p cnf {variables} {len(clauses)}\n" + format_clauses(clauses)


def format_clauses(clauses: Clauses) -> str:
    """Return clauses in DIMACS form, one per line; this is also the form of a DRAT proof."""
    return "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)


def is_satisfiable(clauses: Clauses) -> bool:
    """Return whether clauses over variables 1 to 5 have a model; this tries all of them."""
    return any(
        all(any(values[abs(v) - 1] == (v > 0) for v in clause) for clause in clauses)
        for values in product((False, True), repeat=5)
    )


def find_proof(clauses: Clauses) -> list[str] | None:
    """Return the lines of a solver's proof, the empty clause last; None if there is a model."""
    with Solver("glucose42", bootstrap_with=clauses, with_proof=True) as solver:
        if solver.solve():
            return None
        lines = solver.get_proof() or []
    return [*(line for line in lines if line[0] != "d" and line != "0"), "0"]


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
    follows = [c for c in noise if c and is_implied(clauses, c)]
    proof = format_clauses(follows) + "\n".join(steps) + "\n"
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


def is_implied(clauses: Clauses, clause: list[int]) -> bool:
    return not is_satisfiable([*clauses, *([-v] for v in clause)])


@settings(max_examples=150, deadline=None)
@given(
    clauses=formulas,
    lines=st.lists(
        st.tuples(
            st.lists(literals, max_size=2),
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


@pytest.mark.slow
def test_the_shipped_proofs_are_those_that_are_written() -> None:
    """Of the tables: from formula and DRAT proof, byte by byte, and within a size limit."""
    size = 0
    for certificate in read_manifest(get_certificates_folder()):
        formula, proof, hinted = (
            lzma.decompress((get_certificates_folder() / file.name).read_bytes()).decode()
            for file in certificate.files
        )
        assert write_lrat(formula, proof) == hinted
        size += (get_certificates_folder() / certificate.lrat.name).stat().st_size
    assert size < 65_000
