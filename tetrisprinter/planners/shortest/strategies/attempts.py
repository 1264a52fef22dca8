"""Single attempts at a plan, made side by side: band by band or row by row, in some types.

What they have in common is a :class:`Candidate`, the plan that came of one, and the rule that
the first attempt that meets the bound stops those after it (:func:`in_order`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from tetrisprinter.planners.shortest.assignments import covering_assignments
from tetrisprinter.planners.shortest.problem import Assignment, Passes, drops_of
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.strategies.bands import print_by_bands
from tetrisprinter.planners.shortest.strategies.rows import print_by_rows
from tetrisprinter.planners.shortest.tuning import Trial
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.target import Target, colored

__all__ = [
    "NONE",
    "Assignments",
    "Attempt",
    "Candidate",
    "by_bands_attempts",
    "by_bands_otherwise",
    "by_rows_attempts",
    "in_order",
    "is_over",
]

Attempt = Callable[[SolverRun], "Candidate"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that may be the shortest, or that there is none.

    Attributes
    ----------
    passes : tuple of PlacedPass or None
        The passes; None if nothing was found.
    assignment : tuple of (PieceType, int)
        Which type shows which colour, if the target leaves that open.
    listed : bool
        Whether it is the shortest for the passes that were offered.
    made_by : tuple of str
        The stages that made it.
    """

    passes: Passes | None
    assignment: Assignment = ()
    listed: bool = False
    made_by: tuple[str, ...] = ()

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return drops_of(self.passes or ())

    def rank(self) -> tuple[bool, int, bool]:
        """Return what the best is the smallest of."""
        return self.passes is None, self.drops, not self.listed


NONE = Candidate(None)


def in_order(run: SolverRun, attempts: Sequence[Attempt]) -> list[Candidate]:
    """Make attempts side by side; return their plans, the shortest first.

    One that meets the bound stops those after it. None of them could count any more, so
    the plan does not depend on which attempt is faster.
    """
    branches = [run.branch() for _ in attempts]

    def made(number: int) -> Candidate:
        best = attempts[number](branches[number])
        if best.passes is not None and best.drops <= run.bound:
            for later in branches[number + 1 :]:
                later.stop()
        return best

    found = run.side_by_side(made, range(len(attempts)))
    run.spent += sum(branch.spent for branch in branches)
    return sorted(found, key=Candidate.rank)


def is_over(best: Candidate, run: SolverRun) -> bool:
    """Whether the run was stopped, or nothing can be shorter."""
    return run.stopped or (best.passes is not None and best.drops <= run.bound)


class Assignments:
    """Assignments of colours, made when first asked for, by whichever thread.

    After two, every second one is given beforehand, the best first, as far as there are some:
    but only as long as one of these has the shortest plan.
    """

    def __init__(self, target: Target, given: Sequence[Assignment] = ()) -> None:
        self._target = target
        self._given = tuple(given)
        self._left = list(given)
        self._more: Iterator[Assignment] | None = None
        self._made: list[Assignment] = []
        self._lock = threading.Lock()

    def get(self, number: int, best: Assignment, run: SolverRun) -> Assignment | None:
        """Return one; None if there are not so many.

        Parameters
        ----------
        number : int
            Which one.
        best : tuple of (PieceType, int)
            The assignment of the shortest plan so far.
        run : SolverRun
            Who asks.
        """
        with self._lock, run.seat:
            if self._more is None:
                self._more = covering_assignments(self._target, run.tuning)
            while len(self._made) <= number:
                its = len(self._made)
                if self._left and best in self._given and its > 1 and its % 2 == 0:
                    self._made.append(self._left.pop(0))
                    continue
                assignment = next(self._more, None)
                if assignment is None:
                    return None
                self._made.append(assignment)
            return self._made[number]


def _band_by_band(
    target: Target,
    known: Candidate,
    band: Trial | None,
    budget: float,
    run: SolverRun,
) -> Candidate:
    """Print band by band, in the known assignment, for something shorter than what is known.

    Only a large picture of which nothing is known has both workers to itself.
    """
    run.finish = None  # of the known plan, which may have other types
    first = () if band is None else (band,)
    abreast = 1 if known.assignment or band or known.passes is not None else 2
    passes = print_by_bands(
        target, run, first=first, abreast=abreast, budget=budget, known=known.passes or ()
    )
    if passes is not None:
        run.found(drops_of(passes))
    return Candidate(passes, known.assignment, made_by=(Stage.BANDS,))


def _row_by_row(
    target: Target, assignment: Assignment, patience: float, run: SolverRun
) -> Candidate:
    passes = print_by_rows(target, run, patience)
    if passes is not None:
        run.found(drops_of(passes))
    way = Stage.SOLVER_ROWS_PATIENT if patience else Stage.SOLVER_ROWS
    return Candidate(passes, assignment, made_by=(way,))


def by_rows_attempts(target: Target, run: SolverRun, patience: float = 0.0) -> list[Attempt]:
    """Print row by row; if types have no colours, with some assignments."""
    if target.shades is None:
        return [partial(_row_by_row, target, (), patience)]
    count = run.tuning.assignments_large * (2 if patience else 1)
    return [
        partial(_row_by_row, colored(target, assignment), assignment, patience)
        for assignment in islice(covering_assignments(target, run.tuning), count)
    ]


def by_bands_attempts(
    target: Target,
    assignments: Assignments,
    band: Trial | None,
    budget: float,
    numbers: range,
    known: Candidate,
) -> list[Attempt]:
    """Print band by band; if types have no colours, with some of several assignments."""
    if target.shades is None:
        return [partial(_band_by_band, target, known, band, budget)] if 0 in numbers else []

    def assigned(number: int, run: SolverRun) -> Candidate:
        assignment = assignments.get(number, known.assignment, run)
        if assignment is None or run.stopped:
            return NONE
        run.quick = band is not None
        most = run.tuning.band_budget if number and band else budget
        here = replace(known, assignment=assignment)
        return _band_by_band(colored(target, assignment), here, band, most, run)

    return [partial(assigned, number) for number in numbers]


def by_bands_otherwise(target: Target, known: Candidate, run: SolverRun) -> Candidate:
    """Print band by band once more, quickly: what is taken of equally short bands is chance.

    That may make a difference of a fifth. The rest of the picture is printed row by row now
    and then.
    """
    run.quick, run.seed = True, run.seed + 1
    fixed, most = colored(target, known.assignment), run.tuning.band_budget_otherwise
    passes = print_by_bands(fixed, run, abreast=1, budget=most, known=known.passes or ())
    if passes is not None:
        run.found(drops_of(passes))
    return replace(known, passes=passes, made_by=(Stage.BANDS_AGAIN,))
