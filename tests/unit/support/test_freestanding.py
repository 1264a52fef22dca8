"""Loops that need no numba any more once they are compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tetrisprinter.planners.rows import _kernel, _kernel_paths
from tetrisprinter.planners.rows.passes import Finder, Squares
from tetrisprinter.planners.rows.stacks import stack_of
from tetrisprinter.support import freestanding
from tetrisprinter.support.freestanding import Freestanding

pytestmark = pytest.mark.skipif(not freestanding._KNOWN, reason="numba compiles there")


def _tenth(n: Any) -> Any:
    return n / 10


def mixed(values: Any, table: Any, few: Any, shift: Any, part: Any, up: Any) -> Any:
    """Use every kind of argument; swap arrays, which takes owners where there are any."""
    one, other = values, few
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            one[i] += table[i, j] << shift
        one, other = other, one
    for i in range(values.shape[0]):
        total += values[i] + few[i] * part
    return _tenth(total) if up else total


def allocating(values: Any) -> Any:
    return np.cumsum(values)[1]


_tenth = Freestanding(_tenth)  # type: ignore[assignment]


def arguments() -> tuple[Any, ...]:
    table = np.arange(12, dtype=np.int16).reshape(4, 3)
    return np.arange(4), table[::2], np.ones(4, np.int64), 2, 0.5, np.True_


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


def check(function: Freestanding) -> None:
    args = arguments()
    result = function(*args)
    values, _, few, _, part, _ = args
    # Rows 0 and 2 of the table, times four: one to each array, in turns.
    assert values.tolist() == [12, 1, 2, 3]
    assert few.tolist() == [1, 85, 1, 1]
    assert result == pytest.approx((values.sum() + few.sum() * part) / 10)


def without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise AssertionError("numba is asked for")

    monkeypatch.setattr(Freestanding, "_dispatcher", missing)


def test_kept_and_called_without_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Freestanding(mixed)
    assert first.has_home
    before = first.is_kept
    check(first)
    assert (before, first.is_kept) == (False, True)
    (path,) = tmp_path.glob("*.code")
    # One that is not complete is made anew.
    path.write_bytes(path.read_bytes()[:-1])
    check(Freestanding(mixed))
    without_numba(monkeypatch)
    again = Freestanding(mixed)
    check(again)
    check(again)


def test_what_allocates_is_left_to_numba(tmp_path: Path) -> None:
    for _ in range(2):
        assert Freestanding(allocating)(np.arange(4) + 1) == 3
    (path,) = tmp_path.glob("*.code")
    assert path.read_bytes() == freestanding._REFUSED


def test_without_a_folder_it_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    function = Freestanding(mixed)
    assert not function.has_home
    assert not function.is_kept


def search() -> None:
    none, one = np.zeros(4, np.int64), np.ones(4, np.int64)
    finder = Finder(4, 10)
    squares = Squares(none, one, np.full((4, 1), 0b11111110), one)
    graph = finder.explore(stack_of("c"), squares, 10)
    assert finder.meet(graph, frozenset(), None, 10) is not None


def test_the_search_is_freestanding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop of the search for rows is called as machine code when it is kept."""
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    search()
    without_numba(monkeypatch)
    for loop in (_kernel.explore, _kernel_paths.weigh, _kernel_paths.thin, _kernel_paths.meet):
        monkeypatch.setattr(loop, "_ready", {})
    search()


def test_a_print_loads_no_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    search()  # compiles, if nobody has
    code = (
        "import sys; from tetrisprinter.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert 'tetrisprinter.planners.rows._kernel' in sys.modules\n"
        "assert 'numba' not in sys.modules"
    )
    image = Image.new("RGBA", (3, 3))
    for place in ((0, 0), (2, 0), (0, 1), (1, 1), (2, 1), (1, 2)):
        image.putpixel(place, (255, 0, 0, 255))
    path = tmp_path / "heart.png"
    image.save(path)
    words = ["print", str(path), "-o", str(tmp_path / "out.png"), "--classic"]
    subprocess.run([sys.executable, "-c", code, *words], check=True, timeout=120)
