"""The options for a planner and its limits; running the planner with progress and checkpoints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import click

from tetrisprinter.cli.error_messages import format_bound_progress
from tetrisprinter.cli.groups import LazyHelpOption
from tetrisprinter.cli.options import (
    ParsedType,
    Real,
    Whole,
    add_group,
    flag,
    option,
    seed_option,
    workers_option,
)
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import InputError
from tetrisprinter.formats import read_game
from tetrisprinter.game.board import CLASSIC_BOARD, LARGEST, Board
from tetrisprinter.game.piece_queue import PREVIEW, QueueRules
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners import PLANNERS
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.stop import Stop

if TYPE_CHECKING:
    from tetrisprinter.api import Export, ExportPlanner, PreparedTask
    from tetrisprinter.game.plan import Plan
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
    dask: str | None = None  # the address of a Dask scheduler
    sure: bool = False  # whether a long job starts without asking the user
    prove: bool = False  # whether to raise the bound after planning
    pieces: QueueRules | None = None
    stop: Stop = field(default_factory=Stop)
    verbose: bool = False
    chosen: tuple[str, ...] = ()  # settings that the file format decided, as texts for the report
    # Returns whether the program that reads the output file can play a plan; None: every plan
    can_play: Callable[[Plan], bool] | None = None

    def start_clock(self) -> PlannerOptions:
        """Return options whose time limit starts now; all attempts share the time."""
        seconds = self.limit.seconds
        return self if seconds is None else replace(self, stop=self.stop.with_timeout(seconds))

    def plan(
        self, prepared: PreparedTask, plan_file: Path | None = None, resume: bool = False
    ) -> PrintResult:
        """Plan a prepared task and show the progress.

        Finished rows are stored beside the file of the plan; ``resume`` continues from them.
        """
        from tetrisprinter.planners import Run
        from tetrisprinter.planners.journal import RowsJournal

        task = prepared.task
        self._confirm_long_job(task, self.planner == "auto" and not prepared.request.keeps_board)
        journal = None if plan_file is None else RowsJournal.of(task, plan_file, resumes=resume)
        stored_plan = (
            read_stored_plan(journal, plan_file) if journal and plan_file and resume else None
        )
        stop = self.stop
        if self.prove and stop.deadline < inf:  # keep half of the time for the proof
            stop = stop.with_timeout(stop.seconds_left / 2)
        with show_staged_progress(f"planning {task.name}") as report:

            def show_progress(progress: Progress) -> None:
                report(str(progress), progress.fraction)

            run = Run(
                replace(self.limit, seconds=None),
                show_progress,
                _print_to_stderr,
                stop=stop,
                processes=self.limit.workers,
                dask=self.dask,
                can_play=self.can_play,
            )
            if journal is None:
                return self._prove_if_requested(self._search(prepared, run), run, report)
            run = replace(
                run, unfinished=stored_plan, unfinished_name=str(plan_file), journal=journal
            )
            with announce_rows_on_failure(journal):
                return self._prove_if_requested(self._search(prepared, run), run, report, plan_file)

    def _search(self, prepared: PreparedTask, run: Run) -> PrintResult:
        """Search until the limits or the first signal; return the best plan so far."""
        from tetrisprinter.api.prints import find_plans

        best_result: PrintResult | None = None

        def describe_stop() -> str:
            if best_result is None:
                return "stopping"
            pieces = format_count(best_result.drops, "piece")
            return f"stopping; writing the best game so far ({pieces})"

        with run.stop.stop_on_signals(describe_stop):
            for plan in find_plans(prepared, self.planner, run):
                best_result = plan
        assert best_result is not None
        return best_result

    def _prove_if_requested(
        self,
        result: PrintResult,
        run: Run,
        report: Callable[[str, float], None],
        plan_file: Path | None = None,
    ) -> PrintResult:
        """With ``--prove`` raise the bound of a plan, unless a signal stopped the search."""
        if not self.prove or run.stop.is_requested:
            return result
        proved = self._prove(result, report, plan_file)
        if self.can_play is not None and not self.can_play(proved.plan):
            proved = replace(result, bound=proved.bound)
        if proved.bound < proved.drops:
            _print_to_stderr(f"{proved.task.name}: {proved.claim}")
        return proved

    def _prove(
        self,
        result: PrintResult,
        report: Callable[[str, float], None],
        plan_file: Path | None = None,
    ) -> PrintResult:
        """Raise the bound of a result as far as the limits allow.

        Refuted cases are stored beside the plan until the proof is complete, so the same command
        continues after an interrupt.
        """
        from tetrisprinter.bounds.bound_search import ProofHooks, ProofLimits
        from tetrisprinter.planners.shortest.proved import raise_bound
        from tetrisprinter.support.executors import Machines

        def show_progress(drops: int, lines: int, stacks: int, nogoods: int) -> None:
            report(format_bound_progress(drops, lines, stacks, nogoods), 1.0)

        seconds_left = None if self.stop.deadline == inf else self.stop.seconds_left
        limits = ProofLimits(seconds=seconds_left, machines=Machines(self.limit.workers, self.dask))
        if plan_file is None:
            return raise_bound(result, limits, ProofHooks(report=show_progress))
        from tetrisprinter.bounds.certificate_writer import ProofCheckpoint

        checkpoint = ProofCheckpoint(plan_file.with_name(f"{plan_file.name}.bound"), result.task)
        proved = raise_bound(
            result, limits, ProofHooks(checkpoint.known_nogoods, checkpoint.remember, show_progress)
        )
        if proved.stopped:
            _print_to_stderr(
                f"{checkpoint.folder}: the refuted cases so far; the same command continues from "
                "there"
            )
        else:
            checkpoint.forget()
        return proved

    def make_planner(self, prepared: PreparedTask) -> Callable[[Task], PrintResult]:
        """Return a function that plans a changed task of the same source."""
        return lambda task: self.plan(replace(prepared, task=task))

    def plan_for_export(
        self,
        prepared: PreparedTask,
        export: Export,
        output: Path,
        plan_file: Path | None = None,
        resume: bool = False,
    ) -> tuple[PrintResult, str]:
        """Plan a game that another program can play; return the result and the text of its file."""
        from tetrisprinter.api import export_game

        name = str(prepared.source.name)
        planner_options = self
        if export.steerable is not None:

            def can_play(plan: Plan) -> bool:
                return export.can_express(plan, name)

            # Cached because the search and its callers check the same plans.
            planner_options = replace(self, can_play=lru_cache(maxsize=8)(can_play))

        def plan_task(task: Task) -> PrintResult:
            return planner_options.plan(replace(prepared, task=task), plan_file, resume)

        return export_game(
            prepared.task,
            output,
            plan_task,
            name,
            export,
            planner_options.list_steering_planners(prepared),
        )

    def list_steering_planners(self, prepared: PreparedTask) -> list[ExportPlanner]:
        """Return the planners to try in turn if no player can steer the pieces of the first plan.

        These planners print row by row, on the board of the task and on lower boards, which leaves
        space to move pieces.
        """
        from tetrisprinter.api import ExportPlanner

        row_options = replace(self, planner="rows") if self.planner == "auto" else self
        return [
            ExportPlanner(row_options.make_planner(prepared), rows)
            for rows in ((1, 2, 4) if prepared.request.keeps_board else (0, 1, 2, 4))
        ]

    def _confirm_long_job(self, task: Task, may_choose_board: bool = False) -> None:
        """Warn about a job that will probably take long; on a terminal ask whether to start it."""
        from tetrisprinter.planners.auto import AutoPlanner

        planner = PLANNERS[self.planner]
        if self.limit.seconds is not None or not isinstance(planner, AutoPlanner):
            return
        if task.start or task.pieces is not None:
            return
        from tetrisprinter.planners.context import Request
        from tetrisprinter.planners.estimate import estimate_seconds

        effort = self.limit.effort * planner.times
        request = Request(task, may_choose_board, replace(self.limit, effort=effort))
        if estimate_seconds(request) < _LONG_JOB_SECONDS or planner.find_refusal(task) is not None:
            return
        asks_user = not self.sure and sys.stdin.isatty() and sys.stderr.isatty()
        _print_to_stderr(
            f"{task.name}: a long job, probably over {_LONG_JOB_SECONDS // 60} minutes of "
            "processor time; Ctrl-C ends it with the best plan so far"
            + ("; --yes starts without asking" if asks_user else "")
        )
        if asks_user and not click.confirm("Continue?", err=True):
            raise click.Abort


def _log_to_stderr() -> None:
    """Write the log of the planners to stderr from now on; a second call does nothing."""
    import logging

    from tetrisprinter.planners.run import LOG

    class StderrHandler(logging.Handler):
        """Writes each message once to the current ``sys.stderr``, which ``--quiet`` replaces."""

        written: ClassVar[set[str]] = set()

        def emit(self, record: logging.LogRecord) -> None:
            """See :class:`logging.Handler`."""
            sentence = self.format(record)
            if sentence not in self.written:
                self.written.add(sentence)
                click.echo(f"tetrisprinter: {sentence}", err=True)

    if not LOG.handlers:
        LOG.addHandler(StderrHandler())
        LOG.setLevel(logging.INFO)


_LONG_JOB_SECONDS: Final = 300
"""A job that takes more processor seconds is long: the command asks before it starts."""


def _print_to_stderr(sentence: str) -> None:
    click.echo(sentence, err=True)


def collect_figures(result: PrintResult) -> dict[str, object]:
    """Return the figures of ``--json`` about the quality of a result."""
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
    """Return a clause on what is proved about the number of drops."""
    return result.claim + ("; the search was stopped early" if result.stopped else "")


def _read_board(text: str) -> Board | Literal["auto"]:
    """Read the value of ``--board``."""
    if text == "auto":
        return "auto"
    try:
        return Board.parse(text)
    except InputError as error:
        raise InputError(
            f"invalid board {text!r}; expected auto or WxH, e.g. {CLASSIC_BOARD} or 10x22, "
            f"up to {LARGEST}x{LARGEST}"
        ) from error


def make_setting_options(
    defaults: Mapping[str, str], default_board: str = "the best of several"
) -> tuple[Callable[..., Any], ...]:
    """Return the options ``--types``, ``--board`` and ``--classic``."""
    return (
        option(
            "--types",
            ParsedType("printing.types:read_types"),
            "Colour of each piece type."
            + ("" if "types" in defaults else " [default: chosen for the picture]"),
            default=defaults.get("types"),
            metavar="classic|auto|J=RRGGBB,...",
            show_default="types" in defaults,
        ),
        option(
            "--board",
            ParsedType(_read_board),
            "Size of the board; auto chooses it for the picture."
            + ("" if "board" in defaults else f" [default: {default_board}]"),
            default=defaults.get("board"),
            metavar="WxH|auto",
            show_default="board" in defaults,
        ),
        flag("--classic", f"Same as --board {CLASSIC_BOARD} --types classic, as in the article."),
    )


_PIECES_OPTIONS: Final = (
    option("--pieces", None, "Play the pieces of a queue in order, on ten columns unless "
           "--board says otherwise: 7-bags from a seed, a given queue, or a TETR.IO map. "
           "[default: any piece at any time]", metavar="bag|bag:SEED|TIJ..."),
    option("--next preview_pieces", Whole(0, 100),
           f"With --pieces: the number of preview pieces ({PREVIEW} is usual). [default: all]",
           metavar="N"),
    flag("--no-hold", "With --pieces: do not use hold."),
)  # fmt: skip


def _read_pieces(text: str | None, preview: int | None, no_hold: bool) -> QueueRules | None:
    """Read the options of a piece queue; None without ``--pieces``."""
    if text is None:
        if preview is not None or no_hold:
            option = "--no-hold" if preview is None else "--next"
            raise InputError(f"{option}: no piece queue; add e.g. --pieces bag or --pieces TIJLOSZ")
        return None
    try:
        from tetrisprinter.formats.tetrio import read_pieces

        return read_pieces(text, preview, not no_hold)
    except InputError as error:
        raise InputError(f"--pieces: {error}") from error


def _make_planner_option_list(defaults: Mapping[str, str]) -> tuple[Callable[..., Any], ...]:
    """Return all planner options, with other defaults for some parameters."""
    return (
        option(
            "--planner",
            list(PLANNERS),
            "",
            default="auto",
            cls=LazyHelpOption,
            make_help=lambda: (
                "; ".join(f"{name} {planner.summary}" for name, planner in PLANNERS.items()) + "."
            ),
        ),
        *make_setting_options(defaults),
        option(
            "--time-limit",
            Real(min=0, min_open=True),
            "Stop the search after this time and use the best game so far.",
            metavar="SECONDS",
        ),
        option(
            "--effort",
            Real(min=0, min_open=True),
            "How long to search for a shorter game, as a multiple of the default work, e.g. "
            "0.5 or 20.",
            metavar="NUMBER",
            show_default="1; with --time-limit: until the time is up",
        ),
        *_PIECES_OPTIONS,
        seed_option,
        workers_option,
        flag("--yes sure", "Start a long job without asking."),
        flag(
            "-v --verbose", "Show more figures of the game, and where a planner needed a fallback."
        ),
    )


def _build_planner_options(
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
    preview_pieces: int | None,
    no_hold: bool,
) -> PlannerOptions:
    """Build the planner options from the values of the command line."""
    if verbose:
        _log_to_stderr()
    if classic:
        board, types = CLASSIC_BOARD, "classic"
    if effort is None:
        from tetrisprinter.api.prints import choose_default_effort

        effort = choose_default_effort(planner, time_limit)
    limit = Limit(time_limit, workers, seed, effort)
    queue = _read_pieces(pieces, preview_pieces, no_hold)
    return PlannerOptions(planner, limit, types, board, sure=sure, pieces=queue, verbose=verbose)


def add_planner_options(**defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the planner options, with other defaults for some of them."""
    return add_group("planner_options", _build_planner_options, _make_planner_option_list(defaults))


def read_stored_plan(journal: RowsJournal, path: Path) -> Plan | None:
    """Return the plan of the stored rows, else of the file; print a note if neither exists."""
    plan = journal.gather_rows()
    if plan is None and path.is_file():
        plan = read_game(path)
    if plan is None:
        click.echo(f"{path}: nothing to resume; starting over", err=True)
    return plan


@contextmanager
def announce_rows_on_failure(journal: RowsJournal) -> Iterator[None]:
    """Print where the rows are stored if the block raises an error."""
    try:
        yield
    except BaseException:
        if journal.count_segments():
            click.echo(
                f"{journal.folder}: the rows so far; the same command with --resume "
                "continues from there",
                err=True,
            )
        raise
