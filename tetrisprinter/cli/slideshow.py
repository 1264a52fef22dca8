"""``tetrisprinter slideshow``: print several pictures one after the other in one game."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tetrisprinter.cli.options import (
    PATH,
    Real,
    Whole,
    add_options,
    flag,
    json_option,
    option,
    print_report,
)
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import InputError
from tetrisprinter.formats import find_format
from tetrisprinter.pictures.sources import list_frames, make_sources
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_writable, refuse_overwriting_inputs, write_text

if TYPE_CHECKING:
    from tetrisprinter.api.slideshows import Slideshow
    from tetrisprinter.game.start import Rows
    from tetrisprinter.printing.task import Task
    from tetrisprinter.render import Rendering


_CHECKPOINT_SUFFIX = ".games"
"""The suffix of the checkpoint file, after the name of the first output file."""

add_slideshow_options = add_options(
    option("--hold", Real(), "How long each finished picture stays.", default=2.0,
           metavar="SECONDS"),
    option("--seconds", Real(), "How long the game plays, without the stops. [default: up to "
           "6 per picture]", metavar="SECONDS"),
    option("--board", None, "Size of the board. [default: large enough for all pictures]",
           metavar="WxH"),
    option("--types", None, "Colour of each piece type. [default: chosen once for all pictures]",
           metavar="auto|classic|J=RRGGBB,..."),
    option("--scale", Whole(1, 64), "Pixels per square."),
    flag("--smooth", "Show how each piece falls."),
    option("--time-limit", Real(), "The time limit for each picture.", metavar="SECONDS"),
    flag("--resume", "Continue after the pictures that an interrupted run has planned."),
)  # fmt: skip
"""The decorator that adds the options which `slideshow` and `clock` share."""


def make_output_option(required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--output`` of `slideshow` and `clock`."""
    return option(
        "-o --output outputs",
        PATH,
        "The file to write, by extension: an animation (.gif .mp4 ...), a "
        "page (.html), a plan (.txt), a game (.json .drops.json .fumen). May be "
        "given several times.",
        multiple=True,
        required=required,
        metavar="FILE",
    )


