"""Planning a prepared task, and printing a picture in one call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tetrisprinter.api.cache import (
    RememberedFailure,
    RememberedGame,
    find_folder,
    make_key,
    read_entry,
    write_entry,
)
from tetrisprinter.api.preparation import PreparedTask, iterate_versions, prepare_source
from tetrisprinter.api.request import PictureRequest, choose_default_effort, document_options
from tetrisprinter.errors import (
    ArgumentError,
    InputError,
    InternalError,
    JobError,
    TetrisPrinterError,
)
from tetrisprinter.formats import (
    FORMATS,
    can_write_game,
    find_format,
    format_game,
    list_game_extensions,
    write_game,
)
from tetrisprinter.game.field import Board, Playfield
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.game.steering import Steerable, reorder_plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import Source, find_source
from tetrisprinter.planners import Planner, Progress, Run, get_planner, make_plan
from tetrisprinter.planners.auto import AutoPlanner, estimate_seconds
from tetrisprinter.planners.proved import raise_bound
from tetrisprinter.planners.run import LOG, TimeUpError, ignore
from tetrisprinter.printing.result import DropBound, PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.render import Rendering, list_extensions, save
from tetrisprinter.support.counts import format_size
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.options import Limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image


_SIMPLER_EFFORT: Final = 0.4
"""The effort for a simpler or repaired picture, as a share of that for the picture before it."""

_EXACT_COST: Final = 1.2
"""The exact picture may take at most this multiple of the drops of the repaired picture."""

_MOST_OF_TIME: Final = 0.9
"""A search that used this share of a time limit used all; the conversion took the rest."""


@dataclass(frozen=True, slots=True)
class Export:
    """The text form of plans for another program, and what that program can play."""

    # Returns the text of a plan. Raises a JobError if the program cannot play the plan
    write: Callable[[Plan], str]
    name: str  # the plan's name in messages
    # Tests whether the program can steer a piece to its place; None: it always can. If there is a
    # test, drops may be reordered, and rows are left free for moving pieces
    steerable: Steerable | None = None
    # Tests, on the final field, whether a piece of this type may come first; None: any type may
    first: Callable[[Playfield, PieceType], bool] | None = None

    @classmethod
    def find_export(cls, path: str | Path, name: str) -> Export:
        """Return the export that writes a file of this name; ``name`` is that of the plan."""

        def write(plan: Plan) -> str:
            return format_game(plan, path, name)

        if find_format(path) is not FORMATS["art"]:
            return cls(write, name)
        from tetrisprinter.formats.art import can_spawn, can_steer

        return cls(write, name, can_steer, can_spawn)

    def can_express(self, plan: Plan) -> bool:
        """Return whether a plan can be written, perhaps with reordered drops."""
        try:
            self.format_plan(plan)
        except JobError:
            return False
        return True

    def format_plan(self, plan: Plan) -> tuple[Plan, str]:
        """Return the plan, perhaps with reordered drops, and its text."""
        try:
            return plan, self.write(plan)
        except JobError:
            if self.steerable is None:
                raise
            reordered = reorder_plan(plan, self.steerable, self.first)
            if reordered is None or reordered == plan:
                raise
            LOG.info("%s: drops reordered", self.name)
            return reordered, self.write(reordered)


def save_plan(
    plan: Plan, path: str | Path, rendering: Rendering | None = None, **options: Any
) -> None:
    """Write a plan as a picture, an animation, a page or a game, as the file's name says."""
    extension = Path(path).suffix.lower()
    if extension in list_extensions():
        save(plan, path, rendering, **options)
    elif can_write_game(path):
        write_game(plan, path)
    else:
        choices = " ".join((*list_extensions(), *list_game_extensions()))
        raise InputError(f"{path}: unknown file type {extension!r}; use one of {choices}")


class Attempt(NamedTuple):
    """A version of a picture that is planned next; with a result, a game that prints it."""

    prepared: PreparedTask
    result: PrintResult | None = None
    # The sentence that says why this version is tried; empty for the picture as it was prepared
    reason: str = ""


