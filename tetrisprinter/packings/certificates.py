"""Certificates of claims: make them, list them in a manifest, check them with external checkers.

A certificate of a claim is the formula of its problems, a proof in DRAT and in LRAT form that the
formula has no model, and an entry in the folder's ``manifest.json``: the claim as a sentence and as
data, the checksums of the files, and the solver. The manifest also has a separate list of all
claims, which reveals entries that were removed or weakened. Files are xz-compressed text.

Nothing in a folder is trusted: :func:`verify` makes each formula again from its claim, compares it
byte by byte, and passes formula and proofs to the :mod:`~tetrisprinter.sat.checkers`, our own and
those of others. What must be trusted is that the formula means the claim. ``docs/encoding.md``
argues that it does, a second encoder written from that page agrees, and the tests compare with
brute force.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.packings.claims import (
    Claim,
    check_size,
    get_clause_lower_bound,
    list_emitter_claims,
    make_platform_claim,
    parse_claim,
)
from tetrisprinter.packings.model import ENCODER_VERSION, PackingModel
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.tables import read_positions
from tetrisprinter.sat.checkers import (
    check_proof,
    choose_checkers,
)
from tetrisprinter.sat.files import (
    File,
    Files,
    check_canonical_text,
    check_files,
    encode_files,
    load,
    read_files,
    store_proof,
)
from tetrisprinter.sat.solve import DEFAULT_SOLVER, Refutation, find_model_or_refutation
from tetrisprinter.support.executors import HERE, Machines, yield_in_order
from tetrisprinter.support.files import find_shipped_folder, parse_json, read_text, write_text

MANIFEST: Final = "manifest.json"
"""The name of the file that lists a folder's certificates."""

_FORMAT: Final = 2
_MAX_BYTES: Final = 2**25
"""The most bytes of a manifest."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """An entry of a manifest.

    Attributes
    ----------
    claim : Claim
        The claim of impossibility.
    formula, drat, lrat : File
        The formula, and a proof in each form.
    solver : str
        The solver that found the proof, with the version of python-sat.
    encoder : int
        :data:`~tetrisprinter.packings.model.ENCODER_VERSION` when the formula was made.
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
    def files(self) -> Files:
        """The formula, and its proofs in both forms."""
        return self.formula, self.drat, self.lrat

    def to_data(self) -> dict[str, Any]:
        """Return the entry as plain data for :meth:`parse`."""
        return {
            "words": self.claim.sentence,
            "claim": self.claim.to_data(),
            **encode_files(self.files),
            "solver": self.solver,
            "encoder": self.encoder,
        }

    @classmethod
    def parse(cls, data: object) -> Certificate:
        """Read an entry of a manifest; raise an InputError if the data are not a valid entry."""
        match data:
            case {
                "words": str(sentence),
                "claim": claim_data,
                "solver": str(solver),
                "encoder": int(encoder),
                **files_data,
            }:
                claim = parse_claim(claim_data)
            case _:
                raise InputError("an entry lacks words, claim, solver or encoder")
        if not re.fullmatch(r"[a-z0-9]+ \(python-sat [\w.]+\)", solver, re.ASCII):
            raise InputError(f"the solver of {claim.name} is not a solver of python-sat")
        if sentence != claim.sentence:
            raise InputError(f"'words' of {claim.name} does not match its claim")
        return cls(claim, *read_files(files_data, f"the entry of {claim.name}"), solver, encoder)


def get_certificates_folder() -> Path:
    """Return the folder of the certificates that come with the package."""
    return find_shipped_folder("encodings")


def read_manifest(folder: str | Path) -> tuple[Certificate, ...]:
    """Read the manifest of a folder and compare its entries with its list of claims.

    Parameters
    ----------
    folder : str or Path
        The folder of the manifest.

    Returns
    -------
    tuple of Certificate
        The certificates, no two with the same name. Their files have not been read.

    Raises
    ------
    InputError
        If the manifest is missing or malformed.
    JobError
        If an entry was removed, added or changed.
    """
    path = Path(folder) / MANIFEST
    contents, certificates = read_entries(path)
    claim_hashes = {c.name: hash_claim(c.claim) for c in certificates}
    for name in sorted(contents.keys() | claim_hashes.keys()):
        if name not in claim_hashes:
            raise JobError(f"{path}: the certificate {name!r} is listed but missing")
        if name not in contents:
            raise JobError(f"{path}: the certificate {name!r} is not listed")
        if contents[name] != claim_hashes[name]:
            raise JobError(f"{path}: the claim of {name!r} differs from the contents")
    if len(claim_hashes) < len(certificates):
        raise JobError(f"{path}: two certificates have the same name")
    check_canonical_text(path, read_text(path), _format_manifest(contents, certificates))
    listed = {file.name for certificate in certificates for file in certificate.files}
    check_files(path.parent, listed | {MANIFEST})
    return certificates


