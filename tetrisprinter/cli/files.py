"""The files of a print: their names, and writing them.

One image is written to the named files. Several images have files of their own: ``{}`` in a name
stands for the name of the image, ``out.gif`` means one ``.gif`` for each image, and ``out/`` or an
existing folder gets one file for each image.

One rule makes names unique. Images of one name are numbered, so ``{}.gif`` is ``cat.gif`` and
``cat-2.gif``. A name that the user did not type, such as ``cat-print.gif`` or the files of
``--for``, gets a number if a file of that name exists, unless ``--force`` is given. No file is
written twice, and no printed image is overwritten.

An *art file* is a game for the program seigot/tetris, the *art game*.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import click

from tetrisprinter.cli import print_options
from tetrisprinter.cli.print_options import PrintJob
from tetrisprinter.cli.progress import format_seconds_left, show_measured_progress
from tetrisprinter.errors import InputError, Setting, TetrisPrinterError
from tetrisprinter.formats import format_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import Source
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.render import Rendering, Report, check_output, find_renderer, save
from tetrisprinter.render.paint import AUTO, BACKGROUND, Look, choose_field_for
from tetrisprinter.render.still import draw_png
from tetrisprinter.support import format_count
from tetrisprinter.support.files import (
    check_writable,
    choose_free_names,
    is_file,
    is_folder,
    is_pipe,
    make_folder,
    write_bytes,
    write_text,
)
from tetrisprinter.support.signals import Stop

_DEFAULT_NAMES: Final = ("{}-print.gif",)
"""The files of a print for which the user names none."""

DEFAULT_PREVIEW: Final = "{}-preview.png"
"""The file of a preview for which the user names none."""

_WITH_SOUND: Final = (".mp4", ".webm")
"""The extensions of files with sound."""

_STDOUT_NAME: Final = "print.gif"
"""A file name that stands for standard output: its extension is the format."""

_FIRST_DRAWING_SECONDS: Final = 3.0
"""The first game is not drawn if this takes longer, as for a video of a large print."""

_FIRST_DRAWING_SHARE: Final = 0.1
"""Drawing the first game may take this share of a time limit."""

_DRAWING_SHARE: Final = 0.03
"""Drawing the other games that are not the last may take this share of the time so far."""

_MEASURED_SECONDS: Final = 0.2
"""After this time the frames drawn so far tell how long all of them take."""


@dataclass(slots=True)
class OutputFiles:
    """An image and its files: they have the first game as soon as it stands, then better ones.

    A file is replaced when it is complete, so it never holds half a game. The first game is drawn
    unless this takes long, later games only if drawing takes little of the time so far.
    """

    source: Source
    outputs: tuple[str, ...]  # pictures, animations and pages
    plans: tuple[Path, ...] = ()
    poster: Path | None = None
    preview: Path | None = None
    written: dict[str | Path, Plan] = field(default_factory=dict)  # the game that each file has
    began: float = field(default_factory=time.monotonic)
    is_announced: bool = False
    drawing_seconds: float = 0.0  # spent on games that were not the last
    last_seconds: float = 0.0  # spent on the latest of them

    @property
    def game_files(self) -> tuple[str | Path, ...]:
        """The files that hold a game; plans come first, because they are written at once."""
        return (*self.plans, *self.outputs)

    @property
    def files(self) -> tuple[str | Path, ...]:
        """All files to write, and ``-`` for standard output."""
        return (*self.outputs, *self.plans, *filter(None, [self.poster, self.preview]))

    def offer(
        self, result: PrintResult, rendering: Rendering, stop: Stop, seconds_left: float | None
    ) -> None:
        """Write a game that the search may still improve, if drawing it is worth the time."""
        allowed_seconds = _DRAWING_SHARE * (time.monotonic() - self.began) - self.drawing_seconds
        if not self.is_announced:
            allowed_seconds = min(_FIRST_DRAWING_SECONDS, _FIRST_DRAWING_SHARE * stop.seconds_left)
        if self.last_seconds <= allowed_seconds:
            self._write_in_time(result, rendering, stop, allowed_seconds)
        if not self.is_announced and not stop.is_requested:
            self.is_announced = True
            pieces = format_count(result.drops, "piece")
            names = ", ".join(str(path) for path in self.files if path in self.written)
            subject = f"{names}: {pieces}" if names else f"{self.source.name}: {pieces} so far"
            time_left = format_seconds_left(seconds_left)
            parts = "searching for a shorter game", time_left, "Ctrl-C keeps the best"
            click.echo(f"{subject}; {', '.join(filter(None, parts))}", err=True)

    def _write_in_time(
        self, result: PrintResult, rendering: Rendering, stop: Stop, allowed_seconds: float
    ) -> None:
        """Write the files unless it takes longer; errors are left to the last game."""
        began = frames_began = time.process_time()
        seconds = 0.0

        def check_time(done: int, total: int) -> None:
            """Estimate the time for all frames, and stop if it is too long."""
            nonlocal frames_began, seconds
            now = time.process_time()
            if done == 1:
                frames_began = now
            elif now - frames_began > _MEASURED_SECONDS:
                frame_seconds = (now - frames_began) / (done - 1)
                seconds = frames_began - began + frame_seconds * (total - 1)
            if seconds > allowed_seconds or stop.is_requested:
                raise _DrawingStoppedError

        for path in self.game_files:
            # Each game would be added to a pipe or a device.
            if path != print_options.STDOUT and not is_pipe(path):
                with suppress(_DrawingStoppedError, TetrisPrinterError):
                    self._write(path, result, rendering, check_time)
        self.last_seconds = max(seconds, time.process_time() - began)
        self.drawing_seconds += time.process_time() - began

    def write_last(self, result: PrintResult, rendering: Rendering) -> None:
        """Write the best game to the files that do not have it."""
        for path in self.game_files:
            self._write(path, result, rendering)

    def _write(
        self,
        path: str | Path,
        result: PrintResult,
        rendering: Rendering,
        report: Report | None = None,
    ) -> None:
        """Write a game to one of the files, unless the file has it."""
        if self.written.get(path) == result.plan:
            return
        if path in self.plans:
            write_text(path, format_game(result.plan, Path(path), self.source.name))
        else:
            field_color, _ = choose_field_color(result.plan, rendering.look)
            rendering = rendering.with_options(field=field_color)
            write_output(result.plan, path, rendering, self.source.stem, report)
        self.written[path] = result.plan


class _DrawingStoppedError(Exception):
    """Drawing a game that is not the last takes too long, or a signal came."""


def choose_field_color(plan: Plan, look: Look) -> tuple[str, tuple[Step, ...]]:
    """Return the colour of empty squares, and the step to report if it was not the usual choice."""
    chosen = choose_field_for(plan, look.field)
    if look.field != AUTO or chosen == BACKGROUND:
        return chosen, ()
    return chosen, (Step(f"empty squares drawn {chosen}", Setting.FIELD),)


def choose_output_files(images: Sequence[Source], job: PrintJob) -> list[OutputFiles]:
    """Choose the output files of each image, and make missing folders."""
    has_several_images = len(images) > 1
    outputs = job.outputs
    if has_several_images and print_options.STDOUT in outputs:
        raise InputError(
            f"-o -: standard output takes one print, but {len(images)} images were given; use "
            "-o '{}.gif'"
        )
    patterns = [_make_pattern(name, "-o", ".png", has_several_images) for name in outputs]
    plans = [_make_pattern(name, "--plan", ".txt", has_several_images) for name in job.plans]
    if job.poster is not None:
        _check_one_name(job.poster, "--poster", "{}.pdf", has_several_images)
    typed_names = [*outputs, *job.plans]
    uses_default = not (patterns or plans or job.preset_outputs)
    default_names = _DEFAULT_NAMES if uses_default else ()
    preset_names = (*(() if outputs else job.preset_outputs), *(() if plans else job.preset_plans))
    previews = choose_previews(images, job.preview, job.force)
    taken: set[Path] = set()

    def is_taken(path: Path) -> bool:
        overwrites = job.force or job.resume
        return path in taken or (_is_image(path, images) if overwrites else is_file(path))

    def name_game(pattern: str, image: Source) -> Path:
        return Path(_avoid_images(_make_name(pattern, image), images, typed_names))

    output_files: list[OutputFiles] = []
    for image, preview_file in zip(_number_equal_names(images), previews, strict=True):
        folder = Path() if image.path is None else image.path.parent
        if not os.access(folder, os.W_OK):  # e.g. the examples of an installed package
            folder = Path()
        default_files = choose_free_names(default_names, image.stem, folder, is_taken)
        preset_files = choose_free_names(preset_names, image.stem, is_taken=is_taken)
        taken.update(default_files, preset_files)
        preset_count = 0 if outputs else len(job.preset_outputs)
        target = OutputFiles(
            image,
            (
                *(_avoid_images(_make_name(name, image), images, typed_names) for name in patterns),
                *map(str, (*default_files, *preset_files[:preset_count])),
            ),
            (*(name_game(pattern, image) for pattern in plans), *preset_files[preset_count:]),
            None if job.poster is None else Path(_make_name(job.poster, image)),
            preview_file,
        )
        output_files.append(target)
    files = Counter(
        Path(name) for one in output_files for name in one.files if name != print_options.STDOUT
    )
    for path, times in files.items():
        if times > 1:
            raise InputError(f"{path}: given twice; give each file its own name")
    for one in output_files:
        for path in one.plans:
            print_options.check_game_name(path)
            check_writable(path)
    return output_files


def choose_previews(
    images: Sequence[Source], preview: str | None, overwrites: bool = False
) -> list[Path | None]:
    """Choose the file of the preview of each image; ``preview`` is the value of --preview.

    Empty: NAME-preview.png; None: no preview. A name that the user did not type overwrites no file
    unless ``overwrites``.
    """
    if preview is None:
        return [None for _ in images]
    numbered_images = _number_equal_names(images)
    if not preview:
        is_taken = (lambda path: _is_image(path, images)) if overwrites else is_file
        return [
            choose_free_names([DEFAULT_PREVIEW], image.stem, is_taken=is_taken)[0]
            for image in numbered_images
        ]
    if preview.endswith(("/", os.sep)) or is_folder(preview):
        preview = _make_pattern(preview, "--preview", ".png", has_several_images=True)
    _check_one_name(preview, "--preview", DEFAULT_PREVIEW, len(images) > 1)
    return [Path(_make_name(preview, image)) for image in numbered_images]


def _check_one_name(name: str, option: str, example: str, has_several_images: bool) -> None:
    """Refuse one name for the files of several images."""
    if has_several_images and "{}" not in Path(name).name:
        raise InputError(f"{option} {name}: one name for several images; use '{example}'")


def _make_pattern(name: str, option: str, suffix: str, has_several_images: bool) -> str:
    """Return a file name, with ``{}`` for the image's name if needed; make missing folders."""
    path = Path(name)
    if name == print_options.STDOUT:
        return name
    if name.endswith(("/", os.sep)) or is_folder(name):
        make_folder(path)
        return str(path / ("{}" + suffix))
    if "{}" in path.name:
        make_folder(path.parent)
        return name
    if not has_several_images:
        return name
    if not path.suffix:
        raise InputError(
            f"{option} {name}: no file type; use {option} {name}/ for a folder, or {option} "
            f"{name}{suffix} for one such file per image"
        )
    return str(path.with_name("{}" + path.suffix))


