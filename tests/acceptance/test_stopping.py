"""Signals at any moment: a sentence at once, a quick end, nothing half written.

``scripts/fuzz stops`` sends many more.
"""

from pathlib import Path

import pytest

from tests.support.stopping import COMMANDS, draw_moments, find_fault, stop_command


@pytest.mark.parametrize("name", ["bound", "cpsat", "sprite"])
def test_one_signal(name: str, tmp_path: Path) -> None:
    (moment, number), *_ = draw_moments(len(name), last=1.5)
    ending = stop_command(moment, number, tmp_path, *COMMANDS[name])
    assert find_fault(ending, number, tmp_path) == ""
    assert ending.code == 128 + number


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_some_moments(name: str, tmp_path: Path) -> None:
    numbers = set()
    for index, (moment, number) in enumerate(draw_moments(len(name), 3, last=2.0)):
        folder = tmp_path / str(index)
        folder.mkdir()
        ending = stop_command(moment, number, folder, *COMMANDS[name])
        assert find_fault(ending, number, folder) == ""
        numbers.add(ending.code)
    assert any(number > 128 for number in numbers), "all were done before"
