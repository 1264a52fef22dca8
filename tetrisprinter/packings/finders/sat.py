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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.finders import UNLIMITED, in_time
from tetrisprinter.packings.finders.cnf import Formula, encode
from tetrisprinter.packings.placements import settled
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.signals import plain_termination
from tetrisprinter.support.solving import ask

__all__ = [
    "DEFAULT_SOLVER",
    "SAT",
    "Refutation",
    "Sat",
    "check_solver",
    "refute",
    "solver_names",
]

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


def check_solver(name: str, *, with_proof: bool = True) -> None:
    """Refuse a solver that cannot be asked.

    Parameters
    ----------
    name : str
        Its name.
    with_proof : bool
        Whether it is to write proofs.

    Raises
    ------
    InputError
        Naming those that there are.
    """
    if name not in solver_names():
        raise InputError(f"there is no solver {name!r}; there are {', '.join(solver_names())}")
    if with_proof and not name.startswith(_WITH_PROOFS):
        raise InputError(f"the solver {name!r} writes no proofs")


def _engine(name: str, clauses: Sequence[Sequence[int]], *, with_proof: bool = False) -> Any:
    from pysat.solvers import NoSuchSolverError, Solver

    check_solver(name, with_proof=with_proof)
    # Not all constructors know the option.
    options = {"with_proof": True} if with_proof else {}
    try:
        return Solver(name=name, bootstrap_with=clauses, **options)
    except NoSuchSolverError as error:
        raise InputError(f"python-sat was built without the solver {name!r}") from error


@dataclass(frozen=True, slots=True)
class Sat:
    """The finder. The limit's seed renames the variables; 0 leaves them as they are.

    Attributes
    ----------
    solver : str
        One of :func:`solver_names`. Not all of them can be given a limit of time.

    Raises
    ------
    InputError
        From its methods, if there is no such solver, or it cannot heed a limit.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> print(SAT.find(emitter_problem(6, 2, [0])))
    Infeasible(reason='the 9 cells to fill are not a multiple of 4')
    >>> isinstance(SAT.find(emitter_problem(21, 2, [0, 17])), Packing)
    True
    """

    name: ClassVar[str] = "sat"
    certain: ClassVar[bool] = True

    solver: str = DEFAULT_SOLVER

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that there is none."""
        return next(self._answers(problem, limit))

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Find all packings with one solver that learns from each of them."""
        answers = self._answers(problem, replace(limit, seconds=None))
        return in_time((found for found in answers if isinstance(found, Packing)), limit)

    def _answers(self, problem: PackingProblem, limit: Limit) -> Iterator[Result]:
        """Yield every packing, then the last word."""
        known = settled(problem)
        if known is not None:
            yield known
            if isinstance(known, Packing):
                yield Infeasible()
            return
        deadline = None if limit.seconds is None else time.monotonic() + limit.seconds
        formula = encode([problem])
        names = list(range(1, formula.variables + 1))
        clauses = list(map(list, formula.clauses))
        if limit.seed:
            random.Random(limit.seed).shuffle(names)
            clauses = [[names[v - 1] if v > 0 else -names[-v - 1] for v in c] for c in clauses]
        back = {name: variable for variable, name in enumerate(names, 1)}
        with _engine(self.solver, clauses) as engine:
            while True:
                status = _solve(engine, self.solver, deadline)
                if status is None:
                    yield Unknown(f"no answer within {limit.seconds:g} s")
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


SAT: Final = Sat()


def _solve(engine: Any, name: str, deadline: float | None) -> bool | None:
    """Solve in slices, between which the clock is looked at."""
    if deadline is None:
        with plain_termination():
            status: bool | None = engine.solve()
        return status
    try:
        while time.monotonic() < deadline:
            status = ask(engine, conflicts=_SLICE)
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
    answer = decide(list(map(list, formula.clauses)), solver=solver)
    if isinstance(answer, Refutation):
        return answer
    return formula.decode(answer) if formula.presets_first else None


def decide(
    clauses: Sequence[Sequence[int]], *, solver: str = DEFAULT_SOLVER
) -> list[int] | Refutation:
    """Find a model of some clauses, or a proof that there is none.

    Parameters
    ----------
    clauses : sequence of sequence of int
        As in DIMACS.
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

    with _engine(solver, clauses, with_proof=True) as engine:
        with plain_termination():
            status = engine.solve()
        if status:
            model: list[int] = engine.get_model()
            return model
        if status is None:
            raise JobError(f"the solver {solver!r} gave no answer")
        # None for a solver that has not written a line: propagation was enough.
        lines = engine.get_proof() or ()
    return Refutation(tuple(lines), f"{solver} (python-sat {version('python-sat')})")
