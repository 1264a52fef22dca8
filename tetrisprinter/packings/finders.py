"""Finders: several methods that answer a packing problem.

Every finder takes a :class:`~tetrisprinter.packings.problem.PackingProblem` and a
:class:`~tetrisprinter.support.options.Limit` and returns a
:class:`~tetrisprinter.packings.problem.Packing` that was replayed,
:class:`~tetrisprinter.packings.problem.Infeasible` or
:class:`~tetrisprinter.packings.problem.Unknown`.

``cpsat`` and ``sat`` decide the one :class:`~tetrisprinter.packings.model.PackingModel`: the first
as constraints, the second as clauses. ``automaton`` reads the problem as a word and walks the
column automaton, in time linear in the width. ``fastest`` asks the automaton, then the backtracker.

``backtracker`` is a randomised depth-first search. With ``order="random"`` it is the article's: it
adds pieces at random places, first an S or Z into a gap of the bottom row, and restarts after a
number of failures. ``order="sweep"``, the default, tries the leftmost placements first and only
those of one column in random order. When a matrix fills from one side, a dead end shows soon after
its cause: the tallest entries of the tables need about a hundredth of the placements of ``random``.
Both orders try every placement before they backtrack. So a search with unlimited attempts that
finds no packing proves that none exists.

A finder is a small frozen dataclass whose fields are its options: ``Backtracker(attempts=None)``
never gives up. A new finder is an object that satisfies :class:`Finder`, and a line in
:data:`FINDERS`; ``docs/extending.md`` shows an example.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, runtime_checkable

from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.packings.automaton import PRESET, SHIPPED, SQUARE, load
from tetrisprinter.packings.model import PackingModel, build_packing, solve_trivial, write_cpsat
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown
from tetrisprinter.sat.solve import DEFAULT_SOLVER, open_solver, solve_model, solve_until
from tetrisprinter.support import LazyDict, LazyModule
from tetrisprinter.support.options import UNLIMITED, Limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")


class Finder(Protocol):
    """The protocol of finders: objects that find a packing or show that none exists."""

    @property
    def name(self) -> str:
        """The finder's name in :data:`FINDERS`."""

    @property
    def is_complete(self) -> bool:
        """Whether the finder returns Unknown only when the time is up."""

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that none exists.

        Parameters
        ----------
        problem : PackingProblem
            The matrix to pack.
        limit : Limit
            Time limit, random seed and number of threads.

        Returns
        -------
        Packing, Infeasible or Unknown
            A packing that :meth:`~tetrisprinter.packings.problem.Packing.check` accepts;
            Infeasible only if it is certain that no packing exists.

        Raises
        ------
        InputError
            If the finder cannot respect a time limit.
        """


@runtime_checkable
class Lister(Finder, Protocol):
    """A finder that can list all packings."""

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Yield each packing once; raise a JobError if the time is up before all are found.

        Two packings are the same if their pieces lie in the same places, in any drop order.
        """


FINDERS: Final = LazyDict[Finder](
    {
        "automaton": "tetrisprinter.packings.finders:AUTOMATON",
        "backtracker": "tetrisprinter.packings.finders:BACKTRACKER",
        "cpsat": "tetrisprinter.packings.finders:CPSAT",
        "sat": "tetrisprinter.packings.finders:SAT",
        "fastest": "tetrisprinter.packings.finders:FASTEST",
    },
)
"""All finders by name."""


def stop_at_limit(packings: Iterator[Packing], limit: Limit) -> Iterator[Packing]:
    """Yield packings until the time is up; then raise a JobError if more exist."""
    began = time.monotonic()
    for packing in packings:
        yield packing
        if limit.seconds is not None and time.monotonic() - began > limit.seconds:
            raise JobError(f"time limit of {limit.seconds:g} s reached; more packings may exist")


def explain_refusal(problem: PackingProblem) -> str | None:
    """Return why no automaton applies to a problem; None if an automaton applies."""
    if problem.last is not None:
        return "no automaton handles a piece that must be dropped last"
    if problem.required:
        return "no automaton handles required pieces"
    if problem.holes:
        return "no automaton handles holes"
    if problem.orientations != ORIENTATIONS:
        return "automata use all orientations"
    if problem.rows not in SHIPPED:
        return f"no automaton of {problem.rows} rows exists"
    if any(y > 0 for preset in problem.presets for _, y in preset):
        return "automata handle presets in row 0 only"
    return None


