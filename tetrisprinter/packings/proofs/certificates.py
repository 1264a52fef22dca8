"""Make certificates (a formula and its proofs) and check them with external checkers.

What they consist of is described in :mod:`tetrisprinter.packings.proofs.manifest`. Nothing in
them is trusted. :func:`verify` makes each formula again from its claim, compares
it byte by byte, and gives formula and proofs to
:mod:`tetrisprinter.packings.proofs.checkers`, our own and those made by others. What is
left to believe is that the formula says what the claim says; ``docs/encoding.md`` argues
that, a second encoder written from that page agrees, and the tests compare with brute force.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.packings.finders.cnf import ENCODER_VERSION
from tetrisprinter.packings.finders.sat import DEFAULT_SOLVER, Refutation, refute
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.proofs import lrat
from tetrisprinter.packings.proofs.checkers import (
    CHECKERS,
    check_proof,
    choose_default_checkers,
    list_available_checkers,
)
from tetrisprinter.packings.proofs.claims import Claim, check_size, estimate_fewest_clauses
from tetrisprinter.packings.proofs.files import File, load, store
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
        contents, certificates = read_entries(folder / MANIFEST)
        known = {c.name: c for c in certificates}
    contents = {**contents, claim.name: hash_claim(claim)}
    kept = known.get(claim.name)
    if (
        kept
        and kept.claim == claim
        and kept.encoder == ENCODER_VERSION
        and _is_intact(kept, folder)
    ):
        return kept
    formula = claim.formula()
    answer = refute(formula, solver=solver)
    if not isinstance(answer, Refutation):
        return answer
    text = formula.to_dimacs()
    cnf, drat, hints = store_proof(folder, claim.name, text, answer)
    certificate = Certificate(claim, cnf, drat, hints, answer.solver, ENCODER_VERSION)
    known[claim.name] = certificate
    write_manifest(folder, contents, known)
    return certificate


def store_proof(
    folder: Path,
    name: str,
    formula: str,
    answer: Refutation,
    *,
    preset: int = 9,
    pulse: Callable[[], None] = lambda: None,
) -> tuple[File, File, File]:
    """Write a formula and a proof that it has no model, in both forms."""
    proof = "\n".join(_finish_proof(answer.proof)) + "\n"
    hinted = lrat.write(formula, proof, pulse)  # checks every step
    make_folder(folder)
    texts = (formula, proof, hinted)
    cnf, drat, hints = (
        store(folder, f"{name}.{kind}", text, preset=preset)
        for kind, text in zip(("cnf", "drat", "lrat"), texts, strict=True)
    )
    return cnf, drat, hints


def _finish_proof(proof: Sequence[str]) -> Iterator[str]:
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


def _is_intact(certificate: Certificate, folder: Path) -> bool:
    try:
        for file in certificate.files:
            load(folder, file)
    except TetrisPrinterError:
        return False
    return True


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
    chosen = choose_checkers(checkers)
    certificates = read_manifest(folder)
    if not certificates:
        raise InputError(f"{Path(folder) / MANIFEST}: lists no certificates")
    units = [(certificate, Path(folder).absolute(), chosen) for certificate in certificates]
    yield from yield_in_order(_judge_outcome, units, machines=machines)


def choose_checkers(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the checkers asked for, or ours and all fast ones that are there."""
    chosen = tuple(names) if names else choose_default_checkers()
    for name in chosen:
        if name not in CHECKERS:
            raise InputError(f"there is no checker {name!r}; there are {', '.join(CHECKERS)}")
        if name not in list_available_checkers():
            raise JobError(f"the checker {name!r} is not installed")
    return chosen


def _judge_outcome(unit: tuple[Certificate, Path, tuple[str, ...]]) -> Outcome:
    certificate, folder, checkers = unit
    began = time.perf_counter()
    error = None
    try:
        _verify_certificate(certificate, folder, checkers)
    except TetrisPrinterError as refusal:
        error = str(refusal)
    return Outcome(certificate, checkers, error, time.perf_counter() - began)


def _verify_certificate(certificate: Certificate, folder: Path, checkers: Sequence[str]) -> None:
    formula = load(folder, certificate.formula)
    name = certificate.formula.name
    if certificate.encoder != ENCODER_VERSION:
        raise JobError(
            f"{name}: was made by version {certificate.encoder} of the encoding, this is version "
            f"{ENCODER_VERSION}"
        )
    # Nothing large is made for a claim whose formula cannot be so small.
    if (
        formula.count("\n") <= estimate_fewest_clauses(certificate.claim)
        or certificate.claim.formula().to_dimacs() != formula
    ):
        raise JobError(f"{name}: is not the formula of its claim")
    check_proof(folder, formula, (certificate.drat, certificate.lrat), checkers)
