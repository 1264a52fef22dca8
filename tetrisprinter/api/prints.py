"""Planning a prepared task, and printing a picture in one call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tetrisprinter import formats
from tetrisprinter.api import preparation
from tetrisprinter.api.cache import (
    RememberedFailure,
    RememberedGame,
    find_folder,
    make_key,
    read_entry,
    write_entry,
)
from tetrisprinter.api.preparation import PreparedTask, Version
from tetrisprinter.api.request import PictureRequest, choose_default_effort, document_options
from tetrisprinter.errors import (
    ArgumentError,
    InputError,
    InternalError,
    JobError,
    TetrisPrinterError,
)
from tetrisprinter.game.field import Board, Playfield
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.steering import IllegalMoveError, Steerable, reorder_plan
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import Source, find_source
from tetrisprinter.planners import Planner, Progress, Run, get_planner, make_plan
from tetrisprinter.planners.auto import AutoPlanner, estimate_seconds
from tetrisprinter.planners.proved import raise_bound
from tetrisprinter.planners.run import LOG, TimeUpError, Work, ignore
from tetrisprinter.printing.result import DropBound, PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.render import Rendering, list_extensions, save
from tetrisprinter.support import format_size
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
    def find_export(
        cls, path: str | Path, name: str, hold: int | None = None, unseen: str | None = None
    ) -> Export:
        """Return the export that writes a file of this name; ``name`` is that of the plan.

        ``hold`` and ``unseen`` are those of :func:`~tetrisprinter.formats.art.format_art`.
        """
        if formats.find_format(path) is not formats.FORMATS["art"]:
            return cls(lambda plan: formats.format_game(plan, path, name), name)
        from tetrisprinter.formats.art import can_spawn, can_steer, format_art

        return cls(lambda plan: format_art(plan, name, hold, unseen), name, can_steer, can_spawn)

    def require_guideline(self) -> Export:
        """Return this export for a player who steers every piece by the guideline rules."""
        from tetrisprinter.game.steering import Guideline, play_by_guideline

        make_rules = cache(Guideline)  # the size of the board is known only from the plan

        def write(plan: Plan) -> str:
            text = self.write(plan)
            try:
                for _ in play_by_guideline(plan, make_rules(plan.width, plan.height)):
                    pass
            except IllegalMoveError as error:
                raise IllegalMoveError(f"{self.name}: {error}") from error
            return text

        def can_steer(field: Playfield, orientation: Orientation, x: int) -> bool:
            if self.steerable is not None and not self.steerable(field, orientation, x):
                return False
            return make_rules(field.width, field.height).can_steer(field, orientation, x)

        return Export(write, self.name, can_steer, self.first)

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
    elif formats.can_write_game(path):
        formats.write_game(plan, path)
    else:
        choices = " ".join((*list_extensions(), *formats.list_game_extensions()))
        raise InputError(f"{path}: unknown file type {extension!r}; use one of {choices}")


class Attempt(NamedTuple):
    """A version of a picture that is planned next; with a result, a game that prints it."""

    version: Version
    result: PrintResult | None = None
    # The sentence that says why this version is tried; empty for the picture as it was prepared
    reason: str = ""
    is_last: bool = False  # whether the search yields no better game


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
    can_play = run.can_play
    if export is not None and export.steerable is not None:
        # Cached because the search and its callers check the same plans.
        can_play = lru_cache(maxsize=8)(export.can_express)
    searches = isinstance(get_planner(planner), AutoPlanner)
    first_error: JobError | None = None
    for version in preparation.iterate_versions(prepared, run.stop.deadline, searches):
        yield Attempt(version, None, _explain_version(version, first_error))
        stop = run.stop
        if keeps_time and stop.deadline < inf:
            stop = stop.with_deadline(time.monotonic() + stop.seconds_left / 2)
        version_run = replace(run, stop=stop, can_play=can_play)
        result: PrintResult | None = None
        try:
            if is_preview and version.prepared.alternative is None:
                task = version.prepared.task
                refusal = get_planner(planner).find_refusal(task)
                if refusal is not None:
                    raise refusal.error(task.name)
            elif export is not None:
                exported = _find_export(version, planner, version_run, cache, export)
                yield Attempt(version, exported, is_last=True)
            else:
                for result in find_plans(version, planner, version_run, cache):
                    is_last = (
                        not searches
                        or result.remembered == "all"
                        or _is_shortest(version, planner, result)
                    )
                    yield Attempt(version, result, is_last=is_last)
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


def _is_shortest(version: Version, planner: str | Planner, result: PrintResult) -> bool:
    """Return whether no game is shorter, on any board and of any picture that may be printed."""
    _, is_board_open = _open_choices(version.prepared, planner)
    return version.prepared.alternative is None and result.is_shortest(is_board_open)


def _explain_version(version: Version, error: JobError | None) -> str:
    """Return the sentence that says why a simpler version is tried; empty for the first."""
    if not version.description:
        return ""
    name = version.prepared.source.name
    reason = "the time is short" if error is None else error.message
    outcome = "printed" if error is None else "tried again"
    return f"{name}: {reason.removeprefix(f'{name}: ')}; {outcome} with {version.description}"


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
    version: Version, planner: str | Planner, run: Run, cache: Path | None, export: Export
) -> PrintResult:
    """Return a game that another program can play, perhaps with reordered drops.

    Programs that steer pieces need free rows at the top. If no order of the drops can be played,
    the planner is tried on a board 1, 2 and 4 rows lower; *auto* prints row by row then.
    """
    task, request = version.prepared.task, version.prepared.request
    tries: list[tuple[str | Planner, int]] = [(planner, 0)]
    if export.steerable is not None:
        by_rows = planner if planner != "auto" else "rows"
        tries += [(by_rows, rows) for rows in ((1, 2, 4) if request.keeps_board else (0, 1, 2, 4))]
    board, first_error = task.board, None
    for chosen_planner, free_rows in tries:
        if first_error is not None and board.height - free_rows < task.picture.height:
            continue
        try:
            *_, result = find_plans(version, chosen_planner, run, cache, free_rows)
            is_lower = result.task.board == Board(board.width, board.height - free_rows)
            full = board if is_lower else result.task.board
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
        if plan == result.plan:
            return result
        played = PrintResult.of(replace(result.task, board=full), plan, result.planner)
        # A bound of a lower board says nothing about the full one.
        bound = result.drop_bound if result.task.board == full else played.drop_bound
        return replace(result, task=played.task, plan=plan, game=played.game, drop_bound=bound)
    assert first_error is not None
    raise first_error


_LONG_JOB_SECONDS: Final = 300
"""A job that takes more processor seconds is long."""

_MANY_SQUARES: Final = 64 * 64
"""A print of more squares, times the effort, can take minutes: a photo 1 to 4 on two cores."""


def describe_long_job(version: Version, planner: str, run: Run, cache: Path | None) -> str:
    """Return what a caller should say before a job that takes long; empty for any other job."""
    task, chosen_planner = version.prepared.task, get_planner(planner)
    if run.stop.deadline < inf or not isinstance(chosen_planner, AutoPlanner):
        return ""
    if task.start or task.pieces is not None or chosen_planner.find_refusal(task) is not None:
        return ""
    try:
        found = None if cache is None else _find_remembered(version, planner, run, cache)
    except JobError:  # an earlier search found no game
        return ""
    if found is not None and found[1].remembered == "all":
        return ""
    limit = run.limit.scale_effort(chosen_planner.times)
    may_choose_board = planner == "auto" and not version.prepared.request.keeps_board
    if estimate_seconds(task, Run(limit, any_board=may_choose_board)) >= _LONG_JOB_SECONDS:
        return (
            f"a long job, probably over {_LONG_JOB_SECONDS // 60} minutes of processor time; "
            "Ctrl-C ends it with the best plan so far"
        )
    if limit.effort * len(task.picture.cells()) <= _MANY_SQUARES:
        return ""
    return f"{format_size(task.picture.width, task.picture.height)} squares; this can take minutes"


def find_plans(
    version: Version,
    planner: str | Planner,
    run: Run,
    cache: Path | None = None,
    free_rows: int = 0,
) -> Iterator[PrintResult]:
    """Yield better and better plans of a version of a picture; all callers plan through this.

    With a cache the search begins with the game that an earlier search found. If that search was
    not shorter, its game is yielded once, and nothing is searched. ``free_rows`` rows at the top
    of the board stay empty.
    """
    prepared = version.prepared
    if cache is None or not _can_be_remembered(version, planner, run):
        for result in _find_new_plans(version, planner, run, None, free_rows):
            yield _complete_result(result, prepared.find_printed(result), result.steps)
        return
    game, best = _find_remembered(version, planner, run, cache) or (None, None)
    if best is not None:
        yield best
        if best.remembered == "all":
            return
    began, spent_effort = time.monotonic(), 0.0
    try:
        for found in _find_new_plans(version, planner, run, game):
            remembered = "no" if game is None else "start"
            printed = prepared.find_printed(found)
            result = _complete_result(found, printed, found.steps, remembered=remembered)
            if best is None or result.drops < best.drops:
                best = result
                yield best
            elif result.plan == best.plan:  # perhaps better proved, or the end of the search
                if result.task.picture == best.task.picture:  # otherwise a bound of another task
                    result = result.raise_bound(best.drop_bound)
                # The search does not know how a remembered game was chosen.
                is_known = game is not None and game.plan == best.plan
                steps = best.steps if is_known else result.steps
                best = replace(result, steps=steps, made_by=best.made_by)
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
                failure = RememberedFailure(message, error.hints, effort, version.has_simpler)
                write_entry(cache, _make_cache_key(version, planner, run), failure)
            raise
        yield best  # an earlier search found it
    finally:  # also if the caller needs no better game
        if best is not None:
            known_steps = [step for one in _list_tasks(prepared) for step in one.steps]
            write_entry(
                cache,
                _make_cache_key(version, planner, run),
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


# ---- Games that were found before.


def _can_be_remembered(version: Version, planner: str | Planner, run: Run) -> bool:
    """Return whether the planner searches, and picture and options alone decide its game.

    A stored plan that is continued, a player and a start board decide it, too.
    """
    return (
        isinstance(get_planner(planner), AutoPlanner)
        and run.unfinished is None
        and run.can_play is None
        and not version.prepared.task.start
    )


def _find_remembered(
    version: Version, planner: str | Planner, run: Run, cache: Path
) -> tuple[RememberedGame, PrintResult] | None:
    """Return the game that an earlier search found for a task, played again; None if there is none.

    ``remembered`` is ``"all"`` in the result if that search was as long as the run may be. If such
    a search found no game, its error is raised.
    """
    if not _can_be_remembered(version, planner, run):
        return None
    game = read_entry(cache, _make_cache_key(version, planner, run))
    effort = _compute_effort(planner, run)
    if isinstance(game, RememberedFailure):
        # An exact picture has no simpler version, so its search would not have given up.
        is_as_long = version.has_simpler or not game.gave_up
        if is_as_long and game.effort >= effort:
            raise JobError(f"{version.prepared.task.name}: {game.message}", *game.hints)
        return None
    if game is None:
        return None
    printed = version.prepared.alternative if game.is_alternative else version.prepared
    if printed is None:
        return None
    result = _play_again(game.plan, *_open_choices(printed, planner), planner)
    if result is None or game.bound > result.drops:
        return None
    is_answer = game.effort >= effort or game.seconds >= _MOST_OF_TIME * run.stop.seconds_left
    bound = result.drop_bound.combine(DropBound(game.bound, result.task.board))
    return game, _complete_result(
        result,
        printed,
        game.steps,
        remembered="all" if is_answer else "start",
        made_by=game.made_by,
        work=game.work,
        drop_bound=bound,
    )


def _compute_effort(planner: str | Planner, run: Run) -> float:
    """Return the effort of a run as a multiple of the default work of *auto*."""
    chosen_planner = get_planner(planner)
    assert isinstance(chosen_planner, AutoPlanner)
    return run.limit.effort * chosen_planner.times


def _make_cache_key(version: Version, planner: str | Planner, run: Run) -> str:
    """Return the key of a game: everything that decides it, except for how long is searched."""
    prepared = version.prepared
    tasks = [_open_choices(one, planner)[0] for one in _list_tasks(prepared)]
    _, is_board_open = _open_choices(prepared, planner)
    return make_key(
        *((t.picture.rows, str(t.board), t.column, str(t.types), t.background) for t in tasks),
        is_board_open,
        prepared.task.pieces,
        version.is_simpler,
        run.limit.seed,
    )


def _list_tasks(prepared: PreparedTask) -> list[PreparedTask]:
    """Return a prepared task and, if there is one, its alternative."""
    return [prepared] if prepared.alternative is None else [prepared, prepared.alternative]


def _play_again(
    plan: Plan, task: Task, is_board_open: bool, planner: str | Planner
) -> PrintResult | None:
    """Play a plan that was found before; return None if it does not print all of the picture."""
    if is_board_open and plan.board != task.board:
        task = task.place_on(plan.board)
    if not task.fits:  # it may be the plan of another picture, which --resume names
        return None
    try:
        return PrintResult.of(task, plan, get_planner(planner).name)
    except TetrisPrinterError:
        return None


# ---- The search.


def _find_new_plans(
    version: Version,
    planner: str | Planner,
    run: Run,
    game: RememberedGame | None = None,
    free_rows: int = 0,
) -> Iterator[PrintResult]:
    """Yield better and better plans of the exact picture, then perhaps of the repaired one.

    A remembered game is known to the search of the picture that it prints.
    """
    known = run.known if game is None else (*run.known, game.plan)
    known_exact, known_repaired = known, run.known
    if game is not None and game.is_alternative:
        known_exact, known_repaired = run.known, known
    exact_plans = _run_planner(version, planner, run, known_exact, free_rows)
    if version.prepared.alternative is None or run.unfinished is not None:
        yield from exact_plans
        return
    # The exact picture uses the full work; the repaired picture gets that of a simpler version.
    repaired = Version(version.prepared.alternative, is_simpler=True)
    exact_result: PrintResult | None = None
    try:
        for exact_result in exact_plans:
            yield exact_result
    except InternalError:
        raise
    except JobError:
        if exact_result is None:
            yield from _run_planner(repaired, planner, run, known)
            return
    if exact_result is None or run.is_over:
        return
    drop_limit = exact_result.drops / _EXACT_COST
    if run.can_play is not None and not run.can_play(exact_result.plan):
        drop_limit = inf
    try:
        for result in _run_planner(repaired, planner, run, known_repaired):
            if result.drops < drop_limit and (run.can_play is None or run.can_play(result.plan)):
                yield result
    except JobError:
        return


def _run_planner(
    version: Version,
    planner: str | Planner,
    run: Run,
    known: tuple[Plan, ...],
    free_rows: int = 0,
) -> Iterator[PrintResult]:
    """Yield better and better plans of one task, ignoring its alternative."""
    prepared, unfinished = version.prepared, run.unfinished
    task, is_board_open = _open_choices(prepared, planner, free_rows)
    if unfinished is not None and planner in _OPEN_PLANNERS:
        if _play_again(unfinished, task, is_board_open, planner) is not None:
            known, unfinished = (unfinished,), None
        elif is_board_open:
            task, is_board_open = task.place_on(unfinished.board, "auto"), False
            new_colors = {*task.picture.colors()} - {task.background, *unfinished.color_of.values()}
            has_same_background = task.background == unfinished.background  # else *rows* names both
            if not task.fits or (new_colors and has_same_background):
                raise run.make_foreign_plan_error(task.name)
    stop = run.stop.with_deadline(version.first_plan_deadline)
    if version.first_plan_deadline < inf:
        # The smallest picture's deadline may be later than the time limit.
        stop.deadline = version.first_plan_deadline
    # The version before a simpler one had its share of the work.
    share = _SIMPLER_EFFORT if version.is_simpler else 1.0
    task_run = replace(
        run,
        limit=run.limit.scale_effort(share),
        known=known,
        unfinished=unfinished,
        stop=stop,
        fallbacks={},
        work=Work(),
        any_board=is_board_open,
        gives_up=version.has_simpler,
    )
    chosen_planner = get_planner(planner)
    if not isinstance(chosen_planner, AutoPlanner):
        try:
            yield make_plan(task, planner, task_run)
        except JobError:
            if run.stop.is_requested:
                raise KeyboardInterrupt from None
            raise
        return
    for result in chosen_planner.list_plans(task, task_run):
        task_run.stop.deadline = run.stop.deadline  # a plan exists, so the whole time may be used
        yield result


_OPEN_PLANNERS: Final = ("auto", "shortest")
"""The planners that choose a board and types which the user did not name."""


def _open_choices(
    prepared: PreparedTask, planner: str | Planner, free_rows: int = 0
) -> tuple[Task, bool]:
    """Return the task as the planner gets it, and whether the planner may choose the board."""
    task, request = prepared.task, prepared.request
    chooses = planner in _OPEN_PLANNERS
    types = "auto" if chooses and not request.has_named_types else task.types
    board = Board(task.board.width, task.board.height - free_rows)
    return replace(task, board=board, types=types), chooses and not request.keeps_board


def _complete_result(
    result: PrintResult, prepared: PreparedTask, choices: tuple[Step, ...], **known: Any
) -> PrintResult:
    """Return the result with the steps of the preparation that the planner did not replace.

    ``choices`` are the steps of the planner; ``known`` has further fields that a cache decides.
    """
    # Empty squares get the background's colour even if no type may have it.
    plan = replace(result.plan, background=result.task.background or prepared.background)
    chosen_settings = {step.setting for step in choices}
    steps = tuple(step for step in prepared.steps if step.setting not in chosen_settings)
    return replace(result, plan=plan, steps=(*steps, *choices), **known)


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
    prepared = preparation.prepare_source(find_source(picture), request, planner)
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
