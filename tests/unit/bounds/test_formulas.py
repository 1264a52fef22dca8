"""Formulas of windows and of all stacks: every game is a model, and both say the same."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from math import inf

import pytest

from tests.oracles.slices import Field, random_game
from tests.support.stacks import describe_stack, get_needed_height
from tests.support.strategies import PALETTE
from tetrisprinter.bounds.refinement import MonolithicSolver, Refinement
from tetrisprinter.bounds.stack_formulas import BoundQuestion
from tetrisprinter.bounds.stacks import (
    ALL_STACKS,
    Nogood,
    StackWindow,
    iterate_windows_by_height,
    make_window_contents,
    trim_to_final_rows,
)
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Target, Task


def games(seed: int, count: int) -> Iterator[Field]:
    rng = random.Random(seed)
    while count:
        played = random_game(rng, rng.randint(4, 9), rng.randint(0, 4))
        if played is not None and len(played.gone) <= 5 and played.filled:
            count -= 1
            yield played


def list_assumptions(formula: WindowFormula, played: Field, where: dict[int, int]) -> list[int]:
    """Return the variables of the pieces that a game drops."""
    by_cells = {
        (part.orientation.piece.name, frozenset(part.cells)): literal
        for part, literal in formula.parts
    }
    assert len(by_cells) == len(formula.parts)  # the cells say across what a piece lies
    return [
        by_cells[drop.piece, frozenset((x, where[row]) for x, row in drop.cells)]
        for drop in played.drops
    ]


def is_possible(formula: WindowFormula, literals: list[int] | None = None) -> bool:
    from pysat.solvers import Solver

    with Solver("glucose4", bootstrap_with=formula.cnf.clauses) as solver:
        return bool(solver.solve(assumptions=literals or []))


@pytest.mark.parametrize(("seed", "count"), [(1, 15), pytest.param(2, 30, marks=pytest.mark.slow)])
def test_every_game_is_a_model_of_its_stack_and_of_its_views(seed: int, count: int) -> None:
    for played in games(seed, count):
        target, counts, where = describe_stack(played, get_needed_height(played))
        formula = WindowFormula(
            make_window_contents(target, StackWindow(0, counts, floor=True, top=True), 0)
        )
        assert is_possible(formula, list_assumptions(formula, played, where)), played.drops
        level = random.Random(seed).choice(list(iterate_windows_by_height(counts)))
        for window in level[:4]:
            assert is_possible(WindowFormula(make_window_contents(target, window, 0))), (
                window,
                played.drops,
            )


# ---- The formula of all stacks against the formulas of each.
def draw_target(rng: random.Random) -> Target:
    """Draw a picture of one or two colours on a low board, its types open or not."""
    width, high, colors = rng.randint(4, 5), rng.randint(1, 3), PALETTE[: rng.randint(1, 2)]
    rows = []
    for _ in range(high):
        row = [rng.choice((*colors, None)) for _ in range(width)]
        empty, full = rng.sample(range(width), 2)
        row[empty], row[full] = None, colors[0]
        rows.append(tuple(row))
    listed = rng.sample(list(PieceType), len(PieceType))
    shown = {piece: colors[k % len(colors)] for k, piece in enumerate(listed)}
    types = rng.choice(("auto", shown))
    board = width, rng.randint(high + 1, 7)
    return trim_to_final_rows(Task.of(Picture(tuple(rows)), board, types, None, 0).target)


def test_open_types_are_refuted_together_or_have_a_game() -> None:
    answers: Counter[bool] = Counter()
    rng = random.Random(3)
    while answers.total() < 8:
        target, lines = draw_target(rng), rng.randint(1, 2)
        question = BoundQuestion(target, lines)
        if (len(target.required) + target.width * lines) % 4:
            continue
        nogoods = Refinement(question, None, inf, inf, lambda *_: None, certified=True)
        step = nogoods.answer_question((), lambda _: None)
        assert step.refuted != bool(step.drops)
        for known in ((), (*step.nogoods, *step.unneeded)):
            with closing(MonolithicSolver(question, inf)) as together:
                one = together.find_nogood(known, inf)
                assert (one == Nogood(ALL_STACKS)) == step.refuted, (target, lines)
                assert bool(together.drops) == (not step.refuted)
                assert bool(together.types) == bool(target.shades and together.drops)
                assert len({piece for piece, _ in together.types}) == len(together.types)
        answers[step.refuted] += 1
    assert min(answers[True], answers[False]) >= 2
