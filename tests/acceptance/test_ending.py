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
    children: list[psutil.Process] = []

    def working() -> bool:
        children[:] = psutil.Process(command.pid).children(recursive=True)
        workers = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        # One that was never told what to do, as nothing but SIGKILL can bring about, complains.
        return len([worker for worker in workers if worker.num_threads() > 1]) >= 2

    wait_until(working, "the work of two workers")
    command.send_signal(number)
    _, errors = command.communicate(timeout=60)
    expected = {signal.SIGTERM: (143, b"tetrisprinter: stopping\n")}
    # Python's own note on what a killed process could not put away is not ours to keep back.
    lines = errors.lstrip().splitlines(keepends=True)
    ours = [line for line in lines if b"resource_tracker" not in line]
    assert (command.returncode, b"".join(ours)) == expected.get(number, (-number, b""))
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []
    assert all("emitters" in path.name for path in (tmp_path / "out").iterdir())
