"""Reading and writing files: errors are one sentence, and no file is left half written.

A file has no name while it is written, so a killed process leaves nothing behind. When it is
complete, it is copied beside its target and renamed.
"""

from __future__ import annotations

import codecs
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePath
from typing import IO, Any, Final

from tetrisprinter.errors import InputError

_LARGEST_PIPE: Final = 1 << 28
"""The most bytes that are read from a pipe or a device, which may never end."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),  # before UTF-16, whose mark begins this one
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
"""Byte order marks, with which texts of other programs begin: the mark, Python's name of its
encoding, and the name in messages."""


def explain_error(error: OSError) -> str:
    """Return the reason of a system error, as the end of a sentence."""
    reason = (error.strerror or str(error) or "input or output failed").lower()
    if isinstance(error, FileNotFoundError):
        name = str(error.filename)
        if name == "-":
            reason += "; use /dev/stdin for the standard input"
        elif name.startswith(("http:/", "https:/")):  # Path makes one slash of two
            reason += "; no address is fetched, so download the file first"
    return reason


def is_file(path: str | Path) -> bool:
    """Return whether a path exists and is a file, a pipe or a device."""
    try:
        return Path(path).exists() and not Path(path).is_dir()
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Return whether a path exists and is a folder."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def choose_free_names(
    names: Sequence[str],
    stem: str,
    folder: Path = Path(),
    is_taken: Callable[[Path], bool] = is_file,
) -> list[Path]:
    """Return files of names in which ``{}`` stands for a stem; number all if one is taken.

    >>> names, taken = ["{}-print.gif", "{}.tetrio.txt"], [Path("cat-print.gif")]
    >>> [path.name for path in choose_free_names(names, "cat", is_taken=taken.__contains__)]
    ['cat-print-2.gif', 'cat-2.tetrio.txt']
    """
    for number in count(1):
        paths = []
        for name in names:
            base, dot, extension = name.partition(".")
            base = base.replace("{}", stem) + (f"-{number}" if number > 1 else "")
            paths.append(folder / f"{base}{dot}{extension}")
        if not any(map(is_taken, paths)):
            break
    return paths


def make_folder(path: str | Path) -> Path:
    """Make a folder and its parents, unless they exist."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be created: {explain_error(error)}") from error
    return folder


