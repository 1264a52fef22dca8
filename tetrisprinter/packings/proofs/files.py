"""The files of a certificate: packed text, and the checksum of its bytes."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.support.files import reason, write_bytes

__all__ = ["File", "load", "store"]

_XZ: Final = b"\xfd7zXZ\0"
_MOST_TEXT: Final = 2**29
"""Characters of a file, unpacked; a few bytes can be packed that unpack without end."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a certificate: its name, and the checksum of its bytes as they are stored."""

    name: str
    sha256: str


def store(folder: Path, name: str, text: str, *, preset: int = 9) -> File:
    """Write a file of a certificate, packed; ``name`` is that of the text.

    Parameters
    ----------
    folder : Path
        Where to; it has to be there.
    name : str
        Of the file before it is packed.
    text : str
        ASCII.
    preset : int
        How hard to pack, from 0 to 9.

    Returns
    -------
    File
        Its name with ``.xz``, and its checksum.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    packed = lzma.compress(text.encode("ascii"), preset=preset)
    file = File(f"{name}.xz", sha256(packed).hexdigest())
    write_bytes(folder / file.name, packed)
    return file


def load(folder: Path, file: File, most: int = _MOST_TEXT) -> str:
    """Read a file of a certificate, and see that it is what the manifest says it is.

    Parameters
    ----------
    folder : Path
        Where the manifest lies.
    file : File
        An entry of it.
    most : int
        Characters that the text may have.

    Returns
    -------
    str
        The text, unpacked.

    Raises
    ------
    InputError
        If it cannot be read.
    JobError
        If its checksum is another one, or it is not packed text of an acceptable length.
    """
    path = folder / file.name
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {reason(error)}") from error
    if sha256(packed).hexdigest() != file.sha256:
        raise JobError(f"{path}: is damaged: its checksum is not that of the manifest")
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        text = unpacker.decompress(packed, most).decode("ascii")
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise JobError(f"{path}: is not xz-compressed text") from error
    if not packed.startswith(_XZ):  # a start too short for the unpacker to say so
        raise JobError(f"{path}: is not xz-compressed text")
    if not unpacker.eof:
        raise JobError(f"{path}: is cut short, or longer than {most} characters")
    return text
