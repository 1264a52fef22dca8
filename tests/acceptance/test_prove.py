import json
import shutil
from pathlib import Path

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

from tests.support.commands import Run, run_here
from tests.support.processes import run_python
from tetrisprinter.packings.problem import Packing


def test_possible(run: Run, tmp_path: Path) -> None:
    result = run("patterns prove --emitted 2 --rows 2 -o out --json", code=10)
    report = json.loads(result.stdout)
    assert report["found"]
    text = (tmp_path / report["steps"][-1]["files"][0]).read_text()
    packing = Packing.parse(text, 2)
    packing.check()
    assert packing.problem.rows == 2


def test_a_folder_with_proofs_and_the_pattern_above_them_is_verified(
    run: Run, tmp_path: Path
) -> None:
    run("patterns prove --emitted 1 --minimum --at 7 -o out", code=10)
    checked = run("verify out").stdout
    pattern = tmp_path / "out" / "width21-emitted1-rows7-at7.txt"
    assert "width21-emitted1-rows3-at7: proved (" in checked
    assert "out/width21-emitted1-rows7-at7.txt: 7 rows, 36 pieces: correct\n" in checked
    (alone := tmp_path / "alone").mkdir()
    shutil.copy(pattern, alone)
    assert json.loads(run("verify alone --json").stdout)["things"][0]["kind"] == "patterns"
    text = pattern.read_text()
    pattern.write_text(text.translate(str.maketrans("Be", "eB")))
    assert f"{pattern.name}: piece " in run("verify out", code=1).stderr
    pattern.write_text(text)
    pattern.rename(pattern.with_name("width21-emitted1-rows7-at8.txt"))
    assert "its pattern is not the one that its name says" in run("verify out", code=1).stderr
    pattern.with_name("notes.txt").write_text("")
    assert "notes.txt: belongs to no certificate" in run("verify out", code=1).stderr


