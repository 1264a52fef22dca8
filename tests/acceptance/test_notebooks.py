"""The notebooks in docs/ show the outputs of their code (``scripts/media --notebook``)."""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs").glob("*.ipynb"))


def run(source: str, names: dict[str, Any]) -> tuple[str, object]:
    """Return what a cell writes, and the value of its last line if that is an expression."""
    body = ast.parse(source).body
    end = body[-1]
    last = None
    if isinstance(end, ast.Expr):
        last = ast.Expression(end.value)
        del body[-1]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(last, "<cell>", "eval"), names) if last else None
    return said.getvalue(), value


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_shows_what_it_gives(path: Path) -> None:
    names: dict[str, Any] = {}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        said, value = run("".join(cell["source"]), names)
        shown = [output["data"] for output in cell["outputs"] if "data" in output]
        told = [line for output in cell["outputs"] for line in output.get("text", ())]
        assert "".join(told) == said
        assert ["".join(data["text/plain"]) for data in shown] == [repr(value)] * len(shown)
        assert (value is not None) == bool(shown)
        for kind, method in (("html", "_repr_html_"), ("svg+xml", "_repr_svg_")):
            if shown and hasattr(value, method):
                drawn = "".join(shown[0][f"{'text' if kind == 'html' else 'image'}/{kind}"])
                assert drawn == getattr(value, method)()


def test_there_is_one() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["teaching"]
