"""Small formulas and proofs, and their text."""

from itertools import product

from hypothesis import strategies as st
from pysat.solvers import Solver

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
