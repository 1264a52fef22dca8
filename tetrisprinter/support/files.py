"""Reading and writing files: one sentence when it fails, and never half a file.

A file is written under no name at all where the system can do that (Linux, most file
systems) and gets its name when it is complete, so that a process may be killed at any
moment and leaves nothing behind. Elsewhere it has a temporary name meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tetrisprinter.errors import InputError


def explain_error(error: OSError) -> str:
    """Return why the system refuses, as the end of a sentence."""
    return (error.strerror or type(error).__name__).lower()


def is_file(path: str | Path) -> bool:
    """Return whether there is something to read from under that name: a file, a pipe, a device."""
    try:
        return Path(path).exists() and not Path(path).is_dir()
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Return whether there is a folder of that name."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def make_folder(path: str | Path) -> Path:
    """Make a folder, with those above it, unless it is there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be created: {explain_error(error)}") from error
    return folder


def parse_json(text: str, source: str) -> Any:
    """Read JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{source}:{error.lineno}: invalid JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{source}: invalid JSON: {error}") from error
    except RecursionError as error:
        raise InputError(f"{source}: invalid JSON: nested too deeply") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def read_text(path: str | Path) -> str:
    """Read a UTF-8 text file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {explain_error(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file (byte {error.start} is not UTF-8)") from error


def read_standard_bytes() -> bytes:
    """Read all of the standard input."""
    if sys.stdin is None:
        raise InputError("standard input: cannot be read: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read: {explain_error(error)}") from error


def read_standard_input() -> str:
    """Read a UTF-8 text from the standard input."""
    try:
        return read_standard_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"standard input: not a text (byte {error.start} is not UTF-8)") from error


def check_writable(path: str | Path) -> None:
    """Refuse an output path that could not be written, before hours of work are lost."""
    target = Path(path)
    folder = target.parent
    try:
        if target.is_dir():
            raise InputError(f"{path}: cannot be written: it is a folder")
        if not folder.is_dir():
            raise InputError(f"{path}: cannot be written: no folder {folder}")
        there = target.exists()
    except OSError as error:  # a folder one may not enter, a name that is too long
        raise InputError(f"{path}: cannot be written: {explain_error(error)}") from error
    if not os.access(target if there else folder, os.W_OK):
        raise InputError(f"{path}: cannot be written: permission denied")


def check_apart(outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse an output that is an input, whatever path or link leads to it."""
    read = [Path(path) for path in inputs if path is not None and is_file(path)]
    for output in outputs:
        if output is None or not is_file(output):
            continue
        for path in read:
            if path.samefile(output):
                named = "" if str(path) == str(output) else f" ({path})"
                raise InputError(
                    f"{output}: this would overwrite the input{named}; give the output another name"
                )


@contextmanager
def open_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file that appears complete when the block ends well, or not at all."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a device or a pipe: /dev/stdout
            import shutil
            import tempfile

            with tempfile.TemporaryFile() as file:
                yield file
                file.seek(0)
                with target.open("wb") as out:
                    shutil.copyfileobj(file, out)
            return
        nameless = _make_nameless_file(target.parent)
        if nameless is None:
            with _make_named_file(target) as file:
                yield file
            return
        with nameless:
            yield nameless
            nameless.flush()
            _give_name(nameless.fileno(), target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {explain_error(error)}") from error


def _make_nameless_file(folder: Path) -> IO[bytes] | None:
    """Open a file without a name; None where there is no such thing."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        return None
    return os.fdopen(descriptor, "w+b")


def _give_name(descriptor: int, target: Path) -> None:
    """Let a file without a name be the target."""
    source = f"/proc/self/fd/{descriptor}"
    # A directory descriptor, needless beside an absolute path, makes Python call linkat, which
    # follows the link in /proc; link would not.
    try:
        os.link(source, target, src_dir_fd=descriptor)
    except FileExistsError:
        aside = target.with_name(_temporary_name())
        os.link(source, aside, src_dir_fd=descriptor)
        try:
            aside.replace(target)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


def _temporary_name() -> str:
    return f".tetrisprinter.{os.urandom(6).hex()}"  # short, however long the target's name is


@contextmanager
def _make_named_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a file under a temporary name, which becomes the target."""
    aside = target.with_name(_temporary_name())
    try:
        with aside.open("x+b") as file:
            yield file
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically; errors as :func:`open_atomically`."""
    with open_atomically(path) as file:
        file.write(data)


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 text file atomically; errors as :func:`write_bytes`."""
    write_bytes(path, encode_text(text))


def encode_text(text: str) -> bytes:
    """Encode a text, of which a part may be the name of a file that is no text."""
    return text.encode("utf-8", "replace")


def find_shipped(name: str) -> Path:
    """Return a folder of data that comes with the package.

    In a wheel these lie inside the package, in a checkout beside it.
    """
    package = Path(__file__).resolve().parents[1]
    inside = package / f"_{name}"
    return inside if inside.is_dir() else package.parent / name
