"""``tetrisprinter slideshow`` and ``clock``: several pictures, one after the other, in one game."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, Literal

import click

from tetrisprinter.api import slideshows
from tetrisprinter.api.request import OPTIONS
from tetrisprinter.api.slideshows import Slideshow
from tetrisprinter.cli import print_options
from tetrisprinter.cli.files import check_outputs, write_output
from tetrisprinter.cli.options import (
    COLOR,
    LIMITS,
    PATH,
    REPORT_OPTIONS,
    add_options,
    declare,
    declare_reader,
    flag,
    make_size_type,
    option,
    print_report,
    real,
    seed_option,
    workers_option,
)
from tetrisprinter.cli.progress import show_search_progress
from tetrisprinter.errors import InputError
from tetrisprinter.formats import find_format, name_game, write_game
from tetrisprinter.game.field import Board, Rows
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import list_frames, make_sources
from tetrisprinter.pictures.text import parse_minutes
from tetrisprinter.planners import Run, make_plan
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypesOption
from tetrisprinter.render import Rendering, find_renderer
from tetrisprinter.render.encoders import format_cycle
from tetrisprinter.render.frames import Animation, make_picture_film
from tetrisprinter.render.page import make_page
from tetrisprinter.support import files, format_count
from tetrisprinter.support.executors import Journal
from tetrisprinter.support.options import Limit
from tetrisprinter.support.signals import Stop

_CHECKPOINT_SUFFIX = ".games"
"""The suffix of the checkpoint file, after the name of the first output file."""


SLIDESHOW_OPTIONS: Final = (
    *declare(OPTIONS, "board", "types"),
    *print_options.SLIDESHOW_DRAWING_OPTIONS,
    *declare(LIMITS, "time_limit", "effort"),
    seed_option,
    workers_option,
    flag("--resume", "Continue after the pictures that an interrupted run has planned."),
)
"""The options that `slideshow` and `clock` share; the limits are those of each picture."""


def make_output_option(required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--output`` of `slideshow` and `clock`."""
    return option(
        "-o --output outputs",
        PATH,
        "The file to write, by extension: an animation (.gif .mp4 ...), a "
        "page (.html), a plan (.txt), a game (.h .json .drops.json .fumen). May be "
        "given several times.",
        multiple=True,
        required=required,
        metavar="FILE",
    )


