"""QR codes as pictures that a game can leave exactly."""

from __future__ import annotations

from typing import Final

from tetrisprinter.api.prints import print_picture
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import PrintResult

QUIET_ZONE: Final = 4
"""The width, in squares, of the light margin that scanners need (ISO/IEC 18004)."""

_DARK, _LIGHT = "000000", "ffffff"


def print_code(text: str, error: str = "M") -> PrintResult:
    """Print text as an exact QR code; ``error`` is its error correction: L, M, Q or H.

    A QR code can use eight masks. The result uses the first mask whose code a game leaves exactly.
    """
    try:
        import segno
    except ImportError as import_error:
        raise InputError(
            "QR codes need the package segno; install it with: pip install segno"
        ) from import_error
    last_error: JobError | None = None
    for mask in range(8):
        try:
            code = segno.make_qr(text, error=error, mask=mask, boost_error=False)
        except (segno.DataOverflowError, ValueError) as segno_error:
            raise InputError(
                f"qr: the text is too long for a QR code: {segno_error}"
            ) from segno_error
        rows = tuple(
            tuple(_DARK if module else _LIGHT for module in row)
            for row in reversed(tuple(code.matrix))
        )
        try:
            return print_picture(
                Picture(rows, "code"), exact=True, background=_LIGHT, board="auto", types="auto"
            )
        except JobError as job_error:
            last_error = job_error
    assert last_error is not None
    raise last_error
