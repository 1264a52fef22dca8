"""Reading and writing files: one sentence when it fails, and never half a file."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tetrisprinter.errors import InputError

__all__ = ["check_writable", "read_text", "write_bytes", "write_text", "writing"]


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def read_text(path: str | Path) -> str:
    """Read a UTF-8 text file.

    Raises
    ------
    InputError
        If the file cannot be opened or is not text.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not a text file (byte {error.start})") from error


def check_writable(path: str | Path) -> None:
    """Refuse an output path that could not be written, before hours of work are lost.

    Raises
    ------
    InputError
        If the path is a folder, or its folder does not exist or may not be written to.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: cannot be written: is a directory")
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"{path}: cannot be written: no directory {folder}")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise InputError(f"{path}: cannot be written: permission denied")


@contextmanager
def writing(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file that appears complete when the block ends well, or not at all.

    Yields
    ------
    binary file
        Where to write; it can be read and moved in, whatever the path stands for.

    Raises
    ------
    InputError
        If the place cannot be written to.
    """
    target = Path(path)
    special = target.exists() and not target.is_file()  # a device or a pipe: /dev/stdout
    temporary: str | None = None
    try:
        descriptor, temporary = tempfile.mkstemp(
            dir=None if special else target.parent, prefix=f".{target.name}."
        )
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            if special:
                file.seek(0)
                with target.open("wb") as out:
                    shutil.copyfileobj(file, out)
        if not special:
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
            Path(temporary).replace(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {_reason(error)}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically; errors as :func:`writing`."""
    with writing(path) as file:
        file.write(data)


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 text file atomically; errors as :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8"))
