"""The wheel works on its own: outside the repository and with its tables inside."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES
from tests.support.processes import run_python

ROOT = EXAMPLES.parent


@pytest.mark.slow
def test_the_wheel_prints_outside_the_repository(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    pytest.importorskip("Cython")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, ROOT], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    subprocess.run([*pip, "install", "-q", "--no-deps", "--target", site, wheel], check=True)
    program = (
        "import tetrisprinter; print(tetrisprinter.__file__);"
        "from tetrisprinter.cli import main; main()"
    )
    words = ("print", EXAMPLES / "heart.png", "-o", tmp_path / "o.png", "--planner", "table")
    variables = {"PYTHONPATH": str(site)}
    result = run_python("-c", program, *words, folder=tmp_path, env=variables, check=True)
    assert result.stdout.startswith(str(site))
    assert (tmp_path / "o.png").stat().st_size > 100
