"""Who checks proofs: our own checkers, packages, and programs of the PATH.

Each is given a formula and a proof as text, in the form that it reads: DRAT, whose steps
it has to find the reasons of, or LRAT, which names them. Two proofs that share neither
checker nor form agree by accident only; still, what counts as checked *independently* is
what checkers of two different makers have accepted.

A program's verdict is decided on its exit code and on its output, for some say "verified"
of a step, some end with code 0 whatever happened, and some say both that a proof is
verified and that it is not.
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

from tetrisprinter.errors import JobError
from tetrisprinter.packings.proofs import lrat, rup
from tetrisprinter.packings.proofs.files import MOST_TEXT, File, load
from tetrisprinter.packings.proofs.rup import ProofError


@dataclass(frozen=True, slots=True)
class Checker:
    """A checker of proofs."""

    form: Literal["drat", "lrat"]  # which proof it reads
    maker: str  # who wrote it. Checkers of one maker may have a misunderstanding in common
    # Takes the formula and the proof as text; raises :class:`ProofError`
    check: Callable[[str, str], object]
    module: str = ""  # the package or the program of the PATH that it needs, if any
    program: str = ""
    is_slow: bool = False  # whether it takes part only if it is asked for

    @property
    def is_available(self) -> bool:
        """Whether it can be used here."""
        if self.module:
            return find_spec(self.module) is not None
        return not self.program or shutil.which(self.program) is not None


def _dratify(formula: str, proof: str) -> None:
    """Check with dratify in its pure Python form, which is always there."""
    from dratify import check_proof, parse_dimacs

    try:
        result = check_proof(parse_dimacs(formula), proof, engine="python")
    except ValueError as error:
        raise ProofError(str(error)) from error
    # Having verified all steps is not enough for it to be a refutation.
    if not (result.ok and result.reached_empty):
        raise ProofError(str(result))


def _drup(formula: str, proof: str) -> None:
    """Check with drup, which was verified with Why3 and is very slow."""
    from drup import check_proof_from_files
    from drup.wrappers import Outcome as Verdict

    with tempfile.TemporaryDirectory() as folder:
        files = _write_unpacked(folder, formula, proof)
        result = check_proof_from_files(*map(str, files), verbose=True)
    if result.outcome is not Verdict.VALID:
        raise ProofError("not valid")


def _run(program: str, verdict: str, formula: str, proof: str) -> None:
    """Run a program that must end well, say a line, and not say its opposite.

    lrat-check says "c VERIFIED" of an empty clause even when it has just refused it.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = _write_unpacked(folder, formula, proof)
        try:
            run = subprocess.run(
                [program, *files],
                capture_output=True,
                check=False,
                encoding="ascii",
                errors="replace",
            )
        except OSError as error:
            raise JobError(f"{program} cannot be run: {error.strerror}") from error
    lines = [line.strip() for line in run.stdout.replace("\r", "\n").splitlines()]
    refused = any("NOT VERIFIED" in line for line in lines)
    if verdict not in lines or refused or run.returncode != 0:
        said = next((line for line in reversed(lines) if line), "nothing")
        raise ProofError(
            f"{program} does not say '{verdict}' alone, its last line is '{said}' and its exit "
            f"code {run.returncode}"
        )


def _write_unpacked(folder: str, formula: str, proof: str) -> tuple[Path, Path]:
    files = Path(folder) / "formula.cnf", Path(folder) / "proof.txt"
    files[0].write_text(formula, encoding="ascii")
    files[1].write_text(proof, encoding="ascii")
    return files


_OURS: Final = "tetrisprinter"

CHECKERS: Final[Mapping[str, Checker]] = {
    "own": Checker("drat", _OURS, rup.check),
    "own-lrat": Checker("lrat", _OURS, lrat.check),
    "dratify": Checker("drat", "dratify", _dratify, module="dratify"),
    "drup": Checker("drat", "drup", _drup, module="drup", is_slow=True),
    "drat-trim": Checker(
        "drat", "Heule", partial(_run, "drat-trim", "s VERIFIED"), program="drat-trim"
    ),
    "lrat-check": Checker(
        "lrat", "Heule", partial(_run, "lrat-check", "c VERIFIED"), program="lrat-check"
    ),
    "cake_lpr": Checker(
        "lrat", "CakeML", partial(_run, "cake_lpr", "s VERIFIED UNSAT"), program="cake_lpr"
    ),
}
"""All checkers by name; ours come first. cake_lpr is formally verified, down to its code."""


def list_available_checkers() -> tuple[str, ...]:
    """List the checkers that can be used here; ours come first.

    >>> list_available_checkers()[:2]
    ('own', 'own-lrat')
    """
    return tuple(name for name, checker in CHECKERS.items() if checker.is_available)


def choose_default_checkers() -> tuple[str, ...]:
    """Ours and all others that can be used here and are not too slow for it."""
    return tuple(name for name in list_available_checkers() if not CHECKERS[name].is_slow)


def are_independent(names: Iterable[str]) -> bool:
    """Return whether checkers are of two makers at least."""
    return len({CHECKERS[name].maker for name in names}) > 1


def check_proof(
    folder: Path,
    formula: str,
    files: tuple[File, File],
    checkers: Sequence[str],
    most: int = MOST_TEXT,
) -> None:
    """Let checkers look at a proof."""
    forms = ("drat", "lrat")
    proofs = {
        form: (file, load(folder, file, most)) for form, file in zip(forms, files, strict=True)
    }
    for checker in checkers:
        file, proof = proofs[CHECKERS[checker].form]
        try:
            CHECKERS[checker].check(formula, proof)
        except ProofError as error:
            raise ProofError(f"{file.name}: refused by {checker}: {error}") from error
