"""``tetrisprinter print``: plan a game for an image, play it, compare it, and draw it."""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tetrisprinter.api.presets import PRESETS
from tetrisprinter.cli.drawing_options import (
    STDOUT,
    add_drawing_options,
    check_outputs,
    make_rendering,
    output_option,
    poster_option,
    write_outputs,
)
from tetrisprinter.cli.error_messages import format_count, format_error, list_options
from tetrisprinter.cli.grouped_help import GroupedCommand
from tetrisprinter.cli.image_options import ImageOptions, add_image_options, preview_path
from tetrisprinter.cli.options import add_options, dask_option, json_option, refuse_options
from tetrisprinter.cli.output_files import (
    OutputFiles,
    OutputNames,
    choose_output_files,
    list_extensions,
)
from tetrisprinter.cli.planner_options import (
    PlannerOptions,
    add_planner_options,
    collect_figures,
    describe_quality,
)
from tetrisprinter.cli.print_steps import (
    StepReport,
    adapt_to_format,
    choose_field_color,
    plan_source,
    warn_about_art_game,
)
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.formats import FORMATS, find_format, format_game
from tetrisprinter.formats.link import PAGE_ADDRESS, find_page, make_link
from tetrisprinter.planners import PLANNERS
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.field_color import AUTO
from tetrisprinter.support.files import check_apart, check_writable, write_text

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.pictures.sources import Source
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.render import Rendering


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The values of the output options."""

    written: OutputNames
    resume: bool
    prove: bool
    dask: str | None
    poster: str | None = None
    link: bool = False  # whether to print a link that plays the game in the page


USUAL_RACE = "article,rows,shortest"
"""The planners of a race by default, from left to right."""

_PARALLEL_FROM = 16
"""From this number of images on, starting other processes is worth the time."""


_OUTPUT_OPTIONS = (
    output_option,
    click.option(
        "--plan",
        "plans",
        type=click.Path(),
        multiple=True,
        help=f"Write the plan too: {list_extensions()} (or a folder/ of plans); may be "
        "given several times.",
    ),
    click.option(
        "--drops",
        type=click.Path(),
        help="Also write a drop log: JSON (or a folder/).",
    ),
    click.option(
        "--force",
        is_flag=True,
        help="Without -o: overwrite the print of an earlier run.",
    ),
    click.option("--watch", is_flag=True, help="Also play the game in the terminal."),
    click.option(
        "--resume",
        is_flag=True,
        help="Continue an interrupted run from the rows stored beside --plan.",
    ),
    click.option(
        "--prove",
        is_flag=True,
        help="Then prove that no game of hard drops has fewer pieces, or find such a game (see "
        "`tetrisprinter bound`).",
    ),
    poster_option,
    click.option(
        "--link",
        is_flag=True,
        help="Print a link that contains the game, to the page whose address is in the environment "
        f"variable {PAGE_ADDRESS}.",
    ),
    dask_option,
)


def _set_defaults(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Set the defaults of the other options to those of a preset."""
    if value is not None:
        context.default_map = {**(context.default_map or {}), **PRESETS[value].options()}
    return value


_FOR_OPTION = click.option(
    "--for",
    "place",
    type=click.Choice(list(PRESETS)),
    default=None,
    is_eager=True,
    expose_value=False,
    callback=_set_defaults,
    help="Choose board, pieces, rules, files and shape for a place: "
    + ", ".join(f"{name} ({one.summary})" for name, one in PRESETS.items())
    + ". Other options override it. Files go to the current folder.",
)


