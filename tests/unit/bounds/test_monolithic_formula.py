"""The formula of all stacks against the formulas of each."""

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from math import inf

from pysat.solvers import Solver

from tests.support.strategies import PALETTE
from tetrisprinter.bounds.master_problem import BoundQuestion, MasterProblem
from tetrisprinter.bounds.monolithic_solver import MonolithicSolver
from tetrisprinter.bounds.refinement import Refinement
from tetrisprinter.bounds.stacks import (
    Nogood,
    TypeColors,
    trim_to_final_rows,
)
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task


def random_target(rng: random.Random) -> Target:
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


def types_left(question: BoundQuestion, known: Sequence[Nogood]) -> TypeColors | None:
    """Return types of which nothing is known to forbid all stacks; None if there are none."""
    catalogue = MasterProblem(question, known)
    with Solver("glucose4", bootstrap_with=catalogue.cnf.clauses) as solver:
        return catalogue.read(solver.get_model())[1] if solver.solve() else None


def test_types_are_refuted_until_a_game_is_found_or_none_are_left() -> None:
    answers: Counter[bool] = Counter()
    rng = random.Random(3)
    while answers.total() < 8:
        target, lines = random_target(rng), rng.randint(1, 2)
        question = BoundQuestion(target, lines)
        if (len(target.required) + target.width * lines) % 4:
            continue
        nogoods = Refinement(question, None, inf, inf, lambda *_: None, certified=True)
        told = nogoods.step((), lambda _: None)
        assert told.refuted != bool(told.drops)
        for known in ([], [*told.known, *told.also]):
            with closing(MonolithicSolver(question, inf)) as together:
                while (types := types_left(question, known)) is not None:
                    one = together.refute(types, known, inf)
                    if one is None:
                        break
                    assert not one.without or set(one.without).isdisjoint(types)
                    known.append(one)
                assert bool(together.drops) == (types is not None) == (not told.refuted), (
                    target,
                    lines,
                )
        answers[told.refuted] += 1
    assert min(answers[True], answers[False]) >= 2