def print_prepared(  # noqa: PLR0913 - what a command, the studio and the page ask for
    prepared: PreparedTask,
    planner: str | Planner,
    run: Run,
    cache: Path | None = None,
    *,
    export: Export | None = None,
    is_preview: bool = False,
    keeps_time: bool = False,
) -> Iterator[Attempt]:
    """Yield each version of a picture that is tried, and its games, each better than the last.

    If a version has no game, the next is simpler. All callers print through this function. An
    ``export`` is the program that must be able to play the game, which is then yielded once. For
    a preview a game is planned only if its drops decide whether the picture is repaired. With
    ``keeps_time`` half of the time is left for a proof (:func:`prove_further`).
    """
    first_error: JobError | None = None
    for description, version in iterate_versions(prepared, run.stop.deadline):
        yield Attempt(version, None, _explain_version(prepared, description, first_error))
        stop = run.stop
        if keeps_time and stop.deadline < inf:
            stop = stop.with_deadline(time.monotonic() + stop.seconds_left / 2)
        version_run = replace(run, fallbacks={}, stop=stop)
        result: PrintResult | None = None
        try:
            if is_preview and version.alternative is None:
                refusal = get_planner(planner).find_refusal(version.task)
                if refusal is not None:
                    raise refusal.error(version.task.name)
            elif export is not None:
                yield Attempt(version, _find_export(version, planner, version_run, cache, export))
            else:
                for result in find_plans(version, planner, version_run, cache):
                    yield Attempt(version, result)
            return
        except InternalError:  # a simpler picture would hide the internal error
            raise
        except JobError as error:
            if result is not None:
                raise
            if run.stop.is_requested:
                raise KeyboardInterrupt from None
            first_error = first_error or error
    assert first_error is not None
    raise first_error


def _explain_version(prepared: PreparedTask, description: str, error: JobError | None) -> str:
    """Return the sentence that says why a simpler version is tried; empty for the first."""
    if not description:
        return ""
    name = prepared.source.name
    reason = "the time is up" if error is None else error.message
    outcome = "printed" if error is None else "tried again"
    return f"{name}: {reason.removeprefix(f'{name}: ')}; {outcome} with {description}"


def prove_further(
    result: PrintResult,
    run: Run,
    machines: Machines,
    report: Callable[[int, int, int, int], None],
    plan_file: Path | None = None,
    export: Export | None = None,
) -> PrintResult:
    """Raise the bound of a result as far as the limits allow, and say what is proved.

    Refuted cases are stored beside the file of the plan until the proof is complete, so the same
    command continues after an interrupt. ``report`` gets the drops to refute, the cleared rows,
    stacks and nogoods.
    """
    from tetrisprinter.bounds.bound_search import prove_bound
    from tetrisprinter.bounds.certificate_writer import ProofCheckpoint

    seconds_left = None if run.stop.deadline == inf else run.stop.seconds_left
    prove = partial(prove_bound, seconds=seconds_left, machines=machines, report=report)
    checkpoint = None
    if plan_file is not None:
        folder = plan_file.with_name(f"{plan_file.name}.bound")
        checkpoint = ProofCheckpoint(folder, result.task)
        prove = partial(prove, known_nogoods=checkpoint.known_nogoods, remember=checkpoint.remember)
    proved = raise_bound(result, prove)
    if checkpoint is not None and proved.stopped:
        run.note(
            f"{checkpoint.folder}: the refuted cases so far; the same command continues from there"
        )
    elif checkpoint is not None:
        checkpoint.forget()
    if export is not None and export.steerable is not None and not export.can_express(proved.plan):
        proved = result.raise_bound(proved.drop_bound)
    if proved.bound < proved.drops:
        run.note(f"{proved.task.name}: {proved.claim}")
    return proved


def _find_export(
    prepared: PreparedTask,
    planner: str | Planner,
    run: Run,
    cache: Path | None,
    export: Export,
) -> PrintResult:
    """Return a game that another program can play, perhaps with reordered drops.

    Programs that steer pieces need free rows at the top. If no order of the drops can be played,
    the planner is tried on a board 1, 2 and 4 rows lower; *auto* prints row by row then.
    """
    tries: list[tuple[str | Planner, int]] = [(planner, 0)]
    if export.steerable is not None:
        # Cached because the search and its callers check the same plans.
        run = replace(run, can_play=lru_cache(maxsize=8)(export.can_express))
        by_rows = planner if planner != "auto" else "rows"
        keeps_board = prepared.request.keeps_board
        tries += [(by_rows, rows) for rows in ((1, 2, 4) if keeps_board else (0, 1, 2, 4))]
    board, first_error = prepared.task.board, None
    for chosen_planner, free_rows in tries:
        if first_error is not None and board.height - free_rows < prepared.task.picture.height:
            continue
        lower_board = Board(board.width, board.height - free_rows)
        task = replace(prepared.task, board=lower_board)
        try:
            *_, result = find_plans(replace(prepared, task=task), chosen_planner, run, cache)
            full = board if result.task.board == lower_board else result.task.board
            plan = replace(result.plan, width=full.width, height=full.height)
            plan, _ = export.format_plan(plan)
        except InternalError:
            raise
        except JobError as error:
            if error.obstacle is not None:
                raise  # no planner can help
            # The first refusal explains more than a failure on a lower board.
            first_error = first_error or error
            continue
        game = result.game if plan == result.plan else play_through(plan)
        return replace(result, task=replace(result.task, board=full), plan=plan, game=game)
    assert first_error is not None
    raise first_error


