"""Standard streams that accept all output.

A character that the terminal's encoding lacks is replaced by a similar ASCII character. File names
may contain bytes that are not UTF-8; these bytes are written unchanged. Closed streams are replaced
by the null device.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Final, TextIO

_ERROR_HANDLER: Final = "tetrisprinter.plain"

_REPLACEMENTS: Final = str.maketrans(
    {
        **dict.fromkeys("┌├└┐┤┘┬┴┼╵╶╷╴", "+"),
        **{"─": "-", "│": "|", "░": "#", "▀": '"', "▄": "_", "█": "#", "×": "x"},
        **{"–": "-", "—": "-", "…": "."},
    }
)


def _replace_character(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace a character that an encoding lacks (a handler for :func:`codecs.register_error`)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    if "\udc80" <= text[0] <= "\udcff":  # a byte of a file name (PEP 383)
        return bytes([ord(text[0]) - 0xDC00]), error.start + 1
    return text[0].translate(_REPLACEMENTS).encode("ascii", "replace"), error.start + 1


def prepare_streams() -> None:
    """Replace closed streams, and let stdout accept all characters."""
    codecs.register_error(_ERROR_HANDLER, _replace_character)
    if sys.stdout is None:
        sys.stdout = _open_null_device()
    if sys.stderr is None:
        sys.stderr = _open_null_device()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_ERROR_HANDLER)


def _open_null_device() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def silence(stream: TextIO) -> None:
    """Discard the buffered output of a stream that can no longer be written to."""
    with contextlib.suppress(OSError, ValueError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)
