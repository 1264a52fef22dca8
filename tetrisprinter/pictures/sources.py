"""The sources of pictures: files, glyphs, texts, and objects of other libraries.

A *source* has a name and can be read as a picture when the picture is needed, perhaps in another
process. An argument of a command names sources: it is a line of a ``.hex`` font, such a font (one
source for each glyph), standard input, a folder of images, or an image.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.pictures.text import (
    DEFAULT_SIZE,
    GLYPH_COLOR,
    draw_glyph,
    is_hex_line,
    load_font,
    name_character,
    parse_hex_line,
    read_hex,
    set_text,
    wrap_text,
)
from tetrisprinter.support.files import (
    explain_error,
    is_folder,
    is_pipe,
    read_bytes,
    read_standard_bytes,
)

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Conversion, ConvertedPicture

IMAGE_SUFFIXES: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".apng", ".avif"),
    *(".ico", ".ppm", ".pgm", ".pbm", ".tga", ".jp2", ".svg", ".svgz"),
    *(".heic", ".heif", ".heics", ".hif", ".avifs", ".jfif", ".jpe", ".mpo", ".j2k", ".j2c"),
    *(".jpf", ".jpx", ".dib", ".cur", ".icns", ".pnm", ".pcx", ".psd", ".psb", ".qoi", ".sgi"),
    *(".xbm", ".xpm", ".dds"),
)
"""The extensions of images; in a folder other files are images if they can be read as such."""

_USUAL_SUFFIXES: Final = (".png", ".jpg", ".gif", ".webp", ".svg")
"""The extensions that messages name."""

_NO_IMAGES: Final = frozenset(("thumbs.db", "ehthumbs.db", "desktop.ini"))
"""Files that Windows writes into folders, in lower case."""

WIDEST_LINE: Final = 96
"""The most columns of a line of text if no board is named; also the longest side of a banner."""

_LONGEST_NAME: Final = 60  # the most characters of the name of a text in messages

LONGEST_TEXT: Final = 4_000
"""The most characters of a text; a longer one would be a picture of thousands of rows."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something that can be printed, read when it is needed."""

    name: str  # the name in messages
    stem: str  # the name of output files, without extension, if there are several sources
    # Reads and converts the picture; must be picklable, because it is sent to other processes
    read: Callable[[Conversion], ConvertedPicture]
    path: Path | None = None  # the file of the picture, which nothing may overwrite
    # Returns the numbers of the frames that are not blank; None: there is one frame
    frames: Callable[[], Sequence[int]] | None = None
    scales: bool = True  # whether a smaller size may be tried; False for text


def make_sources(arguments: Sequence[str | Path]) -> list[Source]:
    """Return the sources that the arguments of a command name."""
    return [source for argument in arguments for source in _make_argument_sources(str(argument))]


def _make_argument_sources(argument: str) -> Iterable[Source]:
    """Return the sources that an argument names; by default the argument is an image file."""
    if is_hex_line(argument):
        return [_make_glyph_source(*parse_hex_line(argument))]
    if argument == "-":
        data = read_standard_bytes()
        if not data:
            raise InputError("standard input: empty; expected an image")
        return [make_bytes_source(data, "standard input", "stdin")]
    if is_folder(argument):
        return _make_folder_sources(argument)
    return _make_path_sources(Path(argument), argument)


def _make_path_sources(path: Path, name: str = "") -> Iterable[Source]:
    """Return the sources of a file: each glyph of a ``.hex`` font, or an image.

    ``name`` is the path as the user gave it.
    """
    if path.suffix.lower() == ".hex":
        return itertools.starmap(_make_glyph_source, read_hex(path))
    name = name or str(path)
    if is_pipe(path):  # read now, because it can be read only once, and only by this process
        return [make_bytes_source(read_bytes(path), name, path.stem)]
    read, frames = partial(_read_image, name, name), partial(_list_frames, name, name)
    return [Source(name, path.stem, read, path, frames)]


