"""``tetrisprinter slideshow``: several pictures, one after the other in one game."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tetrisprinter.cli.error_messages import format_count
from tetrisprinter.cli.options import Real, Whole, json_option
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import InputError
from tetrisprinter.formats import find_format
from tetrisprinter.pictures.sources import each_frame, sources
from tetrisprinter.support.files import check_apart, check_writable, write_text

if TYPE_CHECKING:
    from tetrisprinter.api.slideshows import Slideshow
    from tetrisprinter.game.start import Rows
    from tetrisprinter.printing.task import Task
    from tetrisprinter.render import Rendering


_KEPT = ".games"
"""What follows the name of a file in the name of the journal of its film."""

_OPTIONS = (
    click.option("--hold", type=Real(), default=2.0, show_default=True, metavar="SECONDS",
                 help="How long each picture stands."),
    click.option("--seconds", type=Real(), default=None, metavar="SECONDS",
                 help="How long the game plays beside that. [default: up to 6 a picture]"),
    click.option("--board", default=None, metavar="WxH", help="[default: one that holds them all]"),
    click.option("--types", default=None, metavar="TYPES",
                 help="Which type shows which colour. [default: shared once among all pictures]"),
    click.option("--scale", type=Whole(1, 64), default=None, help="Pixels per square."),
    click.option("--smooth", is_flag=True, help="Show every piece on its way."),
    click.option("--time-limit", type=Real(), default=None, metavar="SECONDS",
                 help="The most time for each picture."),
    click.option("--resume", is_flag=True,
                 help="Go on with the pictures that an interrupted film has printed."),
)  # fmt: skip


def slideshow_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that films and clocks share, but for what is written."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def slideshow_output(required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option that says what is written."""
    return click.option("-o", "--output", "outputs", type=click.Path(), multiple=True,
                        required=required, metavar="FILE",
                        help="What to write, by extension: a film (.gif .mp4 ...), a page "
                        "(.html), a plan (.txt), a game (.json .drops.json .fumen); may be given "
                        "several times.")  # fmt: skip


@click.command("film")
@click.argument("images", nargs=-1, required=True, type=click.Path())
@slideshow_output(True)
@slideshow_options
@click.option("--colors", type=Whole(1, 7), default=None, metavar="1..7",
              help="So many colours for all pictures together. [default: up to 5]")  # fmt: skip
@click.option("--from", "begun", default=None, type=click.Path(), metavar="FILE",
              help="Begin with what a game leaves (a plan, an art file, a fumen), or with a "
              "picture.")  # fmt: skip