_LONG_JOB_SECONDS: Final = 300
"""A job that takes more processor seconds is long."""

_MANY_SQUARES: Final = 64 * 64
"""A print of more squares, times the effort, can take minutes: a photo 1 to 4 on two cores."""


def describe_long_job(prepared: PreparedTask, planner: str, run: Run, cache: Path | None) -> str:
    """Return what a caller should say before a job that takes long; empty for any other job."""
    task, chosen_planner = prepared.task, get_planner(planner)
    if run.stop.deadline < inf or not isinstance(chosen_planner, AutoPlanner):
        return ""
    if task.start or task.pieces is not None or chosen_planner.find_refusal(task) is not None:
        return ""
    try:
        found = None if cache is None else find_remembered(prepared, planner, run, cache)
    except JobError:  # an earlier search found no game
        return ""
    if found is not None and found[1].remembered == "all":
        return ""
    scaled = chosen_planner.scale_run(run)
    may_choose_board = planner == "auto" and not prepared.request.keeps_board
    if estimate_seconds(task, replace(scaled, any_board=may_choose_board)) >= _LONG_JOB_SECONDS:
        return (
            f"a long job, probably over {_LONG_JOB_SECONDS // 60} minutes of processor time; "
            "Ctrl-C ends it with the best plan so far"
        )
    if scaled.limit.effort * len(task.picture.cells()) <= _MANY_SQUARES:
        return ""
    return f"{format_size(task.picture.width, task.picture.height)} squares; this can take minutes"


def find_plans(
    prepared: PreparedTask, planner: str | Planner, run: Run, cache: Path | None = None
) -> Iterator[PrintResult]:
    """Yield better and better plans of a prepared task; all callers plan through this function.

    With a cache the search begins with the game that an earlier search found. If that search was
    not shorter, its game is yielded once, and nothing is searched.
    """
    if cache is None or not _can_be_remembered(prepared, planner, run):
        yield from _find_new_plans(prepared, planner, run)
        return
    game, best = find_remembered(prepared, planner, run, cache) or (None, None)
    if best is not None:
        yield best
        if best.remembered == "all":
            return
    known_steps = {
        step
        for version in (prepared, prepared.alternative)
        if version is not None
        for step in version.steps
    }
    began, spent_effort = time.monotonic(), 0.0
    try:
        for result in _find_new_plans(prepared, planner, run, game):
            if best is None or result.drops < best.drops:
                best = replace(result, remembered="no" if game is None else "start")
                yield best
            elif result.plan == best.plan:  # perhaps better proved, or the end of the search
                if result.task.picture == best.task.picture:  # otherwise a bound of another task
                    result = result.raise_bound(best.drop_bound)
                best = replace(
                    result,
                    # The search does not know how a remembered game was chosen.
                    steps=best.steps if game and game.plan == best.plan else result.steps,
                    made_by=best.made_by,
                    remembered=best.remembered,
                )
        if best is not None:
            yield best
        spent_effort = 0.0 if run.is_over else _compute_effort(planner, run)
    except InternalError:
        raise
    except JobError as error:
        if best is None:
            is_final = not (run.is_over or error.obstacle or isinstance(error, TimeUpError))
            if is_final:  # a longer search may find a game, this one never will
                message = error.message.removeprefix(f"{prepared.task.name}: ")
                effort = _compute_effort(planner, run)
                failure = RememberedFailure(message, error.hints, effort, prepared.has_simpler)
                write_entry(cache, _make_cache_key(prepared, planner, run), failure)
            raise
        yield best  # an earlier search found it
    finally:  # also if the caller needs no better game
        if best is not None:
            write_entry(
                cache,
                _make_cache_key(prepared, planner, run),
                RememberedGame(
                    best.plan,
                    best.task.picture != prepared.task.picture,
                    tuple(step for step in best.steps if step not in known_steps),
                    best.made_by,
                    best.bound,
                    best.work,
                    max(spent_effort, 0.0 if game is None else game.effort),
                    max(time.monotonic() - began, 0.0 if game is None else game.seconds),
                ),
            )


