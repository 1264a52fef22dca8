from __future__ import annotations

import json
import lzma
import shutil
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.proofs import certificates
from tetrisprinter.packings.proofs.certificates import (
    MANIFEST,
    Certificate,
    certify,
    read_manifest,
    verify,
)
from tetrisprinter.packings.proofs.claims import EmitterClaim, PlatformClaim
from tetrisprinter.packings.proofs.rup import ProofError

CLAIM = EmitterClaim(13, 3, ((3,), (7,)))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    assert isinstance(certify(CLAIM, folder), Certificate)
    assert isinstance(certify(PlatformClaim(21, (5,)), folder), Certificate)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def errors(folder: Path) -> list[str]:
    return [outcome.error for outcome in verify(folder) if outcome.error is not None]


def store(folder: Path, which: str, text: str) -> None:
    """Replace a file of the first certificate and give the manifest its checksum."""
    data = json.loads((folder / MANIFEST).read_text())
    entry = data["certificates"][0][which]
    packed = lzma.compress(text.encode())
    (folder / entry["file"]).write_bytes(packed)
    entry["sha256"] = sha256(packed).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(data))


def load(folder: Path, which: str) -> str:
    entry = json.loads((folder / MANIFEST).read_text())["certificates"][0][which]
    return lzma.decompress((folder / entry["file"]).read_bytes()).decode()


def test_certificates_are_accepted_by_two_checkers(folder: Path) -> None:
    outcomes = list(verify(folder))
    assert [outcome.error for outcome in outcomes] == [None, None]
    assert all({"own", "dratify"} <= {*outcome.checkers} for outcome in outcomes)
    assert outcomes[0].certificate.claim == CLAIM


