"""Packing by propositional satisfiability.

The formula of :mod:`tetrisprinter.packings.finders.cnf` handed to a CDCL solver through
python-sat: the finder for questions that may have no answer. A packing is replayed
before it is handed out; an impossibility can be had with its proof, a list of clauses
of which each follows from the formula and those before it by unit propagation, down to
the empty one (Goldberg and Novikov 2003; the DRAT format of Wetzler, Heule and Hunt
2014). What a proof is worth is decided by a checker, see
:mod:`tetrisprinter.packings.proofs.certificates`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.finders.cnf import Formula, encode
from tetrisprinter.packings.placements import settled
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown

__all__ = ["DEFAULT_SOLVER", "Refutation", "count", "find", "find_all", "refute", "solver_names"]

DEFAULT_SOLVER = "cadical195"
"""CaDiCaL by Biere and others: fast on both answers, with complete proofs."""

_WITH_PROOFS: Final = ("cadical", "glucose", "lingeling", "maplec")
"""How their names begin. The proofs of maplesat are refused by the checkers."""

_SLICE: Final = 2_000  # conflicts between two looks at the clock


@dataclass(frozen=True, slots=True)
class Refutation:
    """A solver's claim that a formula has no model, with its reasons.

    Attributes
    ----------
    proof : tuple of str
        Lines of a DRAT proof as the solver wrote them.
    solver : str
        Its name and the version of the library it came with.
    """

    proof: tuple[str, ...]
    solver: str


def solver_names() -> tuple[str, ...]:
    """List the solvers of python-sat that can be asked."""
    from pysat.solvers import SolverNames

    return tuple(
        sorted(
            name
            for name, value in vars(SolverNames).items()
            if isinstance(value, tuple) and name not in {"cryptosat", "kissat404"}
        )
    )


def _engine(name: str, clauses: list[list[int]], *, with_proof: bool = False) -> Any:
    from pysat.solvers import Solver

    if name not in solver_names():
        raise InputError(f"there is no solver {name!r}; there are {', '.join(solver_names())}")
    if with_proof and not name.startswith(_WITH_PROOFS):
        raise InputError(f"the solver {name!r} writes no proofs")
    # Not all constructors know the option.
    return Solver(name=name, bootstrap_with=clauses, **({"with_proof": True} if with_proof else {}))


def find(
    problem: PackingProblem,
    *,
    solver: str = DEFAULT_SOLVER,
    seed: int = 0,
    time_limit: float | None = None,
) -> Result:
    """Find a packing, or show that there is none.

    Parameters
    ----------
    problem : PackingProblem
        What to pack.
    solver : str
        One of :func:`solver_names`.
    seed : int
        Renames the variables, which is how to get another packing; 0 leaves them as
        they are. The same seed gives the same answer.
    time_limit : float or None
        Seconds.

    Raises
    ------
    InputError
        If there is no such solver, or a limit was given that it cannot heed.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> print(find(emitter_problem(6, 2, [0])))
    Infeasible(reason='the 9 cells to fill are not a multiple of 4')
    >>> isinstance(find(emitter_problem(21, 2, [0, 17])), Packing)
    True
    """
    return next(_answers(problem, solver, seed, time_limit))


def find_all(
    problem: PackingProblem, *, solver: str = DEFAULT_SOLVER, seed: int = 0
) -> Iterator[Packing]:
    """Find all packings, one at a time.

    Two packings are the same if their pieces lie in the same places, in whatever order
    they were dropped.
    """
    for answer in _answers(problem, solver, seed, None):
        if isinstance(answer, Packing):
            yield answer


def count(problem: PackingProblem, *, solver: str = DEFAULT_SOLVER) -> int:
    """Count the packings that :func:`find_all` finds."""
    return sum(1 for _ in find_all(problem, solver=solver))


def _answers(
    problem: PackingProblem, solver: str, seed: int, time_limit: float | None
) -> Iterator[Result]:
    """Yield every packing, then the last word."""
    known = settled(problem)
    if known is not None:
        yield known
        if isinstance(known, Packing):
            yield Infeasible()
        return
    deadline = None if time_limit is None else time.monotonic() + time_limit
    formula = encode([problem])
    names = list(range(1, formula.variables + 1))
    clauses = list(map(list, formula.clauses))
    if seed:
        random.Random(seed).shuffle(names)
        clauses = [[names[v - 1] if v > 0 else -names[-v - 1] for v in c] for c in clauses]
    back = {name: variable for variable, name in enumerate(names, 1)}
    with _engine(solver, clauses) as engine:
        while True:
            status = _solve(engine, solver, deadline)
            if status is None:
                yield Unknown(f"no answer within {time_limit:g} s")
                return
            if not status:
                yield Infeasible("the formula has no model")
                return
            packing = formula.decode([back[name] for name in engine.get_model() if name > 0])
            yield packing
            placed = set(packing.pieces)
            engine.add_clause(
                [
                    -names[formula.piece(i) - 1]
                    for i, candidate in enumerate(formula.pieces)
                    if candidate.placement in placed
                ]
            )


def _solve(engine: Any, name: str, deadline: float | None) -> bool | None:
    """Solve in slices, between which the clock is looked at."""
    if deadline is None:
        status: bool | None = engine.solve()
        return status
    try:
        while time.monotonic() < deadline:
            engine.conf_budget(_SLICE)
            status = engine.solve_limited()
            if status is not None:
                return status
    except NotImplementedError as error:
        raise InputError(f"the solver {name!r} cannot be given a time limit") from error
    return None


def refute(formula: Formula, *, solver: str = DEFAULT_SOLVER) -> Packing | Refutation | None:
    """Find a model of a formula, as a packing, or a proof that there is none.

    None says that there is a model, but one that is no packing: see ``presets_first``.

    Parameters
    ----------
    formula : Formula
        See :func:`tetrisprinter.packings.finders.cnf.encode`.
    solver : str
        One that writes proofs.

    Raises
    ------
    InputError
        If the solver is unknown or cannot write proofs.
    JobError
        If it answers neither way.
    """
    from importlib.metadata import version

    with _engine(solver, list(map(list, formula.clauses)), with_proof=True) as engine:
        status = engine.solve()
        if status:
            return formula.decode(engine.get_model()) if formula.presets_first else None
        if status is None:
            raise JobError(f"the solver {solver!r} gave no answer")
        # None for a solver that has not written a line: propagation was enough.
        lines = engine.get_proof() or ()
    return Refutation(tuple(lines), f"{solver} (python-sat {version('python-sat')})")
