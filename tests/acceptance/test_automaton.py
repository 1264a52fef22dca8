import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import ROOT, Run
from tests.support.processes import make_command, obey_interrupts
from tests.support.waiting import wait_until
from tetrisprinter.packings.problem import Packing

SHIPPED = ROOT / "tetrisprinter" / "packings" / "automaton" / "data"


def test_rows(run: Run) -> None:
    result = run("patterns automaton query --width 401 --at 200 --rows 3 --pattern")
    verdict, drawn = result.stdout.split("\n", 1)
    assert verdict == "3 rows print it"
    Packing.parse(drawn, 1).check()
    result = run("patterns automaton query --width 21 --at 3 --json", code=1)
    assert json.loads(result.stdout)["status"] == "infeasible"
    # A square under the row changes what one row of matrix can do.
    for row in ("..o.", "###"):
        assert run("patterns automaton query --row", row).stdout == "1 row prints it\n"
    for options in (("###", "--rows", 3), ("....",)):
        assert "do not print" in run("patterns automaton query --row", *options, code=1).stdout
    answer = json.loads(run("patterns automaton query --emitted 4 --rows 4 --json").stdout)
    assert answer["all"] == {"early": [], "start": 13, "period": 1, "residues": [0]}


def test_build_writes_what_is_shipped(run: Run, tmp_path: Path) -> None:
    answer = json.loads(run("patterns automaton build 2 1 -o made --json").stdout)
    assert [a["minimal"] for a in answer["automata"]] == [32, 9]
    for name in ("rows1.json", "rows2.json"):
        assert (tmp_path / "made" / name).read_bytes() == (SHIPPED / name).read_bytes()


def test_atlas(run: Run, tmp_path: Path) -> None:
    table = run("patterns atlas --width 20..21 --emitted 1,2 --format csv").stdout
    assert table.splitlines()[0] == "width,emitted,rows,rows1,rows2,rows3,rows4,rows5,rows6,without"
    assert table.splitlines()[-1] == "21,2,136,0,3,0,0,0,133,0"
    drawn = run("patterns atlas --width 20..21 --emitted 1,2").stdout
    assert len(drawn.splitlines()) == len(table.splitlines()) == 5
    assert run("patterns atlas --width 20..21 --emitted 1,2 --workers 2").stdout == drawn
    assert "do not fit" in run("patterns atlas --width 3 --emitted 2", code=2).stderr
    output = run("patterns atlas --width 21 --emitted 1 --rows 3 --positions").stdout
    assert output.splitlines()[-1] == "width 21, 1 emitted, none at: 3 7 11 15"
    run("patterns atlas --width 5..21 --emitted 1..3 --picture map.png")
    picture = Image.open(tmp_path / "map.png").convert("RGB")
    assert picture.width > 100
    assert len(picture.getcolors(1 << 20) or ()) > 5
    listed = json.loads(run("patterns atlas --width 9 --format json").stdout)["atlas"]
    assert [entry["emitted"] for entry in listed] == [1, 2, 3]


def test_many_images_side_by_side(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrisprinter.cli.printing._PARALLEL_FROM", 9)
    images = [tmp_path / f"{n}.png" for n in range(9)]
    for image in images:
        Image.new("RGBA", (3, 1), "red").save(image)
    images[5].write_bytes(b"no picture")
    outcomes = []
    for workers in (1, 2):
        words = ("-o", f"out{workers}/", "--workers", workers, "--json", "--planner", "article")
        result = run("print", *images, *words, code=2)
        reports = json.loads(result.stdout)
        assert [Path(r["image"]).stem for r in reports] == [str(n) for n in range(9) if n != 5]
        pictures = [(tmp_path / f"out{workers}" / f"{n}.png").read_bytes() for n in (0, 8)]
        outcomes.append((result.stderr, [r["drops"] for r in reports], pictures))
    assert outcomes[0] == outcomes[1]
    assert "5.png" in outcomes[0][0]


def test_an_interrupted_table_is_continued(run: Run, tmp_path: Path) -> None:
    command = ["patterns", "build", "-o", "tables", "--emitted", "4", "--workers", "2"]
    with obey_interrupts():
        process = subprocess.Popen(
            make_command(*command),
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    journal = tmp_path / "tables" / ".emitters4.txt.journal"
    wait_until(lambda: process.poll() is not None or (journal.exists() and journal.read_bytes()))
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: everybody gets it
    _, stderr = process.communicate(timeout=300)
    assert (process.returncode, stderr.strip()) == (130, "tetrisprinter: stopping")
    done = journal.read_bytes().count(b"\n")
    assert 0 < done < 23
    assert not (tmp_path / "tables" / "emitters4.txt").exists()
    run(*command)
    assert not journal.exists()
    shipped = ROOT / "patterns" / "emitters4.txt"
    assert (tmp_path / "tables" / "emitters4.txt").read_bytes() == shipped.read_bytes()


def test_verify(run: Run, tmp_path: Path) -> None:
    output = run("patterns automaton verify --rows 1,2").stdout
    assert "2 rows over any squares: 208 legal transitions" in output
    assert "of 455 states" in output
    for name in ("rows1.json", "rows2.json"):
        shutil.copy(SHIPPED / name, tmp_path)
    assert run("patterns automaton verify . --rows 1,2").stdout == output
    data = json.loads((tmp_path / "rows2.json").read_text(encoding="utf-8"))
    data["core"][0][3] = "L0 0 1"
    (tmp_path / "rows2.json").write_text(json.dumps(data), encoding="utf-8")
    refuted = run("patterns automaton verify . --rows 1,2 --json", code=1)
    reports = json.loads(refuted.stdout)["automata"]
    assert reports[0]["states"] == 20
    assert "is not legal" in reports[1]["refuted"]
    assert "is not legal" in run("patterns automaton verify . --rows 2", code=1).stderr
    refused = run("patterns automaton verify . --rows 3", code=2).stderr
    assert "rows3.json: cannot be read: no such file" in refused
