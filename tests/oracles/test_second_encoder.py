"""The second encoder agrees with the first: on all that is claimed, and at random."""

import json
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from tests.oracles.brute_packing import Brute
from tests.oracles.second_encoder import SHAPES, Question, emitters, platforms
from tetrisprinter.game.pieces import Placement
from tetrisprinter.packings.model import PackingModel
from tetrisprinter.packings.problem import PackingProblem

ENCODINGS = Path(__file__).resolve().parents[2] / "encodings"


def claims(kind: str, folder: Path = ENCODINGS) -> list[dict[str, Any]]:
    """Read the manifest without the package."""
    entries = json.loads((folder / "manifest.json").read_text())["certificates"]
    return [entry["claim"] for entry in entries if entry["claim"]["kind"] == kind]


def side_by_side(width: int, pieces: int) -> list[tuple[int, ...]]:
    return [
        columns
        for columns in combinations(range(width - 2), pieces)
        if all(b - a >= 3 for a, b in pairwise(columns))
    ]


@pytest.mark.slow
def test_it_finds_impossible_exactly_what_the_tables_certificates_claim() -> None:
    """Of 694 sets the 641 claimed ones; in the strong form the others are possible.

    Every third set is tried.
    """
    claimed = 0
    for claim in claims("emitters"):
        width, rows = claim["width"], claim["rows"]
        assert claim["squares_hold"]
        assert claim["any_order"]
        for columns in side_by_side(width, len(claim["positions"][0]))[::3]:
            question = emitters(width, rows, columns, squares_hold=True, at_any_time=True)
            assert question.has_answer() == ([*columns] not in claim["positions"])
        claimed += len(claim["positions"])
    assert claimed == 4 + 133 + 455 + 49


@pytest.mark.slow
def test_it_finds_no_platform_where_none_is_claimed() -> None:
    """In the middle; all nine columns take ten seconds."""
    (claim,) = claims("platforms")
    assert claim["columns"] == list(range(1, 19, 2))
    assert not any(question.has_answer() for question in platforms(claim["width"], 9))
    assert any(question.has_answer() for question in platforms(claim["width"], 4))


def first_encoder(question: Question) -> bool:
    problem = PackingProblem(
        question.width,
        question.rows,
        question.presets,
        question.squares,
        Placement.find(question.last) if question.last else None,
    )
    formula = PackingModel([problem], presets_first=not question.at_any_time)
    with Solver("cadical195", bootstrap_with=formula.clauses) as solver:
        return bool(solver.solve())


SIZES = [(w, r) for r, widest in ((1, 9), (2, 8), (3, 6), (4, 5)) for w in range(2, widest + 1)]


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Small ones; runs of one to three presets in row 0, never all of it."""
    width, rows = draw(st.sampled_from(SIZES))
    runs, x = [], 0
    while x < width:
        length = draw(st.sampled_from([0, 0, 0, 1, 2, 3]))
        if length and x + length <= width:
            runs.append(tuple((x + i, 0) for i in range(length)))
        x += max(length, 1)
    if sum(map(len, runs)) == width:
        runs.pop()
    squares = draw(st.frozensets(st.integers(0, width - 1), max_size=3))
    return Question(width, rows, tuple(runs), squares, draw(st.booleans()))


@settings(max_examples=40, deadline=None)
@given(question=questions())
def test_both_agree_with_brute_force(question: Question) -> None:
    brute = Brute(question.width, question.rows, question.squares)
    runs = [tuple(x for x, _ in preset) for preset in question.presets]
    if question.at_any_time:
        truth = brute.can_fill_around(frozenset(runs))
    else:
        taken = {x for run in runs for x in run}
        truth = brute.can_fill(tuple(int(x in taken) for x in range(question.width)))
    assert question.has_answer() == first_encoder(question) == truth


@settings(max_examples=50, deadline=None)
@given(size=st.sampled_from([(5, 3), (4, 4), (6, 2), (7, 3), (8, 3)]), data=st.data())
def test_both_agree_about_a_piece_that_is_the_last(
    size: tuple[int, int], data: st.DataObject
) -> None:
    width, rows = size
    places = [
        tuple((x + i, y + j) for i, j in shape)
        for _, shape in SHAPES
        for x in range(width - max(i for i, _ in shape))
        for y in range(rows - max(j for _, j in shape))
    ]
    last = data.draw(st.sampled_from(places))
    free = [x for x in range(width) if (x, 0) not in last]
    presets = data.draw(st.sets(st.sampled_from(free), max_size=width - 1)) if free else set()
    squares = data.draw(st.frozensets(st.integers(0, width - 1), max_size=2))
    cells = tuple(((x, 0),) for x in sorted(presets))
    if len(presets) == width:
        cells = cells[1:]
    question = Question(width, rows, cells, squares, last=last)
    assert question.has_answer() == first_encoder(question)
