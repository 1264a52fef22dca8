"""Print images with the same options: check all files first, then print, write and report."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click

from tetrisprinter import formats
from tetrisprinter.api.cache import find_folder
from tetrisprinter.api.preparation import PreparedTask, prepare_source
from tetrisprinter.api.prints import Export, describe_long_job, print_prepared, prove_further
from tetrisprinter.api.request import adapt_to_formats
from tetrisprinter.cli import progress
from tetrisprinter.cli.files import (
    OutputFiles,
    check_outputs,
    choose_field_color,
    choose_output_files,
    choose_previews,
    name_outputs,
    write_preview,
)
from tetrisprinter.cli.options import explain_exception, format_error, map_options_to_metavars
from tetrisprinter.cli.print_options import STDOUT, PrintJob
from tetrisprinter.cli.progress import SearchLine
from tetrisprinter.errors import InputError, InternalError, JobError, Setting, TetrisPrinterError
from tetrisprinter.formats.art import ART_SIZE
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.sources import Source, list_frames
from tetrisprinter.planners import PLANNERS
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.obstacles import Change
from tetrisprinter.printing.result import GAMES, PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.render.still import check_poster, save_poster
from tetrisprinter.support import format_count, format_size
from tetrisprinter.support.executors import HERE, Machines, yield_in_order
from tetrisprinter.support.files import (
    check_writable,
    refuse_overwriting_inputs,
)
from tetrisprinter.support.signals import get_stop_signal

_ENDS_COMMAND: Final = (click.exceptions.Exit, click.Abort, click.ClickException, BrokenPipeError)
"""Exceptions that end the command; any other exception costs one image."""

_WORTH_SAYING: Final = 0.8
"""A bound is shown from this share of the drops on; a lower one says little about the game."""

_PARALLEL_FROM: Final = 16
"""The smallest number of images that are printed in several processes."""

_ALWAYS_CHOSEN: Final = (Setting.BOARD, Setting.TYPES, Setting.FIELD)
"""Settings that are chosen for every picture, so only ``--verbose`` reports them."""

_NOT_BOTH: Final = "cannot be used with --from; leave one of them out"
"""The end of messages about options that ``--from`` excludes."""


_STEP_OPTIONS: Final = {
    Setting.FRAME: "--frame N|all",
    Setting.FIT: "--fit WxH",
    Setting.COLORS: "--colors N",
    Setting.BACKGROUND: "--background COLOUR|transparent",
    Setting.EXACT: "--exact refuses instead",
    Setting.BOARD: "--board WxH",
    Setting.TYPES: "--types",
    Setting.FIELD: "--field COLOUR",
    Setting.PIECES: "set with --pieces",
}
"""Setting of a conversion step -> the option that changes the step."""


@dataclass(slots=True)
class StepReport:
    """Prints each conversion step once on stderr, and keeps the steps for ``--json``."""

    name: str
    is_verbose: bool = False
    steps: list[Step] = field(default_factory=list)
    # Steps and settings of a file's format that will be reported with the result, in one line
    postponed: tuple[tuple[Step, ...], tuple[Step, ...]] = ((), ())

    def add(
        self, steps: tuple[Step, ...], chosen: tuple[Step, ...] = (), *, is_result: bool = False
    ) -> None:
        """Report the new steps, after the settings that a format requires.

        With ``is_result`` only repairs and postponed steps are reported, unless ``--verbose`` is
        given.
        """
        postponed, self.postponed = self.postponed, ((), ())
        steps, chosen = (*postponed[0], *steps), (*postponed[1], *chosen)
        new_steps = [step for step in dict.fromkeys(steps) if step not in self.steps]
        shown_steps = [
            step for step in new_steps if self.is_verbose or step.setting not in _ALWAYS_CHOSEN
        ]
        if not self.is_verbose:
            if is_result:
                shown_steps = [
                    s for s in shown_steps if s.setting is Setting.EXACT or s in postponed[0]
                ]
            shown_steps = list(map(_drop_square_list, shown_steps))
        if chosen or shown_steps:
            texts = (
                f"{step} ({_STEP_OPTIONS.get(step.setting, step.setting)})"
                for step in (*chosen, *shown_steps)
            )
            _print_to_stderr(f"{self.name}: {', '.join(texts)}")
        self.steps += new_steps

    def begin(self, prepared: PreparedTask, chosen: tuple[Step, ...]) -> None:
        """Report the steps that led to a task, in place of those of another version of the picture.

        If the game decides the repair, the steps are reported with the game. ``chosen`` are the
        settings that the format of a file requires.
        """
        self.steps = []
        if prepared.task.start:
            self.add(prepared.steps)
        elif prepared.alternative is None:
            self.add(prepared.certain_steps, chosen)
        else:
            self.postponed = prepared.certain_steps, chosen

    def report(self, changes: tuple[Change, ...]) -> dict[str, object]:
        """Return the entries of ``--json`` for the steps and for repaired squares."""
        entries: dict[str, object] = {}
        if self.steps:
            entries["conversion"] = list(map(str, self.steps))
        if changes:
            entries["repaired"] = list(map(asdict, changes))
        return entries


def _drop_square_list(step: Step) -> Step:
    """Return a step, without the list of repaired squares if there are several."""
    if step.setting is not Setting.EXACT or step.text.startswith("1 square "):
        return step
    return Step(step.text.partition(":")[0], step.setting)


def list_games(
    job: PrintJob,
    source: Source,
    step_report: StepReport,
    games: Sequence[Path] = (),
    *,
    preview: Path | None = None,
    export: Export | None = None,
) -> Generator[tuple[PreparedTask, PrintResult | None, float | None], None, None]:
    """Print a source; report its steps and progress, and yield better and better games.

    Each comes with its task and the estimated seconds until the search for a shorter game ends:
    None if this is not known, 0 if it has ended. A preview has no game, unless the game decides
    what is repaired. ``games`` are the files of the plan: their formats may require a board and a
    piece queue. --resume continues the first of them, and a proof is kept beside it. ``preview`` is
    the file of the preview; ``export`` is that of ``print_prepared``.
    """
    stop = job.start_clock()
    request, chosen = adapt_to_formats(job.request, games)
    plan_file = games[0] if games else None
    if job.start_from is None:
        prepared = prepare_source(source, request, job.planner)
    else:
        from tetrisprinter.api.slideshows import prepare_from_start

        with progress.show_search_progress(
            f"printing {formats.name_game(job.start_from)}"
        ) as report:
            prepared = prepare_from_start(job.start_from, source, request, job.limit, report)
    cache = find_folder(job.caches)
    unfinished = None
    if job.resume and plan_file is not None:
        if plan_file.is_file():
            unfinished = formats.read_game(plan_file)
        else:
            _print_to_stderr(f"{plan_file}: nothing to resume; starting over")
    best: PrintResult | None = None
    with progress.show_line() as show_text:
        line = SearchLine(prepared.task.name, stop, job.limit.effort, show_text)
        run = Run(
            job.limit,
            line.report,
            _print_to_stderr,
            unfinished=unfinished,
            unfinished_name=str(plan_file),
            stop=stop,
        )
        attempts = print_prepared(
            prepared, job.planner, run, cache,
            export=export, is_preview=job.is_preview, keeps_time=job.prove,
        )  # fmt: skip
        try:
            with (
                stop.stop_on_signals(lambda: line.describe_stop(job.is_preview)),
                progress.repeat(line.refresh),
            ):
                for attempt in attempts:
                    prepared, best = attempt.version.prepared, attempt.result
                    if best is not None:
                        line.drops = best.drops
                        if preview is not None:
                            write_preview(best.task.picture, preview)
                        needs_proof = job.prove and best.proof is Proof.NONE
                        is_last = attempt.is_last and (export is not None or not needs_proof)
                        # A first game may come only when the time is up.
                        is_over = is_last or stop.is_set
                        seconds_left = 0.0 if is_over else line.seconds_left or None
                        yield prepared, best, seconds_left
                        continue
                    step_report.add(())
                    if attempt.reason:
                        _print_to_stderr(attempt.reason)
                    step_report.begin(prepared, chosen)
                    line.begin(prepared.task.name)
                    if preview is not None:
                        write_preview(prepared.task.picture, preview)
                    if not job.is_preview or prepared.alternative is not None:
                        warning = describe_long_job(attempt.version, job.planner, run, cache)
                        if warning:
                            _print_to_stderr(f"{Path(prepared.task.name).name}: {warning}")
            if best is None:
                yield prepared, None, 0.0
            elif job.prove and not job.is_preview and not stop.is_requested:
                proved = prove_further(
                    best,
                    run,
                    Machines(job.limit.workers, job.dask),
                    line.show_proof,
                    plan_file,
                    export,
                )
                yield prepared, proved, 0.0
        except TetrisPrinterError as error:
            step_report.add(())
            if job.start_from is not None and isinstance(error, JobError):
                raise _explain_start(error, job.start_from, source.name) from error
            raise


def _explain_start(error: JobError, start_from: str, name: str) -> JobError:
    """Return an error that names the game which the picture cannot follow."""
    if isinstance(error, InternalError):
        return error
    reason = error.message.removeprefix(f"{name}: ")
    new_error = JobError(
        f"{name}: cannot follow {formats.name_game(start_from)}: {reason}", *error.hints
    )
    new_error.obstacle = error.obstacle
    return new_error


def _print_to_stderr(sentence: str) -> None:
    click.echo(sentence, err=True)


def collect_figures(result: PrintResult) -> dict[str, object]:
    """Return the figures of ``--json`` about the quality of a result."""
    return {
        "board": str(result.task.board),
        "pixels": result.pixels,
        "bound": result.bound,
        "proof": result.proof.value,
        "claim": result.claim,
        "games": GAMES,
        "stack": result.stack,
        "stopped": result.stopped,
        "fallbacks": dict(result.fallbacks),
        "made_by": list(result.made_by),
        "remembered": result.remembered,
    }


def describe_patchy_colors(games: Sequence[Path], result: PrintResult) -> str:
    """Return a clause on colours that other programs show patchily; empty if there are none."""
    names = [game.name for game in games if game.suffix.lower() in formats.OWN_COLORS]
    patchy = [
        f"{color} ({', '.join(piece.name for piece in pieces)})"
        for color, pieces in formats.find_patchy_colors(result.plan, result.game.field).items()
    ]
    if not (names and patchy):
        return ""
    verb = "looks" if len(patchy) == 1 else "look"
    return f"in {', '.join(names)} {', '.join(patchy)} {verb} patchy: set one piece with --types"


def warn_about_art_game(game: Path, task: Task) -> None:
    """Warn if the art game (seigot/tetris) has another board or cannot show the background."""
    if formats.find_format(game) is not formats.FORMATS["art"]:
        return
    background, size = task.background, (task.board.width, task.board.height)
    if size != ART_SIZE:
        art_size = format_size(*ART_SIZE)
        _print_to_stderr(
            f"{game}: the board is {task.board}, but the art game has {art_size}; --board "
            f"{art_size} fits"
        )
    if background is not None:
        _print_to_stderr(
            f"{game}: the art game shows empty squares in the colour of its window, not in "
            f"{background}; --background transparent prints these squares"
        )


def print_all(
    sources: Sequence[Source],
    job: PrintJob,
    other_inputs: Sequence[str] = (),
    entries: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Print sources, write their files and report; ``entries`` are more entries of --json.

    The sources and ``other_inputs`` (names of other input files) are never overwritten.
    """
    _check_start_and_resume(job)
    if job.all_frames:
        sources = [frame for image in sources for frame in _list_readable_frames(image)]
    if len(sources) > 1:
        # Each image has all of the time. Each file is complete when it appears, so that other
        # programs can take it.
        job = replace(job, began=None, writes_first_game=False)
    if job.is_preview:
        previews = choose_previews(sources, job.preview, job.force)
        targets = [
            OutputFiles(source, (), preview=path)
            for source, path in zip(sources, previews, strict=True)
        ]
    else:
        targets = choose_output_files(sources, job)
    _check_all_files(targets, job, other_inputs)
    _print_and_report(targets, job, {} if job.is_preview else entries)


