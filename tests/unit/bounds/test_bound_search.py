"""The search for a bound: never above the truth; clocks, signals and limits end it."""

import random
from collections import Counter
from contextlib import closing
from itertools import count, cycle
from math import inf
from types import SimpleNamespace

import pytest

from tests.support.commands import Draw, Run
from tests.support.small_tasks import draw_task, find_truth, make_two_color_task
from tests.support.strategies import PALETTE
from tetrisprinter.bounds import bound_search
from tetrisprinter.bounds.bound_search import (
    MonolithicSolver,
    Refinement,
    get_formula,
    has_game,
    prove_bound,
    solve_window,
)
from tetrisprinter.bounds.stack_formulas import BoundQuestion
from tetrisprinter.bounds.stacks import (
    ALL_STACKS,
    Nogood,
    StackWindow,
    WindowContents,
    WindowFormula,
    make_window_contents,
    trim_to_final_rows,
)
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.task import Target, Task
from tetrisprinter.support.executors import Machines


def test_no_bound_is_above_the_truth() -> None:
    rng = random.Random(1)
    seen: Counter[str] = Counter()
    for _ in range(8):
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
    assert seen["equal"] >= 2
    assert not seen["below"]


TARGET = make_two_color_task(12).target


def test_steps_time_and_a_known_plan_end_the_search() -> None:
    whole = prove_bound(TARGET)
    assert whole.after > whole.before
    assert prove_bound(TARGET, steps=0).after == whole.before
    assert prove_bound(TARGET, steps=1).after > whole.before
    assert prove_bound(TARGET, max_bound=whole.before).steps == ()
    early = prove_bound(TARGET, seconds=1e-9)
    assert early.stopped
    assert early.after == early.before


def test_a_solver_that_a_signal_interrupts_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prove_bound(TARGET, steps=1).after > prove_bound(TARGET).before
    monkeypatch.setattr("tetrisprinter.bounds.bound_search.solve_interruptibly", lambda *_: None)
    bound = prove_bound(TARGET, steps=1)
    assert bound.after == bound.before
    assert [step.refuted for step in bound.steps] == [False]


@pytest.mark.parametrize("asked_by", ["making", "loading"])
def test_the_clock_is_looked_at_while_a_formula_is_made(
    monkeypatch: pytest.MonkeyPatch, asked_by: str
) -> None:
    target = trim_to_final_rows(TARGET)
    lines = 7
    window = StackWindow(0, (2, 2, 3), floor=True, top=True)
    whole = WindowFormula(make_window_contents(target, window, 0))
    assert len(whole.cnf.clauses) > 8 * 4096
    formulas: dict[WindowContents, WindowFormula] = {}
    monkeypatch.setattr(bound_search, "_FORMULAS", formulas)
    if asked_by == "loading":
        get_formula(make_window_contents(target, window, 0), float("inf"))
    kept = dict(formulas)
    looks = count(1)
    monkeypatch.setattr("time.monotonic", lambda: float(next(looks)))  # a second at each look
    seen = solve_window(BoundQuestion(target, lines), (), window, 1e6, 5.0)
    assert seen.unknown
    assert not seen.impossible
    assert seen.work == 0  # the time was over before the solver was asked
    assert next(looks) == 7  # after one to begin with, and one a second
    assert formulas == kept


def test_an_interrupt_leaves_what_was_proved() -> None:
    before = prove_bound(TARGET, steps=0).after

    def stop(drops: int, lines: int, stacks: int, nogoods: int) -> None:
        if drops > before:
            raise KeyboardInterrupt

    bound = prove_bound(TARGET, report=stop)
    assert bound.stopped
    assert bound.after > before


@pytest.mark.slow
def test_workers_do_not_change_the_answer() -> None:
    target = make_two_color_task(12, "rr..r.\n.rr.r.\nr..rr.\n.r.r.r").target
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
    monkeypatch.setattr(bound_search, "WindowFormula", lambda *_: formula)
    keys = [Key() for _ in range(4)]

    def ask() -> None:
        monkeypatch.setattr(bound_search, "_FORMULAS", {})
        for key in cycle(keys):
            get_formula(key, inf)  # type: ignore[arg-type]

    monkeypatch.setattr(bound_search, "_CACHED_CLAUSES", 20)
    for hashes in range(1, 20):
        left = hashes
        with pytest.raises(KeyboardInterrupt):
            ask()


def test_formulas_take_no_more_room_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound_search, "_CACHED_CLAUSES", 8000)
    target = trim_to_final_rows(TARGET)
    question = BoundQuestion(target, 4, 0)
    formulas: dict[WindowContents, WindowFormula] = {}
    monkeypatch.setattr(bound_search, "_FORMULAS", formulas)
    made = 0
    for lines in (1, 2, 3, 4):
        solve_window(question, (), StackWindow(0, (lines,), floor=True, top=False), 10)
        sizes = [len(formula.cnf.clauses) for formula in formulas.values()]
        made += sizes[-1]
        assert sum(sizes) <= 8000 or len(sizes) == 1
    assert made > 8000
    assert sizes


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


def test_boards_without_any_game_are_those_of_the_truth() -> None:
    answers: Counter[bool] = Counter()
    rng = random.Random(5)
    while min(answers[True], answers[False]) < 10:
        width, height = rng.choice(((2, 2), (2, 3), (3, 2), (3, 3)))
        squares = [rng.choice((None, *PALETTE[:2])) for _ in range(width * height)]
        if not any(squares):
            continue
        rows = tuple(tuple(squares[n : n + width]) for n in range(0, len(squares), width))
        task = Task.of(Picture(rows), (width, height), "auto", None, 0)
        if find_obstacle(task) is not None:
            continue
        truth = find_truth(task, max_drops=40, states=60_000)
        found = has_game(trim_to_final_rows(task.target))
        assert found or truth.drops is None, task.picture
        if len(task.colors) == 1:  # with two, a type of both is no obstacle
            assert found == (truth.drops is not None), task.picture
        answers[found] += 1


def test_a_board_without_any_game_ends_the_search(run: Run, draw: Draw) -> None:
    draw("a.png", "r", "r")
    refusal = run("bound a.png --board 2x2", code=1).stderr
    assert "no game of hard drops on 2x2 leaves this picture: all fields" in refusal
    run("bound a.png --board 2x3")
