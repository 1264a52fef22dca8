"""``tetrisprinter print``, ``text`` and ``qr``: plan a game for an image, play it, and draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from tetrisprinter.api.request import PRESETS, PictureRequest
from tetrisprinter.cli import GroupedCommand, print_options
from tetrisprinter.cli.options import (
    COLOR,
    PATH,
    REPORT_OPTIONS,
    add_options,
    flag,
    option,
    whole,
)
from tetrisprinter.cli.print_options import PrintJob
from tetrisprinter.cli.printing import print_all
from tetrisprinter.errors import InputError, JobError, format_install_command
from tetrisprinter.game.field import Board
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import WIDEST_LINE, Source, make_sources, make_text_source
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.support.options import Limit


def _set_defaults(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Set the defaults of the other options to the values of a preset; return its name."""
    if value is not None:
        context.default_map = {**(context.default_map or {}), **PRESETS[value].options()}
    return value


_PLACE_OPTION = option(
    "--for place",
    list(PRESETS),
    "Choose board, pieces, rules, files and shape for a place: "
    + ", ".join(f"{name} ({preset.summary})" for name, preset in PRESETS.items())
    + ". Other options override it. Files go to the current folder.",
    is_eager=True,
    expose_value=False,
    callback=_set_defaults,
)


@click.command("print", cls=GroupedCommand)
@click.argument("images", nargs=-1, metavar="IMAGES...", type=PATH)
@add_options(
    *print_options.OUTPUT_OPTIONS,
    _PLACE_OPTION,
    *print_options.PICTURE_OPTIONS,
    *print_options.make_game_options(),
)
@print_options.start_option
@add_options(*print_options.DRAWING_OPTIONS, *REPORT_OPTIONS)
def command(images: tuple[str, ...], **values: Any) -> None:
    """Print IMAGES: find a game of Tetris that leaves each of them, and write an animation of it.

    An image is a photo, a drawing, a folder of images, a .hex file of glyphs, or - for standard
    input. If necessary it is adapted, and a line says how; --exact refuses it instead.

    Without -o the animation is NAME-print.gif beside the image. {} in an output name stands for the
    name of the image. With several images, out.gif means one such file for each, and out/ is a
    folder.
    """
    if not images:
        if not values["preview"]:
            raise click.UsageError("Missing argument 'IMAGES...'.")
        images, values["preview"] = (values["preview"],), ""
    job = print_options.read_job(values)
    print_all(make_sources(images), job, [job.start_from] if job.start_from else [])


@click.command("text", cls=GroupedCommand)
@click.argument("text")
@option(
    "--font",
    None,
    "builtin: a small font; unifont: GNU Unifont if installed; or a .hex, .bdf, .ttf or .otf file.",
    default="builtin",
    metavar="builtin|unifont|FILE",
)
@option("--size", whole(4, 200), "Height of an outline font (.ttf, .otf) in pixels.", default=16)
@option("--color", COLOR, "Colour of the text.", default="f5f5f5")
@flag('--roll', "Print the lines of TEXT one after the other in one game.")  # fmt: skip
@add_options(
    *print_options.OUTPUT_OPTIONS,
    *print_options.PICTURE_OPTIONS,
    *print_options.make_game_options(board="auto", types="auto"),
    *print_options.DRAWING_OPTIONS,
    *REPORT_OPTIONS,
)
def text(text: str, font: str, size: int, color: str, roll: bool, **values: Any) -> None:
    """Print TEXT: set it in a font, find a game that leaves it, and write an animation.

    The options are those of `print`. The board is chosen for the text. A text wider than the board,
    or than 96 columns, is broken into lines between words.
    """
    job = print_options.read_job(values)
    if roll:
        lines = [
            make_text_source(line, font, size, color) for line in text.splitlines() if line.strip()
        ]
        _print_lines(lines, job, print_options.read_limit(values, 1.0))
        return
    board = job.request.board
    columns = board.width - 2 if isinstance(board, Board) else WIDEST_LINE
    source = make_text_source(text, font, size, color, columns)
    print_all([source], job, [font])