def _check_start_and_resume(job: PrintJob) -> None:
    """Refuse options that --from does not support, and --resume where no search can resume."""
    planner = PLANNERS[job.planner]
    if job.start_from is not None:
        for is_used, option in (
            (job.resume, "--resume"),
            (job.prove, "--prove"),
            (job.dask, "--dask"),
            (job.request.pieces, "--pieces"),
            (not planner.can_start_from_board, f"--planner {job.planner}"),
            (job.request.types == "classic", "--types classic"),
        ):
            if is_used:
                raise InputError(f"{option} {_NOT_BOTH}")
        for plan in job.plans:
            if formats.find_format(plan) is formats.FORMATS["art"]:
                raise InputError(
                    f"{plan}: the art game starts on an empty board, so it cannot be used with "
                    "--from; write a plan (.txt), a drop log (.drops.json) or a fumen"
                )
    if not job.resume:
        return
    request, _ = adapt_to_formats(job.request, list(map(Path, job.plans)))
    if request.pieces is not None:
        raise InputError(
            "--resume: a game with a piece queue cannot be continued; leave --resume out to search "
            "again"
        )
    if not planner.resumes:
        raise InputError(
            f"--resume: the planner {job.planner} cannot resume; use --planner auto or rows"
        )


def _check_all_files(
    targets: Sequence[OutputFiles], job: PrintJob, other_inputs: Sequence[str]
) -> None:
    """Refuse files that cannot be written or would overwrite an input, before any planning."""
    for target in targets if not job.is_preview else ():
        check_outputs(target.outputs, job.rendering)
    if any(STDOUT in target.outputs for target in targets) and job.as_json:
        raise InputError("-o -: standard output is for the animation; leave --json out")
    for preview in filter(None, (target.preview for target in targets)):
        check_writable(preview)
    for poster in filter(None, (target.poster for target in targets)):
        check_poster(poster)
    files = (file for target in targets for file in target.files)
    refuse_overwriting_inputs(files, [*(target.source.path for target in targets), *other_inputs])


