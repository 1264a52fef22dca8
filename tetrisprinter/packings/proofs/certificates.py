"""Make certificates (a formula and its proofs) and check them with external checkers.

:mod:`tetrisprinter.packings.proofs.manifest` describes their contents. Nothing in them is trusted:
:func:`verify` makes each formula again from its claim, compares it byte by byte, and passes formula
and proofs to the :mod:`~tetrisprinter.packings.proofs.checkers`, our own and those of others. What
must be trusted is that the formula means the claim. ``docs/encoding.md`` argues that it does, a
second encoder written from that page agrees, and the tests compare with brute force.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.packings.finders.cnf import ENCODER_VERSION
from tetrisprinter.packings.finders.sat import (
    DEFAULT_SOLVER,
    Refutation,
    find_packing_or_refutation,
)
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.proofs import lrat
from tetrisprinter.packings.proofs.checkers import (
    CHECKERS,
    check_proof,
    choose_default_checkers,
    list_available_checkers,
)
from tetrisprinter.packings.proofs.claims import Claim, check_size, get_clause_lower_bound
from tetrisprinter.packings.proofs.files import Files, load, store
from tetrisprinter.packings.proofs.manifest import (
    MANIFEST,
    Certificate,
    hash_claim,
    read_entries,
    read_manifest,
    write_manifest,
)
from tetrisprinter.support.executors import HERE, Machines, yield_in_order
from tetrisprinter.support.files import make_folder


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
    formula = claim.encode()
    answer = find_packing_or_refutation(formula, solver=solver)
    if not isinstance(answer, Refutation):
        return answer
    text = formula.to_dimacs()
    cnf, drat, hints = store_proof(folder, claim.name, text, answer)
    certificate = Certificate(claim, cnf, drat, hints, answer.solver, ENCODER_VERSION)
    certificates_by_name[claim.name] = certificate
    write_manifest(folder, contents, certificates_by_name)
    return certificate


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
        or certificate.claim.encode().to_dimacs() != formula
    ):
        raise JobError(f"{name}: differs from the formula of its claim")
    check_proof(folder, formula, (certificate.drat, certificate.lrat), checkers)