def add_output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the output options to a command, which gets them as ``output``."""

    @functools.wraps(command)
    def collect_options(
        *,
        outputs: tuple[str, ...],
        plans: tuple[str, ...],
        drops: str | None,
        force: bool,
        watch: bool,
        resume: bool,
        prove: bool,
        dask: str | None,
        poster: str | None,
        link: bool,
        **rest: Any,
    ) -> Any:
        if resume and not plans:
            raise InputError("--resume: no plan; add --plan FILE, as in the interrupted run")
        plan = plans[0] if plans else None
        written = OutputNames(outputs, plan, drops, watch, force, plans[1:])
        return command(output=OutputOptions(written, resume, prove, dask, poster, link), **rest)

    return add_options(*_OUTPUT_OPTIONS)(collect_options)


@click.command("print", cls=GroupedCommand)
@click.argument("images", nargs=-1, metavar="IMAGES...", type=click.Path())
@add_output_options
@_FOR_OPTION
@add_image_options
@add_planner_options()
@click.option("--avatar", is_flag=True,
              help="Write two square animations of 9 seconds instead, FILE-light and FILE-dark. "
              "[default: NAME-avatar.gif; --fit 24x24]")  # fmt: skip
@click.option("--race", default=None, is_flag=False, flag_value=USUAL_RACE,
              metavar="[NAME,NAME,...]",
              help="Write an animation of several planners side by side instead; each gets 20 s or "
              f"--time-limit. [default: NAME-race.gif; {USUAL_RACE}]")  # fmt: skip
@click.option("--from", "begun", default=None, type=click.Path(), metavar="FILE",
              help="Start on the board that a game (a plan, an art file, a fumen) or a picture "
                  "leaves.")  # fmt: skip
@add_drawing_options
@json_option
def command(
    images: tuple[str, ...],
    output: OutputOptions,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    begun: str | None,
    avatar: bool,
    race: str | None,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print IMAGES: find a game of Tetris that leaves each of them, and write an animation of it.

    An image is a photo, a drawing, a folder of images, a .hex file of glyphs, or - for standard
    input. If necessary it is adapted, and a line says how; --exact refuses it instead.

    Without -o the animation is NAME-print.gif beside the image. {} in an output name stands for the
    name of the image. With several images, out.gif means one such file for each, and out/ is a
    folder.
    """
    from tetrisprinter.pictures.sources import sources

    if not images:
        if not image_options.preview:
            raise click.UsageError("Missing argument 'IMAGES...'.")
        images, image_options = (image_options.preview,), replace(image_options, preview="")
    if avatar or race:
        _print_avatar_or_race(
            images, output, image_options, planner_options, avatar, race, as_json, **drawing
        )
        return
    others = [begun] if begun else []
    print_all(
        sources(images), output, image_options, planner_options, as_json, others, begun, **drawing
    )