def _print_and_report(
    targets: Sequence[OutputFiles], job: PrintJob, entries: Mapping[str, object]
) -> None:
    """Print and report each image; if an image fails, the other images are printed all the same."""
    uses_stdout = any(STDOUT in target.outputs for target in targets)
    describe = _describe_preview if job.is_preview else _describe_print
    reports: list[dict[str, object]] = []
    exit_code = 0
    for target, outcome in zip(targets, _print_each(targets, job), strict=True):
        error = outcome if isinstance(outcome, TetrisPrinterError) else None
        if not isinstance(outcome, TetrisPrinterError):
            reports.append({**entries, **outcome})
            try:
                if not job.as_json:
                    click.echo(describe(outcome, target, job.verbose), err=uses_stdout)
            except _ENDS_COMMAND:
                raise
            except Exception as exception:
                error = explain_exception(exception, str(target.source.name))
        if error is not None:
            exit_code = max(exit_code, _report_failure(error, len(targets)))
        if job.stop.is_requested:
            break
    if job.as_json:
        click.echo(json.dumps(reports[0] if len(targets) == 1 else reports))
    if job.stop.is_requested:
        exit_code = 128 + get_stop_signal()
    if exit_code:
        raise click.exceptions.Exit(exit_code)


def _report_failure(error: TetrisPrinterError, image_count: int) -> int:
    """Print why an image failed, and return the exit code; raise the error of a single image."""
    if image_count == 1:
        raise error
    metavars = map_options_to_metavars(click.get_current_context().command)
    click.echo(f"tetrisprinter: {format_error(error, sys.argv[1:], metavars)}", err=True)
    return error.exit_code


