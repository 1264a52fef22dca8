"""The files of a certificate: compressed text, with the checksum of the compressed bytes."""

from __future__ import annotations

import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.sat import lrat
from tetrisprinter.sat.solve import Refutation
from tetrisprinter.support.files import explain_error, make_folder, write_bytes

_XZ: Final = b"\xfd7zXZ\0"
MAX_CHARACTERS: Final = 2**29
"""The most characters of a decompressed file; a small file may decompress to any length."""

_MAX_MEMORY: Final = 2**28
"""The most bytes of memory for decompression; a small file may demand four gigabytes."""


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
    """Read the data of :func:`encode_files`; refuse names of files outside of the folder."""
    files = []
    for kind in KINDS:
        match data.get(kind) if isinstance(data, dict) else None:
            case {"file": str(name), "sha256": str(checksum)}:
                files.append(File(name, checksum))
            case _:
                raise InputError(f"{owner} lacks its {kind} file")
        if not re.fullmatch(r"\w[\w.+-]*", name, re.ASCII):
            raise InputError(f"{owner}: invalid file {name!r}; expected a name in the same folder")
    formula, drat, lrat = files
    return formula, drat, lrat


def store(folder: Path, name: str, text: str, *, preset: int = 9) -> File:
    """Write a text as a compressed file; ``name`` is its name without ``.xz``."""
    compressed = lzma.compress(text.encode("ascii"), preset=preset)
    file = File(f"{name}.xz", sha256(compressed).hexdigest())
    write_bytes(folder / file.name, compressed)
    return file


def load(folder: Path, file: File, max_size: int = MAX_CHARACTERS) -> str:
    """Return a file's text of at most ``max_size`` characters, after checking its checksum."""
    path = folder / file.name
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a file")
    try:
        if path.stat().st_size > max_size:
            raise JobError(f"{path}: has more than {max_size} bytes")
        compressed = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {explain_error(error)}") from error
    if sha256(compressed).hexdigest() != file.sha256:
        raise JobError(f"{path}: is damaged: its checksum differs from the manifest")
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_MEMORY)
    try:
        text = decompressor.decompress(compressed, max_size).decode("ascii")
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise JobError(f"{path}: is not xz-compressed text") from error
    if not compressed.startswith(_XZ):  # lzma accepts a file that is shorter than this mark
        raise JobError(f"{path}: is not xz-compressed text")
    if decompressor.unused_data:
        raise JobError(f"{path}: has bytes after its xz-compressed text")
    if not decompressor.eof:
        raise JobError(f"{path}: is truncated, or longer than {max_size} characters")
    return text


def check_canonical_text(path: Path, text: str, expected: str) -> None:
    """Refuse a file that differs from the text which this version writes for its content.

    This excludes entries that no check reads.
    """
    if text == expected:
        return
    pairs = enumerate(zip_longest(text.split("\n"), expected.split("\n"), fillvalue=""), 1)
    number, (line, expected_line) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    raise InputError(f"{path}:{number}: unexpected {line[:80]!r}; expected {expected_line[:80]!r}")


def check_files(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder that lacks one of the files or has others; ignore its subfolders."""
    expected = set(names)
    for path in sorted(folder.iterdir()):
        if path.name in expected and (path.is_symlink() or not path.is_file()):
            raise JobError(f"{path}: is not a file")
        if path.name not in expected and not path.is_dir():
            raise JobError(f"{path}: belongs to no certificate; remove it")
    for name in sorted(expected):
        if not (folder / name).exists():
            raise JobError(f"{folder / name}: is missing")


def store_proof(
    folder: Path,
    name: str,
    formula: str,
    refutation: Refutation,
    *,
    preset: int = 9,
    pulse: Callable[[], None] = lambda: None,
) -> Files:
    """Write a formula and its proofs in DRAT and LRAT form; return the files.

    ``preset`` is the compression preset of xz. ``pulse`` is called after every step of the proof.
    """
    proof = "\n".join(_finish_proof(refutation.proof)) + "\n"
    lrat_proof = lrat.write(formula, proof, pulse)  # checks every step
    make_folder(folder)
    texts = (formula, proof, lrat_proof)
    cnf, drat, hints = (
        store(folder, f"{name}.{kind}", text, preset=preset)
        for kind, text in zip(("cnf", "drat", "lrat"), texts, strict=True)
    )
    return cnf, drat, hints


def _finish_proof(proof: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a proof up to the empty clause, without deletions.

    A solver that needs only propagation may omit the empty clause; adding it is safe, because the
    checkers test it. Deletions save memory, but some checkers reject deletions of unit clauses.
    """
    for line in proof:
        if line.split() == ["0"]:
            break
        if not line.startswith("d"):
            yield line
    yield "0"
