"""One search that improves a plan until it is stopped: the only place that chooses the next step.

A portfolio of operators with a deterministic clock. Each operator
(:mod:`~tetrisprinter.planners.operators`) is a generator of small slices of work, which is
counted and not timed. The next slice goes to the operator that is expected to save most drops
for its work, as measured on this picture so far; each operator gets some work. The
order does not depend on the effort, which only sets the end of the search. So more effort is never
worse, and the answer is the same on every machine and for any number of workers.

After algorithm portfolios (Gomes and Selman 2001), adaptive large neighbourhood search (Ropke and
Pisinger 2006), and the deterministic time of CP-SAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from tetrisprinter.errors import JobError, TetrisPrinterError
from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import Step
from tetrisprinter.planners.context import Context, Operator, Request, Slice
from tetrisprinter.planners.operators import OPERATORS, QUICK
from tetrisprinter.planners.race import Race, estimate_print, seems_large
from tetrisprinter.planners.run import LOG, Progress, TimeUpError, ignore
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.support.stop import Stop

__all__ = ["SEARCH", "Incumbent", "Request", "SearchBudgets", "estimate_default_work", "improve"]


@dataclass(frozen=True, slots=True)
class SearchBudgets:
    """The limits of the search at an effort of 1. Work is about CPU seconds.

    Attributes
    ----------
    work : float
        The work for a picture of 200 squares or more, or for its full print if that takes more.
    least_share : float
        The share of ``work`` that the smallest picture has.
    most_factor : float
        While the search finds shorter plans, it may use this multiple of its work;
    patience : float
        it ends after this much work without a shorter plan.
    proved_share : float
        The share of the work for other boards if the best plan is the shortest on its board.
    memory : float
        Half of an operator's recorded savings is forgotten after this much of its work.
    trial : float
        Work added to the recent work of each operator, so that a single success does not decide.
    share : float
        Each operator gets at least this share of the work,
    grace : float
        once other operators have done this much work. The grace is doubled where the
        neighbourhood search is quick: one slice of another operator can cost as much.
    hopeless : float
        The search ends after this much work if it has no plan. This is for a picture of 200
        squares or more; a smaller picture gets a share of this work.
    simpler_share : float
        The share of ``hopeless`` for a picture that was simplified because no plan was found.
    solver_work : float
        The least work for a small picture that cannot be printed row by row.
    """

    work: float = 3.6
    least_share: float = 0.15
    most_factor: float = 1.8
    patience: float = 3.2
    proved_share: float = 0.5
    memory: float = 3.0
    trial: float = 1.0
    share: float = 0.04
    grace: float = 4.0
    hopeless: float = 20.0
    simpler_share: float = 0.4
    solver_work: float = 2.5


SEARCH: Final = SearchBudgets()


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A verified plan that is shorter than all earlier plans, or better proved.

    Attributes
    ----------
    result : PrintResult
        The plan, played, with its board, its types and its proved bound.
    operator : str
        Which operator found it.
    work : float
        The work that the search had used when the plan was found.
    is_last : bool
        Whether the search is over. The last plan is yielded once more, with all of the work and
        whether the search was stopped.
    """

    result: PrintResult
    operator: str
    work: float
    is_last: bool = False


def estimate_default_work(request: Request) -> float:
    """Return the work units of an effort of 1, estimated for a large picture."""
    if seems_large(request):
        return _LARGE_FACTOR * estimate_print(request)
    return SEARCH.work * _compute_size_share(request, SEARCH.least_share)


def _compute_size_share(request: Request, least_share: float) -> float:
    """Return the work of a picture as a share of that for 200 squares, at least ``least_share``."""
    picture = request.task.picture  # empty squares take work, too
    squares = max(len(picture.cells()), 0.9 * picture.width * picture.height)
    return min(1.0, max(least_share, squares / _SQUARES))


