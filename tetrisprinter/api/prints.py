"""Planning a prepared task, and printing a picture in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final, Unpack

from tetrisprinter.api.preparation import PreparedTask, plan_with_fallbacks, prepare_source
from tetrisprinter.api.request import PictureRequest, PrintOptions
from tetrisprinter.errors import ArgumentError, InternalError, JobError, TetrisPrinterError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.planners import Planner, Progress, Run, get_planner, make_plan
from tetrisprinter.planners.auto import AutoPlanner
from tetrisprinter.planners.run import ignore
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task, default_column
from tetrisprinter.support.limits import Limit

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.pictures.sources import Source


_EXACT_COST: Final = 1.2
"""The exact picture may take at most this multiple of the drops of the repaired picture."""


def plan_prepared(prepared: PreparedTask, planner: str | Planner, run: Run) -> PrintResult:
    """Return the best plan of a prepared task; see :func:`find_plans`."""
    *_, best = find_plans(prepared, planner, run)
    return best


def find_plans(prepared: PreparedTask, planner: str | Planner, run: Run) -> Iterator[PrintResult]:
    """Yield better and better plans of a prepared task; all callers plan through this function."""
    if prepared.alternative is None or run.unfinished is not None:
        yield from _plan_task(prepared, planner, run)
        return
    exact_result: PrintResult | None = None
    try:
        for exact_result in _plan_task(prepared, planner, run):
            yield exact_result
    except InternalError:
        raise
    except JobError:
        if exact_result is None:
            alternative = replace(prepared.alternative, is_simpler=True)
            yield from _plan_task(alternative, planner, run)
            return
    if exact_result is None or run.is_over:
        return
    drop_limit = exact_result.drops / _EXACT_COST
    if run.can_play is not None and not run.can_play(exact_result.plan):
        drop_limit = inf
    try:
        # The exact picture used the full work; the repaired picture gets that of a simpler version.
        repaired = replace(prepared.alternative, is_simpler=True)
        for repaired_result in _plan_task(
            repaired, planner, replace(run, journal=None, fallbacks={})
        ):
            if repaired_result.drops < drop_limit and (
                run.can_play is None or run.can_play(repaired_result.plan)
            ):
                yield repaired_result
    except JobError:
        return


def _plan_task(prepared: PreparedTask, planner: str | Planner, run: Run) -> Iterator[PrintResult]:
    """Yield better and better plans of one task, ignoring its alternative."""
    task, run = _unlock_board_and_types(prepared, planner, run)
    stop = run.stop.with_deadline(prepared.first_plan_deadline)
    if prepared.first_plan_deadline < inf:
        # The smallest picture's deadline may be later than the time limit.
        stop.deadline = prepared.first_plan_deadline
    task_run = replace(run, stop=stop, work=replace(run.work), is_simpler=prepared.is_simpler)
    chosen_planner = get_planner(planner)
    if not isinstance(chosen_planner, AutoPlanner):
        try:
            yield _add_steps(make_plan(task, planner, task_run), prepared)
        except JobError:
            if run.stop.is_requested:
                run.stop.raise_signal()
            raise
        return
    best: PrintResult | None = None
    for best in chosen_planner.list_plans(task, task_run):
        task_run.stop.deadline = run.stop.deadline  # a plan exists, so the whole time may be used
        yield _add_steps(best, prepared)


def _add_steps(result: PrintResult, prepared: PreparedTask) -> PrintResult:
    """Return the result with the steps of the preparation that the planner did not replace."""
    # Empty squares get the background's colour even if no type may have it.
    plan = replace(result.plan, background=result.task.background or prepared.background)
    chosen_settings = {step.setting for step in result.steps}
    steps = tuple(step for step in prepared.steps if step.setting not in chosen_settings)
    return replace(result, plan=plan, steps=(*steps, *result.steps))


def _unlock_board_and_types(
    prepared: PreparedTask, planner: str | Planner, run: Run
) -> tuple[Task, Run]:
    """Return task and run; the planner may choose board and types that the user did not name."""
    request, task = prepared.request, prepared.task
    if planner not in ("auto", "shortest"):
        return task, run
    if run.unfinished is not None and _is_complete(task, run.unfinished):
        run = replace(run, unfinished=None, known=(run.unfinished,))
    if run.unfinished is not None and not request.keeps_board:
        board = run.unfinished.board
        column = default_column(task.picture.width, board.width)
        return replace(task, board=board, column=column, types="auto"), run
    if not request.has_named_types:
        task = replace(task, types="auto")
    return task, replace(run, any_board=not request.keeps_board)


def _is_complete(task: Task, plan: Plan) -> bool:
    """Return whether a plan prints all of the picture, with the plan's board and types."""
    column = default_column(task.picture.width, plan.width)
    column = task.column if plan.board == task.board else column
    try:
        PrintResult.of(replace(task, board=plan.board, column=column, types="auto"), plan, "known")
    except TetrisPrinterError:
        return False
    return True


