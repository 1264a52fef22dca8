"""Formulas, and calls of the solvers: python-sat for formulas, CP-SAT for models.

:class:`Cnf` builds a formula, in which literals may be constants. The same calls always give the
same bytes, because certificates compare them.

Solvers run in threads of their own, so that the calling thread hears Ctrl-C: then it stops the
solver, and Python raises ``KeyboardInterrupt`` as usual. Solvers that cannot be interrupted
(CaDiCaL) continue to their answer or their conflict limit.

:func:`find_model_or_proof` proves that a formula has no model by a list of clauses that ends
with the empty one. Each clause follows by unit propagation from the formula and the clauses before
it (Goldberg and Novikov 2003; the DRAT format of Wetzler, Heule and Hunt 2014).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from itertools import pairwise
from threading import Thread
from typing import Any, Final, TypeVar

from tetrisprinter.errors import InputError
from tetrisprinter.support.signals import STOPPED, hold_signals

Result = TypeVar("Result")

Literal = int
"""A variable, its negation as a negative number, or the constant ``True`` or ``False``."""

_PAIRWISE_SIZE = 5
"""At-most-one constraints of up to this number of literals are encoded pairwise."""

PULSE: Final = 4096
"""Clauses between two calls of ``pulse``, about 10 milliseconds; it may raise an error to stop."""


def negate(literal: Literal) -> Literal:
    """Return the opposite of a literal.

    >>> negate(7), negate(True)
    (-7, False)
    """
    return (not literal) if isinstance(literal, bool) else -literal


class OutOfTimeError(Exception):
    """Time ran out while a formula or a proof was written."""


def check_time(deadline: float) -> None:
    """Raise an OutOfTimeError if a deadline of ``time.monotonic()`` has passed."""
    if time.monotonic() >= deadline:
        raise OutOfTimeError


class Cnf:
    """A formula in conjunctive normal form: its clauses and the number of its variables."""

    def __init__(self, pulse: Callable[[], None] = lambda: None) -> None:
        self._pulse, self._next_pulse = pulse, PULSE
        self.variables = 0
        self.clauses: list[tuple[int, ...]] = []

    def add_variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def add_clause(self, *literals: Literal) -> None:
        """Add a clause; drop constants that are false, and the clause if a literal is ``True``."""
        if bool in map(type, literals):
            if any(literal is True for literal in literals):
                return
            literals = tuple(literal for literal in literals if literal is not False)
        self._append(literals)

    def _append(self, *clauses: tuple[int, ...]) -> None:
        """Add clauses that have no constants."""
        self.clauses += clauses
        if len(self.clauses) >= self._next_pulse:
            self._next_pulse += PULSE
            self._pulse()

    def add_at_most_one(self, literals: Sequence[Literal]) -> None:
        """Add clauses: at most one of some literals is true (a chain of helper variables)."""
        rest = [literal for literal in literals if literal is not False]
        begin = 0
        while len(rest) - begin > _PAIRWISE_SIZE:
            end = begin + _PAIRWISE_SIZE - 1
            head = rest[begin:end]
            chain = self.add_variable()
            for literal in head:
                self.add_clause(negate(literal), chain)
            self._exclude_pairs(head)
            begin = end - 1
            rest[begin] = chain
        self._exclude_pairs(rest[begin:])

    def add_at_most(self, limit: int, literals: Sequence[Literal]) -> None:
        """Add clauses: at most a given number of literals is true (sequential counter)."""
        if len(literals) <= limit:
            return
        counted: list[Literal] = []  # [n]: more than n of the literals so far are true
        for literal in literals:
            before = [True, *counted, False][: limit + 2]
            counted = []
            for enough_before, more_before in pairwise(before):
                count_literal = self.add_variable()
                self.add_clause(negate(more_before), count_literal)
                self.add_clause(negate(enough_before), negate(literal), count_literal)
                counted.append(count_literal)
            if len(counted) > limit:
                self.add_clause(negate(counted.pop()))

    def _exclude_pairs(self, literals: Sequence[Literal]) -> None:
        """Add a clause for each pair of literals: they are not both true."""
        opposites = [negate(literal) for literal in literals]
        pairs = [(first, second) for i, first in enumerate(opposites) for second in opposites[:i]]
        if bool not in map(type, opposites):
            self._append(*pairs)
            return
        for pair in pairs:
            self.add_clause(*pair)

    def add_exactly_one(self, literals: Iterable[Literal]) -> None:
        """Add clauses: exactly one of some literals is true."""
        listed = list(literals)
        self.add_clause(*listed)
        self.add_at_most_one(listed)

    def load_into(self, solver: Any, pulse: Callable[[], None]) -> None:
        """Give the clauses to a solver of python-sat; call ``pulse`` on the way."""
        for first in range(0, len(self.clauses), PULSE):
            solver.append_formula(self.clauses[first : first + PULSE])
            pulse()

    def to_dimacs(self) -> str:
        """Return the formula in the DIMACS format."""
        return write_dimacs(self.variables, self.clauses)


def write_dimacs(variables: int, clauses: Sequence[Sequence[int]]) -> str:
    """Return a formula in the DIMACS format, which solvers and proof checkers read."""
    lines = [f"p cnf {variables} {len(clauses)}"]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return "\n".join(lines) + "\n"


DEFAULT_SOLVER = "cadical195"
"""CaDiCaL by Biere and others: fast with and without a model; its proofs are complete."""

_WITH_PROOFS: Final = ("cadical", "glucose", "lingeling", "maplec")
"""Prefixes of the names of solvers that write proofs. Checkers refuse the proofs of maplesat."""

_PULSE_SECONDS: Final = 0.1  # between two looks whether a signal came

_SLICE: Final = 2_000  # conflicts of the solver between two checks of the time limit


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


def open_solver(name: str, clauses: Sequence[Sequence[int]], *, with_proof: bool = False) -> Any:
    """Return a solver of python-sat that holds these clauses."""
    from pysat.solvers import NoSuchSolverError, Solver

    check_solver(name, with_proof=with_proof)
    # Some constructors do not accept ``with_proof``, not even as False.
    options = {"with_proof": True} if with_proof else {}
    try:
        return Solver(name=name, bootstrap_with=clauses, **options)
    except NoSuchSolverError as error:
        raise InputError(f"python-sat was built without the solver {name!r}") from error


def find_model_or_proof(
    clauses: Sequence[Sequence[int]], *, solver: str = DEFAULT_SOLVER
) -> tuple[list[int] | None, Sequence[str]]:
    """Return a model of DIMACS clauses, or None and a proof that they have no model.

    The proof is the lines of a DRAT proof as the solver wrote them.
    """
    with open_solver(solver, clauses, with_proof=True) as engine:
        if solve_until(engine, solver, None):
            return engine.get_model(), ()
        # get_proof() returns None if propagation was enough and the solver wrote no line.
        return None, engine.get_proof() or ()


def describe_solver(name: str) -> str:
    """Return the name of a solver with the version of python-sat."""
    from importlib.metadata import version

    return f"{name} (python-sat {version('python-sat')})"


def solve_until(engine: Any, name: str, deadline: float | None) -> bool | None:
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


def solve_interruptibly(
    solver: Any, assumptions: Sequence[int] = (), conflicts: int = -1
) -> bool | None:
    """Return whether a formula is satisfiable; None after a signal or ``conflicts`` conflicts.

    Raises NotImplementedError if the solver has no conflict limit.
    """
    solver.conf_budget(conflicts)
    solve_limited: Callable[..., bool | None] = solver.solve_limited
    if type(solver.solver).__name__.startswith("Cadical"):
        return _call_in_thread(lambda: solve_limited(list(assumptions)))
    try:
        # Without expect_interrupt, Ctrl-C would leave the solver by a long jump.
        return _call_in_thread(
            lambda: solve_limited(list(assumptions), expect_interrupt=True), solver.interrupt
        )
    finally:
        solver.clear_interrupt()


def solve_model(solver: Any, model: Any, *callback: Any) -> Any:
    """Solve a model with CP-SAT, or stop on a signal; return the status."""
    solver.parameters.catch_sigint_signal = False  # otherwise Python would not get the signal
    return _call_in_thread(lambda: solver.solve(model, *callback), solver.stop_search)


def _call_in_thread(solve: Callable[[], Result], stop: Callable[[], None] = lambda: None) -> Result:
    """Run a solver in another thread, and stop it on a signal; return its answer."""
    if sys.platform == "emscripten":  # a browser has no threads
        return solve()
    answer: Future[Result] = Future()

    def run() -> None:
        try:
            answer.set_result(solve())
        except Exception as error:
            answer.set_exception(error)

    thread = Thread(target=run)
    try:
        with hold_signals():
            thread.start()
        # Not Thread.join: interrupted by Ctrl-C, it takes the running thread for finished (3.11).
        while not wait([answer], _PULSE_SECONDS).done:
            if STOPPED.is_set():
                stop()
    except KeyboardInterrupt:
        stop()
        if thread.ident is not None:
            wait([answer])  # the caller will delete the solver
        raise
    return answer.result()
