"""What was prepared, planned; and all of it at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final, Unpack

from tetrisprinter.api.preparation import PreparedTask, plan_with_fallbacks, prepare_source
from tetrisprinter.api.request import PictureRequest, PrintOptions
from tetrisprinter.errors import ArgumentError, FaultError, JobError, TetrisPrinterError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.sources import source_of
from tetrisprinter.planners import Planner, Progress, Run, make_plan, planner_of
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
"""How many times the drops of a repaired picture one that is exact may take."""


def plan_prepared(found: PreparedTask, planner: str | Planner, run: Run) -> PrintResult:
    """Plan what was prepared, and return the best plan; see :func:`find_plans`."""
    *_, best = find_plans(found, planner, run)
    return best


def find_plans(found: PreparedTask, planner: str | Planner, run: Run) -> Iterator[PrintResult]:
    """Yield better and better plans of what was prepared.

    Nothing that was prepared is planned anywhere else.
    """
    if found.alternative is None or run.begun is not None:
        yield from _plan_task(found, planner, run)
        return
    exact: PrintResult | None = None
    try:
        for exact in _plan_task(found, planner, run):
            yield exact
    except FaultError:
        raise
    except JobError:
        if exact is None:
            yield from _plan_task(found.alternative, planner, run)
            return
    if exact is None or run.is_over:
        return
    try:
        for mended in _plan_task(
            found.alternative, planner, replace(run, journal=None, fallbacks={})
        ):
            if exact.drops > _EXACT_COST * mended.drops:
                yield mended
    except JobError:
        return


def _plan_task(found: PreparedTask, planner: str | Planner, run: Run) -> Iterator[PrintResult]:
    """Yield the plans of one task."""
    task, run = _unlock_board_and_types(found, planner, run)
    stop = run.stop.until(found.first_plan_deadline)
    if found.first_plan_deadline < inf:
        stop.deadline = found.first_plan_deadline  # later than the limit for the smallest picture
    until = replace(run, stop=stop, work=replace(run.work))
    chosen = planner_of(planner)
    if not isinstance(chosen, AutoPlanner):
        try:
            yield _add_steps(make_plan(task, planner, until), found)
        except JobError:
            if run.stop.is_requested:
                run.stop.raise_signal()
            raise
        return
    best: PrintResult | None = None
    for best in chosen.plans(task, until):
        until.stop.deadline = run.stop.deadline  # there is a plan, so there is time
        yield _add_steps(best, found)


def _add_steps(result: PrintResult, found: PreparedTask) -> PrintResult:
    """Add the steps that led to the task, without those that were chosen otherwise."""
    # What was left empty has its colour even where no type may have it.
    plan = replace(result.plan, background=result.task.background or found.background)
    chosen = {step.setting for step in result.steps}
    steps = tuple(step for step in found.steps if step.setting not in chosen)
    return replace(result, plan=plan, steps=(*steps, *result.steps))


def _unlock_board_and_types(
    found: PreparedTask, planner: str | Planner, run: Run
) -> tuple[Task, Run]:
    """Leave board and types to the search, as far as neither was named."""
    request, task = found.request, found.task
    if planner not in ("auto", "shortest"):
        return task, run
    if run.begun is not None and _is_complete(task, run.begun):
        run = replace(run, begun=None, known=(run.begun,))
    if run.begun is not None and not request.keeps_board:
        board = run.begun.board
        column = default_column(task.picture.width, board.width)
        return replace(task, board=board, column=column, types="auto"), run
    if not request.names_types:
        task = replace(task, types="auto")
    return task, replace(run, any_board=not request.keeps_board)


def _is_complete(task: Task, plan: Plan) -> bool:
    """Return whether a plan prints all of a picture, on its own board and in its own types."""
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
    tell: Callable[[Progress], None] | None = None,
    **asked: Unpack[PrintOptions],
) -> PrintResult:
    """Print a picture: plan it, play every drop, compare what is left with it.

    A picture that cannot be printed as it is, is made to fit, as ``tetrisprinter print`` does;
    ``result.steps`` says what was done to it, and ``exact=True`` refuses it instead.

    Parameters
    ----------
    picture : Picture, str, Path, PIL.Image.Image or array
        What to print; see :func:`~tetrisprinter.pictures.sources.as_picture`.
    planner : str or Planner
        One of ``tetrisprinter.PLANNERS``: ``"shortest"`` takes longest and the fewest drops.
    limit : Limit or float, optional
        What ends the search, or seconds; by default as many workers as there are processors,
        and no limit of time.
    effort : float, optional
        How long to search for a shorter game, as a multiple of the default work; 2 searches
        twice as long. With ``limit`` alone the search uses all of its seconds.
    tell : callable, optional
        Called with a :class:`~tetrisprinter.planners.run.Progress` whenever there is news.
    exact : bool
        Print the picture as it is, or raise; do what is asked for and nothing else.
    repair : bool
        With ``exact``: still print the nearest picture where no game leaves this one.
    fit, resample, colors, contrast, saturation, sharpness, dither, original, crop
        What may be done to an image: see :class:`~tetrisprinter.api.request.PrintOptions`.
    background, frame, convert
        What may be done to an image: see :class:`~tetrisprinter.api.request.PrintOptions`.
    board : Board, str or (int, int)
        The playfield, such as ``"21x42"``; by default it is chosen for the picture.
    types : str or mapping of PieceType to str
        Which piece type shows which colour: ``"auto"``, ``"classic"``, or such as
        ``"J=ff0000,T=ffffff"``; by default they are chosen for the picture.
    column : int or None
        Where the picture's leftmost column stands.

    Returns
    -------
    PrintResult
        The plan and the game, with what is known of how good it is.

    Raises
    ------
    InputError
        If something cannot be read, or what is asked for does not go together.
    JobError
        If no game prints the picture (the error has the ``obstacle``), or no plan was found.

    Examples
    --------
    >>> result = print_picture("r.r\\nrrr", board="21x42", types="classic", planner="table")
    >>> result.drops, result.lines, result.pixels
    (80, 15, 5)
    """
    request = PictureRequest.of(asked, ("planner", "limit", "effort", "tell"))
    ends = _read_limit(limit, effort, planner)
    if tell is not None and not callable(tell):
        raise ArgumentError(f"tell: expected a function, got {type(tell).__name__}")
    run = Run(ends, tell or ignore)

    def work(found: PreparedTask) -> PrintResult:
        return plan_prepared(found, planner, replace(run, fallbacks={}))

    found = prepare_source(source_of(picture), request, planner)
    return plan_with_fallbacks(found, work, deadline=run.stop.deadline)


def default_effort(planner: str | Planner, seconds: float | None) -> float:
    """Return the effort where none is said: with a limit of time what that allows."""
    return inf if planner == "auto" and seconds is not None else 1.0


def _read_limit(limit: Limit | float | None, effort: float | None, planner: str | Planner) -> Limit:
    """Return what ends the search, from the arguments of :func:`print_picture`."""
    if effort is not None and (isinstance(effort, bool) or not isinstance(effort, int | float)):
        raise ArgumentError(f"effort: expected a number, got {type(effort).__name__}")
    if isinstance(limit, Limit):
        return limit if effort is None else replace(limit, effort=effort)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float)):
        raise ArgumentError(f"limit: expected a Limit or seconds, got {type(limit).__name__}")
    if effort is None:
        effort = default_effort(planner, limit)
    return Limit(limit, os.cpu_count() or 1, effort=effort)
