"""The formulas of bounds against brute force, and against a program that shares no code with them.

``scripts/fuzz truth --planner stacks`` compares any number.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from pysat.solvers import Solver

from tests.oracles.second_bound import is_possible
from tests.support.small_tasks import draw_task, find_truth
from tetrisprinter.bounds.stack_formulas import BoundQuestion, MonolithicFormula, list_questions
from tetrisprinter.bounds.stacks import (
    StackWindow,
    WindowFormula,
    make_window_contents,
    trim_to_final_rows,
)
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Target, Task, compute_drop_bound


def fix_types(rng: random.Random, target: Target) -> Target:
    """Give each piece type a shade by chance, if the types of a target are open."""
    if target.shades is None:
        return target
    masks: dict[int, int] = {}
    for piece in PieceType:
        shade = rng.choice(target.list_shades())
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
        numbers = iter(range(rows))
        yield [next(numbers) if y in bars else None for y in range(lines + rows)]


def ask_second_program(
    target: Target, window: StackWindow, rows: Sequence[int | None], spare: int = 0
) -> bool:
    """Ask the program that shares no code about the rows of one window."""
    may_stay = {
        (x, y): {piece.name for piece in PieceType if target.may_hold(x, y, piece)}
        for y in range(target.rows)
        for x in range(target.width)
    }
    return is_possible(
        target.width,
        rows,
        may_stay,
        target.required,
        floor=window.floor,
        top=window.top,
        spare=spare,
        ceiling=target.height,
    )


def compare_with_second_program(seed: int) -> Counter[str]:
    """Ask both one question."""
    rng = random.Random(seed)
    counted: Counter[str] = Counter()
    task = small_task(rng)
    while task.board.width > 4 or task.picture.height > 2:
        task = small_task(rng)
    target = fix_types(rng, trim_to_final_rows(task.target))
    for lines in (1, 2):
        if (len(target.required) + target.width * lines) % 4 == 0:
            question = BoundQuestion(target, lines)
            whole = StackWindow(0, (), floor=True, top=True)
            possible = any(
                ask_second_program(target, whole, rows) for rows in stacks(target.rows, lines)
            )
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
    counted = compare(1_000, 1_020)
    assert min(counted["True"], counted["False"], counted["open"], counted["background"]) >= 2, (
        counted
    )


# ---- The formulas of windows against the second program, which was written from the theorem alone.
def random_scene(rng: random.Random) -> tuple[Target, StackWindow, int]:
    """Draw some rows of a picture, with and without squares that need not be filled."""
    width, rows = rng.randint(4, 5), rng.randint(1, 3)
    density, optional = rng.choice((0.3, 0.5, 0.8)), rng.choice((0.0, 0.0, 0.3))
    allowed, required = [], set()
    for y in range(rows):
        row = [0] * width
        for x in range(width):
            if rng.random() < density:
                row[x] = rng.choice((2 | 16, 4 | 32 | 64, 254))
                if rng.random() >= optional:
                    required.add((x, y))
        allowed.append(tuple(row))
    floor, top = rng.random() < 0.4, rng.random() < 0.3
    counts = [0] * (rows - 1 + floor + top)
    for _ in range(rng.randint(0, 2)):
        if counts:
            counts[rng.randrange(len(counts))] += 1
    height = rows + rng.randint(0, 3)
    target = Target(width, height, tuple(allowed), frozenset(required))
    return target, StackWindow(0, tuple(counts), floor, top), rng.randint(0, 3)


def test_the_formula_of_a_window_says_what_the_second_program_says() -> None:
    rng = random.Random(1)
    seen: Counter[bool] = Counter()
    for _ in range(60):
        target, window, spare = random_scene(rng)
        shown = make_window_contents(target, window, spare)
        with Solver("glucose4", bootstrap_with=WindowFormula(shown).cnf.clauses) as solver:
            answer = bool(solver.solve())
        rows = [None if row < 0 else row for row in shown.rows]
        other = ask_second_program(target, window, rows, spare)
        assert answer == other, (target, window, spare)
        seen[answer] += 1
    assert min(seen[True], seen[False]) >= 10
