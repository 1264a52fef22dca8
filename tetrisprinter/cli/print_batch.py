"""Print images with the same options: check all files first, then print, write and report."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click

from tetrisprinter.cli.drawing_options import STDOUT, check_outputs, write_outputs
from tetrisprinter.cli.error_messages import format_error, map_options_to_metavars
from tetrisprinter.cli.image_options import ImageOptions, name_preview
from tetrisprinter.cli.output_files import OutputFiles, OutputOptions, choose_output_files
from tetrisprinter.cli.planner_options import PlannerOptions, collect_figures, describe_quality
from tetrisprinter.cli.print_steps import (
    StepReport,
    adapt_to_formats,
    choose_field_color,
    describe_patchy_colors,
    plan_source,
    warn_about_art_game,
)
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.formats import FORMATS, find_format, format_game
from tetrisprinter.formats.link import get_page_address, make_link
from tetrisprinter.planners import PLANNERS
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.field_color import AUTO
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_writable, refuse_overwriting_inputs, write_text

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.pictures.sources import Source
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.render import Rendering


_PARALLEL_FROM: Final = 16
"""The smallest number of images that are printed in several processes."""


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """The options with which `print` and `text` print their images."""

    rendering: Rendering
    image_options: ImageOptions
    planner_options: PlannerOptions
    output: OutputOptions
    as_json: bool = False
    start_from: str | None = None  # the file whose final board the game starts on


@dataclass(frozen=True, slots=True)
class _PrintedImage:
    """The result of printing an image, after its files are written."""

    report: dict[str, object]  # the entries of --json
    plan: Plan
    quality: str


def print_all(
    sources: Sequence[Source], settings: PrintSettings, other_inputs: Sequence[str] = ()
) -> None:
    """Print sources, write their files and report.

    The sources and ``other_inputs`` (names of other input files) are never overwritten.
    """
    planner_options, output = settings.planner_options, settings.output
    queue = planner_options.pieces
    if queue is not None and settings.rendering.rules == "srs":
        queue = replace(queue, steered=True)
    planner_options = replace(planner_options, prove=output.prove, pieces=queue)
    settings = replace(settings, planner_options=planner_options)
    page_address = get_page_address() if output.link else ""
    _check_start_and_resume(settings)
    if settings.image_options.preview is not None and not output.has_target:
        _preview_all(sources, settings, other_inputs)
        return
    if settings.image_options.all_frames:
        from tetrisprinter.pictures.sources import list_frames

        sources = [frame for image in sources for frame in list_frames(image)]
    targets = choose_output_files(sources, output)
    _check_all_files(targets, settings, other_inputs)
    _print_and_report(targets, settings, page_address)


def _check_start_and_resume(settings: PrintSettings) -> None:
    """Refuse options that --from does not support, and --resume if the planner cannot resume."""
    planner, output = settings.planner_options.planner, settings.output
    if settings.start_from is not None:
        from tetrisprinter.cli.print_steps import check_start_options

        for plan_file in output.plans or (None,):
            check_start_options(settings.planner_options, plan_file, output)
    if output.resume and not PLANNERS[planner].resumes:
        raise InputError(
            f"--resume: the planner {planner} cannot resume; use --planner auto or rows"
        )


def _check_all_files(
    targets: Sequence[OutputFiles], settings: PrintSettings, other_inputs: Sequence[str]
) -> None:
    """Refuse files that cannot be written or would overwrite an input, before any planning."""
    for target in targets:
        check_outputs(target.outputs, settings.rendering)
    watch = settings.output.watch
    if any(STDOUT in target.outputs for target in targets) and (settings.as_json or watch):
        raise InputError(
            "-o -: standard output is for the animation; leave "
            f"{'--json' if settings.as_json else '--watch'} out"
        )
    previews = [name_preview(settings.image_options, target.source.stem) for target in targets]
    for preview in filter(None, previews):
        check_writable(preview)
    for poster in filter(None, (target.poster for target in targets)):
        from tetrisprinter.render.poster import check_poster

        check_poster(poster)
    files = (file for target in targets for file in target.files)
    refuse_overwriting_inputs(
        [*previews, *files], [*(target.source.path for target in targets), *other_inputs]
    )
    if watch:
        from tetrisprinter.cli.watch import check_terminal

        check_terminal()


def _print_and_report(
    targets: Sequence[OutputFiles], settings: PrintSettings, page_address: str
) -> None:
    """Print and report each image; if an image fails, the other images are printed all the same."""
    uses_stdout = any(STDOUT in target.outputs for target in targets)
    stop = settings.planner_options.stop
    reports: list[dict[str, object]] = []
    exit_code = 0
    for target, outcome in zip(targets, _print_each(targets, settings), strict=True):
        if isinstance(outcome, TetrisPrinterError):
            if len(targets) == 1:
                raise outcome
            metavars = map_options_to_metavars(click.get_current_context().command)
            click.echo(f"tetrisprinter: {format_error(outcome, sys.argv[1:], metavars)}", err=True)
            exit_code = max(exit_code, outcome.exit_code)
            continue
        reports.append(outcome.report)
        if page_address:
            outcome.report["link"] = _make_link(outcome.plan, target.source.stem, page_address)
        if settings.output.watch:
            from tetrisprinter.cli.watch import watch_plan

            watch_plan(outcome.plan, title=target.source.stem)
        if not settings.as_json:
            verbose = settings.planner_options.verbose
            click.echo(
                _describe_print(outcome.report, target, outcome.quality, verbose), err=uses_stdout
            )
            if outcome.report.get("link"):
                click.echo(outcome.report["link"], err=uses_stdout)
        if stop.is_requested:
            break
    if settings.as_json:
        click.echo(json.dumps(reports[0] if len(targets) == 1 else reports))
    if stop.is_requested:
        exit_code = 128 + stop.signal
    if exit_code:
        raise click.exceptions.Exit(exit_code)


def _print_each(
    targets: Sequence[OutputFiles], settings: PrintSettings
) -> Iterator[_PrintedImage | TetrisPrinterError]:
    """Print the images, in parallel if there are many; yield results and errors in their order."""
    from tetrisprinter.support.executors import HERE, Machines, yield_in_order

    planner_options, output = settings.planner_options, settings.output
    side_by_side = len(targets) >= _PARALLEL_FROM and not output.watch
    machines = Machines(planner_options.limit.workers if side_by_side else 1, output.dask)
    if machines != HERE and len(targets) > 1:
        planner_options = replace(planner_options, limit=replace(planner_options.limit, workers=1))
    elif len(targets) == 1:  # the planner itself distributes the segments of a single picture
        planner_options, machines = replace(planner_options, dask=output.dask), HERE
    settings = replace(settings, planner_options=planner_options)
    return yield_in_order(_try_print, [(target, settings) for target in targets], machines=machines)


def _make_link(plan: Plan, name: str, page_address: str) -> str | None:
    """Return a link that contains a plan; if it would be too long, print why and return None."""
    try:
        return make_link(plan, name, page_address)
    except JobError as error:
        click.echo(f"tetrisprinter: {error}", err=True)
        return None


def _try_print(unit: tuple[OutputFiles, PrintSettings]) -> _PrintedImage | TetrisPrinterError:
    """Print one image, perhaps in a worker process; return an error instead of raising it."""
    try:
        return _print_image(*unit)
    except TetrisPrinterError as error:
        return error


def _print_image(target: OutputFiles, settings: PrintSettings) -> _PrintedImage:
    """Print one image and write its files."""
    started = time.perf_counter()
    rendering, stop = settings.rendering, settings.planner_options.stop
    prepared, step_report, result = _plan_image(target, settings)
    field, field_steps = choose_field_color(result.plan, rendering.look)
    step_report.add((*result.steps, *field_steps), is_result=True)
    rendering = replace(rendering, look=replace(rendering.look, field=field))
    for plan_file in target.plans:
        write_text(plan_file, format_game(result.plan, plan_file, target.source.name))
        warn_about_art_game(plan_file, result.task)
    if target.plan is not None and settings.start_from is None and not stop.is_requested:
        from tetrisprinter.planners.journal import RowsJournal

        RowsJournal.of(prepared.task, target.plan).clear()  # the plan is written
    if target.drops is not None:
        write_text(target.drops, json.dumps(result.log()))
    write_outputs(result.plan, target.outputs, rendering, title=target.source.stem)
    if target.poster is not None:
        from tetrisprinter.render.poster import save_poster

        save_poster(result.plan, target.poster, target.source.stem)
    picture = result.task.picture
    report: dict[str, object] = {
        "image": str(target.source.name),
        "output": str(target.outputs[0]) if target.outputs else None,
        "outputs": [str(path) for path in target.outputs],
        "planner": result.planner,
        "width": picture.width,
        "height": picture.height,
        "pixels": result.pixels,
        "drops": result.drops,
        "lines": result.lines,
        "passes": len(result.plan.passes),
        "platforms": result.plan.platforms,
        "cells_per_pixel": round(result.cells_per_pixel, 2),
        "seconds": round(time.perf_counter() - started, 2),
        **step_report.report(prepared.find_printed(result).changes),
        **collect_figures(result),
    }
    if patchy_colors := describe_patchy_colors(target.plans, result):
        report["patchy"] = patchy_colors
    return _PrintedImage(report, result.plan, describe_quality(result))


def _plan_image(
    target: OutputFiles, settings: PrintSettings
) -> tuple[PreparedTask, StepReport, PrintResult]:
    """Plan a game for an image that the formats of its plan files can express."""
    planner_options = settings.planner_options
    if settings.start_from is not None:
        from tetrisprinter.cli.print_steps import print_from_start

        return print_from_start(
            settings.start_from, target.source, settings.image_options, planner_options
        )
    planner_options = adapt_to_formats(planner_options, target.plans)
    # A player of the art game (seigot/tetris) must be able to steer every piece of the plan.
    art_file = next(
        (plan_file for plan_file in target.plans if find_format(plan_file) is FORMATS["art"]), None
    )

    def plan(
        prepared: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> tuple[PreparedTask, StepReport, PrintResult]:
        if art_file is None:
            return (
                prepared,
                step_report,
                planner_options.plan(prepared, target.plan, settings.output.resume),
            )
        from tetrisprinter.api import Export

        result, _ = planner_options.plan_for_export(
            prepared, Export.find_export(art_file), art_file, target.plan, settings.output.resume
        )
        return prepared, step_report, result

    field = settings.rendering.look.field
    return plan_source(
        target.source,
        settings.image_options,
        planner_options,
        plan,
        BACKGROUND if field == AUTO else field,
        adds_result=True,
    )


def _describe_print(
    report: Mapping[str, Any], target: OutputFiles, quality: str, verbose: bool
) -> str:
    """Return a sentence about a printed image; with ``verbose`` more figures and the quality."""
    from tetrisprinter.printing.result import Proof

    output_clause = " as " + ", ".join(map(str, target.outputs)) if target.outputs else ""
    drops, lines = format_count(report["drops"], "piece"), format_count(report["lines"], "line")
    squares = format_count(report["pixels"], "square")
    clear, leave = ("clears", "leaves") if report["drops"] == 1 else ("clear", "leave")
    sentence = (
        f"{report['image']}: printed{output_clause}: {drops} {clear} {lines} and {leave} {squares}"
    )
    if report["stopped"]:
        sentence += "; the search was stopped early"
    if report["proof"] == Proof.ALL_GAMES:
        sentence += "; no game of hard drops has fewer"
    elif report["bound"]:
        sentence += f"; any game has at least {report['bound']}"
    if "patchy" in report:
        sentence += f"; {report['patchy']}"
    if not verbose:
        return sentence
    passes = format_count(report["passes"], "pass", "passes")
    figures = (
        "{width}x{height}, {passes}, {cells_per_pixel} cells per square, {seconds} s; {quality}"
    )
    return f"{sentence} ({figures.format_map({**report, 'passes': passes, 'quality': quality})})"


def _preview_all(
    sources: Sequence[Source], settings: PrintSettings, other_inputs: Sequence[str]
) -> None:
    """Write and report the preview of each source, without planning a game."""
    previews = [name_preview(settings.image_options, source.stem) for source in sources]
    refuse_overwriting_inputs(previews, [*(source.path for source in sources), *other_inputs])
    reports = []
    for source, path in zip(sources, previews, strict=True):
        assert path is not None
        check_writable(path)
        prepared_task, step_report = plan_source(
            source, settings.image_options, settings.planner_options, lambda *prepared: prepared[:2]
        )
        picture = prepared_task.task.picture
        report: dict[str, object] = {
            "image": str(source.name),
            "preview": str(path),
            "width": picture.width,
            "height": picture.height,
            "pixels": len(picture.cells()),
            "colors": list(picture.colors()),
            **step_report.report(prepared_task.changes),
        }
        reports.append(report)
        if not settings.as_json:
            click.echo(f"{path}: {picture.width}x{picture.height} squares; nothing was printed")
    if settings.as_json:
        click.echo(json.dumps(reports[0] if len(reports) == 1 else reports))
