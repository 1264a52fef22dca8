"""Compiled loops answer what the same loops answer uncompiled, on cases that are small enough."""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import sys
from array import array
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tetrisprinter
from tests.support.processes import run_python
from tetrisprinter.errors import JobError
from tetrisprinter.packings.automaton import list_moves
from tetrisprinter.planners.dealt.beam import _make_form_tables, _make_spin_table, make_empty_state
from tetrisprinter.planners.formula import _SHAPES
from tetrisprinter.planners.rows.passes import make_stack
from tetrisprinter.support.kernels import check, zeros
from tetrisprinter.triplex.generator import _make_masks

PACKAGE = Path(tetrisprinter.__file__).parent
NAMES = tuple(
    ".".join(("tetrisprinter", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted(PACKAGE.rglob("_kernel*.py"))
)
"""The modules of compiled loops."""


@cache
def load_uncompiled() -> dict[str, ModuleType]:
    """Return the modules of :data:`NAMES`, uncompiled; they import each other uncompiled, too."""
    modules_before = {name: sys.modules.pop(name, None) for name in NAMES}
    loaded: dict[str, ModuleType] = {}
    remaining = list(NAMES)
    try:
        while remaining:
            name = remaining.pop(0)
            path = PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
            imported_first = [
                dependency
                for dependency in remaining
                if f"from {dependency} import" in path.read_text("utf-8")
            ]
            if imported_first:  # load this module after those that it imports
                remaining.append(name)
                continue
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = sys.modules[name] = loaded[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
    finally:
        for name, module_before in modules_before.items():
            sys.modules.pop(name, None)
            if module_before is not None:
                sys.modules[name] = module_before
    return loaded


def is_compiled(module: ModuleType) -> bool:
    """Return whether a module runs as compiled code."""
    return not str(module.__file__).endswith(".py")


def is_uncompiled_allowed() -> bool:
    """Return whether the environment says that everything runs uncompiled."""
    return os.environ.get("TETRISPRINTER_UNCOMPILED") == "1"


def both(name: str) -> tuple[ModuleType, ModuleType]:
    """Return a module, compiled and not."""
    return importlib.import_module(name), load_uncompiled()[name]


def make_comparable(value: Any) -> Any:
    """Make answers comparable."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind, value.tolist()
    if isinstance(value, (tuple, list)):
        return [make_comparable(part) for part in value]
    return value


@pytest.mark.parametrize("name", NAMES)
def test_all_are_compiled_and_run_uncompiled(name: str) -> None:
    compiled, plain = both(name)
    assert is_compiled(compiled) != is_uncompiled_allowed()
    assert not is_compiled(plain)
    assert compiled.__all__ == plain.__all__


def test_what_is_not_compiled_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TETRISPRINTER_UNCOMPILED", raising=False)
    with pytest.raises(JobError, match=r"are not compiled.*; install tetrisprinter again"):
        check(tmp_path / "package")
    (tmp_path / "build_kernels.py").touch()
    with pytest.raises(JobError, match=r"are not compiled.*pip install --editable"):
        check(tmp_path / "package")
    monkeypatch.setenv("TETRISPRINTER_UNCOMPILED", "1")
    check(tmp_path / "package")


def list_passes(kernel: ModuleType, seed: int) -> list[Any]:
    """Look for a pass in columns made up."""
    pick = random.Random(seed)
    word = pick.choice(["cpb", "ccpb", "cp", "ccb"])
    width, rows = pick.randint(4, 7), len(word)
    made = make_stack(word)
    stack = kernel.PassStack(word, made.pieces, made.begin, made.fields, made.masks)
    cleared = sum(1 << row for row, letter in enumerate(word) if letter == "c")
    must = [
        cleared | sum(1 << r for r in range(rows) if word[r] == "p" and pick.random() < 0.6)
        for _ in range(width)
    ]
    allowed_types = [
        [127 if must[x] >> r & 1 or word[r] == "b" else 0 for r in range(rows)]
        for x in range(width)
    ]
    squares = kernel.PassSquares(
        before=np.zeros(width, np.int64),
        must=np.array(must, np.int64),
        wanted=np.array([pick.randrange(1 << rows) & ~one for one in must], np.int64),
        allowed=np.array(allowed_types, np.int64).ravel(),
        ground=np.array([pick.random() < 0.5 for _ in range(width)], np.int64),
    )
    search = kernel.PassSearch(width, 40, 1 << 20)
    search.begin(stack, np.zeros(width, np.int64), pick.choice([5, 40]), 40, 4, False)
    steps, goal = kernel.explore(stack, squares, search)
    parts = [list(part) for part in (*search.list_steps(steps), search.counts)]
    return [(steps, goal, search.is_lost, search.tried_steps), *parts]


def fill_matrix(kernel: ModuleType, seed: int) -> list[Any]:
    """Fill a matrix made up."""
    pick = random.Random(seed)
    width = pick.choice([6, 8])
    start = np.array([pick.randint(0, 1) for _ in range(width)], np.int64)
    start[0] += (start.sum() + pick.choice([0, 0, 0, 1])) % 2
    ceilings = np.full(width, 4, np.int64)
    placements = [o * width + x for o in range(19) for x in range(width) if x < width - 3]
    order = np.array(pick.sample(placements, len(placements)), np.int64)
    out = np.zeros(width, np.int64)
    squares = np.array([pick.random() < 0.5 for _ in range(width)])
    answer = kernel.search(start, ceilings, squares, order, 4000, np.zeros(1, np.bool_), out)
    return [make_comparable(answer), out.tolist()]


def measure_drawing(kernel: ModuleType, seed: int) -> list[Any]:
    """Look at the points of a drawing made up."""
    pick = random.Random(seed)
    columns, rows, across = pick.randint(1, 4), pick.randint(1, 4), pick.randint(1, 5)
    inks = np.array([pick.choices(range(256), k=3) for _ in range(3)], np.int64)
    data = bytearray(
        channel
        for _ in range(columns * rows * across**2)
        for channel in (*pick.choice(inks), pick.choice([0, 90, 255, 255]))
    )
    points = memoryview(data)
    found = zeros("q", 7, (columns + 2) * (rows + 2))
    kernel.measure_squares(points, columns, across, inks[:2].ravel(), 24, found)
    counts = zeros("q", columns * rows * 3)
    kernel.count_inks(points, columns, across, inks.ravel(), 40, counts)
    return [found.tolist(), counts.tolist()]


def assign_random_colors(kernel: ModuleType, seed: int) -> list[int]:
    """Give the squares of a random picture colours of a palette."""
    pick = random.Random(seed)
    width, height, colors = pick.randint(1, 9), pick.randint(1, 9), pick.randint(1, 5)
    palette = np.array([pick.random() for _ in range(3 * colors)])
    points = np.array([pick.random() for _ in range(3 * width * height)])
    chosen = np.array([pick.choice([-1, 0, 0, 0]) for _ in range(width * height)], np.int64)
    shares = np.array([0.18, -0.06] if seed % 2 else [0.0, 0.0])
    allowed = np.zeros(0 if pick.random() < 0.5 else len(chosen) * colors, np.uint8)
    allowed[::2] = 1
    allowed[::colors] = 1
    bonus = pick.choice([0.0, 0.02, 0.2])
    kernel.assign_colors(points, width, palette, allowed, bonus, shares, 4, chosen)
    found: list[int] = chosen.tolist()
    return found


def solve_puzzle(kernel: ModuleType, seed: int) -> list[Any]:
    """Solve a puzzle made up."""
    pick = random.Random(seed)
    side, length = pick.choice([(3, 4), (4, 4), (4, 5)])
    counts = np.zeros(8, np.int64)
    left = side * length
    while left > 0:
        kind = pick.randrange(2 if left in (2, 4) else 8)
        counts[kind] += 1
        left -= 2 if kind < 2 else 3
    counts[0] -= min(counts[0], 1 if left < 0 else 0)
    before = counts.tolist()
    out = np.zeros((9, side * length // 2 + 1), np.int64)
    tables, stop = _make_masks(side, length), np.zeros(1, np.bool_)
    steps = pick.choice([-1, 60])
    answer = make_comparable(kernel.search(side, length, counts, *tables, 9, steps, stop, out))
    assert counts.tolist() == before
    return [answer, out[: max(0, answer[0])].tolist()]


def walk_automaton(kernel: ModuleType, _: int) -> list[Any]:
    """Ask all there is of the automaton of two rows."""
    moves = kernel.Moves(2, list_moves(2, True)[1])
    codes, offsets, targets = kernel.explore(moves, 4, 1 << 20)
    final = int(np.flatnonzero(codes == 3 << 18)[0])
    pick = np.random.default_rng(0)
    chosen = pick.random(len(targets)) < 0.3
    chosen_states = pick.random(len(codes)) < 0.5
    graph = (4, offsets, targets)
    word = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0, 0], np.int64)
    return [
        make_comparable([codes, offsets, targets]),
        kernel.list_fillings(moves, int(codes[5]), 1),
        kernel.find_cheapest(graph, chosen, chosen_states, (2, 3), word, (0, final)),
        make_comparable(kernel.explore(moves, 4, 3)),
    ]


def dealt(modules: dict[str, ModuleType], steered: bool) -> list[Any]:
    """Drop two pieces in all ways on a few rows, begun for a picture of five squares."""
    room = "tetrisprinter.planners.dealt"
    states, loops = modules[f"{room}._kernel_states"], modules[f"{room}._kernel"]
    wants = np.zeros((2, 8), np.int32)
    wants[0], wants[1, [0, 2, 3]] = 0b001100, 0b011100
    weights, queue = np.array([2, 8, 5], np.int32), np.array([3, 1, 6, 2], np.int32)
    board = states.PictureTables(6, 12, wants, _make_form_tables(), steered, weights)
    question = loops.QueueExpander(board, _make_spin_table(), queue, True, 3, 7)
    size, answers = len(make_empty_state()), []
    before: Any = make_empty_state()
    for _ in range(2):
        found = question.expand(before, len(before) // size)
        # Once all states, once so few that most are not looked at.
        chosen = question.choose(found, found)
        assert chosen[:6] == question.choose(found, 6)
        assert [one[0] for one in chosen] == sorted(one[0] for one in chosen)
        came, done = (np.array([one[place] for one in chosen], np.int32) for place in (1, 2))
        after, alive = np.zeros(found * size, np.int32), np.zeros(found, np.int32)
        question.advance(before, came, done, len(chosen), after)
        distinct = {one.tobytes() for one in after.reshape(-1, size)[: len(chosen)]}
        assert len(distinct) == len(chosen)
        states.ReachabilityTest(board).mark_live(after, len(chosen), alive)
        answers.append(make_comparable([found, chosen, after, alive]))
        before = after[: 4 * size].copy()
    return answers


@pytest.mark.parametrize("steered", [False, True])
def test_dealt_pieces(steered: bool) -> None:
    compiled = {name: importlib.import_module(name) for name in NAMES if "planners.dealt" in name}
    found = dealt(compiled, steered)
    assert found == dealt(load_uncompiled(), steered)
    assert found[1][0] > found[0][0] > 20
    assert 0 < sum(found[1][-1][1]) < found[1][0]


def test_one_sentence_where_nothing_is_compiled(tmp_path: Path) -> None:
    """A copy of the package without its libraries."""
    for path in PACKAGE.rglob("*"):
        if path.suffix in {".py", ".json", ".txt", ".npz"} and "__pycache__" not in path.parts:
            copy = tmp_path / "tetrisprinter" / path.relative_to(PACKAGE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from tetrisprinter.cli import main; "
        "sys.argv = ['tetrisprinter', 'triplex', 'check', '4x3', 'I2h*6']; main()"
    )
    done = run_python("-c", code, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "are not compiled for this version of Python" in done.stderr
    assert "Traceback" not in done.stderr


def formula(kernel: ModuleType, _: int) -> list[Any]:
    """Write the formula of a small picture with open types and one piece that stays."""
    width, number = 5, [-1, 0, 1, -1, 2]
    cells = width * len(number)
    of_cells = array("q", [0]) * cells
    allowed, shade, due, least, most, owner = (of_cells[:] for _ in range(6))
    for cell in range(cells):
        clears = number[cell // width] >= 0
        allowed[cell], due[cell], most[cell], owner[cell] = -1, not clears, 3, -1
        shade[cell] = 0 if clears else 1 + cell % width // 3
    stays = [4, 9, 14, 19]
    for cell in stays:
        owner[cell] = 0
    stack = kernel.Stack(
        width, 9, array("q", number), allowed, shade, due, least, most, owner,
        array("i", [kernel.YES, 0, 0]), 2, _SHAPES,
    )  # fmt: skip
    clauses = kernel.Clauses(100_000)
    kernel.write_formula(clauses, stack, 2, array("q", [1, 4, *stays]), [0, 2, 0, 0, 0, 0, 0, 0])
    more = kernel.add_counter(clauses, array("i", [1, 2, 5]), array("i", [5, 1, 1]), 4)
    handed: list[list[int]] = []
    end = kernel.add_clauses(clauses, handed.append, 0, 50)
    handed += [[end]]
    assert kernel.add_clauses(clauses, handed.append, end, 100_000) == -1
    tables = [list(table) for table in stack.tables()]
    return [clauses.totals, list(clauses.literals()), more, handed, tables]


@pytest.mark.parametrize(
    ("name", "answer", "seeds", "is_telling"),
    [
        ("planners.rows._kernel", list_passes, 12, lambda found: found[0][0] and found[0][2]),
        ("packings._kernel", fill_matrix, 8, any),
        ("pictures._kernel", measure_drawing, 12, lambda found: any(found[0][4]) and any(found[1])),
        ("pictures._kernel", assign_random_colors, 40, lambda found: max(found) == 4),
        ("triplex._kernel", solve_puzzle, 20, lambda found: found[0][0] > 1),
        ("packings.automaton._kernel", walk_automaton, 1, lambda found: len(found[0][0][1]) > 20),
        (
            "planners._kernel_formula",
            formula,
            1,
            lambda found: len(found[3]) == found[0][1] + 1 > 999,
        ),
    ],
)
def test_compiled_and_uncompiled_they_answer_the_same(
    name: str,
    answer: Callable[[ModuleType, int], list[Any]],
    seeds: int,
    is_telling: Callable[[list[Any]], object],
) -> None:
    """On cases made up, of which at least one is not trivial."""
    compiled, plain = both(f"tetrisprinter.{name}")
    answers = [answer(compiled, seed) for seed in range(seeds)]
    assert answers == [answer(plain, seed) for seed in range(seeds)]
    assert any(map(is_telling, answers))