def _make_name(pattern: str, image: Source) -> str:
    """Replace ``{}`` in a file name by the image's name."""
    path = Path(pattern)
    if "{}" not in path.name:
        return pattern
    return str(path.with_name(path.name.replace("{}", image.stem)))


def _avoid_images(file: str, images: Iterable[Source], typed_names: Collection[str]) -> str:
    """Return a file name that overwrites no source image; refuse a typed name that does."""
    path = Path(file)
    if file == print_options.STDOUT or not _is_image(path, images):
        return file
    new_name = str(path.with_name(f"{path.stem}-print{path.suffix}"))
    if file in typed_names:
        raise InputError(f"{file}: this would overwrite the image; use e.g. {new_name}")
    return new_name


def _is_image(path: Path, images: Iterable[Source]) -> bool:
    """Return whether a file is one of the images, under any path or link."""
    return is_file(path) and any(
        image.path is not None and is_file(image.path) and path.samefile(image.path)
        for image in images
    )


def _number_equal_names(images: Sequence[Source]) -> Iterator[Source]:
    """Yield the images; number equal names, so that no file overwrites another."""
    stems = {image.stem for image in images}
    used_stems: set[str] = set()
    for image in images:
        stem, number = image.stem, 1
        while stem in used_stems or (number > 1 and stem in stems):
            number += 1
            stem = f"{image.stem}-{number}"
        used_stems.add(stem)
        yield image if number == 1 else replace(image, stem=stem)


