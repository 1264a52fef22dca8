"""The standard streams, whatever they can take.

A terminal may know less than Unicode: what it cannot show is drawn with what every one has.
A name of a file may be bytes that are no text: it is written as those bytes. A stream may be
closed, or the disk behind it full.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Final, TextIO

_PLAIN: Final = "tetrisprinter.plain"

_INSTEAD: Final = str.maketrans(
    {
        **dict.fromkeys("┌├└┐┤┘┬┴┼╵╶╷╴", "+"),
        **{"─": "-", "│": "|", "░": "#", "▀": '"', "▄": "_", "█": "#", "×": "x"},
        **{"–": "-", "—": "-", "…": "."},
    }
)


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode what a stream has no characters for; see :func:`codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    if "\udc80" <= text[0] <= "\udcff":  # a byte of a name of a file, as Python keeps it
        return bytes([ord(text[0]) - 0xDC00]), error.start + 1
    return text[0].translate(_INSTEAD).encode("ascii", "replace"), error.start + 1


def prepare_streams() -> None:
    """Let both streams take whatever is written to them."""
    codecs.register_error(_PLAIN, _plainly)
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_PLAIN)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def silence(stream: TextIO) -> None:
    """Let what is still to be written to a stream vanish: it cannot take any more."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