def read_entries(path: Path) -> tuple[Mapping[str, str], tuple[Certificate, ...]]:
    """Return the contents of a manifest (a checksum for each claim's name) and its entries."""
    if path.exists() and not (path.is_file() and path.stat().st_size <= _MAX_BYTES):
        raise InputError(f"{path}: not a file of at most {_MAX_BYTES} bytes")
    data = parse_json(read_text(path), str(path))
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


def hash_claim(claim: Claim) -> str:
    """Return the checksum of a claim's data."""
    return sha256(json.dumps(claim.to_data(), sort_keys=True).encode("ascii")).hexdigest()


def write_manifest(
    folder: Path, contents: Mapping[str, str], certificates: Mapping[str, Certificate]
) -> None:
    """Write the manifest of a folder, atomically."""
    write_text(folder / MANIFEST, _format_manifest(contents, certificates.values()))


def _format_manifest(contents: Mapping[str, str], certificates: Iterable[Certificate]) -> str:
    """Return the only text of a manifest that :func:`read_manifest` accepts."""
    data = {
        "format": _FORMAT,
        "rebuild": "tetrisprinter patterns build --prove; any one: tetrisprinter patterns prove",
        "contents": dict(sorted(contents.items())),
        "certificates": [c.to_data() for c in sorted(certificates, key=lambda c: c.name)],
    }
    # Write each list of numbers on one line.
    numbers = re.sub(r"\[[\d\s,]+\]", lambda m: " ".join(m[0].split()), json.dumps(data, indent=1))
    return numbers + "\n"


def certify(
    claim: Claim, folder: str | Path, *, solver: str = DEFAULT_SOLVER
) -> Certificate | Packing | None:
    """Prove a claim and write its certificate, unless the folder has it already.

    Parameters
    ----------
    claim : Claim
        The claim to prove.
    folder : str or Path
        The folder of the certificate, made if necessary. Its manifest gets an entry after the
        files are written.
    solver : str
        A solver of python-sat that writes proofs. The same solver and version write the same bytes.

    Returns
    -------
    Certificate, Packing or None
        The certificate if the claim holds. Otherwise nothing is written, and the result is a
        packing that refutes the claim, or None if presets may drop later, which a packing cannot
        express.

    Raises
    ------
    InputError
        If the solver or the folder cannot be used, or the formula would be too large.
    ProofError
        If our own checker refuses the solver's proof. Nothing is written then.
    """
    check_size(claim)
    folder = Path(folder)
    contents: Mapping[str, str] = {}
    certificates_by_name: dict[str, Certificate] = {}
    if (folder / MANIFEST).exists():
        contents, certificates = read_entries(folder / MANIFEST)
        certificates_by_name = {c.name: c for c in certificates}
    contents = {**contents, claim.name: hash_claim(claim)}
    existing = certificates_by_name.get(claim.name)
    if (
        existing
        and existing.claim == claim
        and existing.encoder == ENCODER_VERSION
        and _is_intact(existing, folder)
    ):
        return existing
    model = claim.make_model()
    answer = find_packing_or_refutation(model, solver=solver)
    if not isinstance(answer, Refutation):
        return answer
    cnf, drat, hints = store_proof(folder, claim.name, model.to_dimacs(), answer)
    certificate = Certificate(claim, cnf, drat, hints, answer.solver, ENCODER_VERSION)
    certificates_by_name[claim.name] = certificate
    write_manifest(folder, contents, certificates_by_name)
    return certificate