def _print_avatar_or_race(
    images: tuple[str, ...],
    output: OutputOptions,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    avatar: bool,
    race: str | None,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Write one image as an avatar or as a race."""
    from tetrisprinter.cli.avatar import ALLOWED as FOR_AVATAR
    from tetrisprinter.cli.avatar import print_avatar
    from tetrisprinter.cli.race import ALLOWED as FOR_RACE
    from tetrisprinter.cli.race import print_race
    from tetrisprinter.pictures.sources import sources

    kind = "--avatar" if avatar else "--race"
    refuse_options(FOR_AVATAR if avatar else FOR_RACE, f"{kind} does not support it")
    names = output.written.outputs
    found = sources(images)
    if len(found) != 1:
        raise InputError(f"{kind}: {len(found)} images; expected one")
    if len(names) > 1:
        raise InputError(f"{kind}: {len(names)} output files; expected one -o FILE")
    name = names[0] if names else None
    if avatar:
        print_avatar(found[0], name, image_options, planner_options, as_json)
    else:
        print_race(
            found[0],
            name,
            race or "",
            image_options,
            planner_options,
            make_rendering(**drawing),
            as_json,
        )


def print_all(
    wanted: Sequence[Source],
    output: OutputOptions,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    as_json: bool,
    others: Sequence[str] = (),
    begun: str | None = None,
    **drawing: Any,
) -> None:
    """Print sources, write their files and report, for `print` and `text`.

    Neither the sources nor ``others``, the other input files, are overwritten. ``begun`` is the
    file whose final board each game starts on.
    """
    from tetrisprinter.pictures.sources import each_frame
    from tetrisprinter.support.executors import HERE, Machines, yield_in_order

    if planner_options.pieces is not None and drawing.get("rules") == "srs":
        planner_options = replace(
            planner_options, pieces=replace(planner_options.pieces, steered=True)
        )
    how = make_rendering(**drawing)
    page = find_page() if output.link else ""
    if begun is not None:
        from tetrisprinter.cli.print_from import check_start_options

        for game in (output.written.plan, *output.written.more_plans):
            check_start_options(planner_options, game, output.resume, output.prove, output.dask)
    has_outputs = replace(output.written, force=False) != OutputNames() or output.poster is not None
    if image_options.preview is not None and not has_outputs:
        _preview_all(wanted, image_options, planner_options, as_json, others)
        return
    watched = output.written.watched
    if output.resume and not PLANNERS[planner_options.planner].resumes:
        raise InputError(
            f"--resume: the planner {planner_options.planner} cannot resume; use --planner auto or "
            "rows"
        )
    if image_options.all_frames:
        wanted = [frame for source in wanted for frame in each_frame(source)]
    chosen = choose_output_files(wanted, output.written)
    for target in chosen:
        check_outputs(target.outputs, how)
    piped = any(STDOUT in target.outputs for target in chosen)
    if piped and (as_json or watched):
        raise InputError(
            "-o -: standard output is for the animation; leave "
            f"{'--json' if as_json else '--watch'} out"
        )
    previews = [preview_path(image_options, target.source.stem) for target in chosen]
    for preview in filter(None, previews):
        check_writable(preview)
    inputs = [*(target.source.path for target in chosen), *others]
    posters = _choose_posters(output.poster, chosen)
    written = (
        name
        for target in chosen
        for name in (*target.outputs, target.plan, target.drops, *target.more_plans)
    )
    check_apart([*previews, *posters, *written], inputs)
    if watched:
        from tetrisprinter.cli.watch import check_terminal

        check_terminal()
    reports: list[dict[str, object]] = []
    known = list_options(click.get_current_context().command)
    exit_code = 0
    side_by_side = len(chosen) >= _PARALLEL_FROM and not watched
    machines = Machines(planner_options.limit.workers if side_by_side else 1, output.dask)
    if machines != HERE and len(chosen) > 1:
        planner_options = replace(planner_options, limit=replace(planner_options.limit, workers=1))
    elif len(chosen) == 1:  # the planner distributes the segments of a single picture itself
        planner_options, machines = replace(planner_options, dask=output.dask), HERE
    planner_options = replace(planner_options, prove=output.prove)
    units = [
        (target, how, image_options, planner_options, output.resume, poster, begun)
        for target, poster in zip(chosen, posters, strict=True)
    ]
    for target, answer in zip(
        chosen, yield_in_order(_try_print, units, machines=machines), strict=True
    ):
        if isinstance(answer, TetrisPrinterError):
            if len(chosen) == 1:
                raise answer
            click.echo(f"tetrisprinter: {format_error(answer, sys.argv[1:], known)}", err=True)
            exit_code = max(exit_code, answer.exit_code)
            continue
        report, printed, quality = answer
        reports.append(report)
        if page:
            report["link"] = _make_link(printed, target.source.stem, page)
        if watched:
            from tetrisprinter.cli.watch import watch_plan

            watch_plan(printed, title=target.source.stem)
        if not as_json:
            click.echo(_describe_print(report, target, quality, planner_options.verbose), err=piped)
            if report.get("link"):
                click.echo(report["link"], err=piped)
        if planner_options.stop.is_requested:
            break
    if as_json:
        click.echo(json.dumps(reports[0] if len(chosen) == 1 else reports))
    if planner_options.stop.is_requested:
        raise click.exceptions.Exit(128 + planner_options.stop.signal)
    if exit_code:
        raise click.exceptions.Exit(exit_code)


def _make_link(plan: Plan, name: str, page: str) -> str | None:
    """Return a link that contains a plan; if it would be too long, say so and return None."""
    try:
        return make_link(plan, name, page)
    except JobError as error:
        click.echo(f"tetrisprinter: {error}", err=True)
        return None


def _try_print(
    unit: tuple[
        OutputFiles, Rendering, ImageOptions, PlannerOptions, bool, Path | None, str | None
    ],
) -> tuple[dict[str, object], Plan, str] | TetrisPrinterError:
    """Print one image, in any process; return the error instead of raising it."""
    try:
        return _print_image(*unit)
    except TetrisPrinterError as error:
        return error


def _describe_print(
    report: Mapping[str, Any], target: OutputFiles, quality: str, verbose: bool
) -> str:
    """Return the sentence about a print; with ``verbose`` more figures and its quality."""
    from tetrisprinter.printing.result import Proof

    where = " as " + ", ".join(map(str, target.outputs)) if target.outputs else ""
    drops, lines = format_count(report["drops"], "piece"), format_count(report["lines"], "line")
    squares = format_count(report["pixels"], "square")
    clear, leave = ("clears", "leaves") if report["drops"] == 1 else ("clear", "leave")
    sentence = f"{report['image']}: printed{where}: {drops} {clear} {lines} and {leave} {squares}"
    if report["stopped"]:
        sentence += "; the search was stopped early"
    if report["proof"] == Proof.ALL_GAMES:
        sentence += "; no game of hard drops has fewer"
    elif report["bound"]:
        sentence += f"; any game has at least {report['bound']}"
    if not verbose:
        return sentence
    passes = format_count(report["passes"], "pass", "passes")
    figures = (
        "{width}x{height}, {passes}, {cells_per_pixel} cells per square, {seconds} s; {quality}"
    )
    return f"{sentence} ({figures.format_map({**report, 'passes': passes, 'quality': quality})})"


def _preview_all(
    wanted: Sequence[Source],
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    as_json: bool,
    others: Sequence[str] = (),
) -> None:
    """Write the picture that would be printed of each source, without planning a game."""
    previews = [preview_path(image_options, source.stem) for source in wanted]
    check_apart(previews, [*(source.path for source in wanted), *others])
    reports = []
    for source, path in zip(wanted, previews, strict=True):
        assert path is not None
        check_writable(path)
        found, step_report = plan_source(
            source, image_options, planner_options, lambda *prepared: prepared[:2]
        )
        picture = found.task.picture
        report: dict[str, object] = {
            "image": str(source.name),
            "preview": str(path),
            "width": picture.width,
            "height": picture.height,
            "pixels": len(picture.cells()),
            "colors": list(picture.colors()),
            **step_report.report(found.changes),
        }
        reports.append(report)
        if not as_json:
            click.echo(f"{path}: {picture.width}x{picture.height} squares; nothing was printed")
    if as_json:
        click.echo(json.dumps(reports[0] if len(reports) == 1 else reports))


def _choose_posters(name: str | None, chosen: Sequence[OutputFiles]) -> list[Path | None]:
    """Return the file for the poster of each print; None without ``--poster``."""
    if name is None:
        return [None] * len(chosen)
    from tetrisprinter.render.poster import check_poster

    if len(chosen) > 1 and "{}" not in name:
        raise InputError(f"--poster {name}: one name for {len(chosen)} images; use '{{}}.pdf'")
    paths: list[Path | None] = [Path(name.replace("{}", one.source.stem)) for one in chosen]
    for path in filter(None, paths):
        check_poster(path)
    return paths


def _print_image(
    target: OutputFiles,
    how: Rendering,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    resume: bool,
    poster: Path | None,
    begun: str | None,
) -> tuple[dict[str, object], Plan, str]:
    """Print one image and write its files; return the report, the plan, and its quality."""
    began = time.perf_counter()
    games = [game for game in (target.plan, *target.more_plans) if game is not None]
    if begun is None:
        for game in games:
            planner_options = adapt_to_format(planner_options, game, str(target.source.name))

    def work(
        found: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> tuple[PreparedTask, StepReport, PrintResult]:
        # A player of the art game has to steer every piece, so the plan must allow that.
        art = next((game for game in games if find_format(game) is FORMATS["art"]), None)
        if art is None:
            return found, step_report, planner_options.plan(found, target.plan, resume)
        from tetrisprinter.api import Export

        result, _ = planner_options.plan_for_export(
            found, Export.for_path(art), art, target.plan, resume
        )
        return found, step_report, result

    field = BACKGROUND if how.look.field == AUTO else how.look.field
    if begun is None:
        found, step_report, result = plan_source(
            target.source, image_options, planner_options, work, field
        )
    else:
        from tetrisprinter.cli.print_from import print_from_start

        found, step_report, result = print_from_start(
            begun, target.source, image_options, planner_options
        )
    field, field_steps = choose_field_color(result.plan, how.look)
    step_report.add((*result.steps, *field_steps))
    how = replace(how, look=replace(how.look, field=field))
    plan, picture = result.plan, result.task.picture
    for game in games:
        write_text(game, format_game(plan, game, target.source.name))
        warn_about_art_game(game, result.task)
    if target.plan is not None and begun is None and not planner_options.stop.is_requested:
        from tetrisprinter.planners.journal import RowsJournal

        RowsJournal.of(found.task, target.plan).clear()  # the plan is written
    if target.drops is not None:
        write_text(target.drops, json.dumps(result.log()))
    write_outputs(plan, target.outputs, how, title=target.source.stem)
    if poster is not None:
        from tetrisprinter.render.poster import save_poster

        save_poster(plan, poster, target.source.stem)
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
        "passes": len(plan.passes),
        "platforms": plan.platforms,
        "cells_per_pixel": round(result.cells_per_pixel, 2),
        "seconds": round(time.perf_counter() - began, 2),
        **step_report.report(found.find_printed(result).changes),
        **collect_figures(result),
    }
    return report, plan, describe_quality(result)
