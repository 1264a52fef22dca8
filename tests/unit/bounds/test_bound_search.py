import random
from collections import Counter
from itertools import cycle
from math import inf
from types import SimpleNamespace

import pytest

from tests.oracles.srs_game import Board
from tests.oracles.truth import NAMES, find_fewest_drops
from tests.support.small_tasks import draw_task, find_truth
from tetrisprinter.bounds import refinement
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.bounds.refinement import get_formula, solve_window
from tetrisprinter.bounds.stack_formulas import BoundQuestion
from tetrisprinter.bounds.stacks import (
    StackWindow,
    WindowContents,
    make_window_contents,
    trim_to_final_rows,
)
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Task
from tetrisprinter.support.executors import Machines


@pytest.mark.parametrize(
    ("seed", "count", "equal"), [(1, 8, 2), pytest.param(2, 16, 5, marks=pytest.mark.slow)]
)
def test_no_bound_is_above_the_truth(seed: int, count: int, equal: int) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(count):
        while find_obstacle(task := draw_task(rng, (4, 6), 12, 3)) is not None:
            pass
        truth = find_truth(task, max_drops=6, states=60_000)
        bound = prove_bound(task.target, max_bound=1 + (truth.drops or truth.searched))
        if truth.drops is None:
            seen["open"] += 1
            assert bound.game_step is None or bound.after > truth.searched, task.picture
            continue
        assert bound.after <= truth.drops, (bound.after, truth, task)
        seen["equal" if bound.after == truth.drops else "below"] += 1
    assert seen["equal"] >= equal
    assert not seen["below"]


def picture(text: str) -> Task:
    drawn = Picture.parse(text)
    colors = drawn.colors()
    types = {p: colors[i % len(colors)] for i, p in enumerate(PieceType)}
    return Task.of(drawn, (6, 12), types, None, 0)


def test_steps_time_and_a_known_plan_end_the_search() -> None:
    target = picture(".rr..b\nrr..b.").target
    whole = prove_bound(target)
    assert whole.after > whole.before
    assert prove_bound(target, steps=0).after == whole.before
    assert prove_bound(target, steps=1).after > whole.before
    assert prove_bound(target, max_bound=whole.before).steps == ()
    early = prove_bound(target, seconds=1e-9)
    assert early.stopped
    assert early.after == early.before


def test_a_solver_that_a_signal_interrupts_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    target = picture(".rr..b\nrr..b.").target
    assert prove_bound(target, steps=1).after > prove_bound(target).before
    monkeypatch.setattr("tetrisprinter.bounds.refinement.solve_interruptibly", lambda *_: None)
    bound = prove_bound(target, steps=1)
    assert bound.after == bound.before
    assert [step.refuted for step in bound.steps] == [False]


class TickingClock:
    """A clock that goes on by a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


@pytest.mark.parametrize("asked_by", ["making", "loading"])
def test_the_clock_is_looked_at_while_a_formula_is_made(
    monkeypatch: pytest.MonkeyPatch, asked_by: str
) -> None:
    target = trim_to_final_rows(picture(".rr..b\nrr..b.").target)
    lines = 7
    window = StackWindow(0, (2, 2, 3), floor=True, top=True)
    whole = WindowFormula(make_window_contents(target, window, 0))
    assert len(whole.cnf.clauses) > 8 * 4096
    formulas: dict[WindowContents, WindowFormula] = {}
    monkeypatch.setattr(refinement, "_FORMULAS", formulas)
    if asked_by == "loading":
        get_formula(make_window_contents(target, window, 0), float("inf"))
    kept = dict(formulas)
    clock = TickingClock()
    monkeypatch.setattr("time.monotonic", clock)
    seen = solve_window(BoundQuestion(target, lines), (), window, 1e6, 5.0)
    assert seen.unknown
    assert not seen.impossible
    assert seen.work == 0  # the time was over before the solver was asked
    assert clock.looks == 6  # one to begin with, and one a second
    assert formulas == kept


def test_an_interrupt_leaves_what_was_proved() -> None:
    target = picture(".rr..b\nrr..b.").target
    before = prove_bound(target, steps=0).after

    def stop(drops: int, lines: int, stacks: int, nogoods: int) -> None:
        if drops > before:
            raise KeyboardInterrupt

    bound = prove_bound(target, report=stop)
    assert bound.stopped
    assert bound.after > before


@pytest.mark.slow
def test_workers_do_not_change_the_answer() -> None:
    target = picture("rr..r.\n.rr.r.\nr..rr.\n.r.r.r").target
    alone = prove_bound(target)
    together = prove_bound(target, machines=Machines(2))
    assert [s.nogoods for s in alone.steps] == [s.nogoods for s in together.steps]
    assert alone.after == together.after


def test_an_interrupt_in_the_cache_of_formulas_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hash of a key is Python, so a signal may come there; it was reported as a KeyError."""
    left = 0

    class Key:
        def __hash__(self) -> int:
            nonlocal left
            left -= 1
            if not left:
                raise KeyboardInterrupt
            return id(self)

    formula = SimpleNamespace(cnf=SimpleNamespace(clauses=[()] * 9))
    monkeypatch.setattr(refinement, "WindowFormula", lambda *_: formula)
    keys = [Key() for _ in range(4)]

    def ask() -> None:
        monkeypatch.setattr(refinement, "_FORMULAS", {})
        for key in cycle(keys):
            get_formula(key, inf)  # type: ignore[arg-type]

    monkeypatch.setattr(refinement, "_CACHED_CLAUSES", 20)
    for hashes in range(1, 20):
        left = hashes
        with pytest.raises(KeyboardInterrupt):
            ask()


PICTURE = Picture.parse("rr..\nr.r.\nr.r.\n..rr")
WIDTH, HEIGHT = 4, 8

SLIDING = (
    ("ccw", "right", "right", "drop"),
    ("drop",),
    ("cw", "left", "drop"),
    ("ccw", "right", "right", "hold down", "left", "drop"),  # under the third one's overhang
)
"""Four J, with the keys that a player by the guideline presses."""


def test_a_slide_prints_a_picture_of_the_docs_in_fewer_drops_than_the_bound() -> None:
    squares = set(PICTURE.cells())
    board = Board((), WIDTH, HEIGHT)
    for keys in SLIDING:
        board.lock(board.play("J", keys))
    assert board.filled == squares

    types = dict.fromkeys(PieceType, PICTURE.colors()[0])
    bound = prove_bound(Task.of(PICTURE, (WIDTH, HEIGHT), types).target)
    truth = find_fewest_drops(WIDTH, HEIGHT, dict.fromkeys(squares, 0), dict.fromkeys(NAMES, 0))
    assert len(SLIDING) < bound.after == truth.drops == 5
    assert bound.game_step is not None


def test_formulas_take_no_more_room_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refinement, "_CACHED_CLAUSES", 8000)
    target = trim_to_final_rows(picture(".rr..b\nrr..b.").target)
    question = BoundQuestion(target, 4, 0)
    formulas: dict[WindowContents, WindowFormula] = {}
    monkeypatch.setattr(refinement, "_FORMULAS", formulas)
    made = 0
    for lines in (1, 2, 3, 4):
        solve_window(question, (), StackWindow(0, (lines,), floor=True, top=False), 10)
        sizes = [len(formula.cnf.clauses) for formula in formulas.values()]
        made += sizes[-1]
        assert sum(sizes) <= 8000 or len(sizes) == 1
    assert made > 8000
    assert sizes
