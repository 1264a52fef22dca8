"""The formula of all stacks against brute force, and against a program that shares no code with it.

``scripts/fuzz truth --planner stacks`` compares any number.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise, product

import pytest
from pysat.solvers import Solver

from tests.oracles.second_bound import is_possible
from tests.support.small_tasks import draw_task, find_truth
from tetrisprinter.bounds.stack_formulas import BoundQuestion, MonolithicFormula, list_questions
from tetrisprinter.bounds.stacks import trim_to_final_rows
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Target, Task, compute_drop_bound


def assign_shades(target: Target, shades: Iterable[tuple[PieceType, int]]) -> Target:
    """Give each piece type its shade; a target that has colours already stays unchanged."""
    if target.shades is None:
        return target
    masks: dict[int, int] = {}
    for piece, shade in shades:
        masks[shade] = masks.get(shade, 0) | 1 << piece
    allowed = tuple(tuple(masks.get(shade, 0) for shade in row) for row in target.shades)
    above = masks.get(target.dont_care_shade, 0) if target.above else 0
    return replace(target, allowed=allowed, shades=None, above=above, dont_care_shade=0)


def has_model(question: BoundQuestion) -> bool:
    """Ask the formula; a model is played."""
    formula = MonolithicFormula(question)
    with Solver("cadical153", bootstrap_with=formula.cnf.clauses) as solver:
        if not solver.solve():
            return False
        drops = formula.read_game(set(solver.get_model()))
    target = question.target
    make_plan_from_drops(drops, (), target.width, target.height)
    assert 4 * len(drops) == len(target.required) + target.width * question.lines
    for reach in (1, 2, 3):  # says less, so it never refutes what is possible
        near = MonolithicFormula(question, reach=reach)
        with Solver("cadical153", bootstrap_with=near.cnf.clauses) as solver:
            assert solver.solve(), (question, reach)
    return True


def small_task(rng: random.Random) -> Task:
    """Draw a task of which nothing may stay unseen."""
    while True:
        task = draw_task(rng, (3, 6), 12, 4)
        if find_obstacle(task) is None and not task.target.count_spare():
            return task


def compare_with_truth(seed: int) -> Counter[str]:
    """Ask for each number of rows up to that of the shortest game."""
    task = small_task(random.Random(seed))
    counted = Counter({"background": task.background is not None, "open": task.types == "auto"})
    counted["colours"] = len(task.picture.colors()) > 1 + (task.background in task.picture.colors())
    truth = find_truth(task, max_drops=5, states=30_000)
    target = trim_to_final_rows(task.target)
    last = truth.searched
    for drops in range(compute_drop_bound(target), last + 1):
        for question in list_questions(target, drops):
            if 0 < question.lines <= 4:
                possible = drops == truth.drops
                assert has_model(question) == possible, (seed, task, question.lines)
                counted[f"{possible}"] += 1
    counted["pictures"] += bool(counted["True"] + counted["False"])
    if not counted["pictures"]:
        counted.clear()
    return counted


def stacks(rows: int, lines: int) -> Iterator[list[int | None]]:
    """Yield the rows of all stacks: numbers of the picture's, None where one clears."""
    for bars in combinations(range(lines + rows), rows):
        counts = [after - before - 1 for before, after in pairwise((-1, *bars, lines + rows))]
        stack: list[int | None] = []
        for y, count in enumerate(counts):
            stack += [None] * count
            if y < rows:
                stack.append(y)
        yield stack


def iterate_assignments(target: Target) -> Iterator[Target]:
    """Yield the target with all ways to give its colours to the types; itself if they have some."""
    if target.shades is None:
        yield target
        return
    for way in product(target.list_shades(), repeat=len(PieceType)):
        yield assign_shades(target, zip(PieceType, way, strict=True))


def ask_second_program(question: BoundQuestion) -> bool:
    """Try all stacks and all types one after the other, by the program that shares no code."""
    for target in iterate_assignments(question.target):
        may_stay = {
            (x, y): [piece.name for piece in PieceType if mask >> piece & 1]
            for y, row in enumerate(target.allowed)
            for x, mask in enumerate(row)
        }
        where = (target.width, may_stay, target.required)
        for rows in stacks(target.rows, question.lines):
            width, types, required = where
            if is_possible(
                width, rows, types, required, floor=True, top=True, spare=0, ceiling=target.height
            ):
                return True
    return False


def compare_with_second_program(seed: int) -> Counter[str]:
    """Ask both one question."""
    rng = random.Random(seed)
    counted: Counter[str] = Counter()
    task = small_task(rng)
    while task.board.width > 4 or task.picture.height > 2:
        task = small_task(rng)
    target = trim_to_final_rows(task.target)
    if target.shades is not None and len(target.list_shades()) > 1:
        target = assign_shades(target, [(p, rng.choice(target.list_shades())) for p in PieceType])
    for lines in (1, 2):
        if (len(target.required) + target.width * lines) % 4 == 0:
            question = BoundQuestion(target, lines)
            possible = ask_second_program(question)
            assert has_model(question) == possible, (seed, task, lines)
            counted[f"{possible}"] += 1
    return counted


def compare(first: int, last: int) -> Counter[str]:
    counted: Counter[str] = Counter()
    for seed in range(first, last):
        counted += compare_with_truth(seed)
        if seed % 4 == 0:
            counted += Counter(
                {f"second {k}": n for k, n in compare_with_second_program(seed).items()}
            )
    return counted


def test_the_formula_says_what_brute_force_and_a_second_program_say() -> None:
    counted = compare(0, 12)
    assert min(counted["True"], counted["False"]) >= 2, counted


@pytest.mark.slow
def test_so_do_many() -> None:
    counted = compare(1_000, 1_020)
    assert min(counted["True"], counted["False"], counted["open"], counted["background"]) >= 2, (
        counted
    )
