"""One search that improves a plan until it is stopped: the only place that chooses the next step.

A portfolio of operators with a deterministic clock. Each operator
(:mod:`~tetrisprinter.planners.operators`) is a generator of small slices of work, which is
counted and not timed. The next slice goes to the operator that promises to save most drops for
its work, as measured on this picture so far; none is starved. The order does not depend on the
effort, which only sets the end of the search. So more effort is never worse, and the answer is the
same on every machine and for any number of workers.

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
        For a picture of 200 squares or more; if its full print takes longer, that much.
    least : float
        The share of ``work`` that the smallest picture has.
    idle : float
        The search may use this multiple of its work while it finds shorter plans...
    patience : float
        ...and it ends after this much work without a shorter plan.
    proved : float
        The share of the work for other boards if the best plan is the shortest on its board.
    memory : float
        Half of an operator's recorded savings is forgotten after this much of its work.
    trial : float
        The work that is added to an operator's recent work, so that one success does not decide.
    share : float
        Each operator gets at least this share of the work...
    grace : float
        ...once other operators have done this much work. It is twice as much where the
        neighbourhood search is quick: one slice of another operator can cost as much as it.
    hopeless : float
        The search ends after this much work if it has no plan. This is for a picture of 200
        squares or more; a smaller picture has a share of it.
    simpler : float
        The share of that work for a picture that was simplified because no plan was found.
    solver : float
        The least work for a small picture that cannot be printed row by row.
    """

    work: float = 3.6
    least: float = 0.15
    idle: float = 1.8
    patience: float = 3.2
    proved: float = 0.5
    memory: float = 3.0
    trial: float = 1.0
    share: float = 0.04
    grace: float = 4.0
    hopeless: float = 20.0
    simpler: float = 0.4
    solver: float = 2.5


SEARCH: Final = SearchBudgets()


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A verified plan that is shorter than all before it, or better proved.

    Attributes
    ----------
    result : PrintResult
        The plan, played, with its board, its types and its proved bound.
    operator : str
        Which operator found it.
    work : float
        The work that the search had used by then.
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
    return SEARCH.work * _compute_size_share(request, SEARCH.least)


def _compute_size_share(request: Request, least: float) -> float:
    """Return the work of a picture as a share of that of a picture of 200 squares."""
    picture = request.task.picture  # empty squares are work, too
    squares = max(len(picture.cells()), 0.9 * picture.width * picture.height)
    return min(1.0, max(least, squares / _SQUARES))


_SQUARES: Final = 200
_LEAST_HOPE: Final = 0.05
"""The share of ``hopeless`` that the smallest picture has."""
_LARGE_FACTOR: Final = 1.5
"""Default work of a large picture per unit of its estimated print; more than 1 for the samples."""


