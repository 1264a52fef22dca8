"""The output options of ``print`` and ``text``, and the files that they name.

One image is written to the named files. Several images have files of their own: ``{}`` in a name
stands for the name of the image, ``out.gif`` means one ``.gif`` for each image, and ``out/`` or an
existing folder gets one file for each image. Without a name the animation is written beside the
image, under a name that no other file has. A printed image is never overwritten. An *art file* is
a game for the program seigot/tetris, the *art game*.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tetrisprinter.cli.drawing_options import STDOUT, output_option, poster_option
from tetrisprinter.cli.options import PATH, add_group, dask_option, flag, option
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS
from tetrisprinter.formats.link import PAGE_ADDRESS
from tetrisprinter.support.files import check_writable, is_file, is_folder, make_folder

if TYPE_CHECKING:
    from tetrisprinter.pictures.sources import Source


_DEFAULT_EXTENSION: Final = ".gif"


def describe_other_formats() -> str:
    """Return the formats of games besides plans as text: ``an art file, a fumen or ...``."""
    *others, last = [form.summary for name, form in FORMATS.items() if name != "text"]
    return f"{', '.join(others)} or {last}"


def describe_extensions() -> str:
    """Return the extensions of games with their meanings: ``.json is an art file, ...``."""
    return ", ".join(
        f"{' '.join(form.extensions)} is {form.summary}"
        for name, form in FORMATS.items()
        if name != "text"
    )


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The values of the output options of ``print`` and ``text``."""

    outputs: tuple[str, ...] = ()  # pictures, animations and pages
    plans: tuple[str, ...] = ()  # --resume continues from the first plan
    drops: str | None = None  # the drop log
    force: bool = False  # whether the default file may be overwritten
    watch: bool = False  # whether the game is shown in the terminal, so no file is needed
    resume: bool = False
    prove: bool = False
    poster: str | None = None
    link: bool = False  # whether to print a link that plays the game in the page
    dask: str | None = None

    def __post_init__(self) -> None:
        if self.resume and not self.plans:
            raise InputError("--resume: no plan; add --plan FILE, as in the interrupted run")

    @property
    def has_target(self) -> bool:
        """Whether the options name a file to write, or show the game in the terminal."""
        return bool(self.outputs or self.plans or self.drops or self.watch or self.poster)


_OUTPUT_OPTIONS = (
    output_option,
    option("--plan plans", PATH,
           f"Write the plan too: {describe_extensions()} (or a folder/ of plans); may be "
           "given several times.", multiple=True),
    option("--drops", PATH, "Also write a drop log: JSON (or a folder/)."),
    flag("--force", "Without -o: overwrite the print of an earlier run."),
    flag("--watch", "Also play the game in the terminal."),
    flag("--resume", "Continue an interrupted run from the rows stored beside --plan."),
    flag("--prove", "Then prove that no game of hard drops has fewer pieces, or find such a "
         "game (see `tetrisprinter bound`)."),
    poster_option,
    flag("--link",
         "Print a link that contains the game, to the page whose address is in the environment "
         f"variable {PAGE_ADDRESS}."),
    dask_option,
)  # fmt: skip

add_output_options = add_group("output", OutputOptions, _OUTPUT_OPTIONS)
"""The decorator that adds the output options."""


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """An image and the files to write for it."""

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
        """The files of the plans and of the drop log."""
        return self.plans if self.drops is None else (*self.plans, self.drops)

    @property
    def files(self) -> tuple[str | Path, ...]:
        """All files to write, and ``-`` for standard output."""
        return (*self.outputs, *self.games, *filter(None, [self.poster]))


def choose_output_files(images: Sequence[Source], options: OutputOptions) -> list[OutputFiles]:
    """Choose the output files of each image, and make missing folders."""
    has_several_images = len(images) > 1
    outputs = options.outputs
    if has_several_images and STDOUT in outputs:
        raise InputError(
            f"-o -: standard output takes one print, but {len(images)} images were given; use "
            "-o '{}.gif'"
        )
    patterns = [_make_pattern(name, "-o", ".png", has_several_images) for name in outputs]
    plans = [_make_pattern(name, "--plan", ".txt", has_several_images) for name in options.plans]
    drops = (
        None
        if options.drops is None
        else _make_pattern(options.drops, "--drops", ".json", has_several_images)
    )
    if options.poster is not None and has_several_images and "{}" not in options.poster:
        raise InputError(
            f"--poster {options.poster}: one name for {len(images)} images; use '{{}}.pdf'"
        )
    typed_names = [*outputs, *options.plans, *filter(None, [options.drops])]
    uses_default = not (patterns or plans or drops or options.watch)

    def name_game(pattern: str, image: Source) -> Path:
        return Path(_avoid_images(_make_name(pattern, image), images, typed_names))

    output_files: list[OutputFiles] = []
    for image in _number_equal_names(images):
        files = [_make_name(pattern, image) for pattern in patterns]
        if uses_default:
            files = [_find_free_name(image, options.force)]
        target = OutputFiles(
            image,
            tuple(_avoid_images(file, images, typed_names) for file in files),
            tuple(name_game(pattern, image) for pattern in plans),
            None if drops is None else name_game(drops, image),
            None if options.poster is None else Path(options.poster.replace("{}", image.stem)),
        )
        _check_files(target)
        output_files.append(target)
    return output_files


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
    from tetrisprinter.pictures.sources import derive_stem

    path = Path(file)
    if file == STDOUT or not is_file(path):
        return file
    for image in images:
        if image.path is not None and is_file(image.path) and path.samefile(image.path):
            new_name = str(path.with_name(derive_stem(path.stem) + path.suffix))
            if file in typed_names:
                raise InputError(f"{file}: this would overwrite the image; use e.g. {new_name}")
            return new_name
    return file


def _find_free_name(image: Source, force: bool) -> str:
    """Return the default name of an animation, beside the image if its folder is writable."""
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


def _check_files(target: OutputFiles) -> None:
    """Refuse a file that is given twice or cannot be written."""
    files = [*(Path(name) for name in target.outputs if name != STDOUT), *target.games]
    for index, path in enumerate(files):
        if path in files[:index]:
            raise InputError(f"{path}: given twice; give each file its own name")
    for file in target.games:
        check_writable(file)
