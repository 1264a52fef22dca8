"""Certificates: a formula and a proof, for somebody else's checker.

A certificate of a claim is the formula that the claim's problems encode to, a DRAT proof
that it has no model, and an entry in the folder's ``manifest.json``: the claim in words
and as data, the checksums of both files, what made them and how to make them again.
Files are xz-compressed text; there is nothing in them that a command line cannot unpack.

Nothing here is trusted. :func:`verify` makes each formula again from its claim, compares
it byte by byte, and gives formula and proof to independent checkers: our own
(:mod:`tetrisprinter.packings.proofs.rup`) and at least one made by others. What is left to believe is
that the formula says what the claim says; ``docs/encoding.md`` argues that, and the
tests compare with brute force.
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.packings.finders.cnf import ENCODER_VERSION
from tetrisprinter.packings.finders.sat import DEFAULT_SOLVER, Refutation, refute
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.proofs import rup
from tetrisprinter.packings.proofs.claims import Claim, parse_claim
from tetrisprinter.packings.proofs.rup import ProofError
from tetrisprinter.support.executors import HERE, Machines, in_order
from tetrisprinter.support.files import read_text, write_bytes, write_text

__all__ = [
    "CHECKERS",
    "MANIFEST",
    "Certificate",
    "Outcome",
    "available_checkers",
    "certify",
    "default_checkers",
    "read_manifest",
    "shipped_folder",
    "verify",
]

MANIFEST: Final = "manifest.json"
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """An entry of a manifest.

    Attributes
    ----------
    claim : Claim
        What is impossible.
    formula, proof : str
        Names of the two files.
    formula_sha256, proof_sha256 : str
        Checksums of the files as they are stored.
    solver : str
        What found the proof.
    encoder : int
        :data:`~tetrisprinter.packings.finders.cnf.ENCODER_VERSION` when the formula was made.
    """

    claim: Claim
    formula: str
    formula_sha256: str
    proof: str
    proof_sha256: str
    solver: str
    encoder: int

    @property
    def name(self) -> str:
        """The claim's name."""
        return self.claim.name

    def data(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {
            "words": self.claim.words,
            "claim": self.claim.data(),
            "formula": {"file": self.formula, "sha256": self.formula_sha256},
            "proof": {"file": self.proof, "sha256": self.proof_sha256},
            "solver": self.solver,
            "encoder": self.encoder,
        }

    @classmethod
    def parse(cls, data: object) -> Certificate:
        """Read an entry.

        Raises
        ------
        InputError
            If it is none.
        """
        match data:
            case {
                "words": str(words),
                "claim": claim_data,
                "formula": {"file": str(formula), "sha256": str(formula_sha256)},
                "proof": {"file": str(proof), "sha256": str(proof_sha256)},
                "solver": str(solver),
                "encoder": int(encoder),
            }:
                claim = parse_claim(claim_data)
            case _:
                raise InputError("an entry lacks words, claim, formula, proof, solver or encoder")
        if words != claim.words:
            raise InputError(f"the words of {claim.name} are not those of its claim")
        if any(Path(name).name != name for name in (formula, proof)):
            raise InputError(f"the files of {claim.name} must lie in the manifest's own folder")
        return cls(claim, formula, formula_sha256, proof, proof_sha256, solver, encoder)


def shipped_folder() -> Path:
    """Return the folder of the certificates that come with the package."""
    here = Path(__file__).resolve().parent
    shipped = here / "_encodings"
    return shipped if shipped.is_dir() else here.parent / "encodings"


def read_manifest(folder: str | Path) -> tuple[Certificate, ...]:
    """Read the manifest of a folder.

    Raises
    ------
    InputError
        If it is missing or malformed.
    """
    path = Path(folder) / MANIFEST
    try:
        data = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: is not JSON: {error}") from error
    match data:
        case {"format": 1, "certificates": [*entries]}:
            pass
        case _:
            raise InputError(f"{path}: is not a manifest of format {_FORMAT}")
    try:
        return tuple(map(Certificate.parse, entries))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _write_manifest(folder: Path, certificates: Iterable[Certificate]) -> None:
    data = {
        "format": _FORMAT,
        "rebuild": "tetrisprinter patterns build --prove; any one: tetrisprinter prove",
        "certificates": [c.data() for c in sorted(certificates, key=lambda c: c.name)],
    }
    # Lists of numbers on one line each.
    text = re.sub(r"\[[\d\s,]+\]", lambda m: " ".join(m[0].split()), json.dumps(data, indent=1))
    write_text(folder / MANIFEST, text + "\n")


def certify(
    claim: Claim, folder: str | Path, *, solver: str = DEFAULT_SOLVER
) -> Certificate | Packing | None:
    """Prove a claim and write its certificate, unless the folder has it already.

    Parameters
    ----------
    claim : Claim
        What is to be proved.
    folder : str or Path
        Where to; made if need be. Its manifest gets an entry once the files are there.
    solver : str
        A solver of python-sat that writes proofs. The same solver and version write the
        same bytes.

    Returns
    -------
    Certificate, Packing or None
        A packing if the claim is wrong, or None if it is wrong because of an order of
        drops that a packing has no form for; nothing is written then.

    Raises
    ------
    InputError
        If the solver or the folder cannot be used.
    ProofError
        If the solver's proof does not pass our own checker; nothing is written then.
    """
    folder = Path(folder)
    known = {c.name: c for c in read_manifest(folder)} if (folder / MANIFEST).exists() else {}
    kept = known.get(claim.name)
    if kept and kept.claim == claim and kept.encoder == ENCODER_VERSION and _intact(kept, folder):
        return kept
    formula = claim.formula()
    answer = refute(formula, solver=solver)
    if not isinstance(answer, Refutation):
        return answer
    text = formula.dimacs()
    proof = "\n".join(_finished(answer.proof)) + "\n"
    rup.check(text, proof)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from error
    files = {f"{claim.name}.cnf.xz": text, f"{claim.name}.drat.xz": proof}
    sums = []
    for name, content in files.items():
        packed = lzma.compress(content.encode("ascii"), preset=9)
        write_bytes(folder / name, packed)
        sums.append((name, sha256(packed).hexdigest()))
    certificate = Certificate(claim, *sums[0], *sums[1], answer.solver, ENCODER_VERSION)
    known[claim.name] = certificate
    _write_manifest(folder, known.values())
    return certificate


def _finished(proof: Sequence[str]) -> Iterator[str]:
    """The proof up to its empty clause, without deletions.

    A solver that needs no more than propagation may leave the empty clause out. Put in
    here it proves nothing yet: the checkers decide. Deletions would save a checker
    memory, but some take those of unit clauses amiss; these proofs are short.
    """
    for line in proof:
        if line.split() == ["0"]:
            break
        if not line.startswith("d"):
            yield line
    yield "0"


def _intact(certificate: Certificate, folder: Path) -> bool:
    try:
        _load(folder / certificate.formula, certificate.formula_sha256)
        _load(folder / certificate.proof, certificate.proof_sha256)
    except TetrisPrinterError:
        return False
    return True


def _load(path: Path, checksum: str) -> str:
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from error
    if sha256(packed).hexdigest() != checksum:
        raise JobError(f"{path}: is damaged: its checksum is not that of the manifest")
    try:
        return lzma.decompress(packed).decode("ascii")
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise JobError(f"{path}: is not xz-compressed text") from error


# --- checkers -------------------------------------------------------------------------


def _own(formula: str, proof: str) -> None:
    rup.check(formula, proof)


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
        files = _unpacked(folder, formula, proof)
        result = check_proof_from_files(*map(str, files), verbose=True)
    if result.outcome is not Verdict.VALID:
        raise ProofError("not valid")


def _drat_trim(formula: str, proof: str) -> None:
    """Check with drat-trim, of the PATH. Its verdict is a line of its output."""
    with tempfile.TemporaryDirectory() as folder:
        _expect("s VERIFIED", "drat-trim", *_unpacked(folder, formula, proof))


def _lrat_check(formula: str, proof: str) -> None:
    """Check with lrat-check, of the PATH, the LRAT proof that drat-trim makes."""
    with tempfile.TemporaryDirectory() as folder:
        files = _unpacked(folder, formula, proof)
        lrat = Path(folder) / "proof.lrat"
        _expect("s VERIFIED", "drat-trim", *files, "-L", lrat)
        _expect("c VERIFIED", "lrat-check", files[0], lrat)


def _unpacked(folder: str, formula: str, proof: str) -> tuple[Path, Path]:
    files = Path(folder) / "formula.cnf", Path(folder) / "proof.drat"
    files[0].write_text(formula, encoding="ascii")
    files[1].write_text(proof, encoding="ascii")
    return files


def _expect(verdict: str, program: str, *arguments: Path | str) -> None:
    """Run a program that must end well, say a line, and not say its opposite.

    lrat-check says "c VERIFIED" of an empty clause even when it has just refused it.
    """
    run = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    lines = [line.strip() for line in run.stdout.replace("\r", "\n").splitlines()]
    refused = any("NOT VERIFIED" in line for line in lines)
    if verdict not in lines or refused or run.returncode != 0:
        last = next((line for line in reversed(lines) if line), "nothing")
        raise ProofError(f"{program} does not say '{verdict}' alone, its last line is '{last}'")


CHECKERS: Final[Mapping[str, Callable[[str, str], None]]] = {
    "own": _own,
    "dratify": _dratify,
    "drup": _drup,
    "drat-trim": _drat_trim,
    "lrat-check": _lrat_check,
}
"""Each takes a formula and a proof as text, and raises :class:`ProofError`."""


def available_checkers() -> tuple[str, ...]:
    """List the checkers that can be used here; ours comes first.

    >>> available_checkers()[0]
    'own'
    """
    from importlib.util import find_spec

    found = ["own"]
    found += [name for name in ("dratify", "drup") if find_spec(name)]
    if shutil.which("drat-trim"):
        found.append("drat-trim")
        found += ["lrat-check"] if shutil.which("lrat-check") else []
    return tuple(found)


def default_checkers() -> tuple[str, ...]:
    """Ours and all others that can be used here and are not too slow for it.

    Raises
    ------
    JobError
        If there is no other: two have to agree.
    """
    chosen = tuple(name for name in available_checkers() if name != "drup")
    if len(chosen) < 2:
        raise JobError(
            "there is no proof checker made by others: install the package 'dratify' (it comes "
            "with tetrisprinter[proofs]) or put drat-trim on the PATH"
        )
    return chosen


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a certificate: by whom it was checked, or why it was refused."""

    certificate: Certificate
    checkers: tuple[str, ...]
    error: str | None = None
    seconds: float = 0.0


def verify(
    folder: str | Path, checkers: Sequence[str] | None = None, *, machines: Machines = HERE
) -> Iterator[Outcome]:
    """Check every certificate of a folder.

    Parameters
    ----------
    folder : str or Path
        With a manifest.
    checkers : sequence of str or None
        Names in :data:`CHECKERS`; None for ours and all fast ones that are there.
    machines : Machines
        Who does it; all of them must see the folder.

    Yields
    ------
    Outcome
        One for each certificate, whether it was accepted or not.

    Raises
    ------
    InputError
        If the manifest or the choice of checkers cannot be used, or the manifest is empty.
    JobError
        If a checker is missing.
    """
    chosen = tuple(checkers) if checkers else default_checkers()
    for name in chosen:
        if name not in CHECKERS:
            raise InputError(f"there is no checker {name!r}; there are {', '.join(CHECKERS)}")
        if name not in available_checkers():
            raise JobError(f"the checker {name!r} is not installed")
    certificates = read_manifest(folder)
    if not certificates:
        raise InputError(f"{Path(folder) / MANIFEST}: lists no certificates")
    units = [(certificate, Path(folder).absolute(), chosen) for certificate in certificates]
    yield from in_order(_outcome, units, machines=machines)


def _outcome(unit: tuple[Certificate, Path, tuple[str, ...]]) -> Outcome:
    certificate, folder, checkers = unit
    began = time.perf_counter()
    error = None
    try:
        _verify(certificate, folder, checkers)
    except TetrisPrinterError as refusal:
        error = str(refusal)
    return Outcome(certificate, checkers, error, time.perf_counter() - began)


def _verify(certificate: Certificate, folder: Path, checkers: Sequence[str]) -> None:
    formula = _load(folder / certificate.formula, certificate.formula_sha256)
    proof = _load(folder / certificate.proof, certificate.proof_sha256)
    if certificate.encoder != ENCODER_VERSION:
        raise JobError(
            f"{certificate.formula}: was made by version {certificate.encoder} of the encoding, "
            f"this is version {ENCODER_VERSION}"
        )
    if certificate.claim.formula().dimacs() != formula:
        raise JobError(f"{certificate.formula}: is not the formula of its claim")
    for name in checkers:
        try:
            CHECKERS[name](formula, proof)
        except ProofError as error:
            raise ProofError(f"{certificate.proof}: refused by {name}: {error}") from error
