"""The files of a certificate: compressed text, with the checksum of the compressed bytes."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.support.files import explain_error, write_bytes

_XZ: Final = b"\xfd7zXZ\0"
MOST_TEXT: Final = 2**29
"""The most characters of an unpacked file; a small file may unpack to any length."""

_MOST_MEMORY: Final = 2**28
"""The most bytes of memory for unpacking; a small file may demand four gigabytes."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a certificate: its name, and the checksum of its bytes as they are stored."""

    name: str
    sha256: str


KINDS: Final = ("formula", "drat", "lrat")
"""The kinds of a certificate's files, in the order of :data:`Files`."""

Files = tuple[File, File, File]
"""A formula, and its proofs in DRAT and LRAT form."""


def encode_files(files: Files) -> dict[str, Any]:
    """Return the files of a certificate as plain data."""
    return {
        kind: {"file": file.name, "sha256": file.sha256}
        for kind, file in zip(KINDS, files, strict=True)
    }


def read_files(data: object, owner: str) -> Files:
    """Read the plain data of :func:`encode_files`; refuse files outside of the folder."""
    found = []
    for kind in KINDS:
        match data.get(kind) if isinstance(data, dict) else None:
            case {"file": str(name), "sha256": str(checksum)}:
                found.append(File(name, checksum))
            case _:
                raise InputError(f"{owner} lacks its {kind} file")
        if not re.fullmatch(r"\w[\w.+-]*", name, re.ASCII):
            raise InputError(f"{owner}: invalid file {name!r}; expected a name in the same folder")
    formula, drat, lrat = found
    return formula, drat, lrat


def store(folder: Path, name: str, text: str, *, preset: int = 9) -> File:
    """Write a text as a compressed file of a certificate; ``name`` is without ``.xz``."""
    packed = lzma.compress(text.encode("ascii"), preset=preset)
    file = File(f"{name}.xz", sha256(packed).hexdigest())
    write_bytes(folder / file.name, packed)
    return file


def load(folder: Path, file: File, most: int = MOST_TEXT) -> str:
    """Read a file of at most ``most`` characters and check its checksum."""
    path = folder / file.name
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a file")
    try:
        if path.stat().st_size > most:
            raise JobError(f"{path}: has more than {most} bytes")
        packed = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {explain_error(error)}") from error
    if sha256(packed).hexdigest() != file.sha256:
        raise JobError(f"{path}: is damaged: its checksum differs from the manifest")
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
    try:
        text = unpacker.decompress(packed, most).decode("ascii")
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise JobError(f"{path}: is not xz-compressed text") from error
    if not packed.startswith(_XZ):  # lzma accepts a file that is shorter than this mark
        raise JobError(f"{path}: is not xz-compressed text")
    if unpacker.unused_data:
        raise JobError(f"{path}: has bytes after its xz-compressed text")
    if not unpacker.eof:
        raise JobError(f"{path}: is truncated, or longer than {most} characters")
    return text


def check_canonical_text(path: Path, text: str, expected: str) -> None:
    """Refuse a file that differs from the text which this version writes for its content.

    So a file cannot have entries that no check reads.
    """
    if text == expected:
        return
    pairs = enumerate(zip_longest(text.split("\n"), expected.split("\n"), fillvalue=""), 1)
    number, (line, its) = next(one for one in pairs if one[1][0] != one[1][1])
    raise InputError(f"{path}:{number}: unexpected {line[:80]!r}; expected {its[:80]!r}")


def check_files(folder: Path, listed: Iterable[str]) -> None:
    """Refuse a folder with missing or unknown files; its subfolders are ignored."""
    expected = set(listed)
    for path in sorted(folder.iterdir()):
        if path.name in expected and (path.is_symlink() or not path.is_file()):
            raise JobError(f"{path}: is not a file")
        if path.name not in expected and not path.is_dir():
            raise JobError(f"{path}: belongs to no certificate; remove it")
    for name in sorted(expected):
        if not (folder / name).exists():
            raise JobError(f"{folder / name}: is missing")
