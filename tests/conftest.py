"""What all tests share: the examples that Hypothesis makes, a browser, commands and their images.

Hypothesis makes the same examples every time, unless it is told otherwise:
``pytest -m hypothesis --hypothesis-profile random`` draws examples at random.
"""

import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.browser import start_chromium
from tests.support.commands import Draw, Run, run_here
from tests.support.images import draw_rows
from tetrisprinter.api.cache import CACHE_VARIABLE

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Compile the inner loops that have changed."""
    if not hasattr(config, "workerinput"):  # once, not in each process of pytest-xdist
        subprocess.run([sys.executable, ROOT / "build_kernels.py"], check=True)


settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def _remember_nothing() -> Iterator[None]:
    """Keep the tests away from the games that this user's commands remember."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, "")
        yield


@pytest.fixture(scope="session", autouse=True)
def _share_solvers() -> Iterator[None]:
    """Let the searches of the tests share solver processes."""
    from tests.support import shared_solvers  # not before the inner loops are compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tetrisprinter.planners.search.SolverProcesses", shared_solvers.get_solvers)
        yield
    shared_solvers.end_all()


@pytest.fixture
def own_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each search of a test start processes of its own; there are no others."""
    from tests.support import shared_solvers
    from tetrisprinter.planners.solver_processes import SolverProcesses

    shared_solvers.end_all()
    monkeypatch.setattr("tetrisprinter.planners.search.SolverProcesses", SolverProcesses)


@pytest.fixture
def search_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search for a short time whatever a command says, in tests of commands and not of games."""
    from tetrisprinter.planners.auto import AutoPlanner

    def make_little(_: Any, run: Any) -> Any:
        return replace(run, limit=replace(run.limit, effort=0.01))

    monkeypatch.setattr(AutoPlanner, "scale_run", make_little)


@pytest.fixture(autouse=True)
def no_logged_errors() -> Iterator[None]:
    """Fail a test in which the package logged an error, because nothing else shows it."""
    errors = list[str]()
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: errors.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("tetrisprinter")
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)
    assert errors == [], "the package logged errors"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start one browser for a module. Its loop must not outlive it: others run loops, too."""
    with start_chromium() as started:
        yield started


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
