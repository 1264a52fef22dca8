"""The operators of the search, in one table: name, when each applies, and how it runs a slice.

An operator's *promise* is the share of the drops that a unit of its work is expected to save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from math import inf
from typing import Final

from tetrisprinter.planners.budgets import COMMON
from tetrisprinter.planners.context import Context, Operator, Slice
from tetrisprinter.planners.race import Race
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import Proof


def _get_race(context: Context) -> Race:
    """Return the race of a search, which several operators share."""
    if not isinstance(context.race, Race):
        context.race = Race(context)
    return context.race


def _is_unrestricted(context: Context) -> bool:
    """Return whether games begin with an empty board and may use any pieces in any order."""
    task = context.request.task
    return not task.start and task.pieces is None and context.request.unfinished is None


def _is_large(context: Context) -> bool:
    return _is_unrestricted(context) and _get_race(context).is_large


def _needs_full_print(context: Context) -> bool:
    return _is_unrestricted(context) and _get_race(context).needs_full_print


def _needs_solver(context: Context) -> bool:
    """Return whether no print succeeded and the board is small enough for a solver."""
    task = context.request.task
    return (
        _is_unrestricted(context)
        and context.best is None
        and task.board.width * task.picture.height <= COMMON.most_solver_squares
        and find_spec("pysat") is not None
    )


def _can_improve(context: Context) -> bool:
    """Return whether a solver is available and the best plan may be improved.

    Formulas of large pictures take gigabytes, and minutes for each window.
    """
    best = context.best
    return (
        _is_unrestricted(context)
        and not _is_large(context)
        and best is not None
        and best.proof is not Proof.ALL_GAMES
        and find_spec("pysat") is not None
    )


def _needs_playable_game(context: Context) -> bool:
    """Return whether no plan is playable yet and the board is small enough for a solver."""
    task = context.request.task if context.best is None else context.best.task
    return (
        not context.is_playable
        and _is_unrestricted(context)
        and task.board.width * task.picture.height <= _MOST_FORMULA_SQUARES
        and find_spec("pysat") is not None
    )


def _can_solve(context: Context) -> bool:
    """Return whether the whole game fits into one formula."""
    best = context.best
    return (
        best is not None
        and best.task.board.width * best.task.picture.height <= _MOST_FORMULA_SQUARES
        and _can_improve(context)
    )


def _has_small_stacks(context: Context) -> bool:
    """Return whether one formula of all shorter games is small enough for a solver."""
    best = context.best
    if best is None or best.task.has_dont_care_squares or not _can_solve(context):
        return False
    picture = best.task.picture
    cells = 4 * best.drops - len(picture.cells()) + best.task.board.width * picture.height
    return cells <= _MOST_STACK_CELLS


_MOST_STACK_CELLS: Final = 500
"""The most cells of a stack for which one formula covers all stacks."""

_MOST_FORMULA_SQUARES: Final = 900
"""The largest board width times picture height for a formula of whole games."""


def _bind_race(
    race_method: Callable[[Race], Iterator[Slice]],
) -> Callable[[Context], Iterator[Slice]]:
    """Return an operator's ``race_method`` from a method of the race."""
    return lambda context: race_method(_get_race(context))


def _print_row_by_row(context: Context) -> Iterator[Slice]:
    """Finish an unfinished plan, or print over existing squares, row by row."""
    from tetrisprinter.planners.from_board import plan_from_board, search_from_board
    from tetrisprinter.planners.rows import ROWS

    request = context.request
    run = _make_run(context)
    if not request.task.start:
        result = ROWS.plan(request.task, run)
    elif request.limit.effort >= 2:  # on a small board this searches all games
        result = search_from_board(request.task, run)
    else:
        result = plan_from_board(request.task, run)
    yield Slice(run.work.spent, result.plan, result.made_by, result.bound)


def _plan_with_queue(context: Context) -> Iterator[Slice]:
    """Plan with a piece queue."""
    from tetrisprinter.planners.dealt import DEALT

    run = _make_run(context)
    result = DEALT.plan(context.request.task, run)
    yield Slice(run.work.spent, result.plan, result.made_by, result.bound)


def _make_run(context: Context) -> Run:
    """Return the settings of a planner that runs as one slice of the search."""
    request = context.request
    return Run(
        request.limit,
        report=context.report,
        note=context.note,
        unfinished=request.unfinished,
        unfinished_name=request.unfinished_name,
        journal=request.journal,
        stop=context.stop,
        processes=request.processes,
        dask=request.dask,
        fallbacks=context.fallbacks,
    )


