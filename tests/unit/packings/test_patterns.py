"""The library's questions about patterns: found, proved by two solvers, counted."""

import pytest

from tetrisprinter import patterns
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings import patterns as module
from tetrisprinter.packings.problem import Infeasible, Packing, make_emitter_problem


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


@pytest.mark.parametrize("width", [9, 13])
def test_both_solvers_decide_what_the_automaton_decides(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [patterns.find(rows=3, at=[x], width=width) for x in range(width - 2)]
    monkeypatch.setattr(module, "_QUICK", _Silent())
    for column, answer in enumerate(known):
        if isinstance(answer, Infeasible) and "multiple" in answer.reason:
            continue
        verdict = patterns.prove(rows=3, at=[column], width=width)
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