def find_remembered(
    prepared: PreparedTask, planner: str | Planner, run: Run, cache: Path
) -> tuple[RememberedGame, PrintResult] | None:
    """Return the game that an earlier search found for a task, played again; None if there is none.

    ``remembered`` is ``"all"`` in the result if that search was as long as the run may be. If such
    a search found no game, its error is raised.
    """
    if not _can_be_remembered(prepared, planner, run):
        return None
    game = read_entry(cache, _make_cache_key(prepared, planner, run))
    if isinstance(game, RememberedFailure):
        # An exact picture has no simpler version, so its search would not have given up.
        is_as_long = prepared.has_simpler or not game.gave_up
        if is_as_long and game.effort >= _compute_effort(planner, run):
            raise JobError(f"{prepared.task.name}: {game.message}", *game.hints)
        return None
    result = None if game is None else _rebuild_result(game, prepared, planner, run)
    if game is None or result is None:
        return None
    is_answer = (
        game.effort >= _compute_effort(planner, run)
        or game.seconds >= _MOST_OF_TIME * run.stop.seconds_left
    )
    return game, replace(result, remembered="all" if is_answer else "start")


def _can_be_remembered(prepared: PreparedTask, planner: str | Planner, run: Run) -> bool:
    """Return whether the planner searches, and picture and options alone decide its game.

    A stored plan that is continued, a player and a start board decide it, too.
    """
    return (
        isinstance(get_planner(planner), AutoPlanner)
        and run.unfinished is None
        and run.can_play is None
        and not prepared.task.start
    )


def _compute_effort(planner: str | Planner, run: Run) -> float:
    """Return the effort of a run as a multiple of the default work of *auto*."""
    chosen_planner = get_planner(planner)
    assert isinstance(chosen_planner, AutoPlanner)
    return run.limit.effort * chosen_planner.times


def _make_cache_key(prepared: PreparedTask, planner: str | Planner, run: Run) -> str:
    """Return the key of a game: everything that decides it, except for how long is searched."""
    versions = []
    for version in filter(None, (prepared, prepared.alternative)):
        task, version_run = _unlock_board_and_types(version, planner, run)
        versions.append(
            (task.picture.rows, str(task.board), task.column, str(task.types), task.background)
        )
    return make_key(
        *versions, version_run.any_board, prepared.task.pieces, prepared.is_simpler, run.limit.seed
    )


def _rebuild_result(
    game: RememberedGame, prepared: PreparedTask, planner: str | Planner, run: Run
) -> PrintResult | None:
    """Play a remembered game; return None if it does not print the picture."""
    version = prepared.alternative if game.is_alternative else prepared
    if version is None:
        return None
    task, run = _unlock_board_and_types(version, planner, run)
    if run.any_board and game.plan.board != task.board:
        task = task.place_on(game.plan.board)
    try:
        result = PrintResult.of(task, game.plan, get_planner(planner).name)
        result = result.raise_bound(DropBound(game.bound, task.board))
    except TetrisPrinterError:
        return None
    result = replace(result, made_by=game.made_by, work=game.work, steps=game.steps)
    return _add_steps(result, version)