def make_bytes_source(data: bytes, name: str, stem: str) -> Source:
    """Return a source that contains the bytes of an image file."""
    read, frames = partial(_read_image, data, name), partial(_list_frames, data, name)
    return Source(name, stem, read, frames=frames)


def _make_folder_sources(folder: str) -> Iterator[Source]:
    """Return a source for each image in a folder that is not the output for another image there.

    An image is everything that is one as an argument of its own.
    """
    try:
        files = sorted(path for path in Path(folder).iterdir() if path.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {explain_error(error)}") from error
    images = [path for path in files if _is_image(path)]
    stems = {path.stem for path in images}
    # Skip the images that an earlier command printed into this folder.
    images = [path for path in images if not _is_output(path, stems)]
    if not images:
        raise InputError(
            f"{folder}: no image in this folder; expected files such as {' '.join(_USUAL_SUFFIXES)}"
        )
    return (source for path in images for source in _make_path_sources(path))


def _is_image(path: Path) -> bool:
    """Return whether a file in a folder is an image or a font of glyphs."""
    if path.name.startswith(("._", ".DS_Store")) or path.name.lower() in _NO_IMAGES:
        return False  # the systems' own files, such as the companions that macOS writes
    if path.suffix.lower() in (*IMAGE_SUFFIXES, ".hex"):
        return True
    from tetrisprinter.pictures.images import open_image

    try:
        open_image(path, fit=(1, 1))
    except InputError:
        return False
    return True


def _is_output(path: Path, stems: set[str]) -> bool:
    """Return whether a file is named like the output for one of the images with these stems."""
    match = re.fullmatch(r"(.+?)(-\d+)?-(?:print|preview)(-\d+)?", path.stem)
    return match is not None and bool(
        {match[1], match[1] + (match[2] or "")} & (stems - {path.stem})
    )


def list_frames(source: Source) -> list[Source]:
    """Return a source for each frame of an animated image that is not blank.

    For an image with one frame that is only its source.
    """
    numbers = [0] if source.frames is None else source.frames()
    if list(numbers) == [0]:
        return [source]
    digits = len(str(numbers[-1]))
    return [
        Source(
            f"{source.name}, frame {frame}",
            f"{source.stem}-{frame:0{digits}}",
            partial(_read_frame, source.read, frame),
            source.path,
        )
        for frame in numbers
    ]


def make_text_source(
    text: str,
    font: str = "builtin",
    size: int = DEFAULT_SIZE,
    color: Color = GLYPH_COLOR,
    columns: int = WIDEST_LINE,
) -> Source:
    """Return a source for a text, which is broken into lines that fit into ``columns``."""
    from tetrisprinter.pictures.convert import parse_color

    if len(text) > LONGEST_TEXT:
        raise InputError(
            f"the text has {len(text):,} characters; expected at most {LONGEST_TEXT:,}"
        )
    opened_font = load_font(font, text, size)
    picture = set_text(wrap_text(text, opened_font, columns), opened_font, parse_color(color), font)
    stem = "".join(c if c.isalnum() else "_" for c in text)[:40] or "text"
    name = text.splitlines()[0]
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 3]}..."
    return make_drawn_source(Picture(picture.rows, name), name, stem)


def make_drawn_source(picture: Picture, name: str, stem: str) -> Source:
    """Return a source whose picture is never scaled."""
    return Source(name, stem, partial(_read_drawn, picture), scales=False)


