"""The files of docs/extending meet the demands on everything registered."""

import importlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.contract.demands import finder_stands, format_stands, game
from tests.oracles.game import picture as replayed
from tests.support.processes import run_python
from tetrisprinter.api import print_picture
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.formats import FORMATS
from tetrisprinter.game.plan import Plan
from tetrisprinter.packings.finders import FINDERS
from tetrisprinter.packings.problem import Infeasible, Packing, make_emitter_problem
from tetrisprinter.pictures.picture import Picture

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
FILES = {
    path.name: path.read_text("utf-8")
    for path in sorted((DOCUMENT.parent / "extending").glob("*.py"))
}
LINES = dict(re.findall(r'The line:\s+`"(\w+)": "([\w.:]+)"`', DOCUMENT.read_text()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the document's files."""
    folder = tmp_path_factory.mktemp("toys")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def toy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The object that a line of the document names."""
    monkeypatch.syspath_prepend(str(folder))

    def load(name: str) -> Any:
        module, _, attribute = LINES[name].partition(":")
        return getattr(importlib.import_module(module), attribute)

    return load


COMMAND = "from tetrisprinter.cli import main\nmain()\n"


def run(
    folder: Path, registry: str, name: str, *command: str, does: str = COMMAND
) -> subprocess.CompletedProcess[str]:
    """Run the command line with the document's line added to a registry, or something else."""
    module, _, attribute = registry.partition(":")
    code = (
        f"from {module} import {attribute} as registry\n"
        f"registry.add({name!r}, {LINES[name]!r})\n"
        f"{does}"
    )
    (folder / "extended.py").write_text(code)
    return run_python(str(folder / "extended.py"), *command, folder=folder)  # fmt: skip


def test_the_document_has_a_file_and_a_line_for_each() -> None:
    assert {f"{place.partition(':')[0]}.py" for place in LINES.values()} == set(FILES)


def test_the_planner(toy: Any, folder: Path) -> None:
    planner = toy("pairs")
    blocks = Picture.parse("rr..\nrr..\nrrrr\nrrrr", "blocks")
    result = print_picture(blocks, planner=planner, board="auto", exact=True)
    assert (result.drops, result.planner) == (3, "pairs")
    column = result.task.column
    assert replayed(result.log()) == {(x + column, y): c for (x, y), c in blocks.cells().items()}
    for picture, message in (
        ("rrgg\nrrgg", "drawing: has more than one colour"),
        ("rr\n..\nrr", "drawing: row 1 from the top .* 'gap row'"),
        ("r.\nrr", "drawing: internal error: the print differs from the image in 1 squares"),
    ):
        with pytest.raises(TetrisPrinterError, match=message):
            print_picture(picture, planner=planner, board="auto", exact=True)
    place = "tetrisprinter.planners:PLANNERS"
    output = run(folder, place, "pairs", "print", "--help-all").stdout
    assert "pairs lays O beside O" in " ".join(output.split())
    image = Image.new("RGB", (4, 2), (200, 0, 0))
    image.save(folder / "bar.png")
    question = ("convert", "bar.png", "-o", "bar.txt", "--types", "auto", "--planner", "pairs")
    done = run(folder, place, "pairs", *question, "--board", "9x12")
    assert done.returncode == 0, done.stderr
    assert len(Plan.read(folder / "bar.txt")) == 2
    assert run(folder, place, "pairs", *question, "--board", "3x12", "--exact").returncode == 2


def test_the_renderer(folder: Path, tmp_path: Path) -> None:
    place = "tetrisprinter.render:RENDERERS"
    stands = (
        "import sys\nfrom pathlib import Path\n"
        f"sys.path.insert(0, {str(DOCUMENT.parents[1])!r})\n"
        "from tests.contract.demands import renderer_stands\n"
        f"renderer_stands(registry['ppm'], Path({str(tmp_path)!r}))\n"
    )
    done = run(folder, place, "ppm", does=stands)
    assert done.returncode == 0, done.stderr
    (folder / "plan.txt").write_text(FORMATS["text"].format(game(10, 22, 17, 30, seed=1)))
    done = run(folder, place, "ppm", "play", "plan.txt", "-o", "a.ppm", "--scale", "3")
    assert done.returncode == 0, done.stderr
    assert (folder / "a.ppm").read_bytes().startswith(b"P6 30 66 255\n")
    assert ".ppm" in run(folder, place, "ppm", "play", "--help").stdout
    refused = run(folder, place, "ppm", "play", "plan.txt", "-o", "a.bmp")
    assert refused.returncode == 2
    assert ".ppm" in refused.stderr


def test_the_format(toy: Any, folder: Path, tmp_path: Path) -> None:
    format_stands(toy("lines"), tmp_path)
    plan = game(10, 22, 17, 30, seed=1)
    text = toy("lines").format(plan)
    assert not any(form.can_parse(text) for form in FORMATS.values())
    (folder / "game").write_text(text)
    place = "tetrisprinter.formats:FORMATS"
    done = run(folder, place, "lines", "convert", "game", "-o", "plan.txt")
    assert done.returncode == 0, done.stderr
    assert FORMATS["text"].parse((folder / "plan.txt").read_text()) == plan
    run(folder, place, "lines", "convert", "plan.txt", "-o", "again.csv")
    assert (folder / "again.csv").read_text() == text
    output = run(folder, place, "lines", "convert", "--help").stdout
    assert ".csv is a list of drops" in " ".join(output.split())


def test_the_finder(toy: Any, folder: Path) -> None:
    finder = toy("plain")
    finder_stands(finder)
    assert finder.name == "plain"
    for column in range(7):
        problem = make_emitter_problem(9, 3, [column])
        assert isinstance(finder.find(problem), Infeasible if column == 3 else Packing)
    place = "tetrisprinter.packings.finders:FINDERS"
    question = (
        *("patterns", "find", "--emitted", "1", "--rows", "3"),
        *("--width", "9", "--finder", "plain"),
    )
    done = run(folder, place, "plain", *question, "--at", "4")
    assert done.returncode == 0, done.stderr
    Packing.parse(done.stdout, 1).check()
    assert run(folder, place, "plain", *question, "--at", "3").returncode == 1
    refused = run(folder, place, "plain", *question, "--at", "4", "--all")
    assert refused.returncode == 2
    assert "cpsat and sat" in refused.stderr
    assert "plain" not in FINDERS