def _solve(context: Context) -> Iterator[Slice]:
    from tetrisprinter.planners.shortest.slices import search_first_plan

    return search_first_plan(context)


def _search_neighbourhood(context: Context) -> Iterator[Slice]:
    from tetrisprinter.planners.shortest.slices import search_neighbourhood

    return search_neighbourhood(context, _get_race(context).print_other_types())


def _search_stacks(context: Context) -> Iterator[Slice]:
    from tetrisprinter.planners.shortest.stacks import search_stacks

    return search_stacks(context)


def _search_playable_game(context: Context) -> Iterator[Slice]:
    from tetrisprinter.planners.shortest.room import search_playable_game

    return search_playable_game(context)


def _refute(context: Context) -> Iterator[Slice]:
    from tetrisprinter.planners.shortest.slices import extend_proof

    return extend_proof(context)


def _make_promise(value: float) -> Callable[[Context], float]:
    return lambda _: value


def _estimate_proof_promise(context: Context) -> float:
    """Return the promise of a proof, which is high if bound and best plan are close."""
    best = context.best
    ratio = 0.0 if best is None else best.bound / best.drops
    return 0.3 if ratio >= _PROVABLE_RATIO else 0.02 * ratio**4


_PROVABLE_RATIO: Final = 0.8
"""The ratio of bound to drops from which a proof is likely to succeed."""


def _estimate_lns_promise(context: Context) -> float:
    """Return the promise of the neighbourhood search; low for a large picture or rows in fours."""
    request = context.request
    if context.found_by_room_search:
        return 1.0  # the plan of the room search is long and not shortened yet
    task = request.task if context.best is None else context.best.task
    squares = task.board.width * task.picture.height
    can_save_few_rows = request.any_board or task.board.width % 2 == 0 or task.has_dont_care_squares
    return (0.4 if can_save_few_rows else 0.15) * min(1.0, QUICK / squares)


def _estimate_room_promise(context: Context) -> float:
    """Return the promise of the room search; infinite if the race finds no playable game."""
    if context.request.can_play is None:
        return 0.05
    return inf if context.spent >= _RACE_WORK else 0.05


_RACE_WORK: Final = 1.0
"""The work after which the race has usually found a playable game, if it can find any."""

QUICK: Final = 300
"""The largest board width times picture height for which the neighbourhood search is quick."""

OPERATORS: Final = (
    Operator(Stage.ROW_BY_ROW, lambda c: c.best is None and not _is_unrestricted(c) and
             c.request.task.pieces is None, _print_row_by_row, _make_promise(inf),
             completes=True),
    Operator(Stage.DEALT, lambda c: c.request.task.pieces is not None, _plan_with_queue,
             _make_promise(inf), completes=True),
    Operator(Stage.FIRST, lambda c: _is_unrestricted(c) and c.best is None and
             _get_race(c).needs_first_plan, _bind_race(Race.make_first_plan), _make_promise(inf)),
    Operator(Stage.ROOM, _needs_playable_game, _search_playable_game,
             _estimate_room_promise, completes=True),
    Operator(Stage.RACE, lambda c: _is_unrestricted(c) and not _get_race(c).has_full_print,
             _bind_race(Race.race_boards_and_types),
             lambda c: 0.1 if c.found_by_room_search else 0.9),
    Operator(Stage.WHOLE, _needs_full_print, _bind_race(Race.print_all_rows),
             lambda c: inf if c.best is None else 0.1, completes=True),
    Operator(Stage.AGAIN, lambda c: _is_unrestricted(c) and not _is_large(c),
             _bind_race(Race.repeat_best), _make_promise(0.16), 5.0),
    Operator(Stage.SOLVER, _needs_solver, _solve, _make_promise(0.05), completes=True),
    Operator(Stage.LNS, _can_improve, _search_neighbourhood, _estimate_lns_promise, 7.0, decay=1,
             repeats=True),
    Operator(Stage.STACKS, _has_small_stacks, _search_stacks, _make_promise(0.19), 30.0, decay=1,
             repeats=True),
    Operator(Stage.PROOF, _can_solve, _refute, _estimate_proof_promise, repeats=True),
)  # fmt: skip
"""All operators of the search."""
