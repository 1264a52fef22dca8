"""The formula of all stacks against the formulas of each."""

import random
from collections import Counter
from contextlib import closing
from math import inf

from tests.support.strategies import PALETTE
from tetrisprinter.bounds.refinement import MonolithicSolver, Refinement
from tetrisprinter.bounds.stack_formulas import BoundQuestion
from tetrisprinter.bounds.stacks import ALL_STACKS, Nogood, trim_to_final_rows
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Target, Task


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


def test_open_types_are_refuted_together_or_have_a_game() -> None:
    answers: Counter[bool] = Counter()
    rng = random.Random(3)
    while answers.total() < 8:
        target, lines = random_target(rng), rng.randint(1, 2)
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
