"""The names of the files that prints are written to.

One image is written to the named files. Several images have files of their own: ``{}`` in a name
stands for the name of the image, ``out.gif`` means one ``.gif`` for each, and ``out/`` or an
existing folder gets one file for each. Without a name the print goes beside the image, under a
name that is free. An image that is printed is never overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tetrisprinter.cli.drawing_options import STDOUT
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS
from tetrisprinter.support.files import check_writable, is_file, is_folder, make_folder

if TYPE_CHECKING:
    from tetrisprinter.pictures.sources import Source


_DEFAULT_EXTENSION: Final = ".gif"


def list_other_formats() -> str:
    """List the formats of games besides plans: ``an art file, a fumen or ...``."""
    *others, last = [form.summary for name, form in FORMATS.items() if name != "text"]
    return f"{', '.join(others)} or {last}"


def list_extensions() -> str:
    """List the extensions of games with their meanings: ``.json is an art file, ...``."""
    return ", ".join(
        f"{' '.join(form.extensions)} is {form.summary}"
        for name, form in FORMATS.items()
        if name != "text"
    )


@dataclass(frozen=True, slots=True)
class OutputNames:
    """The names of output files as the user gave them."""

    outputs: tuple[str, ...] = ()  # pictures, animations and pages
    plans: tuple[str, ...] = ()  # --resume continues the first
    drops: str | None = None  # the drop log
    watched: bool = False  # whether the print is shown in the terminal, so no file is needed
    force: bool = False  # whether the default file may be overwritten
    poster: str | None = None

    def has_any(self) -> bool:
        """Return whether anything is to be written or shown."""
        return replace(self, force=False) != OutputNames()


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """A source and the files for its print."""

    source: Source
    outputs: tuple[str, ...]
    plans: tuple[Path, ...] = ()
    drops: Path | None = None
    poster: Path | None = None

    @property
    def plan(self) -> Path | None:
        """The first plan, which --resume continues."""
        return self.plans[0] if self.plans else None

    @property
    def games(self) -> tuple[Path, ...]:
        """The plans and the drop log."""
        return self.plans if self.drops is None else (*self.plans, self.drops)

    @property
    def files(self) -> tuple[str | Path, ...]:
        """All files, and ``-`` for standard output."""
        return (*self.outputs, *self.games, *filter(None, [self.poster]))


def choose_output_files(images: Sequence[Source], given: OutputNames) -> list[OutputFiles]:
    """Choose the output files of each image, and make missing folders."""
    several = len(images) > 1
    outputs = given.outputs
    if several and STDOUT in outputs:
        raise InputError(
            f"-o -: standard output takes one print, but {len(images)} images were given; use "
            "-o '{}.gif'"
        )
    patterns = [_make_pattern(name, "-o", ".png", several) for name in outputs]
    plans = [_make_pattern(name, "--plan", ".txt", several) for name in given.plans]
    drops = None if given.drops is None else _make_pattern(given.drops, "--drops", ".json", several)
    if given.poster is not None and several and "{}" not in given.poster:
        raise InputError(
            f"--poster {given.poster}: one name for {len(images)} images; use '{{}}.pdf'"
        )
    typed = [*outputs, *given.plans, *filter(None, [given.drops])]
    uses_default = not (patterns or plans or drops or given.watched)

    def name_game(pattern: str, image: Source) -> Path:
        return Path(_avoid_images(_make_name(pattern, image), images, typed))

    chosen: list[OutputFiles] = []
    for image in _number_equal_names(images):
        files = [_make_name(pattern, image) for pattern in patterns]
        if uses_default:
            files = [_find_free_name(image, given.force)]
        target = OutputFiles(
            image,
            tuple(_avoid_images(file, images, typed) for file in files),
            tuple(name_game(pattern, image) for pattern in plans),
            None if drops is None else name_game(drops, image),
            None if given.poster is None else Path(given.poster.replace("{}", image.stem)),
        )
        _check_files(target)
        chosen.append(target)
    return chosen


def _make_pattern(name: str, option: str, suffix: str, several: bool) -> str:
    """Return a name with ``{}`` for the image's name, or a plain name for a single image."""
    path = Path(name)
    if name == STDOUT:
        return name
    if name.endswith(("/", os.sep)) or is_folder(name):
        make_folder(path)
        return str(path / ("{}" + suffix))
    if "{}" in path.name:
        make_folder(path.parent)
        return name
    if not several:
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


def _avoid_images(file: str, images: Iterable[Source], typed: Collection[str]) -> str:
    """Return a file name that no printed image has; refuse a typed name that one has."""
    from tetrisprinter.pictures.sources import derive_stem

    path = Path(file)
    if file == STDOUT or not is_file(path):
        return file
    for image in images:
        if image.path is not None and is_file(image.path) and path.samefile(image.path):
            other = str(path.with_name(derive_stem(path.stem) + path.suffix))
            if file in typed:
                raise InputError(f"{file}: this would overwrite the image; use -o {other}")
            return other
    return file


def _find_free_name(image: Source, force: bool) -> str:
    """Return a default name for a print, beside the image if that folder can be written."""
    from tetrisprinter.pictures.sources import derive_stem

    folder = image.path.parent if image.path is not None else Path()
    if not os.access(folder, os.W_OK):
        folder = Path()
    number = 1
    while True:
        path = folder / (derive_stem(image.stem, number) + _DEFAULT_EXTENSION)
        if force or not is_file(path):
            return str(path)
        number += 1


def _number_equal_names(images: Sequence[Source]) -> Iterator[Source]:
    """Number images with equal names, so that their prints do not overwrite one another."""
    taken = {image.stem for image in images}
    given: set[str] = set()
    for image in images:
        stem, number = image.stem, 1
        while stem in given or (number > 1 and stem in taken):
            number += 1
            stem = f"{image.stem}-{number}"
        given.add(stem)
        yield image if number == 1 else replace(image, stem=stem)


def _check_files(target: OutputFiles) -> None:
    """Refuse a file that was given twice or cannot be written."""
    files = [*(Path(name) for name in target.outputs if name != STDOUT), *target.games]
    for index, path in enumerate(files):
        if path in files[:index]:
            raise InputError(f"{path}: given twice; give each file its own name")
    for file in target.games:
        check_writable(file)
