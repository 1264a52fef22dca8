"""Some cases of the fuzzer; ``scripts/fuzz commands`` runs more."""

import pytest

from tests.fuzz.cases import KINDS
from tests.fuzz.judge import choose_kind, judge_case

_TOGETHER = 20


@pytest.mark.usefixtures("search_little", "own_solvers")
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=pytest.mark.slow if first not in (20, 60) else ())
        for first in range(0, 100, _TOGETHER)
    ],
)
def test_odd_input(first: int) -> None:
    verdicts = [judge_case(seed) for seed in range(first, first + _TOGETHER)]
    assert not [verdict for verdict in verdicts if verdict.fault]


def test_the_judge_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr("tetrisprinter.cli.main", broken)
    assert judge_case(0, "plans").fault == "traceback: ZeroDivisionError: by accident"


def test_a_seed_is_a_case() -> None:
    assert judge_case(3, "plans") == judge_case(3, "plans")
    assert {choose_kind(seed) for seed in range(200)} == KINDS.keys()
