"""Without a compiler the build asks the index for one."""

import os
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.processes import run_python

ROOT = Path(__file__).resolve().parents[2]
ASK = "from hatchling.build import get_requires_for_build_wheel as ask; print(ask())"


def requirements(index: Path) -> subprocess.CompletedProcess[str]:
    """Ask what the build needs, without a compiler, with a folder in place of the package index."""
    pytest.importorskip("hatchling")
    pytest.importorskip("setuptools")
    options = {"CC": "no-compiler", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    return run_python("-c", ASK, folder=ROOT, env=options)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has another way to name a compiler")
def test_without_a_compiler_the_index_is_asked_for_one(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "ziglang-0.14.0-py3-none-any.whl", "w") as wheel:
        for name, text in (
            ("METADATA", "Metadata-Version: 2.1\nName: ziglang\nVersion: 0.14.0\n"),
            ("WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n"),
            ("RECORD", ""),
        ):
            wheel.writestr(f"ziglang-0.14.0.dist-info/{name}", text)
    done = requirements(tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "['ziglang>=0.13']"), done.stderr
