"""The figures of ``scripts/structure``, on packages small enough to be counted by hand."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "structure"
WIDE = "def wide(a, b, *, c, d, e, f, g): ...\n"
FILES = {
    "__init__.py": "__all__ = ['a', 'b']\n",
    "ground.py": "__all__ = ['x']\n",
    "middle/__init__.py": "",
    "middle/one.py": "from house import ground\nfrom house.middle.two import thing\n",
    "middle/two.py": "from ..ground import x\n" + WIDE,
    "roof.py": "import house.middle.one\n",
}


def told(folder: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = folder / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before, sys.argv = sys.argv, ["structure", str(folder / "house"), "--list"]
    try:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    finally:
        sys.argv = before
    return capsys.readouterr().out.splitlines()


def test_a_house_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(tmp_path, capsys, FILES)
    assert "at the top: 2 modules, 1 packages" in lines
    assert lines[lines.index("floors: 3") + 1 :][:3] == ["  2  roof", "  1  middle", "  0  ground"]
    assert "imports between units: 3" in lines
    assert not [line for line in lines if line.startswith("circles") and not line.endswith(": 0")]
    assert "  house.middle.two.wide: 7" in lines
    assert "public names: 4 in 3 modules" in lines


def test_what_runs_upwards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ground = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from house import middle\n"
        "def late():\n    from house.middle import one\n"
        "class Shown:\n    def _repr_html_(self):\n        import house.roof\n"
    )
    lines = told(tmp_path, capsys, {**FILES, "ground.py": ground})
    assert (
        "imports that run upwards: 0 as it is loaded, 1 lazy, 1 by which an object shows itself, "
        "1 for types only"
    ) in lines
    assert "circles of modules, as they are loaded: 0" in lines
    assert "circles of modules, lazy imports included: 1" in lines
    assert "  3: ground middle.one middle.two" in lines
    assert "  4: ground middle.one middle.two roof" in lines


def test_the_fewest_imports_that_break_a_circle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(tmp_path, capsys, {**FILES, "ground.py": "import house.middle.two\n"})
    assert "circles of units, as they are loaded: 1" in lines
    assert "  house.ground:1 -> house.middle.two (as it is loaded)" in lines
    assert lines[lines.index("floors: 3") + 3] == "  0  ground"
