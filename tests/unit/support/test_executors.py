"""The same results whoever does the work, also if somebody dies on the way."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import run_python
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings import certificates
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.certificates import EmitterClaim
from tetrisprinter.support.executors import HERE, Journal, Machines, run_units


def square(number: int) -> int:
    return number * number


def die_once(unit: tuple[str, int]) -> int:
    """Kill the process that does unit 2, the first time."""
    folder, number = unit
    (Path(folder) / f"tried-{number}-{time.time_ns()}").touch()
    if number == 2 and not (Path(folder) / "died").exists():
        (Path(folder) / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_always(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def fail(number: int) -> int:
    if number == 3:
        raise JobError("three is too many")
    return number


@pytest.mark.parametrize("machines", [HERE, Machines(2)])
def test_results_are_in_the_order_of_the_units_and_errors_come_through(machines: Machines) -> None:
    arrived: dict[int, int] = {}
    results = run_units(
        square, range(7), machines=machines, on_result=lambda i, r: arrived.update({i: r})
    )
    assert results == [0, 1, 4, 9, 16, 25, 36]
    assert arrived == dict(enumerate(results))
    assert run_units(square, [], machines=machines) == []
    with pytest.raises(JobError, match="three is too many"):
        run_units(fail, range(6), machines=machines)


def test_a_killed_process_loses_only_what_it_was_at(tmp_path: Path) -> None:
    units = [(str(tmp_path), n) for n in range(6)]
    assert run_units(die_once, units, machines=Machines(2)) == [n * n for n in range(6)]
    tried = [path.name.split("-")[1] for path in tmp_path.glob("tried-*")]
    assert tried.count("2") == 2
    assert set(tried) == set("012345")


def test_workers_that_die_of_a_unit_are_given_up() -> None:
    with pytest.raises(JobError, match="died 3 times"):
        run_units(die_always, [1, 2], machines=Machines(2))


def test_a_journal_goes_on_where_a_job_ended(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", {"job": 1})
    with pytest.raises(JobError):
        run_units(fail, range(6), journal=journal)
    lines = journal.path.read_text().splitlines()
    assert len(lines) == 3
    # A line torn by a crash, and one of another job, count for nothing.
    other = Journal(journal.path, {"job": 2})
    with journal.path.open("a") as file:
        file.write(f'["{other.make_key(4)}", 40]\n["{journal.make_key(5)}", 5')
    done: list[int] = []

    def redo(number: int) -> int:
        done.append(number)
        return number

    assert run_units(redo, range(6), journal=journal) == list(range(6))
    assert done == [3, 4, 5]
    assert not journal.path.exists()


def test_a_journal_in_no_place() -> None:
    with pytest.raises(InputError, match="cannot be written"):
        run_units(square, [1], journal=Journal(Path("/proc/nowhere/journal"), 1))


def test_certificates_are_checked_the_same_by_two_processes(tmp_path: Path) -> None:
    for claim in (EmitterClaim(9, 3, ((3,),)), EmitterClaim(7, 2, ((0, 4),))):
        certificates.certify(claim, tmp_path)
    spoilt = next(tmp_path.glob("width7*.drat.xz"))
    spoilt.write_bytes(spoilt.read_bytes()[:-1])
    here, there = (
        [(o.name, o.checkers, o.error) for o in outcomes]
        for outcomes in (
            certificates.verify(tmp_path, ["own"]),
            certificates.verify(tmp_path, ["own"], machines=Machines(2)),
        )
    )
    assert here == there
    assert sorted(error is None for _, _, error in here) == [False, True]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local:
        yield str(local.scheduler_address)


def test_a_cluster_gives_the_same_and_survives_a_killed_worker(
    cluster: str, tmp_path: Path
) -> None:
    units = [(str(tmp_path), n) for n in range(8)]
    assert run_units(die_once, units, machines=Machines(dask=cluster)) == [n * n for n in range(8)]
    assert (tmp_path / "died").exists()
    here = patterns.format_table(patterns.build_emitters(6))
    assert (
        patterns.format_table(patterns.build_emitters(6, machines=Machines(dask=cluster))) == here
    )
    with pytest.raises(JobError, match="three is too many"):
        run_units(fail, range(6), machines=Machines(dask=cluster))


def test_no_cluster_there() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        run_units(square, [1, 2], machines=Machines(dask="tcp://127.0.0.1:1", patience=0.2))


FIRST_WORKER = """
import signal
from tetrisprinter.support.executors import Machines, run_units

def is_blocked(_):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

if __name__ == "__main__":
    print(all(run_units(is_blocked, [1, 2], machines=Machines(2))))
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_the_first_worker_never_sees_ctrl_c(tmp_path: Path) -> None:
    """Also where Python starts its resource tracker first, which lets Ctrl-C through again."""
    script = tmp_path / "first.py"
    script.write_text(FIRST_WORKER)
    ran = run_python(script, check=True)
    assert ran.stdout == "True\n"