def find_source(thing: object) -> Source:
    """Return a source for a path, an image, an array, a figure of matplotlib or a picture."""
    if isinstance(thing, Source):
        return thing
    if isinstance(thing, str) and "\n" in thing:
        thing = Picture.parse(thing)
    if isinstance(thing, Picture):
        return Source(thing.name, thing.name, partial(_read_picture, thing))
    if isinstance(thing, str | Path):
        named_sources = make_sources([thing])
        if len(named_sources) != 1:
            noun = "glyphs" if Path(thing).suffix.lower() == ".hex" else "images"
            count = f"{len(named_sources)} {noun}"
            raise InputError(f"{thing}: {count}; expected one picture (`print` takes several)")
        return named_sources[0]
    from PIL import Image

    figure = thing if hasattr(thing, "savefig") else getattr(thing, "figure", None)
    if hasattr(figure, "savefig"):  # a figure or axes of matplotlib
        file = io.BytesIO()
        figure.savefig(file, format="png")
        thing = Image.open(file)
    if hasattr(thing, "__array_interface__") and not isinstance(thing, Image.Image):
        from tetrisprinter.pictures.images import convert_array

        thing = convert_array(thing)
    if isinstance(thing, Image.Image):
        from tetrisprinter.pictures.convert import convert_image

        return Source("picture", "picture", partial(convert_image, thing))
    raise ArgumentError(
        f"expected a path, an image, an array or a Picture, got {type(thing).__name__}"
    )


def _make_glyph_source(code: int, digits: str) -> Source:
    """Return a source for a glyph of a ``.hex`` font."""
    name = name_character(code)
    return Source(name, name, partial(_read_glyph, code, digits))


def _read_glyph(code: int, digits: str, conversion: Conversion) -> ConvertedPicture:
    return _read_picture(draw_glyph(code, digits), conversion)


def _read_image(file: str | bytes, name: str, conversion: Conversion) -> ConvertedPicture:
    """Convert a file, given by its path or its bytes."""
    from tetrisprinter.pictures.convert import read_image

    return read_image(io.BytesIO(file) if isinstance(file, bytes) else file, conversion, name)


def _list_frames(file: str | bytes, name: str) -> Sequence[int]:
    """Return the frames of a file, given by its path or its bytes, that are not blank."""
    from tetrisprinter.pictures.images import list_shown_frames

    return list_shown_frames(io.BytesIO(file) if isinstance(file, bytes) else file, name)


def _read_frame(
    read: Callable[[Conversion], ConvertedPicture], frame: int, conversion: Conversion
) -> ConvertedPicture:
    """Convert one frame of an animated image."""
    return read(replace(conversion, frame=frame))


def _read_drawn(picture: Picture, conversion: Conversion) -> ConvertedPicture:
    """Convert a picture that is never scaled unless a size is given, such as a text."""
    if conversion.defaults is not None:
        defaults = replace(conversion.defaults, holds=(picture.width, picture.height))
        conversion = replace(conversion, defaults=defaults)
    return _read_picture(picture, conversion)


def _is_printable(picture: Picture, conversion: Conversion) -> bool:
    """Return whether a picture can be printed unchanged; no image is made to decide."""
    defaults, fit = conversion.defaults, conversion.fit
    if defaults is None or conversion.background not in (None, "transparent"):
        return False
    size = picture.columns_left + picture.width, picture.rows_above + picture.height
    limits = [fit] if fit else [defaults.holds, defaults.choose_box(size)]
    fits = any(size[0] <= width and size[1] <= height for width, height in limits)
    return fits and len(picture.colors()) <= (conversion.colors or defaults.max_colors)


def _read_picture(picture: Picture, conversion: Conversion) -> ConvertedPicture:
    """Convert a picture; its empty squares stay empty."""
    from tetrisprinter.pictures.convert import ConvertedPicture, convert_image

    if conversion.is_strict:
        return ConvertedPicture(picture)
    if conversion.defaults is not None and conversion.background == "auto":
        conversion = replace(conversion, background="transparent")
    if _is_printable(picture, conversion):
        return ConvertedPicture(picture)
    from PIL import Image

    size = (picture.columns_left + picture.width, picture.rows_above + picture.height)
    image = Image.new("RGBA", size)
    for (x, y), color in picture.cells().items():
        place = (picture.image_column(x), picture.image_row(y))
        image.putpixel(place, (*bytes.fromhex(color), 255))
    return convert_image(image, conversion, picture.name)
