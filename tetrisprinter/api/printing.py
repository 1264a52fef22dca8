"""What was prepared, planned; and all of it at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final, Unpack

from tetrisprinter.api.preparing import Prepared, attempt, prepared
from tetrisprinter.api.wishes import Asked, Wishes
from tetrisprinter.errors import ArgumentError, FaultError, JobError
from tetrisprinter.pictures.sources import source_of
from tetrisprinter.planners import Planner, Progress, Run, make_plan
from tetrisprinter.planners.run import nobody
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.support.limits import Limit

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.pictures.sources import Source

__all__ = ["effort_for", "planned", "print_picture"]


_LONGER: Final = 1.2
"""How many times the drops of a repaired picture one that is exact may take."""


def planned(found: Prepared, planner: str | Planner, run: Run) -> PrintResult:
    """Plan what was prepared; nothing that was prepared is planned anywhere else.

    Parameters
    ----------
    found : Prepared
        What is to be printed. Where ``found.wishes.names_board`` and
        ``found.wishes.names_types`` are false, the result may be of a task with another board
        and with other types.
    planner : str or Planner
        Who plans.
    run : Run
        What ends the search, and who is told.

    Returns
    -------
    PrintResult
        With the steps that led to it.

    Raises
    ------
    InputError, JobError
        As :func:`~tetrisprinter.planners.make_plan`.
    """
    if found.instead is None or run.begun is not None:
        return _planned(found, planner, run)
    mended = replace(found.instead, until=found.until)
    quiet = replace(run, keep=nobody, journal=None, fallbacks={})
    try:
        exact = _planned(found, planner, run)
    except FaultError:
        raise
    except JobError:
        return _planned(mended, planner, run)
    if exact.stopped:
        return exact
    try:
        other = _planned(mended, planner, quiet)
    except JobError:
        return exact
    return exact if exact.drops <= _LONGER * other.drops else other


def _planned(found: Prepared, planner: str | Planner, run: Run) -> PrintResult:
    """Plan one task: its first plan in the time that there is for it, then on to the limit.

    The planner *shortest* begins with the best board and types that the planner *auto* finds,
    as far as they are open.
    """
    result: PrintResult | None = None
    begins = planner == "shortest" and not run.candidates and _is_open(found)
    if found.until < inf or begins:
        first = "auto" if begins else "rows" if planner == "shortest" else planner
        usual = replace(run.limit, effort=1.0) if first == "auto" else run.limit
        # The last and smallest of some tries has a little more time than there is.
        until = found.until if found.until < inf else run.deadline
        early = replace(run, limit=usual, deadline=until)
        try:
            result = _by(found, first, early)
        except FaultError:
            raise
        except JobError:
            if found.until < inf:
                raise
        if result is not None:
            if planner not in ("auto", "shortest") or result.stopped or run.is_over:
                return result
            run = replace(run, candidates=(result.plan,), begun=None)
            found = replace(found, task=result.task, steps=result.steps)
    try:
        last = _by(found, planner, run)
    except JobError:
        if result is None:
            raise
        return result  # a plan in hand is never thrown away
    if result is None or (last.made_by and Stage.KNOWN not in last.made_by):
        return last
    later = (stage for stage in last.made_by if stage != Stage.KNOWN)
    return replace(last, made_by=(*result.made_by, *later))


def _by(found: Prepared, planner: str | Planner, run: Run) -> PrintResult:
    """Ask a planner, and another one if its plan is wrong."""
    task, run = _with_what_is_open(found, planner, run)
    try:
        result = make_plan(task, planner, run)
    except FaultError as error:
        if planner not in ("auto", "shortest"):  # who asks for one by name wants to know
            raise
        run.note(f"{error}; printed row by row instead")
        run.fell_back(f"a fault of the planner {planner}", found.task.name)
        result = make_plan(found.task, "rows", replace(run, candidates=None))
    # What was left empty has its colour even where no type may have it.
    plan = replace(result.plan, background=result.task.background or found.background)
    chosen = {step.thing for step in result.steps}
    steps = tuple(step for step in found.steps if step.thing not in chosen)
    return replace(result, plan=plan, steps=(*steps, *result.steps))


def _is_open(found: Prepared) -> bool:
    """Whether board or types may be chosen."""
    return not found.wishes.names_types or not found.wishes.keeps_board


def _with_what_is_open(found: Prepared, planner: str | Planner, run: Run) -> tuple[Task, Run]:
    """Leave board and types to the planner *auto*, as far as neither was named."""
    wishes, task = found.wishes, found.task
    named = wishes.keeps_board
    if planner != "auto" or run.candidates:
        return task, run
    if run.begun is not None and not named:
        board = run.begun.board
        column = usual_column(task.picture.width, board.width)
        return replace(task, board=board, column=column, types="auto"), run
    if not wishes.names_types:
        task = replace(task, types="auto")
    return task, replace(run, any_board=not named)


def print_picture(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    limit: Limit | float | None = None,
    effort: float | None = None,
    tell: Callable[[Progress], None] | None = None,
    **asked: Unpack[Asked],
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
        What may be done to an image: see :class:`~tetrisprinter.api.wishes.Asked`.
    background, frame, convert
        What may be done to an image: see :class:`~tetrisprinter.api.wishes.Asked`.
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
    wishes = Wishes.of(asked, ("planner", "limit", "effort", "tell"))
    ends = _read_limit(limit, effort, planner)
    if tell is not None and not callable(tell):
        raise ArgumentError(f"tell: something to call is needed, not {type(tell).__name__}")
    run = Run(ends, tell or nobody)

    def work(found: Prepared) -> PrintResult:
        return planned(found, planner, replace(run, fallbacks={}))

    return attempt(prepared(source_of(picture), wishes, planner), work, deadline=run.deadline)


def effort_for(planner: str | Planner, seconds: float | None) -> float:
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
        effort = effort_for(planner, limit)
    return Limit(limit, os.cpu_count() or 1, effort=effort)
