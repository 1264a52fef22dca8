"""Certificates of bounds: whatever is taken away, weakened or claimed too much is noticed."""

import json
import shutil
from ast import literal_eval
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, Draw, Run
from tests.support.manifests import edit_json
from tests.support.processes import run_python
from tests.support.small_tasks import make_two_color_task
from tetrisprinter.bounds import verifier
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.bounds.certificate_writer import ProofCheckpoint, certify_bound
from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.stack_formulas import iterate_questions_below, list_questions
from tetrisprinter.bounds.stacks import trim_to_final_rows
from tetrisprinter.bounds.verifier import (
    BOUND,
    BoundCertificate,
    check_arithmetic,
    read_bound,
    verify_bound,
)
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Task

OWN = ("own", "own-lrat")


TASK = make_two_color_task(12)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bound")
    certify_bound(prove_bound(TASK.target), ProofCheckpoint(folder, TASK))
    return folder


@pytest.fixture
def folder(certificate: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(certificate, tmp_path / "copy"))


def refusals(folder: Path) -> list[str]:
    return [one.error for one in verify_bound(folder, OWN) if one.error is not None]


@pytest.mark.slow
def test_a_bound_of_a_large_picture_by_small_windows_is_proved(tmp_path: Path) -> None:
    task = Task.of(load_picture(EXAMPLES / "cat.png"), (18, 26))
    bound = prove_bound(task.target, max_bound=80, certified=True)
    assert bound.after >= 80 > bound.parts
    assert all(step.refuted and not step.stacks for step in bound.steps)
    certify_bound(bound, ProofCheckpoint(tmp_path, task))
    assert refusals(tmp_path) == []
    edit_json(tmp_path / BOUND, lambda data: data["questions"][-1]["views"].pop())
    with pytest.raises(TetrisPrinterError):
        refusals(tmp_path)


def test_the_verifier_needs_no_solver_and_no_search(certificate: Path) -> None:
    program = (
        "import sys; sys.modules['pysat'] = sys.modules['ortools'] = None\n"
        "from tetrisprinter.bounds.verifier import verify_bound\n"
        f"print([one.error for one in verify_bound({str(certificate)!r}, {OWN!r})])\n"
        "print(sorted(name for name in sys.modules if name.startswith('tetrisprinter.')))\n"
    )
    output = run_python("-c", program, check=True).stdout
    errors, modules = map(literal_eval, output.splitlines())
    assert not any(errors)
    assert len(errors) > 1
    found = {name.removeprefix("tetrisprinter.bounds.") for name in modules}
    assert not found & {"bound_search", "certificate_writer"}
    assert not any("planners" in name or "finders" in name for name in modules)


def test_what_is_larger_than_may_be_is_not_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "_MOST_SQUARES", 3)
    with pytest.raises(JobError, match="more than 3 squares"):
        list(verify_bound(folder, OWN))


@pytest.mark.parametrize(
    ("picture", "background"), [(".rr..b\nrr..b.", None), ("r.b\nb..", "808080")]
)
def test_the_arithmetic_needs_every_refuted_number_of_rows(
    picture: str, background: str | None
) -> None:
    """Four times the drops are squares, optional squares and rows: no row count may be missing."""
    task = Task.of(Picture.parse(picture), (6, 12), "auto", background, 0)
    target = trim_to_final_rows(task.target)
    first = find_drop_bound(target)
    bound = next(drops for drops in range(first + 2, first + 40) if list_questions(target, drops))
    questions = {(q.lines, q.spare): () for q in iterate_questions_below(target, bound)}
    certificate = BoundCertificate(TASK, bound, questions, {})
    check_arithmetic(target, certificate)
    for missing in questions:
        others = {key: () for key in questions if key != missing}
        with pytest.raises(JobError, match=f"may clear {missing[0]} rows"):
            check_arithmetic(target, replace(certificate, nogoods=others))


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 1, "bound": 3}'])
def test_what_is_no_certificate_is_said_to_be_none(folder: Path, text: str) -> None:
    (folder / BOUND).write_text(text)
    with pytest.raises(InputError, match=r"bound\.json"):
        read_bound(folder)


def test_what_was_found_is_found_again(tmp_path: Path) -> None:
    record = ProofCheckpoint(tmp_path, TASK)
    first = prove_bound(TASK.target, known_nogoods=record.known_nogoods, remember=record.remember)
    assert not record.known_nogoods
    torn = tmp_path / "begun.jsonl"
    torn.write_text(torn.read_text() + "[1, 0, {")
    again = ProofCheckpoint(tmp_path, TASK)
    step = first.steps[0]
    assert set(again.known_nogoods[step.question]) == {*step.nogoods, *step.unneeded}
    found: list[object] = []
    bound = prove_bound(
        TASK.target,
        known_nogoods=again.known_nogoods,
        remember=lambda *one: found.append(one),
    )
    assert bound.after == first.after
    assert not found


def test_what_time_is_too_short_to_prove_is_not_claimed(tmp_path: Path) -> None:
    hurried = ProofCheckpoint(tmp_path, TASK, ends=0.0)
    bound = prove_bound(TASK.target, remember=hurried.remember, settle=hurried.prove)
    certify_bound(bound, hurried)
    assert bound.stopped
    assert bound.after == bound.before == read_bound(tmp_path).bound
    assert not refusals(tmp_path)
    again = ProofCheckpoint(
        tmp_path, TASK
    )  # the windows are kept, only the proofs are still to be written
    bound_again = prove_bound(
        TASK.target,
        known_nogoods=again.known_nogoods,
        remember=lambda *_: pytest.fail("it was known"),
        settle=again.prove,
    )
    certify_bound(bound_again, again)
    assert read_bound(tmp_path).bound > bound.after
    assert not refusals(tmp_path)


def test_another_picture_needs_another_folder(folder: Path) -> None:
    with pytest.raises(InputError, match="another folder"):
        ProofCheckpoint(folder, make_two_color_task(12, ".rr..b\nrr..bb"))


def test_the_commands_make_and_check_it(run: Run, draw: Draw) -> None:
    draw("a.png", ".rr..b", "rr..b.")
    types = "I=d03020,J=3060c0,L=d03020,O=3060c0,S=d03020,T=3060c0,Z=d03020"
    asked = ("a.png", "--board", "6x12", "--types", types, "--workers", 1)
    result = run("bound", *asked, "--certificate", "c", "--plan", "p.txt", "--json")
    report = json.loads(result.stdout)
    assert (report["before"], report["bound"], report["game"]) == (3, 6, 6)
    assert report["games"] == "hard drops"
    checked = run("verify c --checker own --json").stdout
    assert json.loads(checked)["things"][0]["bound"] == 6
    run("play p.txt -o p.png --json")
    output = run("bound", *asked).stdout
    assert "no game of hard drops on 6x12 has fewer than 6, and one has 6" in output
    until = json.loads(run("bound", *asked, "--until", 6, "--json").stdout)
    assert (until["bound"], until["game"], until["stopped"]) == (6, None, False)
    assert all(step["refuted"] for step in until["steps"])
    assert len(until["steps"]) == len(report["steps"]) - 1
    printed = json.loads(run("print -o b.png --planner rows --prove --json", *asked).stdout)
    assert (printed["drops"], printed["bound"], printed["proof"]) == (6, 6, "all games")
