"""The fewest lines that a game clears, against exhaustive search and certified formulas."""

import random
from collections import Counter
from itertools import product

import pytest
from pysat.solvers import Solver

from tests.support.commands import EXAMPLES
from tests.support.small_tasks import draw_printable_task, draw_task, find_truth
from tetrisprinter.bounds.fewest_lines import FewestLines, StackGraph
from tetrisprinter.bounds.parts import find_part_bound, iterate_drop_bounds, round_drops_up
from tetrisprinter.bounds.stacks import WindowFormula, make_window_contents, trim_to_final_rows
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Task


def bound_of(task: Task, work: float) -> int:
    last = 0
    for _, bound in iterate_drop_bounds(task, work):
        assert bound >= last
        last = bound
    return last


def bound_by_parts(task: Task) -> int:
    return round_drops_up(task.target, find_part_bound(task.target))


def check_truth(seeds: range, work: float) -> Counter[str]:
    """Compare bounds of random small tasks with exhaustive search; count what came out."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        while find_obstacle(task := draw_task(rng, (3, 5), 14, 4)) is not None:
            pass
        truth = find_truth(task, max_drops=7, states=100_000)
        if truth.drops is None:
            seen["open"] += 1
            continue
        bound = bound_of(task, work)
        assert bound <= truth.drops, (seed, task, bound, truth)
        seen["equal" if bound == truth.drops else "below"] += 1
        seen["raised"] += bound > bound_by_parts(task)
    return seen


def test_no_bound_is_above_the_fewest_drops() -> None:
    seen = check_truth(range(20), 0.05)
    assert seen["equal"] > 4
    assert seen["raised"] >= 1


def test_no_bound_is_above_a_game() -> None:
    for seed in range(25):
        made = draw_printable_task(random.Random(seed), (3, 6), 9)
        assert bound_of(made.task, 0.05) <= made.drops, made


@pytest.mark.parametrize("seed", range(4))
def test_a_solver_of_many_windows_answers_as_the_formula_of_each(seed: int) -> None:
    task = draw_task(random.Random(seed), (3, 6), 14, 5)
    search = FewestLines(trim_to_final_rows(task.target))
    for _ in search.search():
        if search.work > 0.1:
            break
    for nogood in search.nogoods:
        contents = make_window_contents(search.target, nogood.window, nogood.spare)
        with Solver("cadical195", WindowFormula(contents).cnf.clauses) as solver:
            assert not solver.solve(), nogood
    for slots in sorted(search.fits) if not search.target.above else ():
        window = search.make_window(*slots)
        contents = make_window_contents(search.target, window, search.spare)
        with Solver("cadical195", WindowFormula(contents).cnf.clauses) as solver:
            assert solver.solve(), window


@pytest.mark.parametrize("seed", range(20))
def test_the_shortest_stack_is_the_shortest(seed: int) -> None:
    rng = random.Random(seed)
    slots = rng.randint(1, 5)
    graph, nogoods = StackGraph(slots), []
    for _ in range(rng.randint(0, 25)):
        size = rng.randint(1, min(3, slots))
        slot = rng.randint(0, slots - size)
        nogoods.append((slot, tuple(rng.randint(0, 2) for _ in range(size))))
        graph.add(*nogoods[-1])
        stacks = [
            counts
            for counts in product(range(4), repeat=slots)
            if not any(counts[first : first + len(one)] == one for first, one in nogoods)
        ]
        found = graph.find_shortest()
        assert found in stacks
        assert sum(found) == min(map(sum, stacks))


def make_noise(size: int, colors: int) -> Task:
    rng = random.Random(size)
    palette = ("d03020", "20a040", "3060c0", "f0c040", "20b0b0")[:colors]
    rows = tuple(tuple(rng.choice(palette) for _ in range(size)) for _ in range(size))
    return Task.of(Picture(rows), (size + 1, size + 12))


def test_a_sprite_needs_far_more_drops_than_it_has_parts() -> None:
    """No game of this cat with fewer than 125 drops is known."""
    plan = Plan.read(EXAMPLES / "plans" / "cat.txt")
    task = Task.of(load_picture(EXAMPLES / "cat.png"), plan.board)
    assert bound_by_parts(task) < 65
    assert 80 <= bound_of(task, 0.5) <= len(plan)


def test_the_same_work_gives_the_same_bounds() -> None:
    task = make_noise(9, 4)
    first, second = (list(iterate_drop_bounds(task, 0.5)) for _ in range(2))
    assert first == second


def test_it_ends_where_it_is_told() -> None:
    task = make_noise(24, 5)
    assert len(list(iterate_drop_bounds(task, work=0.0))) <= 1
    assert len(list(iterate_drop_bounds(task, stop=lambda: True))) <= 1
    pairs = list(iterate_drop_bounds(task, 0.5))
    assert sum(work for work, _ in pairs) < 1.0
    assert max(work for work, _ in pairs) < 0.5
