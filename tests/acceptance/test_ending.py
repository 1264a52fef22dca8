"""Long jobs that are ended from outside: nobody is left, and what was finished is kept."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.support.processes import module_command
from tests.support.waiting import wait_until


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_tables_that_are_being_built(number: signal.Signals, tmp_path: Path) -> None:
    words = ("patterns", "build", "--workers", 2, "-o", "out")
    command = subprocess.Popen(module_command(*words), cwd=tmp_path, stderr=subprocess.PIPE)
    journal = tmp_path / "out" / ".emitters1.txt.journal"
    wait_until(lambda: journal.is_file() and journal.stat().st_size, "the first pattern")
    children = psutil.Process(command.pid).children(recursive=True)
    assert len(children) >= 2
    command.send_signal(number)
    _, errors = command.communicate(timeout=60)
    expected = {signal.SIGTERM: (143, b"tetrisprinter: terminated\n")}
    assert (command.returncode, errors) == expected.get(number, (-number, b""))
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left <= {journal.name, "emitters1.txt", ".emitters2.txt.journal", "emitters2.txt"}
