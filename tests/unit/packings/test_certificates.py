import json
import lzma
import shutil
import stat
import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.manifests import edit_json
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings import certificates
from tetrisprinter.packings.certificates import (
    MANIFEST,
    Certificate,
    Claim,
    EmitterClaim,
    PlatformClaim,
    certify,
    estimate_clause_upper_bound,
    get_clause_lower_bound,
    read_manifest,
    verify,
)
from tetrisprinter.packings.model import PackingModel
from tetrisprinter.packings.problem import Packing, PackingProblem, list_platform_problems
from tetrisprinter.sat.proof_files import CHECKERS, File, choose_checkers
from tetrisprinter.sat.proof_files import load as load_file
from tetrisprinter.sat.proofs import ProofError


@settings(max_examples=20, deadline=None)
@given(
    st.builds(
        lambda width, rows, columns, strong: EmitterClaim(
            width, rows, tuple((x,) for x in sorted(columns)), strong, strong
        ),
        st.integers(6, 14),
        st.integers(2, 5),
        st.sets(st.integers(0, 3), min_size=1),
        st.booleans(),
    )
)
@example(PlatformClaim(9, (1, 3)))
def test_formulas_have_as_many_clauses_as_is_foretold(claim: Claim) -> None:
    """The bound from below refuses no formula, that from above makes none too large."""
    clauses = len(claim.make_model().clauses)
    assert get_clause_lower_bound(claim) <= clauses <= estimate_clause_upper_bound(claim)


def test_the_platform_claim_covers_all_ways_to_take_one_away() -> None:
    claimed = PlatformClaim(21, (0, 9)).list_problems()
    for column in (0, 9):
        below = frozenset(range(column, column + 3))
        for problem in list_platform_problems(21, column):
            assert replace(problem, squares=below) in claimed
    assert all(
        problem.last and {x for x, _ in problem.last.cells} <= edge
        for problem in claimed
        for edge in ({0, 1}, {19, 20})
        if problem.last and problem.last.x in edge
    )
    assert {p.last.orientation.piece.name for p in claimed if p.last} == {*"IJLOSTZ"}


CLAIM = EmitterClaim(13, 3, ((3,), (7,)))


@pytest.fixture(scope="module")
def original_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    assert isinstance(certify(CLAIM, folder), Certificate)
    assert isinstance(certify(PlatformClaim(21, (5,)), folder), Certificate)
    return folder


@pytest.fixture
def folder(original_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original_folder, tmp_path / "copy"))


def errors(folder: Path) -> list[str]:
    # Files and formulas are looked at before any checker; one is enough for the rest.
    return [outcome.error for outcome in verify(folder, ["own"]) if outcome.error is not None]


def store(folder: Path, which: str, text: str | bytes) -> None:
    """Replace a file of the first certificate and give the manifest its checksum."""
    packed = lzma.compress(text.encode()) if isinstance(text, str) else text

    def change(data: dict[str, Any]) -> None:
        entry = data["certificates"][0][which]
        (folder / entry["file"]).write_bytes(packed)
        entry["sha256"] = sha256(packed).hexdigest()

    edit_json(folder / MANIFEST, change)


def load(folder: Path, which: str) -> str:
    entry = json.loads((folder / MANIFEST).read_text())["certificates"][0][which]
    return lzma.decompress((folder / entry["file"]).read_bytes()).decode()


def test_what_can_be_packed_is_not_certified(tmp_path: Path) -> None:
    answer = certify(EmitterClaim(13, 3, ((3,), (4,), (7,))), tmp_path / "none")
    assert isinstance(answer, Packing)
    assert not (tmp_path / "none").exists()


def test_finished_certificates_are_kept_and_damaged_ones_made_again(folder: Path) -> None:
    """The same claim gives the same bytes."""
    files = [folder / f"{CLAIM.name}.{kind}.xz" for kind in ("drat", "lrat", "cnf")]
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    certify(CLAIM, folder)
    assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before
    files[0].write_bytes(before[0][0][:-1])
    certify(CLAIM, folder)
    assert [file.read_bytes() for file in files] == [data for data, _ in before]
    assert len(read_manifest(folder)) == 2


def test_files_that_are_not_compressed_are_caught(folder: Path) -> None:
    store(folder, "drat", b"0\n")
    assert "not xz" in errors(folder)[0]


def test_the_other_checker_refuses_a_step_that_does_not_follow(folder: Path) -> None:
    """``tests/acceptance/test_verifier_mutations.py`` shows it of our own."""
    check = CHECKERS["dratify"].check
    formula, proof = load(folder, "formula"), load(folder, "drat")
    check(formula, proof)
    for bad in ("0\n", "1 0\n" + proof, "", proof.rsplit("\n", 2)[0] + "\n", "x 0\n" + proof):
        with pytest.raises(ProofError):
            check(formula, bad)


VERDICTS = {"drat-trim": "s VERIFIED", "lrat-check": "c VERIFIED", "cake_lpr": "s VERIFIED UNSAT"}