def _print_lines(lines: Sequence[Source], job: PrintJob, limit: Limit) -> None:
    """Print lines one after the other in one game; the limit is that of each line."""
    from tetrisprinter.api.slideshows import make_slideshow_tasks
    from tetrisprinter.cli.slideshow import (
        check_slideshow_outputs,
        prepare_checkpoint,
        write_slideshow,
    )

    outputs = [*job.outputs, *job.plans]
    if not outputs:
        raise InputError("--roll: no output file; add -o FILE")
    check_slideshow_outputs(outputs, job.rendering)
    request = PictureRequest(board=job.request.board)
    tasks, steps = make_slideshow_tasks(
        [line.read(Conversion()).picture.trim() for line in lines], request
    )
    for step in steps:
        click.echo(f"tetrisprinter: {step}", err=True)
    write_slideshow(
        tasks,
        job.as_json,
        outputs=outputs,
        rendering=job.rendering,
        limit=limit,
        checkpoint=prepare_checkpoint(outputs, job.resume),
        may_enlarge_board=not request.has_named_board,
    )


QUIET_ZONE: Final = 4
"""The width, in squares, of the light margin that scanners need (ISO/IEC 18004)."""

_DARK, _LIGHT = "000000", "ffffff"
_MASKS: Final = 8
"""The number of masks, ways to draw the same code."""


@click.command("qr", cls=GroupedCommand)
@click.argument("text")
@option(
    "--error",
    ["L", "M", "Q", "H"],
    "How much of the code may be damaged: about 7, 15, 25 or 30 %.",
    default="M",
)
@add_options(
    *print_options.OUTPUT_OPTIONS,
    *print_options.make_game_options(board="auto", types="auto"),
    *print_options.DRAWING_OPTIONS,
    *REPORT_OPTIONS,
)
def qr(text: str, error: str, **values: Any) -> None:
    """Print TEXT as a QR code: black on white, with the white border that scanners need.

    Without -o the animation is qr-print.gif. Every module of the code is printed exactly. Needs
    the extra qr.
    """
    if not text:
        raise InputError("qr: the text is empty; expected e.g. https://example.org")
    job = print_options.read_job(values, exact=True, margin=QUIET_ZONE)
    last_error: JobError | None = None
    for mask in range(_MASKS):  # perhaps no game leaves the code in one of them
        code = draw_code(text, error, mask)
        entries = {"text": text, "modules": code.read(Conversion()).picture.width}
        try:
            print_all([code], job, entries=entries)
            return
        except TimeUpError:
            raise
        except JobError as job_error:
            last_error = job_error
    assert last_error is not None
    raise last_error


def draw_code(text: str, error: str = "M", mask: int = 0) -> Source:
    """Return text as a QR code on white; ``error`` is its error correction: L, M, Q or H.

    Text that is not ASCII is written as UTF-8, because scanners read single bytes above 127 as the
    letters of different countries.
    """
    try:
        import segno
    except ImportError as import_error:
        raise InputError(
            f"QR codes need the package segno; install it with: {format_install_command('segno')}"
        ) from import_error
    try:
        encoding = None if text.isascii() else "utf-8"
        code = segno.make_qr(text, error=error, mask=mask, boost_error=False, encoding=encoding)
    except UnicodeEncodeError as unicode_error:
        raise InputError(
            f"qr: invalid character {unicode_error.object[unicode_error.start]!r}; expected text"
        ) from unicode_error
    except (segno.DataOverflowError, ValueError) as segno_error:
        raise InputError(f"qr: the text is too long for a QR code: {segno_error}") from segno_error
    rows = tuple(
        tuple(_DARK if module else None for module in row) for row in reversed(tuple(code.matrix))
    )
    converted = ConvertedPicture(Picture(rows, "qr"), _LIGHT)
    return Source("qr", "qr", lambda _: converted, scales=False)
