"""Packages of npm that tests use as a reference."""

import shutil
import subprocess
from pathlib import Path

import pytest


def install_npm_packages(folder: Path, *names: str) -> Path:
    """Install packages in a folder; return their folder. Skip the test if that fails."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"no npm here, which would get {', '.join(names)}")
    try:
        subprocess.run(
            [npm, "install", "--silent", "--no-save", "--no-audit", "--ignore-scripts", *names],
            cwd=folder, check=True, capture_output=True, timeout=300,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"{', '.join(names)} cannot be had from npm: {type(error).__name__}")
    return folder / "node_modules"