_SQUARES: Final = 200
_LEAST_HOPE: Final = 0.05
"""The share of ``hopeless`` that the smallest picture has."""
_LARGE_FACTOR: Final = 1.5
"""Default work of a large picture as a multiple of its estimated print; the rest is for samples."""


@dataclass(slots=True)
class _OperatorEntry:
    """A started operator with its statistics."""

    operator: Operator
    slices: Iterator[Slice]
    work: float = 0.0
    saved_share: float = 0.0  # as a share of the drops; older savings count less
    recent_work: float = 0.0  # older work counts less
    first_work: float = 0.0  # the work of its first slice
    work_before: float = 0.0  # the work of all operators when this one began

    def note(self, work: float, saved_share: float) -> None:
        """Record the work of a slice and the share of the drops that it saved."""
        fade = 0.5 ** (work / SEARCH.memory)
        self.first_work = self.first_work or work
        self.work += work
        self.saved_share = self.saved_share * fade + saved_share
        self.recent_work = self.recent_work * fade + work

    def estimate_saving(self, promise: float) -> float:
        """Return the share of the drops that a unit of work is expected to save.

        The promise falls with a power of the operator's work, the measured saving with its recent
        work, so an operator that no longer saves drops leaves the work to others. An operator with
        large slices is tried for longer.
        """
        operator = self.operator
        trial = max(operator.trial, 2 * self.first_work)
        promised = promise * (trial / (trial + self.work)) ** operator.decay
        return promised + self.saved_share / (SEARCH.trial + self.recent_work)


def improve(
    request: Request,
    stop: Stop | None = None,
    report: Callable[[Progress], None] = ignore,
    note: Callable[[str], None] = ignore,
    operators: tuple[Operator, ...] = OPERATORS,
) -> Iterator[Incumbent]:
    """Yield better and better plans until none can be shorter or the work is spent.

    Parameters
    ----------
    request : Request
        The task and the limits.
    stop : Stop, optional
        Ends the search from outside, within 0.2 s. By default only the time limit ends it.
    report : callable
        Called with a :class:`Progress` whenever there is news.
    note : callable
        Called with a sentence that the user should see even if no progress is shown.
    operators : tuple of Operator
        The operators to choose from.

    Yields
    ------
    Incumbent
        Each plan is shorter, better proved or newly playable; the last one is yielded twice.

    Raises
    ------
    JobError
        If no plan was found; :class:`TimeUpError` if the time was up before there was one.
    KeyboardInterrupt
        If the search was stopped from outside before there was a plan.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> from tetrisprinter.printing.task import Task
    >>> request = Request(Task.of(Picture.parse("rgr\\nrrr"), "9x14", "auto"))
    >>> drops = [found.result.drops for found in improve(request)]
    >>> drops == sorted(drops, reverse=True)
    True
    """
    yield from _Scheduler(
        request, Stop(request.limit.seconds) if stop is None else stop, report, note, operators
    ).run()


