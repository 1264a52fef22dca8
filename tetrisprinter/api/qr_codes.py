"""QR codes as pictures that a game can leave exactly."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from tetrisprinter.api.prints import print_picture
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import Source
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.support.installing import format_install_command

_T = TypeVar("_T")

QUIET_ZONE: Final = 4
"""The width, in squares, of the light margin that scanners need (ISO/IEC 18004)."""

_DARK, _LIGHT = "000000", "ffffff"
_MASKS: Final = 8
"""The number of masks, ways to draw the same code."""


def draw_code(text: str, error: str = "M", mask: int = 0) -> Source:
    """Return text as a QR code on white; ``error`` is its error correction: L, M, Q or H.

    Text that is not ASCII is written as UTF-8, because scanners read single bytes above 127 as the
    letters of different countries.
    """
    try:
        import segno
    except ImportError as import_error:
        raise InputError(
            f"QR codes need the package segno; install it with: {format_install_command('segno')}"
        ) from import_error
    try:
        encoding = None if text.isascii() else "utf-8"
        code = segno.make_qr(text, error=error, mask=mask, boost_error=False, encoding=encoding)
    except UnicodeEncodeError as unicode_error:
        raise InputError(
            f"qr: invalid character {unicode_error.object[unicode_error.start]!r}; expected text"
        ) from unicode_error
    except (segno.DataOverflowError, ValueError) as segno_error:
        raise InputError(f"qr: the text is too long for a QR code: {segno_error}") from segno_error
    rows = tuple(
        tuple(_DARK if module else None for module in row) for row in reversed(tuple(code.matrix))
    )
    return Source("qr", "qr", partial(_read_code, Picture(rows, "qr")), scales=False)


def _read_code(picture: Picture, conversion: Conversion) -> ConvertedPicture:
    return ConvertedPicture(picture, _LIGHT)


def print_first_code(text: str, error: str, print_code: Callable[[Source], _T]) -> _T:
    """Print text with the first mask whose code a game leaves; ``print_code`` prints one code."""
    last_error: JobError | None = None
    for mask in range(_MASKS):
        try:
            return print_code(draw_code(text, error, mask))
        except TimeUpError:
            raise
        except JobError as job_error:
            last_error = job_error
    assert last_error is not None
    raise last_error


def print_code(text: str, error: str = "M") -> PrintResult:
    """Print text as an exact QR code; see :func:`draw_code`."""
    return print_first_code(
        text,
        error,
        lambda code: print_picture(code, exact=True, board="auto", types="auto"),
    )