def encode_as_word(problem: PackingProblem, *, squares: bool = True) -> list[int]:
    """Return the word that describes a problem: a letter for each column."""
    word = [0] * problem.width
    for preset in problem.presets:
        for x, _ in preset:
            word[x] |= PRESET
    if squares:
        for x in problem.squares:
            word[x] |= SQUARE
    return word


@dataclass(frozen=True, slots=True)
class CpSat:
    """The CP-SAT finder."""

    name: ClassVar[str] = "cpsat"
    is_complete: ClassVar[bool] = True

    # The cost of a placement; the finder minimises the sum of the costs. When the time is up, the
    # cheapest packing so far is the answer
    cost: Callable[[Placement], int] | None = None
    is_symmetric: bool = False  # whether the pieces must be their own mirror image

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing (the cheapest, with a cost), or show that none exists."""
        answer = solve_trivial(problem)
        if answer is not None:
            return answer
        model = PackingModel((problem,), is_symmetric=self.is_symmetric)
        return solve_by_cpsat(model, write_cpsat(model, self.cost), limit)

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Yield all packings; each needs another search, so the SAT finder is faster."""
        return stop_at_limit(self._find_each(problem, Limit(seed=limit.seed)), limit)

    def _find_each(self, problem: PackingProblem, limit: Limit) -> Iterator[Packing]:
        """Yield all packings; exclude each one before the next search."""
        trivial_answer = solve_trivial(problem)
        if trivial_answer is not None:
            if isinstance(trivial_answer, Packing):
                yield trivial_answer
            return
        model = PackingModel((problem,), is_symmetric=self.is_symmetric)
        cpsat = write_cpsat(model)
        while isinstance(answer := solve_by_cpsat(model, cpsat, limit), Packing):
            yield answer
            cpsat.add_bool_or(
                [
                    ~cpsat.get_bool_var_from_proto_index(variable - 1)
                    for variable in model.list_piece_variables(answer)
                ]
            )


CPSAT: Final = CpSat()


def solve_by_cpsat(model: PackingModel, cpsat: Any, limit: Limit = UNLIMITED) -> Result:
    """Have CP-SAT decide a model that :func:`write_cpsat` wrote; return the answer."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = seed = limit.seed % 2**31
    parameters.randomize_search = bool(seed)
    parameters.num_workers = 1
    parameters.linearization_level = 0
    # Presolving gains nothing on a model that is already reduced, but helps to minimise.
    parameters.cp_model_presolve = cpsat.has_objective()
    if limit.seconds is not None:
        parameters.max_time_in_seconds = limit.seconds
    status = solve_model(solver, cpsat)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        values = solver.response_proto.solution
        return model.read_packing({v for v, value in enumerate(values, 1) if value})
    if status == cp_model.INFEASIBLE:
        return Infeasible()
    if status == cp_model.MODEL_INVALID:
        raise JobError(f"CP-SAT refuses the model: {cpsat.validate()}")
    return Unknown(f"no answer within {limit.seconds or 0:g} s")


@dataclass(frozen=True, slots=True)
class Sat:
    """The SAT finder. The limit's seed renames the variables; 0 keeps their names."""

    name: ClassVar[str] = "sat"
    is_complete: ClassVar[bool] = True

    solver: str = DEFAULT_SOLVER  # not every solver can respect a time limit
    is_symmetric: bool = False  # whether the pieces must be their own mirror image

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that none exists."""
        return next(self._yield_answers(problem, limit))

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Yield all packings; a single solver gets a clause that excludes each packing it found."""
        answers = self._yield_answers(problem, Limit(seed=limit.seed))
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
        model = PackingModel((problem,), is_symmetric=self.is_symmetric)
        new_names = list(range(1, model.variables + 1))
        clauses = list(map(list, model.clauses))
        if limit.seed:
            random.Random(limit.seed).shuffle(new_names)
            clauses = [
                [new_names[v - 1] if v > 0 else -new_names[-v - 1] for v in c] for c in clauses
            ]
        old_names = {name: variable for variable, name in enumerate(new_names, 1)}
        with open_solver(self.solver, clauses) as engine:
            while True:
                status = solve_until(engine, self.solver, deadline)
                if status is None:
                    yield Unknown(f"no answer within {limit.seconds:g} s")
                    return
                if not status:
                    yield Infeasible("the formula has no model")
                    return
                true = {old_names[name] for name in engine.get_model() if name > 0}
                packing = model.read_packing(true)  # and replay it
                yield packing
                engine.add_clause(
                    [-new_names[variable - 1] for variable in model.list_piece_variables(packing)]
                )