def put_on_path(name: str, script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program on the PATH that says what the real one would."""
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.parametrize(
    ("script", "accepted"),
    [
        ("printf 'c reading\\rVERDICT\\n'", True),
        ("echo s NOT VERIFIED", False),
        ("echo s TIMEOUT", False),
        ("echo c NOT VERIFIED; echo VERDICT", False),
        ("echo VERDICT; exit 1", False),
        ("echo VERDICT >&2", False),
        ("echo c empty clause not derived at end of proof >&2", False),
        ("true", False),
    ],
)
def test_what_a_program_must_say(
    name: str, script: str, accepted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(name, script.replace("VERDICT", VERDICTS[name]), tmp_path, monkeypatch)
    assert name in choose_checkers(None)
    if accepted:
        CHECKERS[name].check("p cnf 0 0\n", "0\n")
    else:
        with pytest.raises(ProofError, match=f"{name} did not accept the proof"):
            CHECKERS[name].check("p cnf 0 0\n", "0\n")


@pytest.mark.parametrize("name", ["drat-trim", "cake_lpr"])
def test_a_program_is_given_the_formula_and_the_proof_in_its_form(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of this test looks at what it is given with our own checkers."""
    form = CHECKERS[name].form
    check = "check_rup" if form == "drat" else "check_lrat"
    script = (
        f"exec {sys.executable} -c 'import sys; from pathlib import Path as P;"
        "from tetrisprinter.sat.proofs import check_lrat, check_rup;"
        f'{check}(*(P(p).read_text() for p in sys.argv[1:])); print("{VERDICTS[name]}")\' $@'
    )
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[3]))
    put_on_path(name, script, tmp_path, monkeypatch)
    assert [o.error for o in verify(folder, [name])] == [None, None]
    store(folder, form, "0\n" if form == "drat" else "99999 0 1 0\n")
    (error,) = (o.error for o in verify(folder, [name]) if o.error is not None)
    assert f"refused by {name}" in error


def test_a_checker_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setitem(sys.modules, "dratify", None)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(JobError, match="'dratify' is not installed"):
        list(verify(folder, ["dratify"]))
    with pytest.raises(JobError, match="'cake_lpr' is not installed"):
        list(verify(folder, ["cake_lpr"]))
    with pytest.raises(InputError, match="unknown checker 'guess'"):
        list(verify(folder, ["guess"]))


@pytest.mark.parametrize(
    "wanted",
    [
        {"width": 10_000_000},
        {"width": 10**400},
        {"width": 0},
        {"rows": 10_000_000},
        {"rows": 100, "width": 100},
        {"positions": []},
        {"positions": [[12]]},
        {"positions": [[3]] * 200_000},
    ],
)
def test_claims_that_cannot_be_made_are_refused_at_once(folder: Path, wanted: object) -> None:
    edit_json(folder / MANIFEST, lambda data: data["certificates"][0]["claim"].update(wanted))
    with pytest.raises(InputError, match=r"claim|expected at most 25000000"):
        list(verify(folder))


def test_no_formula_is_made_that_must_be_longer_than_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = EmitterClaim(500, 3, ((3,), (7,)))

    def change(data: dict[str, Any]) -> None:
        data["certificates"][0].update(claim=claim.to_data(), words=claim.sentence)
        digest = sha256(json.dumps(claim.to_data(), sort_keys=True).encode()).hexdigest()
        data["contents"] = {**data["contents"], claim.name: digest}
        del data["contents"][CLAIM.name]
        data["contents"] = dict(sorted(data["contents"].items()))
        data["certificates"].reverse()

    edit_json(folder / MANIFEST, change)
    made: list[int] = []

    def record_width(problems: Sequence[PackingProblem], **more: bool) -> PackingModel:
        made.append(problems[0].width)
        return PackingModel(problems, **more)

    monkeypatch.setattr(certificates, "PackingModel", record_width)
    assert f"{CLAIM.name}.cnf.xz: differs from the formula" in list(verify(folder))[1].error  # type: ignore[operator]
    assert made == [21]


def test_what_is_too_large_to_be_verified_is_not_certified(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected at most 25000000"):
        certify(EmitterClaim(100, 100, ((3,),)), tmp_path)


def test_a_file_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    packed = lzma.compress(b"1 0\n" * 10**6)
    (tmp_path / "long").write_bytes(packed)
    file = File("long", sha256(packed).hexdigest())
    assert len(load_file(tmp_path, file, 4 * 10**6)) == 4 * 10**6
    with pytest.raises(JobError, match="longer than 1000000 characters"):
        load_file(tmp_path, file, 10**6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("{", "invalid JSON"),
        ("{}", "not a manifest"),
        ('{"format": 1, "certificates": []}', "not a manifest of format 2"),
        ('{"format": 2, "certificates": []}', "not a manifest of format 2"),
        ('{"format": 2, "contents": {}, "certificates": []}', "unexpected"),
        ('{"format": 2, "contents": {}, "certificates": [{}]}', "an entry lacks"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"format": ' + "1" * 10_000 + "}", "invalid JSON"),
    ],
)
def test_bad_manifests(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(InputError, match=message):
        list(verify(tmp_path))


@pytest.mark.parametrize("name", ["../proof.drat.xz", "", ".", "a/b", "a\0b", "\ud800"])
def test_files_outside_the_folder_are_refused(folder: Path, name: str) -> None:
    edit_json(folder / MANIFEST, lambda data: data["certificates"][0]["drat"].update(file=name))
    with pytest.raises(InputError, match="expected a name in the same folder"):
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