def _list_readable_frames(image: Source) -> list[Source]:
    """Return the frames of an image; an image that cannot be read is refused when it is printed."""
    try:
        return list_frames(image)
    except TetrisPrinterError:
        return [image]


def _print_each(
    targets: Sequence[OutputFiles], job: PrintJob
) -> Iterator[dict[str, object] | TetrisPrinterError]:
    """Print the images, in parallel if there are many; yield results and errors in their order."""
    if len(targets) == 1 or job.is_preview:
        if job.dask is not None and not (job.prove or job.is_preview):
            _print_to_stderr("--dask: a single image is printed on this machine")
        return yield_in_order(_try_print, [(target, job) for target in targets])
    workers = job.limit.workers if len(targets) >= _PARALLEL_FROM else 1
    machines = Machines(workers, job.dask)
    limit = job.limit if machines == HERE else replace(job.limit, workers=1)
    job = replace(job, limit=limit, dask=None)
    return yield_in_order(_try_print, [(target, job) for target in targets], machines=machines)


def _try_print(unit: tuple[OutputFiles, PrintJob]) -> dict[str, object] | TetrisPrinterError:
    """Print one image, perhaps in a worker process; return an error instead of raising it."""
    try:
        return _preview_image(*unit) if unit[1].is_preview else _print_image(*unit)
    except _ENDS_COMMAND:
        raise
    except Exception as error:
        return explain_exception(error, str(unit[0].source.name))


