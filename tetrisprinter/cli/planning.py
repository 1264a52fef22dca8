"""How the commands choose and call a planner."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from tetrisprinter.cli.helping import ToldLater
from tetrisprinter.cli.options import Real, Whole, seed_option, workers_option
from tetrisprinter.cli.progress import staged_progress
from tetrisprinter.cli.words import counted
from tetrisprinter.errors import InputError
from tetrisprinter.game.board import CLASSIC_BOARD, Board
from tetrisprinter.game.piece_queue import PREVIEW, QueueRules
from tetrisprinter.planners import PLANNERS
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.stop import Stop

if TYPE_CHECKING:
    from tetrisprinter.api import Export, Maker, Prepared
    from tetrisprinter.planners import Progress, Run
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.printing.task import Task
    from tetrisprinter.printing.types import TypesOption

__all__ = ["Planning", "figures", "how_good", "planning_options", "setting_options"]


@dataclass(frozen=True, slots=True)
class Planning:
    """The planner a command was asked to use, with its options."""

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

    def begun(self) -> Planning:
        """Return the same with the clock running: one limit for all that is tried."""
        seconds = self.limit.seconds
        return self if seconds is None else replace(self, stop=self.stop.within(seconds))

    def on(self, board: Board | None, name: str) -> Planning:
        """Return the same on the only board that a file knows, where no other was named."""
        if board is None or self.board is not None:
            return self
        _note(f"{name}: board {board} (--board WxH)")
        return replace(self, board=board)

    def make(self, found: Prepared, keep: Path | None = None, resume: bool = False) -> PrintResult:
        """Plan what was prepared, showing how far it is."""
        from tetrisprinter.cli.keeping import Kept
        from tetrisprinter.planners import Run

        task = found.task
        self._ask(task, self.planner == "auto" and not found.wishes.keeps_board)
        kept = None if keep is None else Kept(task, keep, resume)
        begun = kept.begun() if kept is not None and resume else None
        stop = self.stop
        if self.prove and stop.deadline < inf:  # the other half is the proof's
            stop = stop.within(stop.seconds_left / 2)
        with staged_progress(f"planning {task.name}") as report:

            def show(news: Progress) -> None:
                report(str(news), news.fraction)

            run = Run(
                replace(self.limit, seconds=None),
                show,
                _note,
                stop=stop,
                processes=self.limit.workers,
                dask=self.dask,
            )
            if kept is None:
                return self._ended(self._search(found, run), run, report)
            run = replace(run, begun=begun, begun_name=str(keep), journal=kept.journal)
            with kept.reported():
                return self._ended(self._search(found, run), run, report, keep)

    def _search(self, found: Prepared, run: Run) -> PrintResult:
        """Return the best plan; the first signal ends the search with the best one so far."""
        from tetrisprinter.api.printing import plans_of

        best: PrintResult | None = None

        def describe() -> str:
            if best is None:
                return "stopping"
            return f"stopping; writing the best game so far ({counted(best.drops, 'piece')})"

        with run.stop.heed_signals(describe):
            for plan in plans_of(found, self.planner, run):
                # A longer game that can be played is better than a shorter one that cannot.
                if best is None or self._plays(plan) or not self._plays(best):
                    best = plan
        assert best is not None
        return best

    def _plays(self, result: PrintResult) -> bool:
        return self.is_playable is None or self.is_playable(result)

    def _ended(
        self,
        result: PrintResult,
        run: Run,
        report: Callable[[str, float], None],
        keep: Path | None = None,
    ) -> PrintResult:
        """Prove what was planned if that is asked for, and no signal stopped the search."""
        if not self.prove or run.stop.is_requested:
            return result
        after = self._proved(result, report, keep)
        if after.bound < after.drops:
            _note(f"{after.task.name}: {after.claim}")
        return after

    def _proved(
        self,
        result: PrintResult,
        report: Callable[[str, float], None],
        keep: Path | None = None,
    ) -> PrintResult:
        """Raise the bound as far as it goes.

        What is found is kept beside the plan until the proof comes to its end, so after an
        interrupt the same command goes on there.
        """
        from tetrisprinter.bounds.bound_search import ProofHooks, ProofLimits
        from tetrisprinter.planners.shortest.proved import proved
        from tetrisprinter.support.executors import Machines

        def tell(drops: int, lines: int, stacks: int, views: int) -> None:
            report(
                f"{drops} drops, {counted(lines, 'cleared row')}: {counted(stacks, 'stack')}, "
                f"{counted(views, 'nogood')}",
                1.0,
            )

        left = None if self.stop.deadline == inf else self.stop.seconds_left
        terms = ProofLimits(seconds=left, machines=Machines(self.limit.workers, self.dask))
        if keep is None:
            return proved(result, terms, ProofHooks(tell=tell))
        from tetrisprinter.bounds.certificate_writer import ProofCheckpoint

        record = ProofCheckpoint(keep.with_name(f"{keep.name}.bound"), result.task)
        after = proved(result, terms, ProofHooks(record.known, record.remember, tell))
        if after.stopped:
            _note(f"{record.folder}: what is refuted so far; the same command goes on from there")
        else:
            record.forget()
        return after

    def maker(self, found: Prepared) -> Callable[[Task], PrintResult]:
        """Return what plans a task of what was prepared, on a board of its own."""
        return lambda task: self.make(replace(found, task=task))

    def make_for(
        self,
        found: Prepared,
        export: Export,
        output: Path,
        keep: Path | None = None,
        resume: bool = False,
    ) -> tuple[PrintResult, str]:
        """Plan a game that another program can play; return it and the text of its file."""
        from tetrisprinter.api import make_game

        name = str(found.source.name)
        planning = self
        if export.steerable is not None:

            def is_playable(result: PrintResult) -> bool:
                return export.can_express(result.plan, name)

            planning = replace(self, is_playable=is_playable)

        def make(task: Task) -> PrintResult:
            return planning.make(replace(found, task=task), keep, resume)

        return make_game(found.task, output, make, name, export, planning.for_steering(found))

    def for_steering(self, found: Prepared) -> list[Maker]:
        """Return who plans, in turn, where a plan of this planner cannot be played elsewhere.

        First on the usual board, if another one was chosen, and on lower ones, without going on
        to the shortest plan there; then the shortest plan, which leaves more room, if the picture
        is small enough and within a limit of time.
        """
        from tetrisprinter.api import Maker

        task = found.task
        auto = self.planner == "auto"
        lower = replace(self, planner="rows") if auto else self
        kept = found.wishes.keeps_board
        makers = [Maker(lower.maker(found), rows) for rows in ((1, 2, 4) if kept else (0, 1, 2, 4))]
        if self.planner not in ("auto", "rows") or task.pixels > _SMALL:
            return makers
        seconds = _AT_LAST if self.limit.seconds is None else self.limit.seconds
        shortest = replace(self, planner="shortest", limit=replace(self.limit, seconds=seconds))

        def make(task: Task) -> PrintResult:
            _note(
                f"{task.name}: no plan row by row can be steered there; looking for the shortest, "
                f"for at most {seconds:g} s"
            )
            return shortest.begun().maker(found)(task)  # its clock starts here

        return [*makers, Maker(make)]

    def _ask(self, task: Task, any_board: bool = False) -> None:
        """Say how long a long job takes, and ask whoever sits there."""
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
        if expected.seconds < _LONG or planner.refuses(task) is not None:
            return
        asks = not self.sure and sys.stdin.isatty() and sys.stderr.isatty()
        _note(f"{task.name}: {expected}" + ("; --yes does not ask" if asks else ""))
        if asks and not click.confirm("Go on?", err=True):
            raise click.Abort

    def done(self, task: Task, keep: Path) -> None:
        """Forget the rows of a print that is done and written."""
        from tetrisprinter.cli.keeping import Kept

        Kept(task, keep).done()


def _log_ways() -> None:
    """Let what planners log be seen, once."""
    import logging

    from tetrisprinter.planners.run import LOG

    class Aloud(logging.Handler):
        """Says what is logged on whatever is standard error at that moment."""

        def emit(self, record: logging.LogRecord) -> None:
            """See :class:`logging.Handler`."""
            click.echo(f"tetrisprinter: {self.format(record)}", err=True)

    if not LOG.handlers:
        LOG.addHandler(Aloud())
        LOG.setLevel(logging.INFO)


_SMALL: Final = 250
"""Squares of a picture that is planned by another planner if its plan cannot be steered."""
_AT_LAST: Final = 120.0
"""Seconds for that."""

_LONG: Final = 300
"""Seconds of a processor for which one is asked first."""


def _note(sentence: str) -> None:
    click.echo(sentence, err=True)


def figures(result: PrintResult) -> dict[str, object]:
    """Return what a report says of how good a print is."""
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


def how_good(result: PrintResult) -> str:
    """Say how good a print is, as the end of a line."""
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
            f"--board: {value!r} is neither auto nor a board such as {CLASSIC_BOARD} or 10x22"
        ) from error


def setting_options(defaults: Mapping[str, str]) -> tuple[Callable[..., Any], ...]:
    """Return the options that say where a picture is printed: ``types``, ``board``, ``classic``."""
    return (
        click.option(
            "--types",
            default=defaults.get("types"),
            show_default="types" in defaults,
            metavar="classic|auto|J=RRGGBB,...",
            callback=_read_types,
            help="Which piece type shows which colour."
            + ("" if "types" in defaults else " [default: chosen for the picture]"),
        ),
        click.option(
            "--board",
            default=defaults.get("board"),
            show_default="board" in defaults,
            metavar="WxH|auto",
            callback=_read_board,
            help="Size of the playfield; auto chooses it for the picture."
            + ("" if "board" in defaults else " [default: the best of several]"),
        ),
        click.option(
            "--classic",
            is_flag=True,
            help=f"The article's setting: --board {CLASSIC_BOARD} --types classic.",
        ),
    )


_PIECES_OPTIONS: Final = (
    click.option(
        "--pieces",
        metavar="bag|bag:SEED|TIJ...",
        help="Take the pieces as they come, on ten columns if --board says nothing else: bags "
        "of seven dealt from a seed, a queue, or a map of TETR.IO with a queue. "
        "[default: any piece at any time]",
    ),
    click.option(
        "--next",
        "seen",
        type=Whole(0, 100),
        metavar="N",
        help=f"See only so many pieces ahead, as in games ({PREVIEW} is usual). [default: all]",
    ),
    click.option("--no-hold", is_flag=True, help="Let no piece be laid aside."),
)


def _pieces(text: str | None, preview: int | None, no_hold: bool) -> QueueRules | None:
    if text is None:
        if preview is not None or no_hold:
            raise InputError(
                f"{'--no-hold' if preview is None else '--next'} is about pieces that come, so "
                "it needs --pieces bag, --pieces bag:SEED or --pieces and a queue such as TIJLOSZ"
            )
        return None
    try:
        from tetrisprinter.formats.tetrio import read_pieces

        return read_pieces(text, preview, not no_hold)
    except InputError as error:
        raise InputError(f"--pieces: {error}") from error


def _options(defaults: Mapping[str, str]) -> tuple[Callable[..., Any], ...]:
    return (
        click.option(
            "--planner",
            type=click.Choice(list(PLANNERS)),
            default="auto",
            show_default=True,
            cls=ToldLater,
            tell=lambda: "; ".join(f"{name} {one.summary}" for name, one in PLANNERS.items()) + ".",
        ),
        *setting_options(defaults),
        click.option(
            "--time-limit",
            type=Real(min=0, min_open=True),
            metavar="SECONDS",
            help="Look for so long, and take the best game found by then.",
        ),
        click.option(
            "--effort",
            type=Real(min=0, min_open=True),
            show_default="1; with --time-limit what that allows",
            metavar="NUMBER",
            help="How long to look for a shorter game: a multiple of the usual work, such as 0.5 "
            "or 20.",
        ),
        *_PIECES_OPTIONS,
        seed_option,
        workers_option,
        click.option("--yes", "sure", is_flag=True, help="Begin a long job without asking."),
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Say figures of the game, and where a planner had to go another way.",
        ),
    )


def planning_options(**defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of all planners; the command gets them as ``planning``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gathered(
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
                _log_ways()
            if classic:
                board, types = CLASSIC_BOARD, "classic"
            if effort is None:
                from tetrisprinter.api.printing import effort_for

                effort = effort_for(planner, time_limit)
            limit = Limit(time_limit, workers, seed, effort)
            dealt = _pieces(pieces, seen, no_hold)
            planning = Planning(
                planner, limit, types, board, sure=sure, pieces=dealt, verbose=verbose
            )
            return command(planning=planning, **rest)

        for option in reversed(_options(defaults)):
            gathered = option(gathered)
        return gathered

    return decorate
