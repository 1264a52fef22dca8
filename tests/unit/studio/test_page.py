"""The page: its engine under node, its files, and all of it in a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tetrisprinter as tp
from tests.support.commands import EXAMPLES
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.studio import in_page
from tetrisprinter.studio.publishing import default_cache
from tetrisprinter.studio.wasm import NODE, make_engine

ROOT = Path(__file__).resolve().parents[3]
WORKER = ROOT / "tetrisprinter" / "studio" / "static" / "page_worker.js"
FIVE = {
    "bar": "a=d03020\naaa.aaa",
    "hook": "a=d03020 b=2040a0\na..bb\naaabb",
    "ring": "a=208040\n.aaaa.\naa..aa\naa..aa\n.aaaa.",
    "glyph": str(load_picture(EXAMPLES / "glyph.png")),
    "invader": str(load_picture(EXAMPLES / "invader.png")),
}


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, compiled unless it is in the cache."""
    for command in (NODE[0], "npm"):
        if shutil.which(command) is None:
            pytest.skip(f"no {command} here")
    folder = tmp_path_factory.mktemp("engine")
    try:
        make_engine(folder, default_cache())
    except TetrisPrinterError as error:
        pytest.skip(f"the engine cannot be made: {error}")
    return folder


def ask_node(engine: Path, questions: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Ask the engine under node, one question after the other."""
    lines = "".join(json.dumps({"what": what, "asked": asked}) + "\n" for what, asked in questions)
    command = [*NODE, str(ROOT / "tests" / "support" / "engine.mjs"), str(engine), str(WORKER)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ask_here(what: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the same module in this Python."""
    events: list[dict[str, Any]] = []
    told = json.loads(
        in_page.answer(what, json.dumps(asked), lambda e: events.append(json.loads(e)))
    )
    return {**told, "events": events}


def wanted(drawing: str) -> dict[str, Any]:
    return {"kind": "drawing", "source": drawing, "name": "drawn", "repair": True}


def plans(answer: dict[str, Any]) -> list[str]:
    """Every plan that was told, in its order."""
    assert "error" not in answer, answer
    return [news["plan"] for news in answer["events"] if news["event"] == "best"]


def test_plans_are_those_of_the_command_byte_for_byte(engine: Path) -> None:
    tasks = [ask_here("prepare", wanted(drawing))["answer"] for drawing in FIVE.values()]
    works = [
        ("work", {"work": "print", **task, "name": "drawn", "effort": 1, "seed": 0, "workers": 1})
        for task in tasks
    ]
    looks = [("preview", wanted(drawing)) for drawing in FIVE.values()]
    there = ask_node(engine, [*looks, *works])
    for (what, asked), answer in zip([*looks, *works], there, strict=True):
        here = ask_here(what, asked)
        assert plans(answer) == plans(here)
        if what == "preview":
            assert answer["answer"] == here["answer"]
    for drawing, answer in zip(FIVE.values(), there[len(looks) :], strict=True):
        result = tp.print_picture(tp.Picture.parse(drawing))
        assert plans(answer)[-1] == str(result.plan)