def name_outputs(files: Iterable[str | Path]) -> str:
    """Return the names of output files for a message."""
    return ", ".join(
        "standard output" if name == print_options.STDOUT else name for name in map(str, files)
    )


def write_preview(picture: Picture, path: Path) -> None:
    """Write a picture as PNG with transparent empty squares."""
    write_bytes(path, draw_png(picture, look=Look(), transparent=True))


def check_outputs(paths: Sequence[str | Path], rendering: Rendering) -> None:
    """Refuse output names and options that cannot be used, before anything is computed."""
    if print_options.STDOUT in map(str, paths) and sys.stdout.isatty():
        raise InputError("-o -: standard output is a terminal; redirect it, e.g. -o - > print.gif")
    renderers = [
        find_renderer(_STDOUT_NAME)
        if path == print_options.STDOUT
        else check_output(path, _keep_supported(path, rendering))
        for path in paths
    ]
    if rendering.transparent and not any(renderer.has_transparency for renderer in renderers):
        raise InputError(
            "--field transparent: not supported by this file type; use "
            + print_options.format_transparent_extensions()
        )
    if rendering.sound and not any(Path(path).suffix.lower() in _WITH_SOUND for path in paths):
        raise InputError(
            f"--sound: not supported by this file type; use {' '.join(_WITH_SOUND)} (pages always "
            "have sound)"
        )


def write_output(
    plan: Plan,
    path: str | Path,
    rendering: Rendering,
    title: str = "",
    report: Report | None = None,
) -> None:
    """Draw a plan to a file; show the progress, or call ``report`` instead.

    Errors are those of :func:`tetrisprinter.render.save`.
    """
    supported_rendering = _keep_supported(path, rendering)
    with (
        show_measured_progress(f"drawing {Path(path).name}")
        if report is None
        else nullcontext(report)
    ) as report_frames:
        if path != print_options.STDOUT:
            save(plan, path, supported_rendering, title=title, report=report_frames)
            return
        buffer = io.BytesIO()
        find_renderer(_STDOUT_NAME).write(buffer, plan, supported_rendering, report_frames)
    sys.stdout.buffer.write(buffer.getvalue())
    sys.stdout.flush()


def _keep_supported(path: str | Path, rendering: Rendering) -> Rendering:
    """Return the rendering options that the format of a file supports."""
    has_transparency = find_renderer(
        _STDOUT_NAME if path == print_options.STDOUT else path
    ).has_transparency
    return rendering.with_options(transparent=rendering.transparent and has_transparency)
