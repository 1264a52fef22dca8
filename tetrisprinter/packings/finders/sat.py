"""Packing by propositional satisfiability (SAT).

A CDCL solver of python-sat decides the formula of :mod:`tetrisprinter.packings.finders.cnf`. This
finder suits problems that may have no packing. :func:`find_packing_or_refutation` proves that none
exists by a list of clauses that ends with the empty one. Each clause follows by unit propagation
from the formula and the clauses before it (Goldberg and Novikov 2003; the DRAT format of Wetzler,
Heule and Hunt 2014). :mod:`tetrisprinter.packings.proofs.certificates` has the proofs checked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from tetrisprinter.errors import InputError
from tetrisprinter.packings.finders import UNLIMITED, stop_at_limit
from tetrisprinter.packings.finders.cnf import PackingFormula, encode
from tetrisprinter.packings.placements import solve_trivial
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.solving import solve_interruptibly

DEFAULT_SOLVER = "cadical195"
"""CaDiCaL by Biere and others: fast with and without a model; its proofs are complete."""

_WITH_PROOFS: Final = ("cadical", "glucose", "lingeling", "maplec")
"""Prefixes of the names of solvers that write proofs. Checkers refuse the proofs of maplesat."""

_SLICE: Final = 2_000  # conflicts of the solver between two checks of the time limit


@dataclass(frozen=True, slots=True)
class Refutation:
    """A solver's proof that a formula has no model."""

    proof: tuple[str, ...]  # lines of a DRAT proof as the solver wrote them
    solver: str  # name of the solver and version of python-sat


def list_solvers() -> tuple[str, ...]:
    """List the names of the solvers of python-sat that can be used."""
    from pysat.solvers import SolverNames

    return tuple(
        sorted(
            name
            for name, value in vars(SolverNames).items()
            if isinstance(value, tuple) and name not in {"cryptosat", "kissat404"}
        )
    )


def check_solver(name: str, *, with_proof: bool = True) -> None:
    """Raise an InputError for an unknown solver, or for one that writes no proofs."""
    if name not in list_solvers():
        raise InputError(f"unknown solver {name!r}; choose from {', '.join(list_solvers())}")
    if with_proof and not name.startswith(_WITH_PROOFS):
        raise InputError(
            f"the solver {name!r} writes no proofs; choose one named {', '.join(_WITH_PROOFS)}..."
        )


def _open_solver(name: str, clauses: Sequence[Sequence[int]], *, with_proof: bool = False) -> Any:
    """Return a solver of python-sat that holds these clauses."""
    from pysat.solvers import NoSuchSolverError, Solver

    check_solver(name, with_proof=with_proof)
    # Some constructors do not accept ``with_proof``, not even as False.
    options = {"with_proof": True} if with_proof else {}
    try:
        return Solver(name=name, bootstrap_with=clauses, **options)
    except NoSuchSolverError as error:
        raise InputError(f"python-sat was built without the solver {name!r}") from error


@dataclass(frozen=True, slots=True)
class Sat:
    """The SAT finder. The limit's seed renames the variables; 0 keeps their names."""

    name: ClassVar[str] = "sat"
    is_complete: ClassVar[bool] = True

    solver: str = DEFAULT_SOLVER  # not every solver can respect a time limit

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that none exists."""
        return next(self._yield_answers(problem, limit))

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Yield all packings; a single solver gets a clause that excludes each packing it found."""
        answers = self._yield_answers(problem, replace(limit, seconds=None))
        return stop_at_limit((answer for answer in answers if isinstance(answer, Packing)), limit)

    def _yield_answers(self, problem: PackingProblem, limit: Limit) -> Iterator[Result]:
        """Yield every packing, then Infeasible (no other exists) or Unknown (the time is up)."""
        answer = solve_trivial(problem)
        if answer is not None:
            yield answer
            if isinstance(answer, Packing):
                yield Infeasible()
            return
        deadline = None if limit.seconds is None else time.monotonic() + limit.seconds
        formula = encode([problem])
        new_names = list(range(1, formula.variables + 1))
        clauses = list(map(list, formula.clauses))
        if limit.seed:
            random.Random(limit.seed).shuffle(new_names)
            clauses = [
                [new_names[v - 1] if v > 0 else -new_names[-v - 1] for v in c] for c in clauses
            ]
        old_names = {name: variable for variable, name in enumerate(new_names, 1)}
        with _open_solver(self.solver, clauses) as engine:
            while True:
                status = _solve(engine, self.solver, deadline)
                if status is None:
                    yield Unknown(f"no answer within {limit.seconds:g} s")
                    return
                if not status:
                    yield Infeasible("the formula has no model")
                    return
                packing = formula.decode(
                    [old_names[name] for name in engine.get_model() if name > 0]
                )
                yield packing
                placed = set(packing.pieces)
                engine.add_clause(
                    [
                        -new_names[formula.get_piece_variable(i) - 1]
                        for i, candidate in enumerate(formula.pieces)
                        if candidate.placement in placed
                    ]
                )


SAT: Final = Sat()


def _solve(engine: Any, name: str, deadline: float | None) -> bool | None:
    """Return whether the clauses have a model; None if the deadline passes first."""
    try:
        while deadline is None or time.monotonic() < deadline:
            status = solve_interruptibly(engine, conflicts=_SLICE)
            if status is not None:
                return status
    except NotImplementedError as error:
        if deadline is None:
            return bool(engine.solve())
        raise InputError(
            f"the solver {name!r} cannot respect a time limit; choose {DEFAULT_SOLVER}"
        ) from error
    return None


def find_packing_or_refutation(
    formula: PackingFormula, *, solver: str = DEFAULT_SOLVER
) -> Packing | Refutation | None:
    """Return a packing, or a proof that a formula has no model.

    Returns None if there is a model but ``formula.presets_first`` is false: in that model a preset
    may drop later, which a packing cannot express.
    """
    answer = find_model_or_refutation(list(map(list, formula.clauses)), solver=solver)
    if isinstance(answer, Refutation):
        return answer
    return formula.decode(answer) if formula.presets_first else None


def find_model_or_refutation(
    clauses: Sequence[Sequence[int]], *, solver: str = DEFAULT_SOLVER
) -> list[int] | Refutation:
    """Return a model of DIMACS clauses, or a proof that they have no model."""
    from importlib.metadata import version

    with _open_solver(solver, clauses, with_proof=True) as engine:
        if _solve(engine, solver, None):
            model: list[int] = engine.get_model()
            return model
        # get_proof() returns None if propagation was enough and the solver wrote no line.
        lines = engine.get_proof() or ()
    return Refutation(tuple(lines), f"{solver} (python-sat {version('python-sat')})")
