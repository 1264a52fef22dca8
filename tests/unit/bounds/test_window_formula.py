"""Every game gives a model: random games, played from the rules alone, told as stacks."""

import random
from collections.abc import Iterator

import pytest

from tests.oracles.slices import Field, random_game
from tests.support.stacks import describe_stack, get_needed_height
from tetrisprinter.bounds.stacks import (
    Window,
    WindowRows,
    iterate_windows_by_height,
    make_whole_stack,
    make_window_contents,
)
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.printing.task import Target


def games(seed: int, count: int) -> Iterator[Field]:
    rng = random.Random(seed)
    while count:
        played = random_game(rng, rng.randint(4, 9), rng.randint(0, 4))
        if played is not None and len(played.gone) <= 5 and played.filled:
            count -= 1
            yield played


def supposed(formula: WindowFormula, played: Field, where: dict[int, int]) -> list[int]:
    """Return the variables of the pieces that a game drops."""
    by_cells = {
        (part.orientation.piece.name, frozenset(part.cells)): literal
        for part, literal in formula.parts
    }
    assert len(by_cells) == len(formula.parts)  # what a piece lies across is told by its cells
    return [
        by_cells[drop.piece, frozenset((x, where[row]) for x, row in drop.cells)]
        for drop in played.drops
    ]


def is_possible(formula: WindowFormula, literals: list[int] | None = None) -> bool:
    from pysat.solvers import Solver

    with Solver("glucose4", bootstrap_with=formula.cnf.clauses) as solver:
        return bool(solver.solve(assumptions=literals or []))


@pytest.mark.parametrize(("seed", "count"), [(1, 15), pytest.param(2, 50, marks=pytest.mark.slow)])
def test_every_game_is_a_model_of_its_stack_and_of_its_views(seed: int, count: int) -> None:
    for played in games(seed, count):
        target, counts, where = describe_stack(played, get_needed_height(played))
        formula = WindowFormula(make_window_contents(target, make_whole_stack(counts), 0))
        assert is_possible(formula, supposed(formula, played, where)), played.drops
        level = random.Random(seed).choice(list(iterate_windows_by_height(counts)))
        for window in level[:4]:
            assert is_possible(WindowFormula(make_window_contents(target, window, 0))), (
                window,
                played.drops,
            )


def test_a_view_of_a_stack_is_a_part_of_it() -> None:
    counts = (1, 0, 2, 0)
    target = Target(4, 9, ((2,) * 4,) * 3, frozenset())
    whole = make_window_contents(target, make_whole_stack(counts), 0).window
    assert whole == WindowRows((-1, 0, 1, -1, -1, 2), below=False, above=False)
    for many, level in enumerate(iterate_windows_by_height(counts), 1):
        for window in level:
            part = make_window_contents(target, window, 0).window
            assert len(window.picture_rows) == many
            text = ",".join(map(str, whole.rows))
            first = window.picture_rows.start
            assert ",".join(str(y + first if y >= 0 else y) for y in part.rows) in text
            assert part.below != window.floor
            assert part.above != window.top


def test_views_that_look_the_same_have_one_scene() -> None:
    rows = ((2, 0, 2), (0, 2, 2), (2, 0, 2), (0, 2, 2))
    required = frozenset((x, y) for y, row in enumerate(rows) for x, mask in enumerate(row) if mask)
    low, high = (Window(first, (1,), floor=False, top=False) for first in (0, 2))
    targets = [Target(3, height, rows, required) for height in (8, 9)]
    scenes = {
        make_window_contents(target, window, 5) for target in targets for window in (low, high)
    }
    assert len(scenes) == 1
    on_floor = Window(0, (0, 1), floor=True, top=False)
    assert make_window_contents(targets[0], on_floor, 5) not in scenes
    assert (
        make_window_contents(targets[0], Window(1, (1,), floor=False, top=False), 5) not in scenes
    )


@pytest.mark.parametrize(
    ("window", "slots", "rows"),
    [
        (Window(2, (1, 0), floor=False, top=False), range(3, 5), range(2, 5)),
        (Window(0, (1, 0), floor=True, top=False), range(2), range(2)),
        (Window(0, (1, 0, 3), floor=True, top=True), range(3), range(2)),
        (Window(4, (), floor=False, top=False), range(5, 5), range(4, 5)),
    ],
)
def test_a_view_knows_its_slots(window: Window, slots: range, rows: range) -> None:
    assert list(window.slots) == list(slots)
    assert window.picture_rows == rows
