"""The figures of ``scripts/measures``, on a checkout small enough to be counted by hand."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "measures"
FILES = {
    "tetrisprinter/planners/budgets.py": (
        "class RowsBudgets:\n    beams: tuple[int, ...] = (1, 2)\n    name: str = 'x'\n"
    ),
    "tetrisprinter/planners/rows.py": (
        "MOST = 7\nName = 3\n\ndef long(board, rows):\n"
        "    if board.width > MOST:\n        return rows < 2\n    return rows >= 30\n"
    ),
    "tetrisprinter/planners/games/bits.py": "_ONES = 31\nZEROS = 1\n",
    "tetrisprinter/planners/_kernel.py": "KERNEL = 5\n" * 50,
    "tetrisprinter/printing/task.py": "def long(): ...\n",
    "tests/unit/planners/test_rows.py": (
        "monkeypatch.setattr(rows, '_MOST', 3)\nmonkeypatch.setattr('a.b', 3)\n"
    ),
    "pyproject.toml": (
        "[[tool.importlinter.contracts]]\nname = 'one'\nignore_imports = ['a -> b', 'c -> d']\n"
    ),
}


def test_what_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before, sys.argv = sys.argv, ["measures", str(tmp_path)]
    try:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    finally:
        sys.argv = before
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    table = {row[0]: row[1] for row in rows if len(row) == 2}
    assert table["lines of planners"] == "12"
    assert table["lines of the package"] == "63"
    assert table["tuned numbers in budgets"] == "2"
    assert table["tuned numbers elsewhere"] == "2"
    assert table["given numbers"] == "1"
    assert table["comparisons of a size with a constant"] == "2"
    assert table["tests that patch private names"] == "1"
    assert table["`setattr` in the planners' tests"] == "2"
    assert table["names defined twice in planners, bounds, printing"] == "1"
    assert table["import exceptions"] == "2"
    assert table["longest function"] == "4 (rows.long)"
    assert table["longest module"] == "7 (planners/rows.py)"
