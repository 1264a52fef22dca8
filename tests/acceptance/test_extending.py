"""The files of docs/extending meet the demands on everything registered."""

import ast
import importlib
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.contract.demands import finder_stands, format_stands, game
from tests.oracles.game import picture as replayed
from tests.support.commands import ROOT
from tests.support.processes import run_python
from tetrisprinter.api import print_picture
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.formats import FORMATS
from tetrisprinter.game.plan import Plan
from tetrisprinter.packings.problem import Infeasible, Packing, make_emitter_problem
from tetrisprinter.pictures.picture import Picture

DOCUMENT = ROOT / "docs" / "extending.md"
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


EXTENDED = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from {module} import {attribute} as registry
registry.add({name!r}, {line!r})
{demand}
from tests.support.commands import run_here
print(repr([(done.returncode, done.stdout, done.stderr)
            for done in (run_here(words, Path()) for words in {commands!r})]))
"""
"""A program with the document's line added to a registry; it runs commands one after the other."""


def run(
    folder: Path, registry: str, name: str, *commands: tuple[str, ...], demand: str = ""
) -> list[tuple[int, str, str]]:
    """Run commands with a registry extended; return the exit code and the texts of each."""
    module, _, attribute = registry.partition(":")
    root, line = str(ROOT), LINES[name]
    (folder / "extended.py").write_text(EXTENDED.format_map(locals()))
    done = run_python(str(folder / "extended.py"), folder=folder)
    assert done.returncode == 0, done.stderr
    answers: list[tuple[int, str, str]] = ast.literal_eval(done.stdout)
    return answers


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
        ("r.\nrr", "drawing: internal error: the print differs from the image in 1 squares"),
    ):
        with pytest.raises(TetrisPrinterError, match=message):
            print_picture(picture, planner=planner, board="auto", exact=True)
    Image.new("RGB", (4, 2), (200, 0, 0)).save(folder / "bar.png")
    question = ("convert", "bar.png", "-o", "bar.txt", "--types", "auto", "--planner", "pairs")
    shown, done = run(
        folder, "tetrisprinter.planners:PLANNERS", "pairs",
        ("print", "--help-all"),
        (*question, "--board", "9x12"),
    )  # fmt: skip
    assert "pairs lays O beside O" in " ".join(shown[1].split())
    assert done[0] == 0, done
    assert len(Plan.read(folder / "bar.txt")) == 2


def test_the_renderer(folder: Path, tmp_path: Path) -> None:
    (folder / "plan.txt").write_text(FORMATS["text"].format(game(10, 22, 17, 30, seed=1)))
    demand = (
        "from tests.contract.demands import renderer_stands\n"
        f"renderer_stands(registry['ppm'], Path({str(tmp_path)!r}))\n"
    )
    done, shown = run(
        folder, "tetrisprinter.render:RENDERERS", "ppm",
        ("play", "plan.txt", "-o", "a.ppm", "--scale", "3"),
        ("play", "--help"),
        demand=demand,
    )  # fmt: skip
    assert done[0] == 0, done
    assert (folder / "a.ppm").read_bytes().startswith(b"P6 30 66 255\n")
    assert ".ppm" in shown[1]


def test_the_format(toy: Any, folder: Path, tmp_path: Path) -> None:
    format_stands(toy("lines"), tmp_path)
    plan = game(10, 22, 17, 30, seed=1)
    text = toy("lines").format(plan)
    assert not any(form.can_parse(text) for form in FORMATS.values())
    (folder / "game").write_text(text)
    done, _, shown = run(
        folder, "tetrisprinter.formats:FORMATS", "lines",
        ("convert", "game", "-o", "plan.txt"),
        ("convert", "plan.txt", "-o", "again.csv"),
        ("convert", "--help"),
    )  # fmt: skip
    assert done[0] == 0, done
    assert FORMATS["text"].parse((folder / "plan.txt").read_text()) == plan
    assert (folder / "again.csv").read_text() == text
    assert ".csv is a list of drops" in " ".join(shown[1].split())


def test_the_finder(toy: Any, folder: Path) -> None:
    finder = toy("plain")
    finder_stands(finder)
    assert finder.name == "plain"
    for column in range(7):
        problem = make_emitter_problem(9, 3, [column])
        assert isinstance(finder.find(problem), Infeasible if column == 3 else Packing)
    question = (
        *("patterns", "find", "--emitted", "1", "--rows", "3"),
        *("--width", "9", "--finder", "plain", "--at"),
    )
    found, none = run(
        folder, "tetrisprinter.packings.finders:FINDERS", "plain",
        (*question, "4"),
        (*question, "3"),
    )  # fmt: skip
    assert found[0] == 0, found
    Packing.parse(found[1], 1).check()
    assert none[0] == 1