def parse_json(text: str, source: str) -> Any:
    """Read JSON without NaN and infinity; ``source`` names the text in messages."""
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{source}:{error.lineno}: invalid JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{source}: invalid JSON: {error}") from error
    except RecursionError as error:
        raise InputError(f"{source}: invalid JSON: nested too deeply") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def is_pipe(path: str | Path) -> bool:
    """Return whether a path exists and is read or written only once: a pipe or a device."""
    return is_file(path) and not Path(path).is_file()


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file, a pipe or a device."""
    try:
        with Path(path).open("rb") as file:
            return _read_pipe(file, str(path)) if is_pipe(path) else file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {explain_error(error)}") from error


def _read_pipe(file: IO[bytes], source: str) -> bytes:
    """Return everything that comes through a pipe."""
    data = file.read(_LARGEST_PIPE + 1)
    if len(data) > _LARGEST_PIPE:
        raise InputError(f"{source}: too long; expected at most {_LARGEST_PIPE >> 20} MB")
    return data


def find_mark(data: bytes) -> tuple[bytes, str, str] | None:
    """Return the byte order mark of a text, its encoding for Python and in messages; or None."""
    return next((row for row in _MARKS if data.startswith(row[0])), None)


def decode_text(data: bytes, source: str, expected: str = "text") -> str:
    r"""Return the text of a file: UTF-8, or the encoding that a byte order mark names.

    ``expected`` says in the message of an error what kind of file is accepted.

    >>> decode_text(b"\xff\xfea\0\r\0\n\0", "a.txt")
    'a\n'
    """
    mark, encoding, name = find_mark(data) or (b"", "utf-8", "UTF-8")
    try:
        text = data.removeprefix(mark).decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source}: not {name} text (invalid byte at position {len(mark) + error.start}); "
            f"expected {expected}"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: str | Path, expected: str = "text") -> str:
    """Return the text of a file; see :func:`decode_text`."""
    return decode_text(read_bytes(path), str(path), expected)


def read_standard_bytes() -> bytes:
    """Return all bytes of the standard input."""
    if sys.stdin is None:
        raise InputError("standard input: cannot be read: it is closed")
    try:
        return _read_pipe(sys.stdin.buffer, "standard input")
    except OSError as error:
        raise InputError(f"standard input: cannot be read: {explain_error(error)}") from error


def read_input(path: str, expected: str = "text") -> tuple[str, str]:
    """Return the text of a file, or of the standard input if the path is ``-``, and its name."""
    if path == "-":
        return decode_text(read_standard_bytes(), "standard input", expected), "standard input"
    return read_text(path, expected), path


def check_writable(path: str | Path) -> None:
    """Refuse an output path that cannot be written, before the work begins."""
    target = Path(path)
    folder = target.parent
    if str(path) == "-":
        raise InputError("-: standard output takes an animation (-o -) only; give a file name")
    try:
        if target.is_dir():
            raise InputError(f"{path}: cannot be written: it is a folder")
        if not folder.is_dir():
            raise InputError(f"{path}: cannot be written: no folder {folder}")
        exists = target.exists()
    except OSError as error:  # no permission for the folder, or a name that is too long
        raise InputError(f"{path}: cannot be written: {explain_error(error)}") from error
    if not os.access(target if exists else folder, os.W_OK):
        raise InputError(f"{path}: cannot be written: permission denied")


def check_extension(path: str | PurePath, extensions: Sequence[str]) -> str:
    """Return the extension of an output file; refuse it unless it is one of ``extensions``."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in extensions:
        problem = f"unknown file type {suffix!r}" if suffix else "the name has no extension"
        choices = " ".join(extensions)
        raise InputError(
            f"{path}: {problem}; use {'one of ' if len(extensions) > 1 else ''}{choices}"
        )
    return suffix


def refuse_overwriting_inputs(
    outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None]
) -> None:
    """Refuse an output file that is also an input file, under any path or link."""
    input_files = [Path(path) for path in inputs if path is not None and is_file(path)]
    for output in outputs:
        if output is None or not is_file(output):
            continue
        for path in input_files:
            if path.samefile(output):
                link = "" if str(path) == str(output) else f" ({path})"
                raise InputError(
                    f"{output}: this would overwrite the input{link}; give the output another name"
                )


@contextmanager
def open_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears when the block ends, and not at all after an error."""
    target = Path(path)
    try:
        is_device = target.exists() and not target.is_file()  # or a pipe: /dev/stdout
        with tempfile.TemporaryFile(dir=None if is_device else target.parent) as file:
            yield file
            file.seek(0)
            if is_device:
                with target.open("wb") as out:
                    shutil.copyfileobj(file, out)
                return
            # The name is short, because the target's may be the longest that the system allows.
            temporary = target.with_name(f".tetrisprinter.{os.urandom(6).hex()}")
            try:
                with temporary.open("xb") as out:
                    shutil.copyfileobj(file, out)
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {explain_error(error)}") from error


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically; raise an InputError if it cannot be written."""
    with open_atomically(path) as file:
        file.write(data)


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 text file atomically; raise an InputError if it cannot be written."""
    write_bytes(path, encode_text(text))


def encode_text(text: str) -> bytes:
    """Encode a text as UTF-8; replace bytes of file names that are not UTF-8."""
    return text.encode("utf-8", "replace")


def find_shipped_folder(name: str) -> Path:
    """Return the path of a data folder that comes with the package.

    In a wheel the folder is inside the package, in a checkout beside the package.
    """
    package = Path(__file__).resolve().parents[1]
    inside = package / f"_{name}"
    return inside if inside.is_dir() else package.parent / name