def find_packing_or_refutation(
    model: PackingModel, *, solver: str = DEFAULT_SOLVER
) -> Packing | Refutation | None:
    """Return a packing, or a proof that a formula has no model.

    Returns None if there is a model but ``model.presets_first`` is false: in that model a preset
    may drop later, which a packing cannot express.
    """
    answer = find_model_or_refutation(list(map(list, model.clauses)), solver=solver)
    if isinstance(answer, Refutation):
        return answer
    return model.decode(answer) if model.presets_first else None


def _is_intact(certificate: Certificate, folder: Path) -> bool:
    """Return whether all files of a certificate exist with the right checksums."""
    try:
        for file in certificate.files:
            load(folder, file)
    except TetrisPrinterError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of checking a certificate."""

    certificate: Certificate
    checkers: tuple[str, ...]  # the names of the checkers
    error: str | None = None  # why the certificate was refused; None if it was accepted
    seconds: float = 0.0


def verify(
    folder: str | Path, checkers: Sequence[str] | None = None, *, machines: Machines = HERE
) -> Iterator[Outcome]:
    """Check every certificate of a folder.

    Parameters
    ----------
    folder : str or Path
        A folder with a manifest.
    checkers : sequence of str or None
        Names in :data:`CHECKERS`; None means our checkers and all fast ones that are installed.
    machines : Machines
        The processes or machines that check; all must have access to the folder.

    Yields
    ------
    Outcome
        The result for each certificate, accepted or refused.

    Raises
    ------
    InputError
        If the manifest or the choice of checkers cannot be used, or the manifest is empty.
    JobError
        If a checker or an entry of the manifest is missing.
    """
    chosen = choose_checkers(checkers)
    certificates = read_manifest(folder)
    if not certificates:
        raise InputError(f"{Path(folder) / MANIFEST}: no certificates; expected at least one")
    units = [(certificate, Path(folder).absolute(), chosen) for certificate in certificates]
    yield from yield_in_order(_check_unit, units, machines=machines)


def _check_unit(unit: tuple[Certificate, Path, tuple[str, ...]]) -> Outcome:
    """Check one certificate and measure the time; this may run in another process."""
    certificate, folder, checkers = unit
    began = time.perf_counter()
    error = None
    try:
        _verify_certificate(certificate, folder, checkers)
    except TetrisPrinterError as refusal:
        error = str(refusal)
    return Outcome(certificate, checkers, error, time.perf_counter() - began)


def _verify_certificate(certificate: Certificate, folder: Path, checkers: Sequence[str]) -> None:
    """Check a certificate; raise an error if something is wrong."""
    formula = load(folder, certificate.formula)
    name = certificate.formula.name
    if certificate.encoder != ENCODER_VERSION:
        raise JobError(
            f"{name}: made by version {certificate.encoder} of the encoding; expected version "
            f"{ENCODER_VERSION}"
        )
    # Compare sizes first, so that a small file cannot demand a huge formula.
    if (
        formula.count("\n") <= get_clause_lower_bound(certificate.claim)
        or certificate.claim.make_model().to_dimacs() != formula
    ):
        raise JobError(f"{name}: differs from the formula of its claim")
    check_proof(folder, formula, (certificate.drat, certificate.lrat), checkers)


def prove_emitters(
    packings: Sequence[Packing],
    folder: str | Path,
    *,
    on_certificate: Callable[[Certificate], None] = lambda _: None,
) -> list[Packing]:
    """Certify that the entries of a table are minimal; replace those that are not.

    Existing certificates are kept, so an interrupted call can be repeated.
    """
    entries = {read_positions(packing): packing for packing in packings}
    while True:
        smaller_packing = None
        for claim in list_emitter_claims(entries.values()):
            answer = certify(claim, folder)
            if not isinstance(answer, Certificate):  # try the claim under the tables' own rules
                answer = certify(replace(claim, squares_hold=False, any_order=False), folder)
            if isinstance(answer, Certificate):
                on_certificate(answer)
            else:
                smaller_packing = answer
                break
        if smaller_packing is None:
            return list(entries.values())
        entries[read_positions(smaller_packing)] = smaller_packing


def prove_platforms(platforms: Iterable[Packing], folder: str | Path) -> Certificate | None:
    """Certify that no other platforms exist; return None if each column has a platform."""
    claim = make_platform_claim(platforms)
    if claim is None:
        return None
    answer = certify(claim, folder)
    if not isinstance(answer, Certificate):
        raise JobError(f"the tables lack a platform:\n{answer}")
    return answer
