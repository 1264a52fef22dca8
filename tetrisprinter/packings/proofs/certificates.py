"""Certificates: a formula and its proofs, for somebody else's checker.

A certificate of a claim is the formula that the claim's problems encode to, a proof that
it has no model, in DRAT and in LRAT form, and an entry in the folder's ``manifest.json``:
the claim in words and as data, the checksums of the files, and what made them. The
manifest also lists apart what the folder must contain, so that an entry that was taken
away or weakened is noticed. Files are xz-compressed text; there is nothing in them that a
command line cannot unpack.

Nothing here is trusted. :func:`verify` makes each formula again from its claim, compares
it byte by byte, and gives formula and proofs to
:mod:`tetrisprinter.packings.proofs.checkers`, our own and those made by others. What is
left to believe is that the formula says what the claim says; ``docs/encoding.md`` argues
that, a second encoder written from that page agrees, and the tests compare with brute force.
"""

from __future__ import annotations

import json
import lzma
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.packings.finders.cnf import ENCODER_VERSION
from tetrisprinter.packings.finders.sat import DEFAULT_SOLVER, Refutation, refute
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.proofs import lrat
from tetrisprinter.packings.proofs.checkers import CHECKERS, available_checkers, default_checkers
from tetrisprinter.packings.proofs.claims import Claim, check_size, fewest_clauses, parse_claim
from tetrisprinter.packings.proofs.rup import ProofError
from tetrisprinter.support.executors import HERE, Machines, in_order
from tetrisprinter.support.files import read_text, shipped, write_bytes, write_text

__all__ = [
    "MANIFEST",
    "Certificate",
    "Outcome",
    "certify",
    "read_manifest",
    "shipped_folder",
    "verify",
]

