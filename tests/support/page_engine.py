"""The engine of the page under node, and the same questions answered by this Python."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.support.commands import EXAMPLES
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.studio import page_engine
from tetrisprinter.studio.engine_files import NODE

__all__ = ["FIVE", "ask_here", "ask_node", "describe_print", "list_plans", "prepare_print"]

_WORKER = Path(page_engine.__file__).parent / "static" / "page_worker.js"
_SCRIPT = Path(__file__).with_name("engine.mjs")

FIVE = {
    "bar": "a=d03020\naaa.aaa",
    "hook": "a=d03020 b=2040a0\na..bb\naaabb",
    "ring": "a=208040\n.aaaa.\naa..aa\naa..aa\n.aaaa.",
    "glyph": str(load_picture(EXAMPLES / "glyph.png")),
    "invader": str(load_picture(EXAMPLES / "invader.png")),
}
"""Drawings of the daily test."""


def ask_node(engine: Path, questions: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Ask the engine under node, one question after the other."""
    lines = "".join(json.dumps({"what": what, "asked": asked}) + "\n" for what, asked in questions)
    command = [*NODE, str(_SCRIPT), str(engine), str(_WORKER)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ask_here(what: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the same module in this Python."""
    events: list[dict[str, Any]] = []
    told = json.loads(
        page_engine.answer(what, json.dumps(asked), lambda e: events.append(json.loads(e)))
    )
    return {**told, "events": events}


def describe_print(drawing: str, **options: Any) -> dict[str, Any]:
    """Return the request of a drawing; ``effort`` is for its print alone."""
    named = {"kind": "drawing", "source": drawing, "name": "drawn", "repair": True}
    return {**named, "effort": 1, **options}


def prepare_print(request: dict[str, Any]) -> dict[str, Any]:
    """Return the job of a request, as the page makes it."""
    task = ask_here("prepare", request)
    assert "error" not in task, task
    settings = {"name": "drawn", "effort": request["effort"], "seed": 0, "workers": 1}
    return {"work": "print", **task["answer"], **settings}


def list_plans(answer: dict[str, Any]) -> list[str]:
    """Return every plan that was sent, in its order."""
    assert "error" not in answer, answer
    return [news["plan"] for news in answer["events"] if news["event"] == "best"]
