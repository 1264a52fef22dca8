"""A question to a solver that Ctrl-C can end."""

import signal
import subprocess
import sys

from pysat.solvers import Solver

from tests.support.processes import obey_interrupts
from tetrisprinter.sat.solve import solve_interruptibly


def test_it_answers_or_gives_up() -> None:
    with Solver("glucose4", bootstrap_with=[[1, 2], [-1, 2]]) as solver:
        assert solve_interruptibly(solver) is True
        assert solve_interruptibly(solver, [-2]) is False
        assert set(solver.get_core()) == {-2}
    pigeons, holes = range(8), range(7)
    some = [[1 + 7 * pigeon + hole for hole in holes] for pigeon in pigeons]
    alone = [
        [-some[one][hole], -some[two][hole]]
        for hole in holes for one in pigeons for two in range(one)
    ]  # fmt: skip
    with Solver("glucose4", bootstrap_with=[*some, *alone]) as solver:
        assert solve_interruptibly(solver, conflicts=100) is None
        assert solve_interruptibly(solver) is False


INTERRUPTED = """
import random
from pysat.solvers import Solver
from tetrisprinter.sat.solve import solve_interruptibly

pick = random.Random(1)
many = range(1, 401)  # no solver is ever done with these
clauses = [[pick.choice((-1, 1)) * v for v in pick.sample(many, 3)] for _ in range(1704)]
with Solver("glucose4", bootstrap_with=clauses) as solver:
    for _ in range(2):  # the second one is heard, too
        try:
            print("asked", flush=True)
            while solve_interruptibly(solver, conflicts=1000) is None:
                pass
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""


def test_ctrl_c_is_heard_each_time() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    with obey_interrupts():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    heard = 0
    for line in process.stdout:
        if line == "asked\n":
            process.send_signal(signal.SIGINT)  # it is within the solver again, or nearly
        else:
            heard += 1
    assert heard == 2
    assert process.wait() == 0
