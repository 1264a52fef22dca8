"""From the cheapest attempt to the one that always works.

First, pieces lying wholly in the picture, no row cleared at all: the physical limit,
decided in a blink. What follows depends on the size of the picture on its board:

- A *tiny* one is looked at as a whole, with more and more kinds of matrices, and printed
  row by row, band by band, or with rows that go in any order, only if that finds nothing.
- One of *middle* size is looked at as a whole and, beside it, printed band by band.
- A *large* one is printed band by band only, then improved.

Where few squares hold a row, both kinds are also printed row by row, carrying what does
not come out even (:mod:`~tetrisprinter.planners.shortest.strategies.rows`); so is what nothing else
prints.

While the types have no colours yet (*auto*), the first look at the whole picture leaves
them open, so the assignment is part of the optimum. The rolling horizon is given those
that let most squares be covered by pieces of one colour, several side by side. How well
an assignment covers says little about how it prints, and a cheaper trial says little
more, so each is printed in earnest; the best are then looked at as a whole.

Where some types may have the background's colour, the picture is first printed as if none
had, if it can be: which types then show the picture is another choice, often a better one.
If it cannot, because of the number of squares or an empty row, a picture that is not tiny is
printed with as few unseen squares more as make it possible, their places chosen beforehand.
What that gives is what a game that leaves unseen squares anywhere has to beat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, inf

from tetrisprinter.planners.shortest.assignments import any_assignment
from tetrisprinter.planners.shortest.problem import Assignment, drops_of
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.strategies.attempts import (
    NONE,
    Assignments,
    Attempt,
    Candidate,
    by_bands_attempts,
    by_bands_otherwise,
    by_rows_attempts,
    in_order,
    is_over,
)
from tetrisprinter.planners.shortest.strategies.bands import print_by_bands
from tetrisprinter.planners.shortest.strategies.improve import merged, shortened
from tetrisprinter.planners.shortest.strategies.whole import (
    few_line_problems,
    lying_problem,
    print_whole,
)
from tetrisprinter.planners.shortest.strategies.whole_games import (
    is_for_whole_games,
    print_whole_games,
)
from tetrisprinter.planners.shortest.tuning import Trial, Tuning
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.counting import fewest_drops, filled, unit_of
from tetrisprinter.printing.obstacles import forbidden_by
from tetrisprinter.printing.target import Target, closed, colored, raised

__all__ = ["shortest_candidate"]


def shortest_candidate(target: Target, run: SolverRun, known: Candidate = NONE) -> Candidate:
    """Find a plan in as few drops as the run's effort allows.

    Parameters
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers, seed and tuning. Its bound and best are kept up to date.
    known : Candidate
        A plan to begin with, if there is one.

    Returns
    -------
    Candidate
        With no more drops than the known one; perhaps without passes if there is none.
    """
    run.bound = max(run.bound, fewest_drops(target))
    run.report("without clearing a row")
    lying = run.solve(lying_problem(target), run.tuning.lying_work)
    is_best = lying.passes is not None and lying.complete
    best = Candidate(lying.passes, lying.assignment, is_best, (Stage.NO_CLEAR,))
    if lying.passes is not None:
        run.found(lying.drops)
    if lying.complete:
        least = fewest_drops(target, 1)
        least = least if lying.passes is None else min(least, lying.drops)
        run.bound = max(run.bound, least)
    plain = closed(target)
    if target.unseen and not _is_possible(plain) and _cells(target) > run.tuning.tiny_cells:
        plain = closed(filled(target))
    if not is_over(best, run) and target.unseen and _is_possible(plain):
        branch = run.branch()
        branch.bound = max(branch.bound, fewest_drops(plain, int(lying.complete)))
        found = _by_size(plain, NONE, branch, NONE, resorts=False)
        run.spent += branch.spent
        closed_by = (*found.made_by, Stage.NOTHING_UNSEEN)
        found = replace(found, listed=False, made_by=closed_by)
        best = min(best, found, key=Candidate.rank)
    if not is_over(best, run):
        is_worth_it = run.effort >= 1 and _cells(target) <= run.tuning.tiny_cells
        best = _by_size(target, best, run, known, resorts=known.passes is None or is_worth_it)
    if known.rank() < best.rank() and not is_over(known, run):
        return _improved(target, known, run)
    return min(best, known, key=Candidate.rank)


def _cells(target: Target) -> int:
    return target.width * target.rows


def _step(target: Target) -> int:
    """Return by how many drops two games differ at least, if they differ."""
    return target.width // unit_of(target.width)


def _is_possible(target: Target) -> bool:
    return forbidden_by(target) is None and any_assignment(target) is not None


def _by_size(
    target: Target, best: Candidate, run: SolverRun, known: Candidate, *, resorts: bool
) -> Candidate:
    """Look for something better than the best so far, according to the picture's size.

    Without ``resorts``, what takes long and finds a plan where nothing else does is left out.
    """
    tuning = run.tuning
    cells = _cells(target)
    if target.above and cells <= tuning.whole_cells:
        few = tuning.few_lines_tiny if cells <= tuning.tiny_cells else tuning.few_lines
        best = _few_lines(target, few, best, run)
        if best.passes is not None and best.drops <= fewest_drops(target, few + 1):
            return best  # nothing with more of them is shorter
        best = replace(best, listed=False)
        if is_over(best, run):
            return best
    is_tiny = cells <= tuning.tiny_cells
    if cells > tuning.game_cells and target.width >= tuning.game_width:
        is_open = target.shades is not None and known.passes is not None
        is_tiny = is_tiny and not (is_open and is_for_whole_games(target))
    if is_tiny:
        return _tiny(target, best, run, resorts)
    if cells <= tuning.whole_cells:
        return _middle(target, best, run, known, resorts=resorts)
    return _large(target, best, run, known, resorts=resorts)


def _few_lines(target: Target, most_lines: int, best: Candidate, run: SolverRun) -> Candidate:
    """Try all ways to put one clearing row, or a few, among the rows of the picture.

    Squares that may stay unseen take up any remainder, so there often is such a game; but they
    may lie nearly anywhere, and among many passes it is hard to find.
    """
    tuning = run.tuning
    target = raised(target, tuning.few_above)
    complete = True
    for lines in range(1, most_lines + 1):
        run.report("a single cleared row" if lines == 1 else f"{lines} cleared rows")
        least = fewest_drops(target, lines)
        problems = few_line_problems(target, lines)
        for first in range(0, len(problems), tuning.few_abreast):
            if run.stopped or (best.passes is not None and best.drops <= least):
                break
            most = None if best.passes is None else best.drops - 1
            batch = problems[first : first + tuning.few_abreast]
            jobs = [(replace(one, most=most), tuning.few_work, False) for one in batch]
            for found in run.solve_all(jobs):
                complete = complete and found.complete
                if found.passes is not None:
                    run.found(found.drops)
                    few = Candidate(found.passes, found.assignment, made_by=(Stage.FEW_LINES,))
                    best = min(best, few, key=Candidate.rank)
    return replace(best, listed=complete and best.passes is not None)


def _tiny(target: Target, best: Candidate, run: SolverRun, resorts: bool) -> Candidate:
    """Look at the whole picture with all kinds of matrices, if need be."""
    target = raised(target, run.tuning.tiny_above)
    best = _whole(target, best, run.tuning.open_looks, run)
    if not is_over(best, run):
        best = _whole(target, best, run.tuning.tiny_looks, run)
    low = target.height <= run.tuning.ordered_height
    first = [_any_order, _by_rows] if low else [_by_rows, _any_order]
    for resort in (*first, _patiently, _joined):
        if best.passes is None and resorts:
            best = resort(target, run)
    if best.passes is None or best.listed or is_over(best, run):
        return best
    return _improved(target, best, run)


def _any_order(target: Target, run: SolverRun) -> Candidate:
    """Look at a very small picture with rows that go in any order."""
    tuning = run.tuning
    if target.width * target.rows > tuning.ordered_cells:
        return NONE
    bridged = replace(tuning, bridged_lines=tuning.ordered_bridged)
    found, listed = print_whole(target, run, tuning.ordered_looks, bridged, core=False)
    is_best = found.passes is not None and listed
    return Candidate(found.passes, found.assignment, is_best, (Stage.ANY_ORDER,))


def _by_rows(target: Target, run: SolverRun) -> Candidate:
    """Print row by row, then band by band: for long only if the first finds nothing."""
    tuning = run.tuning
    carried = in_order(run, by_rows_attempts(target, run))[0]
    budget = inf if carried.passes is None else tuning.band_budget
    count = range(tuning.assignments)
    banded = by_bands_attempts(target, Assignments(target), None, budget, count, NONE)
    best = in_order(run, banded)[0]
    return min(best, carried, key=Candidate.rank)


def _patiently(target: Target, run: SolverRun) -> Candidate:
    """Print row by row, trying dear ways, too."""
    best = NONE
    for patience in run.tuning.patience:
        if best.passes is None:
            best = in_order(run, by_rows_attempts(target, run, patience))[0]
    return best


def _joined(target: Target, run: SolverRun) -> Candidate:
    """Look at the whole picture with picture rows between clearing rows."""
    found = _whole(target, NONE, run.tuning.joined_looks, run, core=False)
    return replace(found, made_by=(Stage.WHOLE_JOINED,))


def _middle(
    target: Target, best: Candidate, run: SolverRun, known: Candidate, *, resorts: bool
) -> Candidate:
    """Look at the whole picture and, beside it, print it band by band.

    With types as they are, the whole picture is solved to the end more often than not. With
    open types it seldom is: assignments are tried in bands, and the best of them are then
    looked at as a whole. Where squares may stay unseen that is kept short if there is a plan.
    """
    tuning = run.tuning
    given = best
    is_open = target.shades is not None
    is_brief = bool(target.above) and (given.passes is not None or known.passes is not None)
    looks = _open_looks(target, tuning, known) if is_open else tuning.fixed_looks
    is_long = run.effort >= tuning.look_effort or known.passes is None
    games: list[Candidate] = []
    is_short = False
    if is_open and is_long and is_for_whole_games(target):
        games = _whole_games(target, known, run)
        shortest = min(*games, known, key=Candidate.rank)
        if is_over(shortest, run):
            return shortest
        is_short = shortest.passes is not None
        is_short &= shortest.drops - run.bound <= tuning.game_steps * _step(target)
        looks = looks if shortest is known else ()
    whole = [partial(_whole, target, best, looks)] if is_long and looks else []
    budget = tuning.band_budget if is_open and is_brief else tuning.band_budget_second
    budget = inf if resorts and not is_brief else budget
    most = tuning.assignments_again if is_brief else tuning.assignments_most
    most = min(most, tuning.assignments) if is_short else most
    assignments = Assignments(target, [one.assignment for one in games])
    band = tuning.open_band if is_open else tuning.first_band
    banded = partial(by_bands_attempts, target, assignments, band, budget)
    is_carried = _is_sparse(target, run) and (is_open or known.passes is None)
    carried = by_rows_attempts(target, run) if is_carried else []
    found = _some_attempts(best, run, most, banded, [*whole, *carried], games)
    best = min(best, *found, known, key=Candidate.rank)
    if best.passes is None and not carried and resorts:
        best = in_order(run, by_rows_attempts(target, run))[0]
    for resort in (_patiently, _joined):
        if best.passes is None and resorts:
            best = resort(target, run)
    if best.passes is None or is_over(best, run):
        return best
    if is_open:
        seen = (None, given.passes)
        choices = [one.assignment for one in (best, *found) if one.passes not in seen]
        is_near = best.drops - run.bound <= tuning.final_steps * _step(target)
        count = _scaled(tuning.finalists, run) if is_near else 0
        finalists = list(dict.fromkeys(choices))[:count]
        if finalists:
            attempts = [partial(_final, target, best, one) for one in finalists]
            best = in_order(run, attempts)[0]
        if best.passes is given.passes:
            return best  # was improved before
        return _improved(target, best, run, only_merge=True)
    last = [partial(_whole, target, best, tuning.last_looks), partial(_improved, target, best)]
    return in_order(run, last)[0]


def _whole_games(target: Target, known: Candidate, run: SolverRun) -> list[Candidate]:
    """Look for whole games in many assignments; return the best of these."""
    found = [
        Candidate(*one, made_by=(Stage.WHOLE_GAMES,))
        for one in print_whole_games(target, run, known.assignment)
    ]
    for one in found:
        if one.passes is not None:
            run.found(one.drops)
    return found


def _open_looks(target: Target, tuning: Tuning, known: Candidate) -> tuple[Trial, ...]:
    """Return the first look at the whole picture: with many colours it seldom finds anything."""
    shades = {shade for row in target.shades or () for shade in row if shade}
    if len(shades) <= tuning.open_few:
        return tuning.open_looks
    return tuning.open_looks_many if known.passes is None else ()


def _scaled(count: int, run: SolverRun) -> int:
    """Return how many attempts of some kind are made: with less effort fewer, but one."""
    return max(1, ceil(count * min(1.0, run.effort)))


def _some_attempts(
    best: Candidate,
    run: SolverRun,
    most: int,
    banded: Callable[[range, Candidate], list[Attempt]],
    others: Sequence[Attempt],
    games: Sequence[Candidate],
) -> list[Candidate]:
    """Make as many attempts with bands as are worth it; return all plans, the shortest first.

    Those after the first ones end when they fall behind the shortest plan so far.
    """
    tuning = run.tuning
    began = run.spent
    tried = _scaled(tuning.assignments if best.passes is None else tuning.assignments_again, run)
    found = sorted(games, key=Candidate.rank)
    first, *more = banded(range(min(tried, most)), NONE)
    found = sorted([*in_order(run, [first, *others, *more]), *found], key=Candidate.rank)
    while best.passes is None and run.spent - began < tuning.assignments_work * run.effort:
        attempts = banded(range(tried, min(tried + 2, most)), found[0])
        if not attempts or found[0].passes is None or is_over(found[0], run):
            break
        found += in_order(run, attempts)
        found.sort(key=Candidate.rank)
        tried += 2
    return found


def _large(
    target: Target, best: Candidate, run: SolverRun, known: Candidate, *, resorts: bool
) -> Candidate:
    """Print in bands, then improve; where few squares hold a row, print row by row, too.

    A plan that is known is row by row, too, and made by a search that is a hundred times as
    fast. If it was printed already, with all its types seen, then only row by row.
    """
    if best.passes is not None:
        return min(best, *in_order(run, by_rows_attempts(target, run)), key=Candidate.rank)
    tuning = run.tuning
    if known.passes is not None and _cells(target) > tuning.large_cells:
        return _huge(target, run, known)
    carried = NONE
    is_sparse = _is_sparse(target, run)
    if is_sparse and known.passes is None:
        carried = in_order(run, by_rows_attempts(target, run))[0]
    is_printed = known.passes is not None or carried.passes is not None
    # Where there are many squares, bands that take long are worth it all the same.
    budget = tuning.band_budget_second if is_printed and is_sparse else inf
    count = range(_scaled(tuning.assignments_large, run))
    banded = by_bands_attempts(target, Assignments(target), None, budget, count, known)
    if known.passes is not None:
        banded.insert(1, partial(by_bands_otherwise, target, known))
    best = in_order(run, banded)[0]
    if not is_printed and best.passes is None and resorts:
        carried = in_order(run, by_rows_attempts(target, run))[0]
        if carried.passes is None:
            carried = _patiently(target, run)
    is_shorter = known.passes is None or best.drops <= known.drops  # else that one is improved
    if best.passes is not None and is_shorter and not is_over(best, run):
        best = _improved(target, best, run)
    return min(best, carried, key=Candidate.rank)


def _huge(target: Target, run: SolverRun, known: Candidate) -> Candidate:
    """Print in bands, in the types of the known plan, whose rest follows when time is up."""
    tuning = run.tuning
    fixed = colored(target, known.assignment)
    passes = print_by_bands(
        fixed,
        run,
        first=tuning.wide_bands,
        abreast=1,
        budget=tuning.wide_budget * target.width * target.rows,
        known=known.passes or (),
    )
    banded = Candidate(passes, known.assignment, made_by=(Stage.BANDS_WIDE,))
    best = min(known, banded, key=Candidate.rank)
    return best if is_over(best, run) else _improved(target, best, run)


def _final(target: Target, best: Candidate, assignment: Assignment, run: SolverRun) -> Candidate:
    """Look at the whole picture in one assignment of colours, for something better."""
    run.quick = True
    here = replace(best, assignment=assignment)
    found = _whole(colored(target, assignment), here, run.tuning.final_looks, run)
    if found.passes is best.passes:
        return best
    return replace(found, listed=False, made_by=(Stage.WHOLE_LAST,))


def _is_sparse(target: Target, run: SolverRun) -> bool:
    return len(target.required) < run.tuning.sparse_filled * target.rows * target.width


def _improved(
    target: Target, best: Candidate, run: SolverRun, *, only_merge: bool = False
) -> Candidate:
    fixed = colored(target, best.assignment)
    passes, made_by = best.passes or (), best.made_by
    for way, step in ((Stage.MERGED, merged), (Stage.WINDOWS, shortened))[: 1 if only_merge else 2]:
        before = drops_of(passes)
        passes = step(fixed, run, passes)
        if drops_of(passes) < before:
            made_by = (*made_by, way)
    return Candidate(passes, best.assignment, made_by=made_by)


def _whole(
    target: Target,
    best: Candidate,
    looks: Sequence[Trial],
    run: SolverRun,
    *,
    core: bool = True,
) -> Candidate:
    """Look at the whole picture at once, for something better than the best so far."""
    most = None if best.passes is None else best.drops - 1
    found, complete = print_whole(target, run, looks, run.tuning, most=most, core=core)
    if found.passes is None:
        return replace(best, listed=best.passes is not None and complete)
    assignment = found.assignment or best.assignment
    return Candidate(found.passes, assignment, complete, (Stage.WHOLE,))
