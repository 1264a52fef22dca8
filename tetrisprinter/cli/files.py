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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tetrisprinter.cli.print_options import STDOUT, PrintJob, format_transparent_extensions
from tetrisprinter.cli.progress import show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import Source
from tetrisprinter.render import Rendering, Report, check_output, find_renderer, save
from tetrisprinter.render.paint import Look
from tetrisprinter.render.still import draw_png
from tetrisprinter.support.files import (
    check_writable,
    choose_free_names,
    is_file,
    is_folder,
    make_folder,
    write_bytes,
)

_DEFAULT_NAMES: Final = ("{}-print.gif",)
"""The files of a print for which the user names none."""

DEFAULT_PREVIEW: Final = "{}-preview.png"
"""The file of a preview for which the user names none."""

_WITH_SOUND: Final = (".mp4", ".webm")
"""The extensions of files with sound."""

_STDOUT_NAME: Final = "print.gif"
"""A file name that stands for standard output: its extension is the format."""


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """An image and the files to write for it."""

    source: Source
    outputs: tuple[str, ...]
    plans: tuple[Path, ...] = ()
    poster: Path | None = None
    preview: Path | None = None

    @property
    def plan(self) -> Path | None:
        """The first plan, which --resume continues."""
        return self.plans[0] if self.plans else None

    @property
    def quick_first(self) -> tuple[str | Path, ...]:
        """The files without the poster; those of the game come before those that are drawn."""
        return (*self.plans, *self.outputs)

    @property
    def files(self) -> tuple[str | Path, ...]:
        """All files to write, and ``-`` for standard output."""
        return (*self.outputs, *self.plans, *filter(None, [self.poster, self.preview]))


def choose_output_files(images: Sequence[Source], job: PrintJob) -> list[OutputFiles]:
    """Choose the output files of each image, and make missing folders."""
    has_several_images = len(images) > 1
    outputs = job.outputs
    if has_several_images and STDOUT in outputs:
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
        if not os.access(folder, os.W_OK):
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
    files = Counter(Path(name) for one in output_files for name in one.files if name != STDOUT)
    for path, times in files.items():
        if times > 1:
            raise InputError(f"{path}: given twice; give each file its own name")
    for one in output_files:
        for path in one.plans:
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
    if name == STDOUT:
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
    if file == STDOUT or not _is_image(path, images):
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


def write_preview(picture: Picture, path: Path) -> None:
    """Write a picture as PNG with transparent empty squares."""
    write_bytes(path, draw_png(picture, look=Look(), transparent=True))


def check_outputs(paths: Sequence[str | Path], rendering: Rendering) -> None:
    """Refuse output names and options that cannot be used, before anything is computed."""
    if STDOUT in map(str, paths) and sys.stdout.isatty():
        raise InputError("-o -: standard output is a terminal; redirect it, e.g. -o - > print.gif")
    can_be_transparent = [
        (
            find_renderer(_STDOUT_NAME) if path == STDOUT else check_output(path, supported)
        ).has_transparency
        for path, supported in _pair_with_options(paths, rendering)
    ]
    if rendering.transparent and not any(can_be_transparent):
        raise InputError(
            "--field transparent: not supported by this file type; use "
            + format_transparent_extensions()
        )
    if rendering.sound and not any(Path(path).suffix.lower() in _WITH_SOUND for path in paths):
        raise InputError(
            f"--sound: not supported by this file type; use {' '.join(_WITH_SOUND)} (pages always "
            "have sound)"
        )


def write_outputs(
    plan: Plan, paths: Sequence[str | Path], rendering: Rendering, title: str = ""
) -> None:
    """Draw a plan to every file; errors are those of :func:`tetrisprinter.render.save`."""
    for path in paths:
        write_output(plan, path, rendering, title)


def write_output(
    plan: Plan,
    path: str | Path,
    rendering: Rendering,
    title: str = "",
    report: Report | None = None,
) -> None:
    """Draw a plan to a file; show the progress, or call ``report`` instead."""
    ((_, supported_rendering),) = _pair_with_options([path], rendering)
    with (
        show_measured_progress(f"drawing {Path(path).name}")
        if report is None
        else nullcontext(report)
    ) as report_frames:
        if path != STDOUT:
            save(plan, path, supported_rendering, title=title, report=report_frames)
            return
        buffer = io.BytesIO()
        find_renderer(_STDOUT_NAME).write(buffer, plan, supported_rendering, report_frames)
    sys.stdout.buffer.write(buffer.getvalue())
    sys.stdout.flush()


def _pair_with_options(
    paths: Sequence[str | Path], rendering: Rendering
) -> Iterator[tuple[str | Path, Rendering]]:
    """Yield each path with the rendering options that its format supports."""
    for path in paths:
        has_transparency = find_renderer(_STDOUT_NAME if path == STDOUT else path).has_transparency
        yield path, rendering.with_options(transparent=rendering.transparent and has_transparency)
