"""The options of the commands that print: picture, game, drawing, and what is written.

The options of picture and search are declared where their fields stand
(:mod:`tetrisprinter.support.options`); here they become options of a command line. A command passes
its values to the functions that read them: :func:`read_request`, :func:`read_limit`,
:func:`read_rendering`, or :func:`read_job` for all of them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from tetrisprinter.api.request import BLACK, OPTIONS, PictureRequest, choose_default_effort
from tetrisprinter.cli.options import (
    LIMITS,
    MAYBE_PATH,
    PATH,
    Declared,
    dask_option,
    declare,
    flag,
    option,
    seed_option,
    whole,
    workers_option,
)
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, can_write_game, list_game_extensions
from tetrisprinter.game.piece_queue import PREVIEW
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES
from tetrisprinter.planners import PLANNERS
from tetrisprinter.planners.run import LOG
from tetrisprinter.render import RENDERERS, RENDERING, Rendering, list_extensions
from tetrisprinter.render.paint import AUTO, BACKGROUND
from tetrisprinter.support.options import Limit, Option
from tetrisprinter.support.signals import Stop

TRANSPARENT: Final = "transparent"
"""The value of ``--field`` that leaves empty squares transparent."""

STDOUT: Final = "-"
"""The file name that means standard output."""


PICTURE_OPTIONS: Final = (
    *declare(
        OPTIONS,
        *("exact", "fit", "colors", "palette", "contrast", "saturation", "sharpness", "dither"),
        *("original", "crop", "background", "frame"),
        literals={"frame": "all"},
    ),
    option("--preview", MAYBE_PATH, "Write the picture that would be printed, to "
           "NAME-preview.png in the current folder or to this file; without -o nothing is printed.",
           metavar="[FILE.png]", is_flag=False, flag_value=""),
)  # fmt: skip
"""The options of the picture."""


def make_game_options(**defaults: str) -> tuple[Callable[..., Any], ...]:
    """Return the options of the game and its search, with other defaults for some of them."""
    planners = "; ".join(f"{name} {planner.summary}" for name, planner in PLANNERS.items())
    return (
        option("--planner", list(PLANNERS), f"{planners}.", default="auto"),
        *declare(OPTIONS, "types", "board", defaults=defaults),
        *declare(LIMITS, "time_limit", "effort"),
        *declare(OPTIONS, "pieces"),
        option("--next preview_pieces", whole(0, 100), f"With --pieces: the number of preview "
               f"pieces ({PREVIEW} is usual). [default: all]"),
        seed_option,
        workers_option,
        flag("--no-cache", "Neither use nor remember games that were found before."),
        flag("-v --verbose", "Show more figures of the game, and where a planner needed a "
             "fallback."),
    )  # fmt: skip


def read_request(values: Mapping[str, Any], field: Color | None = BLACK) -> PictureRequest:
    """Read the options of the picture and its board; ``field`` is the colour of empty squares."""
    given = {name: values[name] for name in OPTIONS if values.get(name) is not None}
    if given.get("frame") == "all":
        del given["frame"]
    if given.get("dither") and given.get("exact") and "colors" not in given:
        raise InputError("--dither: the number of colours is missing; add --colors N")
    preview, pieces = values.get("preview_pieces"), given.get("pieces")
    if preview is not None and pieces is None:
        raise InputError("--next: no piece queue; add e.g. --pieces bag or --pieces TIJLOSZ")
    if pieces is not None:
        given["pieces"] = replace(
            pieces,
            preview=pieces.preview if preview is None else preview,
            steered=pieces.steered or values.get("rules") == "srs",
        )
    return PictureRequest.of(given, field=field)


def read_limit(values: Mapping[str, Any], default_effort: float | None = None) -> Limit:
    """Read the limits of a search.

    Without --effort the default is used; if there is none, *auto* uses all of a time limit.
    """
    seconds, effort = values["time_limit"], values["effort"] or default_effort
    if effort is None:
        effort = choose_default_effort(values["planner"], seconds)
    return Limit(seconds, values["workers"], values["seed"], effort)


def format_transparent_extensions() -> str:
    """Return as text the extensions of formats that can have transparent squares."""
    renderers = [renderer for renderer in RENDERERS.values() if renderer.has_transparency]
    return " ".join(ext for renderer in renderers for ext in renderer.extensions)


def _describe_extensions() -> str:
    """Return as text what each extension means: ``.png (the picture), .gif .apng (...)``."""
    groups = groupby(RENDERERS.values(), lambda renderer: renderer.summary)
    return ", ".join(
        " ".join(ext for renderer in renderers for ext in renderer.extensions) + f" ({summary})"
        for summary, renderers in groups
    )


_FIELD: Final = Option(
    f"{RENDERING['field'].help[:-1]}; transparent: none ({format_transparent_extensions()}).",
    RENDERING["field"].read,
    "COLOUR|auto|transparent",
)
_RENDERING: Final = {**RENDERING, "field": _FIELD}
_DEFAULTS: Final = {
    name: RENDERING[name].default for name in ("style", "field", "caption", "rules")
}

_LOOK_OPTIONS: Final = declare(
    _RENDERING,
    *("scale", "style", "field", "full", "smooth", "shape", "caption", "rules", "sound"),
    literals={"field": TRANSPARENT},
    defaults=_DEFAULTS,
    flags={"caption": "--title caption"},
)
"""The options that slideshows share."""

DRAWING_OPTIONS: Final = (*_LOOK_OPTIONS, *declare(RENDERING, "seconds"))
"""The options for drawing a game."""

SLIDESHOW_DRAWING_OPTIONS: Final = (
    option("--hold", Declared(RENDERING["hold"]), "How long each finished picture stays.",
           default=2.0),
    option("--seconds", Declared(RENDERING["seconds"]), "How long the game plays, without the "
           "stops. [default: up to 6 per picture]"),
    *_LOOK_OPTIONS,
)  # fmt: skip
"""The options for drawing a slideshow, which begins with no picture and plays forever."""

output_option = option(
    "-o --output outputs",
    PATH,
    f"The file to write; its extension chooses the format: {_describe_extensions()}; - writes a "
    "GIF to standard output. May be given several times.",
    multiple=True,
    metavar="FILE",
)


start_option = option(
    "--from start_from",
    PATH,
    "Start on the board that a game (a plan, an art file, a fumen) or a picture leaves.",
    metavar="FILE",
)

poster_option = option(
    "--poster",
    PATH,
    "Also write a poster (.png .svg .pdf): the finished picture with its pieces, six moments "
    "of the game, and its figures.",
    metavar="FILE",
)


def read_rendering(values: Mapping[str, Any], **known: object) -> Rendering:
    """Read the options for drawing a game or a slideshow; ``known`` are options that are decided.

    A slideshow begins with no picture.
    """
    given = {name: values[name] for name in RENDERING if name in values}
    if values["field"] == TRANSPARENT:
        given |= {"transparent": True, "field": AUTO}
    return Rendering().with_options(**given, **known)


def describe_other_formats() -> str:
    """Return the formats of games besides plans as text: ``an art file, a fumen or ...``."""
    *others, last = [form.summary for name, form in FORMATS.items() if name != "text"]
    return f"{', '.join(others)} or {last}"


def check_game_name(path: str | Path) -> None:
    """Refuse to write a game to a file whose name is that of a picture, an animation or a page."""
    suffix = Path(path).suffix.lower()
    drawn = (*list_extensions(), *IMAGE_SUFFIXES, ".pdf")
    if suffix in drawn and not can_write_game(path):
        choices = " ".join(list_game_extensions())
        raise InputError(
            f"{path}: {suffix!r} is not the file type of a game; use one of {choices}, or -o of "
            "`print` or `play` for a picture or an animation"
        )


def describe_extensions() -> str:
    """Return the extensions of games with their meanings: ``.json is an art file, ...``."""
    return ", ".join(
        f"{' '.join(form.extensions)} is {form.summary}"
        for name, form in FORMATS.items()
        if name != "text"
    )


OUTPUT_OPTIONS: Final = (
    output_option,
    option("--plan plans", PATH,
           f"Write the plan too: {describe_extensions()} (or a folder/ of plans); may be "
           "given several times.", multiple=True),
    flag("--force", "Overwrite the files of an earlier run whose names you do not give."),
    flag("--resume", "Continue from the file of --plan, a game or its lowest rows, if it exists."),
    flag("--prove", "Then prove that no game of hard drops on the same board has fewer pieces, or "
         "find such a game (see `tetrisprinter bound`)."),
    poster_option,
    dask_option,
)  # fmt: skip
"""The options on what is written."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """What a command line asks for: a picture, a search, a drawing, and files."""

    request: PictureRequest = field(default_factory=PictureRequest)
    limit: Limit = field(default_factory=Limit)
    rendering: Rendering = field(default_factory=Rendering)
    planner: str = "auto"
    outputs: tuple[str, ...] = ()  # pictures, animations and pages
    plans: tuple[str, ...] = ()  # --resume continues from the first plan
    # The names that --for chooses in place of outputs and of plans, in the current folder
    preset_outputs: tuple[str, ...] = ()
    preset_plans: tuple[str, ...] = ()
    poster: str | None = None
    preview: str | None = None  # the file's name; empty: NAME-preview.png; None: no preview
    is_preview: bool = False  # whether only previews are written
    start_from: str | None = None  # the file whose final board the game starts on
    force: bool = False  # whether the default file may be overwritten
    resume: bool = False
    prove: bool = False
    dask: str | None = None
    all_frames: bool = False  # whether every frame of an animated image is printed
    verbose: bool = False
    as_json: bool = False
    caches: bool = True  # whether games are remembered
    writes_first_game: bool = True  # whether files are written while the search goes on
    stop: Stop = field(default_factory=Stop)  # without the time limit
    # When the clock of the time limit was started; None: it starts anew for each image
    began: float | None = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        if self.resume and not (self.plans or self.preset_plans):
            raise InputError("--resume: no plan; add --plan FILE, as in the interrupted run")

    def start_clock(self) -> Stop:
        """Return the stop of a search, with the time limit."""
        if self.limit.seconds is None:
            return self.stop
        began = time.monotonic() if self.began is None else self.began
        return self.stop.with_deadline(began + self.limit.seconds)


def read_job(values: Mapping[str, Any], **decided: Any) -> PrintJob:
    """Read a job from the values of a command line.

    ``decided`` are values of options, and of drawing, that the command decides.
    """
    values = {**values, **decided}
    if values["verbose"]:
        log_to_stderr()
    context = click.get_current_context()
    names: dict[str, Any] = {}
    for name in ("outputs", "plans"):  # names that --for chooses stay apart from typed names
        is_preset = context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
        names[f"preset_{name}" if is_preset else name] = tuple(values[name])
    given = ("planner", "force", "resume", "prove", "poster", "dask", "verbose", "as_json")
    rendering, preview = read_rendering(values), values.get("preview")
    is_preview = preview is not None and not (
        names.get("outputs") or names.get("plans") or values["poster"]
    )
    # A preview does not depend on how the print is drawn.
    is_default_color = is_preview or rendering.look.field == AUTO
    return PrintJob(
        read_request(values, BACKGROUND if is_default_color else rendering.look.field),
        read_limit(values),
        rendering,
        **names,
        **{name: values[name] for name in given},
        preview=preview,
        is_preview=is_preview,
        start_from=values.get("start_from"),
        all_frames=values.get("frame") == "all",
        caches=not values["no_cache"],
    )


def log_to_stderr() -> None:
    """Write the log of the planners to stderr from now on; a second call does nothing."""
    written: set[str] = set()

    class StderrHandler(logging.Handler):
        """Writes each message once to the current ``sys.stderr``, which ``--quiet`` replaces."""

        def emit(self, record: logging.LogRecord) -> None:
            """See :class:`logging.Handler`."""
            sentence = self.format(record)
            if sentence not in written:
                written.add(sentence)
                click.echo(f"tetrisprinter: {sentence}", err=True)

    if not LOG.handlers:
        LOG.addHandler(StderrHandler())
        LOG.setLevel(logging.INFO)
