"""The files of a certificate, and the checkers of its proofs.

A file is compressed text; its checksum is that of the compressed bytes. A formula has a proof in
two forms: a checker of DRAT proofs must search for the reason of each step; LRAT proofs name the
reason.

Checkers are our own, those of packages, and programs on the PATH. A proof is checked
*independently* if checkers of two makers accept it. The verdict of a program depends on its exit
code and its output, because some programs print "verified" for a single step, some always end with
code 0, and some print both verdicts.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, Literal

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.sat.proofs import ProofError, check_lrat, check_rup, write_lrat
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
    solver_proof: Sequence[str],
    *,
    preset: int = 9,
    pulse: Callable[[], None] = lambda: None,
) -> Files:
    """Write a formula and its proofs in DRAT and LRAT form; return the files.

    ``solver_proof`` is the DRAT proof as a solver wrote it, in lines. ``preset`` is the compression
    preset of xz. ``pulse`` is called after every step of the proof.
    """
    proof = "\n".join(_finish_proof(solver_proof)) + "\n"
    lrat_proof = write_lrat(formula, proof, pulse)  # checks every step
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


@dataclass(frozen=True, slots=True)
class Checker:
    """A checker of proofs."""

    form: Literal["drat", "lrat"]  # the form of the proofs that the checker reads
    maker: str  # the author; checkers of one maker may share a mistake
    # Takes the formula and the proof as text; raises a :class:`ProofError` to refuse the proof
    check: Callable[[str, str], object]
    module: str = ""  # the package that the checker needs, if any
    program: str = ""  # the program on the PATH that the checker needs, if any
    is_slow: bool = False  # whether the checker is used only if it is named

    @property
    def is_available(self) -> bool:
        """Whether the package or program of the checker is installed."""
        if self.module:
            return find_spec(self.module) is not None
        return not self.program or shutil.which(self.program) is not None


def _run_dratify(formula: str, proof: str) -> None:
    """Check a proof with the pure Python engine of dratify."""
    from dratify import check_proof, parse_dimacs

    try:
        result = check_proof(parse_dimacs(formula), proof, engine="python")
    except ValueError as error:
        raise ProofError(str(error)) from error
    # A proof whose steps are all valid may still lack the empty clause.
    if not (result.ok and result.reached_empty):
        raise ProofError(str(result))


def _run_drup(formula: str, proof: str) -> None:
    """Check a proof with drup, a very slow checker that was verified with Why3."""
    from drup import check_proof_from_files
    from drup.wrappers import Outcome as Verdict

    with tempfile.TemporaryDirectory() as folder:
        files = _write_files(folder, formula, proof)
        result = check_proof_from_files(*map(str, files), verbose=True)
    if result.outcome is not Verdict.VALID:
        raise ProofError("not valid")


def _run_program(program: str, verdict: str, formula: str, proof: str) -> None:
    """Check a proof with a program, which must end with code 0 and print only ``verdict``.

    lrat-check prints "c VERIFIED" for an empty clause even after it has refused the clause.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = _write_files(folder, formula, proof)
        try:
            completed = subprocess.run(
                [program, *files],
                capture_output=True,
                check=False,
                encoding="ascii",
                errors="replace",
            )
        except OSError as error:
            raise JobError(f"{program} cannot be run: {error.strerror}") from error
    lines = [line.strip() for line in completed.stdout.replace("\r", "\n").splitlines()]
    refused = any("NOT VERIFIED" in line for line in lines)
    if verdict not in lines or refused or completed.returncode != 0:
        last_line = next((line for line in reversed(lines) if line), "nothing")
        raise ProofError(
            f"{program} did not accept the proof: the last line is '{last_line}' and the exit code "
            f"{completed.returncode}; expected '{verdict}' and 0"
        )


def _write_files(folder: str, formula: str, proof: str) -> tuple[Path, Path]:
    """Write a formula and a proof as files; return their paths."""
    files = Path(folder) / "formula.cnf", Path(folder) / "proof.txt"
    files[0].write_text(formula, encoding="ascii")
    files[1].write_text(proof, encoding="ascii")
    return files


_OURS: Final = "tetrisprinter"

_PROGRAMS: Final[tuple[tuple[str, Literal["drat", "lrat"], str, str], ...]] = (
    ("drat-trim", "drat", "Heule", "s VERIFIED"),
    ("lrat-check", "lrat", "Heule", "c VERIFIED"),
    ("cake_lpr", "lrat", "CakeML", "s VERIFIED UNSAT"),  # its machine code is formally verified
)
"""Name, form, maker and verdict line of each program."""

CHECKERS: Final[Mapping[str, Checker]] = {
    "own": Checker("drat", _OURS, check_rup),
    "own-lrat": Checker("lrat", _OURS, check_lrat),
    "dratify": Checker("drat", "dratify", _run_dratify, module="dratify"),
    "drup": Checker("drat", "drup", _run_drup, module="drup", is_slow=True),
    **{
        program: Checker(form, maker, partial(_run_program, program, verdict), program=program)
        for program, form, maker, verdict in _PROGRAMS
    },
}
"""All checkers by name; ours come first."""


def list_available_checkers() -> tuple[str, ...]:
    """List the names of the installed checkers; ours come first.

    >>> list_available_checkers()[:2]
    ('own', 'own-lrat')
    """
    return tuple(name for name, checker in CHECKERS.items() if checker.is_available)


def choose_checkers(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the checkers to use; raise an error if one cannot be used.

    By default these are our checkers and all installed ones that are fast.
    """
    available = list_available_checkers()
    chosen = tuple(names or (name for name in available if not CHECKERS[name].is_slow))
    for name in chosen:
        if name not in CHECKERS:
            raise InputError(f"unknown checker {name!r}; choose from {', '.join(CHECKERS)}")
        if name not in available:
            raise JobError(
                f"the checker {name!r} is not installed; choose from {', '.join(available)}"
            )
    return chosen


def are_independent(names: Iterable[str]) -> bool:
    """Return whether the checkers are from at least two makers."""
    return len({CHECKERS[name].maker for name in names}) > 1


def check_proof(
    folder: Path,
    formula: str,
    files: tuple[File, File],
    checkers: Sequence[str],
    max_size: int = MAX_CHARACTERS,
) -> None:
    """Check a proof in DRAT and LRAT form (``files``); raise a ProofError if a checker refuses."""
    forms = ("drat", "lrat")
    proofs = {
        form: (file, load(folder, file, max_size)) for form, file in zip(forms, files, strict=True)
    }
    for checker in checkers:
        file, proof = proofs[CHECKERS[checker].form]
        try:
            CHECKERS[checker].check(formula, proof)
        except ProofError as error:
            raise ProofError(f"{file.name}: refused by {checker}: {error}") from error


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of checking a formula and its proof."""

    name: str  # of the certificate or the formula
    checkers: tuple[str, ...]  # the names of the checkers
    error: str | None  # why it was refused; None if it was accepted
    seconds: float


def run_check(name: str, checkers: tuple[str, ...], check: Callable[[], None]) -> CheckResult:
    """Call a function that refuses by an error of this package; measure the time."""
    began = time.perf_counter()
    error = None
    try:
        check()
    except TetrisPrinterError as refusal:
        error = str(refusal)
    return CheckResult(name, checkers, error, time.perf_counter() - began)
