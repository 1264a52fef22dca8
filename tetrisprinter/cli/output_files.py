"""Which files a print is written to.

One image is written to the files that are named. Of several, each has files of its own: ``{}``
in a name stands for the name of the image, ``out.gif`` means one ``.gif`` for each, and a
folder is what ends with a slash or is there already. Where nothing is named, the print goes
beside the image, under a name that is free. Nothing is ever written over an image that is
printed.
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


_USUAL: Final = ".gif"
"""What a print is written as where nothing is said: all of it can be seen in that."""


def list_other_formats() -> str:
    """List the formats besides the plan's own: ``an art file, a fumen or ...``."""
    *others, last = [form.summary for name, form in FORMATS.items() if name != "text"]
    return f"{', '.join(others)} or {last}"


def list_extensions() -> str:
    """Say what the extension of a plan's file means: ``.json is an art file, ...``."""
    return ", ".join(
        f"{' '.join(form.extensions)} is {form.summary}"
        for name, form in FORMATS.items()
        if name != "text"
    )


@dataclass(frozen=True, slots=True)
class OutputNames:
    """What is to be written, as it was asked for."""

    outputs: tuple[str, ...] = ()  # names of pictures, animations, pages; perhaps none
    plan: str | None = None  # names of plans and of games as played
    drops: str | None = None
    watched: bool = False  # whether the print is also shown, so that nothing need be written
    force: bool = False  # whether a print without a name may be written over one that is there
    more_plans: tuple[str, ...] = ()  # written after the first, which --resume continues


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """A source and the files its print is written to."""

    source: Source
    outputs: tuple[str, ...]
    plan: Path | None = None
    drops: Path | None = None
    more_plans: tuple[Path, ...] = ()


def choose_output_files(images: Sequence[Source], asked: OutputNames) -> list[OutputFiles]:
    """Return what is written for each image; folders that are missing are made."""
    named = _number_equal_names(images)
    several = len(images) > 1
    outputs = asked.outputs
    if several and STDOUT in outputs:
        raise InputError(
            f"-o -: standard output takes one print, but {len(images)} images were given; use "
            "-o '{}.gif'"
        )
    patterns = [_make_pattern(name, "-o", ".png", several) for name in outputs]
    plans = None if asked.plan is None else _make_pattern(asked.plan, "--plan", ".txt", several)
    drops = None if asked.drops is None else _make_pattern(asked.drops, "--drops", ".json", several)
    more = [_make_pattern(name, "--plan", ".txt", several) for name in asked.more_plans]
    named_files = (*outputs, asked.plan, asked.drops, *asked.more_plans)
    said = [name for name in named_files if name is not None]
    silent = not (patterns or plans or drops or asked.watched)
    made: list[OutputFiles] = []
    for image in named:
        files = [_make_name(pattern, image) for pattern in patterns]
        if silent:
            files = [_find_free_name(image, asked.force)]
        plan, game = (
            None if name is None else Path(_avoid_images(_make_name(name, image), images, said))
            for name in (plans, drops)
        )
        others = tuple(Path(_avoid_images(_make_name(name, image), images, said)) for name in more)
        pictures = tuple(_avoid_images(file, images, said) for file in files)
        target = OutputFiles(image, pictures, plan, game, others)
        _check(target)
        made.append(target)
    return made


def _make_pattern(name: str, option: str, suffix: str, several: bool) -> str:
    """Turn a name into one with ``{}`` where each image has a file of its own."""
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
    path = Path(pattern)
    if "{}" not in path.name:
        return pattern
    return str(path.with_name(path.name.replace("{}", image.stem)))


def _avoid_images(file: str, images: Iterable[Source], asked: Collection[str]) -> str:
    """Return the name of a file, or another if an image that is printed has it."""
    from tetrisprinter.pictures.sources import derive_stem

    path = Path(file)
    if file == STDOUT or not is_file(path):
        return file
    for image in images:
        if image.path is not None and is_file(image.path) and path.samefile(image.path):
            other = str(path.with_name(derive_stem(path.stem) + path.suffix))
            if file in asked:
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
        path = folder / (derive_stem(image.stem, number) + _USUAL)
        if force or not is_file(path):
            return str(path)
        number += 1


def _number_equal_names(images: Sequence[Source]) -> Iterator[Source]:
    """Number images of one name, so that their prints do not overwrite one another."""
    taken = {image.stem for image in images}
    given: set[str] = set()
    for image in images:
        stem, number = image.stem, 1
        while stem in given or (number > 1 and stem in taken):
            number += 1
            stem = f"{image.stem}-{number}"
        given.add(stem)
        yield image if number == 1 else replace(image, stem=stem)


def _check(target: OutputFiles) -> None:
    files = [Path(name) for name in target.outputs if name != STDOUT]
    written = (target.plan, target.drops, *target.more_plans)
    files += [path for path in written if path is not None]
    for index, path in enumerate(files):
        if path in files[:index]:
            raise InputError(f"{path}: given twice; give each file its own name")
    for file in written:
        if file is not None:
            check_writable(file)
