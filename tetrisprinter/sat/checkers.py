"""Checkers of proofs: our own, those of packages, and programs on the PATH.

Each checker reads a formula and a proof as text; the proof has one of two forms. A checker of DRAT
proofs must search for the reason of each step; LRAT proofs name the reason. A proof is checked
*independently* if checkers of two makers accept it.

The verdict of a program depends on its exit code and its output, because some programs print
"verified" for a single step, some always end with code 0, and some print both verdicts.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.sat import lrat, rup
from tetrisprinter.sat.files import MAX_CHARACTERS, File, load
from tetrisprinter.sat.rup import ProofError


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
    "own": Checker("drat", _OURS, rup.check),
    "own-lrat": Checker("lrat", _OURS, lrat.check),
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


def choose_default_checkers() -> tuple[str, ...]:
    """Return the names of our checkers and of all installed ones that are fast."""
    return tuple(name for name in list_available_checkers() if not CHECKERS[name].is_slow)


def choose_checkers(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the checkers to use; raise an error if one cannot be used."""
    chosen = tuple(names) if names else choose_default_checkers()
    for name in chosen:
        if name not in CHECKERS:
            raise InputError(f"unknown checker {name!r}; choose from {', '.join(CHECKERS)}")
        available = list_available_checkers()
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
