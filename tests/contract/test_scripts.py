"""What the scripts import exists: nothing else runs most of them."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ROOT

OURS = ("tetrisprinter", "tests")


def _is_python(path: Path) -> bool:
    if path.suffix:
        return path.suffix == ".py"
    return path.is_file() and b"python" in path.read_bytes().split(b"\n", 1)[0]


SCRIPTS = [path for path in sorted((ROOT / "scripts").rglob("*")) if _is_python(path)]
SHELL = [
    path for path in sorted((ROOT / "scripts").glob("*")) if path.is_file() and not _is_python(path)
]


def missing(source: str) -> Iterator[str]:
    """Yield what is imported from our packages and is not there."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] not in OURS:
            continue
        name = str(node.module)
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            yield name
            continue
        for one in node.names:
            if not hasattr(module, one.name):
                is_package = hasattr(module, "__path__")
                if not is_package or find_spec(f"{name}.{one.name}") is None:
                    yield f"{name}.{one.name}"


def test_what_a_script_imports_exists() -> None:
    for path in SCRIPTS:
        assert [*missing(path.read_text(encoding="utf-8"))] == [], path.name


def test_every_subject_that_a_text_names_exists() -> None:
    texts = [*ROOT.glob("docs/*.md"), *(ROOT / "tetrisprinter").rglob("*.py"), *SCRIPTS]
    for path in texts:
        named = re.findall(r"scripts/(bench|fuzz) ([a-z]+)", path.read_text("utf-8"))
        for command, subject in named:
            folder = {"bench": "benchmarks", "fuzz": "fuzzing"}[command]
            assert (ROOT / "scripts" / folder / f"{subject}.py").is_file(), path.name


def test_other_solvers_of_exact_cover_get_all_placements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    cover: dict[str, Any] = {}
    exec(importlib.import_module("benchmarks.commands")._COVER, cover)
    assert len(cover["options"]) == 2056  # as published for 6x10 and the twelve pentominoes


def test_a_test_run_in_the_background_obeys_interrupts(tmp_path: Path) -> None:
    """A shell without job control starts a background job with SIGINT ignored."""
    text = (ROOT / "scripts" / "test").read_text("utf-8")
    prefix = re.search(r"^restored=\(.*?'\)\n", text, re.MULTILINE | re.DOTALL)
    assert prefix
    assert re.search(r'^"\$\{restored\[@\]\}" "\$VENV/bin/python" -m pytest', text, re.MULTILINE)
    ask = "import signal; print(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    script = (
        f"set -euo pipefail; trap '' INT\nVENV={tmp_path}\n{prefix[0]}"
        f"{sys.executable} -c '{ask}'\n\"${{restored[@]}}\" {sys.executable} -c '{ask}'"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_no_script_passes_its_own_arguments_to_setup_venv() -> None:
    """``source FILE`` without an argument hands over those of the script."""
    for path in SHELL:
        for line in path.read_text("utf-8").splitlines():
            words = line.split('setup-venv"')
            assert len(words) == 1 or words[1].split("#")[0].strip(), f"{path.name}: {line}"


def test_the_page_of_commands_lists_every_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    page = importlib.import_module("command_reference").make_command_reference()
    headings = re.findall(r"^### (.*)$", page, re.MULTILINE)
    assert {"print", "patterns", "patterns find", "patterns automaton query", "verify"} <= {
        *headings
    }
    for option in ("--matrix", "--symmetric", "--two-makers", "--help-all", "--planner"):
        assert option in page
    assert len(headings) == len(set(headings)) > 30
