"""The library's questions about patterns: found, proved by two solvers, counted."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest

from tests.oracles.brute_packing import Brute
from tests.oracles.packing_counts import count_all
from tests.support.commands import Run
from tetrisprinter import patterns
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.packings import patterns as module
from tetrisprinter.packings.finders import CPSAT, SAT
from tetrisprinter.packings.patterns import count_each, needs_listing
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, make_emitter_problem


def test_find_says_what_there_is() -> None:
    packing = patterns.find(rows=3, at=[6])
    assert isinstance(packing, Packing)
    assert patterns.table(1)[6].problem == packing.problem
    assert isinstance(patterns.find(emitted=1, rows=3), Packing)
    assert isinstance(patterns.find(emitted=4, rows=3), Infeasible)
    own = patterns.read_matrix(".........\n.........\n....###..")
    assert isinstance(patterns.find(problem=own, finder="sat"), Packing)
    for question in ({}, {"rows": 3}, {"emitted": 1}):
        with pytest.raises(InputError, match="incomplete question"):
            patterns.find(**question)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "refusal"),
    [
        (lambda: patterns.find(rows=3, at=[6], finder="magic"), "unknown finder 'magic'; choose"),
        (lambda: patterns.find(emitted=-1, rows=3), "-1 is out of range; expected 0 or more"),
        (lambda: patterns.prove(emitted=1, rows=0), "invalid number of rows 0; expected 1 or more"),
        (lambda: patterns.table(8), "no table of 8 emitted squares; expected 1 to 7"),
    ],
)
def test_a_wrong_question_is_refused(ask: Callable[[], object], refusal: str) -> None:
    with pytest.raises(InputError, match=refusal):
        ask()


def test_both_solvers_decide_what_the_automaton_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [patterns.find(rows=3, at=[x], width=9) for x in range(7)]
    monkeypatch.setattr(module, "_QUICK", _Silent())
    for column, answer in enumerate(known):
        if isinstance(answer, Infeasible) and "multiple" in answer.reason:
            continue
        verdict = patterns.prove(rows=3, at=[column], width=9)
        assert (verdict.packing is not None) == isinstance(answer, Packing)
        if verdict.certificate is not None:
            assert verdict.certificate.verify(["own"]) == ("own",)
            assert "checked" in str(verdict)


class _Silent:
    """A finder that never answers."""

    def find(self, _: object) -> patterns.Unknown:
        return patterns.Unknown("silent")


def test_a_disagreement_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Packing(make_emitter_problem(21, 3, [7]), ())
    monkeypatch.setattr(module, "_decide_by_cpsat", lambda _: wrong)
    with pytest.raises(JobError, match="internal error: CP-SAT and cadical195 disagree"):
        patterns.prove(rows=3, at=[7])


def test_the_least_height_ends_the_verdicts() -> None:
    verdicts = list(patterns.prove_least(emitted=1, at=[7]))
    assert [verdict.rows for verdict in verdicts] == [1, 2, 3, 4, 5, 6, 7]
    assert [v.rows for v in verdicts if v.certificate is not None] == [3]
    assert verdicts[-1].packing is not None


def test_counts_add_up_over_the_sets_of_columns() -> None:
    single = [patterns.count(rows=3, at=[x], width=9) for x in range(7)]
    assert patterns.count(emitted=1, rows=3, width=9) == sum(single) > 0
    assert single == single[::-1]


def list_rows(width: int, rows: int) -> list[PackingProblem]:
    """Return a matrix for each set of presets in row 0, but not for a full row."""
    return [
        PackingProblem(width, rows, tuple(((x, 0),) for x in chosen))
        for size in range(width)
        for chosen in combinations(range(width), size)
    ]


@pytest.mark.parametrize(
    ("rows", "narrow", "widest"),
    [(1, 6, 9), (2, 6, 9), (3, 6, 8), pytest.param(4, 5, 8, marks=pytest.mark.slow)],
)
def test_every_row_has_as_many_packings_as_two_programs_count(
    rows: int, narrow: int, widest: int
) -> None:
    """All sets of presets; the comparison of docs/experiments.md goes up to 12 columns.

    Narrow matrices are filled by brute force, all others are counted from the last drop.
    """
    expected = count_all(rows, widest)
    brutes = {width: Brute(width, rows) for width in range(1, narrow + 1)}
    problems = [problem for width in range(1, widest + 1) for problem in list_rows(width, rows)]
    assert len(problems) == 2 ** (widest + 1) - 2 - widest
    different = set()
    for problem, number in zip(problems, count_each(problems), strict=True):
        columns = (problem.width - 1 - x for preset in problem.presets for x, _ in preset)
        assert number == expected[problem.width][sum(1 << column for column in columns)], problem
        if brute := brutes.get(problem.width):
            assert number == patterns.count(problem=problem) == brute.tilings(problem.start)
        different.add(number)
    assert len(different) >= (1 if rows == 1 else 3)  # nothing holds a flat piece in row 0


def test_many_counts_are_those_of_each() -> None:
    """Also with squares below, fewer types, and the mirror image of a matrix before."""
    problems = [make_emitter_problem(13, 4, at) for at in ((0, 3, 6, 9), (0, 4, 7, 10), (2,))]
    problems += [make_emitter_problem(13, 3, [x]) for x in (4, 6, 5)]
    problems.append(replace(problems[3], squares=frozenset({1})))
    problems.append(replace(problems[0], orientations=ORIENTATIONS[:9]))
    numbers = list(count_each(problems))
    assert numbers == [patterns.count(problem=problem) for problem in problems]
    assert numbers[3] == numbers[4]
    assert len(set(numbers)) >= 4


def test_squares_below_and_fewer_types_count_as_they_are_listed() -> None:
    for seed in range(15):
        pick = random.Random(seed)
        width, rows = pick.randint(4, 7), pick.randint(2, 4)
        types = pick.sample(list(PieceType), 5)
        problem = PackingProblem(
            width,
            rows,
            tuple(((x, 0),) for x in range(width) if pick.random() < 0.3)[: width - 1],
            frozenset(x for x in range(width) if pick.random() < 0.4),
            orientations=tuple(o for o in ORIENTATIONS if o.piece in types),
        )
        number = patterns.count(problem=problem)
        assert number == sum(1 for _ in SAT.find_all(problem)), problem
        if number <= 10:  # each packing costs CP-SAT another search
            assert number == sum(1 for _ in CPSAT.find_all(problem)), problem


def test_what_is_given_above_the_lowest_row_is_counted_one_by_one() -> None:
    problem = make_emitter_problem(9, 3, [4])
    packing = SAT.find(problem)
    given = replace(problem, required=packing.pieces[-1:])  # type: ignore[union-attr]
    assert not needs_listing(problem)
    assert needs_listing(given)
    assert 1 <= patterns.count(problem=given) < patterns.count(problem=problem) == 6


def test_a_count_that_may_be_slow_says_so_at_once(run: Run) -> None:
    done = run("patterns count --rows 7 --width 5 --at 1")
    assert done.stdout.startswith("emitters at 1: ")
    assert done.stderr == "counting can take many minutes; Ctrl-C ends it\n"
    assert run("patterns count --rows 3 --width 5 --at 1").stderr == ""


def test_numbers_that_nobody_could_list() -> None:
    assert patterns.count(problem=make_emitter_problem(21, 4, [0, 5, 9, 16])) == 7_408_462
    wide = patterns.count(problem=make_emitter_problem(101, 4, [0, 5, 9, 16]))
    assert wide == 10_318_491_500_325_169_112_470
