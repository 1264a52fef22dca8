"""The command line as a user runs it."""

import subprocess
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import EXAMPLES, Draw, Run, run_here

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
    colors = {
        ".": (0, 0, 0, 0),
        "r": (208, 48, 32, 255),
        "g": (32, 128, 64, 255),
        "b": (48, 96, 192, 255),
        "y": (240, 192, 64, 255),
        "h": (208, 48, 32, 128),
    }

    def write(name: str, *rows: str) -> Path:
        image = Image.new("RGBA", (len(rows[0]), len(rows)))
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                image.putpixel((x, y), colors[letter])
        path = tmp_path / name
        image.save(path)
        return path

    return write