def _print_image(target: OutputFiles, job: PrintJob) -> dict[str, object]:
    """Print one image and write its files: first with the first game, last with the best.

    Return the entries of --json.
    """
    started = time.perf_counter()
    # A player of the art game (seigot/tetris) must be able to steer every piece of the plan.
    art_file = next(
        (plan for plan in target.plans if formats.find_format(plan) is formats.FORMATS["art"]), None
    )
    export = None if art_file is None else Export.find_export(art_file, target.source.name)
    step_report = StepReport(target.source.name, job.verbose)
    games = list_games(
        job, target.source, step_report, target.plans, preview=target.preview, export=export
    )
    with contextlib.closing(games):  # if a file cannot be written, the search ends at once
        for game in games:
            prepared, result, seconds_left = game
            if result is not None and seconds_left != 0 and job.writes_first_game:
                target.offer(result, job.rendering, job.start_clock(), seconds_left)
    assert result is not None
    _, field_steps = choose_field_color(result.plan, job.rendering.look)
    step_report.add((*result.steps, *field_steps), is_result=True)
    target.write_last(result, job.rendering)
    for plan_file in target.plans:
        warn_about_art_game(plan_file, result.task)
    if target.poster is not None:
        save_poster(result.plan, target.poster, target.source.stem)
    picture = result.task.picture
    report: dict[str, object] = {
        "image": str(target.source.name),
        "output": str(target.outputs[0]) if target.outputs else None,
        "outputs": [str(path) for path in target.outputs],
        "files": [str(path) for path in target.files],
        "planner": result.planner,
        "width": picture.width,
        "height": picture.height,
        "pixels": result.pixels,
        "drops": result.drops,
        "lines": result.lines,
        "passes": len(result.plan.passes),
        "platforms": result.plan.platforms,
        "cells_per_pixel": round(result.cells_per_pixel, 2),
        "pieces": result.count_pieces(),
        "seconds": round(time.perf_counter() - started, 2),
        **step_report.report(prepared.find_printed(result).changes),
        **collect_figures(result),
    }
    if patchy_colors := describe_patchy_colors(target.plans, result):
        report["patchy"] = patchy_colors
    return report


def _describe_print(report: Mapping[str, Any], target: OutputFiles, verbose: bool) -> str:
    """Return a sentence about a printed image; with ``verbose`` more figures and the claim."""
    games = name_outputs(path for path in target.files if path not in (target.preview, STDOUT))
    output_clause = f" as {games}" if games else ""
    if STDOUT in target.files:
        output_clause += " and" * bool(games) + " to standard output"
    drops, lines = format_count(report["drops"], "piece"), format_count(report["lines"], "line")
    squares = format_count(report["pixels"], "square")
    clear, leave = ("clears", "leaves") if report["drops"] == 1 else ("clear", "leave")
    sentence = (
        f"{report['image']}: printed{output_clause}: {drops} {clear} {lines} and {leave} {squares}"
    )
    stopped = "; the search was stopped early" if report["stopped"] else ""
    sentence += stopped
    if not verbose and report["bound"] >= max(1, _WORTH_SAYING * report["drops"]):
        sentence += f"; {report['claim']}"
    if target.preview is not None:
        sentence += f"; preview: {target.preview}"
    if "patchy" in report:
        sentence += f"; {report['patchy']}"
    if not verbose:
        return sentence
    passes = format_count(report["passes"], "pass", "passes")
    pieces = ", ".join(f"{count} {color}" for color, count in report["pieces"].items())
    figures = (
        "{width}x{height}, {passes}, {cells_per_pixel} squares dropped for each "
        "one printed, pieces by colour: {pieces}; {seconds} s; {quality}"
        + {"no": "", "start": "; began with a remembered game", "all": "; a remembered game"}[
            report["remembered"]
        ]
    )
    words = {**report, "passes": passes, "pieces": pieces, "quality": report["claim"] + stopped}
    return f"{sentence} ({figures.format_map(words)})"


def _preview_image(target: OutputFiles, job: PrintJob) -> dict[str, object]:
    """Write the preview of one image; return the entries of --json."""
    step_report = StepReport(target.source.name, job.verbose)
    *_, (prepared, result, _) = list_games(job, target.source, step_report)
    if result is not None:
        step_report.add(result.steps, is_result=True)
        prepared = prepared.find_printed(result)
    picture = prepared.task.picture
    assert target.preview is not None
    write_preview(picture, target.preview)
    return {
        "image": str(target.source.name),
        "preview": str(target.preview),
        "width": picture.width,
        "height": picture.height,
        "pixels": len(picture.cells()),
        "colors": list(picture.colors()),
        **step_report.report(prepared.changes),
    }


def _describe_preview(report: Mapping[str, Any], target: OutputFiles, verbose: bool) -> str:
    """Return a sentence about the preview of an image."""
    return "{preview}: {width}x{height} squares; nothing was printed".format_map(report)
