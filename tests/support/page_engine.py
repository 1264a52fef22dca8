"""The page's engine and image class under Node.js, and the same engine in this Python."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from PIL import Image

from tests.support.commands import EXAMPLES
from tetrisprinter.pictures.convert import Pixels
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.studio import page_engine
from tetrisprinter.studio.page import NODE

_STATIC = Path(page_engine.__file__).parent / "static"
_HERE = Path(__file__).parent

FIVE = {
    "bar": "a=d03020\naaa.aaa",
    "hook": "a=d03020 b=2040a0\na..bb\naaabb",
    "ring": "a=208040\n.aaaa.\naa..aa\naa..aa\n.aaaa.",
    "glyph": str(load_picture(EXAMPLES / "glyph.png")),
    "invader": str(load_picture(EXAMPLES / "invader.png")),
}
"""The drawings of the test that runs in the suite, by name."""


class _NodeScript:
    """A script under Node.js that answers lines of JSON with lines of JSON."""

    def __init__(self, *arguments: str | Path) -> None:
        command = [*NODE, *map(str, arguments)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, question: dict[str, Any]) -> Any:
        """Send a question; return its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line[:1] in '{"':  # else a warning of the engine
                return json.loads(line)
        raise AssertionError(f"node ended: {question}")

    def close(self) -> None:
        """End the script."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._process.wait(60)


class NodeEngine(_NodeScript):
    """The engine under Node.js; an answer includes its events and its CPU seconds."""

    def __init__(self, engine: Path) -> None:
        super().__init__(_HERE / "engine.mjs", engine, _STATIC / "page_worker.js")

    def ask(self, what: str, options: dict[str, Any]) -> dict[str, Any]:
        """Send a request of a kind (``what``) with its options; return the answer."""
        answer: dict[str, Any] = self.send({"what": what, "options": options})
        return answer


class NodePixels(Pixels):
    """An image as the page's JavaScript sees it, decoded by Pillow instead of a browser."""

    def __init__(self, node: _NodeScript, data: dict[str, Any]) -> None:
        self._node, self._number = node, data["number"]
        self.width, self.height, self.was = data["width"], data["height"], data["was"]
        self.block, self.colors = data["block"], data["colors"]
        self.clear, self.half = data["clear"], data["half"]
        self.is_art, self.is_dithered = data["art"], data["dithered"]

    @classmethod
    @contextmanager
    def decode(cls, image: Image.Image) -> Iterator[NodePixels]:
        """Start Node.js with an image; yield the image."""
        node = _NodeScript(_HERE / "pixels.mjs", _STATIC / "convert.js")
        try:
            with tempfile.NamedTemporaryFile(suffix=".rgba") as file:
                file.write(image.convert("RGBA").tobytes())
                file.flush()
                arguments = [file.name, *image.size]
                yield cls(node, node.send({"what": "load", "words": arguments}))
        finally:
            node.close()

    def _ask(self, what: str, *words: Any) -> Any:
        return self._node.send({"number": self._number, "what": what, "words": words})

    def rgba(self) -> bytes:
        """Return the image as RGBA bytes."""
        return base64.b64decode(self._ask("rgba"))

    def crop_visible(self, ground: tuple[int, int, int] | None) -> NodePixels:
        """Return the smallest crop with all visible pixels that differ from a ground."""
        return NodePixels(self._node, self._ask("cropVisible", *(ground or ())))

    def shrink(self, k: int) -> NodePixels:
        """Return the image of the middle pixels of its blocks of k x k pixels."""
        return NodePixels(self._node, self._ask("shrink", k))

    def scale(self, width: int, height: int) -> bytes:
        """Return the image in another size, as RGBA bytes."""
        return base64.b64decode(self._ask("scale", width, height))

    def sample(self, right: int, down: int) -> bytes:
        """Return some thousand pixels of the image as RGBA bytes."""
        return base64.b64decode(self._ask("sample", right, down))

    def points(self, width: int, height: int, most: int) -> bytes:
        """Return up to most x most points for each square as RGBA bytes."""
        return base64.b64decode(self._ask("points", width, height, most))


def ask_node(engine: Path, questions: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Send requests to an engine under Node.js, one after the other; return the answers."""
    node = NodeEngine(engine)
    try:
        return [node.ask(what, options) for what, options in questions]
    finally:
        node.close()


@contextmanager
def without_solvers() -> Iterator[None]:
    """Search without solver processes in the block, as in a browser."""
    with patch("tetrisprinter.planners.search.can_start_solvers", lambda: False):
        yield


def ask_here(what: str, options: dict[str, Any]) -> dict[str, Any]:
    """Send a request to the engine in this Python; return its answer with the events.

    As in a browser, no solver can be started.
    """
    events: list[dict[str, Any]] = []
    with without_solvers():
        answer = json.loads(
            page_engine.answer(what, json.dumps(options), lambda e: events.append(json.loads(e)))
        )
    return {**answer, "events": events}


def make_print_request(drawing: str, **options: Any) -> dict[str, Any]:
    """Return the request to print a drawing; ``effort`` does not affect its preparation."""
    defaults = {"kind": "drawing", "source": drawing, "name": "drawn", "repair": True}
    return {**defaults, "effort": 1, **options}


def prepare_print(request: dict[str, Any]) -> dict[str, Any]:
    """Return the job of a request, as the page makes it."""
    task = ask_here("prepare", request)
    assert "error" not in task, task
    settings = {"name": "drawn", "effort": request["effort"], "seed": 0, "workers": 1}
    return {"work": "print", **task["answer"], **settings}


def list_plans(answer: dict[str, Any]) -> list[str]:
    """Return the plans of all events of an answer, in their order."""
    assert "error" not in answer, answer
    return [event["plan"] for event in answer["events"] if event["event"] == "best"]
