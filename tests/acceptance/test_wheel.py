"""The wheel works on its own: outside the repository and with its tables inside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES

ROOT = EXAMPLES.parent


@pytest.mark.slow
def test_the_wheel_prints_outside_the_repository(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    pytest.importorskip("Cython")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, ROOT],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    subprocess.run([*pip, "install", "-q", "--no-deps", "--target", site, wheel], check=True)
    result = subprocess.run(
        [
            sys.executable, "-c",
            "import tetrisprinter, sys; print(tetrisprinter.__file__);"
            "from tetrisprinter.cli import main; main()",
            "print", EXAMPLES / "heart.png", "-o", tmp_path / "o.png", "--planner", "table",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    assert result.stdout.startswith(str(site))
    assert (tmp_path / "o.png").stat().st_size > 100