@click.command("slideshow")
@click.argument("images", nargs=-1, required=True, type=PATH)
@make_output_option(True)
@add_options(*SLIDESHOW_OPTIONS, *declare(OPTIONS, "colors", "background"))
@print_options.start_option
@option("--fps", real(0.1, 60), "Frames of a video that are taken of each second. [default: 4]")
@option(
    "--fit",
    make_size_type("size such as 24x18"),
    "The size of a video in squares. [default: 24 on the longer side]",
)
@option(
    "--film",
    PATH,
    "Also write an animation that shows only the finished frames of a video, at its own pace.",
    metavar="FILE",
)
@flag("--loop", "Return to the first picture, so that it can repeat.")
@add_options(*REPORT_OPTIONS)
def command(
    images: tuple[str, ...],
    outputs: tuple[str, ...],
    start_from: str | None,
    fps: float | None,
    fit: tuple[int, int] | None,
    film: str | None,
    loop: bool,
    resume: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Print IMAGES one after the other in one game; each stays complete for a while.

    An animated image counts as all of its frames that are not blank. A video (or with --fps an
    animated image) is scaled to a few squares and reduced to one palette for all frames: the
    background and --colors others, by default one. All pictures share one board and one assignment
    of piece types to colours. The lowest rows that two pictures have in common stay; the rows above
    them are cleared, and the rest of the next picture is printed. With --loop the animation begins
    and ends with the first picture, so that it can repeat without a jump.
    """
    rendering = print_options.read_rendering(values, first=0.0)
    limit = print_options.read_limit(values, 1.0)
    inputs = [*images, *([start_from] if start_from else [])]
    check_slideshow_outputs([*outputs, *([film] if film else [])], rendering, inputs)
    if film:
        _find_animator(film)
    request = print_options.read_request(values)
    if fps is not None or any(map(slideshows.is_video, images)):
        if len(images) > 1:
            raise InputError(
                f"a video is printed alone: got {len(images)} files; leave the others out"
            )
        if loop:
            raise InputError("--loop cannot be used with a video; leave it out")
        read = slideshows.read_video(
            images[0], fps or 4.0, fit or slideshows.DEFAULT_VIDEO_SIZE, request
        )
    elif fit or film:
        raise InputError("--fit and --film are for a video, or with --fps for an animated image")
    else:
        frames = [frame for source in make_sources(images) for frame in list_frames(source)]
        read = slideshows.read_pictures(frames, request.conversion.background)
    start: Rows = ()
    checkpoint = prepare_checkpoint(outputs, resume)
    if start_from is None:
        tasks, steps = slideshows.make_slideshow_tasks(read.pictures, request)
    else:
        if loop:
            raise InputError("--loop cannot be used with --from; leave one of them out")
        with (
            _report_checkpoint(checkpoint),
            show_search_progress(f"printing {name_game(start_from)}") as report,
        ):
            background = read.background or "transparent"
            tasks, steps, start = slideshows.continue_file(
                start_from, read.pictures, request, background, limit, report, checkpoint
            )
    for sentence in dict.fromkeys(map(str, read.steps + steps)):
        click.echo(f"tetrisprinter: {sentence}", err=True)
    write_slideshow(
        tasks,
        as_json,
        outputs=outputs,
        rendering=rendering,
        limit=limit,
        checkpoint=checkpoint,
        loop=loop,
        start=start,
        background=read.background,
        may_enlarge_board=not request.has_named_board and not start,
        film=film,
        frame_seconds=read.seconds,
    )


def _find_animator(path: str) -> Callable[[IO[bytes], Animation], None]:
    """Return what writes the file of ``--film``; refuse a file that is no animation."""
    draw = find_renderer(path).draw
    if draw is None:
        raise InputError(
            f"{path}: a film of the finished frames is an animation; use a name such as "
            f"{Path(path).stem}.gif"
        )
    return draw


def prepare_checkpoint(outputs: Sequence[str], resume: bool) -> Path:
    """Return the checkpoint file of a slideshow; without ``resume`` delete it."""
    checkpoint = Path(f"{outputs[0]}{_CHECKPOINT_SUFFIX}")
    if not resume:
        checkpoint.unlink(missing_ok=True)
    elif not Journal(checkpoint, None).read():
        click.echo(f"{outputs[0]}: nothing to resume; starting over", err=True)
    return checkpoint


def check_slideshow_outputs(
    outputs: Sequence[str], rendering: Rendering, inputs: Sequence[str] = ()
) -> None:
    """Refuse output files that cannot be written or that are input files."""
    for path in outputs:
        # standard output takes one print
        if find_format(path) is not None or path == print_options.STDOUT:
            files.check_writable(path)
    check_outputs([path for path in outputs if find_format(path) is None], rendering)
    files.refuse_overwriting_inputs(outputs, inputs)


def write_slideshow(
    tasks: Sequence[Task],
    as_json: bool,
    *,
    outputs: Sequence[str],
    rendering: Rendering,
    limit: Limit,
    checkpoint: Path,
    loop: bool = False,
    start: Rows = (),
    minute: int | None = None,
    background: Color | None = None,
    may_enlarge_board: bool = False,
    film: str | None = None,
    frame_seconds: Sequence[float] = (),
) -> None:
    """Plan tasks one after the other, write the slideshow and report.

    ``checkpoint`` is the file of :func:`prepare_checkpoint`. ``minute`` is the minute of the day at
    which a page shows the first picture. ``background`` is the colour of empty squares. ``film`` is
    a file for an animation of the finished pictures alone, each shown for its ``frame_seconds``.
    """
    started = time.perf_counter()
    with _report_checkpoint(checkpoint), show_search_progress("slideshow") as report:
        slideshow = slideshows.plan_slideshow(
            tasks,
            loop=loop,
            limit=limit,
            report=report,
            start=start,
            games=checkpoint,
            may_enlarge_board=may_enlarge_board,
            background=background,
        )
    seconds = rendering.timing.seconds
    if seconds is None and not rendering.timing.smooth:
        seconds = slideshows.compute_default_seconds(slideshow.plan)
    _write_outputs(slideshow, outputs, rendering.with_options(seconds=seconds), minute)
    if film is not None:
        with files.open_atomically(film) as file:
            animation = make_picture_film(slideshow.plan, rendering, frame_seconds)
            _find_animator(film)(file, animation)
    checkpoint.unlink(missing_ok=True)
    report_data = _make_report(slideshow, outputs, round(time.perf_counter() - started, 2))
    print_report(
        as_json,
        report_data,
        f"{', '.join(outputs)}: {format_count(len(tasks), 'picture')} on {slideshow.plan.board} in "
        f"one game of {format_count(slideshow.drops, 'piece')}{', repeating' if loop else ''}, in "
        f"{report_data['seconds']} s",
    )


@contextmanager
def _report_checkpoint(checkpoint: Path) -> Iterator[None]:
    """Print where the planned pictures are stored if the block raises an error."""
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
    for path in outputs:
        if minute is not None:
            page = make_page(
                slideshow.plan, title=Path(path).stem, look=rendering.look, first_minute=minute
            )
            files.write_text(path, page)
        elif find_format(path) is not None:
            write_game(slideshow.plan, path)
        else:
            write_output(slideshow.plan, path, rendering, Path(path).stem)


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


_LIVE_MINUTES: Final = 60
"""The number of minutes that a page with --live shows without --until."""
_PLANNING_SECONDS: Final = 20.0
"""The time for planning the next minute, whose game plays during the rest of the minute."""

_MINUTE: Final = declare_reader(parse_minutes, metavar="HH:MM")
"""The type of a time of day, in minutes after midnight."""


@click.command("clock")
@make_output_option(False)
@add_options(*SLIDESHOW_OPTIONS)
@option("--from first", _MINUTE, "The first minute.")
@option("--until last", _MINUTE, "The last minute.")
@flag(
    "--live",
    "Show the time of day, each minute complete when it begins: in the terminal, or "
    "on a page (-o clock.html; an hour without --from and --until).",
)
@flag(
    "--day",
    "Write the games of all minutes of a day as a C header (-o day.h); a game that "
    "changes the minutes of several hours is in it once.",
)
@flag(
    "--minute",
    "Write the games of all seconds of a minute as a C header (-o minute.h), for a board of "
    "their own beside that of the minutes.",
)
@option(
    "--layout",
    ["steps", "line"],
    "steps: the minutes in a line above the hours, so that fewer squares change; line: "
    "all digits side by side.",
    default="steps",
)
@option("--color", COLOR, "Colour of the digits.", default="f5f5f5")
@option("--hours", ["12", "24"], "12: the hours from 1 to 12.", default="24")
@option(
    "--digits",
    None,
    "small: three columns and five rows; or a font: builtin, unifont or a "
    "file (.bdf .hex .ttf ...).",
    metavar="small|FONT",
    default="small",
)
@option(
    "--size",
    make_size_type("size such as 32x16"),
    "The size of a panel, in place of --board: "
    "the board is as large as an odd number of columns allows.",
)
@add_options(*REPORT_OPTIONS)
def clock(
    outputs: tuple[str, ...],
    first: int | None,
    last: int | None,
    live: bool,
    day: bool,
    minute: bool,
    layout: Any,
    color: str,
    hours: str,
    digits: str,
    size: tuple[int, int] | None,
    board: Board | Literal["auto"] | None,
    types: TypesOption | None,
    resume: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Print the time from one minute to another in one game.

    Rows below the lowest one that changes stay; the rest is cleared and printed again.
    """
    has_minutes = first is not None or last is not None
    if live and not outputs and (has_minutes or as_json):
        raise InputError(
            "--from, --until and --json cannot be used with --live in the terminal; leave them out "
            "or add -o clock.html"
        )
    if live and any(Path(path).suffix.lower() not in (".html", ".htm") for path in outputs):
        raise InputError("--live: only a page can follow the time of day; use -o clock.html")
    if day or minute:
        name = "--day" if day else "--minute"
        if has_minutes or live or resume or layout != "steps" or (day and minute):
            raise InputError(
                "--day: all minutes from 00:00 on, in the layout steps; leave out --from, --until, "
                "--live, --minute, --resume and --layout"
                if day
                else "--minute: the seconds 00 to 59; leave out --from, --until, --live, --resume "
                "and --layout"
            )
        if len(outputs) != 1 or Path(outputs[0]).suffix.lower() != ".h":
            raise InputError(
                f"{name}: the games are written as a C header; use -o {name.strip('-')}.h"
            )
    elif not live and (not outputs or first is None or last is None):
        raise InputError("missing options: give -o FILE, --from HH:MM and --until HH:MM, or --live")
    if size is not None:
        if board is not None:
            raise InputError("--size and --board cannot be used together; leave one out")
        board = slideshows.fit_panel(*size)
    limit = print_options.read_limit(values, 1.0)
    make_tasks = partial(
        slideshows.make_clock_tasks,
        color=color, layout=layout, board=board, types=types, hours=int(hours), font=digits,
    )  # fmt: skip
    if live and not outputs:
        _watch_clock(make_tasks, limit)
        return
    if day:
        _write_cycle(make_tasks(0, 1440), "minutes", outputs[0], limit, as_json)
        return
    if minute:
        second_tasks = slideshows.make_second_tasks(color, board, types, digits)
        _write_cycle(second_tasks, "seconds", outputs[0], limit, as_json)
        return
    rendering = print_options.read_rendering(values, first=0.0)
    check_slideshow_outputs(outputs, rendering)
    first_minute = parse_minutes(time.strftime("%H:%M")) if first is None else first
    count = _LIVE_MINUTES if last is None else (last - first_minute) % 1440 + 1
    tasks = make_tasks(first_minute, count)
    write_slideshow(
        tasks,
        as_json,
        outputs=outputs,
        rendering=rendering,
        limit=limit,
        checkpoint=prepare_checkpoint(outputs, resume),
        minute=first_minute if live else None,
    )


def _write_cycle(tasks: list[Task], noun: str, path: str, limit: Limit, as_json: bool) -> None:
    """Plan the games that lead from each picture of a cycle to the next one; write a C header."""
    files.check_writable(path)
    started = time.perf_counter()
    with show_search_progress("clock") as report:
        cycle = slideshows.plan_cycle(tasks, limit, report)
    files.write_text(path, format_cycle(*cycle, Path(path).stem))
    seconds = round(time.perf_counter() - started, 2)
    drops = sum(map(len, cycle.games))
    # Two bytes a drop, one or two a minute, and two a game.
    size = 2 * drops + (1 + (len(cycle.games) > 255)) * len(tasks) + 2 * len(cycle.games)
    longest = max(map(len, cycle.games))
    data = {
        "outputs": [path], "pictures": len(tasks), "games": len(cycle.games), "drops": drops,
        "longest": longest, "bytes": size, "seconds": seconds,
    }  # fmt: skip
    print_report(
        as_json,
        data,
        f"{path}: {len(tasks)} {noun} by {format_count(len(cycle.games), 'game')} of "
        f"{format_count(drops, 'piece')}, at most {longest} in a game, {size:,} bytes of data, in "
        f"{seconds} s",
    )


def _watch_clock(make_tasks: Callable[[int, int], list[Task]], limit: Limit) -> None:
    """Show the clock in the terminal; plan each minute while the previous minute is shown."""
    from tetrisprinter.cli.play import check_terminal
    from tetrisprinter.render.terminal import can_move_cursor, describe_terminal, watch_clock

    check_terminal("-o FILE.gif without --live")
    if not can_move_cursor():
        raise InputError(
            f"this terminal ({describe_terminal()}) cannot move the cursor; -o FILE.gif without "
            "--live writes a file instead"
        )

    stop, seconds = Stop(), limit.seconds or _PLANNING_SECONDS

    def plan_minute(minute: int, start: Rows) -> Plan:
        (task,) = make_tasks(minute, 1)
        run = Run(
            Limit(seconds, 1, limit.seed, limit.effort),
            stop=stop.with_deadline(time.monotonic() + seconds),
        )
        return make_plan(task.with_start(start), "auto", run).plan

    watch_clock(plan_minute, stop.request)
