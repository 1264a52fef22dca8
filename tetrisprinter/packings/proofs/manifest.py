"""The contents of a certificate, and the manifest that lists the certificates of a folder.

A certificate of a claim is the formula of its problems, a proof in DRAT and in LRAT form that the
formula has no model, and an entry in the folder's ``manifest.json``: the claim as a sentence and as
data, the checksums of the files, and the solver. The manifest also has a separate list of all
claims, which reveals entries that were removed or weakened. Files are xz-compressed text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.proofs.claims import Claim, parse_claim
from tetrisprinter.packings.proofs.files import (
    File,
    Files,
    check_canonical_text,
    check_files,
    encode_files,
    read_files,
)
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
        "rebuild": "tetrisprinter proofs patterns build --prove; "
        "any one: tetrisprinter proofs prove",
        "contents": dict(sorted(contents.items())),
        "certificates": [c.to_data() for c in sorted(certificates, key=lambda c: c.name)],
    }
    # Write each list of numbers on one line.
    numbers = re.sub(r"\[[\d\s,]+\]", lambda m: " ".join(m[0].split()), json.dumps(data, indent=1))
    return numbers + "\n"