@click.option("--loop", is_flag=True, help="Come back to the first picture: it plays for ever.")
@json_option
def command(
    images: tuple[str, ...],
    board: str | None,
    types: str | None,
    colors: int | None,
    begun: str | None,
    loop: bool,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Go from picture to picture in one game; each of IMAGES stands for a while.

    All frames of an animated image are played. All pictures share one board and one assignment
    of piece types to colours. The lowest rows that two pictures have in common stay; what lies
    above them is cleared, and the rest of the next picture is printed. With --loop the file
    begins and ends with the first picture, so that it plays for ever.
    """
    from tetrisprinter.api.slideshows import (
        SharedSettings,
        continue_file,
        make_slideshow_tasks,
        read_pictures,
    )
    from tetrisprinter.support.limits import Limit

    check_outputs_of(drawing["outputs"], [*images, *([begun] if begun else [])])
    frames = [frame for source in sources(images) for frame in each_frame(source)]
    pictures, first_steps = read_pictures(frames)
    shared = SharedSettings(board, types, colors)
    lies: Rows = ()
    games = _games_of(drawing["outputs"], drawing["resume"])
    if begun is None:
        tasks, steps = make_slideshow_tasks(pictures, shared)
    else:
        if loop:
            raise InputError("--loop cannot be used with --from; leave one of them out")
        limit = Limit(drawing["time_limit"], 1)
        with _report_checkpoint(games), show_staged_progress(f"printing {begun}") as report:
            tasks, steps, lies = continue_file(
                begun,
                pictures,
                shared,
                limit,
                lambda news: report(str(news), news.fraction),
                games,
            )
    for step in first_steps + steps:
        click.echo(f"tetrisprinter: {step}", err=True)
    write_slideshow(tasks, loop, as_json, start=lies, games=games, **drawing)


def _games_of(outputs: Sequence[str], resume: bool) -> Path:
    """Return where the games of a film are kept; without ``resume`` there are none yet."""
    from tetrisprinter.support.executors import Journal

    games = Path(f"{outputs[0]}{_KEPT}")
    if not resume:
        games.unlink(missing_ok=True)
    elif not Journal(games, None).read():
        click.echo(f"{outputs[0]}: nothing to resume; starting over", err=True)
    return games


def check_outputs_of(outputs: Sequence[str], inputs: Sequence[str] = ()) -> None:
    """Refuse early what cannot be written."""
    from tetrisprinter.render.save import check_output

    for path in outputs:
        if find_format(path) is None:
            check_output(path)
        else:
            check_writable(path)
    check_apart(outputs, [Path(name) for name in inputs])


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
    games: Path | None = None,
    minute: int | None = None,
) -> None:
    """Plan tasks one after the other, write the film and report.

    ``games`` is where they are kept if some may be there by now; ``minute`` is when the first
    picture stands on a page that follows the time of day.
    """
    from tetrisprinter.api.slideshows import default_seconds, open_journal, plan_slideshow
    from tetrisprinter.render import Rendering
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look
    from tetrisprinter.support.limits import Limit

    began = time.perf_counter()
    timing = Timing(smooth=smooth, seconds=seconds, hold=hold)
    journal = open_journal(games or _games_of(outputs, resume), tasks, start)
    with _report_checkpoint(journal.path), show_staged_progress("film") as report:
        film = plan_slideshow(
            tasks,
            loop=loop,
            start=start,
            limit=Limit(time_limit, 1),
            tell=lambda news: report(str(news), news.fraction),
            journal=journal,
        )
    if seconds is None and not smooth:
        timing = replace(timing, seconds=default_seconds(film.plan))
    _write(film, outputs, Rendering(Look(scale), timing), minute)
    journal.path.unlink(missing_ok=True)
    done = _report(film, outputs, round(time.perf_counter() - began, 2))
    if as_json:
        click.echo(json.dumps(done))
    else:
        named = ", ".join(outputs)
        click.echo(
            f"{named}: {format_count(len(tasks), 'picture')} on {film.plan.board} in one game of "
            f"{film.drops} drops{', for ever' if loop else ''}, in {done['seconds']} s"
        )


@contextmanager
def _report_checkpoint(games: Path) -> Iterator[None]:
    """Say where what was printed is kept if the block does not end well."""
    from tetrisprinter.support.executors import Journal

    try:
        yield
    except BaseException:
        if kept := len(Journal(games, None).read()):
            click.echo(
                f"{games}: {format_count(kept, 'picture')} of the slideshow; the same command "
                "with --resume continues from there",
                err=True,
            )
        raise


def _write(film: Slideshow, outputs: Sequence[str], how: Rendering, minute: int | None) -> None:
    from tetrisprinter.cli.drawing_options import write_outputs
    from tetrisprinter.formats import write_game

    for path in outputs:
        if minute is not None:
            from tetrisprinter.render.page import Minutes, make_page

            page = make_page(film.plan, title=Path(path).stem, look=how.look, hold=Minutes(minute))
            write_text(path, page)
        elif find_format(path) is not None:
            write_game(film.plan, path)
        else:
            write_outputs(film.plan, [path], how, title=Path(path).stem)


def _report(film: Slideshow, outputs: Sequence[str], seconds: float) -> dict[str, object]:
    return {
        "outputs": list(map(str, outputs)),
        "board": str(film.plan.board),
        "drops": film.drops,
        "stops": list(film.plan.stops),
        "pictures": [
            {"name": result.task.name, "drops": result.drops, "lines": result.lines,
             "pixels": result.pixels}
            for result in film.results
        ],
        "loops": film.loops,
        "seconds": seconds,
    }  # fmt: skip