@dataclass(slots=True)
class _OperatorEntry:
    """A started operator with its statistics."""

    operator: Operator
    slices: Iterator[Slice]
    work: float = 0.0
    saved: float = 0.0  # part of the drops; older savings count less
    recent: float = 0.0  # work; older work counts less
    first: float = 0.0  # work of its first slice
    before: float = 0.0  # work of all operators when it began

    def note(self, work: float, saved: float) -> None:
        """Record the work of a slice and the drops that it saved."""
        fade = 0.5 ** (work / SEARCH.memory)
        self.first = self.first or work
        self.work += work
        self.saved = self.saved * fade + saved
        self.recent = self.recent * fade + work

    def rate(self, promise: float) -> float:
        """Return the drops that a unit of work is expected to save.

        The promise falls with a power of the operator's work, the measured saving with its recent
        work, so an operator that no longer saves drops leaves the work to others. An operator with
        large slices is tried for longer.
        """
        operator = self.operator
        trial = max(operator.trial, 2 * self.first)
        promised = promise * (trial / (trial + self.work)) ** operator.decay
        return promised + self.saved / (SEARCH.trial + self.recent)


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
        Ends the search from outside, within 0.2 s. By default only the limit's seconds do.
    report : callable
        Called with a :class:`Progress` whenever there is news.
    note : callable
        Called with a sentence that a person should read even where no progress is shown.
    operators : tuple of Operator
        The operators to choose from.

    Yields
    ------
    Incumbent
        Each is shorter, better proved or newly playable; the last one comes twice.

    Raises
    ------
    JobError
        If no plan was found; :class:`TimeUpError` if the time was up before there was one.
    KeyboardInterrupt
        If it was stopped from outside before there was a plan.

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
    # Estimates that read all squares, so they are made once: the work of one print, that of an
    # effort of 1, and whether the picture counts as large
    print_work: float = field(init=False)
    default_work: float = field(init=False)
    seems_large: bool = field(init=False)
    entries: dict[str, _OperatorEntry] = field(default_factory=dict)
    ended: dict[str, Plan | None] = field(default_factory=dict)  # and the best plan then
    problem: JobError | None = None
    improved: float = 0.0  # counted work at the last improvement
    extra: float = 0.0  # work for a game that the player can play, which the effort does not limit
    # Work of an effort of 1, once it is known, by whether the picture counted as large then
    usual: dict[bool, float] = field(default_factory=dict)
    counted: set[Board] = field(default_factory=set)  # boards on which the parts were counted

    def __post_init__(self) -> None:
        self.context = Context(self.request, self.stop, self._report_progress, self.note)
        self.print_work = estimate_print(self.request)
        self.default_work = estimate_default_work(self.request)
        self.seems_large = seems_large(self.request)

    def run(self) -> Iterator[Incumbent]:
        """Run operators until the search is over; see :func:`improve`."""
        context = self.context
        for plan in self.request.known:
            found = self._accept_slice(Slice(0.0, plan), "known plan")
            if found is not None:
                yield found
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
                before = context.drops
                context.spent += slice_.work
                if name == Stage.ROOM and self.request.can_play is not None:
                    self.extra += slice_.work
                found = self._accept_slice(slice_, name)
                saved = 0.0
                if found is not None and before < inf:
                    saved = max(0.0, 1 - context.drops / before)
                entry.note(slice_.work, saved)
                if found is not None:
                    yield found
                if (proved := self._prove_by_parts()) is not None:
                    yield proved
        finally:
            for entry in self.entries.values():
                entry.slices.close()  # type: ignore[attr-defined]
        if context.best is None:
            raise self._make_error()
        best = self._count_parts(context.best)
        steps = self._describe_choices(best)
        last = replace(best, work=context.spent, stopped=self.stop.is_set, steps=steps)
        yield Incumbent(last, best.made_by[0], context.spent, True)

    def _make_error(self) -> BaseException:
        """Return the error to raise if there is no plan."""
        name = self.request.task.name
        if self.stop.is_requested:
            self.stop.raise_signal()
        if self.stop.is_set:
            return TimeUpError.of(name)
        return self.problem or JobError(f"{name}: no plan was found")

    def _prove_by_parts(self) -> Incumbent | None:
        """Count the parts on the best board after some work; return the plan if this proves it."""
        best, spent = self.context.best, self.context.spent
        if best is None or best.task.board in self.counted or self.is_large:
            return None
        if spent < SEARCH.proved * self.default_work / 2:
            return None
        best = self._count_parts(best)
        if best.proof is not Proof.ALL_GAMES:
            return None
        return Incumbent(best, best.made_by[0], spent)

    def _count_parts(self, best: PrintResult) -> PrintResult:
        """Raise the bound by counting the picture's parts; spend a tenth of the work so far."""
        from tetrisprinter.bounds.parts import iterate_drop_bounds

        self.counted.add(best.task.board)
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
        usual = self._choose_default_work()
        if self.is_large:
            return spent >= effort * usual
        if spent >= effort * SEARCH.idle * usual:
            return True
        if best.proof is Proof.ALL_GAMES:  # only another board may be better
            return spent >= effort * SEARCH.proved * usual
        patience = effort * SEARCH.patience * min(1.0, usual)
        return spent >= effort * usual and spent - self.improved >= patience

    def _choose_default_work(self) -> float:
        """Return the work of an effort of 1, which includes one full print of a large picture."""
        is_large, usual = self.is_large, self.default_work
        if is_large in self.usual:
            return self.usual[is_large]
        if self._has_printed:
            usual = self._effort_work if is_large else max(usual, self._effort_work)
        elif self._has_given_up_print:
            usual = max(usual, self._effort_work) if self._needs_print else usual
        elif self.request.limit.effort < 1:
            return usual
        else:
            return inf
        self.usual[is_large] = usual
        return usual

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
        return self.context.spent - self.extra

    @property
    def _has_printed(self) -> bool:
        """Whether a full print is complete, or this is already a simpler picture."""
        race = self.context.race
        if not isinstance(race, Race):
            return True
        if self.context.best is None:
            return False
        ended = any(entry.operator.completes for entry in self.entries.values() if entry.work)
        return ended or self.request.is_simpler or (not self.is_large and race.has_finished)

    @property
    def _needs_print(self) -> bool:
        """Whether the search waits for a full print: it has no plan, or the picture is large."""
        return self.context.best is None or self.is_large

    @property
    def _has_given_up_print(self) -> bool:
        """Whether no full print is likely any more; with a plan at hand that is decided sooner."""
        limit = self._give_up_limit
        if not self._needs_print:
            limit = max(min(limit, SEARCH.work), self.default_work)
        return self._effort_work >= limit

    @property
    def _give_up_limit(self) -> float:
        """The work after which an unfinished print is given up."""
        least = SEARCH.hopeless * min(1.0, 2 * _compute_size_share(self.request, _LEAST_HOPE))
        return max(least, 4 * self.print_work)

    @property
    def _first_plan_limit(self) -> float:
        """The work after which a search without a plan ends, so that a simpler picture is tried."""
        limit = self._give_up_limit
        if self.request.is_simpler:
            limit *= SEARCH.simpler
        if Stage.RACE in self.ended and limit < SEARCH.hopeless:
            # No row-by-row print of a small picture exists; a solver soon finds a game, or never.
            limit = min(limit, max(SEARCH.solver, SEARCH.simpler * self._give_up_limit))
        return max(limit, 4 * self.print_work)

    @property
    def is_large(self) -> bool:
        """Whether one print takes more work than a small picture has in all."""
        race = self.context.race  # may find that the estimate is wrong
        return self.seems_large or (isinstance(race, Race) and race.is_large)

    @property
    def _is_quick(self) -> bool:
        """Whether the neighbourhood search is quick on the best plan's board."""
        best = self.context.best
        return best is not None and best.task.board.width * best.task.picture.height <= QUICK

    def _choose_entry(self) -> _OperatorEntry | None:
        """Return the operator that gets the next slice; None if none applies."""
        context = self.context
        live = []
        for operator in self.operators:
            name = operator.name
            if self._has_ended(operator) or not operator.applies(context):
                continue
            if name not in self.entries:
                self.entries[name] = _OperatorEntry(
                    operator, operator.slices(context), before=context.spent
                )
            elif name in self.ended:  # it restarts for a new best plan
                del self.ended[name]
                self.entries[name].slices = operator.slices(context)
            live.append(self.entries[name])
        promises = {entry.operator.name: entry.operator.promise(context) for entry in live}
        for entry in live:
            if promises[entry.operator.name] == inf:
                return entry
        grace = SEARCH.grace * (2 if self._is_quick else 1)
        for entry in live:
            due = SEARCH.share * (context.spent - entry.before - grace)
            if entry.work < due:
                return entry
        return max(live, key=lambda e: e.rate(promises[e.operator.name]), default=None)

    def _has_ended(self, operator: Operator) -> bool:
        """Return whether an operator has ended and does not restart for the present best plan."""
        name, best = operator.name, self.context.best
        if name not in self.ended:
            return False
        return not operator.repeats or best is None or best.plan == self.ended[name]

    def _mark_ended(self, name: str) -> None:
        best = self.context.best
        self.ended[name] = None if best is None else best.plan

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
            self.improved = self._effort_work
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
        """Describe the chosen board or types, and how many were tried."""
        race = self.context.race
        step = race.describe_choice(best.task) if isinstance(race, Race) else None
        return () if step is None else (step,)

    def _report_progress(self, news: Progress) -> None:
        """Report progress, with the drops so far and the share of the work that is done."""
        best = self.context.best
        usual = self._choose_default_work()
        done = 0.0 if usual == inf else self.context.spent / (self.request.limit.effort * usual)
        if best is not None:
            news = replace(news, fraction=min(1.0, done), drops=best.drops, bound=best.bound)
        self.report(news)
