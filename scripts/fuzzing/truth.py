"""Compare the planner ``shortest``, or bounds alone, with all games on small boards.

    scripts/fuzz truth [--count N] [--seed N] [--widths A-B] [--most N] [--effort X] [--seconds S]
                  [--planner NAME | --planner bound | --planner stacks] [--log FILE]

Every second task is what a random game of up to N drops leaves; the others are random drawings, for
which an exhaustive search over game states (tests/oracles/truth.py) finds the fewest drops. Types,
backgrounds and board heights vary.

The script prints tasks that have a game and no plan, wrong plans and false proofs, and how far the
plans (or bounds) are from the fewest drops. With ``--planner bound`` it only raises a bound for S
seconds, which covers far more tasks. With ``--planner stacks`` it compares the monolithic encoding
with all games and with a second program. The exit code is 1 if anything is wrong.
``--seed NUMBER --count 1`` repeats a task. Tasks that are in the log are skipped.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import checkout  # noqa: F401

from tests.oracles.test_all_stacks import compare as compare_stacks
from tests.support.judge import judge
from tests.support.small_tasks import draw_printable_task, draw_task, find_truth
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import Proof
from tetrisprinter.printing.task import Task

STATES = 400_000
"""The number of states after which the exhaustive search gives up."""


def describe_task(task: Task) -> str:
    """Return the drawing of a task and its settings, as options of the command."""
    letter = dict(zip(task.picture.colors(), "abcd", strict=False))
    colors = "".join(f" {symbol}={color}" for color, symbol in letter.items())
    rows = "/".join(
        "".join("." if c is None else letter[c] for c in row) for row in reversed(task.picture.rows)
    )
    return (
        f"{rows}{colors} --board {task.board} --types {task.types} "
        f"--background {task.background} column {task.column}"
    )


@dataclass
class TaskOutcome:
    """The outcome of a task, a line of the log."""

    number: int  # its seed
    kind: str = ""  # printed, bounded, refused, or an error
    known: int | None = None  # the fewest drops known
    drops: int | None = None  # of the plan, or of the game that a bound's proof found
    bound: int | None = None
    proved: bool = False  # whether the answer claims that ``drops`` is the fewest
    fault: str = ""  # what is wrong
    seconds: float = 0.0  # CPU time


def compare_task(number: int, options: argparse.Namespace) -> tuple[TaskOutcome, Task]:
    """Make a task, and compare the planner's answer with the exhaustive search."""
    low, high = map(int, options.widths.split("-"))
    rng = random.Random(number)
    line = TaskOutcome(number)
    proved = -1  # no game has this number of drops or fewer
    if number % 2:
        made = draw_printable_task(rng, (low, high), options.most)
        task, line.known = made.task, made.drops
    else:
        task = draw_task(rng, (low, high), 4 * options.most)
    if not number % 2 or options.planner == "bound":
        truth = find_truth(task, max_drops=options.most, states=STATES)
        proved = truth.searched if truth.drops is None else truth.drops - 1
        if truth.drops is not None:
            line.known = truth.drops
    began = time.process_time()
    try:
        if options.planner == "bound":
            if find_obstacle(task) is not None:
                line.kind = "refused"
                if line.known is not None:
                    line.fault = f"a game of {line.known} drops, but {find_obstacle(task)}"
            else:
                bound = prove_bound(task.target, seconds=options.seconds)
                line.kind, line.bound = "bounded", bound.after
                line.drops = bound.after if bound.game_step else None
                line.proved = bound.game_step is not None
        else:
            limit = Limit(seconds=options.seconds, effort=options.effort, workers=1)
            result = make_plan(task, options.planner, Run(limit))
            judge(result, task.wanted, task.background)
            line.kind, line.drops, line.bound = "printed", result.drops, result.bound
            line.proved = result.proof is Proof.ALL_GAMES
    except TetrisPrinterError as error:
        line.kind = "refused" if error.obstacle else type(error).__name__
        if line.known is not None or type(error).__name__ == "InternalError":
            line.fault = f"a game of {line.known} drops, but {type(error).__name__}: {error}"
    except Exception as error:
        line.kind, line.fault = "error", f"{type(error).__name__}: {error}"
    line.seconds = round(time.process_time() - began, 2)
    line.fault = line.fault or find_contradiction(line, proved)
    return line, task


def find_contradiction(line: TaskOutcome, proved: int) -> str:
    """Return how the answers contradict, or ""; no game has ``proved`` drops or fewer."""
    if line.drops is not None and line.drops <= proved:
        return f"{line.drops} drops, but the search found no game of {proved}"
    if line.known is not None and line.bound is not None and line.bound > line.known:
        return f"a game of {line.known} drops, but a bound of {line.bound}"
    if line.proved and line.known is not None and line.drops is not None:
        return f"a game of {line.known} drops, but {line.drops} proved" * (line.drops > line.known)
    return ""


def print_summary(lines: list[TaskOutcome]) -> int:
    """Print a summary of all tasks; return the number of faults."""
    kinds = Counter(line.kind for line in lines)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    known = [line for line in lines if line.known is not None]
    excess = Counter(one.drops - one.known for one in known if one.drops is not None and one.known)
    for more, count in sorted(excess.items()):
        print(f"{count} with {more} drops more than the fewest known")
    below = Counter(one.known - one.bound for one in known if one.bound is not None and one.known)
    for less, count in sorted(below.items()):
        print(f"{count} bounds {less} below the fewest known")
    slowest = sorted((line.seconds, line.number) for line in lines)[-5:]
    shown = ", ".join(f"{number}: {seconds:.1f} s" for seconds, number in slowest)
    print(f"{sum(line.seconds for line in lines):.0f} processor seconds; slowest {shown}")
    faults = sum(bool(line.fault) for line in lines)
    print(f"{len(lines)} tasks, {faults} wrong")
    return faults


def main() -> int:
    """Compare the tasks and print the faults; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--widths", default="3-6")
    parser.add_argument("--most", type=int, default=6)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each plan")
    parser.add_argument("--planner", default="shortest")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    if options.planner == "stacks":  # stops with an error at the first difference
        print(dict(compare_stacks(options.seed, options.seed + options.count)))
        return 0
    lines: list[TaskOutcome] = []
    if options.log is not None and options.log.exists():
        lines = [TaskOutcome(**json.loads(text)) for text in options.log.read_text().splitlines()]
    logged_numbers = {line.number for line in lines}
    for number in range(options.seed, options.seed + options.count):
        if number in logged_numbers:
            continue
        line, task = compare_task(number, options)
        lines.append(line)
        if options.log is not None:
            with options.log.open("a") as log:
                log.write(json.dumps(asdict(line)) + "\n")
        if line.fault:
            print(f"{number}: {line.fault}\n  {describe_task(task)}", flush=True)
    return 1 if print_summary(lines) else 0


if __name__ == "__main__":
    sys.exit(main())
