"""Signals at any moment: a sentence at once, a quick end, nothing half written.

``scripts/fuzz stops`` sends many more.
"""

import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.support.commands import EXAMPLES
from tests.support.processes import make_command, run_python
from tests.support.stopping import COMMANDS, draw_moments, find_fault, stop_command
from tests.support.waiting import wait_until
from tetrisprinter.game.plan import Plan

EVERY_DAY = ("bound", "cpsat", "sprite")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in EVERY_DAY else pytest.mark.slow)
        for name in COMMANDS
        if not name.startswith("photo") or name == "photo"  # the others are for ``scripts/fuzz``
    ],
)
def test_a_signal_at_some_moment(name: str, tmp_path: Path) -> None:
    (moment, number), *_ = draw_moments(list(COMMANDS).index(name), last=1.0)
    ending = stop_command(moment, number, tmp_path, *COMMANDS[name])
    assert find_fault(ending, number, tmp_path) == ""
    assert ending.code == 128 + number


# ---- The end of a long job: no process is left, and what was finished is kept.
@pytest.mark.slow
def test_killed_while_building_tables(tmp_path: Path) -> None:
    words = ("patterns", "build", "--workers", 2, "-o", "out")
    command = subprocess.Popen(make_command(*words), cwd=tmp_path, stderr=subprocess.PIPE)
    children: list[psutil.Process] = []

    def working() -> bool:
        children[:] = psutil.Process(command.pid).children(recursive=True)
        workers = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        return len([worker for worker in workers if worker.num_threads() > 1]) >= 2

    wait_until(working, "the work of two workers")
    command.kill()
    _, errors = command.communicate(timeout=300)
    assert command.returncode == -signal.SIGKILL
    assert b"Traceback" not in errors  # Python itself may warn of semaphores that were not freed
    _, alive = psutil.wait_procs(children, timeout=150)
    assert alive == []
    assert all("emitters" in path.name for path in (tmp_path / "out").iterdir())


STOPPED = """
import signal, sys
from tetrisprinter.cli import main
from tetrisprinter.planners import search

ask_all, end = search.search_whole, sys.argv.pop(1)

def stop_and_ask(*words):
    signal.raise_signal(getattr(signal, end))  # there is a first plan by now
    yield from ask_all(*words)

search.search_whole = stop_and_ask
main()
"""


@pytest.mark.parametrize(("end", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_search_that_is_stopped_writes_the_best_game_so_far(
    tmp_path: Path, end: str, code: int
) -> None:
    words = ["-o", "o.gif", "--plan", "o.txt", "--effort", "99"]
    command = ["print", str(EXAMPLES / "fish.png"), *words]
    done = run_python("-c", STOPPED, end, *command, folder=tmp_path)  # fmt: skip
    assert done.returncode == code, done.stderr
    drops = len(Plan.parse((tmp_path / "o.txt").read_text()))
    assert f"stopping; writing the best game so far ({drops} pieces)" in done.stderr
    assert done.stderr.count("stopping") == 1
    assert (tmp_path / "o.gif").read_bytes().endswith(b";"), "the film is whole"