@dataclass(slots=True)
class _Scheduler:
    """A scheduler that gives slices of work to operators."""

    request: Request
    stop: Stop
    report: Callable[[Progress], None]
    note: Callable[[str], None]
    operators: tuple[Operator, ...]
    context: Context = field(init=False)
    # Three estimates, made once because they read all squares: the work of one print, the work of
    # an effort of 1, and whether the picture counts as large
    print_work: float = field(init=False)
    default_work: float = field(init=False)
    seems_large: bool = field(init=False)
    entries: dict[str, _OperatorEntry] = field(default_factory=dict)
    # By operator, the best plan when it ended
    best_when_ended: dict[str, Plan | None] = field(default_factory=dict)
    problem: JobError | None = None
    improved_at: float = 0.0  # the counted work at the last improvement
    playable_work: float = 0.0  # work to find a playable game, which the effort does not limit
    # The work of an effort of 1, as soon as it is known, by whether the picture counted as large
    known_work: dict[bool, float] = field(default_factory=dict)
    counted_boards: set[Board] = field(default_factory=set)  # boards whose parts were counted

    def __post_init__(self) -> None:
        self.context = Context(self.request, self.stop, self._report_progress, self.note)
        self.print_work = estimate_print(self.request)
        self.default_work = estimate_default_work(self.request)
        self.seems_large = seems_large(self.request)

    def run(self) -> Iterator[Incumbent]:
        """Run operators until the search is over; see :func:`improve`."""
        context = self.context
        for plan in self.request.known:
            incumbent = self._accept_slice(Slice(0.0, plan), "known plan")
            if incumbent is not None:
                yield incumbent
        try:
            while not self._is_over and (entry := self._choose_entry()) is not None:
                name = entry.operator.name
                self._report_progress(Progress(name))
                try:
                    slice_ = next(entry.slices)
                except StopIteration:
                    self._mark_ended(name)
                    continue
                except TimeUpError:
                    break
                except JobError as error:
                    LOG.info("%s: %s", name, error)
                    self.problem = self.problem or error
                    self._mark_ended(name)
                    continue
                if self.stop.is_requested and context.best is not None:
                    break  # the stop message promised the best plan so far
                drops_before = context.drops
                context.spent += slice_.work
                if name == Stage.ROOM and self.request.can_play is not None:
                    self.playable_work += slice_.work
                incumbent = self._accept_slice(slice_, name)
                saved_share = 0.0
                if incumbent is not None and drops_before < inf:
                    saved_share = max(0.0, 1 - context.drops / drops_before)
                entry.note(slice_.work, saved_share)
                if incumbent is not None:
                    yield incumbent
                if (proved_plan := self._prove_by_parts()) is not None:
                    yield proved_plan
        finally:
            for entry in self.entries.values():
                entry.slices.close()  # type: ignore[attr-defined]
        if context.best is None:
            raise self._make_error()
        best = self._count_parts(context.best)
        steps = self._describe_choices(best)
        result = replace(best, work=context.spent, stopped=self.stop.is_set, steps=steps)
        yield Incumbent(result, best.made_by[0], context.spent, True)

    def _make_error(self) -> BaseException:
        """Return the error to raise if there is no plan."""
        name = self.request.task.name
        if self.stop.is_requested:
            self.stop.raise_signal()
        if self.stop.is_set:
            return TimeUpError.of(name)
        return self.problem or JobError(f"{name}: no plan was found")

    def _prove_by_parts(self) -> Incumbent | None:
        """After some work, count the parts on the best board; return the plan if this proves it."""
        best, spent = self.context.best, self.context.spent
        if best is None or best.task.board in self.counted_boards or self.is_large:
            return None
        if spent < SEARCH.proved_share * self.default_work / 2:
            return None
        best = self._count_parts(best)
        if best.proof is not Proof.ALL_GAMES:
            return None
        return Incumbent(best, best.made_by[0], spent)

    def _count_parts(self, best: PrintResult) -> PrintResult:
        """Return the plan with a bound from counting parts; use a tenth of the work so far."""
        from tetrisprinter.bounds.parts import iterate_drop_bounds

        self.counted_boards.add(best.task.board)
        if best.proof is Proof.ALL_GAMES or self.stop.is_set:
            return best
        work = self.context.spent / 10
        for _, bound in iterate_drop_bounds(best.task, work, lambda: self.stop.is_set):
            best = replace(best, bound=max(best.bound, bound))
        if best.drops <= best.bound:
            best = replace(best, proof=Proof.ALL_GAMES)
        self.context.best = best
        return best

    @property
    def _is_over(self) -> bool:
        """Whether the plan is optimal, the work is spent, or a stop is requested."""
        best, spent = self.context.best, self._effort_work
        if self.stop.is_set:
            return True
        if self._needs_playable_plan:
            return False
        if best is None:
            effort = max(1.0, min(self.request.limit.effort, SEARCH.hopeless))
            return spent >= effort * self._first_plan_limit
        is_optimal = best.proof is Proof.ALL_GAMES and self.context.is_playable
        if is_optimal and (not self.request.any_board or not best.lines):
            return True
        effort = self.request.limit.effort
        default_work = self._compute_default_work()
        if self.is_large:
            return spent >= effort * default_work
        if spent >= effort * SEARCH.most_factor * default_work:
            return True
        if best.proof is Proof.ALL_GAMES:  # only another board may be better
            return spent >= effort * SEARCH.proved_share * default_work
        patience = effort * SEARCH.patience * min(1.0, default_work)
        return spent >= effort * default_work and spent - self.improved_at >= patience

    def _compute_default_work(self) -> float:
        """Return the work of an effort of 1, with one full print; infinite until it is known."""
        is_large, work = self.is_large, self.default_work
        if is_large in self.known_work:
            return self.known_work[is_large]
        if self._has_printed:
            work = self._effort_work if is_large else max(work, self._effort_work)
        elif self._has_given_up_print:
            work = max(work, self._effort_work) if self._needs_print else work
        elif self.request.limit.effort < 1:
            return work
        else:
            return inf
        self.known_work[is_large] = work
        return work

    @property
    def _needs_playable_plan(self) -> bool:
        """Whether the search still needs a game that the player can play."""
        return self.request.can_play is not None and any(
            operator.name == Stage.ROOM
            and not self._has_ended(operator)
            and operator.applies(self.context)
            for operator in self.operators
        )

    @property
    def _effort_work(self) -> float:
        """The work that counts against the effort."""
        return self.context.spent - self.playable_work

    @property
    def _has_printed(self) -> bool:
        """Whether a full print is complete, or this is already a simpler picture."""
        race = self.context.race
        if not isinstance(race, Race):
            return True
        if self.context.best is None:
            return False
        has_completed = any(
            entry.operator.completes for entry in self.entries.values() if entry.work
        )
        return has_completed or self.request.is_simpler or (not self.is_large and race.has_finished)

    @property
    def _needs_print(self) -> bool:
        """Whether the search waits for a full print: it has no plan, or the picture is large."""
        return self.context.best is None or self.is_large

    @property
    def _has_given_up_print(self) -> bool:
        """Whether no full print is likely any more; if a plan exists, this is decided sooner."""
        limit = self._give_up_limit
        if not self._needs_print:
            limit = max(min(limit, SEARCH.work), self.default_work)
        return self._effort_work >= limit

    @property
    def _give_up_limit(self) -> float:
        """The work after which an unfinished print is given up."""
        least_work = SEARCH.hopeless * min(1.0, 2 * _compute_size_share(self.request, _LEAST_HOPE))
        return max(least_work, 4 * self.print_work)

    @property
    def _first_plan_limit(self) -> float:
        """The work after which a search without a plan ends, so that a simpler picture is tried."""
        limit = self._give_up_limit
        if self.request.is_simpler:
            limit *= SEARCH.simpler_share
        if Stage.RACE in self.best_when_ended and limit < SEARCH.hopeless:
            # No row-by-row print of a small picture exists; a solver soon finds a game, or never.
            limit = min(limit, max(SEARCH.solver_work, SEARCH.simpler_share * self._give_up_limit))
        return max(limit, 4 * self.print_work)

    @property
    def is_large(self) -> bool:
        """Whether one print takes more work than a small picture has in all."""
        race = self.context.race  # the race may find that the estimate is wrong
        return self.seems_large or (isinstance(race, Race) and race.is_large)

    @property
    def _is_quick(self) -> bool:
        """Whether the neighbourhood search is quick on the best plan's board."""
        best = self.context.best
        return best is not None and best.task.board.width * best.task.picture.height <= QUICK

    def _choose_entry(self) -> _OperatorEntry | None:
        """Return the operator that gets the next slice; None if none applies."""
        context = self.context
        candidates = []
        for operator in self.operators:
            name = operator.name
            if self._has_ended(operator) or not operator.applies(context):
                continue
            if name not in self.entries:
                self.entries[name] = _OperatorEntry(
                    operator, operator.slices(context), work_before=context.spent
                )
            elif name in self.best_when_ended:  # the operator restarts for a new best plan
                del self.best_when_ended[name]
                self.entries[name].slices = operator.slices(context)
            candidates.append(self.entries[name])
        promises = {entry.operator.name: entry.operator.promise(context) for entry in candidates}
        for entry in candidates:
            if promises[entry.operator.name] == inf:
                return entry
        grace = SEARCH.grace * (2 if self._is_quick else 1)
        for entry in candidates:
            due_work = SEARCH.share * (context.spent - entry.work_before - grace)
            if entry.work < due_work:
                return entry
        return max(
            candidates, key=lambda e: e.estimate_saving(promises[e.operator.name]), default=None
        )

    def _has_ended(self, operator: Operator) -> bool:
        """Return whether an operator has ended and does not restart for the present best plan."""
        name, best = operator.name, self.context.best
        if name not in self.best_when_ended:
            return False
        return not operator.repeats or best is None or best.plan == self.best_when_ended[name]

    def _mark_ended(self, name: str) -> None:
        """Record that an operator has nothing left to try on the present best plan."""
        best = self.context.best
        self.best_when_ended[name] = None if best is None else best.plan

    def _accept_slice(self, slice_: Slice, name: str) -> Incumbent | None:
        """Verify the plan of a slice; return it if it is better than the best one, else None.

        A plan that can be played is better than any that cannot.
        """
        context = self.context
        best = context.best
        if slice_.plan is not None and self._is_better(slice_.plan):
            task = self.request.make_task_on(slice_.plan.board)
            try:
                result = PrintResult.of(task, slice_.plan, name)
            except TetrisPrinterError as error:
                LOG.error("%s: %s", name, error)
                if isinstance(error, JobError):
                    self.problem = error
                return None
            made_by = (name, *slice_.made_by)
            bound = slice_.bound
            if best is not None and best.task.board == result.task.board:
                bound = max(bound, best.bound)
            best = replace(result, made_by=made_by, bound=max(result.bound, bound))
            context.is_playable = context.is_playable or context.can_play(slice_.plan)
            self.improved_at = self._effort_work
        elif best is not None and slice_.bound > best.bound:
            best = replace(best, bound=slice_.bound)
        else:
            return None
        if best.drops <= best.bound:
            best = replace(best, proof=Proof.ALL_GAMES)
        best = replace(
            best,
            work=context.spent,
            steps=self._describe_choices(best),
            fallbacks=tuple(sorted(context.fallbacks.items())),
        )
        context.best = best
        return Incumbent(best, name, context.spent)

    def _is_better(self, plan: Plan) -> bool:
        """Return whether a plan is better than the best one: playable first, then shorter."""
        context = self.context
        if len(plan) < context.drops:
            return not context.is_playable or context.can_play(plan)
        return not context.is_playable and context.can_play(plan)

    def _describe_choices(self, best: PrintResult) -> tuple[Step, ...]:
        """Describe the chosen board or types and how many were tried, in no or one step."""
        race = self.context.race
        step = race.describe_choice(best.task) if isinstance(race, Race) else None
        return () if step is None else (step,)

    def _report_progress(self, progress: Progress) -> None:
        """Report progress, with the fewest drops so far and the share of the work that is done."""
        best = self.context.best
        default_work = self._compute_default_work()
        fraction = (
            0.0
            if default_work == inf
            else self.context.spent / (self.request.limit.effort * default_work)
        )
        if best is not None:
            progress = replace(
                progress, fraction=min(1.0, fraction), drops=best.drops, bound=best.bound
            )
        self.report(progress)