def print_picture(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    limit: Limit | float | None = None,
    effort: float | None = None,
    report: Callable[[Progress], None] | None = None,
    **options: Unpack[PrintOptions],
) -> PrintResult:
    """Print a picture: plan a game, play every drop, and compare the final field with the picture.

    A picture that cannot be printed unchanged is adapted, as by ``tetrisprinter print``;
    ``result.steps`` lists the changes. With ``exact=True`` such a picture is refused.

    Parameters
    ----------
    picture : Picture, str, Path, PIL.Image.Image or array
        What to print; see :func:`~tetrisprinter.pictures.sources.find_source`.
    planner : str or Planner
        One of ``tetrisprinter.PLANNERS``: ``"shortest"`` takes longest and needs the fewest drops.
    limit : Limit or float, optional
        The limits of the search, or seconds. By default one worker per processor and no time limit.
    effort : float, optional
        How long to search for a shorter game, as a multiple of the default work; 2 searches
        twice as long. With ``limit`` alone the search uses all of its seconds.
    report : callable, optional
        Called with a :class:`~tetrisprinter.planners.run.Progress` whenever the search advances.
    exact : bool
        Print the picture unchanged, or raise an error.
    repair : bool
        With ``exact``: change pixels if no game leaves the picture, but nothing else.
    fit, resample, colors, contrast, saturation, sharpness, dither, original, crop
        The conversion of an image: see :class:`~tetrisprinter.api.request.PrintOptions`.
    background, frame, convert
        The conversion of an image: see :class:`~tetrisprinter.api.request.PrintOptions`.
    board : Board, str or (int, int)
        The playfield, such as ``"21x42"``; by default it is chosen for the picture.
    types : str or mapping of PieceType to str
        The colour of each piece type: ``"auto"``, ``"classic"``, or such as
        ``"J=ff0000,T=ffffff"``; by default they are chosen for the picture.
    column : int or None
        The board column of the picture's leftmost column.

    Returns
    -------
    PrintResult
        The plan and the game, with a lower bound of the number of drops.

    Raises
    ------
    InputError
        If the picture cannot be read, or the options contradict each other.
    JobError
        If no game prints the picture (the error has the ``obstacle``), or no plan was found.

    Examples
    --------
    >>> result = print_picture("r.r\\nrrr", board="21x42", types="classic", planner="table")
    >>> result.drops, result.lines, result.pixels
    (80, 15, 5)
    """
    request = PictureRequest.of(options, ("planner", "limit", "effort", "report"))
    search_limit = _read_limit(limit, effort, planner)
    if report is not None and not callable(report):
        raise ArgumentError(f"report: expected a function, got {type(report).__name__}")
    run = Run(search_limit, report or ignore)

    def work(prepared: PreparedTask) -> PrintResult:
        return plan_prepared(prepared, planner, replace(run, fallbacks={}))

    prepared = prepare_source(find_source(picture), request, planner)
    return plan_with_fallbacks(prepared, work, deadline=run.stop.deadline)


def choose_default_effort(planner: str | Planner, seconds: float | None) -> float:
    """Return the default effort: unlimited for *auto* with a time limit, otherwise 1."""
    return inf if planner == "auto" and seconds is not None else 1.0


def _read_limit(limit: Limit | float | None, effort: float | None, planner: str | Planner) -> Limit:
    """Return the limits of the search, from the arguments of :func:`print_picture`."""
    if effort is not None and (isinstance(effort, bool) or not isinstance(effort, int | float)):
        raise ArgumentError(f"effort: expected a number, got {type(effort).__name__}")
    if isinstance(limit, Limit):
        return limit if effort is None else replace(limit, effort=effort)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float)):
        raise ArgumentError(f"limit: expected a Limit or seconds, got {type(limit).__name__}")
    if effort is None:
        effort = choose_default_effort(planner, limit)
    return Limit(limit, os.cpu_count() or 1, effort=effort)