MANIFEST: Final = "manifest.json"
_FORMAT: Final = 2
_FILES: Final = ("formula", "drat", "lrat")
_XZ: Final = b"\xfd7zXZ\0"
_MOST_TEXT: Final = 2**29
"""Characters of a file, unpacked; a few bytes can be packed that unpack without end."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a certificate: its name, and the checksum of its bytes as they are stored."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """An entry of a manifest.

    Attributes
    ----------
    claim : Claim
        What is impossible.
    formula, drat, lrat : File
        The formula, and a proof in each form.
    solver : str
        What found the proof.
    encoder : int
        :data:`~tetrisprinter.packings.finders.cnf.ENCODER_VERSION` when the formula was made.
    """

    claim: Claim
    formula: File
    drat: File
    lrat: File
    solver: str
    encoder: int

    @property
    def name(self) -> str:
        """The claim's name."""
        return self.claim.name

    @property
    def files(self) -> tuple[File, File, File]:
        """The formula, and its proofs in both forms."""
        return self.formula, self.drat, self.lrat

    def data(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {
            "words": self.claim.words,
            "claim": self.claim.data(),
            **{
                kind: {"file": file.name, "sha256": file.sha256}
                for kind, file in zip(_FILES, self.files, strict=True)
            },
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
        files = []
        match data:
            case {
                "words": str(words),
                "claim": claim_data,
                "solver": str(solver),
                "encoder": int(encoder),
                **rest,
            }:
                claim = parse_claim(claim_data)
                for kind in _FILES:
                    match rest.get(kind):
                        case {"file": str(name), "sha256": str(checksum)}:
                            files.append(File(name, checksum))
                        case _:
                            raise InputError(f"the entry of {claim.name} lacks its {kind} file")
            case _:
                raise InputError("an entry lacks words, claim, solver or encoder")
        if words != claim.words:
            raise InputError(f"the words of {claim.name} are not those of its claim")
        if not all(re.fullmatch(r"\w[\w.+-]*", file.name, re.ASCII) for file in files):
            raise InputError(f"the files of {claim.name} must lie in the manifest's own folder")
        formula, drat, lrat = files
        return cls(claim, formula, drat, lrat, solver, encoder)


def shipped_folder() -> Path:
    """Return the folder of the certificates that come with the package."""
    return shipped("encodings")


def read_manifest(folder: str | Path) -> tuple[Certificate, ...]:
    """Read the manifest of a folder, and see that it contains what it says it must.

    Raises
    ------
    InputError
        If it is missing or malformed.
    JobError
        If an entry was taken away, put in, or claims something else.
    """
    path = Path(folder) / MANIFEST
    contents, certificates = _read_manifest(path)
    found = {c.name: _digest(c.claim) for c in certificates}
    for name in sorted(contents.keys() | found.keys()):
        if name not in found:
            raise JobError(f"{path}: the certificate {name!r} is missing, the contents list it")
        if name not in contents:
            raise JobError(f"{path}: the certificate {name!r} is none that the contents list")
        if contents[name] != found[name]:
            raise JobError(f"{path}: {name} does not claim what the contents say it does")
    if len(found) < len(certificates):
        raise JobError(f"{path}: has two certificates of one name")
    return certificates


def _read_manifest(path: Path) -> tuple[Mapping[str, str], tuple[Certificate, ...]]:
    """What a manifest must contain, as checksums of claims by name, and what it does."""
    try:
        data = json.loads(read_text(path))
    except RecursionError:
        raise InputError(f"{path}: is nested too deeply for a manifest") from None
    except ValueError as error:
        raise InputError(f"{path}: is not JSON: {error}") from error
    match data:
        case {"format": 2, "contents": {**contents}, "certificates": [*entries]}:
            pass
        case _:
            raise InputError(f"{path}: is not a manifest of format {_FORMAT}")
    try:
        checksums = {str(name): str(checksum) for name, checksum in contents.items()}
        return checksums, tuple(map(Certificate.parse, entries))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _digest(claim: Claim) -> str:
    return sha256(json.dumps(claim.data(), sort_keys=True).encode("ascii")).hexdigest()


def _write_manifest(
    folder: Path, contents: Mapping[str, str], certificates: Mapping[str, Certificate]
) -> None:
    data = {
        "format": _FORMAT,
        "rebuild": "tetrisprinter patterns build --prove; any one: tetrisprinter prove",
        "contents": dict(sorted(contents.items())),
        "certificates": [c.data() for _, c in sorted(certificates.items())],
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
        If the solver or the folder cannot be used, or the formula would be too large.
    ProofError
        If the solver's proof does not pass our own checker; nothing is written then.
    """
    check_size(claim)
    folder = Path(folder)
    contents: Mapping[str, str] = {}
    known: dict[str, Certificate] = {}
    if (folder / MANIFEST).exists():
        contents, certificates = _read_manifest(folder / MANIFEST)
        known = {c.name: c for c in certificates}
    contents = {**contents, claim.name: _digest(claim)}
    kept = known.get(claim.name)
    if kept and kept.claim == claim and kept.encoder == ENCODER_VERSION and _intact(kept, folder):
        return kept
    formula = claim.formula()
    answer = refute(formula, solver=solver)
    if not isinstance(answer, Refutation):
        return answer
    text = formula.dimacs()
    proof = "\n".join(_finished(answer.proof)) + "\n"
    hinted = lrat.write(text, proof)  # checks every step
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from error
    files = []
    for kind, content in (("cnf", text), ("drat", proof), ("lrat", hinted)):
        packed = lzma.compress(content.encode("ascii"), preset=9)
        file = File(f"{claim.name}.{kind}.xz", sha256(packed).hexdigest())
        write_bytes(folder / file.name, packed)
        files.append(file)
    cnf, drat, hints = files
    certificate = Certificate(claim, cnf, drat, hints, answer.solver, ENCODER_VERSION)
    known[claim.name] = certificate
    _write_manifest(folder, contents, known)
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
        for file in certificate.files:
            _load(folder, file)
    except TetrisPrinterError:
        return False
    return True


def _load(folder: Path, file: File) -> str:
    path = folder / file.name
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from error
    if sha256(packed).hexdigest() != file.sha256:
        raise JobError(f"{path}: is damaged: its checksum is not that of the manifest")
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        text = unpacker.decompress(packed, _MOST_TEXT).decode("ascii")
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise JobError(f"{path}: is not xz-compressed text") from error
    if not packed.startswith(_XZ):  # a start too short for the unpacker to say so
        raise JobError(f"{path}: is not xz-compressed text")
    if not unpacker.eof:
        raise JobError(f"{path}: is cut short, or longer than {_MOST_TEXT} characters")
    return text


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
        If a checker or an entry of the manifest is missing.
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
    formula = _load(folder, certificate.formula)
    proofs = {
        "drat": (certificate.drat, _load(folder, certificate.drat)),
        "lrat": (certificate.lrat, _load(folder, certificate.lrat)),
    }
    name = certificate.formula.name
    if certificate.encoder != ENCODER_VERSION:
        raise JobError(
            f"{name}: was made by version {certificate.encoder} of the encoding, this is version "
            f"{ENCODER_VERSION}"
        )
    # Nothing large is made for a claim whose formula cannot be so small.
    if (
        formula.count("\n") <= fewest_clauses(certificate.claim)
        or certificate.claim.formula().dimacs() != formula
    ):
        raise JobError(f"{name}: is not the formula of its claim")
    for checker in checkers:
        file, proof = proofs[CHECKERS[checker].form]
        try:
            CHECKERS[checker].check(formula, proof)
        except ProofError as error:
            raise ProofError(f"{file.name}: refused by {checker}: {error}") from error
