"""The command line as a user runs it."""

import subprocess
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, Draw, Run, run_here
from tests.support.images import draw_rows

__all__ = ["EXAMPLES", "Draw", "Run"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run ``tetrisprinter`` in an empty folder; the exit code must be the one expected.

    The first argument may hold several words, as they are typed.
    """

    def call(first: object, *more: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        result = run_here((*str(first).split(), *more), tmp_path)
        assert result.returncode == code, result.stderr
        assert "Traceback" not in result.stderr
        return result

    return call


@pytest.fixture
def draw(tmp_path: Path) -> Draw:
    """Write an image given as rows of letters: r, g, b, y opaque, h half transparent."""
    inks = {"r": "d03020", "g": "208040", "b": "3060c0", "y": "f0c040", "h": "d0302080"}

    def write(name: str, *rows: str) -> Path:
        path = tmp_path / name
        draw_rows(rows, inks).save(path)
        return path

    return write