SAT: Final = Sat()


Order = Literal["sweep", "random"]

DEFAULT_ATTEMPTS = 1000
DEFAULT_RETRIES = 1000
_LONG_START = 100_000  # a start of more placements runs in a thread, so that Ctrl-C works at once


@dataclass(frozen=True, slots=True)
class Backtracker:
    """The backtracking finder."""

    name: ClassVar[str] = "backtracker"

    # Placements before a restart with another permutation; None searches exhaustively in one start
    attempts: int | None = DEFAULT_ATTEMPTS
    retries: int = DEFAULT_RETRIES  # number of starts
    # Number of permutations to use in turn; None draws a new one at each start
    permutations: int | None = None
    order: Order = "sweep"  # see the docstring of the module

    @property
    def is_complete(self) -> bool:
        """Whether the search never gives up."""
        return self.attempts is None

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Search for a packing; ``limit.workers`` threads run starts in parallel."""
        if not problem.is_divisible:
            return Infeasible(f"{problem.free_cells} free cells are not a multiple of 4")
        if problem.required:
            return Unknown("the backtracker cannot keep required pieces; use cpsat or sat")
        if problem.holes:
            return Unknown("the backtracker cannot leave holes; use cpsat or sat")
        job = _BacktrackJob(problem, self, limit.seed)
        retries = 1 if self.attempts is None else self.retries
        is_long = self.attempts is None or self.attempts > _LONG_START
        if is_long or limit.workers > 1 or limit.seconds is not None:
            return _run_in_threads(job, retries, limit)
        for start in range(retries):
            result = job.run(start)
            if not isinstance(result, Unknown):
                return result
        return job.report_failure(retries)


def _run_in_threads(job: _BacktrackJob, retries: int, limit: Limit) -> Result:
    """Run starts in parallel; return the answer of the lowest-numbered start that has one.

    Compiled code cannot be interrupted, so even one long search runs in a thread, while the
    calling thread handles Ctrl-C and the time limit.
    """
    deadline = None if limit.seconds is None else time.monotonic() + limit.seconds
    with ThreadPoolExecutor(limit.workers) as pool:
        pending: list[Future[Result]] = []
        next_start = 0
        try:
            while pending or next_start < retries:
                while next_start < retries and len(pending) < 2 * limit.workers:
                    pending.append(pool.submit(job.run, next_start))
                    next_start += 1
                seconds_left = None if deadline is None else deadline - time.monotonic()
                if seconds_left is not None and seconds_left <= 0:
                    raise TimeoutError
                result = pending.pop(0).result(seconds_left)
                if not isinstance(result, Unknown):
                    return result
        except TimeoutError:
            return Unknown(f"no answer within {limit.seconds:g} s")
        finally:
            job.stop[0] = True
            pool.shutdown(cancel_futures=True)
    return job.report_failure(retries)


class _BacktrackJob:
    """A problem as arrays for the compiled search, with the options and the seed."""

    def __init__(self, problem: PackingProblem, options: Backtracker, seed: int) -> None:
        self.problem, self.options, self.seed = problem, options, seed
        # Placements to try in one start; -1 for no limit
        self.limit = -1 if options.attempts is None else options.attempts
        width = problem.width
        self.start = np.array(problem.start, np.int64)  # the column heights after the presets
        # The height up to which the search fills each column
        self.ceilings = np.full(width, problem.rows, np.int64)
        if problem.last is not None:
            # No other piece may lie in or above the piece that drops last.
            for x, y in problem.last.cells:
                self.ceilings[x] = min(self.ceilings[x], y)
        self.squares = np.array([x in problem.squares for x in range(width)])
        # Placements, as the orientation's index * width + column
        self.allowed = np.array(
            [
                o.index * width + x
                for o in problem.orientations
                if o.height <= problem.rows
                for x in range(width - o.width + 1)
            ],
            np.int64,
        )
        self.stop = np.zeros(1, np.bool_)  # a single flag that ends the search

    def report_failure(self, starts: int) -> Unknown:
        """Return the answer after all starts gave up."""
        return Unknown(f"gave up after {starts} starts of {self.options.attempts} attempts")

    def run(self, start: int) -> Result:
        """Run the search once; the number of the start seeds all its random choices."""

        from tetrisprinter.packings import _kernel

        out = np.zeros(self.problem.free_cells // 4 + 1, np.int64)
        order, first_placement = self._draw_permutation(start)
        heights = self.start.copy()
        pieces_dropped = 0
        if first_placement >= 0:
            orientation, x = self._decode(first_placement)
            heights[x : x + orientation.width] = orientation.top  # it lies on row 0
            out[0] = first_placement
            pieces_dropped = 1
        status, _ = _kernel.search(
            heights, self.ceilings, self.squares, order, self.limit, self.stop, out[pieces_dropped:]
        )
        if status == _kernel.FOUND:
            return self._decode_packing(out)
        if status == _kernel.EXHAUSTED and not pieces_dropped:
            return Infeasible("no packing exists: searched exhaustively")
        return Unknown("gave up")

    def _draw_permutation(self, start: int) -> tuple[NDArray[np.int64], int]:
        """Return the placements in the order of a start, and the one to begin with (-1: any)."""
        permutation_count = self.options.permutations
        index = start if permutation_count is None else start % permutation_count
        order = np.random.default_rng((self.seed, index)).permutation(self.allowed)
        if self.options.order == "sweep":
            return order[np.argsort(order % self.problem.width, kind="stable")], -1
        if self.limit < 0:
            return order, -1
        gap_pieces = [int(p) for p in self.allowed if self._can_fill_bottom_gap(int(p))]
        if not gap_pieces:
            return order, -1
        choice = np.random.default_rng((self.seed, start, 1)).integers(len(gap_pieces))
        return order, gap_pieces[int(choice)]

    def _can_fill_bottom_gap(self, placement: int) -> bool:
        """Return whether a placement is an S or Z that fits into a gap of the bottom row."""
        orientation, x = self._decode(placement)
        columns = self.start[x : x + orientation.width]
        y = int(columns[0]) - orientation.bottom[0]
        return (
            orientation.piece in (PieceType.S, PieceType.Z)
            and y == 0
            and all(h == b for h, b in zip(columns, orientation.bottom, strict=True))
            and all(y + t <= c for t, c in zip(orientation.top, self.ceilings[x:], strict=False))
        )

    def _decode(self, placement: int) -> tuple[Orientation, int]:
        """Return the orientation and the column of a placement."""
        index, x = divmod(placement, self.problem.width)
        return ORIENTATIONS[index], x

    def _decode_packing(self, found_placements: NDArray[np.int64]) -> Result:
        """Return the packing of the placements that the compiled search found."""
        heights = list(self.problem.start)
        pieces: list[Placement] = []
        last = self.problem.last
        for code in found_placements[: self.problem.free_cells // 4 - (last is not None)]:
            orientation, x = self._decode(int(code))
            y = heights[x] - orientation.bottom[0]
            pieces.append(Placement(orientation, x, y))
            for dx, top in enumerate(orientation.top):
                heights[x + dx] = y + top
        if last is not None:
            pieces.append(last)
        packing = Packing(self.problem, tuple(pieces))
        packing.check()
        return packing


BACKTRACKER: Final = Backtracker()


@dataclass(frozen=True, slots=True)
class Automaton:
    """The finder that walks the column automaton, and then perhaps searches.

    The automaton gives no answer if none applies (:func:`explain_refusal`), or if it finds no
    packing but ignores squares of the problem. Without a search the finder then answers Unknown.
    """

    # The finder that searches if the automaton gives no answer; the limit applies to it only
    search: Backtracker | None = None

    @property
    def name(self) -> str:
        """The finder's name."""
        return "automaton" if self.search is None else "fastest"

    @property
    def is_complete(self) -> bool:
        """Whether there is a search, and it is complete."""
        return self.search is not None and self.search.is_complete

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that none exists."""
        result = self._walk(problem)
        if isinstance(result, Unknown) and self.search is not None:
            return self.search.find(problem, limit)
        return result

    def _walk(self, problem: PackingProblem) -> Result:
        """Answer by the automaton alone."""
        answer = solve_trivial(problem)
        if answer is not None:
            return answer
        reason = explain_refusal(problem)
        if reason is not None:
            return Unknown(reason)
        automaton = load(problem.rows)
        path = automaton.find_path(encode_as_word(problem, squares=automaton.squares))
        if path is not None:
            return build_packing(
                problem,
                (
                    (Placement(move.orientation, x, move.y), move.level)
                    for x, moves in enumerate(path)
                    for move in moves
                ),
            )
        if problem.squares and not automaton.squares:
            return Unknown(f"the automaton of {problem.rows} rows ignores squares in row -1")
        return Infeasible(f"the automaton of {problem.rows} rows does not accept it")


AUTOMATON: Final = Automaton()
FASTEST: Final = Automaton(Backtracker(attempts=None))
