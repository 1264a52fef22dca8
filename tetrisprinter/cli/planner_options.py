"""The options that choose a planner and its limits, and how a command runs it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from tetrisprinter.cli.error_messages import format_count
from tetrisprinter.cli.grouped_help import LazyHelpOption
from tetrisprinter.cli.options import Real, Whole, seed_option, workers_option
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import InputError
from tetrisprinter.game.board import CLASSIC_BOARD, Board
from tetrisprinter.game.piece_queue import PREVIEW, QueueRules
from tetrisprinter.planners import PLANNERS
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.stop import Stop

if TYPE_CHECKING:
    from tetrisprinter.api import Export, ExportPlanner, PreparedTask
    from tetrisprinter.planners import Progress, Run
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.printing.task import Task
    from tetrisprinter.printing.types import TypesOption


@dataclass(frozen=True, slots=True)
class PlannerOptions:
    """The values of the planner options."""

    planner: str
    limit: Limit
    types: TypesOption | None
    board: Board | Literal["auto"] | None
    dask: str | None = None
    sure: bool = False
    prove: bool = False
    pieces: QueueRules | None = None
    stop: Stop = field(default_factory=Stop)
    verbose: bool = False
    is_playable: Callable[[PrintResult], bool] | None = None  # in the game that a file is for

    def start_clock(self) -> PlannerOptions:
        """Return the options with the time limit started, for all attempts together."""
        seconds = self.limit.seconds
        return self if seconds is None else replace(self, stop=self.stop.within(seconds))

    def with_board(self, board: Board | None, name: str) -> PlannerOptions:
        """Return the options with the only board that a format allows, unless one was named."""
        if board is None or self.board is not None:
            return self
        _report(f"{name}: board {board} (--board WxH)")
        return replace(self, board=board)

    def plan(
        self, found: PreparedTask, keep: Path | None = None, resume: bool = False
    ) -> PrintResult:
        """Plan a prepared task and show the progress."""
        from tetrisprinter.cli.checkpoint import RowsCheckpoint
        from tetrisprinter.planners import Run

        task = found.task
        self._confirm_long_job(task, self.planner == "auto" and not found.request.keeps_board)
        kept = None if keep is None else RowsCheckpoint(task, keep, resume)
        begun = kept.read_plan() if kept is not None and resume else None
        stop = self.stop
        if self.prove and stop.deadline < inf:  # the other half is the proof's
            stop = stop.within(stop.seconds_left / 2)
        with show_staged_progress(f"planning {task.name}") as report:

            def show(news: Progress) -> None:
                report(str(news), news.fraction)

            run = Run(
                replace(self.limit, seconds=None),
                show,
                _report,
                stop=stop,
                processes=self.limit.workers,
                dask=self.dask,
            )
            if kept is None:
                return self._prove_if_requested(self._search(found, run), run, report)
            run = replace(run, begun=begun, begun_name=str(keep), journal=kept.journal)
            with kept.announce_on_failure():
                return self._prove_if_requested(self._search(found, run), run, report, keep)

    def _search(self, found: PreparedTask, run: Run) -> PrintResult:
        """Return the best plan; the first signal stops the search and keeps the best so far."""
        from tetrisprinter.api.prints import find_plans

        best: PrintResult | None = None

        def describe() -> str:
            if best is None:
                return "stopping"
            return f"stopping; writing the best game so far ({format_count(best.drops, 'piece')})"

        with run.stop.stop_on_signals(describe):
            for plan in find_plans(found, self.planner, run):
                # A longer game that can be played is better than a shorter one that cannot.
                if best is None or self._can_be_played(plan) or not self._can_be_played(best):
                    best = plan
        assert best is not None
        return best

    def _can_be_played(self, result: PrintResult) -> bool:
        return self.is_playable is None or self.is_playable(result)

    def _prove_if_requested(
        self,
        result: PrintResult,
        run: Run,
        report: Callable[[str, float], None],
        keep: Path | None = None,
    ) -> PrintResult:
        """Prove the plan with --prove, unless a signal stopped the search."""
        if not self.prove or run.stop.is_requested:
            return result
        after = self._prove(result, report, keep)
        if after.bound < after.drops:
            _report(f"{after.task.name}: {after.claim}")
        return after

    def _prove(
        self,
        result: PrintResult,
        report: Callable[[str, float], None],
        keep: Path | None = None,
    ) -> PrintResult:
        """Raise the bound as far as possible.

        The results are stored beside the plan until the proof is complete, so the same command
        continues after an interrupt.
        """
        from tetrisprinter.bounds.bound_search import ProofHooks, ProofLimits
        from tetrisprinter.planners.shortest.proved import raise_bound
        from tetrisprinter.support.executors import Machines

        def tell(drops: int, lines: int, stacks: int, views: int) -> None:
            report(
                f"{drops} drops, {format_count(lines, 'cleared row')}: "
                f"{format_count(stacks, 'stack')}, "
                f"{format_count(views, 'nogood')}",
                1.0,
            )

        left = None if self.stop.deadline == inf else self.stop.seconds_left
        terms = ProofLimits(seconds=left, machines=Machines(self.limit.workers, self.dask))
        if keep is None:
            return raise_bound(result, terms, ProofHooks(tell=tell))
        from tetrisprinter.bounds.certificate_writer import ProofCheckpoint

        record = ProofCheckpoint(keep.with_name(f"{keep.name}.bound"), result.task)
        after = raise_bound(result, terms, ProofHooks(record.known, record.remember, tell))
        if after.stopped:
            _report(
                f"{record.folder}: the refuted cases so far; the same command continues from there"
            )
        else:
            record.forget()
        return after

    def make_planner(self, found: PreparedTask) -> Callable[[Task], PrintResult]:
        """Return a function that plans a changed task of the same source."""
        return lambda task: self.plan(replace(found, task=task))

    def plan_for_export(
        self,
        found: PreparedTask,
        export: Export,
        output: Path,
        keep: Path | None = None,
        resume: bool = False,
    ) -> tuple[PrintResult, str]:
        """Plan a game that another program can play; return it and the text of its file."""
        from tetrisprinter.api import export_game

        name = str(found.source.name)
        planner_options = self
        if export.steerable is not None:

            def is_playable(result: PrintResult) -> bool:
                return export.can_express(result.plan, name)

            planner_options = replace(self, is_playable=is_playable)

        def make(task: Task) -> PrintResult:
            return planner_options.plan(replace(found, task=task), keep, resume)

        return export_game(
            found.task, output, make, name, export, planner_options.list_steering_planners(found)
        )

    def list_steering_planners(self, found: PreparedTask) -> list[ExportPlanner]:
        """Return the planners to try in turn if no player could steer the pieces of the plan.

        First row by row on the usual board and on lower ones, which leave room to move pieces.
        Then, for a small picture, the shortest plan, whose stack is low.
        """
        from tetrisprinter.api import ExportPlanner

        task = found.task
        auto = self.planner == "auto"
        lower = replace(self, planner="rows") if auto else self
        kept = found.request.keeps_board
        makers = [
            ExportPlanner(lower.make_planner(found), rows)
            for rows in ((1, 2, 4) if kept else (0, 1, 2, 4))
        ]
        if self.planner not in ("auto", "rows") or task.pixels > _SMALL:
            return makers
        seconds = _SHORTEST_SECONDS if self.limit.seconds is None else self.limit.seconds
        shortest = replace(self, planner="shortest", limit=replace(self.limit, seconds=seconds))

        def make(task: Task) -> PrintResult:
            _report(
                f"{task.name}: no row-by-row plan can be steered; searching the shortest game for "
                f"at most {seconds:g} s"
            )
            return shortest.start_clock().make_planner(found)(task)  # its clock starts here

        return [*makers, ExportPlanner(make)]

    def _confirm_long_job(self, task: Task, any_board: bool = False) -> None:
        """Report how long a long job takes; on a terminal ask whether to start it."""
        from tetrisprinter.planners.auto import AutoPlanner

        planner = PLANNERS[self.planner]
        if self.limit.seconds is not None or not isinstance(planner, AutoPlanner):
            return
        if task.start or task.pieces is not None:
            return
        from tetrisprinter.planners.context import Request
        from tetrisprinter.planners.estimate import estimate

        effort = self.limit.effort * planner.times
        expected = estimate(Request(task, any_board, replace(self.limit, effort=effort)))
        if expected.seconds < _LONG_JOB or planner.refuses(task) is not None:
            return
        asks = not self.sure and sys.stdin.isatty() and sys.stderr.isatty()
        _report(f"{task.name}: {expected}" + ("; --yes starts without asking" if asks else ""))
        if asks and not click.confirm("Continue?", err=True):
            raise click.Abort

    def delete_checkpoint(self, task: Task, keep: Path) -> None:
        """Delete the stored rows of a print that is complete and written."""
        from tetrisprinter.cli.checkpoint import RowsCheckpoint

        RowsCheckpoint(task, keep).delete()


def _log_to_stderr() -> None:
    """Show the log of the planners on stderr; a second call adds nothing."""
    import logging

    from tetrisprinter.planners.run import LOG

    class StderrHandler(logging.Handler):
        """Write log records to the standard error of the moment."""

        def emit(self, record: logging.LogRecord) -> None:
            """See :class:`logging.Handler`."""
            click.echo(f"tetrisprinter: {self.format(record)}", err=True)

    if not LOG.handlers:
        LOG.addHandler(StderrHandler())
        LOG.setLevel(logging.INFO)


_SMALL: Final = 250
"""The most squares of a picture whose shortest game is searched for steering."""
_SHORTEST_SECONDS: Final = 120.0
"""The time limit of that search."""

_LONG_JOB: Final = 300
"""Processor seconds from which a job is long, so that the command asks first."""


def _report(sentence: str) -> None:
    click.echo(sentence, err=True)


def collect_figures(result: PrintResult) -> dict[str, object]:
    """Return the figures of a report about the quality of a print."""
    from tetrisprinter.printing.result import GAMES

    return {
        "pixels": result.pixels,
        "bound": result.bound,
        "proof": result.proof.value,
        "games": GAMES,
        "stack": result.stack,
        "stopped": result.stopped,
        "fallbacks": dict(result.fallbacks),
        "made_by": list(result.made_by),
    }


def describe_quality(result: PrintResult) -> str:
    """Return the end of a line: what is proved of the print."""
    return result.claim + ("; the search was stopped early" if result.stopped else "")


def _read_types(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> TypesOption | None:
    if value is None:
        return None
    from tetrisprinter.printing.types import read_types

    try:
        return read_types(value)
    except InputError as error:
        raise InputError(f"--types: {error}") from error


def _read_board(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Board | Literal["auto"] | None:
    if value is None or value == "auto":
        return "auto" if value else None
    try:
        return Board.parse(value)
    except InputError as error:
        raise InputError(
            f"--board: invalid board {value!r}; expected auto or WxH, e.g. {CLASSIC_BOARD} or 10x22"
        ) from error


def make_setting_options(defaults: Mapping[str, str]) -> tuple[Callable[..., Any], ...]:
    """Return the options ``--types``, ``--board`` and ``--classic``."""
    return (
        click.option(
            "--types",
            default=defaults.get("types"),
            show_default="types" in defaults,
            metavar="classic|auto|J=RRGGBB,...",
            callback=_read_types,
            help="Colour of each piece type."
            + ("" if "types" in defaults else " [default: chosen for the picture]"),
        ),
        click.option(
            "--board",
            default=defaults.get("board"),
            show_default="board" in defaults,
            metavar="WxH|auto",
            callback=_read_board,
            help="Size of the board; auto chooses it for the picture."
            + ("" if "board" in defaults else " [default: the best of several]"),
        ),
        click.option(
            "--classic",
            is_flag=True,
            help=f"The setting of the article: --board {CLASSIC_BOARD} --types classic.",
        ),
    )


_PIECES_OPTIONS: Final = (
    click.option(
        "--pieces",
        metavar="bag|bag:SEED|TIJ...",
        help="Take the pieces in the order of a queue, on ten columns unless --board says "
        "otherwise: 7-bag from a seed, a given queue, or a TETR.IO map with a queue. "
        "[default: any piece at any time]",
    ),
    click.option(
        "--next",
        "seen",
        type=Whole(0, 100),
        metavar="N",
        help=f"With --pieces: the number of preview pieces ({PREVIEW} is usual). [default: all]",
    ),
    click.option("--no-hold", is_flag=True, help="With --pieces: do not use hold."),
)


def _read_pieces(text: str | None, preview: int | None, no_hold: bool) -> QueueRules | None:
    if text is None:
        if preview is not None or no_hold:
            raise InputError(
                f"{'--no-hold' if preview is None else '--next'} needs --pieces; expected e.g. "
                "--pieces bag, --pieces bag:SEED or --pieces TIJLOSZ"
            )
        return None
    try:
        from tetrisprinter.formats.tetrio import read_pieces

        return read_pieces(text, preview, not no_hold)
    except InputError as error:
        raise InputError(f"--pieces: {error}") from error


def _make_options(defaults: Mapping[str, str]) -> tuple[Callable[..., Any], ...]:
    return (
        click.option(
            "--planner",
            type=click.Choice(list(PLANNERS)),
            default="auto",
            show_default=True,
            cls=LazyHelpOption,
            tell=lambda: "; ".join(f"{name} {one.summary}" for name, one in PLANNERS.items()) + ".",
        ),
        *make_setting_options(defaults),
        click.option(
            "--time-limit",
            type=Real(min=0, min_open=True),
            metavar="SECONDS",
            help="Stop the search after this time and take the best game found.",
        ),
        click.option(
            "--effort",
            type=Real(min=0, min_open=True),
            show_default="1; with --time-limit: until the time is over",
            metavar="NUMBER",
            help="How long to search for a shorter game, as a multiple of the default work, e.g. "
            "0.5 or 20.",
        ),
        *_PIECES_OPTIONS,
        seed_option,
        workers_option,
        click.option("--yes", "sure", is_flag=True, help="Start a long job without asking."),
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Show figures of the game and where a planner needed a fallback.",
        ),
    )


def add_planner_options(**defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of all planners; the command gets them as ``planner_options``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def collect_options(
            *,
            planner: str,
            types: TypesOption | None,
            board: Board | Literal["auto"] | None,
            classic: bool,
            time_limit: float | None,
            effort: float | None,
            seed: int,
            workers: int,
            sure: bool,
            verbose: bool,
            pieces: str | None,
            seen: int | None,
            no_hold: bool,
            **rest: Any,
        ) -> Any:
            if verbose:
                _log_to_stderr()
            if classic:
                board, types = CLASSIC_BOARD, "classic"
            if effort is None:
                from tetrisprinter.api.prints import default_effort

                effort = default_effort(planner, time_limit)
            limit = Limit(time_limit, workers, seed, effort)
            dealt = _read_pieces(pieces, seen, no_hold)
            planner_options = PlannerOptions(
                planner, limit, types, board, sure=sure, pieces=dealt, verbose=verbose
            )
            return command(planner_options=planner_options, **rest)

        for option in reversed(_make_options(defaults)):
            collect_options = option(collect_options)
        return collect_options

    return decorate
