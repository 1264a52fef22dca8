"""Reading and writing files: one sentence when it fails, and never half a file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tetrisprinter.errors import InputError

__all__ = ["check_writable", "read_text", "write_bytes", "write_text"]


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


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically: it appears complete or not at all.

    Raises
    ------
    InputError
        If the place cannot be written to.
    """
    target = Path(path)
    if target.exists() and not target.is_file():  # a device or a pipe such as /dev/stdout
        try:
            target.write_bytes(data)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {_reason(error)}") from error
        return
    temporary: str | None = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {_reason(error)}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 text file atomically; errors as :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8"))