def test_what_the_automaton_finds_is_not_asked_of_a_solver(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "tetrisprinter.packings.patterns.certify"
    monkeypatch.setattr(name, lambda *_, **__: pytest.fail("a formula was made"))
    run("patterns prove --emitted 2 --rows 6 -o out", code=10)
    (kept,) = (tmp_path / "out").iterdir()
    assert kept.name.startswith("width21-emitted2-rows6-at")
    assert kept.read_text().count("\n") == 6


def test_arithmetic(run: Run, tmp_path: Path) -> None:
    run("patterns prove --emitted 1 --rows 3 --width 20 -o out", code=20)
    assert list((tmp_path / "out").iterdir()) == []
    never = run("patterns prove --emitted 1 --minimum --width 20 -o out", code=20).stdout
    assert never == "r rows: impossible: 20 r - 3 is never a multiple of 4\n"
    alone = run("patterns prove --emitted 1 --rows 5 --width 3", code=20).stdout
    assert alone.startswith("5 rows: impossible: the emitter pieces alone complete the lowest row")


def test_no_height_up_to_a_limit(run: Run) -> None:
    given = "--emitted", 0, "--minimum", "--width", 1, "-o", "out", "--up-to", 8
    assert "no matrix of up to 8 rows" in run("patterns prove", *given, code=1).stderr


@pytest.mark.slow
def test_shipped_certificates(run: Run) -> None:
    lines = run("verify").stdout.splitlines()
    assert lines[-5:-1] == [
        "the tables: 1872 patterns and 10 platforms replayed",
        "smaller heights: 5891, of which 5250 are excluded by divisibility and 641 are certified",
        "columns without a platform: 9, certified",
        "so among gap-free matrices every height is minimal, and no platform is missing",
    ]
    assert lines[-1].startswith("checked by own, own-lrat, dratify")
    assert lines[-1].endswith("at least two makers")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate."""
    folder = tmp_path_factory.mktemp("certificate")
    words = ["patterns", "prove", "--emitted", "1", "--rows", "3", "--at", "7", "-o", "out"]
    answer = run_here(words, folder)
    assert answer.returncode == 20
    assert "3 rows: impossible; CP-SAT: infeasible after " in answer.stdout
    assert "CaDiCaL: refuted in 656 steps, proof checked" in answer.stdout
    return folder / "out"


def test_impossible(run: Run, tmp_path: Path, certificate: Path) -> None:
    shutil.copytree(certificate, tmp_path / "out")
    (entry,) = json.loads(run("verify out --json").stdout)["things"][0]["certificates"]
    assert entry["error"] is None
    assert {"own", "dratify"} <= {*entry["checkers"]}
    (proof,) = (tmp_path / "out").glob("*.drat.xz")
    proof.write_bytes(proof.read_bytes()[:-9])
    assert proof.name in run("verify out", code=1).stderr


def test_our_own_checkers_alone(run: Run, tmp_path: Path, certificate: Path) -> None:
    """They are enough; only --two-makers asks for more."""
    shutil.copytree(certificate, tmp_path / "out")
    *_, last = run("verify out --checker own").stdout.splitlines()
    assert last.startswith("checked by own; for a checker of another maker add --checker dratify")
    *_, last = run("verify out --checker dratify").stdout.splitlines()
    assert last.startswith("checked by dratify; for a checker of another maker add --checker own")
    assert json.loads(run("verify out --checker own --json").stdout)["independent"] is False
    run("verify out --checker own --two-makers", code=3)
    run("verify out --checker own --checker dratify")
    without = (
        "import sys; sys.modules['dratify'] = None; from tetrisprinter.cli import main; main()"
    )
    nowhere = {"PATH": "/nowhere"}
    result = run_python("-c", without, "verify", "out", folder=tmp_path, env=nowhere)
    assert result.returncode == 0, result.stderr
    assert "checked by own, own-lrat; for" in result.stdout.splitlines()[-1]
    assert "two makers" not in result.stdout


def test_search_by_exact_finders(run: Run) -> None:
    question = "patterns", "find", "--emitted", 1, "--rows", 3, "--width", 13, "--at", 4
    assert run("patterns", "count", *question[2:]).stdout == "emitters at 4: 4\n"
    for finder in ("sat", "cpsat"):
        drawn = run(*question, "--all", "--finder", finder).stdout.strip().split("\n\n")
        assert len({frozenset(Packing.parse(text, 1).pieces) for text in drawn}) == 4
    few = run(*question, "--finder", "cpsat", "--fewest", "SZ", "--json")
    assert json.loads(few.stdout)["results"][0]["status"] == "packing"


def test_any_solver_s_model_decodes(run: Run, tmp_path: Path) -> None:
    question = "patterns", "find", "--emitted", 1, "--rows", 3, "--at", 6
    run(*question, "--save", "f.cnf")
    formula = CNF(from_file=str(tmp_path / "f.cnf"))
    with Solver("minisat22", bootstrap_with=formula.clauses) as solver:
        assert solver.solve()
        model = solver.get_model()
    printed = "s SATISFIABLE\nv " + " ".join(map(str, model)) + " 0\n"
    (tmp_path / "model.txt").write_text(printed)
    Packing.parse(run(*question, "--model", "model.txt").stdout, 1).check()
    for answer, refusal in (
        ("s UNSATISFIABLE\n", "model.txt:1: the solver found no model"),
        ("s SATISFIABLE\n", "model.txt: no literal in this file; expected the answer of a solver"),
    ):
        (tmp_path / "model.txt").write_text(answer)
        assert refusal in run(*question, "--model", "model.txt", code=2).stderr
    (tmp_path / "model.txt").write_text("s SATISFIABLE\nv 1 -2 y3 0\n")
    refusal = run(*question, "--model", "model.txt", code=2).stderr
    assert "model.txt:2: invalid 'y3' in column 8; expected literals" in refusal


def test_things_of_all_kinds_are_verified_at_once(
    run: Run, tmp_path: Path, certificate: Path
) -> None:
    plan = (Path(__file__).parent / "heart-plan.txt").read_text()
    (tmp_path / "p.txt").write_text(plan)
    shutil.copytree(certificate, tmp_path / "out")
    run("convert p.txt -o log.drops.json")
    both = run("verify p.txt log.drops.json out").stdout.splitlines()
    assert both[0].removeprefix("p.txt") == both[1].removeprefix("log.drops.json")
    assert both[0].endswith("drops played, 108 lines cleared, 104 squares left")
    assert both[3] == "proved: 1 set of columns cannot be left by so few rows"
    log = json.loads((tmp_path / "log.drops.json").read_text())
    log["drops"][0]["cells"] = log["drops"][-1]["cells"]
    (tmp_path / "log.drops.json").write_text(json.dumps(log))
    assert "log.drops.json" in run("verify log.drops.json", code=2).stderr
