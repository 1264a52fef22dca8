"""Reading and writing files: errors are one sentence, and no file is left half written.

On Linux a file is written without a name and gets its name when it is complete, so a killed process
leaves nothing behind. On other systems it has a temporary name until it is complete.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, Any

from tetrisprinter.errors import InputError


def explain_error(error: OSError) -> str:
    """Return the reason of a system error, as the end of a sentence."""
    return (error.strerror or type(error).__name__).lower()


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
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{source}:{error.lineno}: invalid JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{source}: invalid JSON: {error}") from error
    except RecursionError as error:
        raise InputError(f"{source}: invalid JSON: nested too deeply") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {explain_error(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not UTF-8 text (invalid byte at position {error.start})"
        ) from error


def read_standard_bytes() -> bytes:
    """Return all bytes of the standard input."""
    if sys.stdin is None:
        raise InputError("standard input: cannot be read: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read: {explain_error(error)}") from error


def read_standard_input() -> str:
    """Return the standard input as UTF-8 text."""
    try:
        return read_standard_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"standard input: not UTF-8 text (invalid byte at position {error.start})"
        ) from error


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
        if target.exists() and not target.is_file():  # a device or a pipe: /dev/stdout
            import shutil
            import tempfile

            with tempfile.TemporaryFile() as file:
                yield file
                file.seek(0)
                with target.open("wb") as out:
                    shutil.copyfileobj(file, out)
            return
        nameless_file = _make_nameless_file(target.parent)
        if nameless_file is None:
            with _make_named_file(target) as file:
                yield file
            return
        with nameless_file:
            yield nameless_file
            nameless_file.flush()
            _link_into_place(nameless_file.fileno(), target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {explain_error(error)}") from error


def _make_nameless_file(folder: Path) -> IO[bytes] | None:
    """Open a file without a name; return None if the system has no such files."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        return None
    return os.fdopen(descriptor, "w+b")


def _link_into_place(descriptor: int, target: Path) -> None:
    """Link an unnamed temporary file to the target path, replacing an existing file."""
    source = f"/proc/self/fd/{descriptor}"
    # With a directory descriptor Python calls linkat, which follows the link in /proc; link does
    # not follow it. The value of the descriptor is ignored, because the path is absolute.
    try:
        os.link(source, target, src_dir_fd=descriptor)
    except FileExistsError:
        temporary = target.with_name(_make_temporary_name())
        try:
            os.link(source, temporary, src_dir_fd=descriptor)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _make_temporary_name() -> str:
    return f".tetrisprinter.{os.urandom(6).hex()}"  # short: the target's name may be the longest


@contextmanager
def _make_named_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a file under a temporary name; rename it to the target when the block ends."""
    temporary = target.with_name(_make_temporary_name())
    try:
        with temporary.open("x+b") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


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