def test_the_same_claim_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    certify(CLAIM, tmp_path / "again")
    for name in (f"{CLAIM.name}.cnf.xz", f"{CLAIM.name}.drat.xz"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_what_can_be_packed_is_not_certified(tmp_path: Path) -> None:
    answer = certify(EmitterClaim(13, 3, ((3,), (4,), (7,))), tmp_path / "none")
    assert isinstance(answer, Packing)
    assert not (tmp_path / "none").exists()


def test_finished_certificates_are_kept_and_damaged_ones_made_again(folder: Path) -> None:
    proof = folder / f"{CLAIM.name}.drat.xz"
    before = proof.read_bytes(), proof.stat().st_mtime_ns
    certify(CLAIM, folder)
    assert (proof.read_bytes(), proof.stat().st_mtime_ns) == before
    proof.write_bytes(before[0][:-1])
    certify(CLAIM, folder)
    assert proof.read_bytes() == before[0]
    assert len(read_manifest(folder)) == 2


@pytest.mark.parametrize("which", ["formula", "proof"])
@pytest.mark.parametrize("where", [0.0, 0.3, 0.99])
def test_a_damaged_byte_is_caught(folder: Path, which: str, where: float) -> None:
    name = json.loads((folder / MANIFEST).read_text())["certificates"][0][which]["file"]
    data = bytearray((folder / name).read_bytes())
    data[int(where * len(data))] ^= 1
    (folder / name).write_bytes(data)
    (error,) = errors(folder)
    assert name in error
    assert "checksum" in error


@pytest.mark.parametrize("which", ["formula", "proof"])
def test_a_missing_file_is_caught(folder: Path, which: str) -> None:
    name = json.loads((folder / MANIFEST).read_text())["certificates"][0][which]["file"]
    (folder / name).unlink()
    (error,) = errors(folder)
    assert name in error
    assert "no such file" in error


def test_a_truncated_proof_is_caught_even_with_a_new_checksum(folder: Path) -> None:
    lines = load(folder, "proof").splitlines(keepends=True)
    store(folder, "proof", "".join(lines[:-1]))
    (error,) = errors(folder)
    assert "refused by own: the proof ends without the empty clause" in error
    store(folder, "proof", "0\n")
    assert "does not follow" in errors(folder)[0]


def test_a_swapped_formula_is_caught_even_with_a_proof_that_fits(folder: Path) -> None:
    store(folder, "formula", "p cnf 1 2\n1 0\n-1 0\n")
    store(folder, "proof", "0\n")
    (error,) = errors(folder)
    assert "is not the formula of its claim" in error


def test_a_claim_that_says_more_is_caught(folder: Path) -> None:
    data = json.loads((folder / MANIFEST).read_text())
    data["certificates"][0]["claim"]["positions"].append([5])
    (folder / MANIFEST).write_text(json.dumps(data))
    with pytest.raises(InputError, match="words"):
        list(verify(folder))
    data["certificates"][0]["words"] = EmitterClaim(13, 3, ((3,), (7,), (5,))).words
    (folder / MANIFEST).write_text(json.dumps(data))
    (error,) = errors(folder)
    assert "is not the formula of its claim" in error


def test_files_that_are_not_compressed_are_caught(folder: Path) -> None:
    data = json.loads((folder / MANIFEST).read_text())
    entry = data["certificates"][0]["proof"]
    (folder / entry["file"]).write_bytes(b"0\n")
    entry["sha256"] = sha256(b"0\n").hexdigest()
    (folder / MANIFEST).write_text(json.dumps(data))
    assert "not xz" in errors(folder)[0]


@pytest.mark.parametrize("name", ["own", "dratify"])
def test_each_checker_refuses_a_step_that_does_not_follow(name: str, folder: Path) -> None:
    formula, proof = load(folder, "formula"), load(folder, "proof")
    checker = certificates.CHECKERS[name]
    checker(formula, proof)
    for bad in ("0\n", "", proof.rsplit("\n", 2)[0] + "\n", "1 0\n" + proof, "x 0\n" + proof):
        with pytest.raises(ProofError):
            checker(formula, bad)


@pytest.mark.parametrize(
    ("script", "accepted"),
    [
        ("printf 'c reading\\rs VERIFIED\\n'", True),
        ("echo s NOT VERIFIED", False),
        ("echo s TIMEOUT", False),
        ("echo s NOT VERIFIED; echo s VERIFIED", False),
        ("echo s VERIFIED; exit 1", False),
        ("echo s VERIFIED >&2", False),
        ("true", False),
    ],
)
def test_what_a_program_must_say(
    script: str, accepted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "drat-trim"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert "drat-trim" in certificates.default_checkers()
    if accepted:
        certificates.CHECKERS["drat-trim"]("p cnf 0 0\n", "0\n")
    else:
        with pytest.raises(ProofError, match="drat-trim does not say"):
            certificates.CHECKERS["drat-trim"]("p cnf 0 0\n", "0\n")


def test_one_checker_alone_is_not_enough(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(certificates, "available_checkers", lambda: ("own", "drup"))
    with pytest.raises(JobError, match="dratify"):
        list(verify(folder))
    with pytest.raises(JobError, match="'dratify' is not installed"):
        list(verify(folder, ["dratify"]))
    with pytest.raises(InputError, match="no checker 'guess'"):
        list(verify(folder, ["guess"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("{}", "not a manifest"),
        ('{"format": 2, "certificates": []}', "not a manifest"),
        ('{"format": 1, "certificates": []}', "no certificates"),
        ('{"format": 1, "certificates": [{}]}', "an entry lacks"),
    ],
)
def test_bad_manifests(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(InputError, match=message):
        list(verify(tmp_path))


def test_files_outside_the_folder_are_refused(folder: Path) -> None:
    data = json.loads((folder / MANIFEST).read_text())
    data["certificates"][0]["proof"]["file"] = "../proof.drat.xz"
    (folder / MANIFEST).write_text(json.dumps(data))
    with pytest.raises(InputError, match="own folder"):
        list(verify(folder))


@pytest.mark.parametrize("solver", ["glucose42", "cadical153"])
def test_other_solvers_proofs_are_as_good(solver: str, tmp_path: Path) -> None:
    certificate = certify(CLAIM, tmp_path, solver=solver)
    assert isinstance(certificate, Certificate)
    assert solver in certificate.solver
    assert errors(tmp_path) == []


def test_a_proof_that_needs_no_step_gets_its_empty_clause(tmp_path: Path) -> None:
    """One row: propagation is enough, and a solver may not write anything."""
    certify(EmitterClaim(21, 1, ((0, 3, 6),)), tmp_path, solver="glucose42")
    assert errors(tmp_path) == []