@click.command("slideshow")
@click.argument("images", nargs=-1, required=True, type=PATH)
@make_output_option(True)
@add_slideshow_options
@option(
    "--colors",
    Whole(1, 7),
    "The number of colours for all pictures. [default: up to 5]",
    metavar="1..7",
)
@option(
    "--from start_from",
    PATH,
    "Start on the board that a game (a plan, an art file, a fumen) or a picture leaves.",
    metavar="FILE",
)
@flag("--loop", "Return to the first picture, so that it can repeat.")
@json_option
def command(
    images: tuple[str, ...],
    board: str | None,
    types: str | None,
    colors: int | None,
    start_from: str | None,
    loop: bool,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print IMAGES one after the other in one game; each stays complete for a while.

    An animated image counts as all of its frames. All pictures share one board and one assignment
    of piece types to colours. The lowest rows that two pictures have in common stay; the rows above
    them are cleared, and the rest of the next picture is printed. With --loop the animation begins
    and ends with the first picture, so that it can repeat without a jump.
    """
    from tetrisprinter.api.slideshows import (
        SharedSettings,
        continue_file,
        make_slideshow_tasks,
        read_pictures,
    )
    from tetrisprinter.support.limits import Limit

    check_slideshow_outputs(drawing["outputs"], [*images, *([start_from] if start_from else [])])
    frames = [frame for source in make_sources(images) for frame in list_frames(source)]
    pictures, first_steps = read_pictures(frames)
    shared = SharedSettings(board, types, colors)
    start: Rows = ()
    checkpoint = _prepare_checkpoint(drawing["outputs"], drawing["resume"])
    if start_from is None:
        tasks, steps = make_slideshow_tasks(pictures, shared)
    else:
        if loop:
            raise InputError("--loop cannot be used with --from; leave one of them out")
        limit = Limit(drawing["time_limit"], 1)
        with (
            _report_checkpoint(checkpoint),
            show_staged_progress(f"printing {start_from}") as report,
        ):
            tasks, steps, start = continue_file(
                start_from,
                pictures,
                shared,
                limit,
                lambda progress: report(str(progress), progress.fraction),
                checkpoint,
            )
    for step in first_steps + steps:
        click.echo(f"tetrisprinter: {step}", err=True)
    write_slideshow(tasks, loop, as_json, start=start, checkpoint=checkpoint, **drawing)


def _prepare_checkpoint(outputs: Sequence[str], resume: bool) -> Path:
    """Return the checkpoint file of a slideshow; without ``resume`` delete it."""
    from tetrisprinter.support.executors import Journal

    checkpoint = Path(f"{outputs[0]}{_CHECKPOINT_SUFFIX}")
    if not resume:
        checkpoint.unlink(missing_ok=True)
    elif not Journal(checkpoint, None).read():
        click.echo(f"{outputs[0]}: nothing to resume; starting over", err=True)
    return checkpoint


def check_slideshow_outputs(outputs: Sequence[str], inputs: Sequence[str] = ()) -> None:
    """Refuse output files that cannot be written or that are input files."""
    from tetrisprinter.render.save import check_output

    for path in outputs:
        if find_format(path) is None:
            check_output(path)
        else:
            check_writable(path)
    refuse_overwriting_inputs(outputs, [Path(name) for name in inputs])


def write_slideshow(
    tasks: Sequence[Task],
    loop: bool,
    as_json: bool,
    *,
    outputs: Sequence[str],
    hold: float,
    seconds: float | None,
    scale: int | None,
    smooth: bool = False,
    time_limit: float | None = None,
    resume: bool = False,
    start: Rows = (),
    checkpoint: Path | None = None,
    minute: int | None = None,
) -> None:
    """Plan tasks one after the other, write the slideshow and report.

    ``checkpoint`` is a file, by default beside the first output. ``minute`` is the minute of the
    day at which a page shows the first picture.
    """
    from tetrisprinter.api.slideshows import compute_default_seconds, open_journal, plan_slideshow
    from tetrisprinter.render import Rendering
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look
    from tetrisprinter.support.limits import Limit

    started = time.perf_counter()
    timing = Timing(smooth=smooth, seconds=seconds, hold=hold)
    journal = open_journal(checkpoint or _prepare_checkpoint(outputs, resume), tasks, start)
    with _report_checkpoint(journal.path), show_staged_progress("slideshow") as report:
        slideshow = plan_slideshow(
            tasks,
            loop=loop,
            start=start,
            limit=Limit(time_limit, 1),
            report=lambda progress: report(str(progress), progress.fraction),
            journal=journal,
        )
    if seconds is None and not smooth:
        timing = replace(timing, seconds=compute_default_seconds(slideshow.plan))
    _write_outputs(slideshow, outputs, Rendering(Look(scale), timing), minute)
    journal.path.unlink(missing_ok=True)
    report_data = _make_report(slideshow, outputs, round(time.perf_counter() - started, 2))
    print_report(
        as_json,
        report_data,
        f"{', '.join(outputs)}: {format_count(len(tasks), 'picture')} on {slideshow.plan.board} in "
        f"one game of {slideshow.drops} drops{', repeating' if loop else ''}, in "
        f"{report_data['seconds']} s",
    )


@contextmanager
def _report_checkpoint(checkpoint: Path) -> Iterator[None]:
    """Print where the planned pictures are stored if the block raises an error."""
    from tetrisprinter.support.executors import Journal

    try:
        yield
    except BaseException:
        if stored := len(Journal(checkpoint, None).read()):
            click.echo(
                f"{checkpoint}: {format_count(stored, 'picture')} of the slideshow; the same "
                "command with --resume continues from there",
                err=True,
            )
        raise


def _write_outputs(
    slideshow: Slideshow, outputs: Sequence[str], rendering: Rendering, minute: int | None
) -> None:
    """Write a slideshow to every output file; with ``minute`` as pages that follow the time."""
    from tetrisprinter.cli.drawing_options import write_outputs
    from tetrisprinter.formats import write_game

    for path in outputs:
        if minute is not None:
            from tetrisprinter.render.page import Minutes, make_page

            page = make_page(
                slideshow.plan, title=Path(path).stem, look=rendering.look, hold=Minutes(minute)
            )
            write_text(path, page)
        elif find_format(path) is not None:
            write_game(slideshow.plan, path)
        else:
            write_outputs(slideshow.plan, [path], rendering, title=Path(path).stem)


def _make_report(slideshow: Slideshow, outputs: Sequence[str], seconds: float) -> dict[str, object]:
    """Return the report of ``--json``."""
    return {
        "outputs": list(map(str, outputs)),
        "board": str(slideshow.plan.board),
        "drops": slideshow.drops,
        "stops": list(slideshow.plan.stops),
        "pictures": [
            {"name": result.task.name, "drops": result.drops, "lines": result.lines,
             "pixels": result.pixels}
            for result in slideshow.results
        ],
        "loops": slideshow.loops,
        "seconds": seconds,
    }  # fmt: skip