def _find_new_plans(
    prepared: PreparedTask, planner: str | Planner, run: Run, game: RememberedGame | None = None
) -> Iterator[PrintResult]:
    """Yield better and better plans of the exact picture, then perhaps of the repaired one.

    A remembered game is known to the search of the picture that it prints.
    """
    known = (*run.known, *([] if game is None else [game.plan]))
    prints_repaired = game is not None and game.is_alternative
    exact_run = run if prints_repaired else replace(run, known=known)
    alternative = prepared.alternative
    if alternative is None or run.unfinished is not None:
        yield from _plan_task(prepared, planner, exact_run)
        return
    # The exact picture uses the full work; the repaired picture gets that of a simpler version.
    alternative = replace(alternative, is_simpler=True)
    exact_result: PrintResult | None = None
    try:
        for exact_result in _plan_task(prepared, planner, exact_run):
            yield exact_result
    except InternalError:
        raise
    except JobError:
        if exact_result is None:
            yield from _plan_task(alternative, planner, replace(run, known=known))
            return
    if exact_result is None or run.is_over:
        return
    drop_limit = exact_result.drops / _EXACT_COST
    if run.can_play is not None and not run.can_play(exact_result.plan):
        drop_limit = inf
    try:
        repaired_run = replace(run, fallbacks={}, known=known if prints_repaired else run.known)
        for repaired_result in _plan_task(alternative, planner, repaired_run):
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
    # The version before a simpler one had its share of the work.
    share = _SIMPLER_EFFORT if prepared.is_simpler else 1.0
    limit = replace(run.limit, effort=share * run.limit.effort)
    task_run = replace(
        run, stop=stop, work=replace(run.work), limit=limit, gives_up=prepared.has_simpler
    )
    chosen_planner = get_planner(planner)
    if not isinstance(chosen_planner, AutoPlanner):
        try:
            yield _add_steps(make_plan(task, planner, task_run), prepared)
        except JobError:
            if run.stop.is_requested:
                raise KeyboardInterrupt from None
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
    if run.unfinished is not None and _is_complete(prepared, run.unfinished):
        run = replace(run, unfinished=None, known=(run.unfinished,))
    if run.unfinished is not None and not request.keeps_board:
        return task.place_on(run.unfinished.board, "auto"), run
    types = task.types if request.has_named_types else "auto"
    return replace(task, types=types), replace(run, any_board=not request.keeps_board)


def _is_complete(prepared: PreparedTask, plan: Plan) -> bool:
    """Return whether a plan prints all of the picture, on a board and with types that it may use.

    Those that the user named must be the plan's.
    """
    task, request = prepared.task, prepared.request
    if plan.board != task.board and request.keeps_board:
        return False
    types = task.types if request.has_named_types else "auto"
    if plan.board != task.board:
        task = task.place_on(plan.board, types)
    else:
        task = replace(task, types=types)
    try:
        PrintResult.of(task, plan, "known")
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
    cache: bool | str | Path = False,
    **options: Any,
) -> PrintResult:
    """Print a picture: plan a game, play every drop, and compare the final field with the picture.

    A picture that cannot be printed unchanged is adapted, as by ``tetrisprinter print``;
    ``result.steps`` lists the changes. With ``exact=True`` such a picture is refused.
    :func:`print_steps` yields the games that this function finds on the way.

    Parameters
    ----------
    picture : Picture, str, Path, PIL.Image.Image, array or figure of matplotlib
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
    cache : bool, str or Path
        Remember found games in a folder, and begin with the game that it has for this picture and
        these options. True: the folder of the command line.
    **options

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
    *_, best = print_steps(
        picture, planner=planner, limit=limit, effort=effort, report=report, cache=cache, **options
    )
    return best


if print_picture.__doc__ is not None:  # python -OO
    print_picture.__doc__ = document_options(print_picture.__doc__)


def print_steps(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    limit: Limit | float | None = None,
    effort: float | None = None,
    report: Callable[[Progress], None] | None = None,
    cache: bool | str | Path = False,
    **options: Any,
) -> Iterator[PrintResult]:
    """Yield games that print a picture, each better than the one before.

    The first game of a sprite is there after a fraction of a second. A later game has fewer
    drops, or the same drops and a better bound. When the search is over, its best game is yielded
    once more, with all of its work. A caller that needs no shorter game stops reading.

    Parameters
    ----------
    picture, planner, limit, effort, report, cache, **options
        As in :func:`print_picture`.

    Yields
    ------
    PrintResult
        A game that was played and compared with the picture.

    Raises
    ------
    InputError
        If the picture cannot be read, or the options contradict each other.
    JobError
        If no game prints the picture, or none was found.

    Examples
    --------
    >>> steps = list(print_steps("r.r\\nrrr", board="auto"))
    >>> drops = [result.drops for result in steps]
    >>> drops == sorted(drops, reverse=True) and drops[-1] == drops[-2]
    True
    """
    request = PictureRequest.of(options, ("planner", "limit", "effort", "report", "cache"))
    search_limit = _read_limit(limit, effort, planner)
    if report is not None and not callable(report):
        raise ArgumentError(f"report: expected a function, got {type(report).__name__}")
    cache_folder = find_folder(cache)
    run = Run(search_limit, report or ignore)
    prepared = prepare_source(find_source(picture), request, planner)
    attempts = print_prepared(prepared, planner, run, cache_folder)
    return (attempt.result for attempt in attempts if attempt.result is not None)


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
